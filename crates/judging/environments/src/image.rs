//! Environments in container images: an OCI layout as a folder or tar, or what `docker save` writes.
//!
//! Layers are read from front to back, the lowest first. What is judged of them is put into a folder that goes with the
//! [`Image`]: metadata of packages, shared objects, generated code, the C and C++ libraries of the system. Of what is
//! large and not read, such as a framework's own libraries, only an empty file under its name. Links are not made, and nothing
//! in the image is run.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use unskew_source::{
    ChargedReader, FileSource, Slice, Source, SourceExt as _, SourceReader, open_regular,
};

use crate::file_kind::FileKind;
use crate::{Environment, SiteError, SitePackages, System};

/// The most bytes of a document of the image, of a file in it, of all that is kept, and of all that is unpacked.
const DOCUMENT: u64 = 16 << 20;
const FILE: u64 = 1 << 30;
const KEPT: u64 = 16 << 30;
const UNPACKED: u64 = 256 << 30;

/// The most files of all layers, and layers.
const FILES: usize = 5_000_000;
const LAYERS: usize = 1_000;

/// What an entry of a layer, a name that is looked at for what hides it, and a file that is written take from the budget of
/// nodes.
const ENTRY_NODES: u64 = 4;
const FILE_NODES: u64 = 32;

/// How deep an index may lie in another.
const DEPTH: usize = 4;

/// What is judged of an image.
pub struct Image {
    /// The path as the user named it.
    pub name: String,
    /// The folder with its files.
    root: tempfile::TempDir,
    /// The folders with packages in it, those with most packages first.
    sites: Vec<PathBuf>,
}

