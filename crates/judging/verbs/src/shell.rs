//! Words of commands that a user pastes.

/// A path as a shell takes it.
pub(crate) fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+@%".contains(letter);
    match path.chars().all(plain) && !path.starts_with('-') {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_where_a_shell_would_read_more_into_it() {
        assert_eq!(quoted("C:\\m\\b.h5"), "'C:\\m\\b.h5'");
        assert_eq!(quoted("./640m.onnx"), "./640m.onnx");
        assert_eq!(quoted("it's.so"), "'it'\\''s.so'");
    }
}
