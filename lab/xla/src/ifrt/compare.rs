//! What the types declare, against the descriptors of one package.

use unskew_core::VersionRange;
use unskew_serdes::proto::{
    EnumerationDescription, FieldDescription, FieldKind, FieldLabel, MessageDescription,
    SinceVersion,
};

use super::descriptor::{Field, Pool};
use super::scan::LibraryContents;

/// What one package says.
pub struct Report {
    /// Such as `jaxlib 0.10.2`.
    pub label: String,
    /// The SerDes versions that it announces.
    pub serdes: VersionRange,
    /// How many messages, fields, values of enumerations and type names were compared.
    pub compared: [usize; 4],
    /// Types that we have and it has not.
    pub without: Vec<&'static str>,
    /// What is not as declared.
    pub deviations: Vec<String>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [messages, fields, values, names] = self.compared;
        write!(
            f,
            "{} (SerDes {}): {messages} messages, {fields} fields, {values} values, {names} type names, {} deviations",
            self.label,
            self.serdes,
            self.deviations.len()
        )
    }
}

/// The SerDes versions of a package, as numbers.
#[derive(Clone, Copy)]
struct Range {
    min: u32,
    max: u32,
}

impl Range {
    /// Whether such a package must have what is there since then.
    fn must_have(self, since: SinceVersion) -> bool {
        since.version <= self.max
    }
}

/// Compares every type with the descriptors of one package.
pub fn compare(
    label: &str,
    serdes: VersionRange,
    found: &LibraryContents,
    names: &[TypeName],
) -> Report {
    let end = |version: Option<unskew_core::Version>| {
        version.and_then(|v| u32::try_from(v.major()).ok()).unwrap_or(0)
    };
    let range = Range { min: end(serdes.min), max: end(serdes.max) };
    let mut report = Report {
        label: label.to_owned(),
        serdes,
        compared: [0; 4],
        without: Vec::new(),
        deviations: Vec::new(),
    };
    for description in unskew_ifrt::types::all() {
        message(&mut report, range, &found.pool, description);
    }
    for (name, there) in names.iter().zip(&found.texts) {
        type_name(&mut report, range, name, *there);
    }
    report
}

/// A name that types are told apart by, and its type.
pub struct TypeName {
    pub name: &'static str,
    pub description: &'static MessageDescription,
}

pub fn type_names() -> Vec<TypeName> {
    let mut all: Vec<TypeName> = Vec::new();
    for description in unskew_ifrt::types::all() {
        for field in description.fields {
            let FieldKind::Serialized(types) = field.kind else { continue };
            for named in types {
                if !all.iter().any(|known| known.name == named.name) {
                    let description = (named.description)();
                    all.push(TypeName { name: named.name, description });
                }
            }
        }
    }
    all
}

fn type_name(report: &mut Report, range: Range, name: &TypeName, there: bool) {
    let removed = removed(range, name.description);
    if there {
        report.compared[3] += 1;
    } else if range.must_have(name.description.since) && !removed {
        report
            .deviations
            .push(format!("{}: its name is not there: {}", name.description.rust, name.name));
    }
}

/// Whether the package no longer knows a type.
fn removed(range: Range, description: &MessageDescription) -> bool {
    description.removed_with_minimum.is_some_and(|minimum| range.min >= minimum)
}

fn message(report: &mut Report, range: Range, pool: &Pool, ours: &'static MessageDescription) {
    if ours.name.is_empty() {
        return;
    }
    let Some(theirs) = pool.messages.get(ours.name) else {
        // Before it has a field, nobody writes one.
        let younger = ours.fields.iter().all(|field| !range.must_have(field.since));
        if range.must_have(ours.since) && !removed(range, ours) && !younger {
            report.deviations.push(format!("{}: no such message: {}", ours.rust, ours.name));
        } else {
            report.without.push(ours.rust);
        }
        return;
    };
    if removed(range, ours) {
        report.deviations.push(format!("{}: is there, and is said to be removed", ours.rust));
    }
    report.compared[0] += 1;
    let mut known = Vec::new();
    for field in fields(ours) {
        known.push(field.number);
        match theirs.fields.iter().find(|other| other.number == field.number) {
            Some(other) => {
                report.compared[1] += 1;
                let choice = other.oneof.filter(|_| !other.optional);
                let choice = choice.and_then(|i| theirs.oneofs.get(i as usize)).map(|o| &o.name);
                let (wanted, found) = (describe(&field), shown(other, choice));
                if wanted != found {
                    report
                        .deviations
                        .push(format!("{}: we say {wanted}, it says {found}", ours.rust));
                }
                if let FieldKind::Enumeration(values) = field.kind {
                    enumeration(report, range, pool, values());
                }
            }
            None if range.must_have(field.since) => {
                let (number, name) = (field.number, field.name);
                report.deviations.push(format!("{}: no field {number}: {name}", ours.rust));
            }
            None => {}
        }
    }
    for other in theirs.fields.iter().filter(|other| !known.contains(&other.number)) {
        let (number, name) = (other.number, &other.name);
        report.deviations.push(format!("{}: we have no field {number}: {name}", ours.rust));
    }
}

