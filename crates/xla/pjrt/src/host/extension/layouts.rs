//! Layouts, as plug-ins serialize them.

use std::borrow::Cow;

use crate::host::{Buffer, Client, Error, Executable, Topology, host_bytes};
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;
use crate::sys::calls::extension::layouts;

/// How the elements of an array lie in memory, in the plug-in's own words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryLayout(Vec<u8>);

impl MemoryLayout {
    /// The bytes by which the plug-in serializes it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same as a text, which it is in plug-ins built from XLA: `{1,0}`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl Client {
    /// The layout that arrays of this type and these dimensions get unless told otherwise. Since 0.51,
    /// by the extension Layouts.
    ///
    /// # Errors
    /// [`Error::NotAShape`] if no array is such; if the plug-in does not answer.
    pub fn default_layout(
        &self,
        element_type: ElementType,
        dims: &[i64],
    ) -> Result<MemoryLayout, Error> {
        host_bytes(element_type, dims, None)?;
        layouts::of_client(self.raw(), element_type, dims).map(MemoryLayout)
    }
}

impl Topology {
    /// The layout that arrays of this type and these dimensions get on its devices unless told
    /// otherwise. Since 0.75, by the extension Layouts.
    ///
    /// # Errors
    /// As [`Client::default_layout`].
    pub fn default_layout(
        &self,
        element_type: ElementType,
        dims: &[i64],
    ) -> Result<MemoryLayout, Error> {
        host_bytes(element_type, dims, None)?;
        layouts::of_topology(self.raw(), element_type, dims).map(MemoryLayout)
    }
}

impl Buffer {
    /// Its layout. Since 0.51, by the extension Layouts; [`Buffer::minor_to_major`] needs none.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn layout(&self) -> Result<MemoryLayout, Error> {
        layouts::of_buffer(self.raw()).map(MemoryLayout)
    }
}

impl Executable {
    /// The layout of each result. Since 0.81, by the extension Layouts.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn output_layouts(&self) -> Result<Vec<MemoryLayout>, Error> {
        Ok(layouts::of_outputs(self.raw())?.into_iter().map(MemoryLayout).collect())
    }

    /// The layout of each parameter. Since 0.93, by the extension Layouts.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn parameter_layouts(&self) -> Result<Vec<MemoryLayout>, Error> {
        Ok(layouts::of_parameters(self.raw())?.into_iter().map(MemoryLayout).collect())
    }
}
