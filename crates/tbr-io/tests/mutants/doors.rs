//! The ways in from outside. Each takes any bytes and never panics: it refuses them, or what it
//! makes of them keeps its laws. Says whether it accepted them.
//!
//! The fuzzers (`fuzz/fuzz_targets`) use this file too.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tbr::edit::Selection;
use tbr::fit::{Fit, Options, Palette, Solver, Target, paper};
use tbr::info::Info;
use tbr::render::ReplayOptions;
use tbr::{Image, Operator, Paint, Parts, Program, Region, Replay, Tool, View, format, prior};
use tbr_io::digest::Digest;
use tbr_io::fit::checkpoint as checkpoints;
use tbr_io::picture::{MATTE, Picture};
use tbr_io::reel::Reel;
use tbr_io::stroke_list::{Given, ListOptions, StrokeList, parse_csv};
use tbr_io::{edit as words, palette as palettes};

/// Longer side of the pictures that programs are rendered as, pixels.
const SIDE_PX: u32 = 8;
/// The most points times strokes that the line source is integrated for here: some ten
/// microseconds each. Programs of more are rendered as capsules.
const MOST_INTEGRATED: usize = 2000;
/// The most strokes that are rendered and listed: a mutant is to take milliseconds.
const MOST_STROKES: usize = 500;
/// The most strokes that are listed, whose outlines are followed: hundreds that are wider than
/// the canvas take seconds.
const MOST_LISTED: usize = 60;
/// The most moves of tools in a program that is rendered, and in one that is listed.
const MOST_MOVES: usize = 2000;
const MOST_LISTED_MOVES: usize = 60;
/// The most operations that a mutant's text is taken for, and the most strokes that they go on
/// with: each may double them.
const MOST_OPERATIONS: usize = 12;
/// The highest canvas that operations go on with: selections replay it 1024 pixels wide.
const MOST_HEIGHT: f64 = 4.0;
/// The most bytes of a selection: each of its rules may replay the program.
const MOST_SELECTION: usize = 2000;

/// A program file.
pub fn program(bytes: &[u8]) -> bool {
    let Ok(program) = format::read(bytes) else { return false };
    check_program(&program);
    if is_listed(&program) {
        // Outlines are followed, or are refused by their limit.
        let _ = StrokeList::new(&program, &ListOptions::default());
    }
    true
}

/// A reel. What lies between its keyframes are programs, too.
pub fn reel(bytes: &[u8]) -> bool {
    let path = scratch("mutant.tbr.jsonl");
    std::fs::write(&path, bytes).expect("a file of its own");
    let Ok(reel) = Reel::open(&path) else { return false };
    for share in [0.0, 0.1, 0.35, 0.5, 1.0] {
        let seen =
            reel.at(reel.start_secs() + share * reel.seconds()).expect("an open reel is played");
        assert!(!seen.is_empty() && seen.iter().all(|(_, share)| (0.0..=1.0).contains(share)));
        seen.iter().for_each(|(program, _)| check_program(program));
    }
    true
}

/// A table of strokes, of which nothing or its canvas is known.
pub fn stroke_list(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let given = Given { height: Some(0.75), ..Given::default() };
    let on_a_sheet = Given { sheet_mm: Some(300.0), ..given };
    let read = [Given::default(), given, on_a_sheet].map(|given| parse_csv(text, &given));
    let programs: Vec<Program> = read.into_iter().flatten().collect();
    for program in programs.iter().filter(|p| is_listed(p)) {
        check_list(program);
    }
    !programs.is_empty()
}

/// Operations in words, a line each, on a small program.
pub fn edit(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let mut program = SMALL.clone();
    let mut changed = false;
    for line in text.lines().take(MOST_OPERATIONS).filter(|line| !names_a_file(line)) {
        let Ok(next) = words::apply(&program, line) else { continue };
        let text = format::write(&next);
        assert_eq!(written_again(&text), text, "after {line:?}");
        changed = true;
        if next.step_count() <= MOST_STROKES && next.height() <= MOST_HEIGHT {
            program = next;
        }
    }
    check_program(&program);
    changed
}

/// Does an operation open a file? A mutant is not to choose which.
fn names_a_file(operation: &str) -> bool {
    operation.contains("concat") || operation.contains("palette")
}

/// A selection in words.
pub fn selection(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let Ok(selection) = text.parse::<Selection>() else { return false };
    if text.len() > MOST_SELECTION {
        return true;
    }
    let Ok(choice) = selection.choose(&SMALL) else { return false };
    assert_eq!(choice.iter().count(), SMALL.step_count());
    let opposite = Selection::Not(Box::new(selection)).choose(&SMALL).expect("the others");
    // A tool may be in neither.
    assert!(choice.iter().zip(opposite.iter()).all(|(one, other)| !(one && other)));
    let strokes = choice.of_strokes(&SMALL).zip(opposite.of_strokes(&SMALL));
    assert!(strokes.into_iter().all(|(one, other)| one != other));
    true
}

