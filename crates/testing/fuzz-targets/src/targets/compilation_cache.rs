//! JAX: an entry of a compilation cache, as it lies in the file and as it is when unpacked.

use std::io::Write;
use std::sync::Arc;

use flate2::{Compression, write::ZlibEncoder};
use unskew_compilation_cache::CacheEntry;
use unskew_source::{Budget, BytesSource, Source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    let packed = packed.write_all(bytes).and_then(|()| packed.finish()).unwrap_or_default();
    // Most inputs would fail at the checksum.
    for file in [bytes.to_vec(), packed] {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("entry", file));
        let _ = CacheEntry::read(&source, &Budget::for_size(source.size()));
    }
}
