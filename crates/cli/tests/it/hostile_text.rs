//! Names, labels, records and errors of hostile files, in every format of every verb: none of them moves a cursor, hides text,
//! begins a line or gives an order to a runner of GitHub.
//!
//! The formats are those that the help lists, so a new one is tested as soon as it is there.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use regex::Regex;
use serde_json::Value;
use unskew_core::is_hidden;

/// Everything at once: sequences of a terminal, both kinds of commands of a runner behind a line break, C1, DEL, marks of direction,
/// separators, and what has no width.
const HOSTILE: &str = "Ev\u{1b}]0;t\u{7}\u{1b}[31mred\u{1b}[8mgone\n::error file=x::pwn\r##[debug]old\u{7f}\u{9b}8m\u{85}\
                       \u{202e}rtl\u{2066}\u{2028}::warning::l\u{2029}\u{200b}\u{feff}\u{e0041}end";

/// What of it everybody can read, so that a text without it did not show the name at all.
const SEEN: &str = "pwn";

/// A name that begins the line wherever it is the first on it.
const COMMAND: &str = "::error::first.onnx";

/// Writes Protocol Buffers.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 127 {
        out.push((length & 127) as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    [out, bytes.to_vec()].concat()
}

/// An ONNX model whose producer, domain, operator, node, tensors and metadata have this name.
fn onnx(name: &str) -> Vec<u8> {
    let own = name.as_bytes();
    let node = [field(1, own), field(2, own), field(3, own), field(4, own), field(7, own)].concat();
    let shape = field(2, &field(1, &[0x08, 2]));
    let value = |name: &[u8]| {
        let tensor = [vec![0x08, 1], shape.clone()].concat();
        [field(1, name), field(2, &field(1, &tensor))].concat()
    };
    let graph = [field(1, &node), field(2, own), field(11, &value(own)), field(12, &value(own))];
    let metadata = [field(1, own), field(2, own)].concat();
    let opset = [field(1, own), vec![0x10, 1]].concat();
    let plain = [field(1, b""), vec![0x10, 13]].concat();
    [
        vec![0x08, 7],
        field(2, own),
        field(3, own),
        field(7, &graph.concat()),
        field(8, &plain),
        field(8, &opset),
        [vec![14 << 3 | 2], field(14, &metadata)[1..].to_vec()].concat(),
    ]
    .concat()
}

/// As text of Protocol Buffers and TOML have it, which know these escapes.
fn quoted(name: &str) -> String {
    name.chars()
        .map(|letter| match letter {
            letter if letter.is_ascii() && !letter.is_ascii_control() => letter.to_string(),
            letter => format!("\\U{:08x}", u32::from(letter)),
        })
        .collect()
}

/// The bytes in quotes, as text of Protocol Buffers has them.
fn octal(name: &str) -> String {
    let one = |byte: u8| match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    };
    name.bytes().map(one).collect()
}

