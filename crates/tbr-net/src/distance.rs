//! The distance of a picture's features from a target's, and its gradient.

use crate::band::{Band, MapSize};
use crate::number::Number;
use crate::stage::{Cut, Stage};
use crate::tap::normalise;
use tbr::Colour;
use tbr::Image;
use tbr::{Error, Result, Stop};

/// Mean and standard deviation of ImageNet's colours, which both networks were
/// trained with. (LPIPS states them for colours in [-1, 1].)
const MEAN: Colour = [0.485, 0.456, 0.406];
const DEVIATION: Colour = [0.229, 0.224, 0.225];

/// Features of one picture are kept for the way back if they are at most so many
/// numbers, 270 MB in f32: for VGG16, pictures of 500 x 500. Larger ones are
/// computed again, band by band, which takes half as long again.
const KEPT_NUMBERS: usize = 1 << 26;

/// A network, and the features of a target.
pub struct FeatureDistance<T> {
    stages: Vec<Stage<T>>,
    /// The picture's size.
    size: MapSize,
    /// Normalised taps of the target, one a stage.
    target: Vec<Band<T>>,
    /// Asked before every convolution of a band, which takes a fraction of a second.
    stop: Stop,
}

impl<T: Number> FeatureDistance<T> {
    /// Takes the target's features, and keeps them. An error if the target is
    /// smaller than the network can see.
    pub fn new(stages: Vec<Stage<T>>, target: &Image) -> Result<Self> {
        Self::new_until(stages, target, &Stop::never())
    }

    /// The same, unless it is stopped; and so are its distances.
    pub fn new_until(stages: Vec<Stage<T>>, target: &Image, stop: &Stop) -> Result<Self> {
        let (width, height) = (target.width_px() as usize, target.height_px() as usize);
        let size = MapSize { width, height, channels: 3 };
        let mut distance = Self { stages, size, target: Vec::new(), stop: stop.clone() };
        let sizes = distance.input_sizes();
        let taps = distance.stages.iter().zip(&sizes).map(|(s, size)| s.tap_size(*size));
        let mut taps: Vec<Band<T>> = taps.map(|size| Band::zeros(size, size.rows())).collect();
        if taps.iter().any(|tap| tap.values.is_empty()) {
            let message = format!("{width} x {height} pixels are too few for the network");
            return Err(Error::Request(message));
        }
        distance.forward(target, |stage, cut, maps| {
            taps[stage].add(&maps[maps.len() - 1], cut.own.clone());
        })?;
        taps.iter_mut().for_each(normalise);
        distance.target = taps;
        Ok(distance)
    }

    /// The distance at each tap.
    pub fn layers(&self, image: &Image) -> Result<Vec<f64>> {
        self.check(image)?;
        let mut layers = vec![0.0; self.stages.len()];
        self.forward(image, |stage, cut, maps| layers[stage] += self.part(stage, cut, &maps))?;
        Ok(layers)
    }

    /// The sum of the distances, and its derivative with respect to the picture.
    /// Forward through all stages and back through all, each band by band.
    pub fn with_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        self.check(image)?;
        self.gradient_keeping(image, self.numbers() <= KEPT_NUMBERS)
    }

    /// The same, with the features kept for the way back or computed again.
    pub(super) fn gradient_keeping(&self, image: &Image, keep: bool) -> Result<(f64, Vec<Colour>)> {
        let (mut layers, mut kept) = (vec![0.0; self.stages.len()], Vec::new());
        let inputs = self.forward(image, |stage, cut, maps| {
            layers[stage] += self.part(stage, cut, &maps);
            if keep {
                kept.push(maps);
            }
        })?;
        let d_input = self.forward_vjp(&inputs, kept)?;
        Ok((layers.iter().sum(), gradient(&d_input)))
    }

    /// Walks a picture through the stages, shows every band's maps to `seen`, and
    /// gives the stages' inputs.
    fn forward(
        &self,
        image: &Image,
        mut seen: impl FnMut(usize, &Cut, Vec<Band<T>>),
    ) -> Result<Vec<Band<T>>> {
        let mut inputs = vec![self.input(image)];
        for (s, stage) in self.stages.iter().enumerate() {
            let input = &inputs[s];
            let next_size = stage.next_size(input.size);
            let mut next = Band::zeros(next_size, next_size.rows());
            for cut in stage.cuts(input.size) {
                let maps = stage.forward(input, &cut, &self.stop)?;
                stage.hand_on(&maps[maps.len() - 1], &cut, &mut next);
                seen(s, &cut, maps);
            }
            inputs.push(next);
        }
        Ok(inputs)
    }

    /// The adjoint of [`FeatureDistance::forward`] and the distances: the derivative with
    /// respect to the first stage's input. `kept` are the maps of all bands in the
    /// order of the walk, or nothing.
    fn forward_vjp(&self, inputs: &[Band<T>], mut kept: Vec<Vec<Band<T>>>) -> Result<Band<T>> {
        let mut d_next = None;
        for (s, stage) in self.stages.iter().enumerate().rev() {
            let input = &inputs[s];
            let mut d_input = Band::zeros(input.size, input.size.rows());
            for cut in stage.cuts(input.size).iter().rev() {
                let maps = kept.pop().map_or_else(|| stage.forward(input, cut, &self.stop), Ok)?;
                let (target, d_next) = (&self.target[s], d_next.as_ref());
                let d_band = stage.vjp(input.size, &maps, cut, (target, d_next), &self.stop)?;
                d_input.add(&d_band, d_band.rows.clone());
            }
            d_next = Some(d_input);
        }
        Ok(d_next.unwrap_or_else(|| Band::zeros(self.size, self.size.rows())))
    }

    /// A band's part in the distance.
    fn part(&self, stage: usize, cut: &Cut, maps: &[Band<T>]) -> f64 {
        let tap = self.stages[stage].tap(&self.target[stage]);
        tap.distance(&maps[maps.len() - 1], cut.own.clone())
    }

    /// The sizes of the stages' inputs.
    fn input_sizes(&self) -> Vec<MapSize> {
        let mut size = self.size;
        let mut sizes = Vec::new();
        for stage in &self.stages {
            sizes.push(size);
            size = stage.next_size(size);
        }
        sizes
    }

    /// Numbers of all features.
    fn numbers(&self) -> usize {
        let sizes = self.input_sizes();
        self.stages.iter().zip(sizes).map(|(stage, size)| stage.numbers(size)).sum()
    }

    fn check(&self, image: &Image) -> Result<()> {
        let MapSize { width, height, .. } = self.size;
        let (w, h) = (image.width_px() as usize, image.height_px() as usize);
        if (w, h) == (width, height) {
            return Ok(());
        }
        let message = format!("the picture is {w} x {h} pixels, the target {width} x {height}");
        Err(Error::Request(message))
    }

    /// A picture as networks see it: (v - mean) / deviation.
    fn input(&self, image: &Image) -> Band<T> {
        let number = |(c, v): (usize, &f64)| T::of((v - MEAN[c]) / DEVIATION[c]);
        let values = image.pixels().iter().flat_map(|v| v.iter().enumerate().map(number));
        Band { size: self.size, rows: self.size.rows(), values: values.collect() }
    }
}

/// The adjoint of [`FeatureDistance::input`].
fn gradient<T: Number>(d_input: &Band<T>) -> Vec<Colour> {
    let places = d_input.values.as_chunks::<3>().0.iter();
    places.map(|d| std::array::from_fn(|c| d[c].to_f64() / DEVIATION[c])).collect()
}
