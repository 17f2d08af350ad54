//! The hard render of a block: each pixel is done at the first deposit that covers it.

use super::View;
use crate::cells::{
    Block, LEAF_VECTORS, Payload, PreparedStep, Tree, bits, block_px, block_vectors,
};
use crate::numbers::Vec2;
use crate::numbers::lanes::{LANES, Lanes};
use crate::stroke::{Frame, Hard};
use crate::tool::{Move, lanewise};

/// Levels of cells in a block. Far strokes move 256 x 256 pixels as one.
const LEVELS: usize = 3;

/// Pixels along the side of a block.
pub(super) const BLOCK_PX: u32 = block_px(LEVELS);

/// Vectors of pixels in it.
pub(super) const BLOCK_VECTORS: usize = block_vectors(LEVELS);

/// Number of the owning stroke (from 1; 0 for none yet), by vector and lane.
struct Owners<'a, V: Lanes> {
    simd: V::Simd,
    kernel: &'a dyn Hard<V>,
    owners: Vec<[u32; LANES]>,
}

impl<V: Lanes> Payload<V> for Owners<'_, V> {
    fn start(&mut self, inside: u32) -> u32 {
        inside
    }

    #[inline(always)]
    fn meet(
        &mut self,
        leaf: usize,
        (stroke, frame): (usize, &Frame<V>),
        live: u32,
        pixels: &mut [Vec2<V>],
        lanes: &mut [u32],
    ) {
        for k in bits(live) {
            let (covered, before) = self.kernel.step(self.simd, frame, pixels[k]);
            let hit = covered & lanes[k];
            let owners = &mut self.owners[leaf * LEAF_VECTORS + k];
            for lane in bits(hit) {
                owners[lane] = stroke as u32 + 1;
            }
            pixels[k] = before;
            lanes[k] &= !hit;
        }
    }

    #[inline(always)]
    fn drag(&mut self, _leaf: usize, tool: &Move<f64>, live: u32, pixels: &mut [Vec2<V>]) {
        for k in bits(live) {
            pixels[k] = lanewise::psi(self.simd, tool, pixels[k]);
        }
    }
}

/// Walks all steps and gives the owners of a block's pixels, by vector and lane.
pub(super) fn owners<V: Lanes>(
    simd: V::Simd,
    kernel: &dyn Hard<V>,
    steps: &[PreparedStep<V::Scalar>],
    view: &View,
    pixels: &Block<V>,
) -> Vec<[u32; LANES]> {
    let owners = Owners { simd, kernel, owners: vec![[0; LANES]; BLOCK_VECTORS] };
    let mut tree = Tree::new(simd, kernel, steps, (view, pixels), LEVELS, owners);
    tree.walk();
    tree.payload.owners
}
