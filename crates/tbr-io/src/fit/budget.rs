//! A fit's budget of time: how many gradient steps fill what is left of it.

use std::time::Instant;
use tbr::Stop;
use tbr::fit::{Fit, Options, Stage, State};

/// Steps that are tried to learn what one takes. Two were within a few per cent of the mean of
/// thirty, with 300 to 2000 strokes; more would be missing in the fit.
const TRIED: usize = 2;
/// How many times as long as a hard render, by which a program is judged, its replay takes that is
/// written in the end, with nine samples a pixel: measured with 300 and 2000 strokes.
const WRITING: f64 = 5.0;
/// The most gradient steps, as a multiple of the options'. Tiny pictures would get millions of
/// them, for next to nothing: of the tulip in `samples`, at 128 pixels with 200 strokes, five times
/// the steps of the preset `default` take 8 % off the error, twenty times 11 %, and forty 14 %,
/// with half as much paint again.
pub const MOST_TIMES: usize = 20;
/// The most steps a stage that are taken over from a file: far more than anybody has time for, and
/// so few that no sum of them overflows.
const MOST_STEPS: usize = 1 << 28;

/// The most gradient steps with which a fit is over when a time has come, its files written; at
/// most [`MOST_TIMES`] as many as the options have. The fit has its first program and no more;
/// steps are tried on a copy of its state. [`tbr::Error::Stopped`] if that is wanted meanwhile.
pub fn steps_until(end: Instant, fit: &Fit, options: &Options, stop: &Stop) -> tbr::Result<usize> {
    let too_late = {
        let stop = stop.clone();
        Stop::when(move || stop.is_wanted() || Instant::now() >= end)
    };
    match StepCost::measure(end, fit, options, &too_late) {
        Ok(cost) => Ok(cost.steps_within(options, secs_until(end))),
        Err(tbr::Error::Stopped) if !stop.is_wanted() => Ok(0),
        Err(error) => Err(error),
    }
}

/// Options with as many steps in each stage as others have: equal to them if they differ in
/// nothing else.
pub fn with_steps_of(options: &Options, other: &Options) -> Options {
    let mut options = options.clone();
    for (stage, other) in options.stages.iter_mut().zip(&other.stages) {
        stage.steps = other.steps.min(MOST_STEPS);
    }
    options
}

/// What a fit takes after its first program, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StepCost {
    /// A gradient step of the first stage.
    step: f64,
    /// A hard render, by which the program is judged.
    judge: f64,
    /// Strokes being born again, after such a render.
    rebirth: f64,
}

impl StepCost {
    /// Measures it on copies of a fit's state. Rebirth is tried only if it would come by `end`: it
    /// can take as long as many steps.
    fn measure(end: Instant, fit: &Fit, options: &Options, stop: &Stop) -> tbr::Result<Self> {
        let Some(first) = options.stages.first() else {
            return Ok(Self { step: 0.0, judge: 0.0, rebirth: 0.0 });
        };
        let with = |stage: Stage, judge_every: usize, state: State| {
            let trial = Options { stages: vec![stage], judge_every, ..options.clone() };
            Fit::resume(fit.target().clone(), trial, state).map(|fit| fit.with_stop(stop.clone()))
        };
        let short = Stage { steps: TRIED + 1, reborn: 0.0, ..*first };
        let mut trial = with(short, usize::MAX, fit.state().clone())?;
        let step = secs_of(TRIED, &mut trial)?;
        // The last step is judged.
        let judge = (secs_of(1, &mut trial)? - step).max(0.0);
        let cost = Self { step, judge, rebirth: 0.0 };
        let judged = cost.steps_within(options, secs_until(end)) >= options.judge_every;
        if first.reborn == 0.0 || !judged {
            return Ok(cost);
        }
        let long = Stage { steps: 10 * short.steps, ..*first };
        let mut trial = with(long, 1, trial.state().clone().without_best())?;
        let rebirth = (secs_of(1, &mut trial)? - step - judge).max(0.0);
        Ok(Self { rebirth, ..cost })
    }

    /// The most gradient steps for so many seconds.
    fn steps_within(&self, options: &Options, secs: f64) -> usize {
        let most = options.steps().saturating_mul(MOST_TIMES);
        let (mut enough, mut too_many) = (0, most.saturating_add(1));
        while too_many - enough > 1 {
            let middle = enough.midpoint(too_many);
            if self.secs(options, middle) <= secs {
                enough = middle;
            } else {
                too_many = middle;
            }
        }
        enough
    }

