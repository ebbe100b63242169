//! The extensions of one package: a wheel, or what was installed of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use unskew_abi::SharedObject;
use unskew_source::{ReadError, Source};

use crate::Needs;

/// The bytes by which formats of shared objects are told apart.
const MAGIC: u64 = 16;

/// What the shared objects of one package need, without what they have of each other.
#[derive(Debug, Default)]
pub struct PackageExtensions {
    /// Path and needs of each object that is an extension of a framework, or a module for Python.
    pub objects: Vec<(String, Needs)>,
    /// What could not be read.
    pub problems: Vec<ReadError>,
}

impl PackageExtensions {
    /// Reads the shared objects of a package, each under its path in it.
    pub fn read(files: &[(String, Arc<dyn Source>)]) -> Self {
        Self::read_with(files, |_, _, _| {})
    }

    /// The same, and shows each shared object to `look`, so that it is read once for all that is asked of it.
    pub fn read_with(
        files: &[(String, Arc<dyn Source>)],
        mut look: impl FnMut(&str, &Arc<dyn Source>, &SharedObject),
    ) -> Self {
        let mut all = Self::default();
        let mut read: Vec<(&str, SharedObject, Needs)> = Vec::new();
        let parse = |(path, source): &(String, Arc<dyn Source>)| {
            let object = SharedObject::read(source)?;
            let Some(object) = object else { return Ok(None) };
            let needs = Needs::from_object(path, &object);
            let needs = needs.map(|needs| needs.with_numpy(&object, source)).transpose()?;
            Ok(Some((object, needs)))
        };
        let parsed: Vec<Result<_, ReadError>> = files.par_iter().map(parse).collect();
        for ((path, source), parsed) in files.iter().zip(parsed) {
            match parsed {
                Ok(Some((object, needs))) => {
                    look(path, source, &object);
                    read.extend(needs.map(|needs| (path.as_str(), object, needs)));
                }
                Ok(None) if source.size() < MAGIC => {
                    let what = format!("{} bytes are no shared object: cut short", source.size());
                    all.problems.push(ReadError::malformed(source.name(), what));
                }
                Ok(None) => {}
                Err(error) => all.problems.push(error),
            }
        }
        // What an object is linked against, by the name that it is known under.
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, (path, object, _)) in read.iter().enumerate() {
            let file = path.rsplit('/').next().unwrap_or(path);
            by_name.entry(object.soname.as_deref().unwrap_or(file)).or_insert(index);
            by_name.entry(file).or_insert(index);
        }
        for (index, (path, _, needs)) in read.iter().enumerate() {
            if needs.frameworks.is_empty() && !needs.is_module {
                continue;
            }
            let mut needs = needs.clone();
            for other in linked(index, &read, &by_name) {
                if let Some((_, object, library)) = read.get(other) {
                    needs = needs.without(|symbol| object.exports(symbol)).with_numpy_of(library);
                }
            }
            all.objects.push(((*path).to_owned(), needs));
        }
        all
    }
}

/// The objects of a package that one of them is linked against, and what those are linked against.
fn linked(
    first: usize,
    all: &[(&str, SharedObject, Needs)],
    by_name: &BTreeMap<&str, usize>,
) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::new(), vec![first]);
    while let Some((_, object, _)) = open.pop().and_then(|index| all.get(index)) {
        for other in object.needed.iter().filter_map(|name| by_name.get(name.as_str())) {
            if *other != first && found.insert(*other) {
                open.push(*other);
            }
        }
    }
    found
}
