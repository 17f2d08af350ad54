//! What tables are read, and what is said of others.

use super::*;
use tbr::program::Stroke;

/// A table as people make it: in any order, with more columns than needed.
const BY_HAND: &str = "half-width,Color,X,y,note,dx,dy,length
0.05,#1a3380,0.5,0.25,\"a drop, the first\",0,0,999
0.02,#ffffff,0.25,0.5,,0.125,-0.25,
";

fn by_hand() -> Given {
    Given { height: Some(0.75), ..NOTHING }
}

#[test]
fn a_table_made_by_hand_is_read() {
    let program = parse_csv(BY_HAND, &by_hand()).unwrap();
    assert_eq!((program.height(), program.operator()), (0.75, Operator::Capsule));
    assert_eq!(program.background(), [1.0; 3]);
    let shape = |x, y, dx, dy, half_width| Shape::line(vec2(x, y), vec2(dx, dy), half_width);
    let own = |digits: &str| Paint::Own(tbr::colour::from_hex(digits).unwrap());
    let drop = Stroke { shape: shape(0.5, 0.25, 0.0, 0.0, 0.05), paint: own("#1a3380") };
    let line = Stroke { shape: shape(0.25, 0.5, 0.125, -0.25, 0.02), paint: own("#ffffff") };
    assert_eq!(program.strokes(), [drop, line]);
    // On a sheet 1000 mm wide the same numbers are a thousandth.
    let given = Given {
        sheet_mm: Some(1000.0),
        operator: Some(Operator::Inert),
        background: Some([0.5; 3]),
        ..by_hand()
    };
    let small = parse_csv(BY_HAND, &given).unwrap();
    assert_eq!(small.strokes()[0].shape, shape(0.0005, 0.00025, 0.0, 0.0, 0.00005));
    assert_eq!((small.operator(), small.background()), (Operator::Inert, [0.5; 3]));
}

/// What editors and spreadsheets do to a file.
#[test]
fn a_table_survives_its_travels() {
    let expected = parse_csv(BY_HAND, &by_hand()).unwrap();
    let filled = BY_HAND.replace('\n', ",,\n");
    for text in [
        format!("\u{feff}{BY_HAND}"),
        BY_HAND.replace('\n', "\r\n"),
        BY_HAND.replace('\n', "\r"),
        BY_HAND.replace('\n', "\n\n,,,,\n  \n"),
        BY_HAND.replace("#1a3380", "\"#1A3380\"").replace(",0.25,", ",\" 0.25 \","),
        format!("# canvas: 1 x 0.75\n# a remark\n#\n{BY_HAND}# total: 7"),
        format!("\"# canvas: 1 x 0.75\",,,\r\n# unit: canvas,,,\n{filled}"),
    ] {
        assert_eq!(parse_csv(&text, &by_hand()).unwrap(), expected, "{text:?}");
    }
    let program = mixed(9, 0.75, 2, Operator::Drops);
    let ours = table(&program, &ListOptions::default());
    let filled = ours.replace('\n', ",,,\r\n");
    assert_eq!(parse_csv(&filled, &NOTHING).unwrap(), program);
}

/// A line that begins with a colour is no note.
#[test]
fn colours_may_come_first() {
    let text = "hex,x,y,dx,dy,half_width\n#1a3380,0.5,0.5,0,0,0.1\n";
    assert_eq!(parse_csv(text, &by_hand()).unwrap().strokes().len(), 1);
    let slip = text.replace("#1a3380", "#1a338");
    let said = parse_csv(&slip, &by_hand()).unwrap_err().to_string();
    assert!(said.contains("line 2, column hex: is \"#1a338\""), "{said}");
}

