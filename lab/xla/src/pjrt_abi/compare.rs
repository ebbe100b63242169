//! What the headers say against what the data says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unskew_c_headers::header::{EnumDeclaration, Header, Layouts, RecordDeclaration, RecordLayout};
use unskew_core::Date;
use unskew_lab_harness::Deviation;
use unskew_pjrt::layout::{self, FieldHistory, StructHistory};

use super::set::PjrtHeaders;
use super::{extensions, kinds};

/// What was compared, and on what they differ.
pub struct Report {
    pub label: String,
    pub minor: i32,
    pub structs: usize,
    pub fields: usize,
    pub announced: usize,
    pub functions: usize,
    pub values: usize,
    pub slots: usize,
    /// Structs of extensions that have changed since without a trace in the version.
    pub older: Vec<String>,
    /// Slots of extensions that are there before the data says so.
    pub early: Vec<String>,
    /// Slots that are something else than today.
    pub other: Vec<String>,
    /// Slots that are not there.
    pub absent: Vec<String>,
    /// The extensions that the headers declare.
    pub declares: BTreeSet<String>,
    pub deviations: Vec<Deviation>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: 0.{}: {} structs, {} fields, {} announced sizes, {} functions, {} enum values, {} extension slots; {} deviations",
            self.label,
            self.minor,
            self.structs,
            self.fields,
            self.announced,
            self.functions,
            self.values,
            self.slots,
            self.deviations.len()
        )?;
        if !self.older.is_empty() {
            write!(f, "; older forms of {}", self.older.join(", "))?;
        }
        Ok(())
    }
}

impl Report {
    pub fn new(label: &str, minor: i32) -> Self {
        Self {
            label: label.to_owned(),
            minor,
            structs: 0,
            fields: 0,
            announced: 0,
            functions: 0,
            values: 0,
            slots: 0,
            older: Vec::new(),
            early: Vec::new(),
            other: Vec::new(),
            absent: Vec::new(),
            declares: BTreeSet::new(),
            deviations: Vec::new(),
        }
    }

    pub fn deviation(&mut self, subject: &str, header: impl Into<String>, data: impl Into<String>) {
        let (subject, header, data) = (subject.to_owned(), header.into(), data.into());
        self.deviations.push(Deviation { subject, header, data });
    }
}

