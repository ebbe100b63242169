//! Artifacts in object stores.

use std::sync::Arc;

use unskew_objects::{
    ListedObject, ObjectError, ObjectErrorCause, ObjectPlace, Objects, Scheme, StoreSettings,
};
use unskew_source::Source;

use crate::{
    Artifact, ArtifactFile, Content, Neighbours, OpenError, OpenOptions, open, open_content,
};

/// How many objects below a prefix are looked at.
const OBJECTS: usize = 100_000;

/// Whether `name` is a URI that [`open_uri`] takes, `file:` included; any other name is a path.
pub fn is_uri(name: &str) -> bool {
    ObjectPlace::is_uri(name)
}

/// Opens what lies at a URI: an object, or the objects below it. Settings come from the environment.
///
/// # Errors
/// As [`open`]; or if the store does not answer.
pub fn open_uri(uri: &str, options: &OpenOptions) -> Result<Artifact, OpenError> {
    let place = ObjectPlace::parse(uri)?;
    match place.path() {
        Some(path) => open(&path, options),
        None => {
            let objects = Objects::at(&place, &StoreSettings::from_env())?;
            open_content(&Content::in_store(&objects)?, options)
        }
    }
}

impl Content {
    /// What lies at the place of `objects`: the object of this name, or everything below it.
    ///
    /// # Errors
    /// If the store does not answer, or nothing is there.
    pub fn in_store(objects: &Objects) -> Result<Self, OpenError> {
        let place = objects.place();
        let missing = match place.is_folder() {
            true => None,
            false => match objects.object("") {
                Ok(object) => {
                    let source: Arc<dyn Source> = Arc::new(object);
                    let name = source.name().to_owned();
                    let beside = Some(beside(objects, ""));
                    return Ok(Self::File(ArtifactFile { name, source, path: None, beside }));
                }
                Err(error) if error.is_missing() => Some(error),
                Err(error) => return Err(error.into()),
            },
        };
        // Web servers list nothing.
        if let (Some(error), Scheme::Http) = (missing, place.scheme()) {
            return Err(error.into());
        }
        let mut found = Vec::new();
        for listed in objects.list("") {
            found.push(listed?);
            if found.len() > OBJECTS {
                let path = place.to_string();
                return Err(OpenError::TooMany { path, limit: OBJECTS });
            }
        }
        if found.is_empty() {
            let cause = ObjectErrorCause::Missing;
            return Err(ObjectError { uri: place.to_string(), cause }.into());
        }
        Ok(Self::of_listed(place.to_string(), objects, &found))
    }

    /// The folder called `name` with these objects, whose keys are their paths below it. Nothing is asked for yet.
    pub fn of_listed(name: String, objects: &Objects, listed: &[ListedObject]) -> Self {
        let mut parts: Vec<ArtifactFile> =
            listed.iter().map(|one| ArtifactFile::of_object(objects, one)).collect();
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        Self::Folder { name, parts }
    }
}

impl ArtifactFile {
    /// An object that was listed; its name is its key. Nothing is asked for yet.
    pub fn of_object(objects: &Objects, listed: &ListedObject) -> Self {
        Self {
            name: listed.key.clone(),
            source: Arc::new(objects.listed_object(listed)),
            path: None,
            beside: Some(beside(objects, &listed.key)),
        }
    }
}

/// Opens what lies beside the object at `key`.
fn beside(objects: &Objects, key: &str) -> Neighbours {
    let place = objects.place().join(key);
    let folder = place.key().rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = objects.moved_to(&place.root_place().join(folder)).ok();
    Arc::new(move |name: &str| {
        let object = folder.as_ref()?.object(name).ok()?;
        Some(Arc::new(object) as Arc<dyn Source>)
    })
}
