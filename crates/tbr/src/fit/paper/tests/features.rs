//! A loss on whole pictures, as this solver uses it.

use super::*;

/// A loss on whole pictures: a multiple of the mean squared difference of the means of square
/// blocks of pixels.
struct BlockMeans {
    side_px: u32,
    factor: f64,
    least_side_px: u32,
}

/// The same, against the means of a target.
struct FromMeans {
    side_px: u32,
    factor: f64,
    target: Vec<Colour>,
}

impl BlockMeans {
    fn new(side_px: u32, factor: f64) -> Arc<Self> {
        Arc::new(Self { side_px, factor, least_side_px: side_px })
    }
}

/// The block that a pixel is in.
fn block(image: &Image, side_px: u32, pixel: usize) -> usize {
    let (x, y) = (pixel as u32 % image.width_px(), pixel as u32 / image.width_px());
    (y / side_px * image.width_px().div_ceil(side_px) + x / side_px) as usize
}

fn means(image: &Image, side_px: u32) -> Vec<Colour> {
    let last = image.pixels().len() - 1;
    let mut means = vec![[0.0; 3]; block(image, side_px, last) + 1];
    for (pixel, colour) in image.pixels().iter().enumerate() {
        let mean = &mut means[block(image, side_px, pixel)];
        *mean = std::array::from_fn(|c| mean[c] + colour[c] / f64::from(side_px * side_px));
    }
    means
}

impl PictureLoss for BlockMeans {
    fn least_side_px(&self) -> u32 {
        self.least_side_px
    }

    fn against(&self, target: &Image, _: &Stop) -> Result<Box<dyn Distance>> {
        let (side_px, factor) = (self.side_px, self.factor);
        Ok(Box::new(FromMeans { side_px, factor, target: means(target, side_px) }))
    }
}

impl Distance for FromMeans {
    fn loss(&self, image: &Image) -> Result<f64> {
        Ok(self.loss_and_gradient(image)?.0)
    }

    fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        let scale = self.factor / (3 * self.target.len()) as f64;
        let means = means(image, self.side_px).into_iter().zip(&self.target);
        let off: Vec<Colour> =
            means.map(|(mean, target)| std::array::from_fn(|c| mean[c] - target[c])).collect();
        let loss = scale * off.iter().flatten().map(|d| d * d).sum::<f64>();
        let share = 2.0 * scale / f64::from(self.side_px * self.side_px);
        let d_pixel = |pixel| off[block(image, self.side_px, pixel)].map(|d| share * d);
        Ok((loss, (0..image.pixels().len()).map(d_pixel).collect()))
    }
}

fn by_features(feature_px: u32) -> PaperOptions {
    PaperOptions { objective: Objective::Features, feature_px, ..PaperOptions::default() }
}

/// With a loss on pictures at hand, the scale of the pixel error is what it says of the first
/// render.
#[test]
fn a_loss_on_pictures_measures_the_scale() {
    let scale = |loss: Arc<BlockMeans>| {
        let mut fit =
            Fit::new(picture(), options(PaperOptions::default())).unwrap().with_loss(loss);
        assert_eq!(fit.data_scale(), None);
        fit.step().unwrap();
        fit.step().unwrap();
        fit.data_scale().unwrap()
    };
    // Of single pixels it is the pixel error itself.
    assert!((scale(BlockMeans::new(1, 40.0)) / 40.0 - 1.0).abs() < 1e-9);
    let blocks = scale(BlockMeans::new(2, 40.0));
    assert!(blocks > 5.0 && blocks < 40.0, "{blocks}");
    // The picture has 64 rows.
    let large = BlockMeans { side_px: 2, factor: 40.0, least_side_px: 65 };
    assert_eq!(scale(Arc::new(large)), PaperOptions::DATA_SCALE);
}

/// Single pixels as features are the pixel error, by another way.
#[test]
fn features_of_single_pixels_are_the_pixel_error() {
    let losses = |own: PaperOptions| {
        let fit = Fit::new(picture(), options(own)).unwrap();
        let mut fit = fit.with_loss(BlockMeans::new(1, 1.0));
        (0..11).map(|_| fit.step().unwrap().loss).collect::<Vec<f64>>()
    };
    let pixels = losses(PaperOptions { data_scale: Some(1.0), ..PaperOptions::default() });
    let features = losses(by_features(1024));
    for (a, b) in pixels[1..].iter().zip(&features[1..]) {
        assert!((a / b - 1.0).abs() < 1e-5, "{pixels:?} and {features:?}");
    }
}

/// Features are descended, at two sizes.
#[test]
fn a_loss_on_pictures_is_descended() {
    for feature_px in [1024, 48] {
        let fit = Fit::new(picture(), options(by_features(feature_px))).unwrap();
        let mut fit = fit.with_loss(BlockMeans::new(2, 40.0));
        let losses: Vec<f64> = (0..11).map(|_| fit.step().unwrap().loss).collect();
        assert!(losses[10] < 0.95 * losses[1], "{feature_px}: {losses:?}");
        assert_eq!(fit.data_scale(), Some(1.0));
    }
}

/// The loss is no part of a checkpoint: whoever goes on brings it along.
#[test]
fn a_fit_with_a_loss_on_pictures_goes_on_as_if_nothing_had_happened() {
    for own in [PaperOptions::default(), by_features(48)] {
        let mut options =
            fit::Options { solver: Solver::Paper(own), ..fit::Options::paper_staged() };
        options.strokes = STROKES;
        options.share_out(8);
        let go_on = |mut fit: Fit| {
            let mut losses = Vec::new();
            while !fit.is_done() {
                losses.push(fit.step().unwrap().loss);
            }
            (losses, fit.data_scale(), fit.program().unwrap())
        };
        let start = || Fit::new(picture(), options.clone()).unwrap();
        let (whole, scale, program) = go_on(start().with_loss(BlockMeans::new(2, 40.0)));
        for stop in [1, 2, 5, 8] {
            let mut fit = start().with_loss(BlockMeans::new(2, 40.0));
            for _ in 0..stop {
                fit.step().unwrap();
            }
            let state = serde_json::from_str(&serde_json::to_string(fit.state()).unwrap()).unwrap();
            let fit = Fit::resume(picture(), options.clone(), state).unwrap();
            let rest = go_on(fit.with_loss(BlockMeans::new(2, 40.0)));
            assert_eq!(rest, (whole[stop..].to_vec(), scale, program.clone()), "after {stop}");
        }
    }
}
