//! The one door to `matrixmultiply`, and the only unsafe code of the workspace.

use crate::number::Number;

/// `out += a b` for matrices row by row: `a` is m x k, `b` k x n, `out` m x n.
/// One thread, so that the order of every sum is fixed; callers cut their work
/// into blocks of fixed size.
///
/// # Panics
///
/// If a slice is not as long as its matrix is large.
pub fn add_product<T: Number>(out: &mut [T], a: &[T], b: &[T], [m, k, n]: [usize; 3]) {
    check_sizes([out.len(), a.len(), b.len()], [m, k, n]);
    T::add_product(out, a, b, [m, k, n]);
}

fn check_sizes([out, a, b]: [usize; 3], [m, k, n]: [usize; 3]) {
    let sizes = [(out, m, n), (a, m, k), (b, k, n)];
    assert!(sizes.iter().all(|&(length, r, c)| r.checked_mul(c) == Some(length)));
}

/// The same in f32.
#[expect(unsafe_code, reason = "sgemm takes pointers; the lengths are checked here")]
pub fn add_product_f32(out: &mut [f32], a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) {
    check_sizes([out.len(), a.len(), b.len()], [m, k, n]);
    let [out_stride, a_stride, b_stride] = [n, k, n].map(|columns| columns as isize);
    let (to, a, b) = (out.as_mut_ptr(), a.as_ptr(), b.as_ptr());
    // SAFETY: every pointer comes from a slice that holds exactly the rows and
    // columns that the sizes and strides reach, and `out` is borrowed alone.
    unsafe {
        matrixmultiply::sgemm(m, k, n, 1.0, a, a_stride, 1, b, b_stride, 1, 1.0, to, out_stride, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_by_three_times_three_by_two() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.5, -1.0, 2.0, 0.0, 1.0]);
        let mut out = [10.0, 20.0, 30.0, 40.0];
        add_product::<f64>(&mut out, &a, &b, [2, 3, 2]);
        assert_eq!(out, [9.0, 27.5, 29.0, 58.0]);
        let [a, b] = [a, b].map(|matrix| matrix.map(|v: f64| v as f32));
        let mut out = [10.0, 20.0, 30.0, 40.0];
        add_product::<f32>(&mut out, &a, &b, [2, 3, 2]);
        assert_eq!(out, [9.0, 27.5, 29.0, 58.0]);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_slice_too_short_never_reaches_sgemm() {
        add_product::<f32>(&mut [0.0; 4], &[0.0; 5], &[0.0; 6], [2, 3, 2]);
    }
}
