//! Devices with a selection of operators: what a selection must have, and what is said of one that lacks
//! something.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Arc;

use unskew_core::{Party, Severity};
use unskew_source::{Archive, ConvertedArtifact};
use unskew_torch::{
    DeviceTable, PACKAGE_RECORD, ReleaseCalendar, TorchRuntime, add_to_package, closure,
    of_package, read,
};
use unskew_torch_schemas::OperatorHistory;

use crate::corpus::{files, history, party, runtime, source, verdict};

/// A device that was built from a release with these operators.
fn device(base: &TorchRuntime, only: impl Fn(&str) -> bool) -> (DeviceTable, Party) {
    let table = DeviceTable::of_release(base, "camera-7", only);
    let table = DeviceTable::read(&table.to_json()).unwrap();
    let runtime = table.runtime(base.operators.history(), &base.calendar).unwrap();
    (table, runtime.party())
}

fn errors(file: &Party, device: &Party) -> Vec<String> {
    let findings = verdict(file, device).findings;
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{} {}", finding.rule.code, finding.message)).collect()
}

fn archive(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in records {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_device_with_the_closure_of_a_model_takes_it_and_with_less_it_does_not() {
    let (files, _) = files();
    let base = runtime("2.1.2");
    let history = base.operators.history().clone();
    let (mut models, mut without) = (0, 0);
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("2.1.2/")) {
        if path.ends_with(".pt2") {
            continue;
        }
        let model = read(&source(path, bytes)).unwrap().unwrap();
        let needed = closure(&model, &history);
        let file = party(path.rsplit('/').next().unwrap(), bytes);
        let (_, whole) = device(&base, |name| needed.contains_key(name));
        assert_eq!(errors(&file, &whole), Vec::<String>::new(), "{path}");
        models += 1;
        for left_out in needed.keys().take(6) {
            let (_, less) = device(&base, |name| needed.contains_key(name) && name != left_out);
            let errors = errors(&file, &less);
            assert!(!errors.is_empty(), "{path} without {left_out}");
            without += 1;
        }
    }
    println!("{models} models, {without} selections that lack one operator");
    assert!(models >= 25 && without > 50);
}

#[test]
fn the_closure_of_the_code_covers_the_bytecode_that_pytorch_made_of_it() {
    let (files, _) = files();
    let history = Arc::new(history());
    let mut pairs = 0;
    let releases = ["1.7.1", "1.10.2", "1.13.1", "2.4.1", "2.15.0"];
    let is_one = |path: &str| releases.iter().any(|release| path.starts_with(release));
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".ptl") && is_one(path)) {
        let Some(code) = files.get(path.strip_suffix('l').unwrap()) else { continue };
        let names = |bytes: &[u8]| -> BTreeSet<String> {
            let model = read(&source(path, bytes)).unwrap().unwrap();
            closure(&model, &history).into_keys().collect()
        };
        let (own, mobile) = (names(code), names(bytes));
        let missed: Vec<&String> = mobile.difference(&own).collect();
        assert!(missed.is_empty(), "{path}: {missed:?}");
        pairs += 1;
    }
    println!("{pairs} pairs of code and bytecode");
    assert!(pairs > 50);
}

#[test]
fn what_upgraders_call_is_needed_too() {
    let (files, _) = files();
    let base = runtime("2.1.2");
    let history = base.operators.history().clone();
    let bytes = &files["1.4.0/div_int.pt"];
    let needed = closure(&read(&source("div.pt", bytes)).unwrap().unwrap(), &history);
    let upgraded: Vec<&str> =
        needed.iter().filter(|(_, by)| !by.is_empty()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        upgraded,
        [
            "aten::divide.Scalar_mode",
            "aten::divide.Tensor_mode",
            "aten::is_floating_point",
            "aten::true_divide.Scalar",
            "aten::true_divide.Tensor",
        ]
    );
    let (_, less) =
        device(&base, |name| needed.contains_key(name) && name != "aten::divide.Tensor_mode");
    let errors = errors(&party("div.pt", bytes), &less);
    assert_eq!(
        errors,
        [
            "OP107 div.pt: camera-7 upgrades aten::div.Tensor by an operator that it does not have: aten::divide.Tensor_mode"
        ]
    );
}

