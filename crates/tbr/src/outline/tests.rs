use super::*;
use crate::chain::Chain;
use crate::numbers::vec2;
use crate::prior;
use crate::program::Stroke;
use crate::render::naive;
use crate::stroke::Shape;

/// An outline as a polygon: the cubics in `count` steps each.
fn polygon(outline: &Outline, count: usize) -> Vec<Vec2<f64>> {
    let mut from = outline.start;
    let mut points = Vec::new();
    for [a, b, to] in &outline.curves {
        for k in 0..count {
            let u = k as f64 / count as f64;
            let v = 1.0 - u;
            points.push(
                from * (v * v * v)
                    + *a * (3.0 * u * v * v)
                    + *b * (3.0 * u * u * v)
                    + *to * (u * u * u),
            );
        }
        from = *to;
    }
    points
}

/// Does a closed polygon go around `p`?
fn holds(polygon: &[Vec2<f64>], p: Vec2<f64>) -> bool {
    let mut turns = 0;
    for (k, a) in polygon.iter().enumerate() {
        let b = polygon[(k + 1) % polygon.len()];
        let left = (b.x - a.x) * (p.y - a.y) - (p.x - a.x) * (b.y - a.y);
        if a.y <= p.y && b.y > p.y && left > 0.0 {
            turns += 1;
        } else if a.y > p.y && b.y <= p.y && left < 0.0 {
            turns -= 1;
        }
    }
    turns != 0
}

/// The outlines of a program, painted in order, show the owners of the hard render:
/// only points that lie within `near` of an edge may differ.
#[track_caller]
fn check(program: &Program, operator: Operator, near: f64) {
    let outlines = Outlines::new(program, Some(operator), None).unwrap();
    let polygons: Vec<_> =
        (0..outlines.len()).map(|i| polygon(&outlines.outline(i).unwrap(), 8)).collect();
    let chain = Chain::of(program, Some(operator));
    let owner = |p| naive::owner(&chain, p) as usize;
    let mut seen = std::collections::HashSet::new();
    for k in 0..60 * 60 {
        // A lattice that is not aligned with anything.
        let p = vec2(f64::from(k % 60) / 60.0 + 0.001, f64::from(k / 60) / 60.0 + 0.0013);
        let painted = polygons.iter().rposition(|polygon| holds(polygon, p)).map_or(0, |i| i + 1);
        let exact = owner(p);
        seen.insert(exact);
        if painted != exact {
            let around = [vec2(near, 0.0), vec2(-near, 0.0), vec2(0.0, near), vec2(0.0, -near)];
            let on_edge = around.iter().any(|d| owner(p + *d) == painted);
            assert!(on_edge, "{operator}: stroke {painted} instead of {exact} at {p:?}");
        }
    }
    assert!(seen.len() > program.strokes().len() / 3, "the test sees {} strokes", seen.len());
}

#[test]
fn painted_in_order_outlines_show_the_picture() {
    for program in [
        prior::program(120, 1.0, 4),
        prior::bent_program(120, 1.0, 4),
        prior::combed_program(120, 1.0, 4),
    ] {
        let program = program.unwrap();
        for operator in [Operator::Capsule, Operator::Calibrated, Operator::Drops, Operator::Inert]
        {
            check(&program, operator, 2e-5);
        }
    }
}

/// Strokes much thinner than the pieces of outline that they meet.
#[test]
fn a_thin_stroke_bends_a_long_piece() {
    let line = |x: f64, y: f64, dx: f64, dy: f64, half_width: f64| Stroke {
        shape: Shape::line(vec2(x, y), vec2(dx, dy), half_width),
        paint: crate::program::Paint::Own([0.5; 3]),
    };
    let mut parts = prior::program(1, 1.0, 1).unwrap().into_parts();
    parts.strokes = vec![line(0.1, 0.3, 0.8, 0.0, 0.2)];
    for k in 0..40 {
        let (x, w) = (0.1 + 0.02 * f64::from(k), 1e-4 * (1.0 + f64::from(k % 7)));
        let y = [0.5002, 0.499, 0.1, 0.3][k as usize % 4];
        parts.strokes.push(line(x, y, 0.0, [0.0, 0.003, 0.01, 1e-5][k as usize / 10], w));
    }
    let program = Program::new(parts).unwrap();
    let outlines = Outlines::new(&program, None, None).unwrap();
    let polygons: Vec<_> =
        (0..outlines.len()).map(|i| polygon(&outlines.outline(i).unwrap(), 8)).collect();
    let chain = Chain::of(&program, None);
    // Points all around every thin stroke, and in it.
    for stroke in &program.strokes()[1..] {
        for k in 0..200 {
            let angle = f64::from(k) * 2.4;
            let reach = stroke.shape.half_width * 0.02 * f64::from(k);
            let ray = vec2(libm::cos(angle), libm::sin(angle)) * reach;
            let p = stroke.shape.anchor + stroke.shape.offset * 0.5 + ray;
            let painted = polygons.iter().rposition(|q| holds(q, p)).map_or(0, |i| i + 1);
            let owner = |p| naive::owner(&chain, p) as usize;
            let near = 1e-5;
            let around =
                [vec2(near, near), vec2(-near, near), vec2(near, -near), vec2(-near, -near)];
            let right = painted == owner(p) || around.iter().any(|d| owner(p + *d) == painted);
            assert!(right, "stroke {painted} instead of {} at {p:?}", owner(p));
        }
    }
}

