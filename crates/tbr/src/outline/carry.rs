//! Outlines mapped forward through steps, piece by piece.

use super::grid::ControlGrid;
use super::piece::{CurvePiece, Node, TOLERANCE};
use super::teeth::cut_for;
use crate::cells::{Motion, Prepared, PreparedStep};
use crate::numbers::Dual;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Forward, Frame, vectorized};
use crate::tool::{Move, lanewise};

/// How often a piece is halved at most for one stroke. Only what goes closely
/// around the end of a segment comes near it.
const DEPTH: usize = 40;

/// Where a piece is cut by a segment, its ends are put so far to their own side,
/// relative to the size of the coordinates: rounding must not push them across.
pub(super) const ASIDE: f64 = 1e-12;

/// Pieces near a segment are no larger than so many half-widths: else a thin
/// stroke could bend one between its nodes, and no node would feel it.
const LARGEST_NEAR: f64 = 6.0;

/// The most pieces of one outline, nine megabytes of them; those of fitted programs have some
/// hundreds. Near a long and thin stroke there are as many as it has widths, up to forty million:
/// two such strokes in a file of a few lines would take gigabytes.
pub(super) const MOST_PIECES: usize = 1 << 16;

/// An outline has more pieces than it may have.
pub(super) struct TooMany;

/// Carries pieces of outline through a program's steps.
pub(super) struct Carrier<'a, V: Lanes> {
    pub simd: V::Simd,
    pub forward: &'a dyn Forward<V>,
    pub steps: &'a [PreparedStep<f64>],
}

/// A map of points with their tangents.
enum Mover<'a, V: Lanes> {
    Stroke(&'a dyn Forward<V>, Frame<Dual<V>>),
    Tool(&'a Move<f64>),
    ControlGrid(Motion<V>),
}

impl<V: Lanes<Scalar = f64>> Mover<'_, V> {
    #[inline(always)]
    fn apply(&self, simd: V::Simd, x: Vec2<Dual<V>>) -> Vec2<Dual<V>> {
        match self {
            Self::Stroke(forward, frame) => forward.phi_along(simd, frame, x),
            Self::Tool(tool) => lanewise::phi_along(simd, tool, x),
            Self::ControlGrid(motion) => vectorized!(simd, motion.apply_along(simd, x)),
        }
    }
}

impl<'a, V: Lanes<Scalar = f64>> Carrier<'a, V> {
    /// Carries a run of pieces through all steps from number `from` on (counted
    /// from 0) and appends them to `out`; `waiting` others of the same outline come after
    /// them. A run that has grown past a vector's lanes is halved: short runs lie close
    /// together and are seldom near a stroke.
    pub fn carry(
        &self,
        mut pieces: Vec<CurvePiece>,
        from: usize,
        waiting: usize,
        out: &mut Vec<CurvePiece>,
    ) -> Result<(), TooMany> {
        let mut next = from;
        while pieces.len() <= LANES {
            let mut grid = ControlGrid::around(self.simd, &pieces);
            while let Some(far) = self.steps.get(next).filter(|s| self.is_far(&grid, s)) {
                grid.pass(self.forward, far);
                next += 1;
            }
            if let Some(motion) = grid.motion() {
                pieces = self.moved(&Mover::ControlGrid(motion), &pieces, &[])?;
            }
            let Some(near) = self.steps.get(next) else {
                out.extend(pieces);
                return Ok(());
            };
            pieces = match near {
                PreparedStep::Stroke(_, stroke) => self.pushed(stroke, &pieces)?,
                PreparedStep::Move(near) => {
                    let cut = cut_for(near.tool(), &pieces)?;
                    self.moved(&Mover::Tool(near.tool()), &cut, &[])?
                }
            };
            next += 1;
        }
        check_count(out.len() + waiting + pieces.len())?;
        let rest = pieces.split_off(pieces.len() / 2);
        self.carry(pieces, next, waiting + rest.len(), out)?;
        self.carry(rest, next, waiting, out)
    }

