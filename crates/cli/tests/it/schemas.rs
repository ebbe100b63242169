//! The JSON schemas of docs/reference/schemas, held against what the command prints. A key that a schema does not name is
//! a fault here, though readers have to ignore it: so that none is forgotten.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use unskew_peers::root;

fn schema(name: &str) -> Value {
    let path = root().join(format!("docs/reference/schemas/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Every fault of `value`, as far as the keywords go that the schemas use.
fn faults(value: &Value, schema: &Value, whole: &Value, at: &str, out: &mut Vec<String>) {
    let known = [
        "$schema",
        "$id",
        "$defs",
        "$ref",
        "title",
        "description",
        "type",
        "format",
        "minimum",
        "pattern",
        "const",
        "enum",
        "anyOf",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "oneOf",
        "minItems",
        "maxItems",
        "default",
    ];
    let schema = schema.as_object().unwrap();
    if let Some(odd) = schema.keys().find(|key| !known.contains(&key.as_str())) {
        out.push(format!("{at}: a keyword that the test does not know: {odd}"));
    }
    if let Some(name) = schema.get("$ref") {
        let name = name.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        return faults(value, &whole["$defs"][name], whole, at, out);
    }
    if let Some(all) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        let fits = |one: &Value| {
            let mut found = Vec::new();
            faults(value, one, whole, at, &mut found);
            found
        };
        let found: Vec<Vec<String>> = all.as_array().unwrap().iter().map(fits).collect();
        if !found.iter().any(Vec::is_empty) {
            out.push(format!("{at}: fits none: {found:?}"));
        }
        return;
    }
    if let Some(one) = schema.get("const").filter(|one| *one != value) {
        out.push(format!("{at}: {value} is not {one}"));
    }
    if let Some(all) = schema.get("enum").filter(|all| !all.as_array().unwrap().contains(value)) {
        out.push(format!("{at}: {value} is none of {all}"));
    }
    if let Some(types) = schema.get("type") {
        let is = |name: &Value| match name.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_u64() || value.is_i64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("{at}: type {other}"),
        };
        if !types.as_array().map_or_else(|| is(types), |types| types.iter().any(is)) {
            return out.push(format!("{at}: {value} is no {types}"));
        }
    }
    if let (Some("date"), Some(day)) =
        (schema.get("format").and_then(Value::as_str), value.as_str())
    {
        let form: String = day.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        if form != "9999-99-99" {
            out.push(format!("{at}: {day} is no day"));
        }
    }
    if let (Some(items), Some(all)) = (schema.get("items"), value.as_array()) {
        for (index, one) in all.iter().enumerate() {
            faults(one, items, whole, &format!("{at}[{index}]"), out);
        }
    }
    if let (Some(properties), Some(object)) = (schema.get("properties"), value.as_object()) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap()) {
                out.push(format!("{at}: lacks {name}"));
            }
        }
        for (name, value) in object {
            match properties.get(name) {
                Some(property) => faults(value, property, whole, &format!("{at}.{name}"), out),
                None => out.push(format!("{at}: the schema does not name {name}")),
            }
        }
    } else if let (Some(each), Some(object)) =
        (schema.get("additionalProperties"), value.as_object())
    {
        for (name, value) in object {
            faults(value, each, whole, &format!("{at}.{name}"), out);
        }
    }
}

fn assert_fits(text: &str, name: &str, what: &str) {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (schema, mut out) = (schema(name), Vec::new());
    faults(&value, &schema, &schema, "$", &mut out);
    assert!(out.is_empty(), "{what}, {name}.schema.json: {out:#?}");
}

/// The golden files that print JSON: what stands behind `---`, with the schema that it has to fit.
fn goldens(folder: &Path, found: &mut Vec<(PathBuf, String, &'static str)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            goldens(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let Some((head, rest)) = text.split_once("\n---\n") else { continue };
        let command = head.lines().next().unwrap_or_default();
        if !command.contains("--format json") || !rest.starts_with('{') {
            continue;
        }
        let printed = rest.split("\n--- ").next().unwrap_or(rest).to_owned();
        let name = match command {
            _ if printed.contains("\"schema\": \"unskew.report\"") => "report",
            _ if command.contains("unskew history") => "history",
            _ if command.contains("unskew run") => "run",
            _ => continue,
        };
        found.push((path, printed, name));
    }
}

#[test]
fn every_golden_file_with_json_fits_its_schema() {
    let mut found = Vec::new();
    goldens(&root().join("crates/cli/tests/cli"), &mut found);
    assert!(found.iter().any(|(.., name)| *name == "history"));
    assert!(found.iter().filter(|(.., name)| *name == "report").count() >= 4, "{}", found.len());
    for (path, text, name) in found {
        assert_fits(&text, name, &path.display().to_string());
    }
}

