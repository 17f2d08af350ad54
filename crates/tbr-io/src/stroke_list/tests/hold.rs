//! What lists hold.

use super::*;
use serde_json::Value;
use tbr::chain::Chain;
use tbr::numbers::Vec2;
use tbr::program::Parts;
use tbr::render::naive;

/// In millimetres a number is rounded twice: written and read.
const TWICE_ROUNDED: f64 = 1e-12;

#[test]
fn a_table_in_canvas_units_reads_back_exactly() {
    let mut programs = vec![awkward(), mixed(0, 1.0, 1, Operator::Capsule)];
    for (seed, operator) in Operator::ALL.into_iter().enumerate() {
        let height = [0.75, 1.0, 1.7, 1.0 / 3.0, 1e3][seed];
        programs.push(mixed(30, height, seed as u64, operator));
        programs.push(bent(30, height, seed as u64, operator));
    }
    for program in &programs {
        let again = parse_csv(&table(program, &ListOptions::default()), &NOTHING).unwrap();
        assert_eq!(again, *program);
    }
}

#[test]
fn a_table_in_millimetres_reads_back() {
    let near = |a: f64, b: f64| (a - b).abs() <= TWICE_ROUNDED * b.abs();
    let points = |a: Vec2<f64>, b: Vec2<f64>| near(a.x, b.x) && near(a.y, b.y);
    for program in [awkward(), bent(60, 0.7, 3, Operator::Capsule)] {
        for width in [1.0, 210.0, 299.7, 1e5] {
            let again = parse_csv(&table(&program, &on_sheet(width)), &NOTHING).unwrap();
            for (found, expected) in again.strokes().iter().zip(program.strokes()) {
                let (a, b) = (found.shape, expected.shape);
                let same = points(a.anchor, b.anchor) && points(a.offset, b.offset);
                assert!(same && near(a.half_width, b.half_width), "{width}: {a:?} {b:?}");
                assert_eq!((found.paint, a.bend), (expected.paint, b.bend));
            }
            let rest =
                |program: &Program| Parts { strokes: vec![], ..program.clone().into_parts() };
            assert_eq!(rest(&again), rest(&program));
            assert_eq!(again.strokes().len(), program.strokes().len());
        }
    }
}

/// Only lists with bends are of version 2; what is said of the others has not changed.
#[test]
fn only_bends_make_a_second_version() {
    let straight = mixed(7, 1.0, 1, Operator::Capsule);
    let mut parts = straight.clone().into_parts();
    parts.strokes[3].shape.bend = 0.25;
    let curved = Program::new(parts).unwrap();
    let options = ListOptions::default();
    let lists = [&straight, &curved].map(|p| StrokeList::new(p, &options).unwrap());
    let [first, second] = lists.each_ref().map(StrokeList::to_csv);
    assert!(first.starts_with("# tbr-strokes 1\n") && !first.contains("bend"), "{first}");
    assert!(first.contains("\nnumber,x,y,dx,dy,half_width,length,area,colour,hex,r,g,b\n1,"));
    assert!(second.starts_with("# tbr-strokes 2\n"), "{second}");
    assert!(second.contains("\nnumber,x,y,dx,dy,half_width,bend,length,area,colour,hex,r,g,b\n1,"));
    let json = lists.each_ref().map(|l| serde_json::from_str::<Value>(&l.to_json()).unwrap());
    assert_eq!(json.each_ref().map(|l| &l["version"]), [1, 2]);
    assert!(json[0]["strokes"][3].get("bend").is_none());
    assert_eq!(json[1]["strokes"][3]["bend"].as_f64(), Some(0.25));
    assert_eq!(json[1]["strokes"][2]["bend"].as_f64(), Some(0.0));
}

#[test]
fn another_operator_is_listed_as_the_program_s() {
    let program = mixed(5, 1.0, 1, Operator::Capsule);
    let options = ListOptions { operator: Some(Operator::Drops), ..ListOptions::default() };
    let again = parse_csv(&table(&program, &options), &NOTHING).unwrap();
    assert_eq!(again.operator(), Operator::Drops);
    assert_eq!(again.strokes(), program.strokes());
}