#[test]
fn the_same_colour_may_be_said_in_several_ways() {
    let read = |colour: &str| {
        let notes = "# canvas: 1 x 1\n# palette 0: #1a3380 0.1 0.2 0.5\n# palette 1: #ffffff\n";
        let text = format!("{notes}x,y,dx,dy,half_width,colour,hex,r,g,b\n0,0,0,0,1,{colour}\n");
        parse_csv(&text, &NOTHING).map(|p| (p.strokes()[0].paint, p.palette().to_vec()))
    };
    let exact = [0.1, 0.2, 0.5];
    let rough = tbr::colour::from_hex("#1a3380").unwrap();
    for (cells, expected) in [
        ("0,,,,", Paint::Palette(0)),
        ("0,#1a3380,0.1,0.2,0.5", Paint::Palette(0)),
        ("1,ffffff", Paint::Palette(1)),
        (",,0.1,0.2,0.5", Paint::Own(exact)),
        ("#1a3380,1a3380,0.1,0.2,0.5", Paint::Own(exact)),
        (",#1A3380,,,", Paint::Own(rough)),
        ("#1a3380", Paint::Own(rough)),
    ] {
        let (paint, palette) = read(cells).unwrap();
        assert_eq!((paint, palette), (expected, vec![exact, [1.0; 3]]), "{cells}");
    }
    for (cells, part) in [
        ("0,#ffffff,,,", "line 5, column hex: is \"#ffffff\"; but the stroke is #1a3380"),
        (",#ffffff,0.1,0.2,0.5", "line 5, column hex: is \"#ffffff\""),
        ("1,,0.1,0.2,0.5", "line 5, column r, g, b: is \"#1a3380\""),
        (",,,,", "line 5: the stroke has no colour"),
        ("2,,,,", "line 5, column colour: is \"2\"; but the palette has 2 colours"),
        ("-1,,,,", "column colour: is \"-1\""),
        ("1.0,,,,", "column colour: is \"1.0\""),
        ("blue,,,,", "column colour: is \"blue\""),
        (",,0.1,,0.5", "line 5, column g: is empty"),
        (",,0.1,0.2,1.5", "line 5, column b: is \"1.5\"; must be from 0 to 1"),
    ] {
        let said = read(cells).unwrap_err().to_string();
        assert!(said.contains(part), "{cells}: {said}");
    }
}

#[test]
fn wrong_cells_are_named() {
    let read = |cells: &str| {
        let text = format!("# canvas: 1 x 1\n\nx,y,dx,dy,half_width,hex\r\n\r\n{cells}\n");
        parse_csv(&text, &NOTHING).unwrap_err().to_string()
    };
    for (cells, part) in [
        ("NaN,0,0,0,1,#ffffff", "line 5, column x: is \"NaN\"; must be a finite number"),
        ("0,inf,0,0,1,#ffffff", "line 5, column y: is \"inf\""),
        ("0,0,1e400,0,1,#ffffff", "line 5, column dx: is \"1e400\""),
        ("0,0,0,,1,#ffffff", "line 5, column dy: is empty"),
        ("0,0,0,0,0x1,#ffffff", "line 5, column half_width: is \"0x1\""),
        ("0,0,0,0,\"0,1\",#ffffff", "line 5, column half_width: is \"0,1\""),
        ("0,0,0,0,0,#ffffff", "half_width: is \"0\"; must be from 1e-9 to 1000"),
        ("0,1000.5,0,0,1,#ffffff", "column y: is \"1000.5\"; must be from -1000 to 1000"),
        ("0,0,0,0", "line 5, column half_width: is empty"),
        ("0,5,0,5,0,0,0,1,#ffffff", "line 5: has 9 cells, but 6 columns are named"),
        ("0,0,0,0,1,white", "line 5, column hex: is \"white\""),
        ("0,0,0,0,1,\"#ffffff\n0,0,0,0,1,#ffffff", "line 5: a quoted cell does not end"),
        ("0,0,0,0,1,#ffffff\n\n0,0,0,x,1,#ffffff", "line 7, column dy: is \"x\""),
    ] {
        let said = read(cells);
        assert!(said.contains(part), "{cells}: {said}");
    }
}

