//! How a cell's box has moved: displacements of its control points, interpolated.

use super::tree::Cell;
use crate::lanes::{LANES, Lanes, Scalar};
use crate::real::Real;
use crate::vec2::{Vec2, vec2};

/// Where the control points lie on [-1, 1] along either axis. The ends are
/// among them, so that the grid bounds what it carries.
const NODES: [f64; 4] = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];

/// Where the control points lie, by lane: across, and down.
#[inline(always)]
pub(super) fn node_lanes<V: Lanes>(simd: V::Simd) -> (V, V) {
    let node = |k: usize| V::Scalar::from_f64(NODES[k]);
    (
        V::load(simd, &std::array::from_fn(|lane| node(lane % 4))),
        V::load(simd, &std::array::from_fn(|lane| node(lane / 4))),
    )
}

/// The motion of a cell. (Displacements, not positions, are interpolated: they
/// are small, and so is their rounding.)
#[derive(Clone, Copy)]
pub(crate) struct Motion<V: Lanes> {
    simd: V::Simd,
    centre: Vec2<V>,
    per_extent: Vec2<V>,
    x: [V::Scalar; LANES],
    y: [V::Scalar; LANES],
}

impl<V: Lanes> Motion<V> {
    #[inline(always)]
    pub fn new(simd: V::Simd, cell: &Cell<V>) -> Self {
        let splat = |v: Vec2<V::Scalar>| vec2(V::splat(simd, v.x), V::splat(simd, v.y));
        let displacement = cell.grid - cell.rest;
        Self {
            simd,
            centre: splat(cell.centre),
            per_extent: splat(cell.per_extent),
            x: displacement.x.to_array(),
            y: displacement.y.to_array(),
        }
    }

    /// The point moved along.
    #[inline(always)]
    pub fn apply(&self, p: Vec2<V>) -> Vec2<V> {
        let offset = p - self.centre;
        let across = weights(offset.x * self.per_extent.x);
        let down = weights(offset.y * self.per_extent.y);
        let mut out = p;
        for j in 0..4 {
            let row = |values: &[V::Scalar; LANES]| {
                let at = |i: usize| V::splat(self.simd, values[4 * j + i]);
                let right = across[3].mul_add(at(3), across[2] * at(2));
                across[0].mul_add(at(0), across[1].mul_add(at(1), right))
            };
            out.x = down[j].mul_add(row(&self.x), out.x);
            out.y = down[j].mul_add(row(&self.y), out.y);
        }
        out
    }
}

impl<V: Lanes> Motion<V> {
    /// Adjoint of [`Motion::apply`]: gives the derivative with respect to the
    /// point, and adds those with respect to the control points' displacements
    /// to `nodes`.
    #[inline(always)]
    pub fn apply_vjp(&self, p: Vec2<V>, d_out: Vec2<V>, nodes: &mut NodeGrads<V>) -> Vec2<V> {
        let offset = p - self.centre;
        let (u, v) = (offset.x * self.per_extent.x, offset.y * self.per_extent.y);
        let (across, down) = (weights(u), weights(v));
        let (across_slope, down_slope) = (weight_slopes(u), weight_slopes(v));
        let zero = u.zero();
        let (mut d_u, mut d_v) = (zero, zero);
        for j in 0..4 {
            let (mut slope_row, mut row) = (zero, zero);
            let (push_x, push_y) = (down[j] * d_out.x, down[j] * d_out.y);
            for i in 0..4 {
                let k = 4 * j + i;
                let x = V::splat(self.simd, self.x[k]);
                let y = V::splat(self.simd, self.y[k]);
                let along = x.mul_add(d_out.x, y * d_out.y);
                slope_row = across_slope[i].mul_add(along, slope_row);
                row = across[i].mul_add(along, row);
                nodes.x[k] = across[i].mul_add(push_x, nodes.x[k]);
                nodes.y[k] = across[i].mul_add(push_y, nodes.y[k]);
            }
            d_u = down[j].mul_add(slope_row, d_u);
            d_v = down_slope[j].mul_add(row, d_v);
        }
        vec2(d_u.mul_add(self.per_extent.x, d_out.x), d_v.mul_add(self.per_extent.y, d_out.y))
    }
}

/// Derivatives with respect to the displacements of sixteen control points, not
/// yet summed over lanes.
pub(crate) struct NodeGrads<V> {
    x: [V; LANES],
    y: [V; LANES],
}

impl<V: Lanes> NodeGrads<V> {
    #[inline(always)]
    pub fn zero(zero: V) -> Self {
        Self { x: [zero; LANES], y: [zero; LANES] }
    }

    /// The sums, a lane for each control point.
    #[inline(always)]
    pub fn sum(&self, simd: V::Simd) -> Vec2<V> {
        let sums = |all: &[V; LANES]| {
            let mut out = [V::Scalar::default(); LANES];
            for (total, node) in out.iter_mut().zip(all) {
                *total = V::Scalar::from_f64(node.sum());
            }
            V::load(simd, &out)
        };
        vec2(sums(&self.x), sums(&self.y))
    }
}

/// Cubic Lagrange weights of [`NODES`] at `u`.
#[inline(always)]
fn weights<R: Real>(u: R) -> [R; 4] {
    let square = u.squared();
    let inner = (square - u.lit(1.0 / 9.0)) * u.lit(9.0 / 16.0);
    let outer = (square - u.lit(1.0)) * u.lit(27.0 / 16.0);
    let third = u.lit(1.0 / 3.0);
    [
        inner * (u.lit(1.0) - u),
        outer * (u - third),
        -(outer * (u + third)),
        inner * (u + u.lit(1.0)),
    ]
}

/// Their derivatives.
#[inline(always)]
fn weight_slopes<R: Real>(u: R) -> [R; 4] {
    let square = u.squared();
    let inner = square - u.lit(1.0 / 9.0);
    let outer = square - u.lit(1.0);
    let twice = u + u;
    let (one, third) = (u.lit(1.0), u.lit(1.0 / 3.0));
    let (nine, many) = (u.lit(9.0 / 16.0), u.lit(27.0 / 16.0));
    [
        nine * (twice * (one - u) - inner),
        many * (twice * (u - third) + outer),
        -(many * (twice * (u + third) + outer)),
        nine * (twice * (u + one) + inner),
    ]
}
