//! The frozen coefficients of the calibrated operator.
//!
//! Part of format version 1: a program's picture depends on every digit, so this
//! table does not change while that version lives. Made by `tbr calibrate`
//! (crate tbr-lab), rounded to six decimals; a test makes it again.

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

/// The table, by ascending aspect ratio.
#[rustfmt::skip]
pub const KNOTS: [Knot; 22] = [
    Knot { aspect: 0.0, value: [0.000000, 0.000000, 0.000000], slope: [0.262486, 0.070752, 0.034312] },
    Knot { aspect: 0.06, value: [0.014932, 0.004092, 0.001882], slope: [0.235247, 0.065648, 0.028422] },
    Knot { aspect: 0.13, value: [0.030287, 0.008479, 0.003631], slope: [0.204536, 0.060229, 0.025143] },
    Knot { aspect: 0.2, value: [0.043567, 0.012524, 0.005402], slope: [0.178175, 0.057363, 0.025135] },
    Knot { aspect: 0.3, value: [0.059736, 0.018200, 0.007892], slope: [0.149770, 0.055917, 0.023542] },
    Knot { aspect: 0.5, value: [0.084922, 0.029046, 0.012057], slope: [0.110110, 0.051900, 0.017449] },
    Knot { aspect: 0.75, value: [0.107506, 0.041293, 0.015364], slope: [0.077736, 0.045516, 0.008878] },
    Knot { aspect: 1.0, value: [0.123790, 0.051804, 0.016496], slope: [0.056750, 0.038442, 0.000796] },
    Knot { aspect: 1.25, value: [0.135881, 0.060514, 0.015762], slope: [0.042432, 0.031448, -0.005726] },
    Knot { aspect: 1.5, value: [0.145006, 0.067528, 0.013633], slope: [0.032478, 0.025217, -0.010062] },
    Knot { aspect: 2.0, value: [0.157223, 0.077298, 0.007056], slope: [0.019271, 0.015351, -0.013982] },
    Knot { aspect: 2.5, value: [0.164277, 0.082879, -0.000349], slope: [0.011013, 0.008507, -0.014138] },
    Knot { aspect: 3.0, value: [0.168236, 0.085805, -0.007082], slope: [0.006048, 0.004275, -0.012298] },
    Knot { aspect: 3.5, value: [0.170325, 0.087154, -0.012647], slope: [0.003050, 0.001825, -0.009963] },
    Knot { aspect: 4.0, value: [0.171286, 0.087630, -0.017045], slope: [0.001352, 0.000593, -0.007898] },
    Knot { aspect: 5.0, value: [0.171499, 0.087505, -0.023148], slope: [-0.000238, -0.000332, -0.004977] },
    Knot { aspect: 6.0, value: [0.170810, 0.086966, -0.026999], slope: [-0.000754, -0.000534, -0.003323] },
    Knot { aspect: 8.0, value: [0.169041, 0.085919, -0.031531], slope: [-0.000788, -0.000482, -0.001814] },
    Knot { aspect: 10.0, value: [0.167658, 0.085038, -0.034256], slope: [-0.000602, -0.000435, -0.001187] },
    Knot { aspect: 13.0, value: [0.166255, 0.083756, -0.037026], slope: [-0.000390, -0.000437, -0.000798] },
    Knot { aspect: 16.0, value: [0.165316, 0.082414, -0.039045], slope: [-0.000289, -0.000447, -0.000602] },
    Knot { aspect: 20.0, value: [0.164284, 0.080628, -0.041071], slope: [0.000000, 0.000000, 0.000000] },
];
