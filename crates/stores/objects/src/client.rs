//! A connection to a store, and the place that keys are relative to: what all that reads and writes shares.

use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectStore, PutMode, PutPayload};

use crate::traffic::Meter;
use crate::{ObjectError, ObjectErrorCause, ObjectPlace, StoreSettings, store, waiting};

/// Clones share connections and counters.
#[derive(Clone)]
pub(crate) struct Client {
    place: ObjectPlace,
    store: Arc<dyn ObjectStore>,
    meter: Arc<Meter>,
}

impl Client {
    /// Asks nothing yet.
    pub(crate) fn new(place: &ObjectPlace, settings: &StoreSettings) -> Result<Self, ObjectError> {
        let store = store::client(place, settings)?;
        Ok(Self { place: place.clone(), store, meter: Arc::default() })
    }

    /// The same connection, for keys below another place of the same root.
    pub(crate) fn moved_to(&self, place: &ObjectPlace) -> Result<Self, ObjectError> {
        if (place.scheme(), place.root()) != (self.place.scheme(), self.place.root()) {
            let why = format!("lies in another store than {}", self.place);
            return Err(ObjectError::new(&place.to_string(), ObjectErrorCause::Invalid(why)));
        }
        Ok(Self { place: place.clone(), ..self.clone() })
    }

    pub(crate) fn place(&self) -> &ObjectPlace {
        &self.place
    }

    pub(crate) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn uri(&self, key: &str) -> String {
        self.place.join(key).to_string()
    }

    /// The key as the crate below has it.
    pub(crate) fn location(&self, key: &str) -> Result<Path, ObjectError> {
        let place = self.place.join(key);
        let invalid = |error: object_store::path::Error| {
            ObjectError::new(&place.to_string(), ObjectErrorCause::Invalid(error.to_string()))
        };
        Path::parse(place.key()).map_err(invalid)
    }

    /// The other way: relative to the place.
    pub(crate) fn key_of(&self, location: &Path) -> String {
        let base = self.place.key().trim_matches('/');
        let key = location.as_ref();
        let below = key.strip_prefix(base).unwrap_or(key);
        below.trim_start_matches('/').to_owned()
    }

    /// Writes an object in one request.
    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>, mode: PutMode) -> Result<(), ObjectError> {
        let (store, path) = (self.store.clone(), self.location(key)?);
        waiting::wait(&self.uri(key), async move {
            store.put_opts(&path, PutPayload::from(bytes), mode.into()).await.map(|_| ())
        })
    }
}
