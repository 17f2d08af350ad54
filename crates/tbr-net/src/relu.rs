//! The rectifier, max(v, 0), in place.

use crate::band::Band;
use crate::number::Number;
use rayon::prelude::*;

/// Numbers that one task takes.
const BLOCK: usize = 1 << 16;

/// Negative numbers become 0.
pub fn relu<T: Number>(map: &mut Band<T>) {
    let zero = T::default();
    map.values.par_chunks_mut(BLOCK).flatten_iter().for_each(|v| {
        if *v < zero {
            *v = zero;
        }
    });
}

/// The adjoint, in place: what did not get through has no derivative. `out` is
/// the rectifier's output; at 0 itself the derivative is taken as 0.
pub fn relu_vjp<T: Number>(d_map: &mut Band<T>, out: &Band<T>) {
    let zero = T::default();
    let blocks = d_map.values.par_chunks_mut(BLOCK).zip(out.values.par_chunks(BLOCK));
    blocks.for_each(|(d, out)| {
        for (d, out) in d.iter_mut().zip(out) {
            if *out <= zero {
                *d = zero;
            }
        }
    });
}
