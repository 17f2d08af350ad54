//! Small valid inputs of every kind, that mutants are made of.

mod pictures;

pub use pictures::pictures;

use crate::doors::CHECKPOINTS;
use tbr::program::Step;
use tbr::reel::Keyframe;
use tbr::reel::format::{self as reel, Header};
use tbr::{Operator, Paint, Parts, Program, Provenance, Shape, Stroke, format, prior, vec2};
use tbr_io::stroke_list::{ListOptions, StrokeList};

/// Words of stroke lists.
pub const LIST_WORDS: [&str; 48] = [
    "tool",
    "comb through 150,75 angle 90 pull 15 spacing 9",
    "swirl centre",
    "reach 0",
    "-36000",
    "number",
    "x",
    "y",
    "dx",
    "dy",
    "half_width",
    "half-width",
    "bend",
    "-2",
    "length",
    "area",
    "colour",
    "color",
    "hex",
    "r",
    "g",
    "b",
    "# ",
    "#",
    "tbr-strokes",
    "tbr-strokes 1",
    "tbr-strokes 2",
    "unit:",
    "canvas",
    "mm",
    "sheet:",
    "300 x 225 mm",
    "canvas: 1 x 0.75",
    "1 x",
    "operator:",
    "capsule",
    "drops",
    "inert",
    "line-source",
    "calibrated",
    "background:",
    "palette 0:",
    "palette 65535:",
    "#1a3380",
    "\"",
    ";",
    "\t",
    "\u{feff}",
];
/// Words of operations and selections. (Not those that open files.)
pub const EDIT_WORDS: [&str; 84] = [
    "tine",
    "comb",
    "rake",
    "wave",
    "wavy-comb",
    "ring",
    "swirl",
    "stylus",
    "through",
    "centre",
    "angle",
    "pull",
    "reach",
    "width",
    "spacing",
    "wavelength",
    "radius",
    "turn",
    "from",
    "to",
    "grip",
    "sway",
    "phase",
    "strokes",
    "tools",
    "tool",
    "90",
    "0.03",
    "insert",
    "delete",
    "move",
    "duplicate",
    "reverse",
    "translate",
    "rotate",
    "scale",
    "set",
    "recolour",
    "recolor",
    "background",
    "crop",
    "expand",
    "drop",
    "stroke",
    "where",
    "end",
    "about",
    "anchor",
    "offset",
    "length",
    "half-width",
    "bend",
    "-1.5",
    "colour",
    "swap",
    "map",
    "all",
    "first",
    "last",
    "pixels",
    "region",
    "visible",
    "invisible",
    "unseen",
    "and",
    "or",
    "not",
    "(",
    ")",
    "20%",
    "100%",
    "-5%",
    "5..8",
    "..",
    "3..",
    "..0",
    "0.5,0.1",
    "0,0,1,1",
    "1e9,1e9,1e9,1e9",
    "0,0,1e-12,1e-12",
    "#1d3f73",
    "3",
    "\n",
    "1,1,1,1e300",
];
/// Words of palettes.
pub const PALETTE_WORDS: [&str; 10] =
    ["#1d3f73", "1d3f73", "#fff", "//", "free", "12", ",", "#", "\n", "#é1d3f7"];

/// Program files: one of each operator, and one with everything that is optional, straight,
/// bent and with tools.
pub fn programs() -> Vec<Vec<u8>> {
    let mut programs = vec![rich(), bent(), combed(6), extreme()];
    for operator in Operator::ALL {
        let parts = prior::program(6, 0.75, 2).expect("a program").into_parts();
        programs.push(Program::new(Parts { operator, ..parts }).expect("a program"));
    }
    programs.iter().map(|program| format::write(program).into_bytes()).collect()
}

