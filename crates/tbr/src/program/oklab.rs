//! OKLab: coordinates of colours in which equal distances look about equally far (B. Ottosson,
//! "A perceptual color space for image processing", 2020).

use super::colour::Colour;

/// Lightness from 0 to 1, then how far from grey towards red (from green) and yellow (from blue).
pub type Oklab = [f64; 3];

/// From linear red, green and blue to what the three kinds of cones see.
const TO_CONES: [[f64; 3]; 3] = [
    [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
    [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
    [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
];

/// From the cube roots of that to OKLab.
const TO_OKLAB: [[f64; 3]; 3] = [
    [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
    [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
    [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
];

/// A colour in OKLab.
pub fn oklab(colour: Colour) -> Oklab {
    apply(&TO_OKLAB, apply(&TO_CONES, colour.map(linear)).map(libm::cbrt))
}

/// The light that an sRGB value stands for.
fn linear(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

fn apply(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that CSS Color 4 and other implementations give, to their digits.
    #[test]
    fn known_colours_are_where_others_have_them() {
        let known = [
            ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
            ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
            ([1.0, 0.0, 0.0], [0.627_955, 0.224_863, 0.125_846]),
            ([0.0, 1.0, 0.0], [0.866_440, -0.233_888, 0.179_498]),
            ([0.0, 0.0, 1.0], [0.452_014, -0.032_457, -0.311_528]),
        ];
        for (colour, expected) in known {
            for (value, expected) in oklab(colour).iter().zip(expected) {
                assert!((value - expected).abs() < 2e-6, "{colour:?}: {value} for {expected}");
            }
        }
    }

    #[test]
    fn greys_have_no_chroma() {
        for k in 0..=20 {
            let [_, a, b] = oklab([f64::from(k) / 20.0; 3]);
            assert!(a.abs() < 1e-6 && b.abs() < 1e-6, "{k}: {a} {b}");
        }
    }
}
