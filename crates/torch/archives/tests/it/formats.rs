//! Formats and verdicts of which the corpus has no file, on archives that are made here.

use std::io::Write;

use crate::corpus::{party, runtimes, source, verdict};
use unskew_core::{Party, PromiseState, Severity, Verdict};
use unskew_tables::toml_as_json;
use unskew_torch::{TorchFormat, read};

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn script(version: &[u8], code: &str) -> Vec<u8> {
    archive(&[
        ("m/data.pkl", b"\x80\x02N."),
        ("m/code/__torch__.py", code.as_bytes()),
        ("m/version", version),
    ])
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

fn on(file: &Party, release: &str) -> Verdict {
    verdict(file, &runtimes()[release])
}

#[test]
fn files_without_operators_say_so_and_work() {
    let magic =
        b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}.";
    let header = b"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    let safetensors = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat();
    let checkpoint = archive(&[
        ("m/data.pkl", b"\x80\x02}."),
        ("m/byteorder", b"little"),
        ("m/data/0", &[0; 8]),
        ("m/version", b"3\n"),
    ]);
    for (bytes, format) in [
        (checkpoint, TorchFormat::Checkpoint),
        (magic.to_vec(), TorchFormat::LegacyCheckpoint),
        (b"\x80\x04\x95\x02\0\0\0\0\0\0\0K\x01.".to_vec(), TorchFormat::Pickle),
        (safetensors, TorchFormat::Safetensors),
    ] {
        assert_eq!(read(&source("w", &bytes)).unwrap().unwrap().format, format);
        let verdict = on(&party("w", &bytes), "2.15.0");
        assert!(verdict.works(), "{format:?}");
        // Of a safetensors file the types are judged.
        let expected: &[&str] = if format == TorchFormat::Safetensors { &[] } else { &["PT005"] };
        assert_eq!(codes(&verdict), expected, "{format:?}");
        assert!(verdict.severity() <= Some(Severity::Note));
        assert!(verdict.unjudged.iter().any(|one| one.aspect == "contents"), "{format:?}");
    }
}

