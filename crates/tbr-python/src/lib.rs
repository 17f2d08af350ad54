//! The Python package `tbr`: programs of deposition strokes with NumPy's arrays.
//!
//! It has no logic of its own: it takes Python's values apart, calls the libraries without the
//! interpreter's lock (`work.rs`), and puts the results together. What is pleasant to call stands
//! in `python/tbr/`.

#![forbid(unsafe_code)]

mod arrays;
mod edit;
mod error;
mod film;
mod fit;
mod given;
mod keywords;
mod options;
mod picture;
mod program;
mod relaxed;
mod render;
mod score;
mod tool;
mod trace;
mod work;

use pyo3::prelude::*;

/// What `tbr` is made of.
#[pymodule]
mod _tbr {
    #[pymodule_export]
    use crate::edit::{edit, prune_program, strokes_from_csv, strokes_to_csv, strokes_to_json};
    #[pymodule_export]
    use crate::film::{Film, write_film};
    #[pymodule_export]
    use crate::fit::{Fewest, Fit, program_of};
    #[pymodule_export]
    use crate::picture::{sample, sample_names, uncomb};
    #[pymodule_export]
    use crate::program::{Program, load, loads};
    #[pymodule_export]
    use crate::relaxed::{Relaxed, gradient};
    #[pymodule_export]
    use crate::render::{owners, render, render_to, svg};
    #[pymodule_export]
    use crate::score::{info, mse_of, report, score};
    #[pymodule_export]
    use crate::tool::Tool;
    #[pymodule_export]
    use crate::trace::trace;
    #[pymodule_export]
    use crate::work::{set_threads, threads};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        tbr::check_machine().map_err(crate::error::of_library)?;
        crate::work::listen();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
