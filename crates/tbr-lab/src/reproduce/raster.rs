//! Pictures that other programs have made of the corpus, to be scored as ours are.

use resvg::tiny_skia::{Color, Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg;
use std::path::Path;
use tbr::Image;
use tbr_io::Failure;
use tbr_io::files;
use tbr_io::picture::{MATTE, MOST_BYTES, Picture, Size, check_aspect};

/// The picture of a name in a folder, `*.png` or `*.svg`, at a size; none if it is not there.
pub fn read(folder: &Path, name: &str, size: Size) -> Result<Option<Image>, Failure> {
    let [png, svg] = ["png", "svg"].map(|ending| folder.join(format!("{name}.{ending}")));
    if png.exists() {
        let picture = Picture::read(&png)?;
        check(picture.size(), size, &png)?;
        return picture.over_at(MATTE, size).map(Some);
    }
    if svg.exists() { drawn(&svg, size).map(Some) } else { Ok(None) }
}

fn check(own: Size, size: Size, path: &Path) -> Result<(), Failure> {
    let height = f64::from(size.1) / f64::from(size.0);
    check_aspect(own, height, "the picture that it is compared with").map_err(|e| e.in_file(path))
}

/// An SVG's pixels, over white.
fn drawn(path: &Path, (width, height): Size) -> Result<Image, Failure> {
    let problem = |e: String| Failure::file(path, format!("not an SVG that can be drawn: {e}"));
    let bytes = files::read_bytes(path, MOST_BYTES)?;
    let tree = usvg::Tree::from_data(&bytes, &usvg::Options::default())
        .map_err(|e| problem(e.to_string()))?;
    let own = tree.size();
    check((own.width().ceil() as u32, own.height().ceil() as u32), (width, height), path)?;
    let mut pixels =
        Pixmap::new(width, height).ok_or_else(|| problem(format!("{width} x {height} pixels")))?;
    // What MATTE is.
    pixels.fill(Color::WHITE);
    let scale = Transform::from_scale(width as f32 / own.width(), height as f32 / own.height());
    resvg::render(&tree, scale, &mut pixels.as_mut());
    let colour =
        |p: &PremultipliedColorU8| [p.red(), p.green(), p.blue()].map(|v| f64::from(v) / 255.0);
    Ok(Image::new((width, height), pixels.pixels().iter().map(colour).collect())?)
}