    /// Is a step so far away that moving the control points will do?
    fn is_far(&self, grid: &ControlGrid<V>, step: &PreparedStep<f64>) -> bool {
        match step {
            PreparedStep::Stroke(_, stroke) => !self.forward.moves() || grid.is_far_from(stroke),
            PreparedStep::Move(tool) => grid.is_far_from_tool(tool),
        }
    }

    /// The pieces after one more stroke. A piece that the stroke's segment cuts is
    /// joined by a line across the new deposit, which hides it.
    fn pushed(
        &self,
        stroke: &Prepared<f64>,
        pieces: &[CurvePiece],
    ) -> Result<Vec<CurvePiece>, TooMany> {
        let (cut, joins) = cut(pieces, stroke.frame())?;
        let simd = self.simd;
        let frame = vectorized!(
            simd,
            stroke.frame().map(
                #[inline(always)]
                |v| Dual::constant(V::splat(simd, v))
            )
        );
        self.moved(&Mover::Stroke(self.forward, frame), &cut, &joins)
    }

    /// The pieces moved, and halved where they bend; those at `joins` become lines
    /// from the piece before to the piece after.
    fn moved(
        &self,
        mover: &Mover<V>,
        before: &[CurvePiece],
        joins: &[usize],
    ) -> Result<Vec<CurvePiece>, TooMany> {
        let mut after = before.to_vec();
        self.apply(mover, &mut after);
        for &k in joins {
            after[k] = CurvePiece::line(after[k - 1].0[2].at, after[k + 1].0[0].at);
        }
        if after.iter().all(CurvePiece::is_fine) {
            return Ok(after);
        }
        let mut refined = Vec::with_capacity(2 * after.len());
        for (before, after) in before.iter().zip(&after) {
            self.refine(mover, before, after, DEPTH, &mut refined)?;
        }
        Ok(refined)
    }

    /// Appends a moved piece if it is fine, else its moved halves. (A join is: it is
    /// straight.)
    fn refine(
        &self,
        mover: &Mover<V>,
        before: &CurvePiece,
        after: &CurvePiece,
        depth: usize,
        out: &mut Vec<CurvePiece>,
    ) -> Result<(), TooMany> {
        if depth == 0 || after.is_fine() {
            out.push(*after);
            return check_count(out.len());
        }
        let halves = before.halves();
        let mut moved = halves;
        self.apply(mover, &mut moved);
        for (before, after) in halves.iter().zip(&moved) {
            self.refine(mover, before, after, depth - 1, out)?;
        }
        Ok(())
    }

    /// Moves the nodes of pieces, up to sixteen at a time.
    fn apply(&self, mover: &Mover<V>, pieces: &mut [CurvePiece]) {
        for run in pieces.chunks_mut(LANES) {
            for k in 0..3 {
                let mut values = [[0.0; LANES]; 4];
                for (lane, piece) in run.iter().enumerate() {
                    let Node { at, along } = piece.0[k];
                    for (row, v) in values.iter_mut().zip([at.x, along.x, at.y, along.y]) {
                        row[lane] = v;
                    }
                }
                let moved = self.apply_lanes(mover, &values);
                for (lane, piece) in run.iter_mut().enumerate() {
                    let [x, d_x, y, d_y] = moved.each_ref().map(|row| row[lane]);
                    piece.0[k] = Node { at: vec2(x, y), along: vec2(d_x, d_y) };
                }
            }
        }
    }

    /// Moves sixteen nodes, given as x, its derivative, y and its derivative.
    fn apply_lanes(&self, mover: &Mover<V>, values: &[[f64; LANES]; 4]) -> [[f64; LANES]; 4] {
        let simd = self.simd;
        vectorized!(simd, {
            let [x, d_x, y, d_y] = values;
            let x = Dual::new(V::load(simd, x), V::load(simd, d_x));
            let y = Dual::new(V::load(simd, y), V::load(simd, d_y));
            let moved = mover.apply(simd, vec2(x, y));
            [
                moved.x.value.to_array(),
                moved.x.derivative.to_array(),
                moved.y.value.to_array(),
                moved.y.derivative.to_array(),
            ]
        })
    }
}

