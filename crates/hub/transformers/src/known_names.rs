//! What releases know by name, as rows of the database.

use std::str::FromStr as _;

use pep440_rs::VersionSpecifiers;
use unskew_core::Version;
use unskew_definitions::{DefinitionRowsError, Rows, RowsText, Runs};

/// What all releases of a package know: a line for each, such as `qwen3(model)`, `Qwen3ForCausalLM(class)`,
/// `gptq(quantization)`, `llama3(rope)`, `llama(theta 10000)`, `dtype-key(feature)` and
/// `tokenizers(requires >=0.22.0,<=0.23.0)`; of a server `Qwen3ForCausalLM(architecture)`.
#[derive(Debug)]
pub struct KnownNames(Rows);

impl KnownNames {
    /// The names of a text.
    ///
    /// # Errors
    /// If its first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Rows::from_text(text).map(Self)
    }

    /// Every row, as it is stored.
    pub fn rows(&self) -> &Rows {
        &self.0
    }

    /// The kinds that `name` has in a release: `model`, `theta 10000`.
    pub(crate) fn kinds<'n>(
        &'n self,
        name: &'n str,
        release: Version,
    ) -> impl Iterator<Item = &'n str> {
        let has = move |runs: &str| runs.parse().is_ok_and(|runs: Runs| runs.contains(release));
        self.0.named(name).filter(move |(_, runs)| has(runs)).filter_map(move |(text, _)| {
            text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')
        })
    }

    /// Whether a release knows `name` as something of this kind.
    pub(crate) fn knows(&self, name: &str, kind: &str, release: Version) -> bool {
        self.kinds(name, release).any(|one| one == kind)
    }

    /// The versions of another package that a release accepts, as it writes them: `>=0.22.0,<=0.23.0`.
    pub(crate) fn accepted_versions<'n>(
        &'n self,
        package: &'n str,
        release: Version,
    ) -> Option<&'n str> {
        self.kinds(package, release).find_map(|kind| kind.strip_prefix("requires "))
    }
}

/// Those of `releases` that a range takes in, as [`KnownNames::accepted_versions`] gives it; none if it is no range.
pub(crate) fn releases_in<'r>(
    range: &str,
    releases: &'r [Version],
) -> impl Iterator<Item = Version> + 'r {
    let range = VersionSpecifiers::from_str(range).ok();
    releases.iter().copied().filter(move |version| {
        let version = pep440_rs::Version::from_str(&version.to_string()).ok();
        range.as_ref().zip(version).is_some_and(|(range, version)| range.contains(&version))
    })
}
