//! Everything below a place.

use object_store::{ObjectStoreExt as _, PutMode};
use unskew_source::{Source, SourceExt as _, limits};

use crate::client::Client;
use crate::{
    ListedObject, Object, ObjectError, ObjectErrorCause, ObjectListing, ObjectPlace, ObjectUpload,
    StoreSettings, Traffic, object, waiting,
};

/// Everything below a place of a store. Keys are relative to the place; an empty key is the place itself. Clones share
/// connections and counters.
#[derive(Clone)]
pub struct Objects {
    client: Client,
}

impl Objects {
    /// The objects below a URI, with the settings of the environment. Nothing is asked yet, so nothing has to
    /// be there.
    ///
    /// # Errors
    /// If the URI names no place, or settings contradict each other.
    pub fn open(uri: &str) -> Result<Self, ObjectError> {
        Self::at(&ObjectPlace::parse(uri)?, &StoreSettings::from_env())
    }

    /// The objects below a place, with these settings.
    ///
    /// # Errors
    /// If settings contradict each other.
    pub fn at(place: &ObjectPlace, settings: &StoreSettings) -> Result<Self, ObjectError> {
        Ok(Self { client: Client::new(place, settings)? })
    }

    /// The bucket or folder that these objects are below.
    pub fn place(&self) -> &ObjectPlace {
        self.client.place()
    }

    /// The same store at another place of it, which must have the same root.
    ///
    /// # Errors
    /// [`ObjectErrorCause::Invalid`] if the place lies in another store.
    pub fn moved_to(&self, place: &ObjectPlace) -> Result<Self, ObjectError> {
        Ok(Self { client: self.client.moved_to(place)? })
    }

    /// How users name the object at `key`.
    pub fn uri(&self, key: &str) -> String {
        self.client.uri(key)
    }

    /// What has been read through this and its clones.
    pub fn traffic(&self) -> Traffic {
        self.client.meter().traffic()
    }

    /// The objects below `prefix`, whole parts of a key: `models` has `models/net.pt` below it, and not
    /// `models-old/net.pt`. A prefix with nothing below it is no error.
    pub fn list(&self, prefix: &str) -> ObjectListing {
        ObjectListing::start(&self.client, prefix)
    }

    /// What the store says of the object at `key`; none if there is no such object.
    ///
    /// # Errors
    /// If the store does not answer.
    pub fn stat(&self, key: &str) -> Result<Option<ListedObject>, ObjectError> {
        object::stat(&self.client, key)
    }

    /// Opens the object at `key` for reading.
    ///
    /// # Errors
    /// [`ObjectErrorCause::Missing`], or if the store does not answer.
    pub fn object(&self, key: &str) -> Result<Object, ObjectError> {
        Object::open(&self.client, key)
    }

    /// The object that was listed, in the state that it had then. Nothing is asked yet.
    pub fn listed_object(&self, listed: &ListedObject) -> Object {
        Object::new(&self.client, listed.clone())
    }

    /// All bytes of the object at `key`.
    ///
    /// # Errors
    /// As [`Objects::object`]; [`ObjectErrorCause::TooLarge`] above [`limits::RECORD`].
    pub fn get(&self, key: &str) -> Result<Vec<u8>, ObjectError> {
        let object = self.object(key)?;
        let (size, limit) = (object.size(), limits::RECORD);
        if size > limit {
            return Err(ObjectError::new(
                object.name(),
                ObjectErrorCause::TooLarge { size, limit },
            ));
        }
        object.all().map_err(|error| match *error.problem {
            unskew_source::SourceProblem::Io(error) => ObjectError::io(object.name(), error),
            other => ObjectError::new(object.name(), ObjectErrorCause::Failed(other.to_string())),
        })
    }

    /// Writes an object, whole or not at all. One that is there is replaced.
    ///
    /// # Errors
    /// If the store does not take it.
    pub fn put(&self, key: &str, bytes: impl Into<Vec<u8>>) -> Result<(), ObjectError> {
        self.client.put(key, bytes.into(), PutMode::Overwrite)
    }

    /// Writes an object that is not there yet, and says whether it did: of several callers at once, one does.
    ///
    /// # Errors
    /// If the store does not take it, or knows no such condition.
    pub fn put_new(&self, key: &str, bytes: impl Into<Vec<u8>>) -> Result<bool, ObjectError> {
        match self.client.put(key, bytes.into(), PutMode::Create) {
            Ok(()) => Ok(true),
            Err(ObjectError { cause: ObjectErrorCause::Exists, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Begins to write an object of any size, in parts. It appears when [`ObjectUpload::finish`] returns.
    ///
    /// # Errors
    /// If the key cannot be one.
    pub fn upload(&self, key: &str) -> Result<ObjectUpload, ObjectError> {
        ObjectUpload::begin(&self.client, key)
    }

    /// Copies an object within the store, without its bytes coming here.
    ///
    /// # Errors
    /// [`ObjectErrorCause::Missing`], or if the store does not do it.
    pub fn copy(&self, from: &str, to: &str) -> Result<(), ObjectError> {
        let (store, source, target) =
            (self.client.store().clone(), self.client.location(from)?, self.client.location(to)?);
        waiting::wait(&self.uri(from), async move { store.copy(&source, &target).await })
    }

    /// Removes an object. One that is not there is removed already.
    ///
    /// # Errors
    /// If the store does not do it.
    pub fn delete(&self, key: &str) -> Result<(), ObjectError> {
        let (store, path) = (self.client.store().clone(), self.client.location(key)?);
        match waiting::wait(&self.uri(key), async move { store.delete(&path).await }) {
            Err(error) if error.is_missing() => Ok(()),
            other => other,
        }
    }
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Objects").field(&self.place().to_string()).finish()
    }
}
