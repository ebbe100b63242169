//! The reference of the PJRT C API by minor, from the data of `unskew-pjrt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use unskew_lab_harness::pages::MARK;
use unskew_pjrt::history;
use unskew_pjrt::layout::{
    ExtensionType, FLOOR, FieldDirection, Size, StructHistory, enums, extensions, find_struct,
    slots, structs, table_size, unbound,
};

/// The folder of the pages by subject, from the root of the repository.
pub const FOLDER: &str = "docs/reference/pjrt-abi";

const SOURCE: &str = "\n---\n\nMade from `crates/xla/pjrt/data/abi`.\n";

/// Every page of the reference.
pub fn pages() -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::from([
        (PathBuf::from(format!("{FOLDER}.md")), overview()),
        (path("functions"), functions()),
        (path("enums"), enumerations()),
    ]);
    let subjects: BTreeSet<&str> = own().map(|record| record.subject).collect();
    for subject in subjects {
        pages.insert(path(subject), subject_page(subject));
    }
    for extension in extensions().iter().filter(|extension| !extension.slots.is_empty()) {
        pages.insert(path(&extension_file(extension)), extension_page(extension));
    }
    pages
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(format!("{FOLDER}/{name}.md"))
}

fn extension_file(extension: &ExtensionType) -> String {
    format!("extension-{}", extension.name)
}

fn own() -> impl Iterator<Item = &'static StructHistory> {
    structs().iter().filter(|record| record.extension.is_none())
}

/// Where a struct is described, from a page in the folder.
fn link(record: &StructHistory) -> String {
    let file = match record.extension {
        Some(name) => format!("extension-{name}"),
        None => record.subject.to_owned(),
    };
    format!("[{}]({file}.md#{})", record.name, record.name.to_lowercase())
}

fn overview() -> String {
    let mut text = format!("{MARK}# The PJRT C API by minor\n\n");
    text.push_str(
        "A plug-in is a table of functions; each takes one struct, whose first word is its size. What follows says\n\
         for every minor since 0.29 what there is, where it lies and how large it is, in bytes on 64-bit machines.\n\
         Before 0.29 functions were inserted in the middle of the table. [How it is checked](pjrt-abi-check.md).\n\n\
         * [Functions](pjrt-abi/functions.md) and [enumerations](pjrt-abi/enums.md)\n",
    );
    let subjects: BTreeSet<&str> = own().map(|record| record.subject).collect();
    let list: Vec<String> =
        subjects.iter().map(|name| format!("[{name}](pjrt-abi/{name}.md)")).collect();
    let _ = writeln!(text, "* Structs by subject: {}", list.join(", "));
    let listed = extensions().iter().filter(|extension| !extension.slots.is_empty());
    let list: Vec<String> = listed
        .map(|extension| format!("[{}](pjrt-abi/{}.md)", extension.name, extension_file(extension)))
        .collect();
    let _ = writeln!(text, "* Extensions: {}", list.join(", "));
    minors(&mut text);
    sizes(&mut text);
    two_layouts(&mut text);
    wrong_sizes(&mut text);
    extension_types(&mut text);
    text.push_str("\n## Not bound\n\n| names | why |\n| --- | --- |\n");
    for unbound in unbound() {
        let _ = writeln!(text, "| {}… | {} |", unbound.prefix, unbound.why);
    }
    text.push_str(SOURCE);
    text.replace('…', "...")
}

/// Versions in the order in which they landed.
fn minors(text: &mut String) {
    text.push_str(
        "\n## Versions\n\nIn the order in which they landed: the counter went backwards when a change was rolled\n\
         back. `table` is the true size of the function table, `announced` what its header says.\n\n\
         | version | landed | table | announced | what changed |\n| --- | --- | --- | --- | --- |\n",
    );
    let entries = history().map(unskew_core::History::entries).unwrap_or_default();
    for entry in entries {
        let Ok(minor) = i32::try_from(entry.version.minor()) else { continue };
        if minor < FLOOR {
            continue;
        }
        let (end, declared) = table_size(minor).map_or((0, 0), |table| (table.end, table.declared));
        let (version, landed, change) = (entry.version, entry.landed, &entry.change);
        let _ = writeln!(text, "| {version} | {landed} | {end} | {declared} | {change} |");
    }
}

