//! How a picture moves until the next: a smooth field of displacements, found from coarse pixels to
//! fine ones by linear steps (Horn and Schunck's, with the second picture warped back along what is
//! known of the motion), and the affine map that is nearest to it.

use crate::fit::Target;
use crate::image::{Image, View};
use crate::numbers::{Vec2, vec2};

/// Pixels along the longer side of the finest pictures that are compared: strokes follow by
/// gradients what is smaller.
const FINEST_PX: u32 = 256;
/// The same of the coarsest. A motion of a tenth of the picture is a pixel or two there.
const COARSEST_PX: u32 = 16;
/// Warps at each size, and rounds of the solver for each: more change nothing to speak of.
const WARPS: usize = 4;
const ROUNDS: usize = 30;
/// How much smoothness counts: the squared slope, in colours a pixel, at which a pixel's own wish
/// weighs as much as its neighbours' mean. With a tenth of it the field tears where something comes
/// into sight; with more, what moves by itself is rounded off.
const SMOOTH: f64 = 5e-2;
/// Over-relaxation of the solver.
const RELAXED: f64 = 1.6;

/// How each place of a picture moves until the next, in canvas units.
pub(super) struct Motion {
    view: View,
    field: Vec<Vec2<f64>>,
    whole: Affine,
}

impl Motion {
    /// The motion from one picture to another of the same shape.
    pub fn between(from: &Target, to: &Target) -> Self {
        let mut side = COARSEST_PX;
        let small = |target: &Target, side| target.at_most(side);
        let mut motion = Self::none(small(from, side).view());
        while side <= FINEST_PX {
            let (a, b) = (small(from, side), small(to, side));
            motion = motion.refined(&a, &b);
            side *= 2;
        }
        let weights = steepness(small(from, FINEST_PX).image());
        motion.whole = Affine::nearest(&motion.view, &motion.field, &weights);
        motion
    }

    fn none(view: View) -> Self {
        Self { field: vec![vec2(0.0, 0.0); view.pixels()], view, whole: Affine::default() }
    }

    /// The motion of the whole picture at a place, wherever that is.
    pub fn of_whole(&self, p: Vec2<f64>) -> Vec2<f64> {
        self.whole.at(p)
    }

    /// Its derivative.
    pub fn slope_of_whole(&self) -> [Vec2<f64>; 2] {
        self.whole.slope
    }

    /// How a place moves by itself, beside the whole, and the derivative of that.
    pub fn by_itself(&self, p: Vec2<f64>) -> (Vec2<f64>, [Vec2<f64>; 2]) {
        let own = |p: Vec2<f64>| self.at(p) - self.whole.at(p);
        let step = self.view.pixel();
        let along = |step: Vec2<f64>, length: f64| (own(p + step) - own(p - step)) * (0.5 / length);
        (own(p), [along(vec2(step.x, 0.0), step.x), along(vec2(0.0, step.y), step.y)])
    }

    /// The displacement at a place, interpolated; that of the nearest pixel beyond the picture.
    fn at(&self, p: Vec2<f64>) -> Vec2<f64> {
        let pixel = self.view.pixel();
        let grid =
            Grid { width: self.view.width_px as usize, height: self.view.height_px as usize };
        let place = vec2(p.x / pixel.x - 0.5, p.y / pixel.y - 0.5);
        grid.corners(place).iter().fold(vec2(0.0, 0.0), |sum, (k, w)| sum + self.field[*k] * *w)
    }

    /// The motion between finer pictures, from this one.
    fn refined(&self, from: &Target, to: &Target) -> Self {
        let view = from.view();
        let field = (0..view.pixels())
            .map(|k| self.at(view.centre(k as u32 % view.width_px, k as u32 / view.width_px)))
            .collect();
        let mut finer = Self { view, field, whole: Affine::default() };
        let pixel = view.pixel();
        for _ in 0..WARPS {
            let equations = Equations::new(from.image(), to.image(), &finer.field, pixel);
            equations.solve(&mut finer.field, pixel);
        }
        finer
    }
}

/// A grid of pixels.
#[derive(Clone, Copy)]
struct Grid {
    width: usize,
    height: usize,
}