/// Reels of two shots that dissolve, and of one.
pub fn reels() -> Vec<Vec<u8>> {
    let keyframe = |shot: usize, time: f64, names: &[u32]| {
        let program =
            prior::program(names.len(), 0.75, 2 + u64::from(names[0])).expect("a program");
        let keyframe = Keyframe::new(shot, time, names.to_vec(), program).expect("a keyframe");
        reel::write_keyframe(&keyframe)
    };
    let header = Header { frames_per_second: 12.5, provenance: Provenance::default() };
    let header = reel::write_header(&header);
    let one = [keyframe(1, 0.0, &[0, 1, 2]), keyframe(1, 0.08, &[1, 3, 2])].concat();
    let two =
        [keyframe(1, 0.16, &[4, 1]), keyframe(2, 0.1, &[0, 7]), keyframe(2, 0.3, &[7])].concat();
    vec![format!("{header}{one}").into_bytes(), format!("{header}{one}{two}").into_bytes()]
}

/// A program of drops and lines, tiny, huge and far away, with a provenance.
fn rich() -> Program {
    let shape = |x: f64, y: f64, dx: f64, half_width: f64| {
        Shape::line(vec2(x, y), vec2(dx, -0.5 * dx), half_width)
    };
    let strokes = [
        (shape(0.5, 0.5, 0.0, 0.2), Paint::Palette(1)),
        (shape(0.3, 0.5, 0.4, 0.05), Paint::Own([1.0, 0.0, 0.25])),
        (shape(-900.0, 12.0, 999.0, 3.0), Paint::Palette(0)),
        (shape(0.4, 0.3, 1e-7, 1e-9), Paint::Palette(0)),
        (shape(0.6, 0.2, 0.01, 1000.0), Paint::Own([0.0; 3])),
    ]
    .map(|(shape, paint)| Stroke { shape, paint });
    let provenance = r#"{"made_by":"tbr fit","options":{"seed":7},"scores":[1.5,null,"é"]}"#;
    Program::new(Parts {
        height: 0.75,
        palette: vec![[0.1, 0.2, 0.5], [0.8, 0.3, 0.2]],
        strokes: strokes.to_vec(),
        provenance: Provenance::parse(provenance).expect("a provenance"),
        ..Parts::default()
    })
    .expect("a program")
}

/// The same, bent as far as strokes can be, and a little.
fn bent() -> Program {
    let program = rich();
    let bends = [2.0, -2.0, 0.75, -1e-9, 0.0];
    let strokes = program.strokes().iter().zip(bends);
    let strokes = strokes.map(|(s, bend)| Stroke { shape: s.shape.with_bend(bend), ..*s });
    program.with_strokes(strokes.collect()).expect("a program")
}

/// A few strokes, with every kind of tool between them.
fn combed(strokes: usize) -> Program {
    prior::combed_program(strokes, 0.75, 5).expect("a program")
}

/// Tools as strong, as fine and as far as they can be.
fn extreme() -> Program {
    let words = [
        "tine through 1000,-1000 angle 36000 pull -10 reach 0.0001",
        "comb through 0.5,0.5 angle -36000 pull 10 reach 1000 width 1000 spacing 1000",
        "rake through 0.5,0.5 angle 1e-300 pull 10 spacing 0.1 width 1e-9",
        "ring centre 0.5,0.4 radius 0.0001 pull 10 reach 0.0001",
        "swirl centre 0.5,0.5 radius 1000 turn -36000",
        "stylus from 0.1,0.1 to 0.9,0.1 reach 1 grip -10",
    ];
    let mut parts = rich().into_parts();
    let mut steps = parts.steps();
    steps.extend(words.map(|words| Step::Tool(words.parse().expect("a tool"))));
    steps.rotate_right(3);
    parts.set_steps(steps);
    Program::new(parts).expect("a program")
}

/// Tables as we write them, and as people do.
pub fn stroke_lists() -> Vec<Vec<u8>> {
    let sheet = ListOptions { sheet_mm: Some(300.0), thickness_um: Some(20.0), operator: None };
    let small = prior::program(5, 0.75, 4).expect("a program");
    let ours = [
        (&small, ListOptions::default()),
        (&small, sheet),
        (&rich(), sheet),
        (&bent(), ListOptions::default()),
        (&combed(4), ListOptions::default()),
        (&combed(4), sheet),
    ]
    .map(|(program, options)| StrokeList::new(program, &options).expect("a list").to_csv());
    let theirs = [
        "x,y,dx,dy,half width,color\n0.5,0.5,0,0,0.1,#ff0000\n0.2,0.3,0.1,0,0.02,#00ff7f\n",
        "\u{feff}hex,x,y,dx,dy,half_width\r\n#1a3380,1,2,3,4,5\r\n,,,,,\r\n\"#1a3380\",1,2,3,4,5\r\n",
        "x,y,dx,dy,half_width,hex,tool\n,,,,,,\"swirl centre 0.5,0.4 radius 0.1 turn 9\"\n0,0,0,0,1,fff000,\n",
        "# unit: mm\n# sheet: 300 x 225 mm\nx,y,dx,dy,half_width,r,g,b\n1,2,3,4,5,0,0.5,1\n",
    ];
    ours.into_iter().map(String::into_bytes).chain(theirs.map(|t| t.as_bytes().to_vec())).collect()
}

