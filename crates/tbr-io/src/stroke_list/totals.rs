//! Totals of paint: strokes, areas and volumes, by colour and in all.

use std::collections::BTreeMap;
use tbr::colour::hex;
use tbr::program::{Paint, Program};

/// Square millimetres in a square centimetre.
const MM2_PER_CM2: f64 = 100.0;
/// Micrometres in a centimetre: cm^2 times cm are millilitres.
const UM_PER_CM: f64 = 1e4;

/// An amount of paint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintAmount {
    /// Strokes that lay it.
    pub strokes: usize,
    /// Area of their deposits, in the square of the list's unit.
    pub area: f64,
    /// The same in canvases.
    pub canvases: f64,
    /// The same in square centimetres, for a sheet.
    pub area_cm2: Option<f64>,
    /// Its volume in millilitres, for a film of known thickness.
    pub volume_ml: Option<f64>,
}

/// The paint of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourTotal {
    /// Its palette index; none for colours that strokes have of their own.
    pub palette: Option<usize>,
    /// The colour to eight bits. Own colours that share it are counted together.
    pub hex: String,
    /// How much of it.
    pub amount: PaintAmount,
}

/// What amounts are measured with.
pub(super) struct Measure {
    pub canvas_height: f64,
    pub sheet_mm: Option<f64>,
    pub thickness_um: Option<f64>,
}

/// Strokes, and the area of their deposits in canvas units.
type Sum = (usize, f64);

impl Measure {
    /// All paint of a program.
    pub fn of_all(&self, program: &Program) -> PaintAmount {
        let add = |(strokes, area): Sum, deposit: f64| (strokes + 1, area + deposit);
        self.amount(program.strokes().iter().map(|s| s.shape.area()).fold((0, 0.0), add))
    }

    /// Its paint by colour: palette entries in order, then own colours by their hex digits.
    pub fn by_colour(&self, program: &Program) -> Vec<ColourTotal> {
        let mut entries: Vec<Sum> = vec![(0, 0.0); program.palette().len()];
        let mut own: BTreeMap<String, Sum> = BTreeMap::new();
        for stroke in program.strokes() {
            let sum = match stroke.paint {
                Paint::Palette(index) => &mut entries[index],
                Paint::Own(colour) => own.entry(hex(colour)).or_default(),
            };
            *sum = (sum.0 + 1, sum.1 + stroke.shape.area());
        }
        let total = |palette, hex, sum| ColourTotal { palette, hex, amount: self.amount(sum) };
        let named = program.palette().iter().map(|colour| hex(*colour));
        let listed = named.zip(entries).enumerate();
        let listed = listed.map(|(index, (hex, sum))| total(Some(index), hex, sum));
        listed.chain(own.into_iter().map(|(hex, sum)| total(None, hex, sum))).collect()
    }

    fn amount(&self, (strokes, area): Sum) -> PaintAmount {
        let area_mm2 = self.sheet_mm.map(|width| area * width * width);
        let area_cm2 = area_mm2.map(|a| a / MM2_PER_CM2);
        let thickness_cm = self.thickness_um.map(|t| t / UM_PER_CM);
        PaintAmount {
            strokes,
            area: area_mm2.unwrap_or(area),
            canvases: area / self.canvas_height,
            area_cm2,
            volume_ml: area_cm2.zip(thickness_cm).map(|(a, t)| a * t),
        }
    }
}
