//! The revision number of the solvers: with it, kept results are told from those of other
//! versions.

/// The first losses of two small fits, ours and the paper's, to seven digits, with fused
/// multiplication and addition; the first numbers of a gradient with outliers, which those
/// fits have none of, by the engine of the steps; and the losses of our fit with straight
/// strokes, and with a comb that comes last. Tests hold the solvers to them; if a change
/// moves one, put the new figures here, and [`SOLVER_REVISION`] changes with them.
pub(super) const KNOWN_FIGURES: [[f64; 10]; 5] = [
    [
        2.836327e-3,
        4.096052e-3,
        2.082093e-3,
        1.936402e-3,
        2.042338e-3,
        1.554834e-3,
        1.389602e-3,
        1.327952e-3,
        1.242423e-3,
        1.153659e-3,
    ],
    [
        9.798190e-2,
        9.074592e-2,
        8.675088e-2,
        8.414644e-2,
        8.193552e-2,
        8.004783e-2,
        7.850280e-2,
        7.739173e-2,
        7.646964e-2,
        7.656100e-2,
    ],
    [
        -6.567875e9,
        -4.371879e9,
        -3.283938e9,
        -2.185940e9,
        -4.189969e10,
        1.356013e9,
        -1.051010e9,
        6.780067e8,
        -5.255051e8,
        -3.838117e10,
    ],
    [
        3.438964e-3,
        3.564774e-3,
        2.349428e-3,
        7.143056e-3,
        5.430102e-3,
        3.990620e-3,
        3.126258e-3,
        1.517741e-3,
        1.689385e-3,
        1.423387e-3,
    ],
    [
        3.249959e-3,
        3.855002e-3,
        2.504818e-3,
        1.489047e-3,
        1.837841e-3,
        1.662302e-3,
        1.334734e-3,
        1.067719e-3,
        1.350075e-3,
        1.447191e-3,
    ],
];

/// A number for the solvers as they are: fits of one picture with the same options give the
/// same program (on one kind of machine) if it is the same. It is made of known figures that
/// tests hold, so that nobody has to remember to raise it.
pub const SOLVER_REVISION: u64 = digest(&KNOWN_FIGURES);

/// FNV-1a over the bits.
const fn digest(figures: &[[f64; 10]; 5]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut k = 0;
    while k < 50 {
        hash = (hash ^ figures[k / 10][k % 10].to_bits()).wrapping_mul(0x0100_0000_01b3);
        k += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjoint::tests::outliers::edge_gradient;
    use crate::adjoint::{Engine, Precision};
    use crate::numbers::lanes::{forced, is_fused, levels};

    /// A rim so narrow that squares of slopes are more than float32 can say: outliers for the
    /// coarse engine, too.
    const TAU_MIN: f64 = 1e-21;

    #[test]
    fn what_outliers_leave_of_a_gradient_is_known() {
        for level in levels().into_iter().filter(|level| is_fused(*level)) {
            let flat =
                forced(level, || edge_gradient(Engine::Coarse, Precision::Single, TAU_MIN).flat());
            let numbers: Vec<f64> = flat.into_iter().filter(|d| *d != 0.0).take(10).collect();
            let off = |(d, known): (&f64, &f64)| (d / known - 1.0).abs();
            let worst = numbers.iter().zip(&KNOWN_FIGURES[2]).map(off).fold(0.0, f64::max);
            assert!(worst < 5e-6, "{level:?}: off by {worst:e}: {numbers:?}");
        }
    }
}
