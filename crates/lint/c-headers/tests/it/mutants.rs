//! Changes made to real headers by a mutator that knows what each is: on every kind of real structure the
//! right rules speak, and no others.
//!
//! The mutator works on the text, and knows nothing of what the reader of headers knows.

use crate::common::{self, codes, corpus, diff, headers, lines};
use unskew_c_headers::change::{HeaderPolicy, compare};
use unskew_c_headers::contract::HeaderContract;
use unskew_core::Severity;

fn header(folder: &str, name: &str) -> String {
    let found = headers(&corpus(folder)).into_iter().find(|(file, _)| file == name);
    String::from_utf8(found.unwrap().1).unwrap()
}

/// A struct or enumeration in a text: what stands before its parts, the parts, and what stands behind.
struct Cut {
    before: String,
    parts: Vec<String>,
    behind: String,
    end: char,
}

impl Cut {
    /// Cuts at `end`: `;` for a struct, `,` for an enumeration. `start` is the text up to the brace.
    fn of(text: &str, start: &str, end: char) -> Self {
        let at = text.find(start).unwrap_or_else(|| panic!("{start}")) + start.len();
        let close = at + text[at..].find('}').unwrap();
        let body = &text[at..close];
        let (mut parts, mut part, mut comment) = (Vec::new(), String::new(), false);
        for (index, c) in body.char_indices() {
            comment |= body[index..].starts_with("//");
            comment &= c != '\n';
            match c == end && !comment {
                true => parts.push(std::mem::take(&mut part)),
                false => part.push(c),
            }
        }
        if end == ',' && !code(&part).is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        Self {
            before: text[..at].to_owned(),
            parts,
            behind: format!("{part}{}", &text[close..]),
            end,
        }
    }

    fn text(&self) -> String {
        let parts: String = self.parts.iter().map(|part| format!("{part}{}", self.end)).collect();
        format!("{}{parts}{}", self.before, self.behind)
    }

    fn edited(mut self, edit: impl FnOnce(&mut Vec<String>)) -> String {
        edit(&mut self.parts);
        self.text()
    }
}