/// Refuses an outline of too many pieces.
pub(super) fn check_count(pieces: usize) -> Result<(), TooMany> {
    if pieces > MOST_PIECES { Err(TooMany) } else { Ok(()) }
}

/// Pieces, and the places among them that wait for what will join their neighbours.
type CutPieces = (Vec<CurvePiece>, Vec<usize>);

/// Cuts pieces where they cross a stroke's segment. A place is kept between the
/// ends of each cut for what will join them; these places are given too.
fn cut(pieces: &[CurvePiece], frame: &Frame<f64>) -> Result<CutPieces, TooMany> {
    let (mut out, mut joins) = (Vec::with_capacity(pieces.len() + 4), Vec::new());
    for piece in pieces {
        cut_piece(piece, frame, &mut out, &mut joins)?;
    }
    Ok((out, joins))
}

fn cut_piece(
    piece: &CurvePiece,
    frame: &Frame<f64>,
    out: &mut Vec<CurvePiece>,
    joins: &mut Vec<usize>,
) -> Result<(), TooMany> {
    check_count(out.len())?;
    let seen = straightened(piece, frame);
    let radius = piece.radius().max(seen.radius());
    if distance(frame, piece.0[1].at) > radius || frame.half_width < TOLERANCE {
        out.push(*piece);
        return Ok(());
    }
    if radius > LARGEST_NEAR * frame.half_width || !seen.is_fine() && piece.is_fine() {
        return piece.halves().iter().try_for_each(|half| cut_piece(half, frame, out, joins));
    }
    let cuts = match frame.bow {
        Some(_) => seen.crossings(vec2(0.0, 0.0), vec2(1.0, 0.0), frame.length),
        None => piece.crossings(frame.mid, frame.dir, frame.length),
    };
    if cuts.is_empty() {
        out.push(*piece);
        return Ok(());
    }
    let stops: Vec<f64> = [0.0].into_iter().chain(cuts).chain([1.0]).collect();
    for (k, ends) in stops.windows(2).enumerate() {
        if k > 0 {
            joins.push(out.len());
            out.push(*piece);
        }
        out.push(aside(piece.part(ends[0], ends[1]), k > 0, k + 2 < stops.len(), frame));
    }
    Ok(())
}

/// A piece as it lies about the straightened skeleton of a stroke: where that bends, so does
/// the piece, and it is a cubic only nearly. As it is, about a straight one.
fn straightened(piece: &CurvePiece, frame: &Frame<f64>) -> CurvePiece {
    if frame.bow.is_none() {
        return *piece;
    }
    let frame = frame.map(Dual::constant);
    CurvePiece(piece.0.map(|Node { at, along }| {
        let p = frame.into_straight(vec2(Dual::new(at.x, along.x), Dual::new(at.y, along.y)));
        Node { at: vec2(p.x.value, p.y.value), along: vec2(p.x.derivative, p.y.derivative) }
    }))
}

/// A part of a cut piece, with those of its ends that are cuts put to its own side of
/// the segment.
fn aside(mut part: CurvePiece, start: bool, end: bool, frame: &Frame<f64>) -> CurvePiece {
    let side = frame.into_straight(part.0[1].at).y;
    for (k, is_cut) in [(0, start), (2, end)] {
        if is_cut {
            let at = &mut part.0[k].at;
            let little = ASIDE * (1.0 + at.x.abs() + at.y.abs());
            let there = vec2(frame.into_straight(*at).x, little.copysign(side));
            *at = frame.out_of_straight(there);
        }
    }
    part
}

/// Distance of a point from a stroke's segment, straightened.
fn distance(frame: &Frame<f64>, x: Vec2<f64>) -> f64 {
    let local = frame.into_straight(x);
    let past = (local.x.abs() - 0.5 * frame.length).max(0.0);
    (past * past + local.y * local.y).sqrt()
}