impl Grid {
    fn of(image: &Image) -> Self {
        Self { width: image.width_px() as usize, height: image.height_px() as usize }
    }

    /// The four pixels about a place, counted in pixels from the centre of the first, and what
    /// each counts.
    fn corners(self, place: Vec2<f64>) -> [(usize, f64); 4] {
        let (left, right, u) = sides(place.x, self.width);
        let (above, below, v) = sides(place.y, self.height);
        [
            (above * self.width + left, (1.0 - u) * (1.0 - v)),
            (above * self.width + right, u * (1.0 - v)),
            (below * self.width + left, (1.0 - u) * v),
            (below * self.width + right, u * v),
        ]
    }

    /// The pixels beside, above and below one; itself where there is none.
    fn about(self, k: usize) -> [usize; 4] {
        let (i, j) = (k % self.width, k / self.width);
        let side = |inside: bool, other: usize| if inside { other } else { k };
        [
            side(i > 0, k.wrapping_sub(1)),
            side(i + 1 < self.width, k + 1),
            side(j > 0, k.wrapping_sub(self.width)),
            side(j + 1 < self.height, k + self.width),
        ]
    }
}

/// The pixels before and after a place along a side, and the share of the second.
fn sides(at: f64, count: usize) -> (usize, usize, f64) {
    let at = at.clamp(0.0, (count - 1) as f64);
    let first = at as usize;
    (first, (first + 1).min(count - 1), at - first as f64)
}

/// What the pixels wish of the displacement, in pixels: for each the matrix and the right side of
/// its least squares over the channels.
struct Equations {
    grid: Grid,
    /// Of x with x, x with y, y with y.
    matrix: Vec<[f64; 3]>,
    right: Vec<Vec2<f64>>,
}

impl Equations {
    /// Those of two pictures, about a field of displacements. What has moved out of the picture
    /// wishes nothing.
    fn new(from: &Image, to: &Image, field: &[Vec2<f64>], pixel: Vec2<f64>) -> Self {
        let grid = Grid::of(from);
        let warped: Vec<Option<[f64; 3]>> = (0..field.len())
            .map(|k| {
                let moved = vec2(field[k].x / pixel.x, field[k].y / pixel.y);
                let place = vec2((k % grid.width) as f64, (k / grid.width) as f64) + moved;
                let most = vec2((grid.width - 1) as f64, (grid.height - 1) as f64);
                let inside = (0.0..=most.x).contains(&place.x) && (0.0..=most.y).contains(&place.y);
                inside.then(|| {
                    grid.corners(place).iter().fold([0.0; 3], |sum, (k, w)| {
                        std::array::from_fn(|c| sum[c] + w * to.pixels()[*k][c])
                    })
                })
            })
            .collect();
        let first = from.pixels();
        let mut equations = Self {
            grid,
            matrix: vec![[0.0; 3]; first.len()],
            right: vec![vec2(0.0, 0.0); first.len()],
        };
        for (k, own) in warped.iter().enumerate() {
            let Some(own) = own else { continue };
            let [left, right, above, below] = grid.about(k);
            // The slope of both pictures' mean, as far as the second is known.
            let colour = |k: usize, c: usize| {
                let second = warped[k].map_or(first[k][c], |colour| colour[c]);
                0.5 * (first[k][c] + second)
            };
            let displaced = vec2(field[k].x / pixel.x, field[k].y / pixel.y);
            for c in 0..3 {
                let slope = vec2(
                    0.5 * (colour(right, c) - colour(left, c)),
                    0.5 * (colour(below, c) - colour(above, c)),
                );
                let off = own[c] - first[k][c];
                let [xx, xy, yy] = &mut equations.matrix[k];
                *xx += slope.x * slope.x;
                *xy += slope.x * slope.y;
                *yy += slope.y * slope.y;
                let wish = slope.dot(displaced) - off;
                equations.right[k] = equations.right[k] + slope * wish;
            }
        }
        equations
    }

