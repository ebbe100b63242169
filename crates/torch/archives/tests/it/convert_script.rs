//! TorchScript archives that real releases wrote, converted for other releases.

use std::sync::Arc;

use crate::corpus::{
    accepted, converted, files, models, party, record, runtime, source, split, verdict,
};
use unskew_core::Conversion;
use unskew_source::{Archive, BytesSource, ConvertedArtifact, SourceExt};
use unskew_torch::{TorchConvertOptions, TorchRuntime, convert};

fn scripts() -> Vec<(String, Vec<u8>)> {
    files().0.into_iter().filter(|(name, _)| name.ends_with(".pt")).collect()
}

#[test]
fn archives_of_1_1_and_1_2_get_the_layout_that_2_15_reads() {
    let newest = runtime("2.15.0");
    let old = scripts().into_iter().filter(|(name, _)| split(name).0 < "1.3".parse().unwrap());
    let mut count = 0;
    for (name, bytes) in old {
        let (plan, result) = converted(&name, &bytes, &newest);
        assert!(plan.is_possible() && !plan.changes_nothing(), "{name}: {:?}", plan.blockers);
        accepted(&name, &result, &newest);
        assert!(record(&result, "model.json").is_none());
        assert!(record(&result, "code/__torch__.py").unwrap().starts_with("class "));
        count += 1;
    }
    assert_eq!(count, 31);
}

