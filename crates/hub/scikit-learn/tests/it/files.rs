//! Pickles of scikit-learn, written by hand.

use std::io::Write as _;
use std::sync::Arc;

use unskew_source::{BytesSource, Source};

pub(crate) fn source(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("model.pkl", bytes.to_vec()))
}

fn text(text: &str) -> Vec<u8> {
    [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

/// An estimator without attributes but its version.
pub(crate) fn estimator(module: &str, name: &str, version: &str) -> Vec<u8> {
    let class = format!("c{module}\n{name}\n)\x00");
    let mut bytes = [b"\x80\x02", class.trim_end_matches('\x00').as_bytes(), b"\x81}"].concat();
    bytes.extend(text("_sklearn_version"));
    bytes.extend(text(version));
    bytes.extend(b"sb.");
    bytes
}

pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}
