//! Published figures for the 24 pictures of Kodak at 768 x 512 pixels, means as others report
//! them. None was measured by us, and all were made on GPUs.

use super::chart::Mark;

/// A method and its figures.
pub struct Published {
    pub name: &'static str,
    pub colour: &'static str,
    pub mark: Mark,
    /// What its primitives are.
    pub primitives: &'static str,
    /// Numbers that each holds.
    pub numbers_each: f64,
    pub figures: &'static [PublishedFigure],
}

/// The mean over the pictures, for so many primitives each.
pub struct PublishedFigure {
    pub primitives: usize,
    /// Decibels.
    pub psnr: f64,
    /// None if it is not told.
    pub lpips: Option<f64>,
}

const fn figure(primitives: usize, psnr: f64, lpips: Option<f64>) -> PublishedFigure {
    PublishedFigure { primitives, psnr, lpips }
}

/// Of curves that are filled, and of soft spots that overlap.
pub const PUBLISHED: [Published; 3] = [
    Published {
        name: "Vector Scaffolding (2026)",
        colour: "#c2410c",
        mark: Mark::Square,
        primitives: "closed curves",
        numbers_each: 23.5,
        figures: &[
            figure(256, 25.18, None),
            figure(512, 26.68, None),
            figure(1024, 28.30, Some(0.275)),
        ],
    },
    Published {
        name: "Bezier Splatting (2025)",
        colour: "#a16207",
        mark: Mark::Square,
        primitives: "closed curves",
        numbers_each: 23.5,
        figures: &[
            figure(256, 24.19, None),
            figure(512, 25.61, None),
            figure(1024, 26.91, Some(0.448)),
        ],
    },
    Published {
        name: "GaussianImage++",
        colour: "#6b7280",
        mark: Mark::Square,
        primitives: "soft spots",
        numbers_each: 8.0,
        figures: &[figure(5000, 31.83, None), figure(10_000, 35.41, None)],
    },
];