/// Files of each kind with hostile names in them and on them.
fn fill(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    write(&format!("{HOSTILE}.onnx"), &onnx(HOSTILE));
    write(COMMAND, &onnx(HOSTILE));
    write(&format!("{HOSTILE}.pt"), b"no model");
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let header = format!(
        "{{\"__metadata__\":{{{}:{}}},{}:{{\"dtype\":{},\"shape\":[],\"data_offsets\":[0,4]}}}}",
        json(HOSTILE),
        json(HOSTILE),
        json(HOSTILE),
        json(HOSTILE)
    );
    let mut tensors = (header.len() as u64).to_le_bytes().to_vec();
    tensors.extend(header.bytes().chain([0; 4]));
    write(&format!("{HOSTILE}.safetensors"), &tensors);
    let node = octal(HOSTILE);
    let graph =
        format!("node {{ name: \"{node}\" op: \"{node}\" }} versions {{ producer: 900 }}\n");
    write("graph.pbtxt", graph.as_bytes());
    write("broken.mlir", format!("module @\"{node}\" {{ {HOSTILE}").as_bytes());
    let op = |name: &str, ty: &str| {
        format!("op {{ name: \"{name}\" input_arg {{ name: \"a\" type: {ty} }} }}\n")
    };
    write(
        &format!("{HOSTILE}.before.pbtxt"),
        (op(&node, "DT_FLOAT") + &op("Kept", "DT_FLOAT")).as_bytes(),
    );
    write(
        &format!("{HOSTILE}.after.pbtxt"),
        (op(&node, "DT_HALF") + &op("Kept", "DT_FLOAT")).as_bytes(),
    );
    let text = quoted(HOSTILE);
    let history = format!(
        "title = \"{text}\"\naxis = \"{text}\"\n[[version]]\nnumber = 2\nlanded = 2026-01-05\nchange = \"{text}\"\n\
         [[version]]\nnumber = 1\nlanded = 2026-02-05\nchange = \"{text}\"\n"
    );
    write("hostile.history.toml", history.as_bytes());
    write("broken.history.toml", format!("[[version]]\nnumber = \"{text}\"\n").as_bytes());
    for (part, ty) in [("old", "int"), ("new", "long long")] {
        let place = folder.join("lint").join(part);
        fs::create_dir_all(&place).unwrap();
        let header = format!("#define SIZE 1\nstruct Args {{ {ty} a; }};\n");
        fs::write(place.join(format!("{HOSTILE}.h")), header).unwrap();
    }
    let promises = format!(
        "baseline = \"../old\"\n[[boundary]]\nname = \"{text}\"\nkind = \"headers\"\npaths = [\"*.h\"]\n"
    );
    fs::write(folder.join("lint/new/unskew.toml"), promises).unwrap();
    let installed = folder.join("site-packages").join(format!("{HOSTILE}-1.0.dist-info"));
    fs::create_dir_all(&installed).unwrap();
    let metadata =
        format!("Metadata-Version: 2.1\nName: jax\nVersion: 0.6.2\nSummary: {HOSTILE}\n");
    fs::write(installed.join("METADATA"), metadata).unwrap();
    write("requirements.txt", format!("jax==0.6.2\n{HOSTILE}\n").as_bytes());
    fs::create_dir(folder.join("models")).unwrap();
    fs::write(folder.join("models").join(format!("{HOSTILE}.onnx")), onnx(HOSTILE)).unwrap();
    fs::write(folder.join("models").join(format!("{HOSTILE}.pt")), "no model").unwrap();
}

fn unskew(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.current_dir(folder).env("UNSKEW_FLEET", folder.join("fleet")).args(args);
    command.output().unwrap()
}

fn formats(verb: &[&str]) -> Vec<String> {
    let output = unskew(Path::new("."), &[verb, &["-h"]].concat());
    let help = String::from_utf8(output.stdout).unwrap();
    let listed = Regex::new(r"--format <[A-Z]+>[\s\S]*?\[possible values: ([^\]]+)\]").unwrap();
    let found = listed.captures(&help).unwrap_or_else(|| panic!("{verb:?} has no formats: {help}"));
    found[1].split(',').map(|one| one.trim().to_owned()).collect()
}

/// Says what is wrong with a text that was printed. Commands are meant only in the format for GitHub. What a runtime prints may
/// have lines, which are indented in the full format; those of a page mean nothing.
fn fault(text: &str, format: &str) -> Option<String> {
    let own = Regex::new(
        "^::(error|warning|notice) file=[^:,]*(,line=[0-9]+)?(,col=[0-9]+)?,title=[^:,]*::",
    )
    .unwrap();
    for line in text.split('\n') {
        if let Some(hidden) = line.chars().find(|letter| *letter != '\t' && is_hidden(*letter)) {
            return Some(format!("{hidden:?} in {line:?}"));
        }
        let begun = line.trim_start();
        if begun.starts_with("::") && !(format == "github" && own.is_match(line)) {
            return Some(format!("a command: {line:?}"));
        }
        let lines = match format {
            "full" => line.starts_with(&" ".repeat(12)),
            "html" | "svg" => true,
            _ => false,
        };
        let value = [r"\u{3a}:error file", r"\u{3a}:warning"];
        if !lines && value.iter().any(|value| begun.starts_with(value)) {
            return Some(format!("a line that a value begins: {line:?}"));
        }
        if line.contains("##[") {
            return Some(format!("a command of the older kind: {line:?}"));
        }
    }
    None
}

