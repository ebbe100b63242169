//! The functions of a registry: one file, or a folder with a file for each subject, as one text.

use std::path::Path;

/// What a line begins with that names the file of all that follows.
const MARK: &str = "# file: ";

/// Files as one text, in which a line with the name of each stands before it.
pub fn join<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let part = |(name, text): (&str, &str)| format!("{MARK}{name}\n{}\n", text.trim_end());
    files.into_iter().map(part).collect()
}

/// The files that [`join`] put together: their names and texts. Parts of the same name are one file. Nothing for a
/// text that stands alone.
pub fn split(text: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(MARK).map(str::trim_end) {
            Some(name) if files.iter().any(|(known, _)| *known == name) => {
                // What follows belongs to the end of that file.
                let at = files.iter().position(|(known, _)| *known == name).unwrap_or_default();
                let mut file = files.remove(at);
                file.1.push('\n');
                files.push(file);
            }
            Some(name) => files.push((name, String::new())),
            None => files.last_mut().into_iter().for_each(|(_, text)| text.push_str(line)),
        }
    }
    files
}

/// The file in which a line of such a text stands, and its line there, both counted from 1; none if the text stands
/// alone.
pub fn locate(text: &str, line: usize) -> Option<(&str, usize)> {
    let before = text.lines().take(line).enumerate();
    let marks = before.filter_map(|(at, text)| Some((text.strip_prefix(MARK)?, line - at - 1)));
    marks.last()
}

/// The functions of a registry in a folder: those of the file `stem.py`, and of every file in the folder `stem`, in the
/// order of their names.
///
/// # Errors
/// If there is neither, or one cannot be read.
pub fn functions(folder: &Path, stem: &str) -> std::io::Result<String> {
    let (alone, parts) = (folder.join(format!("{stem}.py")), folder.join(stem));
    if !parts.is_dir() {
        return std::fs::read_to_string(alone);
    }
    let mut files = Vec::new();
    if alone.is_file() {
        files.push((format!("{stem}.py"), std::fs::read_to_string(alone)?));
    }
    for entry in std::fs::read_dir(parts)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && name.ends_with(".py")
        {
            files.push((format!("{stem}/{name}"), std::fs::read_to_string(&path)?));
        }
    }
    files.sort_unstable();
    Ok(join(files.iter().map(|(name, text)| (name.as_str(), text.as_str()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_split_again_and_every_line_found() {
        let files =
            [("down/a.py", "def a():\n  pass\n"), ("down/b.py", "# b\n\ndef b():\n  pass\n")];
        let text = join(files);
        assert_eq!(split(&text), files.map(|(name, text)| (name, text.to_owned())));
        let (at, _) = text.lines().enumerate().find(|(_, line)| *line == "def b():").unwrap();
        assert_eq!(locate(&text, at + 1), Some(("down/b.py", 3)));
        assert_eq!(locate(&text, 2), Some(("down/a.py", 1)));
        assert_eq!((split("def a():\n  pass\n"), locate("def a():\n", 1)), (Vec::new(), None));
        // What is added to a file that is there already comes to its end.
        let more = text + &join([("down/a.py", "def c():\n  pass\n")]);
        assert_eq!(split(&more)[1].1, "def a():\n  pass\n\ndef c():\n  pass\n");
    }
}