#[test]
fn paint_adds_up() {
    let program = mixed(50, 0.75, 2, Operator::Capsule);
    let plain = StrokeList::new(&program, &ListOptions::default()).unwrap();
    assert_eq!(plain.total.canvases, program.deposited_area());
    assert_eq!((plain.total.area_cm2, plain.total.volume_ml), (None, None));
    // A sheet of 400 x 300 mm has 1200 cm^2, and 25 um of paint on it are 3 ml.
    let options = ListOptions { thickness_um: Some(25.0), ..on_sheet(400.0) };
    let sheet = StrokeList::new(&program, &options).unwrap();
    assert_eq!(sheet.sheet_mm, Some([400.0, 300.0]));
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12 * expected);
    near(sheet.total.area, 120_000.0 * plain.total.canvases);
    near(sheet.total.area_cm2.unwrap(), 1200.0 * plain.total.canvases);
    near(sheet.total.volume_ml.unwrap(), 3.0 * plain.total.canvases);
    for list in [plain, sheet] {
        let sum =
            |of: fn(&PaintAmount) -> f64| list.colours.iter().map(|c| of(&c.amount)).sum::<f64>();
        near(sum(|a| a.area), list.total.area);
        near(sum(|a| a.canvases), list.total.canvases);
        near(list.strokes.iter().map(|s| s.area).sum(), list.total.area);
        let strokes: usize = list.colours.iter().map(|c| c.amount.strokes).sum();
        assert_eq!((strokes, list.total.strokes), (50, 50));
    }
}

#[test]
fn colours_are_counted_in_order() {
    let mut parts = mixed(6, 1.0, 1, Operator::Capsule).into_parts();
    parts.palette = vec![[0.0; 3], [1.0; 3], [0.5; 3]];
    let near_white = [1.0, 1.0, 0.9999];
    let paints = [
        Paint::Palette(2),
        Paint::Own([1.0, 0.0, 0.0]),
        Paint::Own(near_white),
        Paint::Palette(0),
        Paint::Own([1.0; 3]),
        Paint::Palette(2),
    ];
    for (stroke, paint) in parts.strokes.iter_mut().zip(paints) {
        stroke.paint = paint;
    }
    let list = StrokeList::new(&Program::new(parts).unwrap(), &ListOptions::default()).unwrap();
    let found: Vec<_> =
        list.colours.iter().map(|c| (c.palette, c.hex.as_str(), c.amount.strokes)).collect();
    let expected = [
        (Some(0), "#000000", 1),
        (Some(1), "#ffffff", 0),
        (Some(2), "#808080", 2),
        (None, "#ff0000", 1),
        (None, "#ffffff", 2),
    ];
    assert_eq!(found, expected);
}

/// Of a single stroke nothing has been moved: the margins are its own.
#[test]
fn margins_of_one_stroke() {
    let mut parts = prior::program(1, 0.5, 1).unwrap().into_parts();
    let shape = Shape::line(vec2(0.9, 0.2), vec2(0.2, -0.15), 0.1);
    parts.strokes[0].shape = shape;
    let program = Program::new(parts).unwrap();
    let expected = Margins { left: 0.0, top: 0.05, right: 0.2, bottom: 0.0 };
    for (options, factor) in [(ListOptions::default(), 1.0), (on_sheet(300.0), 300.0)] {
        let margins = StrokeList::new(&program, &options).unwrap().margins.unwrap();
        for ((name, found), (_, expected)) in margins.sides().into_iter().zip(expected.sides()) {
            // Outlines stray by 2e-6 at most.
            assert!((found - factor * expected).abs() <= 2e-6 * factor, "{name}: {found}");
        }
    }
}

/// At the end no paint lies beyond the margins, and some lies at each.
#[test]
fn margins_hold_all_paint_and_no_more() {
    let (height, reach) = (0.8, 3.0);
    for operator in [Operator::Capsule, Operator::Calibrated, Operator::Drops, Operator::Inert] {
        let mut parts = mixed(40, height, 5, operator).into_parts();
        // A drop across the middle of each side, in turn with the others.
        for (k, stroke) in parts.strokes.iter_mut().step_by(5).enumerate() {
            let middle = vec2(0.5, 0.5 * height);
            let side = [vec2(-0.5, 0.0), vec2(0.0, -0.5 * height)][k % 2];
            let anchor = if k % 4 < 2 { middle + side } else { middle - side };
            stroke.shape = Shape::drop(anchor, 0.05);
        }
        let program = Program::new(parts).unwrap();
        let margins = StrokeList::new(&program, &ListOptions::default()).unwrap().margins.unwrap();
        let chain = Chain::of(&program, None);
        let painted = |p| naive::owner(&chain, p) > 0;
        let Margins { left, top, right, bottom } = margins;
        let sides: [&dyn Fn(f64, f64) -> Vec2<f64>; 4] = [
            &|along, out| vec2(-left - out, along),
            &|along, out| vec2(along, -top - out),
            &|along, out| vec2(1.0 + right + out, along),
            &|along, out| vec2(along, height + bottom + out),
        ];
        for (side, (name, margin)) in sides.iter().zip(margins.sides()) {
            assert!(margin > 0.04, "{operator}: only {margin} beyond the {name} side");
            let any = |out: f64| {
                (0..6000).any(|k| painted(side(reach * (f64::from(k) / 3000.0 - 1.0), out)))
            };
            assert!(!any(1e-5) && !any(0.01), "{operator}: paint beyond the {name} margin");
            assert!(any(-1e-4), "{operator}: no paint at the {name} margin");
        }
    }
}

