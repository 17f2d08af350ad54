//! `tbr fit --seconds`: as many gradient steps as there is time for.

use super::outcome::Outcome;
use super::run::Run;
use std::time::Duration;
use tbr::Stop;
use tbr::fit::{Fit, Options, State};
use tbr_io::fit::Progress;
use tbr_io::fit::budget::{MOST_TIMES, steps_until};
use tbr_io::{Failure, interrupt, tell};

/// The whole fit, or the rest of it, in about so many seconds since it was started. One that has
/// done gradient steps goes on with as many as were chosen then, whatever they take; for others
/// they are chosen now, as shares of the stages that `fresh` options have.
pub fn finish(
    mut run: Run,
    fresh: Options,
    state: Option<State>,
    seconds: f64,
) -> Result<Outcome, Failure> {
    let progress = Progress::new(run.job.args.progress);
    let is_chosen = state.as_ref().is_some_and(State::has_descended);
    if !is_chosen {
        run.options = fresh;
    }
    let mut fit = run.job.begin(run.target, &run.options, state)?;
    if is_chosen {
        let steps = run.options.steps();
        let same = format!("--steps {steps} makes the same program");
        progress.aside(|| tell!("{steps} steps, as chosen before; {same}"));
    } else {
        run.steps(&mut fit, &progress, |fit| fit.state().has_started())?;
        fit = choose(&mut run, fit, &progress, seconds)?;
    }
    let kept = run.steps(&mut fit, &progress, Fit::is_done)?;
    run.conclude(&fit, kept, progress)
}

/// Chooses the number of gradient steps for a fit that has done none, and tells of it. The fit
/// stays as it is if somebody asks to stop.
fn choose(run: &mut Run, fit: Fit, progress: &Progress, seconds: f64) -> Result<Fit, Failure> {
    let most = MOST_TIMES * run.options.steps();
    progress.say("trying steps");
    let end = run.started + Duration::from_secs_f64(seconds);
    let stop = Stop::when(interrupt::requested);
    let steps = match steps_until(end, &fit, &run.options, &stop) {
        Err(tbr::Error::Stopped) => return Ok(fit),
        steps => steps?,
    };
    let same = format!("--steps {steps} makes the same program");
    let spent = run.started.elapsed().as_secs_f64();
    progress.aside(|| match steps {
        0 => tell!("no time is left for gradient steps after {spent:.1} s; {same}"),
        _ if steps == most => tell!("{steps} steps, the most for this preset; {same}"),
        _ => tell!("{steps} steps in the time that is left; {same}"),
    });
    run.options.share_out(steps);
    run.job.begin(run.target, &run.options, Some(fit.state().clone()))
}
