//! Blocks of strokes taken out as long as the replay bears it.

use super::take_out;
use super::yardstick::Yardstick;
use crate::error::Result;
use crate::parallel::Stop;
use crate::program::{Program, Stroke};

/// Strokes that are tried together.
const BLOCK: usize = 8;
/// A round ends when so many blocks in a row have given nothing: later ones are missed more.
const FRUITLESS: usize = 6;

/// What may be lost.
pub(super) struct Allowance {
    /// The error that must not be exceeded, as the judge of blocks measures it.
    pub limit: f64,
    /// What a stroke may cost.
    pub price: f64,
    /// The error at the start.
    pub error: f64,
}

/// A program losing blocks of strokes, in an order.
pub(super) struct Thinning {
    allowance: Allowance,
    order: Vec<usize>,
    /// How many of `order` have been looked at.
    looked_at: usize,
    /// What is left to try of the block at hand, the last first.
    pending: Vec<Vec<usize>>,
    /// States before the block at hand, and blocks in a row that have given nothing.
    states_before: usize,
    fruitless: usize,
    /// The strokes that are left, by their index at the start.
    ids: Vec<usize>,
    pub states: States,
}

impl Thinning {
    /// Nothing is taken out yet. `order` says which strokes to try, by their indices.
    pub fn new(program: &Program, order: Vec<usize>, allowance: Allowance) -> Self {
        Self {
            allowance,
            order,
            looked_at: 0,
            pending: Vec::new(),
            states_before: 0,
            fruitless: 0,
            ids: (0..program.strokes().len()).collect(),
            states: States::new(program.clone()),
        }
    }

    /// The share of the order that has been looked at.
    pub fn share(&self) -> f64 {
        self.looked_at as f64 / self.order.len().max(1) as f64
    }

    /// Tries one block, or a part of one: it goes, it is halved, or it stays. Is there more to
    /// try?
    pub fn step(&mut self, judge: &Yardstick, stop: &Stop) -> Result<bool> {
        if self.pending.is_empty() && !self.next_block() {
            return Ok(false);
        }
        let Some(block) = self.pending.pop() else { return Ok(false) };
        let places: Vec<usize> =
            block.iter().filter_map(|id| self.ids.binary_search(id).ok()).collect();
        let program = take_out(self.states.latest(), &places)?;
        let error = judge.error(&program, stop)?;
        let Allowance { limit, price, error: before } = self.allowance;
        if error <= limit && error - before <= price * block.len() as f64 {
            self.allowance.error = error;
            self.ids.retain(|id| !block.contains(id));
            self.states.push(places, program);
        } else if block.len() > 1 {
            let (first, second) = block.split_at(block.len() / 2);
            self.pending.extend([second.to_vec(), first.to_vec()]);
        }
        Ok(true)
    }

    /// Goes on to the next block of the order, unless too many have given nothing.
    fn next_block(&mut self) -> bool {
        if self.looked_at > 0 {
            let gave = self.states.len() > self.states_before;
            self.fruitless = if gave { 0 } else { self.fruitless + 1 };
        }
        let rest = &self.order[self.looked_at..];
        if self.fruitless == FRUITLESS || rest.is_empty() {
            return false;
        }
        let block = rest[..BLOCK.min(rest.len())].to_vec();
        self.states_before = self.states.len();
        self.looked_at += block.len();
        self.pending.push(block);
        true
    }
}

/// Memory for programs on the way, bytes. With more, less is computed twice.
const STATES_BYTES: usize = 256 << 20;

/// The programs that a thinning has gone through. Some are kept; those between are made again
/// from what was taken out, for a program of many strokes goes through as many states as it has
/// blocks.
pub(super) struct States {
    /// Every `stride`-th program, from the first on.
    kept: Vec<Program>,
    stride: usize,
    /// The most programs to keep.
    most: usize,
    /// What was taken out of each state to make the next, by place.
    gone: Vec<Vec<usize>>,
    latest: Program,
}

impl States {
    fn new(program: Program) -> Self {
        let bytes = size_of::<Stroke>() * program.strokes().len().max(1);
        let most = (STATES_BYTES / bytes).max(2);
        Self { kept: vec![program.clone()], stride: 1, most, gone: Vec::new(), latest: program }
    }

    /// How many there are, the first included.
    pub fn len(&self) -> usize {
        self.gone.len() + 1
    }

    fn latest(&self) -> &Program {
        &self.latest
    }

    fn push(&mut self, gone: Vec<usize>, program: Program) {
        self.gone.push(gone);
        if self.gone.len().is_multiple_of(self.stride) {
            self.kept.push(program.clone());
        }
        if self.kept.len() > self.most {
            self.stride *= 2;
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.latest = program;
    }

    /// Program `index`, counted from 0.
    pub fn get(&self, index: usize) -> Result<Program> {
        let nearest = (index / self.stride).min(self.kept.len() - 1);
        let program = self.kept[nearest].clone();
        let between = &self.gone[nearest * self.stride..index];
        between.iter().try_fold(program, |program, gone| take_out(&program, gone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior;

    #[test]
    fn states_that_are_not_kept_are_made_again() {
        let start = prior::program(80, 1.0, 5).unwrap();
        let mut states = States { most: 3, ..States::new(start.clone()) };
        let mut all = vec![start];
        for k in 0..20 {
            let gone = vec![k % 3, 10 + k % 5];
            let next = take_out(&all[k], &gone).unwrap();
            states.push(gone, next.clone());
            all.push(next);
        }
        assert!(states.kept.len() <= 3, "{}", states.kept.len());
        assert_eq!(states.len(), 21);
        for (index, program) in all.iter().enumerate() {
            assert_eq!(&states.get(index).unwrap(), program, "{index}");
        }
        assert_eq!(states.latest(), &all[20]);
    }
}
