//! MLIR as text: recognized by its first words, since it has no magic number, and read as a program.

use std::sync::Arc;

use unskew_source::{ReadError, Source};

use crate::artifact::{Mlir, PortableArtifact};
use crate::parse;

/// A text, read as a program.
#[derive(Clone)]
pub struct TextProgram {
    /// The program as bytecode of VHLO that says no version.
    pub bytecode: Arc<dyn Source>,
    /// The operations, types and attributes that it uses.
    pub artifact: PortableArtifact,
}

impl TextProgram {
    /// Reads a text.
    ///
    /// # Errors
    /// As [`parse::bytecode`].
    pub fn read(source: &dyn Source) -> Result<Self, ReadError> {
        let bytecode: Arc<dyn Source> = Arc::new(parse::bytecode(source)?);
        match Mlir::read(&*bytecode)? {
            Some(Mlir::Artifact(artifact)) => Ok(Self { bytecode, artifact }),
            // A module without an operation has nothing of VHLO.
            _ => {
                let what = "no operation of a program stands in this text".to_owned();
                Err(ReadError::new(source.name(), unskew_source::SourceProblem::Unsupported(what)))
            }
        }
    }
}

/// How much of a text is looked at.
pub(crate) const HEAD: u64 = 64 << 10;

const ENDINGS: [&str; 3] = ["mlir", "stablehlo", "vhlo"];

/// What a text may begin with, after its comments.
const BEGINNINGS: [&str; 7] =
    ["module", "\"builtin.module\"", "builtin.module", "func.func", "vhlo.func", "#", "!"];

const DIALECTS: [&str; 9] =
    ["stablehlo", "vhlo", "chlo", "mhlo", "sdy", "shape", "func", "arith", "tosa"];

/// What a text without such a name begins with.
const CERTAIN: [&str; 5] =
    ["module", "\"builtin.module\"", "builtin.module", "func.func", "\"func.func\""];

/// Whether a file that begins so is MLIR as text, whatever its name is: it begins as such a text does, and has operations
/// of StableHLO.
pub(crate) fn is_certain(head: &[u8]) -> bool {
    let begins = || {
        for line in head.split(|byte| *byte == b'\n') {
            // Every file is asked, and most are no text: what is none is looked at no further.
            let line = std::str::from_utf8(line).ok()?.trim_start();
            let alias = |sign| line.starts_with(sign) && line.contains(" = ");
            if !line.is_empty() && !line.starts_with("//") && !alias('#') && !alias('!') {
                return Some(CERTAIN.iter().any(|word| line.starts_with(word)));
            }
        }
        None
    };
    begins() == Some(true) && {
        let text = String::from_utf8_lossy(head);
        ["stablehlo", "chlo", "sdy"].iter().any(|dialect| names(&text, dialect))
    }
}

/// Whether a file of this name may be MLIR as text.
pub(crate) fn is_named_so(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

/// The dialects that the text `head` names; none if it is no MLIR.
pub(crate) fn dialects(head: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//"))?;
    if !BEGINNINGS.iter().any(|beginning| first.starts_with(beginning)) {
        return None;
    }
    let named = DIALECTS.iter().filter(|dialect| names(&text, dialect));
    Some(named.map(|dialect| (*dialect).to_owned()).collect())
}

/// Whether `text` has an operation, type or attribute of `dialect`.
fn names(text: &str, dialect: &str) -> bool {
    text.match_indices(dialect).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let apart = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
        apart && text[at + dialect.len()..].starts_with('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_by_its_first_word_behind_the_comments() {
        let text = b"// made by hand\n\nmodule @m {\n  %0 = stablehlo.add %a, %b : f32\n}\n";
        assert_eq!(dialects(text), Some(vec!["stablehlo".to_owned()]));
        assert_eq!(dialects(b"#loc = loc(unknown)\nmodule {}"), Some(vec![]));
        assert_eq!(dialects(b"// only a comment"), None);
        assert_eq!(dialects(b"import os\n"), None);
        assert_eq!(dialects(b"\xff\xfe"), None);
    }

    #[test]
    fn a_text_is_known_without_its_name_by_what_is_in_it() {
        assert!(is_certain(b"#loc = loc(unknown)\nmodule {\n  %0 = stablehlo.add %a, %b : f32\n}"));
        assert!(!is_certain(b"module counter(input clk);\nendmodule\n"));
        assert!(!is_certain(b"# stablehlo.add\nimport jax\n"));
    }
}
