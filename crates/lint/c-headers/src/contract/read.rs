//! From the text of headers to their contract.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use super::inclusions::Inclusions;
use super::parts::{
    Constant, ConstantValue, Guard, HeaderAlias, HeaderEnum, HeaderFunction, HeaderVariable, Unread,
};
use super::placement::{self, StructPlacement};
use super::structure::HeaderStruct;
use super::version::{self, LineIndex, VersionLine};
use super::{Remark, Spot, announced, uses};
use crate::change::HeaderPolicy;
use crate::header::{
    CType, Declaration, EnumDeclaration, Header, HeaderItem, HeaderProblem, HeaderSet, LeftOutText,
    RecordLayout,
};
use foldhash::HashSet;

/// How many other names of a type are followed.
const ALIASES: usize = 32;

/// The text of a header and the name by which findings call it.
#[derive(Clone, Copy, Debug)]
pub struct HeaderSource<'a> {
    /// The name: a path below the folder that is compared.
    pub name: &'a str,
    /// The text, of any encoding.
    pub text: &'a [u8],
}

/// What some headers, together, promise.
#[derive(Clone, Debug, Default)]
pub struct HeaderContract {
    /// Structs and unions by name. Of several declarations the first counts, here and below.
    pub structs: BTreeMap<String, HeaderStruct>,
    /// Structs that are only named, with where.
    pub opaque: BTreeMap<String, Spot>,
    /// Enumerations by name; those without one are in none.
    pub enums: BTreeMap<String, HeaderEnum>,
    /// Functions that the library exports.
    pub functions: BTreeMap<String, HeaderFunction>,
    /// Variables that the library has.
    pub variables: BTreeMap<String, HeaderVariable>,
    /// Macros that stand for a function of another name, with where: `cuCtxCreate` for `cuCtxCreate_v2`.
    pub redirections: BTreeMap<String, (String, Spot)>,
    /// Named types of functions.
    pub callbacks: BTreeMap<String, HeaderFunction>,
    /// Other names for types.
    pub aliases: BTreeMap<String, HeaderAlias>,
    /// Constants that are no part of a version.
    pub constants: BTreeMap<String, Constant>,
    /// The names of all macros without arguments.
    pub defined: BTreeSet<String>,
    /// The versions, by header and name.
    pub lines: Vec<VersionLine>,
    /// Sizes that are announced for structs that are not declared.
    pub undeclared: Vec<(String, Spot)>,
    /// Macros that are not known and stand where declarations would, as they are written.
    pub invocations: BTreeMap<String, Spot>,
    /// Under which conditions types are declared.
    pub guards: BTreeMap<String, Guard>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// The words of declarations that could not be read: what they declare was not compared, and is not gone.
    pub unread_words: BTreeSet<String>,
    /// What is under conditions that do not hold.
    pub left_out: LeftOutText,
    /// The names of the headers.
    pub files: BTreeSet<Arc<str>>,
    /// Which header includes which, if that is known.
    inclusions: Option<Inclusions>,
    index: LineIndex,
    /// The names of all types.
    declared: HashSet<String>,
}

