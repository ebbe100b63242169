//! The files of `data/abi/` as they are written.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The first minor whose function table was only ever appended to afterwards: the `since` of
/// whatever says none.
pub const FLOOR: i32 = 29;

/// The whole ABI, as the data files describe it.
#[derive(Default)]
pub struct Abi {
    pub structs: BTreeMap<String, Struct>,
    pub unions: BTreeMap<String, Union>,
    pub callbacks: BTreeMap<String, Callback>,
    pub enums: BTreeMap<String, Enum>,
    pub extensions: BTreeMap<String, Extension>,
    pub functions: Vec<Function>,
    pub table: Vec<TableSize>,
    pub extension_types: Vec<ExtensionType>,
    /// The beginning of a name that is not bound, and why it is not.
    pub unbound: Vec<(String, String)>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    r#struct: BTreeMap<String, Struct>,
    #[serde(default)]
    union: BTreeMap<String, Union>,
    #[serde(default)]
    callback: BTreeMap<String, Callback>,
    #[serde(default)]
    r#enum: BTreeMap<String, Enum>,
    #[serde(default)]
    extension: BTreeMap<String, Extension>,
}

/// A struct: `head` says which of the two first words of nearly all structs it has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Struct {
    pub doc: Option<String>,
    #[serde(default)]
    pub head: Head,
    #[serde(default = "floor")]
    pub since: i32,
    /// The function that takes it, for what is passed inside other arguments.
    pub call: Option<String>,
    /// When hosts fill it in; only for structs that changed their size.
    pub r#use: Option<String>,
    #[serde(default)]
    pub accepts: Vec<Accepts>,
    /// Only for structs that changed their size, or announced a wrong one.
    #[serde(default)]
    pub sizes: Vec<Size>,
    pub fields: Vec<Field>,
    /// The file that it stands in, without its ending: what it is about.
    #[serde(skip)]
    pub subject: String,
    /// The extension that it belongs to.
    #[serde(skip)]
    pub extension: Option<String>,
}

#[derive(Deserialize, Default, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Head {
    /// It begins with `struct_size` and `extension_start`.
    #[default]
    Extensible,
    /// It begins with `struct_size` alone.
    Sized,
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    pub r#type: String,
    pub since: Option<i32>,
    #[serde(default)]
    pub out: bool,
    #[serde(default)]
    pub inout: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    pub since: i32,
    pub until: Option<i32>,
    pub landed: toml::value::Datetime,
    pub end: usize,
    pub declared: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepts {
    pub since: i32,
    pub until: Option<i32>,
    pub end: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Union {
    pub doc: String,
    pub fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    pub doc: String,
    pub r#type: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enum {
    pub doc: String,
    /// What stands before each name in C.
    pub prefix: String,
    pub values: Vec<EnumValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumValue {
    pub name: String,
    pub value: i32,
    #[serde(default = "floor")]
    pub since: i32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    pub kind: i32,
    pub since: i32,
    pub doc: String,
    pub slots: Vec<ExtensionSlot>,
}

/// What follows the head of an extension: eight bytes each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionSlot {
    pub name: String,
    /// The arguments of the function; none if they are not bound.
    pub args: Option<String>,
    /// The type of what is no function.
    pub data: Option<String>,
    /// The first minor from which this slot means this.
    pub since: Option<i32>,
    /// Whether it returns nothing, rather than an error.
    #[serde(default)]
    pub void: bool,
}

pub struct Function {
    pub offset: usize,
    pub since: i32,
    pub day: String,
    pub name: String,
    pub doc: String,
}

pub struct TableSize {
    pub since: i32,
    pub end: usize,
    pub declared: usize,
}

pub struct ExtensionType {
    pub kind: i32,
    pub since: i32,
    pub name: String,
}

fn floor() -> i32 {
    FLOOR
}

impl Abi {
    /// Reads every file of `folder`.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut abi = Self::default();
        let mut files: Vec<PathBuf> = vec![folder.join("enums.toml")];
        for part in ["structs", "extensions"] {
            for entry in fs::read_dir(folder.join(part))? {
                files.push(entry?.path());
            }
        }
        files.sort();
        for path in files {
            let mut file: File = toml::from_str(&fs::read_to_string(&path)?)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            let subject = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let extension = file.extension.keys().next();
            for record in file.r#struct.values_mut() {
                record.subject.clone_from(&subject);
                record.extension = extension.cloned();
            }
            abi.structs.extend(file.r#struct);
            abi.unions.extend(file.union);
            abi.callbacks.extend(file.callback);
            abi.enums.extend(file.r#enum);
            abi.extensions.extend(file.extension);
        }
        for row in rows(&folder.join("functions.tsv"))? {
            let [offset, since, day, name, doc] = columns(&row)?;
            let (offset, since) = (offset.parse()?, since.parse()?);
            let (day, name, doc) = (day.to_owned(), name.to_owned(), doc.to_owned());
            abi.functions.push(Function { offset, since, day, name, doc });
        }
        for row in rows(&folder.join("table.tsv"))? {
            let [since, end, declared] = columns(&row)?;
            let (since, end, declared) = (since.parse()?, end.parse()?, declared.parse()?);
            abi.table.push(TableSize { since, end, declared });
        }
        for row in rows(&folder.join("extensions.tsv"))? {
            let [kind, since, name] = columns(&row)?;
            let (kind, since, name) = (kind.parse()?, since.parse()?, name.to_owned());
            abi.extension_types.push(ExtensionType { kind, since, name });
        }
        for row in rows(&folder.join("unbound.tsv"))? {
            let [name, why] = columns(&row)?;
            abi.unbound.push((name.to_owned(), why.to_owned()));
        }
        Ok(abi)
    }

    /// The function whose arguments the struct is.
    pub fn function_of(&self, name: &str) -> Option<&Function> {
        let function = name.strip_suffix("_Args")?;
        self.functions.iter().find(|f| f.name == function)
    }
}

/// The rows of a tab-separated table, without its remarks.
fn rows(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let kept = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    Ok(kept.map(str::to_owned).collect())
}

fn columns<const N: usize>(row: &str) -> Result<[&str; N], String> {
    let columns: Vec<&str> = row.split('\t').collect();
    columns.try_into().map_err(|_| format!("{N} columns wanted: {row}"))
}