/// Why an image cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file of it cannot be read, or what was kept not be written.
    #[error("{path}: {source}")]
    Io {
        /// The file, with the layer that it is in.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// It is no image, or a broken one.
    #[error("{path}: {what}")]
    Broken {
        /// The image as it was named.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// There is no Python environment in it.
    #[error("no folder with Python packages (site-packages, dist-packages) in the image: {0}")]
    Empty(String),
    /// What was found in it is no environment.
    #[error(transparent)]
    Site(#[from] SiteError),
}

impl Image {
    /// Whether a path names an image: a folder with an OCI layout, or a tar.
    pub fn is_image(path: &Path) -> bool {
        if path.is_dir() {
            return path.join("oci-layout").is_file();
        }
        let mut head = [0; 512];
        // A named pipe is no image, and opening one waits.
        let Ok((mut file, _)) = open_regular(path) else { return false };
        file.read_exact(&mut head).is_ok() && head.get(257..262) == Some(b"ustar")
    }

    /// Reads the layers of the image at `path`.
    ///
    /// # Errors
    /// If it is no image, a layer is missing, broken, or compressed in a way that is not read, or it has no packages.
    pub fn open(path: &Path) -> Result<Self, ImageError> {
        let name = path.display().to_string();
        let wrong = |source| ImageError::Io { path: name.clone(), source };
        let blobs = Blobs::open(path)?;
        let root = tempfile::tempdir().map_err(wrong)?;
        let mut kept = LayerContents {
            root: root.path(),
            files: BTreeSet::new(),
            bytes: 0,
            unpacked: 0,
            count: 0,
        };
        for layer in blobs.layers()? {
            let shown = format!("{name}!{layer}");
            let wrong = |source| ImageError::Io { path: shown.clone(), source };
            kept.layer(&blobs.blob(&layer)?).map_err(wrong)?;
        }
        let sites = kept.sites();
        if sites.is_empty() {
            return Err(ImageError::Empty(name));
        }
        Ok(Self { name, root, sites })
    }

    /// The environment with most packages. Keep the image as long as the environment is judged: it has the files.
    ///
    /// # Errors
    /// If its folder cannot be read.
    pub fn environment(&self) -> Result<Environment, ImageError> {
        let first = self.sites.first().ok_or_else(|| ImageError::Empty(self.name.clone()))?;
        let site = SitePackages::find(&self.root.path().join(first))?;
        let site = SitePackages { is_image: true, ..site };
        let mut environment = Environment::read(&site)?;
        environment.name = format!("{}!/{}", self.name, first.display());
        let system = System::of_root(&format!("the image {}", self.name), self.root.path());
        environment.system = Some(system).filter(|system| !system.is_empty());
        Ok(environment)
    }

    /// The other folders with packages, which are not judged.
    pub fn others(&self) -> impl Iterator<Item = String> {
        self.sites.iter().skip(1).map(|site| format!("/{}", site.display()))
    }
}

/// The files of an image by their names: blobs, and the documents that name them.
enum Blobs {
    Folder { path: PathBuf, opened: RefCell<BTreeMap<String, Arc<dyn Source>>> },
    Tar { name: String, members: BTreeMap<String, Arc<dyn Source>> },
}

impl Blobs {
    fn open(path: &Path) -> Result<Self, ImageError> {
        if path.is_dir() {
            return Ok(Self::Folder { path: path.to_owned(), opened: RefCell::default() });
        }
        let name = path.display().to_string();
        let wrong = |source| ImageError::Io { path: name.clone(), source };
        let source = FileSource::open(path).map_err(|error| wrong(io::Error::other(error)))?;
        let source: Arc<dyn Source> = Arc::new(source);
        let mut archive = tar::Archive::new(SourceReader::new(Arc::clone(&source)));
        let mut members = BTreeMap::new();
        for entry in archive.entries_with_seek().map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            if members.len() >= LAYERS * 4 {
                let what = format!("more than {} files in the tar of an image", LAYERS * 4);
                return Err(ImageError::Broken { path: name, what });
            }
            let member = entry.path().map_err(wrong)?.to_string_lossy().into_owned();
            let member = member.trim_start_matches("./").to_owned();
            if entry.header().entry_type().is_file() {
                let (start, size) = (entry.raw_file_position(), entry.size());
                let slice =
                    Slice::new(format!("{name}!{member}"), Arc::clone(&source), start, size);
                let slice = slice.map_err(|error| wrong(io::Error::other(error)))?;
                members.insert(member, Arc::new(slice) as Arc<dyn Source>);
            }
        }
        Ok(Self::Tar { name, members })
    }

    fn name(&self) -> String {
        match self {
            Self::Folder { path, .. } => path.display().to_string(),
            Self::Tar { name, .. } => name.clone(),
        }
    }

    fn broken(&self, what: impl Into<String>) -> ImageError {
        ImageError::Broken { path: self.name(), what: what.into() }
    }

    /// A file by its name in the image, which leads nowhere else.
    fn blob(&self, name: &str) -> Result<Arc<dyn Source>, ImageError> {
        if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(self.broken(format!("a name that leads elsewhere: {name:?}")));
        }
        match self {
            // One that is named again takes from the same budget.
            Self::Folder { path, opened } => {
                if let Some(known) = opened.borrow().get(name) {
                    return Ok(Arc::clone(known));
                }
                let source = FileSource::open(&path.join(name));
                let source = source.map_err(|error| self.broken(error.to_string()))?;
                let source: Arc<dyn Source> = Arc::new(source);
                opened.borrow_mut().insert(name.to_owned(), Arc::clone(&source));
                Ok(source)
            }
            Self::Tar { members, .. } => {
                let found = members.get(name).cloned();
                found.ok_or_else(|| self.broken(format!("no such file in the tar: {name}")))
            }
        }
    }

    fn document(&self, name: &str) -> Result<Value, ImageError> {
        let source = self.blob(name)?;
        if source.size() > DOCUMENT {
            return Err(self.broken(format!("{name} has more than {DOCUMENT} bytes")));
        }
        let bytes = source.all().map_err(|error| self.broken(error.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|error| self.broken(format!("{name}: {error}")))
    }

    /// The names of the layers, the lowest first.
    fn layers(&self) -> Result<Vec<String>, ImageError> {
        let layers = match self.document("manifest.json") {
            // What `docker save` writes has the names as they are.
            Ok(manifest) => {
                let layers = manifest.pointer("/0/Layers").and_then(Value::as_array);
                let names = layers.into_iter().flatten().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            Err(_) => self.of_index()?,
        };
        match layers.len() {
            0 => Err(self.broken("it names no layers")),
            many if many > LAYERS => Err(self.broken(format!("more than {LAYERS} layers"))),
            _ => Ok(layers),
        }
    }

    /// Follows `index.json` to the manifest for Linux.
    fn of_index(&self) -> Result<Vec<String>, ImageError> {
        let mut document = self.document("index.json")?;
        for _ in 0..DEPTH {
            if let Some(layers) = document.get("layers").and_then(Value::as_array) {
                let digests = layers.iter().filter_map(|layer| layer.get("digest")?.as_str());
                return digests.map(|digest| self.path_of(digest)).collect();
            }
            let manifests = document.get("manifests").and_then(Value::as_array);
            let all = manifests.map(Vec::as_slice).unwrap_or_default();
            let system =
                |one: &Value| one.pointer("/platform/os").and_then(Value::as_str) == Some("linux");
            // Beside images stand notes about them, whose platform is `unknown`.
            let chosen = all.iter().find(|one| system(one)).or_else(|| all.first());
            let digest = chosen.and_then(|one| one.get("digest")?.as_str());
            let digest = digest.ok_or_else(|| self.broken("its index names no manifest"))?;
            document = self.document(&self.path_of(digest)?)?;
        }
        Err(self.broken("its index names one index after the other"))
    }

    fn path_of(&self, digest: &str) -> Result<String, ImageError> {
        let is_plain =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
        match digest.split_once(':') {
            Some((kind, digits)) if is_plain(kind) && is_plain(digits) => {
                Ok(format!("blobs/{kind}/{digits}"))
            }
            _ => Err(self.broken(format!("no digest: {digest:?}"))),
        }
    }
}

/// What is kept of the layers.
struct LayerContents<'a> {
    root: &'a Path,
    files: BTreeSet<PathBuf>,
    bytes: u64,
    unpacked: u64,
    count: usize,
}

impl LayerContents<'_> {
    fn layer(&mut self, blob: &Arc<dyn Source>) -> io::Result<()> {
        let mut packed = BufReader::with_capacity(1 << 20, SourceReader::new(Arc::clone(blob)));
        let head: Vec<u8> = packed.fill_buf()?.iter().take(4).copied().collect();
        let left = UNPACKED.saturating_sub(self.unpacked);
        let reader: Box<dyn Read> = match &*head {
            [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(packed)),
            [0x28, 0xb5, 0x2f, 0xfd] => {
                let said =
                    "a layer that is compressed with zstd, which is not read; write it with gzip";
                return Err(io::Error::new(io::ErrorKind::Unsupported, said));
            }
            _ => Box::new(packed),
        };
        let reader = ChargedReader::new(Arc::clone(blob), reader.take(left));
        let mut archive = tar::Archive::new(reader);
        let mut opaque = BTreeSet::new();
        let mut own = BTreeSet::new();
        for entry in archive.entries()? {
            let mut entry = entry?;
            self.count += 1;
            charge(blob, ENTRY_NODES)?;
            self.unpacked = self.unpacked.saturating_add(entry.size());
            if self.count > FILES || self.unpacked > UNPACKED {
                return Err(io::Error::other("more files or bytes than are read of an image"));
            }
            let path = entry.path()?.into_owned();
            let Some(path) = plain(&path) else { continue };
            let name =
                path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if name == ".wh..wh..opq" {
                opaque.insert(path.parent().unwrap_or(Path::new("")).to_owned());
            } else if let Some(gone) = name.strip_prefix(".wh.") {
                self.remove(blob, &path.with_file_name(gone), &own)?;
            } else if entry.header().entry_type().is_file() {
                if self.keep(blob, &path, &mut entry)? {
                    own.insert(path);
                }
            } else if !entry.header().entry_type().is_dir() {
                // A link takes the place of what was there.
                self.remove(blob, &path, &own)?;
            }
        }
        // What lower layers have in such folders is hidden, wherever in the layer that stands.
        for folder in opaque {
            self.remove(blob, &folder, &own)?;
        }
        Ok(())
    }

    /// Keeps a file if it is judged, or its name is; says whether it is kept.
    fn keep(
        &mut self,
        blob: &Arc<dyn Source>,
        path: &Path,
        entry: &mut impl Read,
    ) -> io::Result<bool> {
        let wanted = KeepPolicy::for_path(path);
        if wanted == KeepPolicy::Nothing {
            return Ok(false);
        }
        charge(blob, FILE_NODES)?;
        let at = self.root.join(path);
        if let Some(folder) = at.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(&at)?;
        if wanted == KeepPolicy::Bytes {
            let left = FILE.min(KEPT.saturating_sub(self.bytes));
            let copied = io::copy(&mut entry.take(left + 1), &mut file)?;
            if copied > left {
                return Err(io::Error::other(format!("too large to be kept: {}", path.display())));
            }
            self.bytes += copied;
        }
        self.files.insert(path.to_owned());
        Ok(true)
    }

    /// Removes what lower layers have at a path, and below it, because the layer `blob` says so.
    fn remove(
        &mut self,
        blob: &Arc<dyn Source>,
        path: &Path,
        own: &BTreeSet<PathBuf>,
    ) -> io::Result<()> {
        let mut below = Vec::new();
        for file in self.files.range(path.to_owned()..).take_while(|file| file.starts_with(path)) {
            charge(blob, ENTRY_NODES)?;
            if !own.contains(file) {
                below.push(file.clone());
            }
        }
        for file in below {
            fs::remove_file(self.root.join(&file))?;
            // A folder of a package that is gone must be gone too.
            for folder in file.ancestors().skip(1).filter(|one| one.parent().is_some()) {
                if fs::remove_dir(self.root.join(folder)).is_err() {
                    break;
                }
            }
            self.files.remove(&file);
        }
        Ok(())
    }

    /// The folders with packages, those with most packages first.
    fn sites(&self) -> Vec<PathBuf> {
        let mut packages: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for file in &self.files {
            let Some(folder) = file.ancestors().find(|one| is_site(one)) else { continue };
            let is_package = file.ends_with("METADATA")
                || file.ends_with("PKG-INFO")
                || file.extension().is_some_and(|ending| ending == "egg-info");
            *packages.entry(folder.to_owned()).or_default() += usize::from(is_package);
        }
        let mut all: Vec<(PathBuf, usize)> = packages.into_iter().filter(|(_, n)| *n > 0).collect();
        all.sort_by_key(|(folder, count)| (std::cmp::Reverse(*count), folder.clone()));
        all.into_iter().map(|(folder, _)| folder).collect()
    }
}

