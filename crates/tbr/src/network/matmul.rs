//! The one door to `gemm`, and the only unsafe code of the library.

use super::number::Number;

/// `out += a b` for matrices row by row: `a` is m x k, `b` k x n, `out` m x n.
/// One thread, so that the order of every sum is fixed; callers cut their work
/// into blocks of fixed size.
///
/// # Panics
///
/// If a slice is not as long as its matrix is large.
#[expect(unsafe_code, reason = "gemm takes pointers; the lengths are checked here")]
pub fn add_product<T: Number>(out: &mut [T], a: &[T], b: &[T], [m, k, n]: [usize; 3]) {
    let sizes = [(out.len(), m, n), (a.len(), m, k), (b.len(), k, n)];
    assert!(sizes.iter().all(|&(length, r, c)| r.checked_mul(c) == Some(length)));
    let [out_stride, a_stride, b_stride] = [n, k, n].map(|columns| columns as isize);
    // SAFETY: every pointer comes from a slice that holds exactly the rows and
    // columns that the sizes and strides reach, `out` is borrowed alone, and T
    // is f32 or f64, which gemm knows.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            out_stride,
            true,
            a.as_ptr(),
            1,
            a_stride,
            b.as_ptr(),
            1,
            b_stride,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
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
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_slice_too_short_never_reaches_gemm() {
        add_product::<f32>(&mut [0.0; 4], &[0.0; 5], &[0.0; 6], [2, 3, 2]);
    }
}
