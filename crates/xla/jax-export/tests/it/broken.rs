//! Files with anything wrong end as errors or as other files, never in a panic or without end.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{BytesSource, Source};

const FILES: [&[u8]; 3] = [
    include_bytes!("../data/plain-0.4.30.jaxexp"),
    include_bytes!("../data/sharded-0.10.2.jaxexp"),
    include_bytes!("../data/custom_node-0.12.0.jaxexp"),
];

fn read(bytes: Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("broken", bytes));
    let _ = unskew_jax_export::party(&source);
}

#[test]
fn a_file_cut_anywhere() {
    for file in FILES {
        (0..file.len()).for_each(|end| read(file[..end].to_vec()));
    }
}

#[test]
fn every_word_wrong_at_a_time() {
    for file in FILES {
        for at in (0..file.len() - 4).step_by(4) {
            for wrong in [0, 4, 0x7fff_ffff, u32::MAX] {
                let mut bytes = file.to_vec();
                bytes[at..at + 4].copy_from_slice(&wrong.to_le_bytes());
                read(bytes);
            }
        }
    }
}

proptest! {
    #[test]
    fn bytes_changed_at_random(file in 0..3_usize, edits in prop::collection::vec((any::<usize>(), any::<u8>()), 1..8)) {
        let mut bytes = FILES[file].to_vec();
        for (at, byte) in edits {
            let len = bytes.len();
            bytes[at % len] = byte;
        }
        read(bytes);
    }
}