/// Combs as fine, as sharp and as strong as one may like: outlines follow them.
#[test]
fn outlines_follow_any_comb() {
    for words in [
        "comb through 0.5,0.5 angle 83 pull 0.05 spacing 0.02",
        "rake through 0.5,0.5 angle 12 pull 0.2 spacing 0.05 reach 0.01 width 0.0001",
        "tine through 0.5,0.5 angle 40 pull 0.4 reach 0.004",
        "ring centre 0.4,0.5 radius 0.3 pull 0.2 reach 0.02",
    ] {
        let mut parts = prior::bent_program(60, 1.0, 8).unwrap().into_parts();
        let tool = words.parse().unwrap();
        parts.tools.push(crate::tool::Pass { after: 60, tool });
        check(&Program::new(parts).unwrap(), Operator::Capsule, 2e-5);
    }
}

#[test]
fn a_line_across_a_drop_tears_it() {
    let mut parts = prior::program(2, 1.0, 1).unwrap().into_parts();
    let shape = |offset: f64, half_width: f64| {
        Shape::line(vec2(0.5 - 0.5 * offset, 0.5), vec2(offset, 0.0), half_width)
    };
    parts.strokes[0].shape = shape(0.0, 0.1);
    parts.strokes[1].shape = shape(0.6, 0.02);
    let program = Program::new(parts).unwrap();
    let outline = Outlines::new(&program, None, None).unwrap().outline(0).unwrap();
    let polygon = polygon(&outline, 8);
    // It goes on above and below the line; left and right of it there is none.
    assert!(holds(&polygon, vec2(0.5, 0.45)) && holds(&polygon, vec2(0.5, 0.55)));
    assert!(!holds(&polygon, vec2(0.3, 0.5)) && !holds(&polygon, vec2(0.7, 0.5)));
    // Both halves together have the drop's area, and what is joined lies below the line.
    let twice: f64 = (0..polygon.len())
        .map(|k| {
            let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            p.x * q.y - q.x * p.y
        })
        .sum();
    let line = program.strokes()[1].shape;
    let below = 0.5 * twice.abs() - program.strokes()[0].shape.area();
    assert!(below > 0.0 && below < line.area(), "{below} of {}", line.area());
    assert!(outline.touches(&Region { x: 0.5, y: 0.5, width: 0.1, height: 0.1 }));
    assert!(!outline.touches(&Region { x: 0.8, y: 0.5, width: 0.1, height: 0.1 }));
}

/// The box of an outline is that of its deposit, whichever way it points.
#[test]
fn the_box_around_an_outline_is_that_of_the_deposit() {
    let mut parts = prior::program(1, 1.0, 1).unwrap().into_parts();
    for k in 0..40 {
        let angle = 0.37 * f64::from(k);
        let offset = vec2(libm::cos(angle), libm::sin(angle)) * [0.0, 0.01, 0.4][k as usize % 3];
        let (anchor, half_width) = (vec2(0.5, 0.4), [0.004, 0.05, 0.3][k as usize / 3 % 3]);
        parts.strokes[0].shape = Shape::line(anchor, offset, half_width);
        let program = Program::new(parts.clone()).unwrap();
        let [low, high] = Outlines::new(&program, None, None).unwrap().outline(0).unwrap().bounds;
        let end = anchor + offset;
        for (found, expected) in [
            (low.x, anchor.x.min(end.x) - half_width),
            (low.y, anchor.y.min(end.y) - half_width),
            (high.x, anchor.x.max(end.x) + half_width),
            (high.y, anchor.y.max(end.y) + half_width),
        ] {
            assert!((found - expected).abs() < 2e-6, "{k}: {found} instead of {expected}");
        }
    }
}

#[test]
fn what_has_no_outline_is_said() {
    let program = prior::program(3, 1.0, 1).unwrap();
    assert!(Outlines::new(&program, Some(Operator::LineSource), None).is_err());
    assert!(Outlines::new(&program, None, Some(4)).is_err());
    let two = Outlines::new(&program, None, Some(2)).unwrap();
    assert_eq!((two.len(), two.is_empty()), (2, false));
}

/// Two long, thin strokes on one place cut an outline into as many pieces as they have widths.
#[test]
fn an_outline_of_too_many_pieces_is_refused() {
    let twice = |half_width: f64| {
        let mut parts = prior::program(2, 1.0, 1).unwrap().into_parts();
        let shape = Shape::line(vec2(-500.0, 0.5), vec2(1000.0, 0.0), half_width);
        parts.strokes.iter_mut().for_each(|stroke| stroke.shape = shape);
        let program = Program::new(parts).unwrap();
        let outlines = Outlines::new(&program, None, None).unwrap();
        assert!(outlines.outline(1).unwrap().curves.len() < 100);
        outlines.outline(0)
    };
    let pieces = twice(0.05).unwrap().curves.len();
    assert!((5000..MOST_PIECES).contains(&pieces), "{pieces}");
    for half_width in [1e-3, 1e-4, 1e-5, 3e-6] {
        let said = twice(half_width).unwrap_err().to_string();
        assert!(said.contains("stroke 1") && said.contains("limit: 65536"), "{said}");
    }
}
