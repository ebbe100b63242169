//! Inventory: what has artifacts.

use std::path::Path;
use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content, OpenError};
use unskew_objects::{ListedObject, ObjectPlace, Objects, StoreSettings};

use crate::group::{ListedFile, groups, refuse_unreadable};
use crate::registered::Registered;
use crate::{InventoryItem, Question, ScanError, VerdictRow, hub, local_files};

/// Something that has artifacts.
pub trait Inventory: Send + Sync {
    /// What it is called, in messages.
    fn name(&self) -> &str;

    /// What it has, in the order of the keys. Nothing is opened yet. Something that it knows of and cannot reach is an
    /// item whose opener fails.
    ///
    /// # Errors
    /// If it cannot say what it has.
    fn items(&self) -> Result<Vec<InventoryItem>, ScanError>;

    /// Writes verdicts back to where the artifacts are, where there is a place for them: as tags in MLflow, as
    /// reports in an OCI registry. Says for how many entries; none elsewhere.
    ///
    /// # Errors
    /// If the registry does not take them.
    fn report(&self, rows: &[VerdictRow], question: &Question) -> Result<usize, ScanError> {
        let _ = (rows, question);
        Ok(0)
    }
}

/// What a URI or path names: a file, a folder, a cache of the Hugging Face hub, the objects below a prefix, models in a
/// registry. Settings of
/// stores come from the environment.
///
/// # Errors
/// If it names nothing that can be scanned.
pub fn inventory(uri: &str) -> Result<Box<dyn Inventory>, ScanError> {
    if let Some(registered) = Registered::from_uri(uri) {
        return Ok(Box::new(registered?));
    }
    let place = ObjectPlace::parse(uri)?;
    match place.path() {
        Some(path) if hub::is_cache(&path) => Ok(Box::new(hub::Hub::new(&path))),
        Some(path) => Ok(Box::new(Folder { name: path.display().to_string() })),
        None => Ok(inventory_of(Objects::at(&place, &StoreSettings::from_env())?)),
    }
}

/// The objects below the place of `objects`, or the object there.
pub fn inventory_of(objects: Objects) -> Box<dyn Inventory> {
    let name = objects.place().to_string();
    Box::new(Prefix { objects, name })
}

/// A folder of this machine, or one file.
struct Folder {
    name: String,
}

impl Inventory for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    fn items(&self) -> Result<Vec<InventoryItem>, ScanError> {
        let root = Path::new(&self.name);
        let found = local_files::files(root)?;
        let base = self.name.trim_end_matches('/');
        let single = root.is_file();
        let item = |group: crate::group::Group| {
            let itself = single || group.key.is_empty();
            let uri = if itself { base.to_owned() } else { format!("{base}/{}", group.key) };
            let path = uri.clone();
            InventoryItem {
                open: Arc::new(move || {
                    refuse_unreadable(Path::new(&path), group.unreadable)?;
                    Content::at(Path::new(&path))
                }),
                key: group.key,
                uri,
                collection: None,
                revision: None,
                etag: group.etag,
                sha256: None,
                size: group.size,
            }
        };
        Ok(groups(&found).into_iter().map(item).collect())
    }
}

/// The objects below a prefix of a store, or one object.
struct Prefix {
    objects: Objects,
    name: String,
}

impl Inventory for Prefix {
    fn name(&self) -> &str {
        &self.name
    }

    fn items(&self) -> Result<Vec<InventoryItem>, ScanError> {
        let place = self.objects.place();
        let itself = match place.is_folder() {
            true => None,
            false => self.objects.stat("")?,
        };
        let listed: Vec<ListedObject> = match itself {
            Some(object) => vec![object],
            None => self.objects.list("").collect::<Result<_, _>>()?,
        };
        let found = |one: &ListedObject| {
            // One object has its name for a key, so that its kind is known by that.
            let key = if one.key.is_empty() { place.name().to_owned() } else { one.key.clone() };
            ListedFile::readable(key, one.size, one.etag.clone())
        };
        let found: Vec<ListedFile> = listed.iter().map(found).collect();
        Ok(groups(&found).into_iter().map(|group| self.item(group, &listed)).collect())
    }
}

impl Prefix {
    fn item(&self, group: crate::group::Group, listed: &[ListedObject]) -> InventoryItem {
        let files: Vec<ListedObject> =
            group.files.iter().filter_map(|at| listed.get(*at)).cloned().collect();
        let single = files.first().filter(|_| !group.folder).cloned();
        let uri = self.objects.uri(single.as_ref().map_or(&group.key, |one| &one.key));
        let (objects, name, base) = (self.objects.clone(), uri.clone(), group.key.clone());
        let open = move || -> Result<Content, OpenError> {
            if let Some(one) = &single {
                let part = ArtifactFile::of_object(&objects, one);
                return Ok(Content::File(ArtifactFile { name: name.clone(), ..part }));
            }
            let parts = files.iter().map(|one| {
                let part = ArtifactFile::of_object(&objects, one);
                let below = one.key.strip_prefix(&base).unwrap_or(&one.key).trim_start_matches('/');
                ArtifactFile { name: below.to_owned(), ..part }
            });
            Ok(Content::Folder { name: name.clone(), parts: parts.collect() })
        };
        InventoryItem {
            key: group.key,
            uri,
            collection: None,
            revision: None,
            etag: group.etag,
            sha256: None,
            size: group.size,
            open: Arc::new(open),
        }
    }
}