/// The moves of all tools.
fn moves(program: &Program) -> usize {
    program.tools().iter().map(|pass| pass.tool.move_count()).sum()
}

/// Is a program small enough to be listed?
fn is_listed(program: &Program) -> bool {
    program.strokes().len() <= MOST_LISTED && moves(program) <= MOST_LISTED_MOVES
}

/// The first line of a checkpoint. With another's checksum it is refused; with its own, it is
/// refused or gone on from.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let mut accepted = false;
    for known in CHECKPOINTS.iter() {
        if known.line != bytes {
            let wrong = with_checksum(bytes, &known.line);
            assert!(known.state(&wrong).is_err(), "a wrong checksum is accepted");
        }
        let Ok(state) = known.state(&with_checksum(bytes, bytes)) else { continue };
        let resumed = Fit::resume(known.target.clone(), known.options.clone(), state);
        let Ok(mut fit) = resumed else { continue };
        accepted = true;
        if !fit.is_done() && fit.step().is_err() {
            continue;
        }
        let _ = (fit.progress(), fit.floor_ratio(), fit.ceiling(), fit.data_scale());
        if let Ok(program) = fit.program() {
            check_program(&program);
        }
    }
    accepted
}

/// A picture file of any kind.
pub fn picture(bytes: &[u8]) -> bool {
    let Ok(picture) = Picture::decode(bytes.to_vec(), Path::new("mutant")) else { return false };
    if picture.size().0.min(picture.size().1) == 0 {
        // A GIF may say that it has no pixels; whoever wants some is refused.
        assert!(picture.over_at(MATTE, picture.size()).is_err());
        return false;
    }
    let _ = picture.is_transparent();
    let Ok(small) = picture.at_most(16) else { return true };
    let size = small.size();
    assert!(size.0 <= 16 && size.1 <= 16);
    let seen = small.over_at(MATTE, size).expect("a small picture");
    assert!(seen.pixels().iter().flatten().all(|v| (0.0..=1.0).contains(v)));
    true
}

/// A palette: lines of colours, or what stands on the command line.
pub fn palette(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let lines = palettes::from_lines(text);
    if let Ok(colours) = &lines {
        let again: Vec<String> = colours.iter().map(|c| tbr::colour::hex(*c)).collect();
        assert_eq!(palettes::from_lines(&again.join("\n")).as_ref(), Ok(colours));
    }
    let words = palettes::in_words(text);
    if let Ok(Some(palette)) = &words {
        let options = Options { palette: palette.clone(), ..Options::fast() };
        let _ = options.check();
    }
    lines.is_ok() || matches!(words, Ok(Some(_))) || palettes::colour(text).is_ok()
}

/// What every program that is accepted must stand: it is written and read back to the same
/// bytes, rendered and counted, all in finite numbers.
fn check_program(program: &Program) {
    let text = format::write(program);
    assert_eq!(written_again(&text), text);
    if program.strokes().len() > MOST_STROKES || moves(program) > MOST_MOVES {
        return;
    }
    let (width, height) =
        if program.height() <= 1.0 { (Some(SIDE_PX), None) } else { (None, Some(SIDE_PX)) };
    let view = View::new(Region::canvas(program), width, height).expect("a small view");
    let slow = view.pixels() * program.strokes().len() > MOST_INTEGRATED;
    let operator = match program.operator() {
        Operator::LineSource if slow => Operator::Capsule,
        own => own,
    };
    let options = ReplayOptions { operator: Some(operator), ..ReplayOptions::default() };
    let replay = Replay::new(program, view, &options).expect("a small replay");
    assert!(replay.pixels(0..replay.strips()).iter().flatten().all(|v| v.is_finite()));
    let info = Info::new(program, Some(operator), view.width_px).expect("a small picture");
    let info = serde_json::to_value(info).expect("facts as JSON");
    assert!(is_finite(&info), "not all numbers are finite: {info}");
}

/// A written program, read and written again.
fn written_again(text: &str) -> String {
    format::write(&format::read(text.as_bytes()).expect("what was written can be read"))
}

/// Are all numbers finite? Those that are not become null in JSON.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => items.iter().all(is_finite),
        Value::Object(fields) => fields.values().all(is_finite),
        _ => true,
    }
}

/// A program is the same after it has been a list in canvas units, and nearly after one in
/// millimetres; both kinds of file can be read.
fn check_list(program: &Program) {
    let Ok(list) = StrokeList::new(program, &ListOptions::default()) else { return };
    let again = parse_csv(&list.to_csv(), &Given::default()).expect("what was written can be read");
    assert_eq!(format::write(&again), format::write(program));
    let sheet = ListOptions { sheet_mm: Some(300.0), thickness_um: Some(20.0), operator: None };
    let list = StrokeList::new(program, &sheet).expect("the same on a sheet");
    let again = parse_csv(&list.to_csv(), &Given::default()).expect("what was written can be read");
    assert_eq!(again.strokes().len(), program.strokes().len());
    assert_eq!(again.tools().len(), program.tools().len());
    serde_json::from_str::<Value>(&list.to_json()).expect("JSON, with finite numbers");
}

