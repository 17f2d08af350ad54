//! The file format `*.tbr.json`, version 1. `docs/format.md` is its description.

use crate::error::{Error, Result};
use crate::numbers::vec2;
use crate::program::{Colour, MAX_STROKES, Paint, Parts, Program, Provenance, Stroke};
use crate::stroke::Shape;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt::{self, Write};
use std::io::Read;
use std::marker::PhantomData;

/// The value of the field `format` in every file.
pub const FORMAT: &str = "tbr-program";
/// The version that is read and written.
pub const VERSION: u64 = 1;
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
    check_header(Some(file.format), Some(file.version))?;
    if file.canvas.0.width != 1.0 {
        let problem =
            format!("is {}; the canvas is 1 wide, only its height is free", file.canvas.0.width);
        return Err(Error::program("canvas width", problem));
    }
    Program::new(Parts {
        height: file.canvas.0.height,
        background: file.background,
        operator: file.operator.parse()?,
        palette: file.palette,
        strokes: file.strokes.0,
        provenance: Provenance::parse(file.provenance.as_deref().map_or("{}", RawValue::get))?,
    })
}

/// Why a file could not be read: that it is of another kind or version, if it
/// says so (a newer version may have fields that this one calls wrong), else
/// what the parser met.
fn explain(bytes: &[u8], error: &serde_json::Error) -> Error {
    #[derive(Deserialize)]
    struct Header {
        format: Option<Value>,
        version: Option<Value>,
    }
    let plain = || Error::program("program file", error.to_string());
    match serde_json::from_slice::<Object<Header>>(bytes) {
        Ok(Object(header)) => {
            check_header(header.format, header.version).err().unwrap_or_else(plain)
        }
        Err(_) => plain(),
    }
}

fn check_header(format: Option<Value>, version: Option<Value>) -> Result<()> {
    match format {
        Some(format) if format == FORMAT => {}
        Some(other) => {
            return Err(Error::program("format", format!("is {other}; must be \"{FORMAT}\"")));
        }
        None => return Err(Error::program("format", format!("is missing; must be \"{FORMAT}\""))),
    }
    match version {
        Some(version) if version == VERSION => Ok(()),
        Some(other) => {
            let problem = format!("is {other}; this build reads version {VERSION}");
            Err(Error::program("version", problem))
        }
        None => Err(Error::program("version", format!("is missing; must be {VERSION}"))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: Value,
    version: Value,
    canvas: Object<CanvasEntry>,
    background: Colour,
    operator: String,
    #[serde(default)]
    palette: Vec<Colour>,
    strokes: StrokeSequence,
    provenance: Option<Box<RawValue>>,
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
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                map: A,
            ) -> std::result::Result<Object<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Map(PhantomData))
    }
}

/// The strokes, read one by one: errors carry the stroke's number, and too many
/// are refused before they fill the memory.
struct StrokeSequence(Vec<Stroke>);

impl<'de> Deserialize<'de> for StrokeSequence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = StrokeSequence;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of strokes")
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> std::result::Result<StrokeSequence, A::Error> {
                let mut strokes = Vec::new();
                let at = |n: usize, e: A::Error| de::Error::custom(format!("stroke {n}: {e}"));
                loop {
                    let number = strokes.len() + 1;
                    match seq.next_element::<Object<StrokeEntry>>().map_err(|e| at(number, e))? {
                        None => return Ok(StrokeSequence(strokes)),
                        Some(_) if number > MAX_STROKES => {
                            let message = format!("more strokes than the limit of {MAX_STROKES}");
                            return Err(de::Error::custom(message));
                        }
                        Some(Object(entry)) => strokes.push(entry.into()),
                    }
                }
            }
        }
        deserializer.deserialize_seq(List)
    }
}

impl From<StrokeEntry> for Stroke {
    fn from(entry: StrokeEntry) -> Self {
        Self {
            shape: Shape {
                anchor: vec2(entry.anchor[0], entry.anchor[1]),
                offset: vec2(entry.offset[0], entry.offset[1]),
                half_width: entry.half_width,
            },
            paint: entry.colour.0,
        }
    }
}

struct PaintEntry(Paint);

impl<'de> Deserialize<'de> for PaintEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct IndexOrTriple;
        impl<'de> Visitor<'de> for IndexOrTriple {
            type Value = PaintEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a palette index or a list of three numbers")
            }
            fn visit_u64<E: de::Error>(self, index: u64) -> std::result::Result<PaintEntry, E> {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                Ok(PaintEntry(Paint::Palette(index)))
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                seq: A,
            ) -> std::result::Result<PaintEntry, A::Error> {
                let triple = Colour::deserialize(de::value::SeqAccessDeserializer::new(seq))?;
                Ok(PaintEntry(Paint::Own(triple)))
            }
        }
        deserializer.deserialize_any(IndexOrTriple)
    }
}

/// The program as text: one stroke a line, every number in the fewest digits
/// that read back as the same number.
pub fn write(program: &Program) -> String {
    let mut text = String::with_capacity(200 + 130 * program.strokes().len());
    let mut line = |s: String| {
        text.push_str(&s);
        text.push('\n');
    };
    line("{".into());
    line(format!("  \"format\": \"{FORMAT}\","));
    line(format!("  \"version\": {VERSION},"));
    line(format!("  \"canvas\": {{\"width\": 1, \"height\": {}}},", number(program.height())));
    line(format!("  \"background\": {},", list(&program.background())));
    line(format!("  \"operator\": \"{}\",", program.operator()));
    line(format!("  \"palette\": [{}],", lines(program.palette().iter().map(|c| list(c)))));
    line(format!("  \"strokes\": [{}],", lines(program.strokes().iter().map(stroke_text))));
    line(format!("  \"provenance\": {}", program.provenance()));
    line("}".into());
    text
}

fn stroke_text(stroke: &Stroke) -> String {
    let Shape { anchor, offset, half_width } = stroke.shape;
    let colour = match stroke.paint {
        Paint::Palette(index) => index.to_string(),
        Paint::Own(colour) => list(&colour),
    };
    format!(
        "{{\"anchor\": {}, \"offset\": {}, \"half_width\": {}, \"colour\": {colour}}}",
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

/// Rust prints the shortest digits that read back exactly; tiny and huge
/// numbers are written with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}
