//! All files of one side, with every name resolved.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::descriptor::Descriptors;
use crate::model::{
    ProtoEnum, ProtoField, ProtoFile, ProtoMessage, ProtoProblem, ProtoService, ProtoType,
};
use crate::scope::{MessageScope, ScopeOptions};
use unskew_source::Files;

/// Messages, enumerations and services by their full names, and the file of each.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The messages by their full names.
    pub messages: BTreeMap<String, InFile<ProtoMessage>>,
    /// The enumerations by their full names.
    pub enums: BTreeMap<String, InFile<ProtoEnum>>,
    /// The services by their full names.
    pub services: BTreeMap<String, InFile<ProtoService>>,
    /// What could not be read, by file.
    pub problems: Vec<(String, ProtoProblem)>,
    /// Names of types that are declared in none of the files, with the place of the first use.
    pub unknown: BTreeMap<String, (String, usize)>,
    /// The syntax of each file.
    pub syntaxes: BTreeMap<String, String>,
    /// The number of the format that comments name, with its place, by file.
    pub versions: BTreeMap<String, (u64, usize)>,
    scopes: BTreeMap<String, MessageScope>,
}

/// Something with the file in which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFile<T> {
    pub file: String,
    pub is: T,
}

impl Schema {
    /// Reads all files: `.proto` text and sets of descriptors.
    pub fn read(files: &Files) -> Self {
        Self::with(files, &ScopeOptions::default())
    }

    pub(crate) fn with(files: &Files, said: &ScopeOptions) -> Self {
        let mut all: Vec<ProtoFile> = Vec::new();
        for (name, bytes) in files.iter() {
            match Descriptors::recognizes(name, bytes) {
                true => all.extend(Descriptors::read(name, bytes)),
                false if name.ends_with(".proto") => all.push(ProtoFile::read(name, bytes)),
                false => {}
            }
        }
        Self::from_files(all, said)
    }

    fn from_files(files: Vec<ProtoFile>, said: &ScopeOptions) -> Self {
        let mut schema = Self::default();
        let names = names(&files);
        let mut own: BTreeMap<String, MessageScope> = BTreeMap::new();
        for mut file in files {
            let name = file.name.clone();
            for problem in std::mem::take(&mut file.problems) {
                schema.problems.push((name.clone(), problem));
            }
            schema.syntaxes.insert(name.clone(), file.syntax.clone());
            if let Some(version) = file.version {
                schema.versions.insert(name.clone(), version);
            }
            let mut resolver =
                Resolver { names: &names, file: &name, unknown: &mut schema.unknown };
            for message in &mut file.messages {
                let scope = message.name.clone();
                for field in &mut message.fields {
                    resolver.field(field, &scope);
                }
                let of_file = said.scope_of(&scope).or(file.scope);
                if let Some(scope) = message.scope.or(of_file) {
                    own.insert(message.name.clone(), scope);
                }
            }
            for service in &mut file.services {
                let scope = service.name.clone();
                for method in &mut service.methods {
                    method.input = resolver.name(&method.input, &scope, method.line);
                    method.output = resolver.name(&method.output, &scope, method.line);
                }
            }
            let mut extensions = std::mem::take(&mut file.extensions);
            for (extended, scope, field) in &mut extensions {
                *extended = resolver.name(extended, scope, field.line);
                let scope = scope.clone();
                resolver.field(field, &scope);
            }
            schema.take(&name, file, extensions);
        }
        schema.scopes = scopes(&schema, &own, said.all);
        schema
    }

    fn take(&mut self, name: &str, file: ProtoFile, extensions: Vec<(String, String, ProtoField)>) {
        let place = |file: &str| file.to_owned();
        for message in file.messages.into_iter().filter(|message| !message.map_entry) {
            let placed = InFile { file: place(name), is: message };
            self.messages.insert(placed.is.name.clone(), placed);
        }
        for made in file.enums {
            self.enums.insert(made.name.clone(), InFile { file: place(name), is: made });
        }
        for service in file.services {
            self.services.insert(service.name.clone(), InFile { file: place(name), is: service });
        }
        for (extended, _, field) in extensions {
            // The fields of others stand beside the message that they extend: that may be read by one who does
            // not know them.
            let key = format!("extensions of {extended}");
            let line = field.line;
            let made = || ProtoMessage { name: key.clone(), line, ..ProtoMessage::default() };
            let entry = self
                .messages
                .entry(key.clone())
                .or_insert_with(|| InFile { file: place(name), is: made() });
            entry.is.fields.push(field);
        }
    }

    /// Where the bytes of a message go.
    pub fn scope(&self, message: &str) -> MessageScope {
        self.scopes.get(message).copied().unwrap_or(MessageScope::Persisted)
    }
}

