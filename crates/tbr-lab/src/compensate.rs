//! The paper's closed-form baseline (its Sec. 6.3): strokes that were fitted without transport,
//! each put where the later ones will carry it from to the place that it was meant for. One
//! pass, no gradients. It cannot repair how a deposit is deformed, and a point inside a later
//! deposit comes from nowhere: such strokes are *blocked*.

use tbr::stroke::Frame;
use tbr::{Operator, Program, Result, Vec2};

/// Which points of a stroke are put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// Its anchor; the offset stays.
    Anchor,
    /// Both ends, so that length and area change.
    Ends,
}

/// What is done with a point inside a later deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// It is put on that stroke's segment, as the map's extension does.
    Clamp,
    /// It stays where it is, as if the later stroke were not there.
    Skip,
}

/// A program that makes up for its own transport, as far as that goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Compensated {
    /// It, to be replayed with the operator that was asked for.
    pub program: Program,
    /// Which strokes were blocked.
    pub blocked: Vec<bool>,
    /// How far from its place each stroke's farther point ends, carried forward again.
    pub residuals: Vec<f64>,
}

/// Compensates for an operator, from the last stroke to the first, so that each is put back
/// through later strokes that are in their new places.
pub fn compensate(
    program: &Program,
    operator: Operator,
    points: Points,
    blocked: Blocked,
) -> Result<Compensated> {
    let mut parts = program.clone().into_parts();
    parts.operator = operator;
    let count = parts.strokes.len();
    // The strokes that are done, the last of the program first.
    let mut later: Vec<Frame<f64>> = Vec::with_capacity(count);
    let mut found = vec![(false, 0.0); count];
    for (stroke, (is_blocked, residual)) in parts.strokes.iter_mut().zip(&mut found).rev() {
        let shape = &mut stroke.shape;
        let mut put_back = |place: Vec2<f64>| {
            let mut at = place;
            for frame in &later {
                let (inside, before) = operator.step(frame, at);
                *is_blocked |= inside;
                if !inside || blocked == Blocked::Clamp {
                    at = before;
                }
            }
            let ahead = |at, frame| operator.phi(frame, at);
            let returned = later.iter().rev().fold(at, ahead);
            *residual = f64::max(*residual, (returned - place).norm());
            at
        };
        let anchor = put_back(shape.anchor);
        if points == Points::Ends {
            shape.offset = put_back(shape.anchor + shape.offset) - anchor;
        }
        shape.anchor = anchor;
        later.push(Frame::of(shape));
    }
    let (blocked, residuals) = found.into_iter().unzip();
    Ok(Compensated { program: Program::new(parts)?, blocked, residuals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::prior;
    use tbr::trace::Tracer;

    /// An unblocked stroke's ends are carried to where they were meant to be; a lone stroke
    /// stays; without transport nothing moves.
    #[test]
    fn what_is_not_blocked_comes_home() {
        let program = prior::program(200, 1.0, 3).unwrap();
        let made = compensate(&program, Operator::Capsule, Points::Ends, Blocked::Clamp).unwrap();
        let tracer = Tracer::new(&made.program, None);
        let mut free = 0;
        for (i, stroke) in program.strokes().iter().enumerate().filter(|(i, _)| !made.blocked[*i]) {
            let own = &made.program.strokes()[i].shape;
            let ends = |s: &tbr::stroke::Shape| [s.anchor, s.anchor + s.offset];
            for (meant, put) in ends(&stroke.shape).into_iter().zip(ends(own)) {
                let arrived = tracer.forward(i + 1, put).unwrap().position;
                assert!((arrived - meant).norm() < 1e-9, "stroke {i}: {arrived:?}, not {meant:?}");
            }
            assert!(made.residuals[i] < 1e-9);
            free += 1;
        }
        assert!((20..180).contains(&free), "{free} strokes are free");
        let last = program.strokes().len() - 1;
        assert_eq!(made.program.strokes()[last], program.strokes()[last]);
        let inert = compensate(&program, Operator::Inert, Points::Ends, Blocked::Skip).unwrap();
        for (a, b) in inert.program.strokes().iter().zip(program.strokes()) {
            assert!((a.shape.offset - b.shape.offset).norm() < 1e-12);
        }
    }

    /// Anchors alone: offsets and areas are as they were. Skipping leaves a point that is
    /// in a later deposit where it is.
    #[test]
    fn anchors_keep_areas_and_skipped_points_stay() {
        let program = prior::program(200, 1.0, 5).unwrap();
        let [clamped, skipped] = [Blocked::Clamp, Blocked::Skip]
            .map(|b| compensate(&program, Operator::Capsule, Points::Anchor, b).unwrap());
        for made in [&clamped, &skipped] {
            let areas = made.program.deposited_area() - program.deposited_area();
            assert!(areas.abs() < 1e-12);
        }
        let worst = |made: &Compensated| made.residuals.iter().copied().fold(0.0, f64::max);
        assert!(worst(&clamped) > 0.01, "blocked points are lost");
        assert_ne!(clamped.program, skipped.program);
    }
}
