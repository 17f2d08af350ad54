//! Keyframes go over into one another, and reels are read as they were written.

use super::format::{Header, is_reel, parse_header, parse_keyframe, write_header, write_keyframe};
use super::*;
use crate::numbers::vec2;
use crate::prior;
use crate::program::{Colour, Parts, Provenance};
use crate::stroke::Shape;

/// Strokes of these names; a stroke's place and area depend on its name alone, but for `shift`.
fn keyframe(time_secs: f64, names: &[u32], shift: f64) -> Keyframe {
    let stroke = |name: &u32| Stroke {
        shape: Shape::drop(vec2(0.1 + 0.02 * f64::from(*name) + shift, 0.5), 0.01),
        paint: Paint::Own([0.1, 0.2, 0.3]),
    };
    let strokes = names.iter().map(stroke).collect();
    let program = Program::new(Parts { strokes, ..Parts::default() }).unwrap();
    Keyframe::new(1, time_secs, names.to_vec(), program).unwrap()
}

#[test]
fn a_keyframe_goes_over_into_the_next() {
    let (a, b) = (keyframe(0.0, &[1, 2, 3, 5], 0.0), keyframe(1.0, &[2, 7, 3, 8], 0.1));
    a.check_next(&b).unwrap();
    assert_eq!(&between(&a, &b, 0.0).unwrap(), a.program());
    assert_eq!(&between(&a, &b, 1.0).unwrap(), b.program());
    let program = between(&a, &b, 0.25).unwrap();
    let area = Shape::drop(vec2(0.0, 0.0), 0.01).area();
    let shares: Vec<f64> = program.strokes().iter().map(|s| s.shape.area() / area).collect();
    // 1 goes, 2 stays, 7 comes, 3 stays, 8 comes, 5 goes; those that both have keep their order.
    for (share, expected) in shares.iter().zip([0.75, 1.0, 0.25, 1.0, 0.25, 0.75]) {
        assert!((share - expected).abs() < 1e-12, "{shares:?}");
    }
    assert_eq!(shares.len(), 6);
    assert!((program.strokes()[1].shape.anchor.x - (0.14 + 0.025)).abs() < 1e-12);
}

/// A stroke and its reverse are the same deposit: it does not turn around.
#[test]
fn strokes_keep_their_palette_colour_and_do_not_turn_around() {
    let line = Shape::line(vec2(0.2, 0.2), vec2(0.3, 0.1), 0.02).with_bend(0.4);
    let program = |shape, palette: Vec<Colour>| {
        let strokes = vec![Stroke { shape, paint: Paint::Palette(0) }];
        Program::new(Parts { strokes, palette, ..Parts::default() }).unwrap()
    };
    let at = |time, program| Keyframe::new(1, time, vec![4], program).unwrap();
    let red = vec![[1.0, 0.0, 0.0]];
    let a = at(0.0, program(line, red.clone()));
    let half = between(&a, &at(1.0, program(line.reversed(), red)), 0.5).unwrap();
    let stroke = half.strokes()[0];
    assert!(
        (stroke.shape.offset - line.offset).norm() < 1e-12 && stroke.paint == Paint::Palette(0)
    );
    assert!((stroke.shape.bend - 0.4).abs() < 1e-12);
    let half = between(&a, &at(1.0, program(line, vec![[0.0; 3]])), 0.5).unwrap();
    assert_eq!(half.strokes()[0].paint, Paint::Own([0.5, 0.0, 0.0]));
}

#[test]
fn keyframes_that_cannot_be_are_refused() {
    let program = prior::program(3, 1.0, 1).unwrap();
    let new =
        |shot, time, names: &[u32]| Keyframe::new(shot, time, names.to_vec(), program.clone());
    let refused = |result: Result<Keyframe>, part: &str| {
        let said = result.unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    };
    refused(new(0, 0.0, &[1, 2, 3]), "shot 0");
    refused(new(1, f64::NAN, &[1, 2, 3]), "time NaN");
    refused(new(1, -1.0, &[1, 2, 3]), "time -1");
    refused(new(1, 0.0, &[1, 2]), "names 2 strokes, but its program has 3");
    refused(new(1, 0.0, &[1, 2, 1]), "two strokes of the name 1");
    let next = |names: &[u32], time: f64| {
        let a = keyframe(1.0, &[1, 2, 3], 0.0);
        a.check_next(&keyframe(time, names, 0.0)).map_err(|e| e.to_string())
    };
    assert!(next(&[9, 1, 8, 3], 2.0).is_ok());
    assert!(next(&[1, 2, 3], 1.0).unwrap_err().contains("not after"));
    assert!(next(&[2, 1, 3], 2.0).unwrap_err().contains("stroke 1 earlier"));
    let tall = prior::program(3, 1.5, 1).unwrap();
    let tall = Keyframe::new(1, 2.0, vec![1, 2, 3], tall).unwrap();
    assert!(new(1, 1.0, &[1, 2, 3]).unwrap().check_next(&tall).is_err());
}

#[test]
fn reels_are_read_as_they_were_written() {
    let provenance = Provenance::parse(r#"{"made_by": "a\nb", "format": "x"}"#).unwrap();
    let header = Header { frames_per_second: 29.97, provenance };
    let line = write_header(&header);
    assert_eq!(line.matches('\n').count(), 1);
    assert!(is_reel(line.as_bytes()) && is_reel(b" { \"format\" :\n\"tbr-reel\""));
    assert_eq!(parse_header(line.as_bytes()).unwrap(), header);
    for bend in [0.0, 0.3] {
        let mut parts = prior::program(5, 0.7, 2).unwrap().into_parts();
        parts.strokes[3].shape.bend = bend;
        parts.provenance = header.provenance.clone();
        let program = Program::new(parts).unwrap();
        let keyframe = Keyframe::new(3, 0.04, vec![4, 0, 7, 9, 2], program).unwrap();
        let line = write_keyframe(&keyframe);
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(parse_keyframe(line.as_bytes(), 1).unwrap(), keyframe);
    }
}

#[test]
fn what_is_no_reel_is_refused_with_the_place() {
    let header = |text: &str| parse_header(text.as_bytes()).unwrap_err().to_string();
    let whole =
        r#"{"format": "tbr-reel", "version": 1, "frames_per_second": 25, "provenance": {}}"#;
    assert!(parse_header(whole.as_bytes()).is_ok());
    assert!(header("").contains("tbr-reel"));
    assert!(header(&whole.replace("tbr-reel", "tbr-program")).contains("tbr-reel"));
    assert!(header(&whole.replace("1,", "2,")).contains("version: is 2"));
    assert!(header(&whole.replace("25", "0")).contains("frames_per_second: is 0"));
    assert!(header(&whole.replace("{}", "[]")).contains("provenance"));
    let line = write_keyframe(&keyframe(0.5, &[1, 2], 0.0));
    let keyframe = |text: &str| parse_keyframe(text.as_bytes(), 17).unwrap_err().to_string();
    assert!(keyframe("{}").contains("keyframe 17: missing field"));
    assert!(keyframe(&line.replace("[1,2]", "[1,1]")).contains("keyframe 17: keyframe: has two"));
    assert!(keyframe(&line.replace("0.01,", "-1,")).contains("keyframe 17: stroke 1: half_width"));
}