/// Takes nodes from the budget of a layer.
fn charge(blob: &Arc<dyn Source>, nodes: u64) -> io::Result<()> {
    blob.nodes(nodes).map_err(io::Error::other)
}

fn is_site(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "site-packages" || name == "dist-packages")
}

/// What is kept of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeepPolicy {
    Nothing,
    Name,
    Bytes,
}

impl KeepPolicy {
    fn for_path(path: &Path) -> Self {
        let text = path.to_string_lossy();
        let name = text.rsplit('/').next().unwrap_or_default();
        if name == "pyvenv.cfg" || System::is_library(path) {
            return Self::Bytes;
        }
        let Some(site) = path.ancestors().find(|one| is_site(one)) else { return Self::Nothing };
        let below = path.strip_prefix(site).unwrap_or(path).to_string_lossy().into_owned();
        let is_info = below.split('/').next().is_some_and(is_package_info);
        let is_path =
            !below.contains('/') && (below.ends_with(".pth") || below.ends_with(".egg-link"));
        if is_info || is_path || below.contains(".egg/EGG-INFO/") {
            return Self::Bytes;
        }
        match FileKind::from_path(&below) {
            FileKind::Other => Self::Nothing,
            // Hundreds of megabytes of which nothing is judged but that they are there.
            FileKind::Object
                if ["torch/lib/", "nvidia/", "tensorflow/", "jaxlib/"]
                    .iter()
                    .any(|start| below.starts_with(start)) =>
            {
                Self::Name
            }
            _ => Self::Bytes,
        }
    }
}

