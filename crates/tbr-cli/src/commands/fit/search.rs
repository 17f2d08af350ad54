//! `tbr fit --psnr` and `--error`: the fewest strokes that come so near.

use super::budget::Bar;
use super::job::PictureJob;
use super::outcome::{Outcome, Status};
use super::run::Run;
use std::time::Instant;
use tbr::Program;
use tbr::fit::{Fit, Target};
use tbr_io::fit::{Belongs, Fewest, Next, Progress, options_of};
use tbr_io::{Failure, files, interrupt, tell};

/// Fits of one picture with more and fewer strokes, until the fewest are known that reach the bar.
/// Nothing is written before that.
pub fn run(
    job: &PictureJob,
    target: &Target,
    bar: Bar,
    started: Instant,
) -> Result<Outcome, Failure> {
    if !job.args.force {
        if let Some((program, found)) = found_before(job, target, bar) {
            let place = job.outputs.program.display();
            tell!("{place}: done already, {found} (--force searches again)");
            return Ok(Outcome::of(Status::DoneBefore, &program, target));
        }
        job.outputs.check_new()?;
    }
    let pixels = target.image().pixels().len();
    let fewest = Fewest::of_picture(bar.error(), job.args.strokes, pixels);
    let mut search = Search { job, target, bar, fewest };
    let mut enough = None;
    while let Next::Try(strokes) = search.fewest.next() {
        let (run, fit) = search.try_out(strokes, started)?;
        if search.fewest.enough() == Some(strokes) {
            enough = Some((run, fit));
        }
    }
    match enough {
        Some((run, fit)) => {
            search.tell_found(run.options.strokes);
            run.conclude(&fit, false, Progress::new(job.args.progress))
        }
        None => Err(search.out_of_reach()),
    }
}

/// A program of the same fit but for its number of strokes that reaches the bar, and how, in words.
fn found_before(job: &PictureJob, target: &Target, bar: Bar) -> Option<(Program, String)> {
    let outputs = &job.outputs;
    if outputs.checkpoint.exists() || !outputs.replay.exists() {
        return None;
    }
    let program = files::read_program(&outputs.program).ok()?;
    let options = job.suited(target, options_of(&program)?.strokes);
    let is_own = job.record(target, &options).owns(&program) == Belongs::Finished;
    let error = target.floor() / program.provenance().number("floor_ratio")?;
    let reaches = is_own && error <= bar.error();
    let found = format!("{}: {}", strokes(options.strokes), bar.of(error));
    reaches.then_some((program, found))
}

/// A search for the fewest strokes of a picture.
struct Search<'a> {
    job: &'a PictureJob<'a>,
    target: &'a Target,
    bar: Bar,
    fewest: Fewest,
}

impl<'a> Search<'a> {
    /// A fit with so many strokes, without checkpoints; says how good it is.
    fn try_out(&mut self, count: usize, started: Instant) -> Result<(Run<'a>, Fit), Failure> {
        let begun = Instant::now();
        let options = self.job.suited(self.target, count);
        let mut run = Run::new(self.job, self.target, options, started);
        (run.replace, run.checkpoints) = (self.job.args.force, false);
        let progress = Progress::new(self.job.args.progress);
        let mut fit = self.job.begin(self.target, &run.options, None)?;
        run.steps(&mut fit, &progress, Fit::is_done)?;
        drop(progress);
        if interrupt::requested() {
            return Err(self.stopped());
        }
        let error = fit.error().unwrap_or(f64::INFINITY);
        let seconds = begun.elapsed().as_secs_f64();
        tell!("{}: {}, {seconds:.0} s", strokes(count), self.bar.of(error));
        self.fewest.tried(count, error);
        self.check_palette(&fit)?;
        Ok((run, fit))
    }

    /// Refuses a bar that the colours cannot reach, however many strokes have them.
    fn check_palette(&self, fit: &Fit) -> Result<(), Failure> {
        let allowed = fit.ceiling().map_or(0.0, |ceiling| self.target.floor() / ceiling);
        if allowed <= self.bar.error() || self.fewest.enough().is_some() {
            return Ok(());
        }
        let (bar, allowed) = (self.bar.words(), self.bar.of(allowed));
        let message = format!("no number of strokes reaches {bar}: the palette allows {allowed}");
        Err(Failure::usage(message).hint("give more colours with --palette, or ask for less"))
    }

    fn tell_found(&self, enough: usize) {
        let bar = self.bar.words();
        let not = self.fewest.too_few().map_or(String::new(), |few| format!(", {few} do not"));
        let reach = if enough == 1 { "reaches" } else { "reach" };
        tell!("{} {reach} {bar}{not}; --strokes {enough} makes the same program", strokes(enough));
    }

    /// What to say when the person has pressed Ctrl-C.
    fn stopped(&self) -> Failure {
        let more = match (self.fewest.enough(), self.fewest.next()) {
            (Some(enough), _) => format!("; --strokes {enough} is enough, perhaps more than that"),
            (None, Next::Try(next)) if self.fewest.too_few().is_some() => {
                format!("; with --strokes {next} it begins from there")
            }
            _ => String::new(),
        };
        Failure::interrupted("stopped; nothing is written")
            .hint(format!("the same command searches anew{more}"))
    }

    fn out_of_reach(&self) -> Failure {
        let most = self.fewest.too_few().unwrap_or(0);
        let best = self.bar.of(self.fewest.least_error());
        let (most, bar) = (strokes(most), self.bar.words());
        let message =
            format!("{bar} is out of reach: up to {most}, the most tried, come to {best}");
        Failure::limit(message).hint("ask for less, or give a larger --size or --preset best")
    }
}

/// So many strokes, in words.
fn strokes(count: usize) -> String {
    if count == 1 { "1 stroke".to_owned() } else { format!("{count} strokes") }
}