/// Runs a verb in a format, and holds both streams against it. What it prints.
fn hold(folder: &Path, args: &[&str], format: &str) -> String {
    let output = unskew(folder, args);
    let status = output.status.code();
    let out = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(status.is_some_and(|status| status <= 2), "{args:?}: {status:?} {errors}");
    if let Some(fault) = fault(&out, format) {
        panic!("{args:?}: standard output: {fault}");
    }
    if let Some(fault) = fault(&errors, "") {
        panic!("{args:?}: standard error: {fault}");
    }
    let whole = format!("{out}{errors}");
    assert!(status != Some(2) || whole.contains("error"), "{args:?}: {whole}");
    if matches!(format, "json" | "sarif") && !out.is_empty() {
        for value in serde_json::Deserializer::from_str(&out).into_iter::<Value>() {
            let value = value.unwrap_or_else(|error| panic!("{args:?}: {error}: {out}"));
            // What JSON escapes is the same text again.
            let whole = args[0] != "inspect" || format != "json" || args[1] == "long.onnx";
            assert!(whole || holds(&value), "{args:?}: {out}");
        }
    }
    whole
}

/// Whether a text in the value is the hostile name as it is.
fn holds(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(HOSTILE),
        Value::Array(all) => all.iter().any(holds),
        Value::Object(all) => all.values().any(holds),
        _ => false,
    }
}

#[test]
fn every_character_of_the_name_acts_instead_of_being_seen() {
    let hidden = HOSTILE.chars().filter(|letter| !(' '..='~').contains(letter));
    for letter in hidden {
        assert!(is_hidden(letter), "{letter:?}");
    }
    assert!(fault("a\u{9b}", "").is_some() && fault("  ::error::x", "").is_some());
    assert!(
        fault("a ##[debug]x", "github").is_some() && fault("::error file=a::x", "github").is_some()
    );
    assert!(fault("::error file=a,title=b::x\n\ta é\n", "github").is_none());
}

#[test]
fn reports_show_hostile_names_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let (model, broken) = (format!("{HOSTILE}.onnx"), format!("{HOSTILE}.safetensors"));
    let (garbage, result) = (format!("{HOSTILE}.pt"), format!("{HOSTILE}.out.onnx"));
    let [before, after] = ["before", "after"].map(|part| format!("{HOSTILE}.{part}.pbtxt"));
    let command = format!("./{COMMAND}");
    let with = ["--with", "onnxruntime@1.20", "torch@2.1"];
    let cases: Vec<(&[&str], Vec<&str>)> = vec![
        (&["inspect"], vec![&model, &broken, &garbage, "graph.pbtxt", "broken.mlir", COMMAND]),
        (&["check"], [&[&*model][..], &with].concat()),
        (&["check"], [&[COMMAND][..], &with].concat()),
        (&["check"], [&[&*command][..], &with].concat()),
        (&["check"], [&[&*broken][..], &with].concat()),
        (&["check"], [&[&*garbage][..], &with].concat()),
        (&["check"], vec!["graph.pbtxt", "--with", "tensorflow@2.15"]),
        (&["check"], vec!["broken.mlir", "--with", "jax@0.6.2"]),
        (&["check"], vec![&model, "--with", HOSTILE]),
        (&["matrix"], [&[&*model, &broken, &garbage, COMMAND, "graph.pbtxt"][..], &with].concat()),
        (&["convert"], vec![&model, "--to", "onnxruntime@1.20", "-o", &result]),
        (&["convert"], vec![&garbage, "--to", "torch@2.1", "-o", &result]),
        (&["diff"], vec![&before, &after]),
        (&["history"], vec!["hostile.history.toml", "--as-of", "2026-06-01"]),
        (&["history"], vec!["broken.history.toml"]),
        (&["lint"], vec!["--config", "lint/new/unskew.toml"]),
        (&["env"], vec!["site-packages"]),
        (&["env"], vec![HOSTILE]),
        (&["lock"], vec!["requirements.txt"]),
        (&["conform"], vec![&garbage]),
    ];
    let mut shown = std::collections::BTreeMap::new();
    let styles = Regex::new("\u{1b}\\[[0-49]?[0-9]?m").unwrap();
    for (verb, args) in cases {
        let mut seen = false;
        let formats = formats(verb);
        assert!(formats.len() >= 6, "{verb:?}: {formats:?}");
        for format in &formats {
            let asked = [verb, &args, &["--format", format]].concat();
            seen |= hold(folder.path(), &asked, format).contains(SEEN);
            let coloured = unskew(folder.path(), &[&asked[..], &["--color", "always"]].concat());
            let both = [coloured.stdout, coloured.stderr].concat();
            let both = String::from_utf8(both).unwrap();
            // Our own styles, and no other sequence.
            let plain = styles.replace_all(&both, "");
            assert!(!plain.contains('\u{1b}'), "{asked:?}: {plain:?}");
            assert!(!both.contains("\u{1b}[8m"), "{asked:?}: {both:?}");
        }
        *shown.entry(verb[0]).or_insert(false) |= seen;
    }
    assert!(shown.values().all(|seen| *seen), "no hostile name is shown: {shown:?}");
}

