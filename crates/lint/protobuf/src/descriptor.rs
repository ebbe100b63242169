//! Sets of descriptors: what `protoc --descriptor_set_out` and `buf build` write.

use crate::model::{
    FieldCardinality, Method, Presence, ProtoEnum, ProtoEnumValue, ProtoField, ProtoFile,
    ProtoMessage, ProtoProblem, ProtoScalar, ProtoService, ProtoType, Range,
};
use crate::options::{Features, Options};
use crate::parse::join;

/// How deeply messages may stand in each other.
const DEPTH: usize = 64;

/// A set of descriptors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Descriptors;

impl Descriptors {
    /// Whether a file is a set of descriptors, by its name and its first bytes.
    pub fn recognizes(name: &str, head: &[u8]) -> bool {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        matches!(ending, "binpb" | "protoset" | "fds" | "desc" | "pb")
            && head.first() == Some(&0x0a)
            && head.windows(6).any(|bytes| bytes == b".proto")
    }

    /// The files of a set. What is malformed is a problem of a file without a name.
    pub fn read(name: &str, bytes: &[u8]) -> Vec<ProtoFile> {
        let mut files = Vec::new();
        let walked = walk(bytes, |number, value| {
            if let (1, Wire::Bytes(file)) = (number, value) {
                files.push(read_file(file));
            }
        });
        if walked.is_none() {
            let what = "the set of descriptors ends within a field".to_owned();
            let problems = vec![ProtoProblem { line: 0, what }];
            files.push(ProtoFile { name: name.to_owned(), problems, ..ProtoFile::default() });
        }
        files
    }
}

