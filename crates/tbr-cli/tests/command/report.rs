//! `tbr report`: a page that holds everything it shows, with the figures of the other
//! commands, and what is said when something is wrong.

use crate::common::{BENT, Bench, DROP, LINE, bent_program, fails, program, said, tbr, text};
use image::{Rgb, RgbImage};
use roxmltree::{Document, Node, ParsingOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// A picture of the shape of the tests' programs, or of another.
fn picture(bench: &Bench, width: u32, height: u32) -> PathBuf {
    let path = bench.path(&format!("picture-{width}-{height}.png"));
    let colour = |i: u32, j: u32| Rgb([(5 * i) as u8, (9 * j) as u8, (i + j) as u8]);
    RgbImage::from_fn(width, height, colour).save(&path).unwrap();
    path
}

/// The page, from standard output, with pictures that are small enough for a test.
#[track_caller]
fn page(args: &[&str]) -> String {
    said(&[&["report", "-o", "-", "--width", "48"], args].concat()).0
}

/// A page is read as XML, which no unbalanced tag survives.
#[track_caller]
fn read(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

/// All text inside an element.
fn inner(node: Node) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

/// The page's tables, row by row, cells joined as the terminal's are, by spaces.
fn lines(page: &Document) -> Vec<String> {
    let rows = page.descendants().filter(|n| n.has_tag_name("tr"));
    let cells = |row: Node| row.children().filter(Node::is_element).map(inner).collect::<Vec<_>>();
    rows.map(|row| words(&cells(row).join(" "))).collect()
}

/// Text with single spaces between its words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn images<'a>(page: &'a Document) -> Vec<Node<'a, 'a>> {
    page.descendants().filter(|n| n.has_tag_name("img")).collect()
}

#[test]
fn every_line_of_info_and_score_is_on_the_page() {
    let bench = Bench::new();
    let straight = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}, {DROP}")));
    let bent = bench.write("q.tbr.json", bent_program(&format!("{DROP}, {BENT}, {DROP}")));
    for (file, bends) in [(straight, false), (bent, true)] {
        let (info, _) = said(&["info", text(&file)]);
        assert_eq!(info.contains("strokes that bend"), bends, "{info}");
        assert_eq!(info.contains("bend, either way"), bends, "{info}");
        assert_told(&bench, &file, &info);
    }
}

/// All that is said of a program is on the page about it.
fn assert_told(bench: &Bench, file: &Path, info: &str) {
    let target = picture(bench, 48, 24);
    let html = page(&[text(file), text(&target)]);
    let page = read(&html);
    let told = lines(&page);
    let (score, _) = said(&["score", text(file), text(&target)]);
    let (deciles, tables): (Vec<&str>, Vec<&str>) =
        info.lines().chain(score.lines()).partition(|l| l.starts_with("visible by decile"));
    for line in tables.into_iter().filter(|l| !l.is_empty()) {
        assert!(told.contains(&words(line)), "\"{line}\" is not in: {told:#?}");
    }
    let bars = page.descendants().filter(|n| n.attribute("class") == Some("value")).map(inner);
    let bars = bars.filter(|t| !t.starts_with("median")).collect::<Vec<_>>().join(" ");
    assert_eq!(deciles, [format!("visible by decile, %: {bars}")]);
}

#[test]
fn a_page_fetches_and_runs_nothing() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let html = page(&[text(&file), text(&picture(&bench, 48, 24))]);
    for part in ["http:", "https:", "<script", "<link", "<iframe", "@import", "url(", "xmlns"] {
        assert!(!html.contains(part), "{part}");
    }
    let page = read(&html);
    for node in page.descendants().filter(Node::is_element) {
        assert!(!["script", "link", "iframe", "object", "a"].contains(&node.tag_name().name()));
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{attribute:?}");
            if ["src", "href", "srcset", "data"].contains(&attribute.name()) {
                assert!(attribute.value().starts_with("data:image/png;base64,"), "{attribute:?}");
            }
        }
    }
    assert_eq!(images(&page).len(), 5 + 7);
    assert!(images(&page).iter().all(|i| i.attribute("alt").is_some_and(|alt| alt.len() > 10)));
    assert_eq!(page.descendants().filter(|n| n.has_tag_name("svg")).count(), 3);
}