/// What every name stands for: a message (true) or an enumeration.
fn names(files: &[ProtoFile]) -> HashMap<String, bool> {
    let messages = files.iter().flat_map(|file| &file.messages).map(|m| (m.name.clone(), true));
    let enums = files.iter().flat_map(|file| &file.enums).map(|e| (e.name.clone(), false));
    messages.chain(enums).collect()
}

struct Resolver<'s> {
    names: &'s HashMap<String, bool>,
    file: &'s str,
    unknown: &'s mut BTreeMap<String, (String, usize)>,
}

impl Resolver<'_> {
    fn field(&mut self, field: &mut ProtoField, scope: &str) {
        let ty = std::mem::replace(&mut field.ty, ProtoType::Named(String::new()));
        field.ty = self.ty(ty, scope, field.line);
        // Only numbers stand in one piece; what a name stands for is known only now.
        field.packed &= matches!(field.ty, ProtoType::Scalar(_) | ProtoType::Enum(_));
    }

    fn ty(&mut self, ty: ProtoType, scope: &str, line: usize) -> ProtoType {
        match ty {
            ProtoType::Named(name) => {
                let full = self.name(&name, scope, line);
                match self.names.get(&full) {
                    Some(true) => ProtoType::Message(full),
                    Some(false) => ProtoType::Enum(full),
                    None => ProtoType::Named(full),
                }
            }
            ProtoType::Group(name) => ProtoType::Group(self.name(&name, scope, line)),
            ProtoType::Message(name) => ProtoType::Message(self.name(&name, scope, line)),
            ProtoType::Enum(name) => ProtoType::Enum(self.name(&name, scope, line)),
            ProtoType::Map(key, value) => {
                ProtoType::Map(key, Box::new(self.ty(*value, scope, line)))
            }
            ProtoType::Scalar(scalar) => ProtoType::Scalar(scalar),
        }
    }

    /// The full name: looked up from the innermost scope outwards, as the language wants it.
    fn name(&mut self, name: &str, scope: &str, line: usize) -> String {
        if let Some(full) = name.strip_prefix('.') {
            if !self.names.contains_key(full) {
                self.miss(full, line);
            }
            return full.to_owned();
        }
        let mut scope = scope;
        loop {
            let full = if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") };
            if self.names.contains_key(&full) {
                return full;
            }
            if scope.is_empty() {
                self.miss(name, line);
                return name.to_owned();
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    fn miss(&mut self, name: &str, line: usize) {
        // What comes with the compiler is at hand everywhere, and does not change.
        if !name.starts_with("google.protobuf.") {
            self.unknown.entry(name.to_owned()).or_insert_with(|| (self.file.to_owned(), line));
        }
    }
}

/// The scope of every message: what is said of it, or of the message around it; the arguments of methods are
/// exchanged if nothing is said. What stands inside a message lives as long as that.
fn scopes(
    schema: &Schema,
    own: &BTreeMap<String, MessageScope>,
    all: Option<MessageScope>,
) -> BTreeMap<String, MessageScope> {
    let methods = schema.services.values().flat_map(|service| &service.is.methods);
    let arguments: BTreeSet<&str> =
        methods.flat_map(|method| [method.input.as_str(), method.output.as_str()]).collect();
    let said = |name: &str| {
        let mut outer = Some(name);
        while let Some(current) = outer {
            if let Some(scope) = own.get(current) {
                return Some(*scope);
            }
            outer = current.rsplit_once('.').map(|(outer, _)| outer);
        }
        None
    };
    let of = |name: &str| {
        let inferred = arguments.contains(name).then_some(MessageScope::Rpc);
        said(name).or(inferred).or(all).unwrap_or(MessageScope::Persisted)
    };
    let mut scopes: BTreeMap<String, MessageScope> = BTreeMap::new();
    for name in schema.messages.keys() {
        scopes.insert(name.clone(), of(name));
    }
    for grave in [MessageScope::Persisted, MessageScope::Rpc] {
        let mut open: Vec<String> = scopes
            .iter()
            .filter(|(_, scope)| **scope == grave)
            .map(|(name, _)| name.clone())
            .collect();
        while let Some(name) = open.pop() {
            let fields = schema.messages.get(&name).map(|message| &message.is.fields);
            for inside in fields.into_iter().flatten().filter_map(|field| inside(&field.ty)) {
                if let Some(scope) = scopes.get_mut(inside).filter(|scope| **scope < grave) {
                    *scope = grave;
                    open.push(inside.to_owned());
                }
            }
        }
    }
    scopes
}

/// The message in a field.
fn inside(ty: &ProtoType) -> Option<&str> {
    match ty {
        ProtoType::Message(name) | ProtoType::Group(name) => Some(name),
        ProtoType::Map(_, value) => inside(value),
        _ => None,
    }
}
