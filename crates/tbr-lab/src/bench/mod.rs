//! `tbr bench`: speed of the renderer, of the studio's playback and of the gradient engines, and
//! quality of fits.

pub(crate) mod adjoint;
mod chart;
mod follow;
mod paper;
mod pictures;
mod play;
mod plot;
mod published;
mod render;
mod step;
pub(crate) mod tables;

use tbr_io::Failure;

/// What is measured.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The renderer against the plain walk: every stroke at every pixel until its
    /// first deposit, with the same vector lanes and threads
    Render(render::Args),
    /// Frames of a program being laid down, as the studio plays it
    Play(play::Args),
    /// The engines of the gradient: time, memory and error, the paper's figures
    /// beside ours (takes a quarter of an hour; --quick half a minute)
    Adjoint(adjoint::Args),
    /// Fits of pictures by numbers of strokes: PSNR, SSIM, LPIPS, time and size, beside published
    /// figures. It can be stopped, and goes on
    Pictures(pictures::Args),
    /// Films that are followed against films whose frames are fitted one by one: error, flicker and
    /// time
    Follow(follow::Args),
    /// One engine, measured; what `adjoint` starts for each
    #[command(hide = true)]
    Step(step::Args),
}

/// Measures speed on this machine.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Render(args) => render::run(args),
        What::Play(args) => play::run(args),
        What::Adjoint(args) => adjoint::run(args),
        What::Pictures(args) => pictures::run(args),
        What::Follow(args) => follow::run(args),
        What::Step(args) => step::run(args),
    }
}