#[test]
fn pictures_are_those_of_other_commands() {
    use base64::Engine;
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let target = picture(&bench, 48, 24);
    let html = page(&[text(&file), text(&target)]);
    let page = read(&html);
    let pixels = |index: usize| {
        let uri = images(&page)[index].attribute("src").unwrap();
        let code = uri.strip_prefix("data:image/png;base64,").unwrap();
        let png = base64::prelude::BASE64_STANDARD.decode(code).unwrap();
        image::load_from_memory(&png).unwrap().into_rgb8()
    };
    let render = bench.path("r.png");
    let args = ["render", text(&file), "-o", text(&render), "--width", "48", "--samples", "3"];
    let rendered = |more: &[&str]| {
        said(&[&args[..], &["--force"], more].concat());
        image::open(&render).unwrap().into_rgb8()
    };
    let (shown, replay) = (pixels(0), pixels(1));
    assert!(shown == image::open(&target).unwrap().into_rgb8());
    assert!(replay == rendered(&[]) && pixels(11) == replay, "all strokes");
    for prefix in 5..9 {
        assert!(pixels(prefix) == rendered(&["--first", "1"]), "prefix {prefix}");
    }
    for (error, (a, b)) in pixels(2).pixels().zip(shown.pixels().zip(replay.pixels())) {
        for c in 0..3 {
            // The replay is rounded on the page, and its error is not: two steps of 255.
            let expected = (4 * i32::from(a[c].abs_diff(b[c]))).min(255);
            assert!((i32::from(error[c]) - expected).abs() <= 2, "{error:?} {a:?} {b:?}");
        }
    }
    let colours = |index: usize| {
        let mut colours: Vec<_> = pixels(index).pixels().map(|p| p.0).collect();
        colours.sort_unstable();
        colours.dedup();
        colours
    };
    // Two strokes and the bare canvas.
    for map in [3, 4] {
        assert_eq!(colours(map).len(), 3);
        assert!(colours(map).contains(&[255; 3]));
    }
}

#[test]
fn a_program_alone_has_a_page_without_scores() {
    let bench = Bench::new();
    for (strokes, own) in [("", None), (DROP, None), (LINE, Some("1 of 1 strokes have"))] {
        let file = bench.write("p.tbr.json", program(strokes));
        let html = page(&[text(&file)]);
        let page = read(&html);
        assert_eq!(images(&page).len(), 3 + 7, "{strokes}");
        assert!(!html.contains("Scores") && !html.contains("compared with"));
        assert_eq!(html.contains("of their own.</p>"), own.is_some());
        assert!(own.is_none_or(|own| html.contains(own)));
    }
    let free = program(LINE).replace("[[0.1, 0.2, 0.5], [0.8, 0.3, 0.2]]", "[]");
    assert!(page(&[text(&bench.write("free.tbr.json", free))]).contains("There is no palette"));
}