/// An archive as 1.2 writes it, with everything that a module may have. PyTorch 1.4.0, which still reads such
/// archives, gives 33 and 49 for ones; so does 2.15.0 for what it becomes.
fn with_weights() -> Vec<u8> {
    let floats = |all: &[f32]| all.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>();
    let tensor = |dims: &str, strides: &str, n: u8| {
        format!(
            r#"{{"dims": [{dims}], "offset": "0", "strides": [{strides}], "requiresGrad": {}, "dataType": "FLOAT", "data": {{"key": "tensors/{n}"}}, "device": "cpu"}}"#,
            n == 0
        )
    };
    let tensors = [
        tensor(r#""2", "3""#, r#""3", "1""#, 0),
        tensor(r#""2""#, r#""1""#, 1),
        tensor(r#""1""#, r#""1""#, 2),
    ];
    let fc = r#"{"torchscriptArena": {"key": "code/net_fc.py"}, "name": "fc", "parameters": [{"isBuffer": false, "tensorId": "0", "name": "weight"}, {"isBuffer": true, "tensorId": "1", "name": "bias"}]}"#;
    let main = format!(
        r#"{{"protoVersion": "5", "mainModule": {{"torchscriptArena": {{"key": "code/net.py"}}, "name": "net", "attributes": [{{"name": "scale", "type": "int", "id": "0"}}], "submodules": [{fc}]}}, "tensors": [{}]}}"#,
        tensors.join(", ")
    );
    let net = "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n  _0 = torch.add((self.fc).forward(x, ), CONSTANTS.c2, alpha=1)\n  return torch.mul(_0, self.scale)\n";
    let inner = "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n  return torch.add(torch.matmul(x, torch.t(self.weight)), self.bias, alpha=1)\n";
    let mut archive = unskew_source::ArchiveOutput::new("net.pt");
    for (name, bytes) in [
        ("net/version", b"1\n".to_vec()),
        ("net/code/net.py", net.into()),
        ("net/code/net_fc.py", inner.into()),
        ("net/attributes.pkl", b"\x80\x02K\x02\x85.".to_vec()),
        ("net/tensors/0", floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        ("net/tensors/1", floats(&[0.5, -0.5])),
        ("net/tensors/2", floats(&[10.0])),
        ("net/model.json", main.into_bytes()),
    ] {
        archive.add(name, bytes, false).unwrap();
    }
    archive.finish().unwrap().all().unwrap()
}

#[test]
fn modules_of_1_2_keep_their_parameters_buffers_attributes_and_constants() {
    let newest = runtime("2.15.0");
    let (plan, result) = converted("net.pt", &with_weights(), &newest);
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    accepted("net.pt", &result, &newest);
    let code = record(&result, "code/__torch__.py").unwrap();
    let inner = "class net_fc(Module):\n  __parameters__ = [\"weight\", ]\n  __buffers__ = [\"bias\", ]\n  weight : Tensor\n  bias : Tensor\n";
    assert!(code.contains(inner), "{code}");
    assert!(code.contains("  scale : int\n  fc : __torch__.net_fc\n"), "{code}");
    let archive = Archive::open(Arc::new(BytesSource::new("a", result))).unwrap();
    for (name, size) in [("net/data/0", 24), ("net/data/1", 8), ("net/constants/2", 4)] {
        assert_eq!(archive.entry(name).unwrap().size, size, "{name}");
    }
}

#[test]
fn a_file_that_the_release_loads_and_runs_alike_is_returned_as_it_is() {
    let newest = runtime("2.15.0");
    let mut unchanged = 0;
    for (name, bytes) in scripts() {
        let (release, _, stem, _) = split(&name);
        if release >= "1.4".parse().unwrap() && stem != "qdiv" {
            let (plan, result) = converted(&name, &bytes, &newest);
            assert!(plan.changes_nothing() && plan.is_possible(), "{name}: {plan:?}");
            assert_eq!(result, bytes, "{name}");
            unchanged += 1;
        }
    }
    assert!(unchanged > 150, "{unchanged}");
}

#[test]
fn what_was_rounded_towards_zero_and_what_was_a_range_of_floats_stays_so() {
    let (files, _) = files();
    let newest = runtime("2.15.0");
    for (name, function) in [
        ("1.6.0/qdiv.pt", "floor_divide_before_1_13"),
        ("1.10.2/qdiv.pt", "floor_divide_before_1_13"),
        ("1.3.1/arange.pt", "arange_before_1_4"),
        ("1.1.0/arange.pt", "arange_before_1_4"),
    ] {
        let (plan, result) = converted(name, &files[name], &newest);
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        let functions = record(&result, "code/__torch__/unskew.py").unwrap();
        assert!(functions.contains(&format!("def {function}(")), "{name}: {functions}");
        let code = record(&result, "code/__torch__.py").unwrap();
        assert!(code.contains(&format!("__torch__.unskew.{function}(")), "{name}: {code}");
        // The result means what it says, whoever is asked next.
        let (again, _) = converted(name, &result, &newest);
        assert!(again.changes_nothing(), "{name}: {again:?}");
    }
}

#[test]
fn gelu_of_2_15_becomes_an_archive_of_the_layout_of_1_4() {
    let (files, _) = files();
    let oldest = runtime("1.4.0");
    let (plan, result) = converted("Gelu.pt", &files["2.15.0/Gelu.pt"], &oldest);
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    accepted("Gelu.pt", &result, &oldest);
    assert_eq!(record(&result, "version").unwrap(), "2\n");
    for gone in [".data/version", ".data/serialization_id", "byteorder"] {
        assert!(record(&result, gone).is_none(), "{gone}");
    }
    let code = record(&result, "code/__torch__.py").unwrap();
    assert!(!code.contains("__buffers__") && code.contains("torch.gelu(x)"), "{code}");
}

#[test]
fn interpolate_of_2_12_and_later_loses_the_branch_that_2_5_cannot_load() {
    let (files, _) = files();
    let target = runtime("2.5.1");
    for name in ["2.12.1/Net.pt", "2.15.0/Net.pt"] {
        let (plan, result) = converted(name, &files[name], &target);
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        assert!(plan.rewrites.iter().all(|one| one.adaptation == "prune-dead-branch"), "{plan:?}");
        accepted(name, &result, &target);
    }
}

#[test]
fn a_call_without_an_exact_form_is_a_blocker_with_its_place() {
    let (files, _) = files();
    let name = "1.12.1/qdiv.pt";
    let (plan, result) = converted(name, &files[name], &runtime("1.4.0"));
    let blocker = &plan.blockers[0];
    assert_eq!(blocker.rule.code, "PT402");
    assert!(blocker.places.named()[0].starts_with("code/__torch__.py:"), "{blocker:?}");
    assert_eq!(result, files[name]);
}

/// PyTorch 1.7.1 says of each piece of a sound what 2.5.1 says of the file as it is, to 3e-8: shown by hand.
#[test]
fn real_voice_models_go_back_to_1_7_and_no_further() {
    for (name, bytes) in models().into_iter().filter(|(name, _)| name.ends_with(".jit")) {
        let to = runtime("1.7.1");
        let (plan, result) = converted(&name, &bytes, &to);
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        accepted(&name, &result, &to);
        let code = record(&result, "code/__torch__/unskew.py").unwrap();
        assert!(code.contains("def slice_Tensor_to_1_7("), "{name}: {code}");
        let (plan, _) = converted(&name, &bytes, &runtime("1.6.0"));
        let mut why = plan.blockers.iter().map(|one| &one.message);
        assert!(
            why.any(|why| why.contains("aten::set_grad_enabled")),
            "{name}: {:?}",
            plan.blockers
        );
    }
}

#[test]
fn defaults_that_1_4_does_not_take_are_left_out_by_place_too() {
    let (files, _) = files();
    let oldest = runtime("1.4.0");
    for name in ["1.6.0/upsample.pt", "1.7.1/upsample.pt"] {
        let (plan, result) = converted(name, &files[name], &oldest);
        assert!(plan.is_possible(), "{name}: {:?}", plan.blockers);
        let code = record(&result, "code/__torch__.py").unwrap();
        assert!(code.contains("torch.upsample_bilinear2d(x, [4, 4], False)"), "{name}: {code}");
        accepted(name, &result, &oldest);
    }
}

#[test]
fn what_the_release_lacks_is_a_blocker_even_if_its_meaning_is_not_known() {
    let (files, _) = files();
    let (plan, _) = converted("qdiv.pt", &files["1.12.1/qdiv.pt"], &runtime("1.4.0"));
    assert!(plan.blockers[0].message.contains("aten::floor_divide"), "{:?}", plan.blockers);
}

fn stated(name: &str, bytes: &[u8], to: &TorchRuntime, writer: &str) -> (Conversion, Vec<u8>) {
    let options = TorchConvertOptions {
        written_by: Some(writer.parse().unwrap()),
        ..TorchConvertOptions::default()
    };
    let (plan, output) = convert(&source(name, bytes), to, &options).unwrap().unwrap();
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    (plan, file.all().unwrap())
}

#[test]
fn who_wrote_a_file_can_be_stated_where_it_does_not_show() {
    let (files, _) = files();
    let (name, newest) = ("1.12.1/qdiv.pt", runtime("2.15.0"));
    let (plan, result) = converted(name, &files[name], &newest);
    assert!(plan.changes_nothing() && plan.is_possible(), "{plan:?}");
    let kept = verdict(&party(name, &result), &newest.party());
    let kept = kept.findings.iter().find(|one| one.rule.code == "OP102").unwrap();
    assert!(kept.fix.as_deref().unwrap().contains("--written-by"), "{kept:?}");

    let (plan, result) = stated(name, &files[name], &newest, "1.12.1");
    assert!(plan.is_possible() && !plan.changes_nothing(), "{plan:?}");
    let functions = record(&result, "code/__torch__/unskew.py").unwrap();
    assert!(functions.contains("def floor_divide_before_1_13("), "{functions}");
    let found = verdict(&party(name, &result), &newest.party());
    assert!(found.findings.iter().all(|one| one.rule.code != "OP102"), "{found:?}");

    // Written after the change, the call means what it says.
    let (plan, result) = stated(name, &files[name], &newest, "1.13.1");
    assert!(plan.is_possible() && plan.changes_nothing(), "{plan:?}");
    assert_eq!(result, files[name]);
}

#[test]
fn a_stated_writer_that_the_file_contradicts_is_refused_with_both() {
    let (files, _) = files();
    for (name, writer) in [("1.6.0/qdiv.pt", "2.0.1"), ("2.15.0/Gelu.pt", "1.4.0")] {
        let (plan, result) = stated(name, &files[name], &runtime("2.15.0"), writer);
        let blocker = &plan.blockers[0];
        assert_eq!(blocker.rule.code, "PT404", "{blocker:?}");
        assert!(blocker.message.ends_with(&format!("torch {writer}")), "{blocker:?}");
        assert!(!blocker.places.is_empty(), "{blocker:?}");
        assert_eq!(result, files[name]);
    }
}

#[test]
fn checksums_are_verified_if_asked_for() {
    let (files, _) = files();
    let newest = runtime("2.15.0");
    let options = TorchConvertOptions { verify: true, ..TorchConvertOptions::default() };
    let mut count = 0;
    for (name, bytes) in scripts().into_iter().step_by(20) {
        assert!(convert(&source(&name, &bytes), &newest, &options).unwrap().is_some(), "{name}");
        count += 1;
    }
    assert!(count > 5);
    let mut bytes = files["2.15.0/Lstm.pt"].clone();
    let archive = Archive::open(Arc::new(BytesSource::new("a", bytes.clone()))).unwrap();
    let tensor = archive.entries().iter().filter(|one| one.name.contains("/data/"));
    let tensor = tensor.max_by_key(|one| one.size).unwrap();
    let start = archive.raw(tensor).unwrap().range.start as usize;
    bytes[start] ^= 1;
    let result = convert(&source("Lstm.pt", &bytes), &newest, &options);
    let error = result.err().unwrap().to_string();
    assert!(error.contains(&tensor.name), "{error}");
    // Without being asked, nobody reads it.
    assert!(converted("Lstm.pt", &bytes, &newest).0.is_possible());
    let plain = source("net.pt", b"no archive");
    assert!(convert(&plain, &newest, &options).unwrap().is_none());
}

#[test]
fn a_call_that_is_written_as_a_method_is_converted_too() {
    let (name, bytes) = ("1.10.2/qdiv.pt", files().0["1.10.2/qdiv.pt"].clone());
    let archive = Archive::open(Arc::new(BytesSource::new("qdiv.pt", bytes.clone()))).unwrap();
    let code = record(&bytes, "code/__torch__.py").unwrap();
    let methods = code.replace("torch.floor_divide(a, b)", "(a).floor_divide(b)");
    assert_ne!(code, methods);
    let mut changed = unskew_source::ArchiveOutput::new("qdiv.pt");
    for entry in archive.entries() {
        match entry.name.ends_with("code/__torch__.py") {
            true => changed.add(&entry.name, methods.clone().into_bytes(), false).unwrap(),
            false => changed.copy(&entry.name, &archive.raw(entry).unwrap()).unwrap(),
        }
    }
    let changed = changed.finish().unwrap().all().unwrap();
    let (plan, result) = converted(name, &changed, &runtime("2.15.0"));
    assert!(plan.is_possible() && !plan.changes_nothing(), "{:?}", plan.blockers);
    let code = record(&result, "code/__torch__.py").unwrap();
    assert!(code.contains("__torch__.unskew.floor_divide_before_1_13((a), b)"), "{code}");
}