#[test]
fn the_line_source_has_no_margins() {
    let program = mixed(4, 1.0, 1, Operator::LineSource);
    let list = StrokeList::new(&program, &ListOptions::default()).unwrap();
    assert_eq!(list.margins, None);
    assert!(list.to_csv().contains("# margins: none: the line source has no outlines\n"));
    let json: Value = serde_json::from_str(&list.to_json()).unwrap();
    assert!(json["margins"].is_null());
}

#[test]
fn json_holds_the_list_to_the_last_digit() {
    let program = mixed(20, 0.75, 4, Operator::Calibrated);
    let options = ListOptions { thickness_um: Some(20.0), ..on_sheet(297.0) };
    let list = StrokeList::new(&program, &options).unwrap();
    let text = list.to_json();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["format"], "tbr-strokes");
    assert_eq!((&json["unit"], &json["operator"]), (&"mm".into(), &"calibrated".into()));
    assert_eq!(json["sheet_mm"]["height"].as_f64(), Some(297.0 * 0.75));
    assert_eq!(json["palette"].as_array().unwrap().len(), 8);
    for (index, entry) in list.strokes.iter().enumerate() {
        let found = &json["strokes"][index];
        assert_eq!(found["number"], index + 1);
        let values = ["x", "y", "dx", "dy", "half_width", "length", "area"];
        let Shape { anchor, offset, half_width, .. } = entry.shape;
        let expected =
            [anchor.x, anchor.y, offset.x, offset.y, half_width, entry.length, entry.area];
        assert_eq!(values.map(|name| found[name].as_f64().unwrap()), expected);
        assert_eq!([0, 1, 2].map(|k| found["rgb"][k].as_f64().unwrap()), entry.colour);
        let index = matches!(entry.paint, Paint::Palette(_));
        assert_eq!(found["colour"].is_u64(), index);
        assert!(text.contains(&format!("\n    {{\"number\": {}, \"x\": ", found["number"])));
    }
    let (total, margins) = (&json["total"], list.margins.unwrap());
    assert_eq!(total["ml"].as_f64(), list.total.volume_ml);
    assert_eq!(json["margins"]["bottom"].as_f64(), Some(margins.bottom));
    assert_eq!(json["colours"].as_array().unwrap().len(), list.colours.len());
}

#[test]
fn a_list_can_be_stopped() {
    let program = mixed(200, 1.0, 1, Operator::Capsule);
    let list = |stop: &Stop| {
        StrokeList::new_until(&program, &ListOptions::default(), &Progress::hidden(), stop)
    };
    assert!(matches!(list(&Stop::when(|| true)), Err(Error::Stopped)));
    let whole = StrokeList::new(&program, &ListOptions::default()).unwrap();
    assert_eq!(list(&Stop::never()).unwrap(), whole);
}

#[test]
fn sheets_and_films_that_cannot_be() {
    let program = mixed(2, 1.0, 1, Operator::Capsule);
    for width in [0.0, -3.0, 0.99, 1.1e5, f64::NAN, f64::INFINITY] {
        assert!(StrokeList::new(&program, &on_sheet(width)).is_err(), "{width}");
        let given = Given { sheet_mm: Some(width), height: Some(1.0), ..NOTHING };
        assert!(parse_csv("x,y,dx,dy,half_width,hex\n", &given).is_err(), "{width}");
    }
    let film = |thickness| ListOptions { thickness_um: Some(thickness), ..ListOptions::default() };
    assert!(StrokeList::new(&program, &film(20.0)).is_err(), "a film without a sheet");
    for thickness in [0.0, -1.0, f64::NAN] {
        let options = ListOptions { sheet_mm: Some(300.0), ..film(thickness) };
        assert!(StrokeList::new(&program, &options).is_err(), "{thickness}");
    }
}