#[test]
fn what_others_wrote_is_text_and_nothing_else() {
    let bench = Bench::new();
    let nasty = r#"{"<script>alert(1)</script>": "\"'><img src=x onerror=alert(2)>&amp;\u0000",
        "deep": [{"k": ["</table>", null, true, 0.1]}]}"#;
    let strokes =
        program(DROP).replace(r#""provenance": {}"#, &format!(r#""provenance": {nasty}"#));
    let file = bench.write("a&amp;b'c.tbr.json", strokes);
    let html = page(&[text(&file)]);
    assert!(!html.contains("<script") && !html.contains("<img src=x"));
    let page = read(&html);
    let told = lines(&page);
    for line in [
        "<script>alert(1)</script> \"'><img src=x onerror=alert(2)>&amp;\u{fffd}",
        "k </table>, none, yes, 0.1",
    ] {
        assert!(told.contains(&line.to_owned()), "{line} is not in: {told:#?}");
    }
    let heading = page.descendants().find(|n| n.has_tag_name("h1")).unwrap();
    assert_eq!(inner(heading), "a&amp;b'c.tbr.json");
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let (target, out) = (picture(&bench, 48, 24), bench.path("p.html"));
    let args = ["report", text(&file), text(&target), "-o", text(&out), "--width", "48"];
    let (printed, talk) = said(&args);
    assert!(printed.is_empty());
    assert!(talk.contains("note: LPIPS and VGG features are left out"), "{talk}");
    let next = format!("next: tbr trace {} --at 0.5,0.5", file.display());
    assert_eq!(talk.lines().last(), Some(next.as_str()));
    assert_eq!(bench.files().len(), 3, "one file is written");
    let first = fs::read_to_string(&out).unwrap();
    assert!(first == page(&[text(&file), text(&target), "--threads", "1"]));
    said(&[&args[..], &["--force"]].concat());
    assert!(first == fs::read_to_string(&out).unwrap());
    assert!(first.contains("left out: they need the networks&#39; weights"));
}

#[test]
fn either_file_may_come_from_standard_input() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let target = picture(&bench, 48, 24);
    let whole = page(&[text(&file), text(&target)]);
    let args = ["report", "-o", "-", "--width", "48"];
    for (files, input, name) in [
        (["-", text(&target)], &file, "p.tbr.json"),
        ([text(&file), "-"], &target, "picture-48-24.png"),
    ] {
        let input = fs::read(input).unwrap();
        let output = tbr(&[&args[..], &files].concat()).write_stdin(input).output().unwrap();
        let html = String::from_utf8(output.stdout).unwrap();
        assert!(html == whole.replace(name, "standard input"), "{name}");
    }
    fails(&["report", "-", "-", "-o", "-"], 2, &["standard input"]);
}

#[test]
fn requests_that_cannot_be_met() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let (target, square) = (picture(&bench, 48, 24), picture(&bench, 48, 48));
    let out = bench.path("p.html");
    let bad = |args: &[&str], code: i32, parts: &[&str]| {
        fails(&[&["report", "-o", text(&out)], args].concat(), code, parts);
        assert!(!out.exists());
    };
    bad(&["nothing.tbr.json"], 3, &["nothing.tbr.json"]);
    bad(&[text(&file), "nothing.png"], 3, &["nothing.png"]);
    bad(&[text(&file), text(&file)], 3, &["p.tbr.json", "not a picture"]);
    bad(&[text(&file), text(&square)], 2, &["picture-48-48.png", "the program's canvas is 0.5000"]);
    bad(&[text(&target)], 4, &["picture-48-24.png"]);
    bad(&[text(&file), text(&target), "--weights", "nowhere"], 3, &["nowhere"]);
    for width in ["0", "wide", "5000"] {
        bad(&[text(&file), "--width", width], 2, &[width]);
    }
    bad(&[text(&file), "--width", "4000"], 5, &["4000 x 2000", "too many"]);
    fails(&["report", text(&file)], 2, &["required"]);
    let nowhere = bench.path("no/such/p.html");
    fails(&["report", text(&file), "-o", text(&nowhere)], 3, &["p.html"]);
}

#[test]
fn a_page_that_is_there_is_kept_without_force() {
    let bench = Bench::new();
    let out = bench.write("p.html", "mine");
    let args = ["report", "nothing.tbr.json", "-o", text(&out)];
    fails(&args, 3, &["p.html", "is there already"]);
    // With it the page is not touched before there is another.
    fails(&[&args[..], &["--force"]].concat(), 3, &["nothing.tbr.json"]);
    assert_eq!(fs::read_to_string(Path::new(&out)).unwrap(), "mine");
    assert_eq!(bench.files(), ["p.html"]);
}
