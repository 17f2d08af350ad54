//! NumPy's arrays and ours. What comes in may be anything that NumPy makes an array of; it is
//! copied only if its type or its order asks for it. What goes out is handed over.

use crate::error::request;
use numpy::ndarray::{Array1, Array2, ArrayD, IxDyn};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use tbr::{Colour, Vec2, vec2};

/// An array of doubles in rows, as NumPy makes it of a value.
fn doubles<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    let wrong = |e: PyErr| request(format!("{name}: {}", e.value(py)));
    let array = numpy.call_method1("asanyarray", (value,)).map_err(wrong)?;
    // (Without this, NumPy would drop the imaginary part with a warning.)
    if numpy.call_method1("iscomplexobj", (&array,))?.is_truthy()? {
        return Err(request(format!("{name} are complex numbers")));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "float64")).map_err(wrong)?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?)
}

/// All numbers of a value of a shape, in which none is any length.
fn numbers<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    shape: &[Option<usize>],
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let array = doubles(value, name)?;
    // A single number is an array of one to `ascontiguousarray`, as an empty list is of none.
    check_shape(array.shape(), name, shape)?;
    Ok(array.readonly())
}

/// Refuses a shape that is not what was wanted.
fn check_shape(given: &[usize], name: &str, shape: &[Option<usize>]) -> PyResult<()> {
    let fits = |(wanted, is): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == *is);
    if given.len() != shape.len() || !shape.iter().zip(given).all(fits) {
        let side = |side: &Option<usize>| side.map_or("n".to_owned(), |side| side.to_string());
        let wanted: Vec<String> = shape.iter().map(side).collect();
        let comma = if wanted.len() == 1 { "," } else { "" };
        let wanted = wanted.join(", ");
        return Err(request(format!("{name} have the shape {given:?}, not ({wanted}{comma})")));
    }
    Ok(())
}

/// A column of numbers.
pub fn column(value: &Bound<'_, PyAny>, name: &str, count: Option<usize>) -> PyResult<Vec<f64>> {
    Ok(numbers(value, name, &[count])?.as_slice()?.to_vec())
}

/// Rows of so many numbers. No rows at all may come without saying how long they would be.
pub fn rows<const N: usize>(
    value: &Bound<'_, PyAny>,
    name: &str,
    count: Option<usize>,
) -> PyResult<Vec<[f64; N]>> {
    if value.len().is_ok_and(|length| length == 0) && count.is_none_or(|count| count == 0) {
        return Ok(Vec::new());
    }
    let numbers = numbers(value, name, &[count, Some(N)])?;
    Ok(numbers.as_slice()?.as_chunks::<N>().0.to_vec())
}

/// Points.
pub fn points(
    value: &Bound<'_, PyAny>,
    name: &str,
    count: Option<usize>,
) -> PyResult<Vec<Vec2<f64>>> {
    Ok(rows::<2>(value, name, count)?.into_iter().map(|[x, y]| vec2(x, y)).collect())
}

/// A picture's colours, row by row, of a size that is known.
pub fn pixels(
    value: &Bound<'_, PyAny>,
    name: &str,
    (width, height): (u32, u32),
) -> PyResult<Vec<Colour>> {
    let shape = [Some(height as usize), Some(width as usize), Some(3)];
    // (NumPy would make an array of doubles first, as large as a picture is.)
    if let Ok(singles) = value.cast::<PyArrayDyn<f32>>()
        && singles.is_c_contiguous()
    {
        check_shape(singles.shape(), name, &shape)?;
        let singles = singles.readonly();
        let pixels = singles.as_slice()?.as_chunks::<3>().0;
        return Ok(pixels.iter().map(|pixel| pixel.map(f64::from)).collect());
    }
    Ok(numbers(value, name, &shape)?.as_slice()?.as_chunks::<3>().0.to_vec())
}

/// A column, handed to NumPy.
pub fn to_column<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    Array1::from_vec(values).into_pyarray(py)
}

/// Rows of so many numbers, handed to NumPy.
pub fn to_rows<T: Element, const N: usize>(
    py: Python<'_>,
    values: Vec<[T; N]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = (values.len(), N);
    let array = Array2::from_shape_vec(shape, values.into_flattened());
    Ok(array.map_err(|e| request(e.to_string()))?.into_pyarray(py))
}

/// Points, handed to NumPy.
pub fn to_points(
    py: Python<'_>,
    points: impl Iterator<Item = Vec2<f64>>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    to_rows(py, points.map(|p| [p.x, p.y]).collect())
}

/// Values of a picture of so many channels, handed to NumPy; without a last side if there is
/// one channel and nobody says so.
pub fn to_picture<T: Element>(
    py: Python<'_>,
    (width, height): (u32, u32),
    channels: Option<usize>,
    values: Vec<T>,
) -> PyResult<Bound<'_, PyArrayDyn<T>>> {
    let mut shape = vec![height as usize, width as usize];
    shape.extend(channels);
    let array = ArrayD::from_shape_vec(IxDyn(&shape), values);
    Ok(array.map_err(|e| request(e.to_string()))?.into_pyarray(py))
}
