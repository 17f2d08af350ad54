//! Placeholder until calibrated.
/// One fitted aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// l/r.
    pub aspect: f64,
    /// c_1..c_3.
    pub value: [f64; 3],
    /// Derivatives with respect to l/r.
    pub slope: [f64; 3],
}
/// The table.
pub const KNOTS: [Knot; 2] = [
    Knot { aspect: 0.0, value: [0.0; 3], slope: [0.1; 3] },
    Knot { aspect: 2.0, value: [0.2, 0.01, 0.001], slope: [0.0; 3] },
];