#[test]
fn wrong_tables_are_named() {
    let read = |text: &str| parse_csv(text, &by_hand()).unwrap_err().to_string();
    for (text, part) in [
        ("", "the table: is empty"),
        ("# a remark\n", "the table: is empty"),
        ("x,y,half_width\n", "line 1: names the columns of the table, but not dx, dy, colour"),
        ("0.1,0.2,0,0,0.1,#ffffff\n", "line 1: names the columns of the table, but not x, y"),
        ("x;y;dx;dy;half_width;hex\n", "cells need commas"),
        ("x,y,dx,dy,half_width,r,g\n", "but not b"),
        ("x,y,dx,dy,x,half_width,hex\n", "line 1: two columns are named x"),
        ("# unit: inch\n", "line 1: unit is \"inch\"; must be canvas or mm"),
        ("# tbr-strokes 3\n", "line 1: tbr-strokes has version \"3\"; this build reads versions 1"),
        ("x,y,dx,dy,half_width,bend,Bend,hex\n", "line 1: two columns are named bend"),
        ("# tbr-strokes 1\n", "unit: is missing"),
        ("# tbr-strokes 1\n# unit: canvas\n# operator: drops\n", "background: is missing"),
        ("# unit: mm\n", "sheet: is missing"),
        ("# sheet: 300 x 225 mm\n", "unit: is not mm"),
        ("# unit: mm\n# sheet: 300 x 225\n", "line 2: sheet is \"300 x 225\""),
        ("# unit: mm\n# sheet: 0 x 1 mm\n", "line 2: a sheet 0 millimetres wide"),
        ("# unit: mm\n# sheet: 300 x 300 mm\n", "sheet: is 1 times as high as wide"),
        ("# canvas: 2 x 1\n", "line 1: canvas is \"2 x 1\""),
        ("# operator: comb\n", "line 1: operator: \"comb\" is none of capsule"),
        ("# background: grey\n", "line 1: background is \"grey\""),
        ("# background: 0.1 0.2 nan\n", "line 1: background is"),
        ("# background: #000000 1 1 1\n", "#000000 in hex digits, but #ffffff in numbers"),
        ("# palette 1: #000000\n", "palette 0: is missing, but there is palette 1"),
        ("# palette 65536: #000000\n", "counted from 0 to 65535"),
        ("# palette 0: #000000\n# palette 0: #000000\n", "line 2: palette 0 is said a second"),
    ] {
        let said = read(text);
        assert!(said.contains(part), "{text:?}: {said}");
    }
}

/// A column of bends is read wherever it is, and must be there in a list of ours that says so.
#[test]
fn bends_are_read_or_named() {
    let read = |head: &str, cells: &str| {
        let text = format!("# canvas: 1 x 1\n{head}{cells}\n");
        parse_csv(&text, &NOTHING).map(|p| p.strokes()[0].shape.bend)
    };
    let head = "x,y,dx,dy,half_width,hex,BEND\n";
    for (cell, expected) in
        [("0.5", 0.5), ("-2", -2.0), ("2", 2.0), ("", 0.0), (" 1e-3 ", 1e-3), ("-0", 0.0f64)]
    {
        let found = read(head, &format!("0,0,1,0,1,#ffffff,{cell}")).unwrap();
        assert_eq!(found.to_bits(), expected.to_bits(), "{cell}");
    }
    assert_eq!(read("x,y,dx,dy,half_width,hex\n", "0,0,1,0,1,#ffffff").unwrap(), 0.0);
    for (cell, part) in [
        ("2.5", "line 3, column bend: is \"2.5\"; must be from -2 to 2"),
        ("NaN", "line 3, column bend: is \"NaN\"; must be a finite number"),
        ("left", "line 3, column bend: is \"left\""),
    ] {
        let said = read(head, &format!("0,0,1,0,1,#ffffff,{cell}")).unwrap_err().to_string();
        assert!(said.contains(part), "{cell}: {said}");
    }
    let ours = table(&bent(5, 1.0, 1, Operator::Capsule), &ListOptions::default());
    let said = parse_csv(&ours.replace(",bend,", ",bnd,"), &NOTHING).unwrap_err().to_string();
    assert!(said.contains("names the columns of the table, but not bend"), "{said}");
}

/// What is asked for besides a table fills it in; it does not contradict it.
#[test]
fn what_a_table_says_stands() {
    let program = mixed(3, 0.75, 1, Operator::Drops);
    let [plain, sheet] =
        [ListOptions::default(), on_sheet(300.0)].map(|options| table(&program, &options));
    let same = Given {
        height: Some(0.75),
        operator: Some(Operator::Drops),
        background: tbr::colour::from_hex(&tbr::colour::hex(program.background())),
        sheet_mm: None,
    };
    assert_eq!(parse_csv(&plain, &same).unwrap(), program);
    assert!(parse_csv(&sheet, &Given { sheet_mm: Some(300.0), ..same }).is_ok());
    for (text, given) in [
        (&plain, Given { height: Some(0.5), ..NOTHING }),
        (&plain, Given { operator: Some(Operator::Inert), ..NOTHING }),
        (&plain, Given { background: Some([0.0; 3]), ..NOTHING }),
        (&plain, Given { sheet_mm: Some(300.0), ..NOTHING }),
        (&sheet, Given { sheet_mm: Some(200.0), ..NOTHING }),
    ] {
        let error = parse_csv(text, &given).unwrap_err();
        assert!(matches!(error, Error::Request(_)), "{error}");
    }
    assert!(matches!(parse_csv(BY_HAND, &NOTHING).unwrap_err(), Error::Program { .. }));
}
