//! Modules that a lazy loader imports once somebody asks for a name of theirs.

use super::importer::Importer;
use super::missing::ImportFailure;

impl Importer<'_> {
    /// Imports what the loader of a module imports for a name, if it is known and the name is not bound yet.
    pub(super) fn import_lazily(
        &mut self,
        module: &str,
        name: &str,
        by: (&str, u32),
    ) -> Result<(), Box<ImportFailure>> {
        let source = self.modules.get(module).and_then(|loaded| loaded.source.as_ref());
        let Some(below) = source.and_then(|source| source.lazy_sources.get(name)) else {
            return Ok(());
        };
        let below = format!("{module}.{below}");
        self.import(&below, by)
    }
}