#[test]
fn a_call_that_needs_a_later_version_of_its_operator_is_told() {
    let base = runtime("2.1.2");
    let (mut table, _) = device(&base, |name| name == "aten::gelu");
    table.operators[0].version = 0;
    let old = table.runtime(base.operators.history(), &base.calendar).unwrap().party();
    let call = |call: &str| {
        let code = format!("def f(x: Tensor) -> Tensor:\n  return {call}\n");
        let bytes = archive(&[("m/version", b"10\n"), ("m/code/__torch__.py", code.as_bytes())]);
        errors(&party("m.pt", &bytes), &old)
    };
    assert_eq!(
        call("torch.gelu(x, approximate=\"tanh\")"),
        ["OP108 m.pt: aten::gelu needs operator version 10, in camera-7 it has: 0"]
    );
    assert!(call("torch.gelu(x)").is_empty());
}

#[test]
fn a_package_gets_a_table_and_keeps_every_other_record() {
    let code = b"def f(x: Tensor, y: Tensor) -> Tensor:\n  return torch.relu(torch.add(x, y))\n";
    let bytes = archive(&[
        ("p/.data/ts_code/code/__torch__.py", code),
        ("p/.data/python_version", b"3.11.7"),
        ("p/.data/0.storage", &[7; 1000]),
        ("p/.data/version", b"6\n"),
    ]);
    let base = runtime("2.1.2");
    let before = source("p.pt", &bytes);
    let model = read(&before).unwrap().unwrap();
    let table = of_package("p.pt", &model, &base, base.operators.history());
    let names: Vec<&str> =
        table.operators.iter().map(|one| one.schema.split('(').next().unwrap()).collect();
    assert_eq!(names, ["aten::add.Tensor", "aten::relu"]);
    // A second time it takes the place of the first.
    let folder = tempfile::tempdir().unwrap();
    let mut from = before.clone();
    for name in ["once.pt", "twice.pt"] {
        let place = folder.path().join(name);
        ConvertedArtifact::File(Arc::new(add_to_package(&from, &table).unwrap()))
            .write(&place)
            .unwrap();
        let after: Arc<dyn unskew_source::Source> =
            Arc::new(unskew_source::FileSource::open(&place).unwrap());
        let (old, new) =
            (Archive::open(before.clone()).unwrap(), Archive::open(after.clone()).unwrap());
        assert_eq!(new.entries().len(), old.entries().len() + 1);
        for entry in old.entries() {
            let same = new.read(new.entry(&entry.name).unwrap()).unwrap();
            assert_eq!(old.read(entry).unwrap(), same, "{}", entry.name);
        }
        let record = new.read(new.entry(&format!("p/{PACKAGE_RECORD}")).unwrap()).unwrap();
        assert_eq!(DeviceTable::read(&String::from_utf8(record).unwrap()).unwrap(), table);
        assert_eq!(read(&after).unwrap().unwrap().format, unskew_torch::TorchFormat::Package);
        from = after;
    }
}

#[test]
fn a_broken_table_is_refused_with_its_field() {
    let good = r#"{"operator_table":1,"name":"d","release":"2.1","file_format":[1,10],"operators":[{"schema":"aten::relu(Tensor self) -> Tensor"}]}"#;
    let base = runtime("2.1.2");
    let open = |text: &str| -> Result<TorchRuntime, String> {
        let table = DeviceTable::read(text).map_err(|error| error.to_string())?;
        let (history, calendar): (&Arc<OperatorHistory>, &Arc<ReleaseCalendar>) =
            (base.operators.history(), &base.calendar);
        table.runtime(history, calendar).map_err(|error| error.to_string())
    };
    assert_eq!(open(good).unwrap().release.version, "2.1.2".parse().unwrap());
    for (from, to, message) in [
        ("\"operator_table\":1", "\"operator_table\":2", "format 2; this Unskew reads 1"),
        ("\"2.1\"", "\"9.9\"", "no such PyTorch release: 9.9"),
        ("[1,10]", "[10,1]", "file_format: the first version is above the last: 10, 1"),
        ("aten::relu(", "aten::relu", "operators[0]: "),
        ("\"name\"", "\"nam\"", "unknown field `nam`"),
        ("]}", "", "EOF"),
    ] {
        let error = open(&good.replace(from, to)).unwrap_err();
        assert!(error.contains(message), "{to}: {error}");
    }
}
