//! What the headers of a release say against what the data says.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::ensure;
use serde::Deserialize;
use unskew_abi::contract::{InterfaceVersion, StructContract};
use unskew_c_headers::header::{
    CType, EnumDeclaration, Header, HeaderItem, Layouts, RecordDeclaration, RecordLayout,
};
use unskew_lab_harness::Deviation;
use unskew_lab_harness::device_headers::{HEADERS, Pin};
use unskew_stream_executor::layout::{Structure, contract};

/// What the headers take from others that are not read.
const INCLUDED: &str = "typedef unsigned char TF_Bool;";

/// What was compared, and on what they differ.
pub struct Report {
    pub label: String,
    pub headers: usize,
    pub structs: usize,
    pub fields: usize,
    pub announced: usize,
    pub values: usize,
    pub versions: usize,
    pub deviations: Vec<Deviation>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} headers, {} structs, {} fields, {} announced sizes, {} enum values, {} versions; {} deviations",
            self.label,
            self.headers,
            self.structs,
            self.fields,
            self.announced,
            self.values,
            self.versions,
            self.deviations.len()
        )
    }
}

impl Report {
    fn deviation(&mut self, subject: &str, header: impl Into<String>, data: impl Into<String>) {
        let (subject, header, data) = (subject.to_owned(), header.into(), data.into());
        self.deviations.push(Deviation { subject, header, data });
    }
}

/// Compares the headers of a release, changed by `change`, with the data.
///
/// # Errors
/// If they cannot be read.
pub fn compare(pin: &Pin, change: &dyn Fn(String) -> String) -> anyhow::Result<Report> {
    let release = InterfaceVersion::new(2, pin.minor()?);
    let mut read = vec![Header::read(INCLUDED.as_bytes())];
    for name in HEADERS {
        if let Some(text) = pin.header(name)? {
            let header = Header::read(change(text).as_bytes());
            ensure!(header.problems.is_empty(), "{}: {name}: {:?}", pin.label(), header.problems);
            read.push(header);
        }
    }
    let headers = read.len() - 1;
    let mut report = Report {
        label: pin.label(),
        headers,
        structs: 0,
        fields: 0,
        announced: 0,
        values: 0,
        versions: 0,
        deviations: Vec::new(),
    };
    let last = read.iter().flat_map(Header::announced).map(|a| (a.record, a.last_field));
    let last: BTreeMap<&str, &str> = last.collect();
    let mut layouts = Layouts::for_headers(&read);
    let mut seen = Vec::new();
    for (_, record) in read.iter().flat_map(Header::records) {
        let structure =
            Structure::ALL.into_iter().find(|structure| structure.name() == record.name);
        let known = structure.and_then(|structure| contract(structure, release));
        let (Some(structure), Some(known)) = (structure, known) else {
            report.deviation(&record.name, "declared", "not in this release");
            continue;
        };
        seen.push(structure);
        match layouts.layout(&record.name) {
            Ok(layout) => compare_struct(
                &mut report,
                record,
                &layout,
                known,
                last.get(&*record.name).copied(),
            ),
            Err(error) => report.deviation(&record.name, error.to_string(), "a layout wanted"),
        }
    }
    // Before 2.5 the wheels have no header of the optimizer's interface.
    let covered = |structure: &Structure| match structure.name() {
        name if name.starts_with("TP_") => headers > 1,
        _ => true,
    };
    for structure in Structure::ALL.into_iter().filter(covered) {
        if contract(structure, release).is_some() && !seen.contains(&structure) {
            report.deviation(structure.name(), "not declared", "in this release");
        }
    }
    compare_enums(&mut report, read.iter().flat_map(Header::enums).map(|(_, found)| found))?;
    compare_versions(&mut report, &read);
    Ok(report)
}