/// The value of a field on the wire.
#[derive(Clone, Copy)]
enum Wire<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl Wire<'_> {
    fn text(self) -> String {
        match self {
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Number(number) => number.to_string(),
        }
    }

    fn number(self) -> i64 {
        match self {
            // Two's complement, as the wire has it.
            Self::Number(number) => number.cast_signed(),
            Self::Bytes(_) => 0,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(_) => &[],
        }
    }
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Every field of a message in order; none if the bytes end within one.
fn walk<'b>(bytes: &'b [u8], mut each: impl FnMut(u64, Wire<'b>)) -> Option<()> {
    let mut at = 0;
    while at < bytes.len() {
        let tag = varint(bytes, &mut at)?;
        let size = match tag & 7 {
            0 => {
                each(tag >> 3, Wire::Number(varint(bytes, &mut at)?));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(bytes, &mut at)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let end = at.checked_add(size)?;
        each(tag >> 3, Wire::Bytes(bytes.get(at..end)?));
        at = end;
    }
    Some(())
}

/// The first field of a number.
fn field(bytes: &[u8], wanted: u64) -> Option<Wire<'_>> {
    let mut found = None;
    walk(bytes, |number, value| {
        if number == wanted {
            found = Some(value);
        }
    })?;
    found
}

fn text(bytes: &[u8], number: u64) -> String {
    field(bytes, number).map(Wire::text).unwrap_or_default()
}

fn read_file(bytes: &[u8]) -> ProtoFile {
    let syntax = match (text(bytes, 12).as_str(), field(bytes, 14)) {
        ("", _) => "proto2".to_owned(),
        ("editions", Some(edition)) => match edition.number() {
            1000 => "2023".to_owned(),
            1001 => "2024".to_owned(),
            other => other.to_string(),
        },
        (named, _) => named.to_owned(),
    };
    let mut file =
        ProtoFile { name: text(bytes, 1), package: text(bytes, 2), syntax, ..ProtoFile::default() };
    let options = field(bytes, 8).map(|options| features(options.bytes(), 50)).unwrap_or_default();
    let features = Features::of_syntax(&file.syntax).with(&options);
    let package = file.package.clone();
    let mut malformed = false;
    let walked = walk(bytes, |number, value| match number {
        4 => malformed |= message(value.bytes(), &package, features, 0, &mut file).is_none(),
        5 => file.enums.push(enumeration(value.bytes(), &package, features)),
        6 => file.services.push(service(value.bytes(), &package)),
        7 => extension(value.bytes(), &package, features, &mut file),
        _ => {}
    });
    if malformed || walked.is_none() {
        let what = "a descriptor ends within a field, or is too deep".to_owned();
        file.problems.push(ProtoProblem { line: 0, what });
    }
    file
}

/// The features in a message of options, which stand in its field `at`.
fn features(options: &[u8], at: u64) -> Options {
    let Some(set) = field(options, at) else { return Options::default() };
    let mut found = Options::default();
    let mut say = |name, value: Option<&str>| {
        if let Some(value) = value {
            found.feature(name, value);
        }
    };
    let number = |wanted| field(set.bytes(), wanted).map_or(0, Wire::number);
    let one_of = |number: i64, names: [&'static str; 3]| {
        usize::try_from(number).ok()?.checked_sub(1).and_then(|at| names.get(at).copied())
    };
    say("field_presence", one_of(number(1), ["EXPLICIT", "IMPLICIT", "LEGACY_REQUIRED"]));
    say("enum_type", one_of(number(2), ["OPEN", "CLOSED", "CLOSED"]).filter(|_| number(2) > 0));
    say("repeated_field_encoding", one_of(number(3), ["PACKED", "EXPANDED", "EXPANDED"]));
    say("utf8_validation", one_of(number(4), ["UNVERIFIED", "VERIFY", "NONE"]));
    say("message_encoding", one_of(number(5), ["LENGTH_PREFIXED", "DELIMITED", "DELIMITED"]));
    found
}

fn message(
    bytes: &[u8],
    scope: &str,
    features: Features,
    depth: usize,
    file: &mut ProtoFile,
) -> Option<()> {
    if depth > DEPTH {
        return None;
    }
    let name = join(scope, &text(bytes, 1));
    let mut message = ProtoMessage { name: name.clone(), ..ProtoMessage::default() };
    let (mut choices, mut fields, mut malformed) = (Vec::new(), Vec::new(), false);
    walk(bytes, |number, value| {
        let range = |exclusive: i64| {
            let number = |at| field(value.bytes(), at).map_or(0, Wire::number);
            Range { first: number(1), last: number(2) - exclusive, line: 0 }
        };
        match number {
            2 => fields.push(value),
            3 => malformed |= message_inside(value, &name, features, depth, file).is_none(),
            4 => file.enums.push(enumeration(value.bytes(), &name, features)),
            5 => message.extension_ranges.push(range(1)),
            6 => extension(value.bytes(), &name, features, file),
            7 => message.map_entry = field(value.bytes(), 7).is_some_and(|set| set.number() == 1),
            8 => choices.push(text(value.bytes(), 1)),
            9 => message.reserved.push(range(1)),
            10 => message.reserved_names.push(value.text()),
            _ => {}
        }
    })?;
    let made = fields.iter().map(|value| read_field(value.bytes(), features, &choices));
    message.fields = made.map(|field| map(field, file)).collect();
    file.messages.push(message);
    (!malformed).then_some(())
}

fn message_inside(
    value: Wire<'_>,
    scope: &str,
    features: Features,
    depth: usize,
    file: &mut ProtoFile,
) -> Option<()> {
    message(value.bytes(), scope, features, depth + 1, file)
}

/// A field of the entries of a map is a map.
fn map(mut field: ProtoField, file: &ProtoFile) -> ProtoField {
    let ProtoType::Message(name) = &field.ty else { return field };
    let name = name.trim_start_matches('.');
    let entry = file.messages.iter().find(|message| message.map_entry && message.name == name);
    let types = entry.and_then(|entry| Some((&entry.fields.first()?.ty, &entry.fields.get(1)?.ty)));
    if let Some((ProtoType::Scalar(key), value)) = types {
        field.ty = ProtoType::Map(*key, Box::new(value.clone()));
    }
    field
}

fn read_field(bytes: &[u8], features: Features, choices: &[String]) -> ProtoField {
    let number = |at| field(bytes, at).map_or(0, Wire::number);
    let name = text(bytes, 1);
    let mut options =
        field(bytes, 8).map(|set| self::features(set.bytes(), 21)).unwrap_or_default();
    options.packed = field(bytes, 8)
        .and_then(|set| field(set.bytes(), 2).map(Wire::number))
        .map(|packed| packed == 1);
    let features = features.with(&options);
    let optional = number(17) == 1;
    let label = match (number(4), optional) {
        (2, _) => Some("required"),
        (3, _) => Some("repeated"),
        (_, true) => Some("optional"),
        _ => None,
    };
    let type_name = || text(bytes, 6);
    let ty = match number(5) {
        10 => ProtoType::Group(type_name()),
        11 if features.delimited => ProtoType::Group(type_name()),
        11 => ProtoType::Message(type_name()),
        14 => ProtoType::Enum(type_name()),
        0 => ProtoType::Named(type_name()),
        number => scalar(number).map_or_else(|| ProtoType::Named(type_name()), ProtoType::Scalar),
    };
    let packable = match &ty {
        ProtoType::Scalar(scalar) => scalar.is_number(),
        ProtoType::Enum(_) => true,
        _ => false,
    };
    let choice = field(bytes, 9).filter(|_| !optional);
    let oneof = choice.and_then(|at| choices.get(usize::try_from(at.number()).ok()?).cloned());
    let repeated = label == Some("repeated");
    ProtoField {
        number: number(3),
        line: 0,
        ty,
        label: if repeated { FieldCardinality::Repeated } else { FieldCardinality::Singular },
        presence: if oneof.is_some() { Presence::Explicit } else { features.presence(label) },
        packed: repeated && packable && options.packed.unwrap_or(features.packed),
        oneof,
        default: field(bytes, 7).map(Wire::text),
        verified: features.verified,
        deprecated: field(bytes, 8)
            .and_then(|set| field(set.bytes(), 3).map(Wire::number))
            .is_some_and(|deprecated| deprecated == 1),
        json_name: field(bytes, 10).map(Wire::text).filter(|json| *json != camel(&name)),
        name,
    }
}

fn scalar(number: i64) -> Option<ProtoScalar> {
    Some(match number {
        1 => ProtoScalar::Double,
        2 => ProtoScalar::Float,
        3 => ProtoScalar::Int64,
        4 => ProtoScalar::Uint64,
        5 => ProtoScalar::Int32,
        6 => ProtoScalar::Fixed64,
        7 => ProtoScalar::Fixed32,
        8 => ProtoScalar::Bool,
        9 => ProtoScalar::String,
        12 => ProtoScalar::Bytes,
        13 => ProtoScalar::Uint32,
        15 => ProtoScalar::Sfixed32,
        16 => ProtoScalar::Sfixed64,
        17 => ProtoScalar::Sint32,
        18 => ProtoScalar::Sint64,
        _ => return None,
    })
}

/// The name of a field in JSON: a letter after a stroke is large, and the stroke goes.
pub(crate) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut large = false;
    for c in name.chars() {
        match c {
            '_' => large = true,
            c if large => {
                out.push(c.to_ascii_uppercase());
                large = false;
            }
            c => out.push(c),
        }
    }
    out
}

