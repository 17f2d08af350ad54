//! `tbr check`: the paper's verification tables.

use crate::check::{self, CalibratedCheck, DetjRow, FoliationRow, VjpRow, tables};
use serde::Serialize;
use tbr_io::progress::Progress;
use tbr_io::{Failure, files};

/// How the figures are printed.
#[derive(clap::Args)]
pub struct Args {
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is checked.
#[derive(Serialize)]
struct CheckReport {
    detj: Vec<DetjRow>,
    vjp: Vec<VjpRow>,
    foliation: Vec<FoliationRow>,
    calibrated: CalibratedCheck,
}

/// Verifies the operators and prints the paper's tables with our figures beside them.
pub fn run(args: &Args) -> Result<(), Failure> {
    let progress = Progress::turning("checking");
    let report = CheckReport {
        detj: check::detj()?,
        vjp: check::vjp(),
        foliation: check::foliation(),
        calibrated: check::calibrated(),
    };
    drop(progress);
    if args.json {
        return files::print_json(&report);
    }
    let sections = [
        tables::detj(&report.detj),
        tables::vjp(&report.vjp),
        tables::foliation(&report.foliation),
        tables::calibrated(&report.calibrated),
    ];
    files::print(&sections.map(|table| table.text()).join("\n"))
}