#[test]
fn a_pickle_is_described_and_its_imports_are_shown() {
    let party = party("w.pkl", b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.");
    let imports = party.facts.iter().find(|fact| fact.label == "pickle imports").unwrap();
    assert_eq!(imports.value, "os.system");
}

#[test]
fn a_package_has_its_version_and_its_python() {
    let bytes = archive(&[
        (
            "p/.data/ts_code/code/__torch__.py",
            b"def f(x: Tensor) -> Tensor:\n  return torch.gelu(x)\n",
        ),
        ("p/.data/extern_modules", b"torch\nnumpy\n"),
        ("p/.data/python_version", b"3.11.7"),
        ("p/.data/version", b"6\n"),
    ]);
    let party = party("p.pt", &bytes);
    assert_eq!(party.kind, "torch.package archive");
    assert!(party.facts.iter().any(|fact| fact.value == "torch, numpy"));
    assert!(on(&party, "2.15.0").works());
    assert_eq!(codes(&on(&party, "1.8.1")), ["PT002"]);
}

#[test]
fn a_file_named_for_mobile_without_bytecode_is_told_apart() {
    let bytes = script(b"3\n", "def f(x):\n  return torch.neg(x)\n");
    assert_eq!(codes(&on(&party("m.ptl", &bytes), "2.15.0")), ["PT102"]);
    assert!(on(&party("m.pt", &bytes), "2.15.0").works());
}

#[test]
fn versions_outside_of_the_range_are_refused_on_both_sides() {
    let code = "def f(x):\n  return torch.neg(x)\n";
    for (version, code_of) in [("0", "PT001"), ("-1", "PT001"), ("11", "PT002"), ("99", "PT002")] {
        let bytes = script(version.as_bytes(), code);
        assert_eq!(codes(&on(&party("m.pt", &bytes), "2.15.0")), [code_of], "{version}");
    }
}

#[test]
fn what_a_table_lacks_is_missing_and_what_no_table_knows_is_a_libraries() {
    let code = "def f(x, n: int):\n  a = torch.divv(x, x)\n  b = ops.torchvision.nms(x, x, 0.5)\n  c = torch.gelu(x, wrong=1)\n  return torch._pair(n)\n";
    let verdict = on(&party("m.pt", &script(b"3\n", code)), "2.15.0");
    assert_eq!(codes(&verdict), ["OP001", "OP003", "OP004"]);
    assert_eq!(verdict.findings[0].places.named(), ["code/__torch__.py:2"]);
    assert!(
        verdict.findings[1].message.contains("no argument wrong"),
        "{}",
        verdict.findings[1].message
    );
    assert!(verdict.findings[2].fix.as_ref().unwrap().contains("torchvision"));
}

#[test]
fn a_class_that_was_removed_is_missing_from_that_release_on() {
    let code = "class M(Module):\n  p : __torch__.torch.classes.xnnpack.LinearOpContext\n  def f(self):\n    return torch.neg(self.x)\n";
    let file = party("m.pt", &script(b"3\n", code));
    assert_eq!(codes(&on(&file, "2.13.0")), ["PT301"]);
    assert!(on(&file, "2.12.1").works());
}

#[test]
fn packed_parameters_kept_as_tensors_are_refused() {
    let code = "op_version_set = 1\nclass M(Module):\n  p : Tensor\n  def f(self: __torch__.M, x: Tensor) -> Tensor:\n    return ops.quantized.conv2d_relu(x, self.p, [1, 1], [0, 0], [1, 1], 1, 1., 0)\n";
    let file = party("m.pt", &script(b"1\n", code));
    assert_eq!(codes(&on(&file, "2.15.0")), ["PT302"]);
    assert!(on(&file, "1.4.0").works());
    let legacy = "def f(w):\n  return ops.quantized.linear_prepack_legacy(w, None)\n";
    let file = party("m.pt", &script(b"3\n", legacy));
    assert_eq!(codes(&on(&file, "2.15.0")), ["OP005"]);
    assert!(on(&file, "1.7.1").works());
}

#[test]
fn an_export_archive_needs_a_release_with_its_container_and_its_major() {
    let graph = |version: &str, torch: &str| {
        format!(
            "{{\"graph_module\":{{\"graph\":{{\"nodes\":[{{\"target\":\"torch.ops.aten.add.Tensor\",\"inputs\":[{{\"name\":\"self\",\"arg\":{{\"as_graph\":{{\"graph\":{{\"nodes\":[{{\"target\":\"torch.ops.aten.divv.default\",\"inputs\":[]}}]}}}}}}}},{{\"name\":\"other\"}}]}}]}}}},\"schema_version\":{version},\"opset_version\":{{\"aten\":10}},\"torch_version\":\"{torch}\"}}"
        )
    };
    let new = graph("{\"major\":8,\"minor\":20}", "2.15.0+cu132");
    let bytes = archive(&[
        ("m/models/model.json", new.as_bytes()),
        ("m/archive_format", b"pt2"),
        ("m/archive_version", b"0"),
        ("m/.data/version", b"6\n"),
    ]);
    let file = party("m.pt2", &bytes);
    assert_eq!(file.origin, "written by torch 2.15.0+cu132 (models/model.json, torch_version)");
    // The operator of the graph within the graph is seen too.
    assert_eq!(codes(&on(&file, "2.15.0")), ["OP001"]);
    assert_eq!(codes(&on(&file, "2.7.1")), ["OP001", "PT205"]);
    assert!(codes(&on(&file, "2.5.1")).contains(&"PT204"));
    assert!(codes(&on(&file, "2.0.1")).contains(&"PT201"));
    let promise = &on(&file, "2.5.1").promises[0];
    assert_eq!(
        (promise.policy.as_str(), promise.state),
        ("torch.export", PromiseState::NotPromised)
    );
}

#[test]
fn bytecode_that_does_not_say_how_much_it_pushes_is_measured_by_its_writers() {
    let text =
        |text: &str| [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    // (4, ("f", (("operators", (("aten::einsum", ""),)),)))
    let bytecode = [
        &b"\x80\x02(K\x04("[..],
        &text("f"),
        b"((",
        &text("operators"),
        b"((",
        &text("aten::einsum"),
        &text(""),
        b"tttttt.",
    ]
    .concat();
    let bytes = archive(&[
        ("m/code/__torch__.py", b"def f(x):\n  return x\n"),
        ("m/bytecode.pkl", &bytecode),
        ("m/version", b"3\n"),
    ]);
    let file = party("m.ptl", &bytes);
    // einsum took two values in 1.7 and 1.8, and takes three today.
    assert_eq!(codes(&on(&file, "2.15.0")), ["OP106"]);
    assert!(codes(&on(&file, "1.8.1")).is_empty());
}

#[test]
fn a_compiled_package_is_not_said_to_work() {
    let bytes = archive(&[
        ("m/archive_format", b"pt2"),
        ("m/archive_version", b"0"),
        ("m/data/aotinductor/model/x.so", b"\x7fELF"),
    ]);
    let verdict = on(&party("m.pt2", &bytes), "2.15.0");
    assert_eq!(codes(&verdict), ["PT206"]);
    assert_eq!(verdict.severity(), Some(Severity::Warning));
}

#[test]
fn a_compiled_package_is_found_by_releases_that_know_its_layout() {
    // Up to 2.7 the records lie at the top of the file.
    for (prefix, since) in [("", "2.6.0"), ("m/", "2.8.0")] {
        let record = |name: &str| format!("{prefix}{name}");
        let (format, library) = (record("archive_format"), record("data/aotinductor/model/x.so"));
        let bytes = archive(&[(&format, b"pt2"), (&library, b"\x7fELF")]);
        let file = party("m.pt2", &bytes);
        for release in ["2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.15.0"] {
            let verdict = on(&file, release);
            let parsed = |text: &str| text.parse::<unskew_core::Version>().unwrap();
            let refused = parsed(release) < parsed(since);
            let expected: &[&str] = if refused { &["PT205", "PT206"] } else { &["PT206"] };
            assert_eq!(codes(&verdict), expected, "{prefix:?} {release}");
            assert!(verdict.promises.is_empty() && !verdict.unjudged.is_empty());
        }
        let newer = file.origin.contains("2.8 or later");
        assert_eq!(newer, !prefix.is_empty(), "{}", file.origin);
    }
}

#[test]
fn the_schemas_of_torch_export_are_the_same_in_both_places() {
    let history: serde_json::Value =
        serde_json::from_str(toml_as_json!("data/history.toml")).unwrap();
    let calendar: unskew_torch::ReleaseCalendar =
        serde_json::from_str(toml_as_json!("../../judging/releases/data/torch/releases.toml"))
            .unwrap();
    let rows = history["exported"].as_array().unwrap();
    for row in rows {
        let minor: unskew_core::Version = row["releases"][0].as_str().unwrap().parse().unwrap();
        let release = calendar.first(|release| release.version.starts_with(&minor)).unwrap();
        assert_eq!(release.exported.unwrap().to_string(), row["schema"].as_str().unwrap());
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn promises_follow_the_window_of_the_rfc() {
    let old = "op_version_set = 1\ndef f(x):\n  return torch.neg(x)\n";
    // Version 1 without dates: 1.4, of 2020-01-15; its successor 1.5.1 opens the window.
    let bytes = script(b"1\n", old);
    let file = party("m.pt", &bytes);
    assert!(file.origin.contains("torch 1."), "{}", file.origin);
    let recent = script(b"3\n", "def f(x):\n  return torch.neg(x)\n");
    let recent = party("m.pt", &recent);
    let state = |file: &Party, release: &str| on(file, release).promises[0].state;
    assert_eq!(state(&file, "2.15.0"), PromiseState::Expired);
    // Written by 1.6 to 2.0: for 2.15 it is over whoever wrote it, for 1.8 it depends.
    assert_eq!(state(&recent, "2.15.0"), PromiseState::Expired);
    assert_eq!(state(&recent, "1.8.1"), PromiseState::Unknown);
    assert_eq!(state(&recent, "1.4.0"), PromiseState::NotPromised);
    let promise = on(&file, "2.15.0").promises[0].clone();
    assert_eq!(promise.window.as_deref(), Some("180 days or 1 release"));
    assert!(promise.until.is_some() && promise.from.is_some());
}

/// A flatbuffer, written front to back: each table behind its vtable, offsets mended afterwards.
fn executorch(operators: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0];
    bytes.extend(b"ET12");
    bytes.extend(b"eh00");
    bytes.extend([0; 4]);
    fn table(bytes: &mut Vec<u8>, fields: usize) -> usize {
        let vtable = bytes.len();
        bytes.extend(((4 + 2 * fields) as u16).to_le_bytes());
        bytes.extend(((4 + 4 * fields) as u16).to_le_bytes());
        for field in 0..fields {
            bytes.extend(((4 + 4 * field) as u16).to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let at = bytes.len();
        bytes.extend(((at - vtable) as i32).to_le_bytes());
        bytes.resize(at + 4 + 4 * fields, 0);
        at
    }
    fn point(bytes: &mut [u8], from: usize, to: usize) {
        bytes[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
    }
    fn vector(bytes: &mut Vec<u8>, len: usize) -> usize {
        let at = bytes.len();
        bytes.extend((len as u32).to_le_bytes());
        bytes.resize(at + 4 + 4 * len, 0);
        at
    }
    fn text(bytes: &mut Vec<u8>, text: &str) -> usize {
        let at = bytes.len();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
        at
    }
    let root = table(&mut bytes, 2);
    point(&mut bytes, 0, root);
    let plans = vector(&mut bytes, 1);
    point(&mut bytes, root + 8, plans);
    let plan = table(&mut bytes, 8);
    point(&mut bytes, plans + 4, plan);
    for field in 0..8 {
        let at = plan + 4 + 4 * field;
        let target = match field {
            0 => text(&mut bytes, "forward"),
            6 => vector(&mut bytes, operators.len()),
            _ => vector(&mut bytes, 0),
        };
        point(&mut bytes, at, target);
        if field == 6 {
            for (i, (name, overload)) in operators.iter().enumerate() {
                let operator = table(&mut bytes, 2);
                point(&mut bytes, target + 4 + 4 * i, operator);
                let name = text(&mut bytes, name);
                point(&mut bytes, operator + 4, name);
                let overload = text(&mut bytes, overload);
                point(&mut bytes, operator + 8, overload);
            }
        }
    }
    bytes
}

#[test]
fn an_executorch_program_shows_its_version_and_its_operators() {
    let bytes = executorch(&[("aten::add", "out"), ("aten::relu", "out")]);
    let model = read(&source("m.pte", &bytes)).unwrap().unwrap();
    assert_eq!(model.format, TorchFormat::ExecuTorch);
    let names: Vec<String> = model.uses.keys().map(unskew_torch::OperatorUse::full_name).collect();
    assert_eq!(names, ["aten::add.out", "aten::relu.out"]);
    assert!(model.facts.contains(&("extended header", "eh00".to_owned())));
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let _ = read(&source("m.pte", &changed));
        }
        let _ = read(&source("m.pte", &bytes[..at]));
    }
}
