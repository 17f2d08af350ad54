//! Tools in lists: written in the list's unit, and read back.

use super::*;
use serde_json::Value;
use tbr::program::{Parts, Step, Stroke};
use tbr::tool::Tool;

/// Every tool between strokes, some before the first and some after the last.
fn combed(height: f64, seed: u64) -> Program {
    let program = prior::combed_program(24, height, seed).unwrap();
    let mut steps = program.steps();
    steps.rotate_right(2);
    let mut parts = program.into_parts();
    parts.set_steps(steps);
    Program::new(parts).unwrap()
}

/// Tools with numbers at their limits.
fn extreme() -> Program {
    let tools = [
        "tine through 1000,-1000 angle 36000 pull -10 reach 1000 width 1000",
        "comb through -1e-300,0 angle -36000 pull 10 reach 1e-4 width 0 spacing 1e-4",
        "swirl centre 0.30000000000000004,5e-324 radius 1e-4 turn -36000",
        "stylus from 0,0 to 1,0 reach 0.3333333333333333 grip -10",
    ];
    let mut parts = Parts::default();
    parts.set_steps(tools.map(|words| Step::Tool(words.parse().unwrap())));
    Program::new(parts).unwrap()
}

#[test]
fn a_table_with_tools_reads_back_exactly() {
    for program in [combed(0.75, 1), combed(1.7, 2), extreme()] {
        let text = table(&program, &ListOptions::default());
        assert!(text.starts_with("# tbr-strokes 2\n"), "{text}");
        assert_eq!(parse_csv(&text, &NOTHING).unwrap(), program);
        // What a spreadsheet does to it.
        let filled = text.replace('\n', ",,\r\n");
        assert_eq!(parse_csv(&filled, &NOTHING).unwrap(), program);
    }
}