    /// Brings a field nearer to the smooth one that fulfils them best.
    fn solve(&self, field: &mut [Vec2<f64>], pixel: Vec2<f64>) {
        let mut flow: Vec<Vec2<f64>> =
            field.iter().map(|d| vec2(d.x / pixel.x, d.y / pixel.y)).collect();
        for _ in 0..ROUNDS {
            for k in 0..flow.len() {
                let about = self.grid.about(k);
                let mean = about.iter().fold(vec2(0.0, 0.0), |sum, k| sum + flow[*k]) * 0.25;
                let [xx, xy, yy] = self.matrix[k];
                let [xx, yy] = [xx + SMOOTH, yy + SMOOTH];
                let right = self.right[k] + mean * SMOOTH;
                let determinant = xx * yy - xy * xy;
                let solved = vec2(yy * right.x - xy * right.y, xx * right.y - xy * right.x)
                    * (1.0 / determinant);
                flow[k] = flow[k] + (solved - flow[k]) * RELAXED;
            }
        }
        for (own, flow) in field.iter_mut().zip(flow) {
            *own = vec2(flow.x * pixel.x, flow.y * pixel.y);
        }
    }
}

/// The squared slope of a picture at each pixel: where it tells of motion.
fn steepness(image: &Image) -> Vec<f64> {
    let (grid, pixels) = (Grid::of(image), image.pixels());
    let steep = |k: usize| {
        let [left, right, above, below] = grid.about(k);
        let squared =
            |a: usize, b: usize| crate::program::colour::squared_distance(pixels[a], pixels[b]);
        squared(left, right) + squared(above, below)
    };
    (0..pixels.len()).map(steep).collect()
}

/// A displacement that is an affine function of the place.
#[derive(Clone, Copy, Debug, Default)]
struct Affine {
    at_zero: Vec2<f64>,
    /// Its derivative along x and along y.
    slope: [Vec2<f64>; 2],
}

impl Affine {
    fn at(&self, p: Vec2<f64>) -> Vec2<f64> {
        self.at_zero + self.slope[0] * p.x + self.slope[1] * p.y
    }

    /// The one that is nearest to a field, by weights. What moves otherwise counts for less, in a
    /// few rounds: a figure that walks through a picture does not turn the whole.
    fn nearest(view: &View, field: &[Vec2<f64>], weights: &[f64]) -> Self {
        /// Displacements farther off than this, in pixels, hardly count.
        const FAR_PX: f64 = 0.5;
        let far = FAR_PX * view.pixel().x;
        let place = |k: usize| view.centre(k as u32 % view.width_px, k as u32 / view.width_px);
        let mut best = Self::default();
        for round in 0..6 {
            let weight = |k: usize| {
                let off = (field[k] - best.at(place(k))).norm() / far;
                let trust = if round == 0 { 1.0 } else { 1.0 / (1.0 + off * off) };
                weights[k] * trust
            };
            best = Self::least_squares(field, place, weight).unwrap_or_default();
        }
        best
    }

    /// Weighted least squares, about the weights' centre; none where nothing weighs, or all in a
    /// line.
    fn least_squares(
        field: &[Vec2<f64>],
        place: impl Fn(usize) -> Vec2<f64>,
        weight: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        let weights: Vec<f64> = (0..field.len()).map(weight).collect();
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let mean = |value: &dyn Fn(usize) -> Vec2<f64>| {
            (0..field.len()).fold(vec2(0.0, 0.0), |sum, k| sum + value(k) * (weights[k] / total))
        };
        let (centre, shift) = (mean(&place), mean(&|k| field[k]));
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        let [mut along_x, mut along_y] = [vec2(0.0, 0.0); 2];
        for k in 0..field.len() {
            let (p, d, w) = (place(k) - centre, field[k] - shift, weights[k] / total);
            xx += w * p.x * p.x;
            xy += w * p.x * p.y;
            yy += w * p.y * p.y;
            along_x = along_x + d * (w * p.x);
            along_y = along_y + d * (w * p.y);
        }
        let determinant = xx * yy - xy * xy;
        if determinant <= 1e-12 {
            return Some(Self { at_zero: shift, ..Self::default() });
        }
        let slope = [
            (along_x * yy - along_y * xy) * (1.0 / determinant),
            (along_y * xx - along_x * xy) * (1.0 / determinant),
        ];
        Some(Self { at_zero: shift - slope[0] * centre.x - slope[1] * centre.y, slope })
    }
}
