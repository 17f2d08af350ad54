//! The language of `tbr edit`: operations as text, parsed and applied to a program.

use crate::failure::Failure;
use crate::files;
use crate::palette;
use crate::picture::{self, MATTE, Picture};
use std::path::Path;
use tbr::Region;
use tbr::edit::{self, Change, Choice, Selection};
use tbr::fit::{Target, palette::of_picture};
use tbr::program::{Colour, Paint, Program, Step, Stroke};
use tbr::stroke::Shape;
use tbr::tool::{Tool, ToolKind};
use tbr::trace::parse_point;
use tbr::{Vec2, vec2};

/// Colours of a palette that a picture gives to strokes which have none.
const PALETTE: usize = 8;
/// Longer side to which a picture is made smaller when only its colours are needed.
const PALETTE_SIDE_PX: u32 = 256;

/// The program after one operation.
pub fn apply(program: &Program, text: &str) -> Result<Program, Failure> {
    // A file's name may hold anything.
    let whole = |selection| OperationWords { program, verb: "", words: Vec::new(), selection };
    if let Some(file) = text.trim().strip_prefix("concat ") {
        return whole(None).concat(Path::new(file.trim()));
    }
    let palette = ["recolour palette ", "recolor palette "];
    if let Some(file) = palette.iter().find_map(|form| text.trim().strip_prefix(form)) {
        return whole(None).palette(Path::new(file.trim()));
    }
    let (words, selection) = match text.split_once(" where ") {
        Some((words, selection)) => (words, Some(selection)),
        None => (text, None),
    };
    let mut words: Vec<&str> = words.split_whitespace().collect();
    if words.is_empty() {
        return Err(Failure::usage("is empty").hint("tbr edit --help lists the operations"));
    }
    let verb = words.remove(0);
    let operation = OperationWords { program, verb, words, selection };
    match verb {
        "insert" => operation.insert(),
        "delete" => operation.delete(),
        "move" => operation.move_to(),
        "duplicate" => operation.plain(edit::duplicate),
        "reverse" => operation.plain(edit::reverse),
        "translate" => operation.translate(),
        "rotate" => operation.about(edit::rotate),
        "scale" => operation.about(edit::scale),
        "set" => operation.set(),
        "recolour" | "recolor" => operation.recolour(),
        "background" => operation.background(),
        "crop" => operation.crop(),
        "expand" => operation.expand(),
        "concat" => Err(operation.form("FILE")),
        _ => Err(Failure::usage(format!("there is no operation \"{verb}\""))
            .hint("tbr edit --help lists them")),
    }
}

/// An operation, split into its verb, its arguments and its selection.
struct OperationWords<'a> {
    program: &'a Program,
    verb: &'a str,
    words: Vec<&'a str>,
    selection: Option<&'a str>,
}