fn sizes(text: &mut String) {
    text.push_str(
        "\n## Structs that changed their size\n\nAll others have had one size since they are there.\n\n\
         | struct | sizes |\n| --- | --- |\n",
    );
    for record in structs() {
        let ends: BTreeSet<usize> = record.sizes.iter().map(|size| size.end).collect();
        if ends.len() > 1 {
            let sizes: Vec<String> = record.sizes.iter().map(span).collect();
            let link = link(record).replace("](", "](pjrt-abi/");
            let _ = writeln!(text, "| {link} | {} |", sizes.join("; "));
        }
    }
}

/// A size and when it held.
fn span(size: &Size) -> String {
    let until = match size.until {
        Some(until) if until == size.since => format!("in 0.{until}"),
        Some(until) => format!("0.{} to 0.{until}", size.since),
        None => format!("since 0.{}", size.since),
    };
    format!("{} {until} ({})", size.end, size.landed)
}

/// Minors whose number does not tell the layout.
fn two_layouts(text: &mut String) {
    text.push_str(
        "\n## Minors with several layouts\n\nBuilds of these minors differ; the day of the build decides.\n\n\
         | minor | struct | layouts |\n| --- | --- | --- |\n\
         | 0.56 | PJRT_Api | 840 bytes until 2024-11-13; on 2024-11-14 848, with PJRT_Buffer_CopyRawToHost at 592 |\n",
    );
    let newest = history().map_or(FLOOR, |h| i32::try_from(h.current().minor()).unwrap_or(FLOOR));
    for minor in FLOOR..=newest {
        for record in structs() {
            let held: Vec<&Size> = record
                .sizes
                .iter()
                .filter(|s| s.since <= minor && s.until.is_none_or(|until| minor <= until))
                .collect();
            let forms: BTreeSet<_> = held.iter().map(|size| (size.end, size.declared)).collect();
            if forms.len() > 1 {
                let list = |s: &&Size| {
                    let announced = if s.declared == s.end {
                        String::new()
                    } else {
                        format!(", announced as {}", s.declared)
                    };
                    format!("{} from {}{announced}", s.end, s.landed)
                };
                let list: Vec<String> = held.iter().map(list).collect();
                let _ = writeln!(text, "| 0.{minor} | {} | {} |", record.name, list.join("; "));
            }
        }
    }
}

fn wrong_sizes(text: &mut String) {
    text.push_str(
        "\n## Sizes that headers announce wrongly\n\nA header announces a size by naming the last field; these named\n\
         another one. Hosts send, and plug-ins demand, what was announced.\n\n\
         | struct | minors | announced | true |\n| --- | --- | --- | --- |\n",
    );
    for record in structs() {
        for size in record.sizes.iter().filter(|size| size.declared != size.end) {
            let until = size.until.filter(|until| *until > size.since);
            let until = until.map_or_else(String::new, |until| format!(" to 0.{until}"));
            let (name, since, declared, end) = (record.name, size.since, size.declared, size.end);
            let _ = writeln!(text, "| {name} | 0.{since}{until} | {declared} | {end} |");
        }
    }
    let wrong = |minor: &i32| table_size(*minor).is_some_and(|table| table.declared != table.end);
    let minors: Vec<i32> = (FLOOR..200).filter(wrong).collect();
    if let (Some(first), Some(last)) = (minors.first(), minors.last()) {
        let _ = writeln!(text, "| PJRT_Api | 0.{first} to 0.{last} | see the versions | |");
    }
}

fn extension_types(text: &mut String) {
    text.push_str(
        "\n## Extensions\n\n| number | name | since | what |\n| --- | --- | --- | --- |\n",
    );
    for extension in extensions() {
        let ExtensionType { kind, since, name, doc, .. } = extension;
        let _ = writeln!(text, "| {kind} | {name} | 0.{since} | {doc} |");
    }
}

