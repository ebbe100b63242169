//! Archives that inflate to far more than they are, and archives in archives.

use std::io::{self, Read, Write as _};

use super::Bomb;

const COMMANDS: &[&str] =
    &["inspect FILE", "check FILE --with onnx@1.23", "scan FILE --with onnx@1.23 -o TABLE"];

/// How many bytes a member has when it is unpacked.
const LARGE: u64 = 160 << 20;

pub(super) fn all() -> anyhow::Result<Vec<Bomb>> {
    let model = |name: &str| packed_tar(&[(name, LARGE)]);
    let mut nested = b"GGUF".to_vec();
    for _ in 0..30 {
        nested = zip(&[("a.zip", &nested), ("b.zip", &nested)])?;
        if nested.len() > 1 << 20 {
            break;
        }
    }
    Ok(vec![
        Bomb::new("model.tar.gz", model("model.onnx")?, COMMANDS),
        Bomb::new("other.tar.gz", model("notes.bin")?, COMMANDS),
        Bomb::new("nested.zip", nested, COMMANDS),
    ])
}

/// A tar file in gzip with members of zeros.
pub(super) fn packed_tar(members: &[(&str, u64)]) -> io::Result<Vec<u8>> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    for (name, size) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(*size);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, io::repeat(0).take(*size))?;
    }
    tar.into_inner()?.finish()
}

pub(super) fn zip(members: &[(&str, &[u8])]) -> anyhow::Result<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
