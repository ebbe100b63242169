//! A file as a party.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::component::TokenizerSection;
use crate::file::TokenizerFile;
use crate::{TokenizersRelease, judge};

/// The axis on which files meet a release.
pub const TOKENIZERS_AXIS: &str = "tokenizers";

/// Judges a file against a release.
struct TokenizerMatcher(Arc<TokenizerFile>);

impl Matcher for TokenizerMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        Some(judge(&self.0, other.capability::<TokenizersRelease>()?))
    }
}

/// The party of a `tokenizer.json`; none if it is something else.
///
/// # Errors
/// If it is one, but broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(file) = TokenizerFile::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let mut party = Party::new(name, Role::Artifact, "tokenizer of Hugging Face");
    for section in [TokenizerSection::Model].into_iter().chain(TokenizerSection::TYPED) {
        let kinds = file.components.iter().filter(|one| one.section == section);
        let kinds: Vec<&str> =
            kinds.map(|one| one.kind.as_str()).filter(|kind| *kind != "Sequence").collect();
        if !kinds.is_empty() {
            party = party.fact(section.in_words(), kinds.join(", "));
        }
    }
    if file.added_tokens > 0 {
        party = party.fact("added tokens", file.added_tokens);
    }
    let file = Arc::new(file);
    let judged = Requirement::matches(TOKENIZERS_AXIS, TokenizerMatcher(file.clone()));
    Ok(Some(party.require(judged).with_capability(file)))
}
