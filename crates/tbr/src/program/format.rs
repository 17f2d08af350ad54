//! The file format `*.tbr.json`, versions 1 and 2. `docs/format.md` is its description.

use super::format_step::StepEntry;
use crate::error::{Error, Result};
pub use crate::numbers::number;
use crate::numbers::vec2;
use crate::program::{
    Colour, MAX_PALETTE, MAX_STROKES, Paint, Parts, Program, Provenance, Step, Stroke,
};
use crate::stroke::Shape;
use crate::tool::Tool;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::io::Read;
use std::marker::PhantomData;

/// What serde's readers give.
pub(super) type Parsed<T, E> = std::result::Result<T, E>;

/// The value of the field `format` in every file.
pub const FORMAT: &str = "tbr-program";
/// The versions that are read. The first is written if it can say all: if no stroke bends, and
/// there are no tools.
pub const VERSIONS: [u64; 2] = [1, 2];
/// The longest file that is read: a million strokes with every digit take half of it.
pub const MAX_BYTES: u64 = 512 << 20;

/// Reads a program, at most [`MAX_BYTES`] of it.
pub fn read(source: impl Read) -> Result<Program> {
    let mut bytes = Vec::new();
    source
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| Error::File { path: "program".into(), source })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::limit("the program file is too long", format!("{MAX_BYTES} bytes")));
    }
    parse(&bytes)
}

/// Parses a program.
pub fn parse(bytes: &[u8]) -> Result<Program> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::program("program file", "is empty"));
    }
    let Object(file): Object<File> =
        serde_json::from_slice(bytes).map_err(|e| explain(bytes, &e))?;
    let version = check_header(Some(file.format), Some(file.version))?;
    if file.canvas.0.width != 1.0 {
        let problem =
            format!("is {}; the canvas is 1 wide, only its height is free", file.canvas.0.width);
        return Err(Error::program("canvas width", problem));
    }
    let steps: Vec<Step> = match (version, file.strokes, file.steps) {
        (1, Some(strokes), None) => {
            let strokes = strokes.checked("the program has # strokes")?;
            strokes.into_iter().map(Step::Stroke).collect()
        }
        (2, None, Some(steps)) => steps.checked("the program has # steps")?,
        (version, ..) => {
            let list = if version == 1 { "strokes" } else { "steps" };
            let problem = format!("a program of version {version} has one list, \"{list}\"");
            return Err(Error::program("program file", problem));
        }
    };
    let mut parts = Parts {
        height: file.canvas.0.height,
        background: file.background,
        operator: file.operator.parse()?,
        palette: file.palette.checked("the palette has # colours")?,
        provenance: Provenance::parse(file.provenance.map_or("{}", RawValue::get))?,
        ..Parts::default()
    };
    parts.set_steps(steps);
    Program::new(parts)
}

/// Why a file could not be read: that it is of another kind or version, if it
/// says so (a newer version may have fields that this one calls wrong), else
/// what the parser met.
fn explain(bytes: &[u8], error: &serde_json::Error) -> Error {
    #[derive(Deserialize)]
    struct Header<'a> {
        #[serde(borrow)]
        format: Option<&'a RawValue>,
        #[serde(borrow)]
        version: Option<&'a RawValue>,
    }
    let plain = || Error::program("program file", error.to_string());
    match serde_json::from_slice::<Object<Header>>(bytes) {
        Ok(Object(header)) => {
            check_header(header.format, header.version).map_or_else(|e| e, |_| plain())
        }
        Err(_) => plain(),
    }
}

/// The version of a file that says what it is.
fn check_header(format: Option<&RawValue>, version: Option<&RawValue>) -> Result<u64> {
    let format = format.map(RawValue::get);
    match format {
        Some(text) if serde_json::from_str::<Cow<str>>(text).is_ok_and(|name| name == FORMAT) => {}
        Some(other) => {
            let problem = format!("is {}; must be \"{FORMAT}\"", excerpt(other));
            return Err(Error::program("format", problem));
        }
        None => return Err(Error::program("format", format!("is missing; must be \"{FORMAT}\""))),
    }
    let [first, last] = VERSIONS;
    let Some(text) = version.map(RawValue::get) else {
        return Err(Error::program("version", format!("is missing; must be {first} or {last}")));
    };
    let known = |text: &str| text.parse().ok().filter(|version| VERSIONS.contains(version));
    known(text).ok_or_else(|| {
        let problem = format!("is {}; this build reads versions {first} and {last}", excerpt(text));
        Error::program("version", problem)
    })
}