impl HeaderContract {
    /// Reads headers that belong together. `prelude` declares types of headers that are not at hand.
    ///
    /// Never fails: see [`HeaderContract::unread`].
    pub fn read(sources: &[HeaderSource<'_>], prelude: &str) -> Self {
        Self::read_defined(sources, prelude, &[])
    }

    /// The same with macros that whoever asks defines: `NAME` or `NAME=VALUE`.
    pub fn read_defined(
        sources: &[HeaderSource<'_>],
        prelude: &str,
        definitions: &[String],
    ) -> Self {
        let names: Vec<Arc<str>> = sources.iter().map(|source| Arc::from(source.name)).collect();
        let (headers, unreached) = read_together(sources, definitions);
        // Of what several systems declare the declaration of this one counts.
        let all = headers.into_iter().zip(names).enumerate();
        let (last, first): (Vec<_>, Vec<_>) = all.partition(|(at, _)| unreached.contains(at));
        let (headers, names): (Vec<_>, Vec<_>) =
            first.into_iter().chain(last).map(|(_, one)| one).unzip();
        let prelude = Header::read(prelude.as_bytes());
        let inclusions = Inclusions::from_headers(&headers, &names);
        Self::of_parts(headers, &names, &prelude, Some(inclusions))
    }

    /// The contract of declarations that are read already, with the names of their headers.
    pub fn of_headers(headers: Vec<Header>, names: &[Arc<str>], foreign: &Header) -> Self {
        Self::of_parts(headers, names, foreign, None)
    }

    fn of_parts(
        headers: Vec<Header>,
        names: &[Arc<str>],
        foreign: &Header,
        inclusions: Option<Inclusions>,
    ) -> Self {
        let mut contract = Self { inclusions, ..Self::default() };
        let mut sizes = BTreeMap::new();
        for (header, file) in headers.iter().zip(names) {
            announced::sizes(header, file, &mut sizes);
        }
        let mut placed = placement::all(&headers, foreign).into_iter();
        for (header, file) in headers.into_iter().zip(names) {
            contract.enter(header, file, &mut placed);
            contract.files.insert(Arc::clone(file));
        }
        for (name, found) in sizes {
            match contract.structs.get_mut(&name) {
                Some(record) => record.announced = found,
                None => {
                    contract.undeclared.extend(found.into_iter().map(|a| (name.clone(), a.spot)))
                }
            }
        }
        contract.finish();
        contract
    }

    /// Puts fields where a compiler put them, instead of where the rules of C do.
    pub fn place(&mut self, layouts: BTreeMap<String, RecordLayout>) {
        for (name, layout) in layouts {
            let Some(record) = self.structs.get_mut(&name) else { continue };
            for (member, placed) in record.members.iter_mut().zip(&layout.fields) {
                (member.offset, member.size) = (Some(placed.offset), Some(placed.size));
            }
            record.layout = Ok(layout);
        }
    }

    /// Takes what a header declares. `placed` has the structs of all headers that are left, in the order of
    /// [`placement::all`].
    fn enter(
        &mut self,
        header: Header,
        file: &Arc<str>,
        placed: &mut impl Iterator<Item = StructPlacement>,
    ) {
        let spot = |place| Spot { file: Arc::clone(file), place };
        self.unread_words.extend(header.unread);
        for (word, condition) in header.left_out.words {
            self.left_out.words.entry(word).or_insert(condition);
        }
        for (condition, digest) in header.left_out.conditions {
            let known = self.left_out.conditions.entry(condition).or_default();
            *known = known.wrapping_add(digest);
        }
        for HeaderProblem { place, what, text } in header.problems {
            self.unread.push(Unread { spot: spot(place), what, text });
        }
        for declaration in header.declarations {
            let at = spot(declaration.place);
            let guard = self.guard(&declaration);
            let remark = Remark::from_comments([declaration.doc.as_str()]);
            match declaration.item {
                HeaderItem::Record(record) => {
                    if let Entry::Vacant(entry) = self.structs.entry(record.name.clone())
                        && let Some(placement) = placed.next()
                    {
                        let mut found = HeaderStruct::new(record, at, placement);
                        found.remark = remark;
                        found.conditions = declaration.conditions;
                        entry.insert(found);
                    }
                }
                HeaderItem::Opaque(name) => {
                    self.opaque.entry(name).or_insert(at);
                }
                HeaderItem::Enum(r#enum) if r#enum.name.is_empty() => self.loose(&r#enum, file),
                HeaderItem::Enum(declared) => {
                    let name = declared.name.clone();
                    self.enums.entry(name).or_insert(HeaderEnum { spot: at, declared });
                }
                HeaderItem::Typedef { name, r#type } if is_function(&r#type) => {
                    let (label, internal) = (String::new(), false);
                    let function =
                        HeaderFunction { spot: at, r#type, label, internal, remark, guard };
                    self.callbacks.entry(name).or_insert(function);
                }
                HeaderItem::Typedef { name, r#type } => {
                    self.aliases.entry(name).or_insert(HeaderAlias { spot: at, r#type });
                }
                HeaderItem::Function { name, r#type, label, internal } => {
                    let function =
                        HeaderFunction { spot: at, r#type, label, internal, remark, guard };
                    self.functions.entry(name).or_insert(function);
                }
                HeaderItem::Variable { name, r#type, external: true, .. } if !name.is_empty() => {
                    self.variables.entry(name).or_insert(HeaderVariable { spot: at, r#type });
                }
                HeaderItem::Variable { name, value, .. } => {
                    if let Ok(number) = value.trim().parse() {
                        self.constant(&name, at, ConstantValue::Number(number));
                    }
                }
                HeaderItem::Invocation { name, .. } if name.ends_with("_STRUCT_TRAITS") => {}
                HeaderItem::Invocation { name, arguments } => {
                    let written = format!("{name}({})", arguments.join(", "));
                    self.invocations.entry(written).or_insert(at);
                }
                HeaderItem::Assertion(_) => {}
            }
        }
        let plain = header.macros.iter().filter(|defined| defined.parameters.is_none());
        for defined in plain {
            self.defined.insert(defined.name.clone());
            if let Some(number) = defined.number() {
                self.constant(&defined.name, spot(defined.place), ConstantValue::Number(number));
            } else if is_name(&defined.body) && defined.body != defined.name {
                let other = (defined.body.clone(), spot(defined.place));
                self.redirections.entry(defined.name.clone()).or_insert(other);
            } else if defined.body.starts_with('"') {
                let text = ConstantValue::Text(defined.body.clone());
                self.constant(&defined.name, spot(defined.place), text);
            }
        }
    }

    /// The conditions of a declaration; what was declared already under others has several.
    fn guard(&mut self, declaration: &Declaration) -> Guard {
        let (name, conditions) = (declaration.item.name(), Arc::clone(&declaration.conditions));
        let guard = Guard { conditions, several: false };
        let known = match &declaration.item {
            HeaderItem::Function { .. } => {
                self.functions.get_mut(name).map(|function| &mut function.guard)
            }
            HeaderItem::Record(_) | HeaderItem::Enum(_) | HeaderItem::Typedef { .. }
                if !name.is_empty() =>
            {
                Some(self.guards.entry(name.to_owned()).or_insert_with(|| guard.clone()))
            }
            _ => None,
        };
        if let Some(known) = known {
            known.several |= known.conditions != guard.conditions;
        }
        guard
    }

    /// Enumerators without an enumeration are constants.
    fn loose(&mut self, r#enum: &EnumDeclaration, file: &Arc<str>) {
        for enumerator in &r#enum.enumerators {
            if let Some(value) = enumerator.value {
                let spot = Spot { file: Arc::clone(file), place: enumerator.place };
                self.constant(&enumerator.name, spot, ConstantValue::Number(value));
            }
        }
    }

    fn constant(&mut self, name: &str, spot: Spot, value: ConstantValue) {
        // A version is one of its header, so that two headers may have numbers of one name.
        let key = match version::is_version(name) {
            true => format!("{} {name}", spot.file),
            false => name.to_owned(),
        };
        self.constants.entry(key).or_insert(Constant { name: name.to_owned(), spot, value });
    }

    /// What needs everything to be there.
    fn finish(&mut self) {
        self.lines = version::lines(self.constants.values());
        self.constants.retain(|_, constant| !version::is_version(&constant.name));
        let functions = &self.functions;
        self.redirections.retain(|_, (to, _)| functions.contains_key(to));
        let mut functions = uses::functions(&self.functions);
        functions.extend(uses::functions(&self.callbacks));
        let mut structs = std::mem::take(&mut self.structs);
        uses::find(&mut structs, &functions);
        let mut bases: BTreeMap<String, bool> = BTreeMap::new();
        for record in structs.values() {
            if is_base(record) && record.members.len() <= 4 {
                bases.insert(record.name.clone(), record.is_extensible());
            }
        }
        let callbacks: HashSet<&str> = self.callbacks.keys().map(String::as_str).collect();
        for record in structs.values_mut() {
            let held = record.members.first().and_then(|first| match &first.r#type {
                CType::Named { name, .. } => bases.get(name).copied().or_else(|| {
                    // The base may be declared in a header that is not at hand.
                    (first.name == "base" && name.ends_with("_Base")).then_some(true)
                }),
                _ => None,
            });
            let written_out = is_base(record) && record.members.len() > 4;
            record.extension = held.is_some() || written_out;
            record.sized_base = held.unwrap_or_default();
            for member in &mut record.members {
                member.is_function = match &member.r#type {
                    CType::Pointer { to, .. } => match &**to {
                        CType::Named { name, .. } => callbacks.contains(name.as_str()),
                        other => is_function(other),
                    },
                    CType::Named { name, .. } => callbacks.contains(name.as_str()),
                    _ => false,
                };
            }
        }
        self.structs = structs;
        let names = self.structs.keys().chain(self.opaque.keys()).chain(self.enums.keys());
        let names = names.chain(self.callbacks.keys()).chain(self.aliases.keys());
        self.declared = names.cloned().collect();
        let extensions = self.structs.values().filter(|record| record.extension);
        let extensions = extensions.map(|record| &*record.spot.file);
        let names = self.names_by_file();
        let speaks = |line: &VersionLine, file: &str| {
            let names = names.get(file).map(Vec::as_slice).unwrap_or_default();
            HeaderPolicy::is_named(&line.name) || version::speaks(line, file, names)
        };
        let covered = |file: &str| self.covered(file);
        self.index = LineIndex::new(&self.lines, extensions, covered, speaks, &self.files);
    }

    /// The names that each header declares.
    fn names_by_file(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let functions = self.functions.iter().chain(&self.callbacks);
        let all = functions.map(|(name, one)| (name, &one.spot));
        let all = all.chain(self.structs.iter().map(|(name, one)| (name, &one.spot)));
        let all = all.chain(self.enums.iter().map(|(name, one)| (name, &one.spot)));
        let all = all.chain(self.aliases.iter().map(|(name, one)| (name, &one.spot)));
        for (name, spot) in all.chain(&self.opaque) {
            found.entry(&spot.file).or_default().push(name);
        }
        found
    }

    /// The headers for which the version in `file` counts: those that include it and those that it includes. One
    /// that declares nothing is there for all of them. None if it is not known which header includes which.
    fn covered(&self, file: &str) -> Option<BTreeSet<String>> {
        let here = |spot: &Spot| &*spot.file == file;
        let functions = self.functions.values().chain(self.callbacks.values());
        let declares = self.structs.values().any(|record| here(&record.spot))
            || self.enums.values().any(|found| here(&found.spot))
            || functions.map(|function| &function.spot).any(here)
            || self.aliases.values().any(|alias| here(&alias.spot))
            || self.opaque.values().any(here);
        let inclusions = self.inclusions.as_ref()?;
        declares.then(|| inclusions.related(file))
    }

    /// Lets one version count for all headers: the one of this name, or that a macro of this name is a number of.
    pub fn speak_for_all(&mut self, name: &str) {
        let is = |line: &VersionLine| {
            line.name == name || line.numbers().any(|number| number.name == name)
        };
        if let Some(at) = self.lines.iter().position(is) {
            self.index = LineIndex::for_all(at);
        }
    }

    /// The version that covers the declaration of `name` in a header, or none.
    ///
    /// A number that has its name counts first (`THING_VERSION` for `Thing`). Extensions, and whatever else
    /// stands in the header of one, go by the single number of that header; everything else goes by a version
    /// of three numbers: that of its header, or the only one that there is in all headers, if one of the two
    /// includes the other.
    pub fn line_of(&self, file: &str, extension: bool, name: &str) -> Option<&VersionLine> {
        self.index.line(file, extension, name).and_then(|at| self.lines.get(at))
    }

    /// The only version of three numbers that there is, if it covers a header.
    pub fn shared_line(&self, file: &str) -> Option<&VersionLine> {
        self.index.shared(file).and_then(|at| self.lines.get(at))
    }

    /// What a name stands for in the end, if it is another name of a type that has one.
    pub fn canonical<'n>(&'n self, name: &'n str) -> &'n str {
        let mut found = name;
        for _ in 0..ALIASES {
            match self.aliases.get(found).map(|alias| &alias.r#type) {
                Some(CType::Named { name, .. }) if name != found => found = name,
                _ => break,
            }
        }
        found
    }

    /// The struct or union that a name stands for, over any number of other names.
    pub fn struct_named(&self, name: &str) -> Option<&HeaderStruct> {
        self.structs.get(name).or_else(|| self.structs.get(self.canonical(name)))
    }

    /// The enumeration that a name stands for.
    pub fn enum_named(&self, name: &str) -> Option<&HeaderEnum> {
        self.enums.get(name).or_else(|| self.enums.get(self.canonical(name)))
    }

    /// The type of functions that a name stands for.
    pub fn callback_named(&self, name: &str) -> Option<&HeaderFunction> {
        self.callbacks.get(name).or_else(|| self.callbacks.get(self.canonical(name)))
    }

    /// Whether anything of this name is declared.
    pub fn declares(&self, name: &str) -> bool {
        self.declared.contains(name)
    }
}

/// Reads the headers, each in the state in which a compiler reaches it. What they declare together is known when they
/// are read the second time: names of types, and values that others count on from. With which of them are of other
/// systems.
pub fn read_together(
    sources: &[HeaderSource<'_>],
    definitions: &[String],
) -> (Vec<Header>, BTreeSet<usize>) {
    let texts: Vec<Cow<'_, str>> =
        sources.iter().map(|source| String::from_utf8_lossy(source.text)).collect();
    let names = sources.iter().map(|source| source.name);
    let mut together = HeaderSet::new(names.zip(texts.iter().map(|text| &**text)), definitions);
    let read = |together: &HeaderSet| -> Vec<Header> {
        let all = sources.iter().enumerate();
        all.map(|(index, source)| Header::read_in(source.text, together, Some(index))).collect()
    };
    let first = read(&together);
    if first.len() < 2 {
        return (first, BTreeSet::new());
    }
    together.learn(&first);
    (read(&together), together.unreached())
}

/// Whether a text is one name.
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a type is a function or a pointer to one.
pub fn is_function(r#type: &CType) -> bool {
    match r#type {
        CType::Function { .. } => true,
        CType::Pointer { to, .. } => matches!(**to, CType::Function { .. }),
        _ => false,
    }
}

/// Whether a struct begins with what every extension of a chain has: its type, and the next one.
fn is_base(record: &HeaderStruct) -> bool {
    let has = |name: &str| record.members.iter().take(4).any(|member| member.name == name);
    has("type") && has("next")
}
