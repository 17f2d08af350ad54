//! Coefficients of the calibrated operator, by aspect ratio.

pub use super::coupling_table::{KNOTS, Knot};

/// c_1..c_3 and their derivatives at the aspect ratio l/r: cubic Hermite
/// between the knots (so the derivative is continuous), zero at l/r = 0, constant
/// past the last knot.
pub fn at(aspect: f64) -> ([f64; 3], [f64; 3]) {
    let last = &KNOTS[KNOTS.len() - 1];
    if aspect >= last.aspect {
        return (last.value, [0.0; 3]);
    }
    let next = KNOTS.iter().position(|k| aspect < k.aspect).unwrap_or(KNOTS.len() - 1).max(1);
    let (a, b) = (&KNOTS[next - 1], &KNOTS[next]);
    let width = b.aspect - a.aspect;
    let u = (aspect - a.aspect) / width;
    let mut value = [0.0; 3];
    let mut slope = [0.0; 3];
    for k in 0..3 {
        let (m0, m1) = (a.slope[k] * width, b.slope[k] * width);
        let rise = b.value[k] - a.value[k];
        let (second, third) = (3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise);
        value[k] = a.value[k] + u * (m0 + u * (second + u * third));
        slope[k] = (m0 + u * (2.0 * second + u * 3.0 * third)) / width;
    }
    (value, slope)
}