    /// What so many gradient steps take, and what is to be written after them.
    fn secs(&self, options: &Options, steps: usize) -> f64 {
        let mut options = options.clone();
        options.share_out(steps);
        let stages = options.stages.iter();
        self.judge * WRITING + stages.map(|s| self.stage_secs(&options, s)).sum::<f64>()
    }

    /// What a stage takes. A step costs as much as the picture's side has pixels: measured, with
    /// 300 and 2000 strokes, 1.8 to 2.1 times as much for four times the pixels.
    fn stage_secs(&self, options: &Options, stage: &Stage) -> f64 {
        let first_px = options.stages.first().map_or(1, |first| first.side_px);
        let share = f64::from(stage.side_px) / f64::from(first_px);
        let (steps, every) = (stage.steps, options.judge_every);
        let judged = 1 + steps / every;
        let reborn = if stage.reborn > 0.0 { (2 * steps / 3) / every } else { 0 };
        share * self.step * steps as f64 + self.judge * judged as f64 + self.rebirth * reborn as f64
    }
}

/// The seconds that each of the next steps takes, in the mean.
fn secs_of(steps: usize, fit: &mut Fit) -> tbr::Result<f64> {
    let start = Instant::now();
    for _ in 0..steps {
        fit.step()?;
    }
    Ok(start.elapsed().as_secs_f64() / steps as f64)
}

fn secs_until(end: Instant) -> f64 {
    end.saturating_duration_since(Instant::now()).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tbr::Image;

    const COST: StepCost = StepCost { step: 0.4, judge: 0.25, rebirth: 0.5 };

    /// The number is the largest that fits, and the stages keep their shares.
    #[test]
    fn steps_fill_the_time_and_no_more() {
        for options in [Options::fast(), Options::default(), Options::best()] {
            for secs in [1.5, 3.0, 10.0, 60.0, 300.0] {
                let steps = COST.steps_within(&options, secs);
                let took = |steps| COST.secs(&options, steps);
                assert!(steps == 0 || took(steps) <= secs, "{steps} in {secs}: {}", took(steps));
                let is_most = steps == MOST_TIMES * options.steps();
                assert!(
                    is_most || took(steps + 1) > secs,
                    "{steps} in {secs}: {}",
                    took(steps + 1)
                );
            }
        }
        assert_eq!(COST.steps_within(&Options::default(), 1e9), MOST_TIMES * 190);
        assert_eq!(COST.steps_within(&Options::default(), 0.0), 0);
    }

    #[test]
    fn what_a_fit_of_known_stages_takes() {
        let stage = Stage { side_px: 100, steps: 150, ..Stage::default() };
        let fine = Stage { side_px: 200, steps: 50, reborn: 0.0, ..stage };
        let options = Options { stages: vec![stage, fine], ..Options::default() };
        let steps = 150.0 * 0.4 + 50.0 * 0.8;
        // A judgement in ten steps and one for each stage, rebirths in two thirds of the first.
        let judged = 22.0 * 0.25 + 10.0 * 0.5;
        let secs = COST.secs(&options, 200);
        assert!((secs - (steps + judged + WRITING * 0.25)).abs() < 1e-9, "{secs}");
    }

    /// Whether there is time or not, and whoever asks it to stop; the fit stays where it was.
    #[test]
    fn a_fit_is_tried_out_on_a_copy() {
        let colours = (0..1024).map(|k| [f64::from(k % 37) / 37.0, 0.5, 0.2]).collect();
        let target = tbr::fit::Target::new(Image::new((32, 32), colours).unwrap(), None).unwrap();
        let options = Options { strokes: 5, ..Options::default() };
        let mut fit = Fit::new(target, options.clone()).unwrap();
        while !fit.state().has_started() {
            fit.step().unwrap();
        }
        let state = fit.state().clone();
        let late = Instant::now();
        assert_eq!(steps_until(late, &fit, &options, &Stop::never()).unwrap(), 0);
        let long = late + Duration::from_hours(10);
        let steps = steps_until(long, &fit, &options, &Stop::never()).unwrap();
        assert_eq!(steps, MOST_TIMES * options.steps());
        let stopped = steps_until(long, &fit, &options, &Stop::when(|| true));
        assert!(matches!(stopped, Err(tbr::Error::Stopped)));
        assert_eq!(*fit.state(), state);
    }
}