fn code(part: &str) -> String {
    let lines = part.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The name of the field that a part declares.
fn field(part: &str) -> String {
    let code = code(part);
    let name = code.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    name.unwrap_or_default().to_owned()
}

/// Whether a field has eight bytes, as far as its text says so.
fn is_wide(part: &str) -> bool {
    let code = code(part);
    code.contains('*') || code.starts_with("size_t") || code.starts_with("int64_t")
}

fn is_narrow(part: &str) -> bool {
    let code = code(part);
    code.starts_with("bool ") || code.starts_with("int ")
}

/// The PJRT header with its structs of arguments that a mutator can work on.
struct Pjrt {
    text: String,
    contract: HeaderContract,
    args: Vec<String>,
}

impl Pjrt {
    fn read() -> Self {
        let text = header("headers/tensorflow-cpu-2.20.0", "pjrt_c_api.h");
        let starts = text.match_indices("\nstruct PJRT_").filter_map(|(at, _)| {
            let line = text[at + 1..].lines().next()?;
            let name = line.strip_prefix("struct ")?.strip_suffix(" {")?;
            let cut = Cut::of(&text, &format!("struct {name} {{"), ';');
            let plain = cut.parts.iter().all(|part| !part.contains(['#', '(', '{']));
            (name.ends_with("_Args") && plain && cut.parts.len() >= 4).then(|| name.to_owned())
        });
        let args: Vec<String> = starts.collect();
        assert!(args.len() > 60, "structs of arguments: {}", args.len());
        let contract = common::contract(&text);
        Self { text, contract, args }
    }

    fn cut(&self, name: &str) -> Cut {
        Cut::of(&self.text, &format!("struct {name} {{"), ';')
    }

    /// Structs that are spread over the header, `count` of those that `wanted` takes.
    fn some(&self, count: usize, wanted: impl Fn(&[String]) -> bool) -> Vec<&str> {
        let fit = self.args.iter().filter(|name| wanted(&self.cut(name).parts));
        let fit: Vec<&str> = fit.map(String::as_str).collect();
        let step = (fit.len() / count).max(1);
        let some: Vec<&str> = fit.iter().copied().step_by(step).take(count).collect();
        assert!(!some.is_empty(), "no struct fits");
        some
    }

    /// The findings of at least a warning about a mutant.
    #[track_caller]
    fn holds(&self, what: &str, mutant: &str, wanted: &[&str]) -> usize {
        assert_ne!(self.text, mutant, "{what} changed nothing");
        let policy = HeaderPolicy::named("pjrt").unwrap();
        let comparison = compare(&self.contract, &common::contract(mutant), policy, None);
        let found = codes(&comparison, Severity::Warning);
        assert_eq!(found, wanted, "{what}\n{}", lines(&comparison));
        1
    }
}

fn raised(text: &str) -> String {
    text.replace("#define PJRT_API_MINOR 72", "#define PJRT_API_MINOR 73")
}

fn announced(text: &str, name: &str, from: &str, to: &str) -> String {
    let call = |field: &str| format!("PJRT_DEFINE_STRUCT_TRAITS({name}, {field});");
    let long = |field: &str| {
        format!("PJRT_DEFINE_STRUCT_TRAITS({name},\n                          {field});")
    };
    let replaced = text.replace(&call(from), &call(to)).replace(&long(from), &call(to));
    assert_ne!(text, replaced, "{name} is not announced with {from}");
    replaced
}

#[test]
fn appended_fields_of_real_structs_are_told_apart_by_their_announcement_and_number() {
    let pjrt = Pjrt::read();
    let mut mutants = 0;
    let wide_end = |parts: &[String]| parts.last().is_some_and(|part| is_wide(part));
    for name in pjrt.some(6, wide_end) {
        let cut = pjrt.cut(name);
        let last = field(cut.parts.last().unwrap());
        let appended = cut.edited(|parts| parts.push("\n  int64_t added_by_mutator".to_owned()));
        let complete = announced(&appended, name, &last, "added_by_mutator");
        mutants += pjrt.holds(name, &raised(&complete), &[]);
        mutants += pjrt.holds(name, &complete, &["HD001"]);
        mutants += pjrt.holds(name, &raised(&appended), &["HD002"]);
        mutants += pjrt.holds(name, &appended, &["HD001", "HD002"]);
    }
    assert!(mutants >= 20, "{mutants}");
}

#[test]
fn what_moves_retypes_or_removes_fields_of_real_structs_is_found() {
    let pjrt = Pjrt::read();
    let mut mutants = 0;
    let many = |parts: &[String]| parts.len() >= 5;
    for name in pjrt.some(5, many) {
        let inserted =
            pjrt.cut(name).edited(|parts| parts.insert(2, "\n  int64_t added".to_owned()));
        mutants += pjrt.holds(name, &raised(&inserted), &["HD001", "HD102"]);
        let swapped = pjrt.cut(name).edited(|parts| parts.swap(2, 3));
        mutants += pjrt.holds(name, &raised(&swapped), &["HD001", "HD105"]);
        let removed = pjrt.cut(name).edited(|parts| drop(parts.remove(2)));
        mutants += pjrt.holds(name, &raised(&removed), &["HD001", "HD108"]);
        let typed = pjrt.cut(name).edited(|parts| {
            let name = field(&parts[2]);
            let r#type = if is_wide(&parts[2]) { "double" } else { "float" };
            parts[2] = format!("\n  {} {name}", r#type);
        });
        mutants += pjrt.holds(name, &raised(&typed), &["HD001", "HD106"]);
        let renamed = pjrt.cut(name).edited(|parts| {
            let old = field(&parts[2]);
            parts[2] = parts[2].replace(&old, &format!("{old}_renamed"));
        });
        mutants += pjrt.holds(name, &raised(&renamed), &[]);
    }
    let pointer = |parts: &[String]| code(&parts[2]).starts_with("PJRT_") && parts[2].contains('*');
    for name in pjrt.some(3, pointer) {
        let constant = pjrt.cut(name).edited(|parts| {
            parts[2] = format!("\n  const {}", code(&parts[2]));
        });
        mutants += pjrt.holds(name, &constant, &[]);
    }
    assert!(mutants >= 25, "{mutants}");
}

#[test]
fn fields_in_padding_are_found_inside_and_let_pass_at_the_end() {
    let pjrt = Pjrt::read();
    let gap = |parts: &[String]| {
        parts.windows(3).position(|w| is_wide(&w[0]) && is_narrow(&w[1]) && is_wide(&w[2]))
    };
    for name in pjrt.some(3, |parts| gap(parts).is_some()) {
        let mutant = pjrt.cut(name).edited(|parts| {
            let at = gap(parts).unwrap();
            parts.insert(at + 2, "\n  bool in_padding".to_owned());
        });
        pjrt.holds(name, &raised(&mutant), &["HD001", "HD103"]);
    }
    let tail = |parts: &[String]| {
        let [.., before, last] = parts else { return false };
        is_wide(before) && is_narrow(last)
    };
    for name in pjrt.some(3, tail) {
        let cut = pjrt.cut(name);
        let last = field(cut.parts.last().unwrap());
        let mutant = cut.edited(|parts| parts.push("\n  bool at_the_end".to_owned()));
        let mutant = announced(&mutant, name, &last, "at_the_end");
        pjrt.holds(name, &raised(&mutant), &[]);
    }
}

#[test]
fn changes_of_the_real_table_are_found() {
    let pjrt = Pjrt::read();
    let table = || Cut::of(&pjrt.text, "typedef struct PJRT_Api {", ';');
    let slot = |parts: &[String], name: &str| {
        parts.iter().position(|part| part.contains(&format!("({name})"))).unwrap()
    };
    let added = "\n  _PJRT_API_STRUCT_FIELD(PJRT_Error_Message)".replace("Message", "Destroy");
    // A slot of a function that is there already, under a name of its own.
    let added =
        added.replace("_PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy)", "PJRT_Error_Destroy* Added");
    for name in ["PJRT_Client_Create", "PJRT_Buffer_Destroy", "PJRT_Event_Await"] {
        let inserted = table().edited(|parts| {
            let at = slot(parts, name);
            parts.insert(at, added.clone());
        });
        pjrt.holds(name, &raised(&inserted), &["HD001", "HD202"]);
        let removed = table().edited(|parts| {
            let at = slot(parts, name);
            parts.remove(at);
        });
        pjrt.holds(name, &raised(&removed), &["HD001", "HD203"]);
        let swapped = table().edited(|parts| {
            let at = slot(parts, name);
            parts.swap(at, at + 1);
        });
        pjrt.holds(name, &raised(&swapped), &["HD001", "HD105"]);
    }
    let last = table().parts.last().map(|part| code(part)).unwrap();
    let last = last.split(['(', ')']).nth(1).unwrap().trim().to_owned();
    let appended = table().edited(|parts| parts.push(added.clone()));
    let announce = |text: &str| {
        text.replace(
            &format!("PJRT_STRUCT_SIZE(PJRT_Api, {last})"),
            "PJRT_STRUCT_SIZE(PJRT_Api, Added)",
        )
    };
    assert_ne!(announce(&appended), appended);
    pjrt.holds("append", &raised(&announce(&appended)), &[]);
    pjrt.holds("append", &announce(&appended), &["HD001"]);
    pjrt.holds("append", &raised(&appended), &["HD002"]);
    for name in ["PJRT_Client_Create", "PJRT_Buffer_ToHostBuffer", "PJRT_Event_OnReady"] {
        // The name stands on a line of its own where it is long.
        let parameters = format!("{name}_Args* args);");
        let mutant = pjrt.text.replace(&parameters, &parameters.replace(')', ", int flags)"));
        pjrt.holds(name, &raised(&mutant), &["HD001", "HD204"]);
    }
}

#[test]
fn changes_of_real_enumerations_and_versions_are_found() {
    let pjrt = Pjrt::read();
    for name in ["PJRT_Error_Code", "PJRT_Buffer_Type", "PJRT_HostBufferSemantics"] {
        // The brace before the name of the type.
        let end = pjrt.text.find(&format!("}} {name};")).unwrap();
        let start = pjrt.text[..end].rfind("typedef enum {").unwrap();
        let head = &pjrt.text[..start];
        let cut = || {
            let mut cut = Cut::of(&pjrt.text[start..], "typedef enum {", ',');
            cut.before = format!("{head}{}", cut.before);
            cut
        };
        let appended = cut().edited(|parts| parts.push("\n  Added_By_Mutator = 4711".to_owned()));
        pjrt.holds(name, &appended, &[]);
        let renumbered = cut().edited(|parts| {
            let named = field(parts[1].split('=').next().unwrap());
            parts[1] = format!("\n  {named} = 4711");
        });
        assert!(
            codes(&diff(&pjrt.text, &raised(&renumbered), Some("pjrt")), Severity::Error)
                .starts_with(&["HD001", "HD302"])
        );
        let last = cut().edited(|parts| drop(parts.pop()));
        pjrt.holds(name, &raised(&last), &["HD001", "HD303"]);
        let renamed = cut().edited(|parts| {
            let old = field(parts[1].split('=').next().unwrap());
            parts[1] = parts[1].replace(&old, &format!("{old}_Renamed"));
        });
        pjrt.holds(name, &raised(&renamed), &[]);
    }
    let lowered = pjrt.text.replace("PJRT_API_MINOR 72", "PJRT_API_MINOR 71");
    pjrt.holds("lowered", &lowered, &["HD005"]);
}

#[test]
fn changes_of_the_stream_executor_header_are_judged_by_semantic_versioning() {
    let text = header("device-headers/2.10.1", "stream_executor.h");
    let cut = |name: &str| Cut::of(&text, &format!("typedef struct {name} {{"), ';');
    let holds = |what: &str, mutant: &str, wanted: &[&str]| {
        assert_ne!(text, mutant, "{what} changed nothing");
        let comparison = diff(&text, mutant, Some("stream-executor"));
        let found = codes(&comparison, Severity::Warning);
        assert_eq!(found, wanted, "{what}\n{}", lines(&comparison));
    };
    let minor = |text: &str| text.replace("#define SE_MINOR 0", "#define SE_MINOR 1");
    let major = |text: &str| text.replace("#define SE_MAJOR 0", "#define SE_MAJOR 1");
    for (name, constant, last) in [
        ("SP_Device", "SP_DEVICE_STRUCT_SIZE", "pci_bus_id"),
        ("SP_Platform", "SP_PLATFORM_STRUCT_SIZE", "force_memory_growth"),
        ("SE_CreateDeviceParams", "SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE", "device"),
    ] {
        assert!(text.contains(constant));
        let appended = cut(name).edited(|parts| parts.push("\n  void* added".to_owned()));
        let announced = appended.replace(
            &format!("TF_OFFSET_OF_END({name}, {last})"),
            &format!("TF_OFFSET_OF_END({name}, added)"),
        );
        holds(name, &minor(&announced), &[]);
        holds(name, &announced, &["HD001"]);
        holds(name, &minor(&appended), &["HD002"]);
        let renamed = cut(name).edited(|parts| {
            let old = field(&parts[2]);
            parts[2] = parts[2].replace(&old, &format!("{old}_renamed"));
        });
        holds(name, &minor(&renamed), &["HD001", "HD110"]);
        let inserted = cut(name).edited(|parts| parts.insert(2, "\n  void* added".to_owned()));
        holds(name, &minor(&inserted), &["HD001", "HD102"]);
        // With a new major number all of this may be done.
        holds(name, &major(&renamed), &[]);
        holds(name, &major(&inserted), &[]);
    }
    let required = cut("SP_StreamExecutor").edited(|parts| {
        parts.push("\n  void (*added)(const SP_Device* device)".to_owned());
    });
    let required = required.replace(
        "TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)",
        "TF_OFFSET_OF_END(SP_StreamExecutor, added)",
    );
    holds("required", &minor(&required), &["HD206"]);
    let optional = required.replace("void (*added)", "// NULL is no-op.\n  void (*added)");
    holds("optional", &minor(&optional), &[]);
}
