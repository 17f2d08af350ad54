//! The figures of `tbr bench pictures` as tables and as a plot.

use super::{PictureRow, PicturesReport};
use crate::bench::chart::{self, Mark, Panel, Scale, Series};
use crate::bench::published::{PUBLISHED, PublishedFigure};
use tbr_io::table::{Table, cells};

/// Colours of the lines of our presets.
const COLOURS: [&str; 4] = ["#1f5aa6", "#0f766e", "#6d28d9", "#be185d"];

/// The means, and each preset and number of strokes by picture.
pub fn tables(report: &PicturesReport) -> Vec<Table> {
    let hard = ["PSNR", "SSIM", "LPIPS"];
    let others = ["floor ratio", "seconds", "numbers", "bytes"];
    let heading: Vec<String> = (hard.iter().map(ToString::to_string))
        .chain(hard.iter().map(|name| format!("{name}, smooth")))
        .chain(others.iter().map(ToString::to_string))
        .collect();
    let table = |caption: String, first: &[&str], rows: Vec<Vec<String>>| {
        let first = first.iter().map(ToString::to_string);
        let heading = first.chain(heading.iter().cloned()).collect();
        Table::new(caption, std::iter::once(heading).chain(rows).collect())
    };
    let means = report.means.iter().map(|row| {
        let name = cells([&row.preset, &row.strokes]);
        name.into_iter().chain(figures(row)).collect()
    });
    let size = match report.size_px {
        Some(px) => format!("at {px} pixels"),
        None => "at their own size (from 768 to 1024 pixels)".to_owned(),
    };
    let caption = format!(
        "Means; fitted {size}, scored at their own size, with hard and with smooth edges; {}, {} \
         threads",
        report.cpu, report.threads
    );
    let mut all = vec![table(caption, &["preset", "strokes"], means.collect())];
    for arm in &report.means {
        let of = |row: &&PictureRow| row.preset == arm.preset && row.strokes == arm.strokes;
        let rows = report.rows.iter().filter(of);
        let rows =
            rows.map(|row| std::iter::once(row.picture.clone()).chain(figures(row)).collect());
        let caption = format!("{}, {} strokes", arm.preset, arm.strokes);
        all.push(table(caption, &["picture"], rows.collect()));
    }
    all
}

fn figures(row: &PictureRow) -> Vec<String> {
    let figure = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    vec![
        figure(row.psnr, 2),
        figure(row.ssim, 3),
        figure(row.lpips, 3),
        figure(row.smooth_psnr, 2),
        figure(row.smooth_ssim, 3),
        figure(row.smooth_lpips, 3),
        figure(row.floor_ratio, 2),
        figure(row.seconds, 1),
        figure(Some(row.numbers), 0),
        figure(Some(row.bytes), 0),
    ]
}

/// PSNR, and LPIPS if there is any, over the numbers that are stored. Ours is of replays with
/// smooth edges, as the others' are.
pub fn plot(report: &PicturesReport) -> String {
    let lines = |value: fn(&PictureRow) -> Option<f64>| -> Vec<Series> {
        let mut all: Vec<Series> = Vec::new();
        for row in &report.means {
            let Some(value) = value(row) else { continue };
            let (name, at) = (format!("tbr, {}", row.preset), (row.numbers, value));
            match all.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(at),
                None => {
                    let colour = COLOURS[all.len() % COLOURS.len()];
                    all.push(Series { name, colour, mark: Mark::Circle, points: vec![at] });
                }
            }
        }
        all.iter_mut().for_each(|s| s.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
        all
    };
    let published = |value: fn(&PublishedFigure) -> Option<f64>| {
        PUBLISHED.iter().map(move |method| Series {
            name: format!("{}: {}, on Kodak, as published", method.name, method.primitives),
            colour: method.colour,
            mark: method.mark,
            points: (method.figures.iter())
                .filter_map(|f| Some((f.primitives as f64 * method.numbers_each, value(f)?)))
                .collect(),
        })
    };
    let panel = |title: &str, ours: Vec<Series>, others: Vec<Series>| Panel {
        title: title.into(),
        across: "numbers stored",
        upright: "mean over the pictures",
        scale: Scale::Linear,
        series: others.into_iter().filter(|s| !s.points.is_empty()).chain(ours).collect(),
    };
    let psnr = panel("PSNR, dB", lines(|r| r.smooth_psnr), published(|f| Some(f.psnr)).collect());
    let lpips = panel("LPIPS", lines(|r| r.smooth_lpips), published(|f| f.lpips).collect());
    let has_lpips = report.means.iter().any(|row| row.lpips.is_some());
    chart::svg(&if has_lpips { vec![psnr, lpips] } else { vec![psnr] })
}
