//! A loss on whole pictures (a network's, in the paper) as this solver uses it: at a size of
//! its own, and made anew for each stage.

use crate::error::Result;
use crate::fit::Target;
use crate::fit::loss::{Distance, PictureLoss};
use crate::image::{Image, Shrink};
use crate::parallel::Stop;
use crate::program::Colour;
use std::fmt;
use std::sync::Arc;

/// The loss, if there is one, and the distance from the stage's target, once it is needed.
/// Both are had again by whoever goes on from a checkpoint, so that they are no part of the
/// solver's state: clones and comparisons pass over the distance.
#[derive(Default)]
pub(super) struct Features {
    pub loss: Option<Arc<dyn PictureLoss>>,
    distance: Option<ShrunkDistance>,
}

impl Features {
    /// The distance from a target, looked at with the longer side at most `side_px`; none
    /// without a loss, or, unless it is `needed`, if the target is too small for it.
    pub fn distance(
        &mut self,
        target: &Target,
        side_px: u32,
        needed: bool,
        stop: &Stop,
    ) -> Result<Option<&ShrunkDistance>> {
        if self.distance.is_none()
            && let Some(loss) = &self.loss
            && (needed || target.image().shorter_px() >= loss.least_side_px())
        {
            self.distance = Some(ShrunkDistance::new(loss.as_ref(), target, side_px, stop)?);
        }
        Ok(self.distance.as_ref())
    }

    /// Drops the distance: it takes memory, and is of another stage or no longer needed.
    pub fn forget(&mut self) {
        self.distance = None;
    }
}

impl Clone for Features {
    fn clone(&self) -> Self {
        Self { loss: self.loss.clone(), distance: None }
    }
}

impl PartialEq for Features {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Features").field("loss", &self.loss.is_some()).finish()
    }
}

/// The distance of renders from a target, both made smaller first.
pub(super) struct ShrunkDistance {
    distance: Box<dyn Distance>,
    shrink: Option<Shrink>,
}

impl ShrunkDistance {
    fn new(loss: &dyn PictureLoss, target: &Target, side_px: u32, stop: &Stop) -> Result<Self> {
        let shrink = Shrink::new(target.image().size(), side_px);
        let small = target.at_most(side_px);
        Ok(Self { distance: loss.against(small.image(), stop)?, shrink })
    }

    /// The distance.
    pub fn loss(&self, image: &Image) -> Result<f64> {
        match &self.shrink {
            Some(shrink) => self.distance.loss(&small(shrink, image)?),
            None => self.distance.loss(image),
        }
    }

    /// The distance, and its derivative with respect to every pixel.
    pub fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        let Some(shrink) = &self.shrink else { return self.distance.loss_and_gradient(image) };
        let (loss, d_small) = self.distance.loss_and_gradient(&small(shrink, image)?)?;
        Ok((loss, shrink.apply_vjp(&d_small)))
    }
}

fn small(shrink: &Shrink, image: &Image) -> Result<Image> {
    Image::new(shrink.size(), shrink.apply(|pixel| image.pixels()[pixel]))
}
