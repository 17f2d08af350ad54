//! Pictures that other programs have made of the corpus, to be scored as ours are.

use std::path::Path;
use tbr::Image;
use tbr_io::Failure;
use tbr_io::picture::{MATTE, Picture, Size, check_aspect};

/// The picture `name.png` of a folder, at a size; none if it is not there. Refuses one that is
/// there as an SVG only: to draw those of other programs takes a whole renderer.
pub fn read(folder: &Path, name: &str, size: Size) -> Result<Option<Image>, Failure> {
    let [png, svg] = ["png", "svg"].map(|ending| folder.join(format!("{name}.{ending}")));
    if png.exists() {
        let picture = Picture::read(&png)?;
        check(picture.size(), size, &png)?;
        return picture.over_at(MATTE, size).map(Some);
    }
    if svg.exists() {
        let hint = format!("draw it first, for example with `resvg {name}.svg {name}.png`");
        return Err(Failure::file(&svg, "pictures of other programs are read as PNG").hint(hint));
    }
    Ok(None)
}

fn check(own: Size, size: Size, path: &Path) -> Result<(), Failure> {
    let height = f64::from(size.1) / f64::from(size.0);
    check_aspect(own, height, "the picture that it is compared with").map_err(|e| e.in_file(path))
}