/// Whether a folder or file of `site-packages` has what is written of a package.
fn is_package_info(name: &str) -> bool {
    name.ends_with(".dist-info") || name.ends_with(".egg-info")
}

/// A path of a layer below the root; none if it leads elsewhere.
fn plain(path: &Path) -> Option<PathBuf> {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => plain.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    (plain.components().next().is_some()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_judged_is_kept_and_large_libraries_by_name_only() {
        let site = "usr/lib/python3.11/site-packages";
        for (path, wanted) in [
            (format!("{site}/torch-2.7.1.dist-info/METADATA"), KeepPolicy::Bytes),
            (format!("{site}/torch/lib/libtorch_cpu.so"), KeepPolicy::Name),
            (format!("{site}/torchao/_C.abi3.so"), KeepPolicy::Bytes),
            (format!("{site}/torchao/__init__.py"), KeepPolicy::Bytes),
            (format!("{site}/torchao/ops.py"), KeepPolicy::Nothing),
            (format!("{site}/app/a_pb2.py"), KeepPolicy::Bytes),
            ("usr/lib/x86_64-linux-gnu/libc.so.6".to_owned(), KeepPolicy::Bytes),
            ("opt/libc.so.6".to_owned(), KeepPolicy::Nothing),
        ] {
            assert_eq!(KeepPolicy::for_path(Path::new(&path)), wanted, "{path}");
        }
        assert_eq!(plain(Path::new("./a/b")), Some(PathBuf::from("a/b")));
        assert!(plain(Path::new("a/../../b")).is_none() && plain(Path::new("./")).is_none());
    }
}
