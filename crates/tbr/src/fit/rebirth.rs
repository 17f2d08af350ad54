//! Rebirth: strokes that would hardly be missed are laid anew where the picture is most wrong.
//!
//! A stroke's removal closes the sheet over its place, and a new one pushes the sheet open: by
//! themselves, fifty of them would shift every edge by a pixel. So area is passed on: strokes
//! beside one that goes grow by what it owned, and strokes beneath a new one shrink by what it
//! covers.

use super::draft::Draft;
use super::peel::{self, Birth, PeelJob, PeelOptions};
use super::target::Target;
use crate::error::Result;
use crate::program::colour::squared_distance;
use std::collections::VecDeque;

/// A stroke shrinks or grows by so many times at most.
const MOST_CHANGE: f64 = 4.0;

/// The terms on which strokes are laid anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// How many at the most.
    pub most: usize,
    /// How many times as much a new one must gain as the one that goes for it would be missed.
    pub price: f64,
}

/// Lays strokes of a draft anew, on terms, by who owns what of the target. Gives the old
/// number of every stroke that is there now, none for the new ones, which come last.
pub(super) fn rebirth(
    draft: &mut Draft,
    target: &Target,
    owners: &[u32],
    (job, options): (&PeelJob, &PeelOptions),
    terms: Terms,
) -> Result<Vec<Option<usize>>> {
    let errors = errors(draft, target, owners);
    let mut births = peel::mend(target, job, options, &errors, terms.most)?;
    let estate = Estate::new(draft, target, owners);
    let leaving = estate.leaving(&births, terms.price);
    births.truncate(leaving.len());
    let mut leaves = vec![false; draft.shapes.len()];
    leaving.iter().for_each(|k| leaves[*k] = true);
    estate.pass_on_area(draft, target, &leaves, &births);
    let stays: Vec<usize> = (0..leaves.len()).filter(|k| !leaves[*k]).collect();
    // The first of them is to be laid last.
    let born = births.iter().rev();
    let shapes = stays.iter().map(|k| draft.shapes[*k]);
    draft.shapes = shapes.chain(born.clone().map(|birth| birth.shape)).collect();
    let colours = stays.iter().map(|k| draft.colouring.colours[*k]);
    draft.colouring.colours = colours.chain(born.map(|birth| birth.colour)).collect();
    Ok(stays.into_iter().map(Some).chain(births.iter().map(|_| None)).collect())
}

/// The weighted squared error of every pixel.
fn errors(draft: &Draft, target: &Target, owners: &[u32]) -> Vec<f32> {
    let mut errors = Vec::with_capacity(owners.len());
    for (owner, (colour, weight)) in owners.iter().zip(target.weighted()) {
        let error = squared_distance(colour, draft.colouring.of_owner(*owner));
        errors.push((weight * error) as f32);
    }
    errors
}

/// Who owns each pixel, and who would own it without that owner.
struct Estate<'a> {
    /// Strokes are numbered from 1; 0 is the bare canvas.
    owners: &'a [u32],
    /// The other owner that is nearest; none if there is only one.
    heirs: Vec<Option<u32>>,
    /// Owners that lie side by side, both ways round, sorted.
    neighbours: Vec<(u32, u32)>,
    /// How much more error there would be without each owner.
    missed: Vec<f64>,
}

impl<'a> Estate<'a> {
    fn new(draft: &Draft, target: &Target, owners: &'a [u32]) -> Self {
        let (heirs, neighbours) = heirs(owners, target.image().size());
        let mut missed = vec![0.0; draft.shapes.len() + 1];
        for (k, (colour, weight)) in target.weighted().enumerate() {
            // Under the only owner there is nothing but the bare canvas.
            let heir = heirs[k].unwrap_or(0);
            let error = |owner| squared_distance(colour, draft.colouring.of_owner(owner));
            missed[owners[k] as usize] += weight * (error(heir) - error(owners[k]));
        }
        Self { owners, heirs, neighbours, missed }
    }