#[test]
fn what_the_verbs_print_fits_the_schema_of_reports() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("old.pt");
    let out = out.to_str().unwrap();
    let commands: [&[&str]; 8] = [
        &["inspect", "examples"],
        &["check", "examples/gelu-2.15.0.pt", "--with", "torch@1.10", "torch@2.15"],
        &["check", "examples/add-cast.pb", "--with", "tensorflow"],
        &["matrix", "examples", "--with", "torch", "tensorflow@2.4", "jax@0.6.2", "onnxruntime"],
        &["convert", "examples/gelu-2.15.0.pt", "--to", "torch@1.4", "-o", out],
        &["diff", "torch@1.10", "torch@2.1"],
        &["diff", "examples/lint/before", "examples/lint/after"],
        &["check", "/nothing/here.pt", "examples/add-cast.pb", "--with", "torch@2.1"],
    ];
    for arguments in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(root()).args(arguments).args(["--format", "json"]);
        let printed = command.output().unwrap();
        if printed.stdout.is_empty() {
            assert_eq!(printed.status.code(), Some(2), "{arguments:?}: {printed:?}");
            continue;
        }
        assert_fits(&String::from_utf8(printed.stdout).unwrap(), "report", &arguments.join(" "));
    }
}

#[test]
fn a_key_that_is_missing_or_unknown_is_a_fault() {
    let schema = schema("report");
    let of = |text: &str| {
        let mut out = Vec::new();
        faults(
            &serde_json::from_str(text).unwrap(),
            &schema["$defs"]["side"],
            &schema,
            "$",
            &mut out,
        );
        out
    };
    assert!(of(r#"{"name": "a", "role": "host", "origin": ""}"#).is_empty());
    assert_eq!(of(r#"{"name": "a", "role": "host"}"#).len(), 1);
    assert_eq!(of(r#"{"name": "a", "role": "host", "origin": "", "mend": 1}"#).len(), 1);
    assert_eq!(of(r#"{"name": 1, "role": "host", "origin": ""}"#).len(), 1);
}

/// The schemas of a fleet's documents are made of the types that print them: `UNSKEW_BLESS=1` writes the files.
#[cfg(feature = "fleet")]
#[test]
fn the_schemas_of_fleets_are_those_of_the_types() {
    let bless = std::env::var_os("UNSKEW_BLESS").is_some();
    for (name, made) in unskew_fleet::documents::schemas() {
        let path = root().join(format!("docs/reference/schemas/{name}.schema.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&made).unwrap());
        if bless {
            fs::write(&path, &text).unwrap();
        }
        let read = fs::read_to_string(&path).unwrap_or_default();
        assert!(read == text, "{}: UNSKEW_BLESS=1 writes it", path.display());
    }
}

#[cfg(feature = "fleet")]
#[test]
fn what_fleet_prints_fits_its_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let unskew = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(root()).arg("fleet").args(arguments);
        let printed = command.env("UNSKEW_FLEET", folder.path().join("fleet")).output().unwrap();
        assert!(printed.status.code().is_some_and(|code| code < 2), "{arguments:?}: {printed:?}");
        String::from_utf8(printed.stdout).unwrap()
    };
    unskew(&["runtime", "add", "torch@2.15", "--devices", "900"]);
    unskew(&["runtime", "add", "torch@1.10", "--name", "phones"]);
    unskew(&["runtime", "add", "examples/operators/camera-7.json"]);
    unskew(&["model", "add", "gelu", "examples/gelu-2.15.0.pt"]);
    unskew(&["model", "add", "graph", "examples/add-cast.pb"]);
    unskew(&["token", "create", "ci", "--role", "read", "--days", "3"]);
    let commands: [(&[&str], &str); 9] = [
        (&["runtime", "list"], "fleet-runtimes"),
        (&["model", "list"], "fleet-models"),
        (&["model", "show", "gelu"], "fleet-model"),
        (&["decide", "gelu", "--runtime", "phones"], "fleet-decision"),
        (&["decide", "gelu", "--all"], "fleet-decisions"),
        (&["decide", "graph", "--all"], "fleet-decisions"),
        (&["plan", "gelu"], "fleet-plan"),
        (&["plan", "gelu", "--what-if", "drop=phones"], "fleet-what-if"),
        (&["token", "list"], "fleet-tokens"),
    ];
    for (arguments, name) in commands {
        let printed = unskew(&[arguments, &["--format", "json"]].concat());
        assert_fits(&printed, name, &arguments.join(" "));
    }
}
