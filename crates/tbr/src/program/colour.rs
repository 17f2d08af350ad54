//! Colours, and how people write them.

/// sRGB values as stored, each in [0, 1].
pub type Colour = [f64; 3];

/// The colour in eight bits a channel.
pub fn to_bytes(colour: Colour) -> [u8; 3] {
    colour.map(|v| (v * 255.0).round() as u8)
}

/// Squared distance of two colours, over all channels.
pub fn squared_distance(a: Colour, b: Colour) -> f64 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum()
}

/// A colour at a share of the way from one to another.
pub(crate) fn blend(from: Colour, to: Colour, share: f64) -> Colour {
    std::array::from_fn(|c| from[c] + (to[c] - from[c]) * share)
}

/// A colour like `#1d3f73`.
pub fn hex(colour: Colour) -> String {
    let [r, g, b] = to_bytes(colour);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Reads a colour like `#1d3f73`, with or without the mark.
pub fn from_hex(text: &str) -> Option<Colour> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut colour = [0.0; 3];
    for (k, value) in colour.iter_mut().enumerate() {
        *value = f64::from(u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok()?) / 255.0;
    }
    Some(colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_colours_read_back() {
        for text in ["#000000", "#1d3f73", "#ffffff"] {
            assert_eq!(hex(from_hex(text).unwrap()), text);
        }
        assert_eq!(from_hex("1D3F73"), from_hex("#1d3f73"));
        for wrong in ["", "#12345", "#1234567", "#12345g", "#+12345", "red"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }
}
