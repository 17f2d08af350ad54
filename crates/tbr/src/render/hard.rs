//! The hard render's pixels: done at the first deposit that holds them.

use super::View;
use crate::cells::{
    BLOCK_PX, BLOCK_VECTORS, Payload, Prepared, Tree, Window, for_each_bit, pixel_place,
};
use crate::lanes::{LANES, Lanes};
use crate::real::Mask;
use crate::stroke::{Frame, Transport};
use crate::vec2::Vec2;

/// Number of the owning stroke (from 1; 0 for none yet), by vector and lane.
struct Owners(Vec<[u32; LANES]>);

impl<V: Lanes> Payload<V> for Owners {
    fn start(&mut self, inside: u32) -> u32 {
        inside
    }

    #[inline(always)]
    fn meet<O: Transport>(
        &mut self,
        vector: usize,
        stroke: usize,
        frame: &Frame<V>,
        x: Vec2<V>,
        live: u32,
    ) -> (Vec2<V>, u32) {
        let (covered, before) = O::step(frame, x);
        let hit = covered.bits() & live;
        for_each_bit(hit, |lane| self.0[vector][lane] = stroke as u32 + 1);
        (before, live & !hit)
    }
}

/// Walks all strokes and gives the owners of the pixels of `window`, row by row,
/// `BLOCK_PX` to a row; pixels outside the window stay 0.
pub(super) fn owners<V: Lanes, O: Transport>(
    simd: V::Simd,
    strokes: &[Prepared<V::Scalar>],
    view: &View,
    window: &Window,
) -> Vec<u32> {
    let owners = Owners(vec![[0; LANES]; BLOCK_VECTORS]);
    let mut tree = Tree::<V, O, _>::new(simd, strokes, view, window, owners);
    tree.walk();
    let mut out = vec![0; (BLOCK_PX * BLOCK_PX) as usize];
    for (vector, owners) in tree.payload.0.iter().enumerate() {
        for (lane, owner) in owners.iter().enumerate() {
            let (column, row) = pixel_place(vector, lane);
            out[(row * BLOCK_PX + column) as usize] = *owner;
        }
    }
    out
}
