//! Modules and steps as bytes: in memory those of functions, which are many and followed once, and in a cache all.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::module::{PythonModule, Step};

/// Steps of a function as bytes, a tenth of what they take otherwise.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PackedSteps(Vec<u8>);

impl PackedSteps {
    /// Packs steps. Most functions ask for nothing: of no steps no byte is kept.
    pub fn new(steps: &[Step]) -> Self {
        if steps.is_empty() { Self::default() } else { Self(bytes(steps)) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The steps. None if the bytes are broken: who keeps them in a file compares their digest first.
    pub fn unpack(&self) -> Vec<Step> {
        if self.is_empty() {
            return Vec::new();
        }
        postcard::from_bytes(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for PackedSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.unpack()).finish()
    }
}

impl Serialize for PackedSteps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackedSteps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = PackedSteps;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<PackedSteps, E> {
                Ok(PackedSteps(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl PythonModule {
    /// The module as bytes, which [`PythonModule::from_bytes`] of the same build reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes(self)
    }

    /// The module that was written as these bytes; none if they are broken.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

#[expect(
    clippy::expect_used,
    reason = "sequences of known length and enumerations are all there is"
)]
fn bytes(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_allocvec(value).expect("no type that postcard cannot write")
}
