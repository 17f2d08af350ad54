//! The command, run as a person would run it: a module for each verb or two.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod animate;
mod cli;
mod common;
mod edit;
mod export;
mod fit;
mod gradient;
#[cfg(target_os = "linux")]
mod memory;
mod report;
mod reproduce;
mod sample;
mod score;
mod studio;
mod studio_safety;
mod studio_work;
mod svg;