/// The program that operations and selections are tried on. It is low, because selections
/// replay it 1024 pixels wide.
static SMALL: LazyLock<Program> = LazyLock::new(|| {
    let mut parts = prior::program(12, 0.125, 3).expect("a program").into_parts();
    parts.strokes[4].paint = Paint::Own([0.25, 0.5, 1.0]);
    let mut steps = parts.steps();
    for (at, words) in [
        (7, "swirl centre 0.5,0.06 radius 0.05 turn 90"),
        (3, "comb through 0.5,0.06 angle 90 pull 0.01 spacing 0.03"),
    ] {
        steps.insert(at, words.parse::<Tool>().expect("a tool").into());
    }
    parts.set_steps(steps);
    Program::new(parts).expect("a program")
});

/// A fit that checkpoints are tried on, and where it stood.
pub struct Known {
    target: Target,
    options: Options,
    /// The checkpoint's first line.
    pub line: Vec<u8>,
}

/// One of each kind: not begun, begun and nearly done, by both solvers, in free colours and in
/// those of a palette.
pub static CHECKPOINTS: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let free = Options { strokes: 4, ..Options::fast() };
    let inks = Options { palette: Palette::Size(2), ..free.clone() };
    let own = paper::PaperOptions {
        contain: true,
        error_target: Some(1e-3),
        prices: paper::Prices { length: 1e-3, area: 1e-3, unseen: 1e-3 },
        ..paper::PaperOptions::default()
    };
    let plain = Options { strokes: 4, palette: Palette::Size(2), ..Options::paper() };
    let paper = Options { solver: Solver::Paper(own), ..plain.clone() };
    let mut known = Vec::new();
    for (mut options, steps) in
        [(free.clone(), 0), (free, 2), (inks, 1), (paper.clone(), 0), (paper, 2), (plain, 1)]
    {
        options.share_out(3);
        known.push(Known::after(steps, options));
    }
    known
});

impl Known {
    /// A fit of a small picture after some steps; from a program if there are none.
    fn after(steps: usize, options: Options) -> Self {
        let colours = (0..64).map(|k| [f64::from(k) / 64.0, 0.5, f64::from(k % 8) / 8.0]).collect();
        let image = Image::new((8, 8), colours).expect("a picture");
        let target = Target::new(image, None).expect("a target");
        let start = prior::program(options.strokes, 1.0, 1).expect("a program");
        let start = Parts { palette: start.palette()[..2].to_vec(), ..start.into_parts() };
        let start = Program::new(in_two_colours(start)).expect("a program");
        let fit = if steps == 0 {
            Fit::from_program(target.clone(), options.clone(), &start)
        } else {
            Fit::new(target.clone(), options.clone())
        };
        let mut fit = fit.expect("a fit");
        for _ in 0..steps {
            fit.step().expect("a step");
        }
        let path = scratch("known");
        checkpoints::write(&path, &target, &options, fit.state()).expect("a checkpoint");
        let bytes = std::fs::read(&path).expect("a checkpoint");
        let line = bytes.split(|b| *b == b'\n').next().unwrap_or_default().to_vec();
        Self { target, options, line }
    }

    /// What a checkpoint file says, if it belongs to this fit.
    fn state(&self, bytes: &[u8]) -> Result<tbr::fit::State, tbr_io::Failure> {
        let path = scratch("mutant");
        std::fs::write(&path, bytes).expect("a file");
        let state = checkpoints::read(&path, &self.target, &self.options);
        // A fit that takes over the steps takes whatever the other takes.
        let any = checkpoints::read_with_any_steps(&path, &self.target, &self.options);
        if let Ok((options, state)) = &any {
            let resumed = Fit::resume(self.target.clone(), options.clone(), state.clone());
            let _ = resumed.map(|fit| (fit.steps(), fit.progress(), fit.is_done()));
        }
        assert!(any.is_ok() || state.is_err(), "refused with any steps, and not with its own");
        state
    }
}

/// All strokes in the first two colours.
fn in_two_colours(mut parts: Parts) -> Parts {
    for (k, stroke) in parts.strokes.iter_mut().enumerate() {
        stroke.paint = Paint::Palette(k % 2);
    }
    parts
}

/// A checkpoint file: a line, and the checksum of one.
fn with_checksum(line: &[u8], of: &[u8]) -> Vec<u8> {
    let mut digest = Digest::new();
    digest.add(of);
    let last = format!("\n{{\"checksum\":\"{}\"}}\n", digest.hex());
    [line, last.as_bytes()].concat()
}

/// A file of this process's own folder, which is empty otherwise.
fn scratch(name: &str) -> PathBuf {
    static FOLDER: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a folder"));
    FOLDER.path().join(name)
}
