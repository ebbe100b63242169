//! The files of `*.dist-info`.

/// The head of `METADATA`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) requires: Vec<String>,
    /// Whether the text ends within a field that matters; a requirement is left out then.
    pub(crate) is_cut: bool,
}

/// The field of which there is one for each requirement.
const REQUIRES: &str = "Requires-Dist";

impl Metadata {
    /// Reads the fields before the first empty line; none if it has no name or no version.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut metadata = Self::default();
        let is_empty = |line: &&str| line.trim_end_matches(['\r', '\n']).is_empty();
        let mut key = "";
        for line in text.split_inclusive('\n').take_while(|line| !is_empty(line)) {
            // A long value goes on in the next line, which begins with a space.
            if line.starts_with([' ', '\t']) {
                if let Some(last) = metadata.requires.last_mut().filter(|_| key == REQUIRES) {
                    *last = format!("{last} {}", line.trim());
                }
            } else {
                let value;
                (key, value) = line.split_once(':').unwrap_or_default();
                match (key, value.trim()) {
                    ("Name", value) => metadata.name = value.to_owned(),
                    ("Version", value) => metadata.version = value.to_owned(),
                    (REQUIRES, value) => metadata.requires.push(value.to_owned()),
                    _ => {}
                }
            }
            // A field without a colon lost its end.
            metadata.is_cut = !line.ends_with('\n') && (key.is_empty() || key == REQUIRES);
        }
        if metadata.is_cut && key == REQUIRES {
            metadata.requires.pop();
        }
        (!metadata.name.is_empty() && !metadata.version.is_empty()).then_some(metadata)
    }
}

/// A line of `RECORD`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) path: String,
    /// The SHA-256 in hexadecimal digits, if it is one.
    pub(crate) sha256: Option<String>,
    /// In bytes.
    pub(crate) size: Option<u64>,
}

/// The lines of `RECORD`, which is a list of cells with commas: path, digest, size. A path with a comma or a quote
/// stands in quotes.
pub(crate) fn record(text: &str) -> impl Iterator<Item = Recorded> {
    text.lines().filter(|line| !line.is_empty()).map(|line| {
        let (path, rest) = match line.strip_prefix('"') {
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
                let rest: String = letters.collect();
                (path, rest.strip_prefix(',').unwrap_or_default().to_owned())
            }
            None => {
                let (path, rest) = line.split_once(',').unwrap_or((line, ""));
                (path.to_owned(), rest.to_owned())
            }
        };
        let mut cells = rest.split(',');
        let digest = cells.next().unwrap_or_default();
        let sha256 = digest.strip_prefix("sha256=").and_then(hexadecimal);
        let size = cells.next().and_then(|size| size.trim().parse().ok());
        Recorded { path, sha256, size }
    })
}

/// The 32 bytes of a digest in URL-safe base64 without padding, as hexadecimal digits.
fn hexadecimal(digest: &str) -> Option<String> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut text, mut bits, mut held) = (String::new(), 0_u32, 0);
    for digit in digest.trim_end_matches('=').chars() {
        let value = DIGITS.find(digit).and_then(|at| u32::try_from(at).ok())?;
        bits = (bits << 6 | value) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            text.push_str(&format!("{:02x}", bits >> held & 0xff));
        }
    }
    (text.len() == 64).then_some(text)
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
    fn a_requirement_that_is_cut_short_is_left_out() {
        let head = "Name: app\nVersion: 1\nRequires-Dist: torch\n";
        for (text, requires, is_cut) in [
            ("Requires-Dist: num", &["torch"][..], true),
            ("Requires-Dist: numpy\n", &["torch", "numpy"], false),
            ("Requires-Dist: numpy\n  >=2\n\nRequires-Dist: x", &["torch", "numpy >=2"], false),
            ("Requires-Dist: numpy\r\n\r\nRequires-Dist: x", &["torch", "numpy"], false),
            ("License: MI", &["torch"], false),
            ("Requires-D", &["torch"], true),
        ] {
            let metadata = Metadata::read(&format!("{head}{text}")).unwrap();
            assert_eq!(
                (&*metadata.requires, metadata.is_cut),
                (&*requires.iter().map(|&one| one.to_owned()).collect::<Vec<_>>(), is_cut),
                "{text}"
            );
        }
    }

    #[test]
    fn paths_with_commas_and_quotes_are_read() {
        let text = "a/b.py,sha256=x,1\n\"a,b\"\"c.so\",,\n\nc";
        let paths: Vec<String> = record(text).map(|one| one.path).collect();
        assert_eq!(paths, ["a/b.py", "a,b\"c.so", "c"]);
    }

    #[test]
    fn digests_and_sizes_are_read_where_they_are() {
        // The digest of no bytes at all.
        let text = "a.so,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\nb.so,,\nc.so,md5=x,7\nd.so,sha256=~,x";
        let all: Vec<Recorded> = record(text).collect();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(all[0].sha256.as_deref(), Some(empty));
        let sizes: Vec<Option<u64>> = all.iter().map(|one| one.size).collect();
        assert_eq!(sizes, [Some(0), None, Some(7), None]);
        assert!(all[1..].iter().all(|one| one.sha256.is_none()), "{all:?}");
    }
}
