//! Programs fitted with and without transport, each executed with and imagined without it.

use super::{ARTWORKS, beside, optional, over, percent, times};
use crate::reproduce::lab::{Lab, floor_ratio, under};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{Ratios, geometric_mean, range};
use crate::subject::Subject;
use serde::Serialize;
use serde_json::json;
use tbr::score::Scores;
use tbr::{Operator, Program};
use tbr_io::Failure;
use tbr_io::table::{Table, cells};

/// Two programs of one picture, and their four scores.
#[derive(Serialize)]
pub struct Recovered {
    pub picture: String,
    pub floor: f64,
    #[serde(skip)]
    pub joint: Program,
    #[serde(skip)]
    pub inert: Program,
    /// Fitted with transport: executed with it, imagined without.
    pub joint_executed: Scores,
    pub joint_imagined: Scores,
    /// Fitted without: executed with it, imagined without.
    pub inert_executed: Scores,
    pub inert_imagined: Scores,
}

/// The two programs of every picture.
pub fn recovered(lab: &Lab) -> Result<Vec<Recovered>, Failure> {
    lab.subjects.iter().map(|subject| one(lab, subject)).collect()
}

fn one(lab: &Lab, subject: &Subject) -> Result<Recovered, Failure> {
    let joint = lab.fit(subject, &lab.joint())?.program;
    let inert = lab.fit(subject, &lab.inert())?.program;
    let score = |program: &Program, operator: Operator| {
        lab.score(subject, &under(program, operator)?, lab.sizes.side_px)
    };
    let joint_executed = score(&joint, Operator::Capsule)?;
    Ok(Recovered {
        picture: subject.name.clone(),
        floor: joint_executed.floor,
        joint_imagined: score(&joint, Operator::Inert)?,
        inert_executed: score(&inert, Operator::Capsule)?,
        inert_imagined: score(&inert, Operator::Inert)?,
        joint_executed,
        joint,
        inert,
    })
}

/// A column of errors.
fn column(rows: &[Recovered], of: impl Fn(&Recovered) -> f64) -> Vec<f64> {
    rows.iter().map(of).collect()
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let rows = recovered(lab)?;
    let floors = column(&rows, |r| r.floor);
    let below = Ratios::of(&over(&floors, &column(&rows, |r| r.joint_executed.mse)));
    let above = Ratios::of(&over(&column(&rows, |r| r.inert_executed.mse), &floors));
    let mut seeds = Vec::new();
    for seed in 1..lab.sizes.seeds {
        seeds.push(seed_mean(lab, seed)?);
    }
    if !seeds.is_empty() {
        seeds.insert(0, below.mean);
    }
    let mut table = by_picture(&rows);
    table.extend(summaries(&below, &above, &seeds));
    let caption = "Mean squared error of hard renders (tab:2x2). A is fitted with transport, U \
                   without; executed is replay with transport, imagined without. The paper's in \
                   brackets, over its own five pictures";
    let section = Section::default().table(Table::new(caption, table)).table(programs(lab, &rows)?);
    Ok(findings(section, &rows, &above).data(json!({
        "rows": rows,
        "floor_over_joint": below,
        "inert_over_floor": above,
        "seed_means": seeds,
    })))
}

/// Each picture's floor and four errors.
fn by_picture(rows: &[Recovered]) -> Vec<Vec<String>> {
    let mut table = vec![cells([
        &"picture",
        &"flat floor",
        &"A executed",
        &"U executed",
        &"floor/A",
        &"U/floor",
        &"A imagined",
        &"U imagined",
    ])];
    for r in rows {
        let error = |s: &Scores| format!("{:.4}", s.mse);
        table.push(vec![
            r.picture.clone(),
            format!("{:.4}", r.floor),
            error(&r.joint_executed),
            error(&r.inert_executed),
            times(r.floor / r.joint_executed.mse),
            times(r.inert_executed.mse / r.floor),
            error(&r.joint_imagined),
            error(&r.inert_imagined),
        ]);
    }
    table
}

/// The last lines of the table: means, intervals, and the means of all seeds if there are some.
fn summaries(below: &Ratios, above: &Ratios, seeds: &[f64]) -> Vec<Vec<String>> {
    let line = |name: &str, a: String, b: String| {
        let mut row = vec![String::new(); 8];
        (row[0], row[4], row[5]) = (name.into(), a, b);
        row
    };
    let mut lines = vec![
        line(
            "geometric mean",
            beside(times(below.mean), "3.67x"),
            beside(times(above.mean), "1.77x"),
        ),
        line(
            "95 % interval",
            beside(below.interval_text(), "[2.43, 5.54]"),
            beside(above.interval_text(), "[1.65, 1.91]"),
        ),
    ];
    if !seeds.is_empty() {
        let (worst, _) = range(seeds);
        let text = format!("{} / {}", times(geometric_mean(seeds)), times(worst));
        let name = format!("{} seeds, mean / worst", seeds.len());
        lines.push(line(&name, beside(text, "3.71x / 3.66x, three"), String::new()));
    }
    lines
}