/// The beginning of a text of any length, for a message.
fn excerpt(text: &str) -> String {
    const MOST_CHARS: usize = 100;
    let mut start: String = text.chars().take(MOST_CHARS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(borrow)]
    format: &'a RawValue,
    #[serde(borrow)]
    version: &'a RawValue,
    canvas: Object<CanvasEntry>,
    background: Colour,
    #[serde(borrow)]
    operator: Cow<'a, str>,
    #[serde(default)]
    palette: List<Colour, MAX_PALETTE>,
    #[serde(default, deserialize_with = "present")]
    strokes: Option<List<Stroke, MAX_STROKES>>,
    #[serde(default, deserialize_with = "present")]
    steps: Option<List<Step, MAX_STROKES>>,
    #[serde(borrow)]
    provenance: Option<&'a RawValue>,
}

/// For serde: a field that may be left out, but not by `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Parsed<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CanvasEntry {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrokeEntry {
    anchor: [f64; 2],
    offset: [f64; 2],
    half_width: f64,
    colour: PaintEntry,
}

/// A JSON object and nothing else: serde would read a struct from a bare list
/// of its fields too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Parsed<Self, D::Error> {
        struct Map<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Parsed<Object<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Map(PhantomData))
    }
}

/// Something of which a program has a list.
trait Listed: Sized {
    /// How the file says it.
    type Entry: for<'de> Deserialize<'de> + Into<Self>;
    /// What the list is called.
    const LIST: &'static str;
    /// What one of them is called, counted from 1.
    fn place(number: usize) -> String;
}

impl Listed for Stroke {
    type Entry = Object<StrokeEntry>;
    const LIST: &'static str = "a list of strokes";
    fn place(number: usize) -> String {
        format!("stroke {number}")
    }
}

impl Listed for Step {
    type Entry = StepEntry;
    const LIST: &'static str = "a list of steps";
    fn place(number: usize) -> String {
        format!("step {number}")
    }
}

impl Listed for Colour {
    type Entry = Colour;
    const LIST: &'static str = "a list of colours";
    fn place(number: usize) -> String {
        format!("palette colour {}", number - 1)
    }
}

/// A list, read one by one: errors carry the number, and those beyond the limit are counted but
/// do not fill the memory.
struct List<T, const MOST: usize> {
    items: Vec<T>,
    count: usize,
}

impl<T, const MOST: usize> List<T, MOST> {
    /// The items, if there are not too many of them. `what` is what has them.
    fn checked(self, what: &str) -> Result<Vec<T>> {
        if self.count <= MOST {
            return Ok(self.items);
        }
        Err(Error::limit(what.replace('#', &self.count.to_string()), MOST.to_string()))
    }
}

impl<T, const MOST: usize> Default for List<T, MOST> {
    fn default() -> Self {
        Self { items: Vec::new(), count: 0 }
    }
}

impl<'de, T: Listed, const MOST: usize> Deserialize<'de> for List<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Parsed<Self, D::Error> {
        struct Reader<T, const MOST: usize>(PhantomData<T>);
        impl<'de, T: Listed, const MOST: usize> Visitor<'de> for Reader<T, MOST> {
            type Value = List<T, MOST>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::LIST)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Parsed<Self::Value, A::Error> {
                let mut items = Vec::new();
                let at = |n: usize, e: A::Error| de::Error::custom(format!("{}: {e}", T::place(n)));
                while items.len() < MOST {
                    let number = items.len() + 1;
                    match seq.next_element::<T::Entry>().map_err(|e| at(number, e))? {
                        Some(entry) => items.push(entry.into()),
                        None => return Ok(List { count: items.len(), items }),
                    }
                }
                let mut count = MOST;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(List { items, count })
            }
        }
        deserializer.deserialize_seq(Reader(PhantomData))
    }
}