impl OperationWords<'_> {
    fn insert(&self) -> Result<Program, Failure> {
        self.everywhere()?;
        if let [number, name, ..] = self.words[..]
            && ToolKind::named(name).is_some()
        {
            let tool: Tool = self.words[1..].join(" ").parse()?;
            let number = self.place(number, self.program.step_count())?;
            return Ok(edit::insert(self.program, number, tool)?);
        }
        let (number, anchor, offset, half_width, bend, colour) = match self.words[..] {
            [number, "drop", anchor, width, colour] => (number, anchor, "0,0", width, "0", colour),
            [number, "stroke", anchor, offset, width, colour] => {
                (number, anchor, offset, width, "0", colour)
            }
            [number, "stroke", anchor, offset, width, "bend", bend, colour] => {
                (number, anchor, offset, width, bend, colour)
            }
            _ => {
                let forms = "insert N drop X,Y HALF-WIDTH COLOUR, insert N stroke X,Y DX,DY \
                             HALF-WIDTH [bend B] COLOUR, or insert N TOOL FIELD VALUE ...";
                let tools = ToolKind::ALL.map(ToolKind::name).join(", ");
                let failure = Failure::usage(format!("the form is {forms}"));
                return Err(failure.hint(format!("tools: {tools}")));
            }
        };
        let shape = Shape::line(parse_point(anchor)?, parse_point(offset)?, number_of(half_width)?)
            .with_bend(number_of(bend)?);
        let stroke = Stroke { shape, paint: self.paint(colour)? };
        let number = self.place(number, self.program.step_count())?;
        Ok(edit::insert(self.program, number, stroke)?)
    }

    fn delete(&self) -> Result<Program, Failure> {
        let [] = self.words[..] else { return Err(self.form("where S")) };
        self.somewhere()?;
        Ok(edit::delete(self.program, &self.choice()?)?)
    }

    fn move_to(&self) -> Result<Program, Failure> {
        let [number] = self.words[..] else { return Err(self.form("N where S")) };
        self.somewhere()?;
        let choice = self.choice()?;
        let number = self.place(number, self.program.step_count() - choice.count())?;
        Ok(edit::move_to(self.program, &choice, number)?)
    }

    /// An operation that takes nothing but steps.
    fn plain(
        &self,
        change: fn(&Program, &Choice) -> tbr::Result<Program>,
    ) -> Result<Program, Failure> {
        let [] = self.words[..] else { return Err(self.form("[where S]")) };
        Ok(change(self.program, &self.choice()?)?)
    }

    fn translate(&self) -> Result<Program, Failure> {
        let [by] = self.words[..] else { return Err(self.form("DX,DY [where S]")) };
        Ok(edit::translate(self.program, &self.choice()?, parse_point(by)?)?)
    }

    /// An operation by a number about a point.
    fn about(
        &self,
        change: fn(&Program, &Choice, f64, Vec2<f64>) -> tbr::Result<Program>,
    ) -> Result<Program, Failure> {
        let (by, about) = match self.words[..] {
            [by] => (by, vec2(0.5, 0.5 * self.program.height())),
            [by, "about", point] => (by, parse_point(point)?),
            _ => return Err(self.form("NUMBER [about X,Y] [where S]")),
        };
        Ok(change(self.program, &self.choice()?, number_of(by)?, about)?)
    }

    fn set(&self) -> Result<Program, Failure> {
        let form = "anchor X,Y | offset DX,DY | length L | half-width W | bend B | colour COLOUR, \
                    or a field of a tool and its value";
        let [what, value] = self.words[..] else { return Err(self.form(form)) };
        let change = match what {
            "anchor" => Change::Anchor(parse_point(value)?),
            "offset" => Change::Offset(parse_point(value)?),
            "length" => Change::Length(number_of(value)?),
            "half-width" => Change::HalfWidth(number_of(value)?),
            "bend" => Change::Bend(number_of(value)?),
            "colour" | "color" => Change::Paint(self.paint(value)?),
            field if ToolKind::ALL.iter().any(|kind| has_field(*kind, field)) => {
                return self.set_tools(field, value);
            }
            _ => return Err(self.form(form)),
        };
        Ok(edit::set(self.program, &self.choice()?, change)?)
    }

    /// Sets a field of tools. What has no such field is refused only if the selection means it.
    fn set_tools(&self, field: &str, value: &str) -> Result<Program, Failure> {
        let values = value.split(',').map(number_of).collect::<Result<Vec<f64>, Failure>>()?;
        let chosen = self.choice()?;
        let steps = self.program.steps();
        let is_meant = |i: usize| match steps[i] {
            Step::Tool(tool) => self.selection.is_some() || has_field(tool.kind(), field),
            Step::Stroke(_) => false,
        };
        let chosen: Vec<bool> =
            chosen.iter().enumerate().map(|(i, chosen)| chosen && is_meant(i)).collect();
        let choice = Choice::of_steps(self.program, |i| chosen[i]);
        if choice.count() == 0 {
            tell!("note: no tool with a field \"{field}\" is selected");
        }
        Ok(edit::set_tools(self.program, &choice, field, &values)?)
    }

    fn recolour(&self) -> Result<Program, Failure> {
        match self.words[..] {
            ["swap", a, b] => {
                let (a, b) = (self.paint(a)?, self.paint(b)?);
                Ok(edit::swap_colours(self.program, &self.choice()?, a, b)?)
            }
            ["map", from, to] => {
                let (from, to) = (self.paint(from)?, self.paint(to)?);
                Ok(edit::map_colour(self.program, &self.choice()?, from, to)?)
            }
            _ => Err(self.form("swap COLOUR COLOUR | map COLOUR COLOUR | palette FILE")),
        }
    }

    /// The palette takes a file's colours, in the file's order; or a program's; or those of
    /// a picture, dark for dark and light for light. Strokes with colours of their own take
    /// the nearest.
    fn palette(&self, path: &Path) -> Result<Program, Failure> {
        let free = self.program.palette().is_empty();
        let count = if free { PALETTE } else { self.program.palette().len() };
        let colours = if path.extension().is_some_and(|e| e == "json") {
            files::read_program(path)?.palette().to_vec()
        } else if let Some(text) = lines_of(path)? {
            palette::from_lines(&text).map_err(|e| Failure::file(path, e))?
        } else {
            let colours = colours_of(path, count)?;
            if free { colours } else { in_lightness_of(self.program.palette(), colours) }
        };
        let program = if free {
            self.program.clone()
        } else {
            edit::replace_palette(self.program, &colours)?
        };
        let is_own = |i: usize| matches!(program.strokes()[i].paint, Paint::Own(_));
        Ok(edit::repaint(&program, &Choice::of(&program, is_own), &colours)?)
    }

    fn background(&self) -> Result<Program, Failure> {
        self.everywhere()?;
        let [colour] = self.words[..] else { return Err(self.form("COLOUR")) };
        let colour = match self.paint(colour)? {
            Paint::Own(colour) => colour,
            Paint::Palette(entry) => {
                let colours = self.program.palette().len();
                *self.program.palette().get(entry).ok_or_else(|| {
                    let problem =
                        format!("there is no palette colour {entry}: there are {colours}");
                    Failure::usage(problem)
                })?
            }
        };
        Ok(edit::set_background(self.program, colour)?)
    }

    fn crop(&self) -> Result<Program, Failure> {
        self.everywhere()?;
        let [region] = self.words[..] else { return Err(self.form("X,Y,W,H")) };
        Ok(edit::reframe(self.program, region.parse()?)?)
    }

    fn expand(&self) -> Result<Program, Failure> {
        self.everywhere()?;
        let [sides] = self.words[..] else {
            return Err(self.form("LEFT,TOP,RIGHT,BOTTOM"));
        };
        let numbers = sides.split(',').map(number_of).collect::<Result<Vec<f64>, Failure>>()?;
        let [left, top, right, bottom] = numbers[..] else {
            return Err(self.form("LEFT,TOP,RIGHT,BOTTOM"));
        };
        let region = Region {
            x: -left,
            y: -top,
            width: 1.0 + left + right,
            height: self.program.height() + top + bottom,
        };
        Ok(edit::reframe(self.program, region)?)
    }

    fn concat(&self, file: &Path) -> Result<Program, Failure> {
        Ok(edit::concat(self.program, &files::read_program(file)?)?)
    }

    /// The steps that are meant; all if nothing is said.
    fn choice(&self) -> Result<Choice, Failure> {
        let Some(text) = self.selection else { return Ok(Choice::all(self.program)) };
        let choice = text.parse::<Selection>()?.choose(self.program)?;
        if choice.count() == 0 {
            let what = self.program.step_word().trim_end_matches('s');
            tell!("note: \"{text}\" selects no {what}");
        }
        Ok(choice)
    }

    /// Refuses a selection: for operations on the whole program.
    fn everywhere(&self) -> Result<(), Failure> {
        match self.selection {
            None => Ok(()),
            Some(_) => Err(Failure::usage("takes no selection: it concerns the whole program")),
        }
    }

    /// Requires a selection: for operations that are hardly ever meant for all steps.
    fn somewhere(&self) -> Result<(), Failure> {
        if self.selection.is_some() {
            return Ok(());
        }
        let (verb, what) = (self.verb, self.program.step_word());
        let failure = Failure::usage(format!("does not say which {what}"));
        Err(failure.hint(format!("quote the whole operation: '{verb} ... where last 20%'")))
    }

    fn form(&self, form: &str) -> Failure {
        let failure = Failure::usage(format!("the form is {} {form}", self.verb));
        failure.hint("quote each operation as a whole; tbr edit --help lists them")
    }

    /// A number of a step, or `end` for the one after the last of `rest`.
    fn place(&self, text: &str, rest: usize) -> Result<usize, Failure> {
        match text {
            "end" => Ok(rest + 1),
            number => number.parse().map_err(|_| {
                Failure::usage(format!("\"{number}\" is neither a step's number nor end"))
            }),
        }
    }

    /// A palette entry, or a colour, which is the palette's own if it has it.
    fn paint(&self, text: &str) -> Result<Paint, Failure> {
        let paint = edit::parse_paint(text)?;
        let Paint::Own(colour) = paint else { return Ok(paint) };
        let entry = self.program.palette().iter().position(|c| *c == colour);
        Ok(entry.map_or(paint, Paint::Palette))
    }
}