fn findings(section: Section, rows: &[Recovered], above: &Ratios) -> Section {
    let count = rows.len();
    let flat = rows.iter().filter(|r| r.joint_executed.mse < r.floor).count();
    let easier = rows.iter().filter(|r| r.inert_imagined.mse < r.joint_executed.mse).count();
    section
        .finding(
            "Programs recovered with transport are below the flat floor",
            flat == count,
            format!("{flat}/{count}; paper 5/5"),
        )
        .finding(
            "Programs fitted without transport are above the flat floor when executed",
            above.logarithms.positive == count,
            format!("{}; paper 5/5", above.sign()),
        )
        .finding(
            "Fitting without transport is the easier problem on most pictures",
            2 * easier > count,
            format!("{easier}/{count}; paper 4/5"),
        )
}

/// The mean floor ratio with another seed.
fn seed_mean(lab: &Lab, seed: u64) -> Result<f64, Failure> {
    let ratio = |subject: &Subject| {
        let (_, scores) = lab.fit_and_score(subject, &super::noise::seeded(lab, seed))?;
        Ok(floor_ratio(&scores))
    };
    Ok(geometric_mean(&lab.subjects.iter().map(ratio).collect::<Result<Vec<f64>, Failure>>()?))
}

/// What the recovered programs are like, and ours beside them.
fn programs(lab: &Lab, rows: &[Recovered]) -> Result<Table, Failure> {
    let mut table = vec![cells([
        &"picture",
        &"floor/A",
        &"LPIPS A",
        &"LPIPS U executed",
        &"paint, canvases",
        &"laid outside",
        &"off the canvas at the end",
        &"visible",
        &"of the first and last tenth",
        &"drawn",
        &"longer than wide",
        &"l/r quartiles, 90 %",
        &"default preset: floor/MSE",
        &"its paint",
    ])];
    for (subject, r) in lab.subjects.iter().zip(rows) {
        let paint = lab.paint(&r.joint)?;
        let (ours, score) = lab.fit_and_score(subject, &lab.default_preset())?;
        let digits = |v: f64| format!("{v:.3}");
        table.push(vec![
            r.picture.clone(),
            times(r.floor / r.joint_executed.mse),
            optional(r.joint_executed.lpips_alex, digits),
            optional(r.inert_executed.lpips_alex, digits),
            format!("{:.2}", paint.deposited),
            percent(paint.laid_outside / paint.deposited),
            percent(paint.expelled / paint.deposited),
            format!("{} of {}", paint.visible, paint.strokes),
            paint.deciles.map(percent).join(", "),
            percent(paint.drawn),
            percent(paint.longer_than_wide),
            paint.aspects.map(|a| format!("{a:.1}")).join(", "),
            times(floor_ratio(&score)),
            format!("{:.2}", lab.paint(&ours)?.deposited),
        ]);
    }
    Ok(Table::new(
        "The recovered programs A. The paper's: 5.5 to 6.2 canvases of paint, 78 to 79 % of it \
         off the canvas at the end, 78 % of the strokes drawn, 59 % longer than wide, l/r of \
         drawn ones 1.0, 1.9, 3.6, 6.0; in other series 2 % laid outside and 6 to 99 % of the \
         strokes visible, first and last tenth. Beside them tbr's own solver",
        table,
    ))
}

/// The contrasts of the paper's table, and its figures: mean, interval, t, `d_z`, sign.
const CONTRASTS: [(&str, [&str; 5]); 6] = [
    ("executed, U/A (MSE)", ["6.50x", "[4.19, 10.09]", "11.8", "5.3", "5/5"]),
    ("imagined, A/U (MSE)", ["5.12x", "[3.14, 8.35]", "9.3", "4.1", "5/5"]),
    ("interaction (MSE)", ["33.29x", "[14.35, 77.23]", "11.6", "5.2", "5/5"]),
    ("sixteen drops, U/A (MSE)", ["4.93x", "[3.58, 6.78]", "13.9", "6.2", "5/5"]),
    ("executed, U/A (LPIPS)", ["1.93x", "[1.80, 2.08]", "25.2", "11.3", "5/5"]),
    ("imagined, A/U (LPIPS)", ["2.37x", "[2.05, 2.74]", "16.6", "7.4", "5/5"]),
];

