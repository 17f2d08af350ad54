//! Laws that hold for every stroke and every program, tried on random ones with
//! a bias to the hard cases.

mod edits;
mod maps;
mod programs;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases on every machine, and no files beside the tests.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

/// Numbers between powers of ten, even in the exponent.
fn decades(low: f64, high: f64) -> impl Strategy<Value = f64> + Clone {
    (low..=high).prop_map(|e| libm::pow(10.0, e))
}