#[test]
fn a_name_of_any_length_ends_no_format_and_widens_no_other_line() {
    let folder = tempfile::tempdir().unwrap();
    let name = "x".repeat(70_000);
    fs::write(folder.path().join("long.onnx"), onnx(&name)).unwrap();
    fs::write(folder.path().join("short.onnx"), onnx("short")).unwrap();
    let verbs: [(&[&str], &[&str]); 4] = [
        (&["inspect"], &["long.onnx", "short.onnx"]),
        (&["check"], &["long.onnx", "--with", "onnxruntime@1.20"]),
        (&["matrix"], &["long.onnx", "short.onnx", "--with", "onnxruntime@1.20"]),
        (&["convert"], &["long.onnx", "--to", "onnxruntime@1.20", "--dry-run"]),
    ];
    for (verb, args) in verbs {
        for format in formats(verb) {
            let whole =
                hold(folder.path(), &[verb, args, &["--format", &format]].concat(), &format);
            let padded = whole.lines().filter(|line| line.contains(&" ".repeat(1_000)));
            assert_eq!(padded.count(), 0, "{verb:?} {format}");
        }
    }
}

#[test]
fn what_is_wrong_with_arguments_is_said_without_their_characters() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["check", "a", "--with", "b", "--format", HOSTILE][..],
        &[HOSTILE],
        &["releases", HOSTILE],
        &["releases", "torch@2.1", "--op", HOSTILE],
        &["ops", "closure", HOSTILE],
        &["ops", "table", HOSTILE],
        &["fleet", "decide", HOSTILE, HOSTILE],
        &["scan", HOSTILE, "--with", HOSTILE, "-o", HOSTILE],
        &["run", HOSTILE, HOSTILE],
    ] {
        let whole = hold(folder.path(), args, "");
        // Of the name of a release only its first word is said.
        assert!(whole.contains("Ev"), "{args:?}: {whole}");
    }
    // A text that no rule knows is not repeated.
    hold(folder.path(), &["explain", HOSTILE], "");
}

#[cfg(feature = "fleet")]
#[test]
fn a_fleet_shows_hostile_names_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let text = serde_json::to_string(HOSTILE).unwrap();
    let profile = format!("{{\"fleet_runtime\":1,\"name\":{text},\"release\":\"torch@2.1\"}}");
    fs::write(folder.path().join("runtime.json"), profile).unwrap();
    let model = format!("{HOSTILE}.onnx");
    let add: [&[&str]; 6] = [
        &["fleet", "runtime", "add", "runtime.json"],
        &["fleet", "runtime", "add", "torch@2.1", "--name", HOSTILE],
        &["fleet", "runtime", "add", "onnxruntime@1.20", "--name", "plain"],
        &["fleet", "model", "add", HOSTILE, &model],
        &["fleet", "model", "add", "net", &model],
        &["fleet", "token", "create", HOSTILE, "--role", "read"],
    ];
    for args in add {
        hold(folder.path(), args, "");
    }
    let cases: [&[&str]; 7] = [
        &["fleet", "model", "list"],
        &["fleet", "model", "show", "net"],
        &["fleet", "runtime", "list"],
        &["fleet", "token", "list"],
        &["fleet", "decide", "net", "plain"],
        &["fleet", "decide", "net", "--all"],
        &["fleet", "plan", "net"],
    ];
    let mut seen = 0;
    for args in cases {
        let words = if args.len() > 3 { 2 } else { 3 };
        let verb: Vec<&str> = match args[1] {
            "decide" | "plan" => args[..2].to_vec(),
            _ => args[..words.max(3)].to_vec(),
        };
        for format in formats(&verb) {
            let asked = [args, &["--format", &format]].concat();
            seen += usize::from(hold(folder.path(), &asked, &format).contains(SEEN));
        }
    }
    assert!(seen > 0, "no text of the fleet shows a hostile name");
}

#[cfg(feature = "query")]
#[test]
fn a_table_shows_hostile_names_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let scan = ["scan", "models", "--with", "onnxruntime@1.20", "-o", "table"];
    hold(folder.path(), &scan, "");
    for format in formats(&["scan", "query"]) {
        let asked = ["scan", "query", "select * from scan", "table", "--format", &format];
        assert!(hold(folder.path(), &asked, &format).contains(SEEN), "{format}");
    }
}