pub fn statistics(lab: &Lab) -> Result<Section, Failure> {
    let rows = recovered(lab)?;
    let error = |of: fn(&Recovered) -> &Scores| column(&rows, |r| of(r).mse);
    let executed = over(&error(|r| &r.inert_executed), &error(|r| &r.joint_executed));
    let imagined = over(&error(|r| &r.joint_imagined), &error(|r| &r.inert_imagined));
    let interaction: Vec<f64> = executed.iter().zip(&imagined).map(|(a, b)| a * b).collect();
    let drops = super::transfer::ratios(lab, &rows)?;
    let lpips = |of: fn(&Recovered) -> &Scores| -> Option<Vec<f64>> {
        rows.iter().map(|r| of(r).lpips_alex).collect()
    };
    let perceived = |a: fn(&Recovered) -> &Scores, b: fn(&Recovered) -> &Scores| {
        Some(over(&lpips(a)?, &lpips(b)?))
    };
    let contrasts = [
        Some(executed),
        Some(imagined),
        Some(interaction),
        Some(drops),
        perceived(|r| &r.inert_executed, |r| &r.joint_executed),
        perceived(|r| &r.joint_imagined, |r| &r.inert_imagined),
    ];
    let mut table = vec![cells([&"contrast", &"mean", &"95 % interval", &"t", &"d_z", &"sign"])];
    let mut data = serde_json::Map::new();
    for ((name, paper), ratios) in CONTRASTS.into_iter().zip(contrasts) {
        let Some(ratios) = ratios else {
            table.push(vec![name.into(), "not run: needs the networks' weights".into()]);
            continue;
        };
        let ratios = Ratios::of(&ratios);
        let number = |v: Option<f64>| v.map_or_else(|| "-".into(), |v| format!("{v:.1}"));
        let ours = [
            times(ratios.mean),
            ratios.interval_text(),
            number(ratios.logarithms.t),
            number(ratios.logarithms.d_z),
            ratios.sign(),
        ];
        let cells = ours.iter().zip(paper).map(|(ours, paper)| beside(ours, paper));
        table.push(std::iter::once(name.to_owned()).chain(cells).collect());
        data.insert(name.into(), json!(ratios));
    }
    Ok(Section::default()
        .table(Table::new(
            "Paired analysis of logarithms of ratios (tab:stats): geometric mean, t interval, t, \
             standardised effect, pictures in the predicted direction. The paper's in brackets",
            table,
        ))
        .data(data))
}

pub fn out_of_domain(lab: &Lab) -> Result<Section, Failure> {
    let mut table = vec![cells([
        &"artwork",
        &"floor/MSE, paper's solver",
        &"LPIPS",
        &"floor/MSE, default preset",
    ])];
    let (mut ratios, mut figures) = (Vec::new(), Vec::new());
    for (name, paper) in ARTWORKS {
        let all = lab.artworks.iter().chain(&lab.subjects);
        let Some(subject) = all.into_iter().find(|s| s.name == name) else { continue };
        let (program, theirs) = lab.fit_and_score(subject, &lab.joint())?;
        let (_, ours) = lab.fit_and_score(subject, &lab.default_preset())?;
        let ratio = floor_ratio(&theirs);
        ratios.push((name, ratio));
        table.push(vec![
            name.into(),
            beside(times(ratio), times(paper)),
            optional(theirs.lpips_alex, |v| format!("{v:.3}")),
            times(floor_ratio(&ours)),
        ]);
        figures.extend(super::pictures::pair(lab, subject, &program)?);
    }
    if ratios.is_empty() {
        let names = ARTWORKS.map(|(name, _)| name).join(", ");
        return Ok(Section::default().text(format!("Not run: the corpus has none of {names}.")));
    }
    Ok(Section::default()
        .table(Table::new(
            "Artworks instead of marbled sheets, the same settings; the paper's in brackets",
            table,
        ))
        .figures(figures)
        .data(ratios))
}

/// Other programs' pictures, scored by the same code.
pub fn raster(lab: &Lab) -> Result<Section, Failure> {
    let mut table = vec![cells([&"picture", &"MSE", &"floor/MSE", &"LPIPS", &"floor/A"])];
    let mut ratios = Vec::new();
    for subject in &lab.subjects {
        let Some(picture) = lab.raster(subject)? else { continue };
        let scores = lab.score_image(&picture, &subject.target(lab.sizes.side_px)?)?;
        let (_, joint) = lab.fit_and_score(subject, &lab.joint())?;
        table.push(vec![
            subject.name.clone(),
            format!("{:.4}", scores.mse),
            scores.floor_ratio.map_or_else(|| "exact".into(), times),
            optional(scores.lpips_alex, |v| format!("{v:.3}")),
            times(floor_ratio(&joint)),
        ]);
        ratios.extend(scores.floor_ratio);
    }
    if table.len() == 1 {
        let text = "Not run: --raster names a folder of other programs' pictures, *.png, each with \
                    the name of one of the corpus.";
        return Ok(Section::default().text(text));
    }
    if !ratios.is_empty() {
        let all = Ratios::of(&ratios);
        let mean = format!("{} {}", times(all.mean), all.interval_text());
        table.push(vec!["geometric mean".into(), String::new(), mean]);
    }
    Ok(Section::default()
        .table(Table::new(
            "Pictures of another program, scored as ours are. The paper's external fitter: \
             3.11x [2.35, 4.13], on its own pictures",
            table,
        ))
        .data(ratios))
}
