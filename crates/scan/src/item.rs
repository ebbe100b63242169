//! One artifact, not yet opened.

use std::sync::Arc;

use unskew_artifact::{Content, OpenError};

/// Opens an artifact when its turn comes.
pub type Opener = Arc<dyn Fn() -> Result<Content, OpenError> + Send + Sync>;

/// One artifact of an inventory.
#[derive(Clone)]
pub struct InventoryItem {
    /// What names it within its inventory, whatever that is called on this machine: decides the shard.
    pub key: String,
    /// How users name it.
    pub uri: String,
    /// What it belongs to: a repository of the hub, a registered model.
    pub collection: Option<String>,
    /// Which version of that it is.
    pub revision: Option<String>,
    /// What names the state of its bytes; the ETag in a store, size and time of change on this machine.
    pub etag: Option<String>,
    /// The SHA-256 of its bytes, where somebody has computed it already.
    pub sha256: Option<String>,
    /// The bytes of all its files.
    pub size: u64,
    /// Opens the artifact; nothing is read of it before.
    pub open: Opener,
}

impl InventoryItem {
    /// What tells whether it has been judged in its present state.
    pub(crate) fn state(&self) -> (String, Option<String>) {
        (self.uri.clone(), self.etag.clone())
    }
}

impl std::fmt::Debug for InventoryItem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Item").field("uri", &self.uri).field("size", &self.size).finish()
    }
}
