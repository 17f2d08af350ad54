//! How a cell's box has moved: displacements of its control points, interpolated.

use super::layout::bits;
use super::tree::Cell;
use crate::numbers::Dual;
use crate::numbers::Real;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};

/// Where the control points lie on [-1, 1] along either axis. The ends are
/// among them, so that the grid bounds what it carries.
const NODES: [f64; 4] = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];

/// Where the control points lie, by lane: across, and down.
#[inline(always)]
pub(crate) fn node_lanes<V: Lanes>(simd: V::Simd) -> (V, V) {
    (V::of_f64(simd, |lane| NODES[lane % 4]), V::of_f64(simd, |lane| NODES[lane / 4]))
}

/// The motion of a cell. (Displacements, not positions, are interpolated: they
/// are small, and so is their rounding.)
#[derive(Clone, Copy)]
pub(crate) struct Motion<V: Lanes> {
    centre: Vec2<V::Scalar>,
    per_extent: Vec2<V::Scalar>,
    x: [V::Scalar; LANES],
    y: [V::Scalar; LANES],
}

impl<V: Lanes> Motion<V> {
    #[inline(always)]
    pub fn new(cell: &Cell<V>) -> Self {
        Self::over(cell.centre, cell.per_extent, cell.grid - cell.rest)
    }

    /// Of a box with that centre, and `per_extent` one over half its sides, whose
    /// control points have moved by `displacement`.
    #[inline(always)]
    pub fn over(
        centre: Vec2<V::Scalar>,
        per_extent: Vec2<V::Scalar>,
        displacement: Vec2<V>,
    ) -> Self {
        let (x, y) = (displacement.x.to_array(), displacement.y.to_array());
        Self { centre, per_extent, x, y }
    }

    /// Where points lie in the cell's box, which is [-1, 1] each way.
    #[inline(always)]
    fn place(&self, simd: V::Simd, p: Vec2<V>) -> Vec2<V> {
        let centre = vec2(V::splat(simd, self.centre.x), V::splat(simd, self.centre.y));
        let per_x = V::splat(simd, self.per_extent.x);
        let per_y = V::splat(simd, self.per_extent.y);
        vec2((p.x - centre.x) * per_x, (p.y - centre.y) * per_y)
    }

    /// The points moved along.
    #[inline(always)]
    pub fn apply(&self, simd: V::Simd, p: Vec2<V>) -> Vec2<V> {
        let at = self.place(simd, p);
        let (across, down) = (weights(at.x), weights(at.y));
        let mut out = p;
        for (j, down) in down.into_iter().enumerate() {
            out.x = down.mul_add(row(simd, &self.x, j, across), out.x);
            out.y = down.mul_add(row(simd, &self.y, j, across), out.y);
        }
        out
    }

    /// [`Motion::apply`] to points and their tangents.
    #[inline(always)]
    pub fn apply_along(&self, simd: V::Simd, p: Vec2<Dual<V>>) -> Vec2<Dual<V>> {
        let at = self.place(simd, vec2(p.x.value, p.y.value));
        let per_x = V::splat(simd, self.per_extent.x);
        let per_y = V::splat(simd, self.per_extent.y);
        let across = weights(at.x);
        let across_slope = scaled(weight_slopes(at.x), p.x.derivative * per_x);
        let down = weights(at.y);
        let down_slope = scaled(weight_slopes(at.y), p.y.derivative * per_y);
        let mut out = p;
        for j in 0..4 {
            let down = Dual::new(down[j], down_slope[j]);
            let x = row(simd, &self.x, j, across);
            let y = row(simd, &self.y, j, across);
            let d_x = row(simd, &self.x, j, across_slope);
            let d_y = row(simd, &self.y, j, across_slope);
            out.x = down.mul_add(Dual::new(x, d_x), out.x);
            out.y = down.mul_add(Dual::new(y, d_y), out.y);
        }
        out
    }

    /// Adjoint of [`Motion::apply`] for all that followed the cell: `points` are
    /// theirs, packed, and the bits of `live` tell which of the cell's followers
    /// they are. Of those, `d` comes in with respect to where they went and goes out
    /// with respect to where they were. Gives the derivative with respect to the
    /// control points' displacements.
    #[inline(always)]
    pub fn apply_vjp(
        &self,
        simd: V::Simd,
        live: u32,
        points: &[Vec2<V>],
        d: &mut [Vec2<V>],
    ) -> Vec2<V> {
        let d_x = self.nodes_vjp::<0>(simd, live, points, d);
        let d_y = self.nodes_vjp::<1>(simd, live, points, d);
        for (k, p) in bits(live).zip(points) {
            d[k] = self.point_vjp(simd, *p, d[k]);
        }
        vec2(d_x, d_y)
    }

    /// The part of one coordinate on the control points. (Sixteen sums fit in
    /// the registers, thirty-two would not.)
    #[inline(always)]
    fn nodes_vjp<const AXIS: usize>(
        &self,
        simd: V::Simd,
        live: u32,
        points: &[Vec2<V>],
        d: &[Vec2<V>],
    ) -> V {
        let mut nodes = [V::splat(simd, V::Scalar::default()); LANES];
        for (k, p) in bits(live).zip(points) {
            let at = self.place(simd, *p);
            let (across, down) = (weights(at.x), weights(at.y));
            for j in 0..4 {
                let push = down[j] * [d[k].x, d[k].y][AXIS];
                for i in 0..4 {
                    nodes[4 * j + i] = across[i].mul_add(push, nodes[4 * j + i]);
                }
            }
        }
        V::sums(nodes)
    }

    /// The part of one vector of points on themselves.
    #[inline(always)]
    fn point_vjp(&self, simd: V::Simd, p: Vec2<V>, d_out: Vec2<V>) -> Vec2<V> {
        let at = self.place(simd, p);
        let (across, down) = (weights(at.x), weights(at.y));
        let (across_slope, down_slope) = (weight_slopes(at.x), weight_slopes(at.y));
        let zero = at.x.zero();
        let (mut d_u, mut d_v) = (zero, zero);
        for j in 0..4 {
            let (mut slope_row, mut row) = (zero, zero);
            for i in 0..4 {
                let k = 4 * j + i;
                let (x, y) = (V::splat(simd, self.x[k]), V::splat(simd, self.y[k]));
                let along = x.mul_add(d_out.x, y * d_out.y);
                slope_row = across_slope[i].mul_add(along, slope_row);
                row = across[i].mul_add(along, row);
            }
            d_u = down[j].mul_add(slope_row, d_u);
            d_v = down_slope[j].mul_add(row, d_v);
        }
        let per_x = V::splat(simd, self.per_extent.x);
        let per_y = V::splat(simd, self.per_extent.y);
        vec2(d_u.mul_add(per_x, d_out.x), d_v.mul_add(per_y, d_out.y))
    }
}

/// Row `j` of the control points' values, interpolated across. (A function, not a
/// closure: closures are not always inlined, and then lose their instruction set.)
#[inline(always)]
fn row<V: Lanes>(simd: V::Simd, values: &[V::Scalar; LANES], j: usize, across: [V; 4]) -> V {
    let right = across[2] * V::splat(simd, values[4 * j + 2]);
    let right = across[3].mul_add(V::splat(simd, values[4 * j + 3]), right);
    let middle = across[1].mul_add(V::splat(simd, values[4 * j + 1]), right);
    across[0].mul_add(V::splat(simd, values[4 * j]), middle)
}

#[inline(always)]
fn scaled<R: Real>(values: [R; 4], by: R) -> [R; 4] {
    let [a, b, c, d] = values;
    [a * by, b * by, c * by, d * by]
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