fn has_field(kind: ToolKind, name: &str) -> bool {
    kind.fields().iter().any(|field| field.name == name)
}

fn number_of(text: &str) -> Result<f64, Failure> {
    let number = text.parse().ok().filter(|v: &f64| v.is_finite());
    number.ok_or_else(|| Failure::usage(format!("\"{text}\" is no number")))
}

/// The text of a file; none if it is a picture, or no text.
fn lines_of(path: &Path) -> Result<Option<String>, Failure> {
    /// The largest list of colours, with a name for each.
    const MOST_BYTES: u64 = 1 << 20;
    if picture::is_picture(&picture::start_of(path)?) {
        return Ok(None);
    }
    Ok(String::from_utf8(files::read_bytes(path, MOST_BYTES)?).ok())
}

/// The colours that say most of a picture.
fn colours_of(path: &Path, count: usize) -> Result<Vec<Colour>, Failure> {
    let picture = Picture::read(path)?;
    let (width, height) = picture.size();
    let scale = f64::from(PALETTE_SIDE_PX) / f64::from(width.max(height));
    let px = |side: u32| (f64::from(side) * scale).round().max(1.0) as u32;
    let size = (px(width), px(height));
    let target = Target::new(picture.over_at(MATTE, size)?, None)
        .map_err(|e| Failure::from(e).in_file(path))?;
    Ok(of_picture(&target, count, 0))
}

/// Colours in such an order that the lightest takes the place of the lightest of `old`, and
/// so on.
fn in_lightness_of(old: &[Colour], mut new: Vec<Colour>) -> Vec<Colour> {
    let light = |c: &Colour| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    new.sort_by(|a, b| light(a).total_cmp(&light(b)));
    let mut places: Vec<usize> = (0..old.len()).collect();
    places.sort_by(|a, b| light(&old[*a]).total_cmp(&light(&old[*b])));
    let mut ordered = old.to_vec();
    for (place, colour) in places.into_iter().zip(new) {
        ordered[place] = colour;
    }
    ordered
}
