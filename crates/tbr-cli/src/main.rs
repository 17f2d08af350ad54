//! The command `tbr`: arguments, messages and exit codes. What it does lies in the library of
//! the same name and in the crates beside it.

mod commands;
mod threads;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tbr_io::{Failure, FailureKind, interrupt};
use tbr_lab::{bench, reproduce, verbs};

/// Programs of deposition strokes, as in paper marbling: make them from a picture,
/// replay them at any size, change, animate and export them, look inside, check the mathematics.
#[derive(Parser)]
#[command(name = "tbr", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Threads to use; all cores by default. The result is the same.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    /// See, fit, change and play programs in the browser
    Studio(commands::studio::Args),
    /// Turn a picture into a program
    Fit(Box<commands::fit::Args>),
    /// Turn a film into a reel: one program that flows from frame to frame
    Follow(Box<commands::follow::Args>),
    /// Replay a program as a picture: PNG, JPEG or WebP at any size, or SVG
    Render(commands::render::Args),
    /// Change a program: strokes, colours, canvas; the paint flows anew
    Edit(commands::edit::Args),
    /// Fewer strokes for the same picture
    Prune(commands::prune::Args),
    /// A film of a program being laid down: GIF, PNG, WebP, MP4 or frames
    Animate(commands::animate::Args),
    /// List a program's strokes for whoever lays them: CSV or JSON, in millimetres
    Export(commands::export::Args),
    /// Turn a list of strokes, from tbr export or a spreadsheet, into a program
    Import(commands::import::Args),
    /// What a program holds: sizes, colours, paint, and which strokes are seen
    Info(commands::info::Args),
    /// Follow points back (or forward) through a program
    Trace(commands::trace::Args),
    /// Compare a program with a picture: the loss and its gradient
    Gradient(verbs::gradient::Args),
    /// Compare a program, or any picture, with a target: errors, similarity, features
    Score(commands::score::Args),
    /// Explain a program on one page, to open in a browser
    Report(commands::report::Args),
    /// Verify the operators: the paper's tables with our figures beside them
    Check(verbs::check::Args),
    /// Run the paper's experiments, our figures beside the paper's
    Reproduce(reproduce::Args),
    /// Fit the coefficients of the calibrated operator
    Calibrate(verbs::calibrate::Args),
    /// Show a combed sheet as it was before its combs, and say what they were
    Uncomb(commands::uncomb::Args),
    /// Draw a marbled sheet of a traditional pattern, to fit or to look at
    Sample(commands::sample::Args),
    /// Measure speed on this machine
    Bench(bench::Args),
    /// Print a completion script for a shell
    Completions(commands::completions::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.kind() == FailureKind::Unread => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(code(failure.kind()))
        }
    }
}

/// The exit code. 0 is success, 1 a bug (a panic gives 101); Ctrl-C, termination and a closed
/// terminal give what shells give for them: 130, 143 and 129.
fn code(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Usage => 2,
        FailureKind::File => 3,
        FailureKind::Program => 4,
        FailureKind::Limit => 5,
        FailureKind::Partial => 6,
        FailureKind::Interrupted => interrupt::exit_code(),
        FailureKind::Unread => 0,
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    tbr::check_machine().map_err(|e| Failure::from(e).hint("build it on this machine"))?;
    interrupt::bear_file_limits()?;
    // (The studio asks first, and cleans up by itself.)
    if !matches!(cli.command, Command::Studio(_)) {
        interrupt::watch()?;
    }
    threads::start(cli.threads)?;
    match cli.command {
        Command::Studio(args) => commands::studio::run(&args),
        Command::Fit(args) => commands::fit::run(&args),
        Command::Follow(args) => commands::follow::run(&args),
        Command::Render(args) => commands::render::run(&args),
        Command::Edit(args) => commands::edit::run(&args),
        Command::Prune(args) => commands::prune::run(&args),
        Command::Animate(args) => commands::animate::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Trace(args) => commands::trace::run(&args),
        Command::Gradient(args) => verbs::gradient::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Check(args) => verbs::check::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Calibrate(args) => verbs::calibrate::run(&args),
        Command::Uncomb(args) => commands::uncomb::run(&args),
        Command::Sample(args) => commands::sample::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    }
}
