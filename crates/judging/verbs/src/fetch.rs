//! Wheels of a lock that are read where they lie: by ranges of a URL, or from a path.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use unskew_environments::{Fetch, LockedFile};
use unskew_source::{FileSource, Source};

/// The most bytes of all wheels together, and how many wheels.
const BYTES: u64 = 8 << 30;
const WHEELS: usize = 5_000;

/// What was read of one wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its URL or path.
    pub location: String,
    /// The bytes that came over the line; all that a path has count as none.
    pub bytes: u64,
    /// The bytes that the wheel has.
    pub size: u64,
}

/// The files that an index listed, by index and package; or why it did not.
type Lists = BTreeMap<(String, String), Result<Arc<[LockedFile]>, String>>;

/// Reads wheels from URLs and paths, and keeps count.
pub(crate) struct Fetcher {
    /// The index for locks that name none.
    index: String,
    lists: Mutex<Lists>,
    read: Mutex<Vec<Wheel>>,
}

struct Wheel {
    location: String,
    size: u64,
    #[cfg(feature = "cloud")]
    objects: Option<unskew_objects::Objects>,
}

impl Wheel {
    #[cfg(feature = "cloud")]
    fn bytes(&self) -> u64 {
        self.objects.as_ref().map_or(0, |objects| objects.traffic().bytes)
    }

    #[cfg(not(feature = "cloud"))]
    fn bytes(&self) -> u64 {
        0
    }
}

impl Fetcher {
    pub(crate) fn new(index: &str) -> Self {
        let index = index.to_owned();
        Self { index, lists: Mutex::default(), read: Mutex::default() }
    }

    /// What was read, wheel by wheel.
    pub(crate) fn fetched(&self) -> Vec<Fetched> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Fetched> = read
            .iter()
            .map(|wheel| Fetched {
                location: wheel.location.clone(),
                bytes: wheel.bytes(),
                size: wheel.size,
            })
            .collect();
        all.sort_by(|a, b| a.location.cmp(&b.location));
        all
    }

    /// Refuses the next wheel if there were too many, or too much of them.
    fn check_limits(&self) -> Result<(), String> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: u64 = read.iter().map(Wheel::bytes).sum();
        if read.len() >= WHEELS || bytes >= BYTES {
            let gibibytes = BYTES >> 30;
            return Err(format!(
                "not read: {WHEELS} wheels or {gibibytes} GiB are the most that is fetched for a lock"
            ));
        }
        Ok(())
    }

    fn keep(&self, wheel: Wheel) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(wheel);
    }

    #[cfg(feature = "cloud")]
    fn open_url(&self, url: &str) -> Result<Arc<dyn Source>, String> {
        let text = |error: unskew_objects::ObjectError| error.to_string();
        let objects = unskew_objects::Objects::open(url).map_err(text)?;
        let object = objects.object("").map_err(text)?;
        let size = object.size();
        self.keep(Wheel { location: url.to_owned(), size, objects: Some(objects) });
        Ok(Arc::new(object))
    }

    #[cfg(not(feature = "cloud"))]
    fn open_url(&self, url: &str) -> Result<Arc<dyn Source>, String> {
        Err(format!("{url}: this build of Unskew reads no URLs; build it with `--features cloud`"))
    }
}

#[cfg(feature = "cloud")]
fn listed(index: &str, package: &str) -> Result<Arc<[LockedFile]>, String> {
    let text = |error: unskew_registries::RegistryError| error.to_string();
    let index = unskew_registries::index::PackageIndex::new(index).map_err(text)?;
    let files = index.files(package).map_err(text)?;
    let file = |file: unskew_registries::index::IndexFile| LockedFile {
        name: file.name,
        sha256: file.sha256,
        location: Some(file.url),
    };
    Ok(files.into_iter().map(file).collect())
}

#[cfg(not(feature = "cloud"))]
fn listed(_: &str, _: &str) -> Result<Arc<[LockedFile]>, String> {
    Err("this build of Unskew asks no index; build it with `--features cloud`".to_owned())
}

impl Fetch for Fetcher {
    fn list(&self, index: Option<&str>, package: &str) -> Result<Arc<[LockedFile]>, String> {
        let package = unskew_extensions::wheels::normal(package);
        let key = (index.unwrap_or(&self.index).to_owned(), package);
        let known = self.lists.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let list = listed(&key.0, &key.1);
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).insert(key, list.clone());
        list
    }

    fn open(&self, location: &str, lock: &str) -> Result<Arc<dyn Source>, String> {
        self.check_limits()?;
        if ["http://", "https://"].iter().any(|scheme| location.starts_with(scheme)) {
            return self.open_url(location);
        }
        let path = location.strip_prefix("file://").unwrap_or(location);
        let path = Path::new(lock).parent().unwrap_or(Path::new("")).join(path);
        let source = FileSource::open(&path).map_err(|error| error.to_string())?;
        let location = path.display().to_string();
        self.keep(Wheel {
            location,
            size: source.size(),
            #[cfg(feature = "cloud")]
            objects: None,
        });
        Ok(Arc::new(source))
    }
}
