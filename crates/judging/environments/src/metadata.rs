//! The files of `*.dist-info`.

/// The head of `METADATA`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) requires: Vec<String>,
}

impl Metadata {
    /// Reads the fields before the first empty line; none if it has no name or no version.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut metadata = Self::default();
        for line in text.lines().take_while(|line| !line.is_empty()) {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key {
                "Name" => metadata.name = value.to_owned(),
                "Version" => metadata.version = value.to_owned(),
                "Requires-Dist" => metadata.requires.push(value.to_owned()),
                _ => {}
            }
        }
        (!metadata.name.is_empty() && !metadata.version.is_empty()).then_some(metadata)
    }
}

/// The paths of `RECORD`, which is a list of cells with commas: path, digest, size. A path with a comma or a quote
/// stands in quotes.
pub(crate) fn record(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| !line.is_empty()).map(|line| match line.strip_prefix('"') {
        Some(quoted) => {
            let mut path = String::new();
            let mut letters = quoted.chars().peekable();
            while let Some(letter) = letters.next() {
                if letter != '"' {
                    path.push(letter);
                } else if letters.next_if_eq(&'"').is_some() {
                    path.push('"');
                } else {
                    break;
                }
            }
            path
        }
        None => line.split(',').next().unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_at_the_first_empty_line() {
        let text = "Metadata-Version: 2.1\nName: torch\nVersion: 2.7.1\nRequires-Dist: numpy\n\nVersion: 9";
        let metadata = Metadata::read(text).unwrap();
        assert_eq!((&*metadata.name, &*metadata.version), ("torch", "2.7.1"));
        assert_eq!(metadata.requires, ["numpy"]);
        assert_eq!(Metadata::read("Name: torch"), None);
    }

    #[test]
    fn paths_with_commas_and_quotes_are_read() {
        let text = "a/b.py,sha256=x,1\n\"a,b\"\"c.so\",,\n\nc";
        assert_eq!(record(text).collect::<Vec<_>>(), ["a/b.py", "a,b\"c.so", "c"]);
    }
}