impl From<Object<StrokeEntry>> for Stroke {
    fn from(Object(entry): Object<StrokeEntry>) -> Self {
        Self {
            shape: Shape::line(
                vec2(entry.anchor[0], entry.anchor[1]),
                vec2(entry.offset[0], entry.offset[1]),
                entry.half_width,
            ),
            paint: entry.colour.0,
        }
    }
}

pub(super) struct PaintEntry(pub Paint);

impl<'de> Deserialize<'de> for PaintEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Parsed<Self, D::Error> {
        struct IndexOrTriple;
        impl<'de> Visitor<'de> for IndexOrTriple {
            type Value = PaintEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a palette index or a list of three numbers")
            }
            fn visit_u64<E: de::Error>(self, index: u64) -> Parsed<PaintEntry, E> {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                Ok(PaintEntry(Paint::Palette(index)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Parsed<PaintEntry, A::Error> {
                let triple = Colour::deserialize(de::value::SeqAccessDeserializer::new(seq))?;
                Ok(PaintEntry(Paint::Own(triple)))
            }
        }
        deserializer.deserialize_any(IndexOrTriple)
    }
}

/// The program as text: one stroke a line, every number in the fewest digits
/// that read back as the same number. It is of version 1 unless strokes bend or there are tools.
pub fn write(program: &Program) -> String {
    let mut text = String::with_capacity(200 + 130 * program.step_count());
    let mut line = |s: String| {
        text.push_str(&s);
        text.push('\n');
    };
    line("{".into());
    line(format!("  \"format\": \"{FORMAT}\","));
    let plain = !program.bends() && program.tools().is_empty();
    let [version, list_name] = if plain { ["1", "strokes"] } else { ["2", "steps"] };
    line(format!("  \"version\": {version},"));
    line(format!("  \"canvas\": {{\"width\": 1, \"height\": {}}},", number(program.height())));
    line(format!("  \"background\": {},", list(&program.background())));
    line(format!("  \"operator\": \"{}\",", program.operator()));
    line(format!("  \"palette\": [{}],", lines(program.palette().iter().map(|c| list(c)))));
    let steps = lines(program.steps().iter().map(step_text));
    line(format!("  \"{list_name}\": [{steps}],"));
    line(format!("  \"provenance\": {}", program.provenance()));
    line("}".into());
    text
}

fn step_text(step: &Step) -> String {
    match step {
        Step::Stroke(stroke) => stroke_text(stroke),
        Step::Tool(tool) => tool_text(tool),
    }
}

/// A tool as an object, on one line.
pub fn tool_text(tool: &Tool) -> String {
    let mut text = format!("{{\"tool\": \"{}\"", tool.kind().name());
    for (field, values) in tool.fields() {
        let value = if values.len() == 1 { number(values[0]) } else { list(values) };
        let _ = write!(text, ", \"{}\": {value}", field.name);
    }
    text + "}"
}

fn stroke_text(stroke: &Stroke) -> String {
    let Shape { anchor, offset, half_width, bend } = stroke.shape;
    let colour = match stroke.paint {
        Paint::Palette(index) => index.to_string(),
        Paint::Own(colour) => list(&colour),
    };
    let bend = if bend == 0.0 { String::new() } else { format!("\"bend\": {}, ", number(bend)) };
    format!(
        "{{\"anchor\": {}, \"offset\": {}, \"half_width\": {}, {bend}\"colour\": {colour}}}",
        list(&[anchor.x, anchor.y]),
        list(&[offset.x, offset.y]),
        number(half_width)
    )
}

/// Items of a list, each on its own line.
pub fn lines(items: impl ExactSizeIterator<Item = String>) -> String {
    let mut text = String::new();
    let last = items.len().saturating_sub(1);
    for (i, item) in items.enumerate() {
        let comma = if i == last { "\n  " } else { "," };
        let _ = write!(text, "\n    {item}{comma}");
    }
    text
}

/// Numbers as a list.
pub fn list(values: &[f64]) -> String {
    let items: Vec<String> = values.iter().map(|v| number(*v)).collect();
    format!("[{}]", items.join(", "))
}
