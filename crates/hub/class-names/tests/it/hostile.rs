//! Any bytes are a pickle, something else, or an error.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use unskew_class_names::{PackageClasses, party};
use unskew_source::{BytesSource, Source};

const WHOLE: &[u8] = b"\x80\x04cpandas.core.frame\nDataFrame\n)\x81}(\x8c\x01aK\x01ub.";

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("a.pkl", bytes))
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(
        cut in 0_usize..50,
        bytes in proptest::collection::vec(any::<u8>(), 0..100),
        back in 0_usize..50,
    ) {
        let head = &WHOLE[..cut.min(WHOLE.len())];
        let tail = &WHOLE[back.min(WHOLE.len())..];
        let all = [head, &bytes, tail].concat();
        let _ = party(&source(zlib(&all)));
        let _ = party(&source(all));
    }

    #[test]
    fn any_text_is_a_table_or_none(text in ".{0,200}", rows in "(= a 1 2\\n)?([a-z.:*?>]{1,9}\t[12.]{1,5}\\n){0,5}") {
        let _ = PackageClasses::from_section(&text);
        let _ = PackageClasses::from_section(&rows);
    }
}

#[test]
fn a_compressed_pickle_that_is_too_large_is_an_error() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"\x80\x04").unwrap();
    let zeros = vec![b'N'; 1 << 20];
    for _ in 0..130 {
        packed.write_all(&zeros).unwrap();
    }
    let error = party(&source(packed.finish().unwrap())).unwrap_err();
    assert!(error.to_string().contains("a.pkl"), "{error}");
}

#[test]
fn a_compressed_pickle_that_ends_early_is_an_error() {
    let whole = zlib(WHOLE);
    let error = party(&source(whole[..whole.len() - 8].to_vec())).unwrap_err();
    assert!(error.to_string().contains("a.pkl"), "{error}");
}