/// Operations in words, a few at a time.
pub fn edits() -> Vec<Vec<u8>> {
    let texts = [
        "insert 3 drop 0.5,0.1 0.05 2\ninsert end stroke 0.1,0.1 0.2,0 0.01 #1d3f73",
        "delete where last 20%\nmove 1 where colour 3\nduplicate where 2..4\nreverse",
        "translate 0.1,-0.05 where first 5\nrotate 30 about 0.5,0.06\nscale 0.5 where length 0.01..",
        "set anchor 0.5,0.1 where 1\nset offset 0.1,0\nset length 0.2 where not colour 2",
        "set half-width 0.01 where half-width ..0.02\nset colour #00ff00 where last 3",
        "set bend 1.5 where last 5\ninsert 2 stroke 0.1,0.1 0.2,0 0.01 bend -0.75 #1d3f73",
        "set bend -2\nrotate 30\nscale 0.5\nset length 0.2 where not bend 0\ncrop 0.1,0,0.5,0.1",
        "insert 3 comb through 0.5,0.1 angle 90 pull 0.05 spacing 0.03\nset pull 0.1 where tool comb",
        "insert end wavy-comb through 0,0 angle 0 pull 1 spacing 1 sway 0.1 wavelength 1 phase 9",
        "insert 1 tine through 0.5,0.1 angle 45 pull 0.2 reach 0.05 width 0.01\nscale 2\nreverse",
        "insert 1 rake through 0,0 angle 9 pull 1 spacing 0.1\nset through 0.5,0.1 where tools and 1",
        "insert 5 wave through 0,0 angle 9 pull 0.1 wavelength 0.2\nduplicate where tools\nrotate 9",
        "insert 2 ring centre 0.5,0 radius 0.1 pull 1 reach 0.1\nmove end where tools\ncrop 0,0,1,0.1",
        "insert end stylus from 0,0 to 1,0.1 reach 0.1 grip 0.5\nset turn 45\ndelete where strokes",
        "recolour swap 2 5 where last 20%\nrecolour map #4080ff 1\nbackground #ede8d9",
        "crop 0.1,0,0.5,0.1\nexpand 0.1,0.1,0.1,0.1\ndelete where unseen or invisible",
        "duplicate\nduplicate\nreverse where pixels 50..\ndelete where region 0,0,0.5,1",
        "move end where (first 3 or last 3) and not visible\nbackground 1",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Selections in words.
pub fn selections() -> Vec<Vec<u8>> {
    let texts = [
        "all",
        "7",
        "5..8",
        "9..",
        "first 20%",
        "last 10 and colour 3",
        "colour #1d3f73 or 1",
        "half-width 0.01..0.02 and not length ..0.05",
        "bend -0.5..0.5 or not bend 0",
        "pixels 50..",
        "region 0,0,0.5,1",
        "visible",
        "invisible or unseen",
        "strokes and not colour 3 or tool swirl",
        "not (tools or visible)",
        "not (first 2 or (last 2 and not colour 0))",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// First lines of checkpoints.
pub fn checkpoints() -> Vec<Vec<u8>> {
    CHECKPOINTS.iter().map(|known| known.line.clone()).collect()
}

/// Lines of colours, and what stands on the command line.
pub fn palettes() -> Vec<Vec<u8>> {
    let texts = [
        "#1d3f73\n#ede8d9\n",
        "1d3f73 // blue\n\n// nothing\n#EDE8D9\r\n",
        "free",
        "12",
        "112233",
        "#1d3f73,#ede8d9, 000000",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
