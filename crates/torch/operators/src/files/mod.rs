//! `operator_versions.yaml` as it is written: entries of keys with values, and a flat form that needs no parser.
//!
//! The RFC writes a registry of operators as YAML, for people. A program that has one built in would read all of it
//! at every start, for the few operators that a model calls; that took longer than all that the command does besides.
//! So the build script of this crate, which compiles this module too, flattens PyTorch's registry, and the crate finds an
//! operator by its name in the flat text and understands that entry alone. A registry of a user is read, too, and never
//! flattened.
//!
//! The flat form has one operator a line, in the order of their names: the name, its line in the YAML, and for each
//! key its line, the key and the value, all with a tab between them.
//!
//! The functions beside it may be many, so they may stand in a file or in a folder of files ([`functions::functions`]); a registry
//! takes them as one text ([`functions::join`]), which still tells where each line came from ([`functions::locate`]).
//!
//!
//! Source: PyTorch RFC 0017, *Operator Versioning*, "Code changes".

pub mod flat;
pub mod functions;
pub mod registry_entry;
pub mod yaml;

#[cfg(test)]
mod tests {
    use super::flat::{flatten, rows};
    use super::yaml::read;

    #[test]
    fn an_entry_is_flattened_by_operator_and_its_keys_are_found_again() {
        let entries = read("- func: [foo, bar]\n  version: 10\n  note: why\n").unwrap();
        assert_eq!(entries[0].operators, ["foo", "bar"]);
        let flat = flatten(&entries).unwrap();
        assert_eq!(
            flat,
            "bar\t1\t2\tversion\t10\t3\tnote\twhy\nfoo\t1\t2\tversion\t10\t3\tnote\twhy\n"
        );
        let row = rows(&flat).next().unwrap();
        assert_eq!((row.operator, row.line()), ("bar", 1));
        assert!(row.has("version") && !row.has("schema"));
        assert_eq!(row.pairs().map(|pair| pair.value).collect::<Vec<_>>(), ["10", "why"]);
    }
}
