//! The geometry of a stroke, as a program holds it.

use crate::numbers::{Vec2, vec2};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The most that a stroke may bend, either way. At 2 a long stroke is a hook: its ends rise by
/// half its length. Beyond it the deposit is no longer a mark of one width.
pub const MAX_BEND: f64 = 2.0;

/// The geometry of a stroke: a capsule of radius `half_width` about the segment from `anchor`
/// to `anchor + offset`, bent sideways by a shear that keeps all areas, Eq. (B1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Where the segment begins.
    pub anchor: Vec2<f64>,
    /// From the segment's beginning to its end; zero for a drop.
    pub offset: Vec2<f64>,
    /// Radius of the capsule.
    pub half_width: f64,
    /// How much both ends rise to the side of (-offset.y, offset.x), in units of a quarter of
    /// the length, roughly; 0 for a straight stroke. Drops stay drops.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bend: f64,
}

/// For serde: most strokes of old programs do not bend, and say nothing of it.
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Shape {
    /// A straight stroke.
    pub fn line(anchor: Vec2<f64>, offset: Vec2<f64>, half_width: f64) -> Self {
        Self { anchor, offset, half_width, bend: 0.0 }
    }

    /// A drop.
    pub fn drop(centre: Vec2<f64>, half_width: f64) -> Self {
        Self::line(centre, vec2(0.0, 0.0), half_width)
    }

    /// The same with another bend.
    pub fn with_bend(self, bend: f64) -> Self {
        Self { bend, ..self }
    }

    /// The stroke whose skeleton begins and ends at two points and has a third in its middle:
    /// exact if the third is on their bisector and within [`MAX_BEND`], near else. Its area is
    /// that of a capsule as long as the chord.
    pub fn through([start, middle, end]: [Vec2<f64>; 3], half_width: f64) -> Self {
        let chord = end - start;
        let length = chord.norm();
        if length == 0.0 {
            return Self::drop(middle, half_width);
        }
        let straight = Self::line(middle - chord * 0.5, chord, half_width);
        let rise = ((start + end) * 0.5 - middle).into_frame(chord * (1.0 / length)).y;
        let per_bend = straight.with_bend(1.0).rise();
        straight.with_bend((rise / per_bend).clamp(-MAX_BEND, MAX_BEND))
    }

    /// Beginning, middle and end of the skeleton.
    pub fn skeleton(&self) -> [Vec2<f64>; 3] {
        let up = vec2(-self.offset.y, self.offset.x);
        let length = self.length();
        let rise = if length > 0.0 { up * (self.rise() / length) } else { up };
        let end = self.anchor + self.offset;
        [self.anchor + rise, self.anchor + self.offset * 0.5, end + rise]
    }

    /// How far both ends of the skeleton lie to the side of the segment.
    fn rise(&self) -> f64 {
        let (length, half) = (self.length(), 0.5 * self.length());
        let reach = half + self.half_width;
        let kappa = self.bend * length / (length + self.half_width);
        kappa * reach * half * half / (reach * reach + half * half)
    }

    /// The same stroke, drawn from its end to its beginning.
    pub fn reversed(&self) -> Self {
        let anchor = self.anchor + self.offset;
        // (Minus zero is zero.)
        Self { anchor, offset: -self.offset, bend: 0.0 - self.bend, ..*self }
    }

    /// The same stroke, drawn from the end that makes it point as another does: a stroke and its
    /// reverse are the same deposit, and one that goes over into another should not turn around.
    pub(crate) fn turned_like(&self, other: &Self) -> Self {
        if self.offset.dot(other.offset) < 0.0 { self.reversed() } else { *self }
    }

    /// The stroke at a share of the way from this one to another.
    pub(crate) fn towards(&self, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        Self {
            anchor: self.anchor + (other.anchor - self.anchor) * share,
            offset: self.offset + (other.offset - self.offset) * share,
            half_width: mix(self.half_width, other.half_width),
            bend: mix(self.bend, other.bend),
        }
    }

    /// Length of the segment.
    pub fn length(&self) -> f64 {
        self.offset.norm()
    }

    /// Area of the deposit, Eq. (1): bending keeps it.
    pub fn area(&self) -> f64 {
        self.half_width * (2.0 * self.length() + PI * self.half_width)
    }

    /// The same with the half-width that makes it of another area, Eq. (1) solved for r.
    pub fn with_area(self, area: f64) -> Self {
        let length = self.length();
        Self { half_width: area / (length + (length * length + PI * area).sqrt()), ..self }
    }

    /// Length over half-width.
    pub fn aspect(&self) -> f64 {
        self.length() / self.half_width
    }
}

/// Derivatives of a loss with respect to a [`Shape`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShapeGrad {
    /// With respect to the anchor.
    pub anchor: Vec2<f64>,
    /// With respect to the offset.
    pub offset: Vec2<f64>,
    /// With respect to the half-width.
    pub half_width: f64,
    /// With respect to the bend; 0 where bends are not differentiated.
    pub bend: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stroke::Frame;

    /// The skeleton is where the frame says that the segment lies, and a shape through it is
    /// the same shape.
    #[test]
    fn a_shape_passes_through_its_skeleton() {
        for bend in [-2.0, -0.3, 0.0, 0.7, 2.0] {
            let shape = Shape::line(vec2(0.3, 0.4), vec2(0.12, -0.05), 0.02).with_bend(bend);
            let frame = Frame::of(&shape);
            let half = 0.5 * shape.length();
            let places = [-half, 0.0, half].map(|along| frame.out_of_straight(vec2(along, 0.0)));
            for (place, expected) in shape.skeleton().into_iter().zip(places) {
                assert!((place - expected).norm() < 1e-15, "{bend}");
            }
            let again = Shape::through(shape.skeleton(), shape.half_width);
            assert!((again.anchor - shape.anchor).norm() < 1e-15);
            assert!((again.offset - shape.offset).norm() < 1e-15);
            assert!((again.bend - bend).abs() < 1e-12);
        }
        let point = vec2(0.1, 0.2);
        assert_eq!(Shape::through([point; 3], 0.1), Shape::drop(point, 0.1));
        assert_eq!(Shape::drop(point, 0.1).with_bend(1.0).skeleton(), [point; 3]);
    }

    /// A reversed stroke is the same set of points.
    #[test]
    fn a_reversed_stroke_is_the_same_deposit() {
        let shape = Shape::line(vec2(0.3, 0.4), vec2(0.12, -0.05), 0.02).with_bend(0.8);
        let [a, b, c] = shape.skeleton();
        let back = shape.reversed();
        for (p, q) in back.skeleton().into_iter().zip([c, b, a]) {
            assert!((p - q).norm() < 1e-15);
        }
        assert_eq!(Shape::drop(a, 0.1).reversed().bend.to_bits(), 0);
    }

    #[test]
    fn a_shape_takes_the_area_that_it_is_given() {
        let shape = Shape::line(vec2(0.3, 0.4), vec2(0.12, -0.05), 0.02).with_bend(0.8);
        for share in [1e-6, 0.3, 1.0, 7.0] {
            let area = shape.area() * share;
            assert!((shape.with_area(area).area() / area - 1.0).abs() < 1e-14);
        }
    }
}