/// The fields of a message, that of its version among them, or those around a value with a name.
fn fields(ours: &'static MessageDescription) -> Vec<FieldDescription> {
    let field = |number, name, kind, since| FieldDescription {
        number,
        name,
        label: FieldLabel::Single,
        kind,
        oneof: None,
        since,
    };
    let mut all = Vec::new();
    for ours in ours.fields {
        if ours.number == 0 {
            all.push(field(1, "type_name", FieldKind::Text, SinceVersion::ALWAYS));
            all.push(field(2, "data", FieldKind::Bytes, SinceVersion::ALWAYS));
        } else {
            all.push(FieldDescription { ..*ours });
        }
    }
    if let Some(number) = ours.version {
        // Nobody misses it who can record nothing but the first format, which is 0.
        let recorded = ours.fields.iter().map(|field| field.since).chain([ours.since]);
        let second = recorded.filter(|since| !since.silent && since.version > 0);
        let second = second.map(|since| since.version).min();
        let since =
            second.map_or(SinceVersion::ALWAYS, |version| SinceVersion { version, silent: false });
        all.push(field(number, "version_number", FieldKind::Int32, since));
    }
    all
}

/// A field as we declare it.
fn describe(field: &FieldDescription) -> String {
    let mut type_name = String::new();
    let kind = match field.kind {
        FieldKind::Float => 2,
        FieldKind::Int64 => 3,
        FieldKind::Int32 => 5,
        FieldKind::Fixed64 => 6,
        FieldKind::Bool => 8,
        FieldKind::Text => 9,
        FieldKind::Bytes => 12,
        FieldKind::Sfixed64 => 16,
        FieldKind::Message(message) => {
            type_name = format!(".{}", message().name);
            11
        }
        FieldKind::Serialized(_) => {
            ".xla.ifrt.Serialized".clone_into(&mut type_name);
            11
        }
        FieldKind::Opaque(name) => {
            type_name = format!(".{name}");
            11
        }
        FieldKind::Enumeration(values) => {
            type_name = format!(".{}", values().name);
            14
        }
    };
    // Of a message, absent and empty differ always.
    let optional = field.label == FieldLabel::Optional && field.oneof.is_none() && kind != 11;
    let repeated = field.label == FieldLabel::Repeated;
    text(field.number, field.name, kind, &type_name, (repeated, optional), field.oneof)
}

/// A field as a descriptor declares it.
fn shown(field: &Field, choice: Option<&String>) -> String {
    let labels = (field.label == 3, field.optional);
    let choice = choice.map(String::as_str);
    text(field.number, &field.name, field.kind, &field.type_name, labels, choice)
}

fn text(
    number: u32,
    name: &str,
    kind: i32,
    type_name: &str,
    (repeated, optional): (bool, bool),
    choice: Option<&str>,
) -> String {
    let label = if repeated {
        "repeated "
    } else if optional {
        "optional "
    } else {
        ""
    };
    let choice = choice.map(|name| format!(" of {name}")).unwrap_or_default();
    format!("{label}kind {kind}{type_name} {name} = {number}{choice}")
}

fn enumeration(
    report: &mut Report,
    range: Range,
    pool: &Pool,
    ours: &'static EnumerationDescription,
) {
    let Some(theirs) = pool.enumerations.get(ours.name) else {
        report.deviations.push(format!("{}: no such enumeration: {}", ours.rust, ours.name));
        return;
    };
    for value in ours.values {
        match theirs.values.iter().find(|other| other.number == value.number) {
            Some(other) => {
                report.compared[2] += 1;
                if other.name != value.name {
                    let (number, name) = (value.number, value.name);
                    let text = format!("{}: {number} is {name}, it says {}", ours.rust, other.name);
                    report.deviations.push(text);
                }
            }
            None if range.must_have(value.since) => {
                report.deviations.push(format!("{}: no value {}", ours.rust, value.name));
            }
            None => {}
        }
    }
    let known = |number| ours.values.iter().any(|value| value.number == number);
    for other in theirs.values.iter().filter(|other| !known(other.number)) {
        if other.number != 0 || Some(other.name.as_str()) != ours.unspecified {
            let (number, name) = (other.number, &other.name);
            report.deviations.push(format!("{}: we have no value {number}: {name}", ours.rust));
        }
    }
}
