//! Files of weights: safetensors, in single or half precision.

use half::f16;
use safetensors::{Dtype, SafeTensors};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use tbr::{Error, Result};

/// The longest file that is read: both networks together take a twentieth of it.
const MAX_BYTES: u64 = 512 << 20;

/// A file of named tensors, read whole.
pub struct Weights {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Weights {
    /// Reads a file; that it holds tensors is checked at once.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |source| Error::File { path: path.into(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            let what = format!("{}: the file of weights is too long", path.display());
            return Err(Error::limit(what, format!("{MAX_BYTES} bytes")));
        }
        let weights = Self { path: path.into(), bytes };
        weights.parsed()?;
        Ok(weights)
    }

    fn parsed(&self) -> Result<SafeTensors<'_>> {
        SafeTensors::deserialize(&self.bytes)
            .map_err(|e| self.problem(format!("not a whole file of safetensors: {e}")))
    }

    /// A tensor of a certain shape, in the order of its file, all finite.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let tensors = self.parsed()?;
        let found = tensors
            .tensor(name)
            .map_err(|_| self.problem(format!("the tensor {name} is missing")))?;
        if found.shape() != shape {
            let problem =
                format!("the tensor {name} has the shape {:?}, not {shape:?}", found.shape());
            return Err(self.problem(problem));
        }
        let values: Vec<f32> = match found.dtype() {
            Dtype::F32 => numbers(found.data(), f32::from_le_bytes),
            Dtype::F16 => numbers(found.data(), |b| f16::from_le_bytes(b).to_f32()),
            other => {
                let problem = format!("the tensor {name} holds {other:?}, not F32 or F16");
                return Err(self.problem(problem));
            }
        };
        if values.iter().all(|v| v.is_finite()) {
            return Ok(values);
        }
        Err(self.problem(format!("the tensor {name} holds a number that is not finite")))
    }

    fn problem(&self, problem: String) -> Error {
        let source = io::Error::new(ErrorKind::InvalidData, problem);
        Error::File { path: self.path.clone(), source }
    }
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks::<N>().0.iter().map(|b| number(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::NamedTempFile;

    /// A file with the tensor `t` of the given type, shape and bytes.
    fn file(dtype: &str, shape: &str, data: &[u8]) -> NamedTempFile {
        let end = data.len();
        let header =
            format!(r#"{{"t":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{end}]}}}}"#);
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        let file = NamedTempFile::new().unwrap();
        std::fs::write(&file, bytes).unwrap();
        file
    }

    #[test]
    fn both_precisions_are_read() {
        // Halves: 1.5, -2, the least subnormal.
        let found = file("F16", "[3]", &[0x00, 0x3e, 0x00, 0xc0, 0x01, 0x00]);
        let values = Weights::read(found.path()).unwrap().tensor("t", &[3]).unwrap();
        assert_eq!(values, [1.5, -2.0, 2.0_f32.powi(-24)]);
        let bytes: Vec<u8> = [0.1_f32, -3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let found = file("F32", "[1,2]", &bytes);
        assert_eq!(Weights::read(found.path()).unwrap().tensor("t", &[1, 2]).unwrap(), [0.1, -3.0]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let says = |path: &Path, name: &str, shape: &[usize], part: &str| {
            let error = Weights::read(path).and_then(|w| w.tensor(name, shape)).unwrap_err();
            let said = error.to_string();
            assert!(said.starts_with(path.to_str().unwrap()) && said.contains(part), "{said}");
        };
        let zeros = file("F32", "[2]", &[0; 8]);
        says(zeros.path(), "u", &[2], "tensor u is missing");
        says(zeros.path(), "t", &[1, 2], "tensor t has the shape [2], not [1, 2]");
        says(file("I32", "[2]", &[0; 8]).path(), "t", &[2], "holds I32");
        says(file("F16", "[1]", &[0xff, 0x7f]).path(), "t", &[1], "not finite");
        says(file("F32", "[3]", &[0; 8]).path(), "t", &[3], "not a whole file");
        says(Path::new("no-such-file.safetensors"), "t", &[1], "No such file");
        let cut = std::fs::read(&zeros).unwrap();
        for length in 0..cut.len() {
            std::fs::write(&zeros, &cut[..length]).unwrap();
            says(zeros.path(), "t", &[2], "not a whole file");
        }
    }
}