fn compare_struct(
    report: &mut Report,
    record: &RecordDeclaration,
    found: &RecordLayout,
    known: &'static StructContract,
    last: Option<&str>,
) {
    report.structs += 1;
    let name = known.name;
    if found.fields.len() != known.fields.len() {
        let (found, known) = (found.fields.len(), known.fields.len());
        report.deviation(name, format!("{found} fields"), format!("{known} fields"));
    }
    let placed = record.fields.iter().zip(&found.fields);
    for ((field, placed), known) in placed.zip(known.fields) {
        report.fields += 1;
        let in_header = format!("{} {:?}", placed.name, (placed.offset, placed.size));
        let in_data = format!("{} {:?}", known.name, (known.offset, known.bytes));
        if in_header != in_data {
            report.deviation(name, in_header, in_data);
        }
        let (in_header, in_data) = (kind(&field.r#type), known.type_name);
        if changeable(&in_header) != changeable(in_data) {
            report.deviation(&format!("{name}.{}", known.name), in_header, in_data);
        }
    }
    match last.and_then(|last| found.end_of(last)) {
        Some(end) => {
            report.announced += 1;
            if end != known.size() as u64 {
                let subject = format!("{name}: announced size");
                report.deviation(&subject, end.to_string(), known.size().to_string());
            }
        }
        None => report.deviation(name, "no announced size", known.size().to_string()),
    }
}

/// Without what may be written through a pointer: that is no part of the layout.
fn changeable(text: &str) -> String {
    text.replace("*const ", "*mut ")
}

/// A type of a header as the bindings write it.
fn kind(r#type: &CType) -> String {
    match r#type {
        CType::Named { name, .. } => plain(name).to_owned(),
        CType::Pointer { to, .. } => match &**to {
            CType::Function { result, parameters, .. } => {
                let taken: Vec<String> = parameters.iter().map(|p| kind(&p.r#type)).collect();
                // `(void)` takes nothing.
                let taken = if taken == ["std::ffi::c_void"] { Vec::new() } else { taken };
                let result = match kind(result).as_str() {
                    "std::ffi::c_void" => String::new(),
                    other => format!(" -> {other}"),
                };
                format!("Option<unsafe extern \"C\" fn({}){result}>", taken.join(", "))
            }
            CType::Named { constant: true, .. } => format!("*const {}", kind(to)),
            _ => format!("*mut {}", kind(to)),
        },
        other => other.to_string(),
    }
}

fn plain(name: &str) -> &str {
    match name {
        "size_t" => "usize",
        "int64_t" => "i64",
        "uint64_t" => "u64",
        "int" | "int32_t" => "i32",
        "uint32_t" | "unsigned int" => "u32",
        "int8_t" => "i8",
        "uint8_t" | "char" | "TF_Bool" | "bool" => "u8",
        "double" => "f64",
        "float" => "f32",
        "void" => "std::ffi::c_void",
        other => other,
    }
}

#[derive(Deserialize)]
struct Enums {
    r#enum: BTreeMap<String, KnownEnum>,
}

#[derive(Deserialize)]
struct KnownEnum {
    values: Vec<Value>,
}

#[derive(Deserialize)]
struct Value {
    name: String,
    value: i64,
}

fn compare_enums<'a>(
    report: &mut Report,
    found: impl Iterator<Item = &'a EnumDeclaration>,
) -> anyhow::Result<()> {
    let path = unskew_peers::root().join("crates/tensorflow/stream-executor/data/abi/enums.toml");
    let known: Enums = toml::from_str(&std::fs::read_to_string(path)?)?;
    for found in found {
        let Some(known) = known.r#enum.get(&found.name) else {
            report.deviation(&found.name, "declared", "not known");
            continue;
        };
        if found.enumerators.len() != known.values.len() {
            let (found_values, known) = (found.enumerators.len(), known.values.len());
            report.deviation(
                &found.name,
                format!("{found_values} values"),
                format!("{known} values"),
            );
        }
        for (value, known) in found.enumerators.iter().zip(&known.values) {
            report.values += 1;
            // The names of C repeat that of the enumeration, and the data writes them as constants of Rust.
            let own = value.name.rsplit('_').next().unwrap_or_default();
            let same = own.eq_ignore_ascii_case(&known.name);
            if !same || value.value != Some(known.value) {
                let data = format!("{} = {}", known.name, known.value);
                report.deviation(&found.name, format!("{} = {:?}", value.name, value.value), data);
            }
        }
    }
    Ok(())
}

/// The version that the header says of each part of the interface, and that hosts are played with.
fn compare_versions(report: &mut Report, headers: &[Header]) {
    for header in headers {
        let part = header.macros.iter().find_map(|defined| defined.name.strip_suffix("_MAJOR"));
        let Some(part) = part else { continue };
        report.versions += 1;
        let number = |field: &str| header.number(&format!("{part}_{field}")).unwrap_or(-1);
        let version = ["MAJOR", "MINOR", "PATCH"].map(number);
        if version != [0, 0, 1] {
            report.deviation(&format!("{part} version"), format!("{version:?}"), "[0, 0, 1]");
        }
    }
    let typedefs = headers.iter().flat_map(|header| &header.declarations);
    let callback = typedefs.filter_map(|declaration| match &declaration.item {
        HeaderItem::Typedef { name, r#type } if name == "SE_StatusCallbackFn" => Some(kind(r#type)),
        _ => None,
    });
    for found in callback {
        let data = "Option<unsafe extern \"C\" fn(*mut std::ffi::c_void, *mut TF_Status)>";
        if changeable(&found) != data {
            report.deviation("SE_StatusCallbackFn", found, data);
        }
    }
}
