//! Tracing of points, back and forward through the steps of a program.

use crate::chain::{Chain, Owner};
use crate::error::{Error, Result};
use crate::numbers::{Vec2, vec2};
use crate::program::Program;
use crate::stroke::Operator;

/// The result of tracing a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// Where it was asked for.
    pub at: Vec2<f64>,
    /// Where it came from: its place in the owning deposit when that was laid,
    /// or, if it is bare canvas or was carried `through`, at the very start. A
    /// point carried forward: where it ends.
    pub position: Vec2<f64>,
    /// The number, from 1 among all steps, of the stroke whose paint it is.
    pub stroke: Option<usize>,
    /// Its place in that deposit, along and across the stroke from its midpoint,
    /// in half-widths. If the stroke bends, this is about its straightened skeleton:
    /// across is 0 all along the curve.
    pub place: Option<Vec2<f64>>,
}

/// A program whose points are followed, in float64.
pub struct Tracer {
    chain: Chain,
    /// The number of each stroke among all steps.
    numbers: Vec<usize>,
}

impl Tracer {
    /// Prepares a program, under its own operator or another.
    pub fn new(program: &Program, operator: Option<Operator>) -> Self {
        let strokes = 0..program.strokes().len();
        Self {
            chain: Chain::of(program, operator),
            numbers: strokes.map(|i| program.step_number(i)).collect(),
        }
    }

    /// Follows a point of the finished picture back to the deposit it lies in.
    pub fn back(&self, at: Vec2<f64>) -> Trace {
        self.owned(at, self.chain.owner(at))
    }

    fn owned(&self, at: Vec2<f64>, (owner, position): Owner) -> Trace {
        let stroke = owner.map(|(index, _)| self.numbers[index]);
        let place =
            owner.map(|(_, frame)| frame.into_straight(position) * (1.0 / frame.half_width));
        Trace { at, position, stroke, place }
    }

    /// Follows a point back to the start, through every deposit by the map's
    /// extension; the owner is still the first deposit it met.
    pub fn through(&self, at: Vec2<f64>) -> Trace {
        Trace { position: self.chain.back(at), ..self.back(at) }
    }

    /// Carries a point of the picture after the first `count` steps forward
    /// to the end; the owner is the stroke whose paint it is there and then.
    pub fn forward(&self, count: usize, at: Vec2<f64>) -> Result<Trace> {
        let position = self.chain.forward(count, at)?;
        Ok(Trace { position, ..self.owned(at, self.chain.owner_after(count, at)?) })
    }
}

/// Reads points, one a line, two numbers each, separated by spaces or a comma;
/// empty lines and what follows a `#` are passed over.
pub fn parse_points(text: &str) -> Result<Vec<Vec2<f64>>> {
    let mut points = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            points.push(
                parse_point(line).map_err(|e| Error::Request(format!("line {}: {e}", i + 1)))?,
            );
        }
    }
    Ok(points)
}

/// Reads `x,y` or `x y`.
pub fn parse_point(text: &str) -> Result<Vec2<f64>> {
    let numbers: Vec<f64> = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok().filter(|v: &f64| v.abs() <= 1e6))
        .collect::<Option<_>>()
        .unwrap_or_default();
    match numbers[..] {
        [x, y] => Ok(vec2(x, y)),
        _ => Err(Error::Request(format!("\"{text}\" is not a point: two numbers, as in 0.3,0.4"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior;

    #[test]
    fn forward_undoes_through_where_the_canvas_is_bare() {
        let program = prior::program(40, 1.0, 2).unwrap();
        for operator in [Operator::Capsule, Operator::Calibrated, Operator::Inert] {
            let tracer = Tracer::new(&program, Some(operator));
            let mut bare = 0;
            for k in 0..400 {
                let at = vec2(f64::from(k % 20) / 10.0 - 0.5, f64::from(k / 20) / 10.0 - 0.5);
                let trace = tracer.through(at);
                if trace.stroke.is_none() {
                    bare += 1;
                    let again = tracer.forward(0, trace.position).unwrap().position;
                    assert!((again - at).norm() < 1e-9, "{operator}: {at:?} {again:?}");
                }
            }
            assert!(bare > 20, "{bare} bare points");
        }
    }

    #[test]
    fn a_point_of_a_deposit_comes_back_to_its_stroke() {
        let program = prior::program(60, 1.0, 3).unwrap();
        let tracer = Tracer::new(&program, None);
        for number in [1, 17, 60] {
            let shape = program.strokes()[number - 1].shape;
            let inside = shape.anchor + shape.offset * 0.3 + vec2(0.2, 0.1) * shape.half_width;
            let ahead = tracer.forward(number, inside).unwrap();
            assert_eq!(ahead.stroke, Some(number));
            let back = tracer.back(ahead.position);
            assert_eq!(back.stroke, Some(number));
            assert!((back.position - inside).norm() < 1e-9);
            assert!(back.place.unwrap().norm() <= 1.0 + 0.5 * shape.aspect());
        }
        assert!(tracer.forward(61, vec2(0.0, 0.0)).is_err());
    }

    /// A point of a bent skeleton is not beside it, and lies where it would on the segment.
    #[test]
    fn places_are_about_the_straightened_skeleton() {
        let program = prior::bent_program(30, 1.0, 3).unwrap();
        let tracer = Tracer::new(&program, None);
        for (i, shape) in program.strokes().iter().map(|s| s.shape).enumerate() {
            let half = 0.5 * shape.aspect();
            for (point, along) in shape.skeleton().into_iter().zip([-half, 0.0, half]) {
                let place = tracer.forward(i + 1, point).unwrap().place.unwrap();
                assert!((place - vec2(along, 0.0)).norm() < 1e-9, "{place:?} {along}");
            }
        }
    }

    #[test]
    fn points_are_read_or_named() {
        let points = parse_points("0.1, 0.2\n\n# all\n0.3 0.4 # one\n").unwrap();
        assert_eq!(points, [vec2(0.1, 0.2), vec2(0.3, 0.4)]);
        assert!(parse_points("0.1 0.2\n0.3").unwrap_err().to_string().starts_with("line 2"));
        assert!(parse_point("nan,1").is_err());
    }
}
