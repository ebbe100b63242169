//! The layers of a manifest as files.

use std::fs::File as Disk;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use oci_client::manifest::OciDescriptor;
use unskew_objects::Ranged;
use unskew_source::budget::count_file;
use unskew_source::{FileSource, Slice, Source, SourceReader};

use super::client::{Blob, Manifest, Oci};
use super::zstandard::Zstandard;
use crate::RegistryFile;
use crate::error::{RegistryError, RegistryErrorCause};
use crate::spool::{Bounded, SPOOL, Spool};

/// How many files all layers together may have.
const FILES: usize = 10_000;

/// The annotations that name a file, the better first.
const NAMES: [&str; 2] = ["org.cncf.model.filepath", "org.opencontainers.image.title"];

/// How the bytes of a layer are to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayerEncoding {
    Raw,
    Tar,
    /// As a compressed archive.
    TarGzip,
    /// As an archive that is compressed with Zstandard.
    TarZstd,
    /// Compressed in a way that is not read.
    Packed,
}

impl LayerEncoding {
    fn from_media_type(media_type: &str) -> Self {
        let kind = media_type.to_ascii_lowercase();
        let (kind, packing) = match kind.rsplit_once(['+', '.']) {
            Some((kind, packing @ ("gzip" | "gz" | "zstd" | "zst"))) => {
                (kind.to_owned(), Some(packing.to_owned()))
            }
            _ => (kind, None),
        };
        let tar = kind.ends_with("tar") || kind.ends_with("tar.gzip");
        match packing.as_deref() {
            None if tar => Self::Tar,
            None => Self::Raw,
            Some("gzip" | "gz") if tar => Self::TarGzip,
            Some("zstd" | "zst") if tar => Self::TarZstd,
            Some(_) => Self::Packed,
        }
    }
}