/// Compares headers with the data for their minor and the day of their build.
pub fn compare(label: &str, set: &PjrtHeaders, built: Option<Date>) -> Report {
    let mut report = Report::new(label, set.minor);
    let mut layouts = Layouts::for_headers(set.all());
    let announced = announced(set);
    let mut seen = BTreeMap::new();
    for (_, record) in set.all().flat_map(Header::records) {
        if seen.insert(record.name.clone(), ()).is_some() {
            continue;
        }
        if is_unbound(&record.name) {
            continue;
        }
        let layout = match layouts.layout(&record.name) {
            Ok(layout) => layout,
            Err(error) => {
                report.deviation(&record.name, error.to_string(), "a layout wanted");
                continue;
            }
        };
        if record.name == "PJRT_Api" {
            table(&mut report, &layout, announced.get("PJRT_Api").copied());
        } else if extensions::is_extension(record) {
            extensions::slots(&mut report, record, &layout, set);
        } else {
            structure(
                &mut report,
                record,
                &layout,
                announced.get(&*record.name).copied(),
                built,
                set,
            );
        }
    }
    for expected in layout::structs() {
        let missing = expected.since <= report.minor && !seen.contains_key(expected.name);
        if missing && expected.extension.is_none() {
            report.deviation(expected.name, "none", format!("since 0.{}", expected.since));
        }
    }
    for (_, r#enum) in set.all().flat_map(Header::enums) {
        values(&mut report, r#enum);
    }
    report
}

fn is_unbound(name: &str) -> bool {
    let bound = layout::find_struct(name).is_some();
    !bound && layout::unbound().iter().any(|unbound| name.starts_with(unbound.prefix))
}

/// The last field that each struct announces.
fn announced(set: &PjrtHeaders) -> BTreeMap<&str, &str> {
    set.all().flat_map(Header::announced).map(|a| (a.record, a.last_field)).collect()
}

/// Names that changed while the layout stayed: today's, and what older headers say.
const RENAMED: [(&str, &str); 4] = [
    ("extension_start", "priv"),
    ("kind", "memory_kind"),
    ("kind_size", "memory_kind_size"),
    ("kImmutableZeroCopy", "kZeroCopy"),
];

fn same_name(today: &str, header: &str) -> bool {
    today == header || RENAMED.contains(&(today, header))
}

/// Whether an extension's struct has a form that the data, which has today's only, does not describe.
fn is_older_form(history: &StructHistory, minor: i32) -> bool {
    let Some(extension) = history.extension.and_then(layout::extension) else { return false };
    let own = extension.slots.iter().find(|slot| slot.args == Some(history.name));
    match own {
        Some(slot) => minor < slot.since,
        // Passed inside of others: as young as the youngest slot.
        None => extension.slots.iter().any(|slot| minor < slot.since),
    }
}

fn structure(
    report: &mut Report,
    record: &RecordDeclaration,
    found: &RecordLayout,
    last: Option<&str>,
    built: Option<Date>,
    set: &PjrtHeaders,
) {
    let name = record.name.as_str();
    let Some(history) = layout::find_struct(name) else {
        return report.deviation(name, "declared", "not known");
    };
    report.structs += 1;
    let older = is_older_form(history, report.minor);
    let before = report.deviations.len();
    let Some(size) = history.size(report.minor, built).cloned() else {
        if older {
            return report.older.push(name.to_owned());
        }
        return report.deviation(name, "declared", format!("since 0.{}", history.since));
    };
    let end = u64::try_from(size.end).unwrap_or(u64::MAX);
    if found.end != end {
        report.deviation(&format!("{name}: end"), found.end.to_string(), end.to_string());
    }
    if let Some(last) = last {
        report.announced += 1;
        let said = found.end_of(last).map(|end| end.to_string()).unwrap_or_default();
        if said != size.declared.to_string() {
            let data = format!("{}", size.declared);
            report.deviation(&format!("{name}: announced size"), format!("{said} ({last})"), data);
        }
    }
    // Inserted in the middle: the one struct that did not grow at its end has no fields to compare.
    let moved = history.sizes.iter().any(|other| other.end != size.end)
        && history.fields.first().is_some_and(|first| first.since > report.minor)
        || size.end < history.sizes.last().map_or(0, |last| last.end)
            && record.fields.first().is_none_or(|f| !same_name(history.fields[0].name, &f.name));
    if !moved {
        fields(report, record, found, history, size.end);
        types(report, record, history, set);
    }
    if older && report.deviations.len() > before {
        report.deviations.truncate(before);
        report.older.push(name.to_owned());
    }
}

fn fields(
    report: &mut Report,
    record: &RecordDeclaration,
    found: &RecordLayout,
    history: &StructHistory,
    end: usize,
) {
    let (name, minor) = (record.name.as_str(), report.minor);
    let today = history.fields.iter().filter(|field| field.at + field.bytes <= end);
    let today: Vec<&FieldHistory> = today.collect();
    // Fields of an anonymous union stand behind it; the data has the union as a type of its own.
    let outer = found.fields.iter().filter(|placed| {
        placed.name.is_empty() || record.fields.iter().any(|field| field.name == placed.name)
    });
    let outer: Vec<_> = outer.collect();
    for (field, placed) in today.iter().zip(&outer) {
        report.fields += 1;
        let in_header = (placed.name.as_str(), placed.offset, placed.size);
        let in_data = (field.name, field.at as u64, field.bytes as u64);
        let named = placed.name.is_empty() || same_name(field.name, &placed.name);
        if !named || in_header.1 != in_data.1 || in_header.2 != in_data.2 {
            report.deviation(name, format!("{in_header:?}"), format!("{in_data:?}"));
        }
    }
    if today.len() != outer.len() {
        let data = format!("{} fields", today.len());
        report.deviation(name, format!("{} fields", outer.len()), data);
    }
    let rolled_back = history.sizes.windows(2).any(|pair| pair[1].end < pair[0].end);
    for field in today.iter().filter(|field| field.since > minor && !rolled_back) {
        let data = format!("since 0.{}", field.since);
        report.deviation(&format!("{name}.{}", field.name), "there", data);
    }
    let missing = |field: &&FieldHistory| field.at + field.bytes > end && field.since <= minor;
    for field in history.fields.iter().filter(missing) {
        let data = format!("since 0.{}", field.since);
        report.deviation(&format!("{name}.{}", field.name), "not there", data);
    }
}

/// The types of fields that lie in the same place.
fn types(
    report: &mut Report,
    record: &RecordDeclaration,
    history: &StructHistory,
    set: &PjrtHeaders,
) {
    for (field, known) in record.fields.iter().zip(history.fields) {
        if !field.name.is_empty() && !kinds::agrees(&field.r#type, known.kind, set) {
            let found = kinds::kind(&field.r#type, set);
            let place = format!("{}.{}: type", record.name, known.name);
            report.deviation(&place, found, known.kind);
        }
    }
}

fn table(report: &mut Report, found: &RecordLayout, last: Option<&str>) {
    let functions = found.fields.iter().filter(|field| field.offset >= layout::FIRST_SLOT as u64);
    let functions: Vec<_> = functions.collect();
    let announced = last.and_then(|last| found.end_of(last));
    let announced = announced.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
    let minor = report.minor;
    for slot in layout::slots().iter().filter(|slot| slot.since <= minor) {
        report.functions += 1;
        let wanted = slot.offset_in(report.minor, announced) as u64;
        let there = functions.iter().find(|field| field.name == slot.name).map(|f| f.offset);
        if there != Some(wanted) {
            report.deviation(slot.name, format!("at {there:?}"), format!("at {wanted}"));
        }
    }
    for field in functions {
        let known = layout::slot(&field.name).filter(|slot| slot.since <= report.minor);
        if known.is_none() {
            let since = layout::slot(&field.name).map(|slot| slot.since);
            let data = format!("since {since:?}");
            report.deviation(&field.name, format!("at {}", field.offset), data);
        }
    }
    let true_end = layout::true_table_size(report.minor, announced) as u64;
    let declared = layout::table_size(report.minor).map(|table| table.declared);
    if found.end != true_end {
        report.deviation("PJRT_Api: end", found.end.to_string(), true_end.to_string());
    }
    report.announced += 1;
    if declared != Some(announced) && (report.minor, announced) != (56, 808) {
        report.deviation("PJRT_Api: announced", announced.to_string(), format!("{declared:?}"));
    }
}

fn values(report: &mut Report, r#enum: &EnumDeclaration) {
    // Sizes are announced as enumerations without a name.
    if r#enum.name.is_empty() || is_unbound(&r#enum.name) {
        return;
    }
    if r#enum.name == "PJRT_Extension_Type" {
        return extensions::types(report, r#enum);
    }
    let Some(known) = layout::enums().iter().find(|known| known.name == r#enum.name) else {
        let names: Vec<_> = r#enum.enumerators.iter().map(|value| value.name.as_str()).collect();
        return report.deviation(&r#enum.name, names.join(", "), "not known");
    };
    let minor = report.minor;
    for value in &r#enum.enumerators {
        report.values += 1;
        let short = value.name.strip_prefix(known.prefix).unwrap_or(&value.name);
        let said = known.values.iter().find(|k| same_name(k.name, short));
        let agrees = said.is_some_and(|k| {
            let there = k.since <= minor || k.name != short;
            there && value.value == Some(i64::from(k.value))
        });
        if !agrees {
            report.deviation(&value.name, format!("{:?}", value.value), format!("{said:?}"));
        }
    }
    for value in known.values.iter().filter(|value| value.since <= minor) {
        let number = Some(i64::from(value.value));
        if !r#enum.enumerators.iter().any(|there| there.value == number) {
            report.deviation(
                &format!("{}{}", known.prefix, value.name),
                "none",
                format!("{value:?}"),
            );
        }
    }
}