    /// The strokes that leave for the first births, one for each, as long as that is worth it. No
    /// two of them are neighbours: each would be missed more without the other.
    fn leaving(&self, births: &[Birth], price: f64) -> Vec<usize> {
        let missed = |stroke: usize| self.missed[stroke + 1];
        let mut order: Vec<usize> = (0..self.missed.len() - 1).collect();
        order.sort_by(|a, b| missed(*a).total_cmp(&missed(*b)).then(a.cmp(b)));
        let mut stays = vec![false; self.missed.len()];
        let mut leaving = Vec::new();
        for stroke in order {
            let Some(birth) = births.get(leaving.len()) else { break };
            if birth.gain <= price * missed(stroke) {
                break;
            }
            let owner = stroke as u32 + 1;
            if !stays[owner as usize] {
                leaving.push(stroke);
                let first = self.neighbours.partition_point(|(own, _)| *own < owner);
                let about = self.neighbours[first..].iter().take_while(|(own, _)| *own == owner);
                about.for_each(|(_, other)| stays[*other as usize] = true);
            }
        }
        leaving
    }

    /// Strokes take over what those that leave owned, and give what births cover.
    fn pass_on_area(&self, draft: &mut Draft, target: &Target, leaves: &[bool], births: &[Birth]) {
        let pixel = target.view().pixel();
        let pixel = pixel.x * pixel.y;
        let has_left = |owner: u32| owner > 0 && leaves[owner as usize - 1];
        let mut change = vec![0.0; self.missed.len()];
        for (owner, heir) in self.owners.iter().zip(&self.heirs) {
            if let (true, Some(heir)) = (has_left(*owner), heir) {
                change[*heir as usize] += pixel;
            }
        }
        for k in births.iter().flat_map(|birth| &birth.pixels) {
            let (owner, heir) = (self.owners[*k as usize], self.heirs[*k as usize]);
            let beneath = if has_left(owner) { heir } else { Some(owner) };
            if let Some(beneath) = beneath {
                change[beneath as usize] -= pixel;
            }
        }
        for (shape, change) in draft.shapes.iter_mut().zip(&change[1..]) {
            if *change != 0.0 {
                let area = shape.area();
                let least = area / MOST_CHANGE;
                *shape = shape.with_area((area + change).clamp(least, area * MOST_CHANGE));
            }
        }
    }
}

/// For every pixel, the other owner that is nearest, counted in steps from pixel to pixel; and
/// who lies beside whom.
fn heirs(owners: &[u32], size_px: (u32, u32)) -> (Vec<Option<u32>>, Vec<(u32, u32)>) {
    let (mut heirs, mut neighbours) = (vec![None; owners.len()], Vec::new());
    let mut queue = VecDeque::new();
    for k in 0..owners.len() {
        if let Some(other) = about(k, size_px).find(|other| owners[*other] != owners[k]) {
            heirs[k] = Some(owners[other]);
            neighbours.push((owners[k], owners[other]));
            queue.push_back(k);
        }
    }
    while let Some(k) = queue.pop_front() {
        for other in about(k, size_px) {
            if heirs[other].is_none() {
                heirs[other] = heirs[k];
                queue.push_back(other);
            }
        }
    }
    neighbours.sort_unstable();
    neighbours.dedup();
    (heirs, neighbours)
}

/// The pixels beside, above and below one.
fn about(k: usize, (width, height): (u32, u32)) -> impl Iterator<Item = usize> {
    let (width, height) = (width as usize, height as usize);
    let (i, j) = (k % width, k / width);
    let beside = [(i > 0).then(|| k - 1), (i + 1 < width).then_some(k + 1)];
    let lines = [(j > 0).then(|| k - width), (j + 1 < height).then_some(k + width)];
    beside.into_iter().chain(lines).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three owners in a row: the middle one's pixels fall to whom they are nearer to.
    #[test]
    fn pixels_fall_to_the_nearest_other_owner() {
        let owners = [1, 1, 2, 2, 2, 2, 3];
        let (heirs, neighbours) = heirs(&owners, (7, 1));
        assert_eq!(heirs, [2, 2, 1, 1, 3, 3, 2].map(Some));
        assert_eq!(neighbours, [(1, 2), (2, 1), (2, 3), (3, 2)]);
    }

    #[test]
    fn a_single_owner_has_no_heir() {
        let (heirs, neighbours) = heirs(&[4; 6], (3, 2));
        assert_eq!(heirs, [None; 6]);
        assert!(neighbours.is_empty());
    }
}
