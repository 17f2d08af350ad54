//! The paper's figures for its adjoints, to stand beside ours: one RTX GPU, 2000
//! strokes, 1024 x 1024 pixels, float32 against float64.

/// An engine of the paper's table.
pub struct PaperEngine {
    pub engine: &'static str,
    pub peak_gb: f64,
    pub step_s: f64,
    pub relative_error: Option<f64>,
    pub cosine: Option<f64>,
    pub records_per_pixel: Option<f64>,
}

/// Its table. What stands beside our tiled engine is its fused replay kernel.
pub const ENGINES: [PaperEngine; 3] = [
    PaperEngine {
        engine: "checkpointed",
        peak_gb: 6.49,
        step_s: 23.00,
        relative_error: None,
        cosine: None,
        records_per_pixel: None,
    },
    PaperEngine {
        engine: "replay",
        peak_gb: 0.75,
        step_s: 23.89,
        relative_error: Some(7.4e-3),
        cosine: Some(0.999_973_1),
        records_per_pixel: Some(9.88),
    },
    PaperEngine {
        engine: "tiled",
        peak_gb: 1.72,
        step_s: 0.52,
        relative_error: None,
        cosine: None,
        records_per_pixel: None,
    },
];

/// Replay by the strokes between its checkpoints: peak memory in GB, relative
/// error, cosine.
pub const SWEEP: [(Option<usize>, f64, f64, f64); 5] = [
    (Some(64), 1.32, 4.2e-3, 0.999_991_4),
    (Some(128), 0.91, 5.5e-3, 0.999_984_9),
    (Some(256), 0.71, 7.4e-3, 0.999_973_1),
    (Some(512), 0.61, 1.1e-2, 0.999_940_8),
    (None, 0.54, 1.7e-2, 0.999_856_6),
];

/// Seconds of a step of its fused replay, by strokes, at 1024 x 1024 pixels.
pub const OVER_STROKES: [(f64, f64); 5] =
    [(250.0, 0.075), (500.0, 0.15), (1000.0, 0.30), (2000.0, 0.55), (4000.0, 1.0)];

/// The same by pixels along each side, at 2000 strokes.
pub const OVER_PIXELS: [(f64, f64); 3] = [(512.0, 0.075), (1024.0, 0.55), (2048.0, 2.5)];
