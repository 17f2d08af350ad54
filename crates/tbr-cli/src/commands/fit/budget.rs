//! Budgets of a fit in words that people have: so many seconds, or as good as that.

use super::Args;
use tbr::score::{mse_of, psnr};
use tbr_io::Failure;
use tbr_io::fit::{Fewest, Preset};

/// The longest budget: a day.
const MOST_SECS: f64 = 86_400.0;
/// The best that may be asked for, decibels: far more than eight bits a colour can tell.
const MOST_DB: f64 = 100.0;

#[derive(clap::Args)]
pub struct BudgetArgs {
    /// The best in about so many seconds for each picture: as many gradient steps as there is
    /// time for
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true,
        conflicts_with_all = ["steps", "psnr", "error"])]
    seconds: Option<f64>,
    /// The fewest strokes, within 5 %, that come so near, in decibels, at the size of the fit and
    /// with hard edges. It takes several fits, the first with --strokes [default: 500], and begins
    /// anew when it was stopped
    #[arg(long, value_name = "DB", value_parser = decibels, allow_negative_numbers = true,
        conflicts_with_all = ["error", "from", "comb", "resume"])]
    psnr: Option<f64>,
    /// The same by the mean squared error, of colours from 0 to 1
    #[arg(long, value_name = "MSE", value_parser = error, allow_negative_numbers = true,
        conflicts_with_all = ["from", "comb", "resume"])]
    error: Option<f64>,
}

impl BudgetArgs {
    /// How many seconds there are, if somebody says.
    pub fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// What is good enough, if somebody says.
    pub fn bar(&self) -> Option<Bar> {
        self.psnr.map(Bar::Psnr).or(self.error.map(Bar::Error))
    }
}

/// Refuses budgets that do not fit the other options.
pub fn check(args: &Args) -> Result<(), Failure> {
    let budget = &args.budget;
    let given = [("--seconds", budget.seconds), ("--psnr", budget.psnr), ("--error", budget.error)];
    let given = given.into_iter().find(|(_, value)| value.is_some());
    let Some((option, _)) = given else { return Ok(()) };
    if args.preset == Preset::Paper {
        let message = format!("{option} is not for --preset paper, which has the paper's numbers");
        return Err(Failure::usage(message).hint("give --steps and --strokes"));
    }
    match args.strokes {
        Some(0) if budget.bar().is_some() => {
            Err(Failure::usage("a search cannot begin with 0 strokes"))
        }
        Some(strokes) if budget.bar().is_some() && strokes > Fewest::MOST_STROKES => {
            let most = Fewest::MOST_STROKES;
            let message = format!("{strokes} strokes to begin with (limit: {most})");
            Err(Failure::limit(message).hint(format!("{option} tries others by itself")))
        }
        _ => Ok(()),
    }
}

/// What is good enough.
#[derive(Clone, Copy, Debug)]
pub enum Bar {
    /// Peak signal-to-noise ratio, decibels.
    Psnr(f64),
    /// Mean squared error.
    Error(f64),
}

impl Bar {
    /// The mean squared error that is good enough.
    pub fn error(self) -> f64 {
        match self {
            Self::Psnr(decibels) => mse_of(decibels),
            Self::Error(error) => error,
        }
    }

    /// It, in words.
    pub fn words(self) -> String {
        match self {
            Self::Psnr(decibels) => format!("{decibels} dB"),
            Self::Error(error) => format!("a squared error of {error}"),
        }
    }

    /// How good a fit with an error is, in its words.
    pub fn of(self, error: f64) -> String {
        match self {
            Self::Psnr(_) => {
                psnr(error).map_or_else(|| "exact".to_owned(), |psnr| format!("{psnr:.2} dB"))
            }
            Self::Error(_) => format!("squared error {error:.3e}"),
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    above_0(text, MOST_SECS)
}

fn decibels(text: &str) -> Result<f64, String> {
    above_0(text, MOST_DB)
}

fn error(text: &str) -> Result<f64, String> {
    above_0(text, 1.0)
}

fn above_0(text: &str, most: f64) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v| *v > 0.0 && *v <= most);
    value.ok_or_else(|| format!("must be a number above 0 and at most {most}"))
}
