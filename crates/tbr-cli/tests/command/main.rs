//! The command, run as a person would run it: a module for each verb or two.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod animate;
mod bench_pictures;
mod bends;
mod cli;
mod combs;
mod common;
mod edit;
mod export;
mod files;
mod fit;
mod fit_budgets;
mod fit_files;
mod fit_many;
mod follow;
mod gradient;
mod kills;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod power_cut;
#[cfg(target_os = "linux")]
mod progress;
mod report;
mod reproduce;
mod sample;
mod score;
mod stops;
mod studio;
mod studio_connections;
mod studio_door;
#[cfg(unix)]
mod studio_end;
mod studio_safety;
mod studio_work;
mod svg;
mod tools;
