//! Words that Python keeps for itself and TorchScript does not.
//!
//! PyTorch writes the names of modules and attributes as they are: `nn.ModuleDict({"from": ...})` becomes
//! `self.d.from`, which its own reader takes and no parser of Python. In the text for the parser such words are written
//! as others of the same length; names are then read from the text as it is, by their places.

use crate::limits::{text_length, word_length};

/// The words of Python that are names in TorchScript: those that the reader of PyTorch has no token for, by trying them
/// all on 1.10.2.
const NAMES: [&str; 9] =
    ["async", "await", "except", "finally", "from", "lambda", "nonlocal", "try", "yield"];

/// The text with other words in the place of these; none if it has none of them.
pub(crate) fn masked(text: &str) -> Option<String> {
    let mut masked: Option<Vec<u8>> = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b'#' => bytes[at..].iter().take_while(|b| **b != b'\n').count(),
            b'"' | b'\'' => text_length(&bytes[at..]),
            _ => word_length(&bytes[at..]),
        };
        let end = at + length.max(1);
        if text.get(at..end).is_some_and(|word| NAMES.contains(&word)) {
            masked.get_or_insert_with(|| bytes.to_vec())[at..end].fill(b'x');
        }
        at = end;
    }
    masked.and_then(|bytes| String::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_masked_and_nothing_moves() {
        let text = "self.from = \"from\" # from\nx.fromage(lambda)\n";
        assert_eq!(masked(text).unwrap(), "self.xxxx = \"from\" # from\nx.fromage(xxxxxx)\n");
        assert_eq!(masked("a.b(\"try\")\n"), None);
    }
}
