//! Provenance of fitted programs: the inputs and options of a fit, written into its program,
//! and the check whether a program is the result of such a fit.

use super::Preset;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::picture::MATTE;
use serde::Serialize;
use serde_json::Value;
use tbr::colour::{from_hex, hex};
use tbr::fit::{Fit, Options, SOLVER_REVISION, Target};
use tbr::{Colour, Program, Provenance};

/// What decides a fit.
#[derive(Clone)]
pub struct FitRecord<'a> {
    /// The picture's name, for people.
    pub picture: Option<String>,
    /// The picture as it is fitted: what its size, matte, mask and bare parts made of it.
    pub target: &'a Target,
    /// The target's digest, [`Digest::of_target`], which takes longer than all else.
    pub picture_digest: String,
    /// What lay behind transparent parts.
    pub matte: Colour,
    /// The program it was started from, and its name.
    pub from: Option<(String, &'a Program)>,
    /// Where the options came from, for people.
    pub preset: Preset,
    /// The options.
    pub options: &'a Options,
}

/// What a program says of its fit but the scores. All but the first three decide the result.
#[derive(Serialize)]
struct Made<'a> {
    made_by: &'static str,
    version: &'static str,
    picture: &'a Option<String>,
    from: Option<&'a str>,
    preset: &'static str,
    size_px: u32,
    matte: String,
    solver_revision: String,
    picture_digest: &'a str,
    from_digest: Option<String>,
    options: &'a Options,
    /// Were all steps done?
    finished: bool,
    floor_ratio: Option<f64>,
    data_scale: Option<f64>,
    palette_ceiling: Option<f64>,
    /// Digest of the program itself: whether it is still as the fit left it.
    program_digest: Option<String>,
}

/// What a file has to do with a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// It is what the fit makes.
    Finished,
    /// It is what the fit had made when it was stopped.
    Stopped,
    /// It is something else: of other inputs or options, or changed since.
    Not,
}

impl FitRecord<'_> {
    /// Is a program this fit's, and as the fit left it? Inputs, options and solver are compared
    /// by their digests, never by names or the version.
    pub fn owns(&self, program: &Program) -> Belongs {
        let made = serde_json::to_value(program.provenance()).unwrap_or_default();
        let own = serde_json::to_value(self.made(None)).unwrap_or_default();
        let same = |key: &&str| made.get(key).is_some() && made.get(key) == own.get(key);
        let decided = ["solver_revision", "picture_digest", "from_digest", "options"];
        let digest = made.get("program_digest").and_then(Value::as_str);
        if !decided.iter().all(same) || digest != Some(&own_digest(program)) {
            return Belongs::Not;
        }
        match made.get("finished") {
            Some(Value::Bool(true)) => Belongs::Finished,
            _ => Belongs::Stopped,
        }
    }

    /// The best program of a fit, with how it was made.
    pub fn program(&self, fit: &Fit) -> Result<Program, Failure> {
        let program = fit.program()?;
        let digest = Some(own_digest(&program));
        let mut parts = program.into_parts();
        parts.provenance =
            Provenance::of(&Made { program_digest: digest, ..self.made(Some(fit)) })?;
        Ok(Program::new(parts)?)
    }

    fn made(&self, fit: Option<&Fit>) -> Made<'_> {
        Made {
            made_by: "tbr fit",
            version: env!("CARGO_PKG_VERSION"),
            picture: &self.picture,
            from: self.from.as_ref().map(|(name, _)| name.as_str()),
            preset: self.preset.name(),
            size_px: self.target.longer_px(),
            matte: hex(self.matte),
            solver_revision: format!("{SOLVER_REVISION:016x}"),
            picture_digest: &self.picture_digest,
            from_digest: self.from.as_ref().map(|(_, program)| Digest::of_program(program)),
            options: self.options,
            finished: fit.is_some_and(Fit::is_done),
            floor_ratio: fit.map(Fit::floor_ratio),
            data_scale: fit.and_then(Fit::data_scale),
            palette_ceiling: fit.and_then(Fit::ceiling),
            program_digest: None,
        }
    }
}

/// The options that a program says it was fitted with, if it does.
pub fn options_of(program: &Program) -> Option<Options> {
    let made = serde_json::to_value(program.provenance()).ok()?;
    serde_json::from_value(made.get("options")?.clone()).ok()
}

/// Digest of all of a program but what it says of itself.
fn own_digest(program: &Program) -> String {
    let mut parts = program.clone().into_parts();
    parts.provenance = Provenance::default();
    let bare = Program::new(parts);
    bare.map_or_else(|_| String::new(), |program| Digest::of_program(&program))
}

/// What lies behind transparent parts of pictures that a program is compared with: what lay
/// there when it was fitted.
pub fn matte_of(program: &Program) -> Colour {
    program.provenance().text("matte").and_then(from_hex).unwrap_or(MATTE)
}
