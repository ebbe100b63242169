//! Generated code of one `.proto` file in several forms, of which a package imports the one that fits.
//!
//! wandb has a folder for each major of protobuf and a file that asks for the installed one; transformers has
//! `sentencepiece_model_pb2.py` and `sentencepiece_model_pb2_new.py`. A form that nobody imports breaks nothing.

use std::collections::BTreeMap;

use crate::{Generated, InstalledPackage};

/// A file that another one imports in its place, with the major of protobuf that it is for, none for all others.
pub type ImportedForm = (Option<i64>, String);

/// Generated code in several forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeneratedVariants {
    /// The file that chooses, or the name that all forms begin with.
    pub by: String,
    /// The forms: the major of protobuf that the file imports it for, none for all others and where no file says so; what it
    /// demands; its path.
    pub forms: Vec<(Option<i64>, Generated, String)>,
}

/// The code of a package while its files are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageCode {
    /// What each file demands.
    pub files: Vec<(String, Generated)>,
    /// The files that choose, with the files that they import.
    pub choosers: Vec<(String, Vec<ImportedForm>)>,
}

impl InstalledPackage {
    /// Sorts the generated code that was read: what is imported as it is, and what the package chooses from.
    pub(crate) fn sort_code(&mut self) {
        let PackageCode { files, choosers } = std::mem::take(&mut self.unsorted);
        let mut chosen: BTreeMap<String, (usize, Option<i64>)> = BTreeMap::new();
        let mut choices: Vec<GeneratedVariants> = Vec::new();
        for (by, imports) in choosers {
            choices.push(GeneratedVariants { by: by.clone(), forms: Vec::new() });
            let index = choices.len() - 1;
            for (major, path) in &imports {
                chosen.insert(path.clone(), (index, *major));
            }
            // One that chooses in another way may import any file of its name in a folder below.
            let (folder, name) = by.rsplit_once('/').unwrap_or(("", &by));
            let below = |path: &&String| {
                path.starts_with(folder) && path.rsplit('/').next() == Some(name) && **path != by
            };
            for path in files.iter().map(|(path, _)| path).filter(below) {
                if imports.is_empty() {
                    chosen.insert(path.clone(), (index, None));
                }
            }
        }
        let mut stems: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for (path, _) in &files {
            if let Some(end) = path.rfind("_pb2").filter(|_| !path.ends_with("_pb2_grpc.py")) {
                stems.entry(&path[..end]).or_default().push(path);
            }
        }
        for (stem, paths) in stems.into_iter().filter(|(_, paths)| paths.len() > 1) {
            choices.push(GeneratedVariants { by: format!("{stem}_pb2*.py"), forms: Vec::new() });
            for path in paths {
                chosen.entry(path.clone()).or_insert((choices.len() - 1, None));
            }
        }
        for (path, generated) in files {
            if let Some((index, major)) = chosen.get(&path) {
                if let Some(choice) = choices.get_mut(*index) {
                    choice.forms.push((*major, generated, path));
                }
                continue;
            }
            self.generated.entry(generated).or_default().push(path);
        }
        self.choices.extend(choices.into_iter().filter(|choice| !choice.forms.is_empty()));
    }
}

/// The files that a file of generated code imports in its place, each with the major of protobuf that it is for, none for all others;
/// none if it is no such file. Empty if it chooses in a way that is not understood.
pub(crate) fn chooser(path: &str, text: &str) -> Option<Vec<ImportedForm>> {
    let asks = text.contains("google.protobuf.__version__") && text.contains(" import *");
    if !asks || text.contains("_descriptor_pool") {
        return None;
    }
    // The major of the branch that a line stands in; none before the first, and in one that is not understood.
    let (mut branch, mut imports): (Option<Option<i64>>, Vec<_>) = (None, Vec::new());
    for line in text.lines().map(str::trim) {
        if line.starts_with("if ") || line.starts_with("elif ") {
            let value = line.split_once("== ").map(|(_, value)| value.trim_end_matches(':').trim());
            let major = value.and_then(|value| value.trim_matches(['"', '\'']).parse().ok());
            let Some(major) = major else { return Some(Vec::new()) };
            branch = Some(Some(major));
        } else if line.starts_with("else:") {
            branch = branch.map(|_| None);
        } else if let (Some(major), Some(from)) = (branch, line.strip_prefix("from ")) {
            let module = from.split(' ').next().unwrap_or_default();
            imports.extend(file_of(path, module).map(|file| (major, file)));
        }
    }
    Some(imports)
}

/// The file of a module that another file imports: `a/v5/b.py` of `a.v5.b`, and of `.v5.b` in `a/c.py`.
fn file_of(path: &str, module: &str) -> Option<String> {
    let name = module.trim_start_matches('.');
    let mut folder = path;
    for _ in 0..module.len() - name.len() {
        folder = folder.rsplit_once('/')?.0;
    }
    let file = format!("{}.py", name.replace('.', "/"));
    Some(if module.starts_with('.') { format!("{folder}/{file}") } else { file })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOOSER: &str = "import google.protobuf\nprotobuf_version = google.protobuf.__version__[0]\n\
        if protobuf_version == \"5\":\n    from a.v5.b_pb2 import *\nelif protobuf_version == '6':\n    from .v6.b_pb2 import *\n\
        else:\n    from a.v7.b_pb2 import *\n";

    #[test]
    fn branches_lead_to_files() {
        let found = chooser("a/b_pb2.py", CHOOSER);
        let expected =
            [(Some(5), "a/v5/b_pb2.py"), (Some(6), "a/v6/b_pb2.py"), (None, "a/v7/b_pb2.py")]
                .map(|(major, path)| (major, path.to_owned()));
        assert_eq!(found.as_deref(), Some(&expected[..]));
        assert_eq!(chooser("a/b_pb2.py", "from x import *"), None);
        let other = CHOOSER.replace("==", "<");
        assert_eq!(chooser("a/b_pb2.py", &other), Some(Vec::new()));
        assert_eq!(file_of("b_pb2.py", "...c"), None);
    }

    #[test]
    fn forms_are_told_from_what_is_imported_as_it_is() {
        let file = |path: &str, generated| (path.to_owned(), generated);
        let unsorted = PackageCode {
            files: vec![
                file("a/v5/b_pb2.py", Generated::Builder),
                file("a/v6/c_pb2.py", Generated::Builder),
                file("a/d_pb2.py", Generated::Descriptors),
                file("a/d_pb2_new.py", Generated::Builder),
            ],
            choosers: chooser("a/b_pb2.py", CHOOSER)
                .map(|all| ("a/b_pb2.py".to_owned(), all))
                .into_iter()
                .collect(),
        };
        let mut package = InstalledPackage { unsorted, ..InstalledPackage::default() };
        package.sort_code();
        let plain = [(Generated::Builder, vec!["a/v6/c_pb2.py".to_owned()])];
        assert_eq!(package.generated, plain.into());
        let forms: Vec<_> = package.choices.iter().map(|one| (&*one.by, one.forms.len())).collect();
        assert_eq!(forms, [("a/b_pb2.py", 1), ("a/d_pb2*.py", 2)]);
    }
}