fn functions() -> String {
    let mut text = format!("{MARK}# Functions of the PJRT C API\n\n");
    text.push_str(
        "The function table, by offset. It begins with the size, the extensions and the version.\n\n\
         | at | since | landed | function | what it does |\n| --- | --- | --- | --- | --- |\n",
    );
    for slot in slots() {
        let name = match find_struct(&format!("{}_Args", slot.name)) {
            Some(record) => {
                link(record).replace(&format!("[{}]", record.name), &format!("[{}]", slot.name))
            }
            None => slot.name.to_owned(),
        };
        let (at, since, landed, doc) = (slot.offset, slot.since, slot.landed, slot.doc);
        let _ = writeln!(text, "| {at} | 0.{since} | {landed} | {name} | {doc} |");
    }
    text.push_str(SOURCE);
    text
}

fn enumerations() -> String {
    let mut text = format!("{MARK}# Enumerations of the PJRT C API\n");
    for r#enum in enums() {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n| value | name | since |\n| --- | --- | --- |\n",
            r#enum.name, r#enum.doc
        );
        for value in r#enum.values {
            let _ = writeln!(
                text,
                "| {} | {}{} | 0.{} |",
                value.value, r#enum.prefix, value.name, value.since
            );
        }
    }
    text.push_str(SOURCE);
    text
}

fn subject_page(subject: &str) -> String {
    let mut text = format!("{MARK}# PJRT C API: {}\n", subject.replace('_', " "));
    for record in own().filter(|record| record.subject == subject) {
        structure(record, &mut text);
    }
    text.push_str(SOURCE);
    text
}

fn extension_page(extension: &ExtensionType) -> String {
    let mut text = format!("{MARK}# PJRT C API: extension {}\n\n", extension.name);
    let ExtensionType { kind, since, doc, .. } = extension;
    let _ = write!(
        text,
        "{doc} Type {kind}, since 0.{since}. An extension has no version on the wire: a slot means what it means here\n\
         from its minor on, if the extension is so long.\n\n| at | slot | since | takes |\n| --- | --- | --- | --- |\n"
    );
    for (index, slot) in extension.slots.iter().enumerate() {
        let takes = match slot.args {
            Some(args) => find_struct(args).map_or_else(|| args.to_owned(), link),
            None if slot.function => "not bound".to_owned(),
            None => "data".to_owned(),
        };
        let at = 24 + 8 * index;
        let _ = writeln!(text, "| {at} | {} | 0.{} | {takes} |", slot.name, slot.since);
    }
    for record in structs().iter().filter(|record| record.extension == Some(extension.name)) {
        structure(record, &mut text);
    }
    text.push_str(SOURCE);
    text
}

fn structure(record: &StructHistory, text: &mut String) {
    let _ = write!(text, "\n## {}\n\n{} ", record.name, record.doc);
    // The structs of extensions are as old as the slots that take them.
    if record.extension.is_none() {
        let _ = write!(text, "Since 0.{}. ", record.since);
    }
    let sizes: Vec<String> = record.sizes.iter().map(span).collect();
    if sizes.len() > 1 {
        let _ = write!(text, "Sizes: {}.", sizes.join("; "));
    } else if let Some(size) = record.sizes.first() {
        let _ = write!(text, "{} bytes.", size.end);
    }
    for accepts in record.accepts {
        let until = accepts.until.map_or_else(String::new, |until| format!(" to 0.{until}"));
        let _ = write!(
            text,
            " Plug-ins built from XLA since 0.{}{until} accept {} bytes too.",
            accepts.since, accepts.end
        );
    }
    text.push_str(
        "\n\n| at | bytes | field | type | since | |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for field in record.fields {
        let since =
            if field.since > record.since { format!("0.{}", field.since) } else { String::new() };
        let direction = match field.direction {
            FieldDirection::In => "",
            FieldDirection::Out => "out",
            FieldDirection::InOut => "in and out",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | `{}` | {since} | {direction} |",
            field.at, field.bytes, field.name, field.kind
        );
    }
}