pub(super) fn files(
    oci: &Oci,
    manifest: &Manifest,
    layers: &[OciDescriptor],
) -> Result<Vec<RegistryFile>, RegistryError> {
    let mut found = Vec::new();
    let probe = layers.iter().max_by_key(|layer| layer.size).filter(|layer| layer.size > 0);
    let ranges = match probe {
        None => true,
        Some(layer) => {
            let blob = blob(oci, manifest, layer);
            let answer = blob.partial(0..1);
            answer.map_err(|error| RegistryError::failed(manifest.uri(), error))?.is_some()
        }
    };
    for (at, layer) in layers.iter().enumerate() {
        let name = name(layer).unwrap_or_else(|| format!("layer-{at}"));
        let wrong =
            |error: io::Error| RegistryError::failed(format!("{}#{name}", manifest.uri()), error);
        let whole = || source(oci, manifest, layer, &name, ranges);
        match LayerEncoding::from_media_type(&layer.media_type) {
            LayerEncoding::Raw => {
                found.push(RegistryFile { name: plain(&name).map_err(wrong)?, source: whole() })
            }
            LayerEncoding::Tar => found.extend(members(&whole()).map_err(wrong)?),
            form @ (LayerEncoding::TarGzip | LayerEncoding::TarZstd) => {
                let archive = unpacked(oci, manifest, layer, form).map_err(wrong)?;
                found.extend(members(&archive).map_err(wrong)?);
            }
            LayerEncoding::Packed => {
                let said = format!("layers of this form are not read: {}", layer.media_type);
                return Err(RegistryError::new(
                    manifest.uri(),
                    RegistryErrorCause::Unsupported(said),
                ));
            }
        }
        if found.len() > FILES {
            let said = format!("has more than {FILES} files");
            return Err(RegistryError::new(manifest.uri(), RegistryErrorCause::Unsupported(said)));
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn name(layer: &OciDescriptor) -> Option<String> {
    let annotations = layer.annotations.as_ref()?;
    NAMES.iter().find_map(|name| annotations.get(*name)).cloned()
}

fn blob(oci: &Oci, manifest: &Manifest, layer: &OciDescriptor) -> Blob {
    Blob { oci: oci.clone(), reference: manifest.reference.clone(), layer: layer.clone() }
}

/// A layer as it is.
fn source(
    oci: &Oci,
    manifest: &Manifest,
    layer: &OciDescriptor,
    name: &str,
    ranges: bool,
) -> Arc<dyn Source> {
    let shown = format!("{}#{name}", manifest.uri());
    let size = u64::try_from(layer.size).unwrap_or(0);
    if ranges {
        return Arc::new(Ranged::new(shown, size, blob(oci, manifest, layer)));
    }
    let (oci, reference, layer) = (oci.clone(), manifest.reference.clone(), layer.clone());
    Arc::new(Spool::new(shown, size, SPOOL, move |out| oci.fetch(&reference, &layer, out)))
}

fn unpacked(
    oci: &Oci,
    manifest: &Manifest,
    layer: &OciDescriptor,
    form: LayerEncoding,
) -> io::Result<Arc<dyn Source>> {
    let size = u64::try_from(layer.size).unwrap_or(0);
    if size > SPOOL {
        let said = format!("has {size} bytes compressed; more than {SPOOL} are not unpacked");
        return Err(io::Error::new(io::ErrorKind::Unsupported, said));
    }
    let mut packed = tempfile::tempfile()?;
    oci.fetch(&manifest.reference, layer, &mut Bounded { to: &mut packed, left: size })?;
    packed.seek(SeekFrom::Start(0))?;
    let mut whole = tempfile::tempfile()?;
    unpack(&packed, form, &mut whole)?;
    let file = FileSource::of_file(&manifest.uri(), whole)?;
    count_file(file.size());
    Ok(Arc::new(file))
}

fn unpack(packed: &Disk, form: LayerEncoding, whole: &mut Disk) -> io::Result<()> {
    let packed = io::BufReader::new(packed);
    let mut reader: Box<dyn Read + '_> = match form {
        LayerEncoding::TarZstd => Box::new(Zstandard::new(packed)),
        // Archives that can be read by part are several streams one after the other.
        _ => Box::new(MultiGzDecoder::new(packed)),
    };
    let copied = io::copy(&mut reader, &mut Bounded { to: whole, left: SPOOL });
    copied.map(drop).map_err(|error| {
        let said = format!("does not unpack, or to more than {SPOOL} bytes: {error}");
        io::Error::new(error.kind(), said)
    })
}

/// The files in an archive, as ranges of it: only the headers are read.
fn members(archive: &Arc<dyn Source>) -> io::Result<Vec<RegistryFile>> {
    let mut found = Vec::new();
    let mut reader = tar::Archive::new(SourceReader::new(archive.clone()));
    for entry in reader.entries_with_seek()? {
        let entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if found.len() >= FILES {
            return Err(io::Error::other(format!("has more than {FILES} files")));
        }
        let name = plain(&entry.path()?.to_string_lossy())?;
        let shown = format!("{}/{name}", archive.name());
        let (start, size) = (entry.raw_file_position(), entry.size());
        let slice = Slice::new(shown, archive.clone(), start, size).map_err(io::Error::other)?;
        found.push(RegistryFile { name, source: Arc::new(slice) });
    }
    Ok(found)
}

/// A name that leads nowhere else, without `./` before it.
fn plain(name: &str) -> io::Result<String> {
    let name = name.trim_start_matches("./");
    let odd = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0', '\n']);
    match name.split('/').any(odd) {
        false => Ok(name.to_owned()),
        true => Err(io::Error::other(format!("a name that a file cannot have: {name:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::{BytesSource, SourceExt};

    #[test]
    fn the_media_type_says_how_a_layer_is_read() {
        for (media_type, form) in [
            ("application/octet-stream", LayerEncoding::Raw),
            ("application/vnd.cncf.model.weight.v1.raw", LayerEncoding::Raw),
            ("application/vnd.cncf.model.weight.v1.tar", LayerEncoding::Tar),
            ("application/vnd.kitops.modelkit.model.v1.tar+gzip", LayerEncoding::TarGzip),
            ("application/vnd.oci.image.layer.v1.tar+gzip", LayerEncoding::TarGzip),
            ("application/vnd.docker.image.rootfs.diff.tar.gzip", LayerEncoding::TarGzip),
            ("application/vnd.cncf.model.weight.v1.tar+zstd", LayerEncoding::TarZstd),
            ("application/vnd.cncf.model.weight.v1.raw+zstd", LayerEncoding::Packed),
        ] {
            assert_eq!(LayerEncoding::from_media_type(media_type), form, "{media_type}");
        }
    }

    fn archive(names: &[&str]) -> Arc<dyn Source> {
        let mut builder = tar::Builder::new(Vec::new());
        for name in names {
            let mut header = tar::Header::new_gnu();
            header.set_size(5);
            let bytes = header.as_old_mut().name.as_mut();
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, &b"bytes"[..]).unwrap();
        }
        Arc::new(BytesSource::new("layer", builder.into_inner().unwrap()))
    }

    #[test]
    fn members_of_an_archive_are_ranges_of_it() {
        let files = members(&archive(&["./m/net.pt", "kitfile"])).unwrap();
        assert_eq!(files[0].name, "m/net.pt");
        assert_eq!(files[1].source.bytes(1, 3).unwrap(), b"yte");
        assert_eq!(files[1].source.name(), "layer/kitfile");
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["../net.pt", "/etc/passwd", "a//b", "a\\b"] {
            assert!(members(&archive(&[name])).is_err(), "{name}");
        }
    }
}
