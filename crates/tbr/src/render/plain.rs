//! The plain walk over vector lanes: every stroke at every pixel until its first
//! deposit. Under the capsule and in float32 only: it is the baseline that
//! `tbr bench render` measures the tree against.

use super::View;
use crate::cells::Prepared;
use crate::numbers::Mask;
use crate::numbers::lanes::{F32s, LANES, Lanes, level, with_simd};
use crate::numbers::vec2;
use crate::program::Program;
use crate::stroke::Operator;
use crate::stroke::{Capsule, Transport};
use rayon::prelude::*;

/// The owner of every pixel, row by row.
pub fn owners(program: &Program, view: &View) -> Vec<u32> {
    let prepare = |shape| Prepared::new(shape, Operator::Capsule, 1.0, 0.0);
    let strokes: Vec<Prepared<f32>> = program.strokes().iter().map(|s| prepare(&s.shape)).collect();
    let (width, height) = (view.width_px as usize, view.height_px as usize);
    let mut all = vec![0; width * height];
    all.par_chunks_mut(width).enumerate().for_each(|(j, row)| {
        for (chunk, owners) in row.chunks_mut(LANES).enumerate() {
            let i = (chunk * LANES) as u32;
            with_simd!(level(), simd => walk::<F32s<_>>(simd, &strokes, view, i, j as u32, owners));
        }
    });
    all
}

#[inline(always)]
fn walk<V: Lanes<Scalar = f32>>(
    simd: V::Simd,
    strokes: &[Prepared<f32>],
    view: &View,
    i: u32,
    j: u32,
    owners: &mut [u32],
) {
    let mut x = vec2(
        V::of_f64(simd, |lane| view.centre(i + lane as u32, j).x),
        V::of_f64(simd, |lane| view.centre(i + lane as u32, j).y),
    );
    let mut live = (1u32 << owners.len()) - 1;
    for (index, stroke) in strokes.iter().enumerate().rev() {
        let (covered, before) = Capsule::step(&stroke.splat(simd), x);
        let mut hit = covered.bits() & live;
        live &= !hit;
        while hit != 0 {
            owners[hit.trailing_zeros() as usize] = index as u32 + 1;
            hit &= hit - 1;
        }
        if live == 0 {
            break;
        }
        x = before;
    }
}
