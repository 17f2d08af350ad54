//! `tbr calibrate`: fits and prints the coefficients of the calibrated operator.

use crate::calibrate::{CalibrationOptions, FittedKnot, calibrate, table_source};
use std::io::Write;
use std::path::PathBuf;
use tbr_io::Failure;
use tbr_io::files::{self, Output};
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};

/// Where the coefficients go.
#[derive(clap::Args)]
pub struct Args {
    /// Write the table as the Rust source that is frozen in the library
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Replace the table if it is there already
    #[arg(long)]
    force: bool,
    /// The fits, as JSON
    #[arg(long)]
    json: bool,
}

/// Fits the coefficients of the calibrated operator and prints them.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.table.as_deref().map_or(Ok(()), |path| files::check_new(path, args.force))?;
    let progress = Progress::turning("fitting the coefficients");
    let fits = calibrate(&CalibrationOptions::default());
    drop(progress);
    if let Some(path) = &args.table {
        let mut output = Output::create_new(path, args.force)?;
        let written = output.write_all(table_source(&fits).as_bytes());
        written.map_err(|e| output.failure(e))?;
        output.finish()?;
    }
    if args.json { files::print_json(&fits) } else { files::print(&text(&fits)) }
}

/// The coefficients as a table.
fn text(fits: &[FittedKnot]) -> String {
    let mut rows = vec![cells([
        &"l/r",
        &"c1",
        &"c2",
        &"c3",
        &"rms fitted",
        &"rms held out",
        &"largest held out",
        &"least g",
    ])];
    for fit in fits {
        let [c1, c2, c3] = fit.value.map(|c| format!("{c:.6}"));
        rows.push(cells([
            &fit.aspect,
            &c1,
            &c2,
            &c3,
            &format!("{:.4} r", fit.fitted.rms),
            &format!("{:.4} r", fit.held_out.rms),
            &format!("{:.4} r", fit.held_out.largest),
            &format!("{:.3}", fit.least_gain),
        ]));
    }
    format!(
        "Coefficients of the calibrated operator, fitted to the forward line source. Files of\n\
         version 1 replay with the table that is frozen in the library.\n\n{}",
        aligned(&rows)
    )
}
