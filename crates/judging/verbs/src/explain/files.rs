//! Files that a text names.

/// Endings of files that are judged or known.
const ENDINGS: [&str; 26] = [
    "pt",
    "pth",
    "ptl",
    "pt2",
    "ckpt",
    "bin",
    "safetensors",
    "onnx",
    "ort",
    "keras",
    "h5",
    "hdf5",
    "pb",
    "pbtxt",
    "tflite",
    "gguf",
    "engine",
    "plan",
    "pkl",
    "joblib",
    "mlmodel",
    "stablehlo",
    "mlirbc",
    "mlir",
    "jaxexp",
    "xml",
];

/// How many files of a log are kept.
const MOST: usize = 32;

/// What stands around a path in a sentence.
const AROUND: [char; 12] = ['\'', '(', ')', '[', ']', '{', '}', '<', '>', ',', ':', ';'];

/// The words of a text that end like a file of a model, in their order.
pub(super) fn named_in(text: &str) -> Vec<&str> {
    let words = text.split([' ', '\'', '(', ')', ',', '=']).map(|word| word.trim_matches(AROUND));
    let words = words.map(|word| word.trim_end_matches('.'));
    let is_file = |word: &&str| {
        word.len() < 400
            && word.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty() && !stem.ends_with('/') && ENDINGS.contains(&ending)
            })
    };
    words.filter(is_file).take(MOST).collect()
}

/// The first of some files with one of these endings.
pub(super) fn with_ending<'f>(files: &[&'f str], endings: &[&str]) -> Option<&'f str> {
    let ends =
        |file: &&&str| file.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending));
    files.iter().find(ends).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_words_with_an_ending() {
        let text = "Load model from ./640m.onnx failed: [a.pt], see 'C:\\m\\b.h5'. Not e.g. or .pt";
        assert_eq!(named_in(text), ["./640m.onnx", "a.pt", "C:\\m\\b.h5"]);
        assert_eq!(with_ending(&named_in(text), &["pt", "h5"]), Some("a.pt"));
    }
}