#[test]
fn a_table_with_tools_in_millimetres_reads_back() {
    for program in [combed(0.75, 3), extreme()] {
        for width in [1.0, 210.0, 299.7, 1e5] {
            let again = parse_csv(&table(&program, &on_sheet(width)), &NOTHING).unwrap();
            assert_eq!(again.tools().len(), program.tools().len());
            for (found, expected) in again.tools().iter().zip(program.tools()) {
                assert_eq!(
                    (found.after, found.tool.kind()),
                    (expected.after, expected.tool.kind())
                );
                for (a, b) in found.tool.numbers().iter().zip(expected.tool.numbers()) {
                    assert!((a - b).abs() <= 1e-12 * b.abs(), "{width}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn lines_and_objects_count_steps() {
    let mut parts = mixed(2, 0.5, 1, Operator::Capsule).into_parts();
    let mut steps = parts.steps();
    let words = "comb through 0.5,0.25 angle 90 pull 0.05 spacing 0.03";
    steps.insert(1, words.parse::<Tool>().unwrap().into());
    parts.set_steps(steps);
    let program = Program::new(parts).unwrap();
    let list = StrokeList::new(&program, &on_sheet(200.0)).unwrap();
    let text = list.to_csv();
    let names = "number,x,y,dx,dy,half_width,bend,length,area,colour,hex,r,g,b,tool";
    let comb = "comb through 100,50 angle 90 pull 10 reach 3 width 0 spacing 6";
    assert!(text.contains(&format!("\n{names}\n1,")), "{text}");
    assert!(text.contains(&format!("\n2,,,,,,,,,,,,,,\"{comb}\"\n3,")), "{text}");
    assert!(text.contains("\n# total: strokes 2 "), "{text}");

    let json: Value = serde_json::from_str(&list.to_json()).unwrap();
    assert_eq!(json["version"], 2);
    assert_eq!(json["strokes"].as_array().unwrap().len(), 2);
    assert_eq!(json["strokes"][1]["number"], 3);
    let expected = serde_json::json!([{
        "number": 2, "tool": "comb", "through": [100, 50], "angle": 90, "pull": 10, "reach": 3,
        "width": 0, "spacing": 6,
    }]);
    assert_eq!(json["tools"], expected);
    let plain = StrokeList::new(&mixed(2, 0.5, 1, Operator::Capsule), &on_sheet(200.0)).unwrap();
    assert!(!plain.to_json().contains("tools") && !plain.to_csv().contains("tool"));
}

#[test]
fn wrong_tools_are_named_by_line_and_column() {
    let read = |cell: &str, more: &str| {
        let names = "x,y,dx,dy,half_width,colour,tool";
        let text = format!("{names}\n0,0,0,0,1,#1a3380,\n{more},\"{cell}\"\n");
        let given = Given { sheet_mm: Some(100.0), height: Some(1.0), ..NOTHING };
        parse_csv(&text, &given)
    };
    let fine = "swirl centre 50,25 radius 10 turn 90";
    let program = read(fine, ",,,,,").unwrap();
    let swirl: Tool = "swirl centre 0.5,0.25 radius 0.1 turn 90".parse().unwrap();
    assert_eq!(program.steps()[1], Step::Tool(swirl));
    for (cell, more, part) in [
        ("broom through 1,1", ",,,,,", "column tool: \"broom\" is none of tine, comb"),
        ("swirl centre 50 radius 10 turn 90", ",,,,,", "column tool: centre is two numbers"),
        ("swirl centre 50,25 radius 10", ",,,,,", "column tool: a swirl needs turn"),
        ("swirl centre 50,25 radius x turn 9", ",,,,,", "radius is \"x\", which is no number"),
        ("swirl centre 50,25 radius 0 turn 9", ",,,,,", "radius is 0; must be from 0.01 to 100000"),
        ("swirl centre NaN,25 radius 9 turn 9", ",,,,,", "centre is NaN; must be from -100000"),
        ("swirl centre 5,2 radius 9 turn 36001", ",,,,,", "turn is 36001; must be from -36000"),
        ("swirl centre 5,2 radius 9 turn 9 turn 9", ",,,,,", "turn is given twice"),
        ("swirl centre 5,2 radius 9 turn 9 pull 9", ",,,,,", "a swirl has no pull"),
        (fine, "50,,,,,", "column x: is \"50\"; but the line has a tool"),
        (fine, ",,,,,#1a3380", "column colour: is \"#1a3380\"; but the line has a tool"),
    ] {
        let said = read(cell, more).unwrap_err().to_string();
        assert!(said.starts_with("line 3, ") && said.contains(part), "{cell}: {said}");
    }
    let twice = "x,y,dx,dy,half_width,colour,tool,Tool\n";
    let said = parse_csv(twice, &Given { height: Some(1.0), ..NOTHING }).unwrap_err().to_string();
    assert!(said.contains("two columns are named tool"), "{said}");
}

/// Margins are those of paint that tools have carried off the sheet.
#[test]
fn margins_follow_paint_through_tools() {
    let margins = |tools: &[&str]| {
        let shape = Shape::line(vec2(0.5, 0.5), vec2(0.0, 0.0), 0.1);
        let drop = Stroke { shape, paint: Paint::Own([0.0; 3]) };
        let mut parts = Parts::default();
        let tools = tools.iter().map(|words| Step::Tool(words.parse().unwrap()));
        parts.set_steps([Step::Stroke(drop)].into_iter().chain(tools));
        let program = Program::new(parts).unwrap();
        StrokeList::new(&program, &ListOptions::default()).unwrap().margins.unwrap()
    };
    let none = Margins { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 };
    assert_eq!(margins(&[]), none);
    // A tine carries the drop's rightmost point, which lies on its path, by all its pull.
    let right = margins(&["tine through 0.5,0.5 angle 0 pull 0.7 reach 0.1 width 0.02"]).right;
    assert!((right - 0.3).abs() < 1e-4, "{right}");
    let there = "tine through 0.5,0.5 angle 0 pull 0.7 reach 0.1 width 0.02";
    let back = "tine through 0.5,0.5 angle 0 pull -0.7 reach 0.1 width 0.02";
    assert_eq!(margins(&[there, back]), none);
}