fn extension(bytes: &[u8], scope: &str, features: Features, file: &mut ProtoFile) {
    let mut made = read_field(bytes, features, &[]);
    made.name = format!("({})", join(scope, &made.name));
    file.extensions.push((text(bytes, 2), scope.to_owned(), made));
}

fn enumeration(bytes: &[u8], scope: &str, features: Features) -> ProtoEnum {
    let options = field(bytes, 3).map(|set| self::features(set.bytes(), 7)).unwrap_or_default();
    let mut made = ProtoEnum {
        name: join(scope, &text(bytes, 1)),
        closed: features.with(&options).closed,
        ..ProtoEnum::default()
    };
    let number = |value: Wire<'_>, at| field(value.bytes(), at).map_or(0, Wire::number);
    walk(bytes, |at, value| match at {
        2 => made.values.push(ProtoEnumValue {
            name: text(value.bytes(), 1),
            number: number(value, 2),
            line: 0,
        }),
        4 => made.reserved.push(Range { first: number(value, 1), last: number(value, 2), line: 0 }),
        5 => made.reserved_names.push(value.text()),
        _ => {}
    });
    made
}

fn service(bytes: &[u8], scope: &str) -> ProtoService {
    let mut service =
        ProtoService { name: join(scope, &text(bytes, 1)), ..ProtoService::default() };
    walk(bytes, |at, value| {
        if at == 2 {
            let inside = value.bytes();
            let set = |at| field(inside, at).is_some_and(|flag| flag.number() == 1);
            service.methods.push(Method {
                name: text(inside, 1),
                line: 0,
                input: text(inside, 2),
                output: text(inside, 3),
                streams: [set(5), set(6)],
            });
        }
    });
    service
}
