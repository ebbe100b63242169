//! Files of tensors and objects: what a release refuses of them. What real PyTorch 2.15.0 does with 192 checkpoints, each
//! of its kinds of objects in four protocols and both containers, is what the rules here were held to.

use std::io::Write;

use crate::corpus::{party, runtimes, source, verdict};
use unskew_core::Verdict;

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

/// A checkpoint of the form since 1.6 with this pickle.
fn checkpoint(pickle: &[u8]) -> Vec<u8> {
    archive(&[("m/data.pkl", pickle), ("m/byteorder", b"little"), ("m/version", b"3\n")])
}

fn on(bytes: &[u8], release: &str) -> Verdict {
    verdict(&party("w", bytes), &runtimes()[release])
}

/// A safetensors file of one tensor of two elements.
fn safetensors(dtype: &str, size: usize) -> Vec<u8> {
    let header = format!(r#"{{"w":{{"dtype":"{dtype}","shape":[2],"data_offsets":[0,{size}]}}}}"#);
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; size]].concat()
}

const NAMESPACE: &[u8] = b"\x80\x02cargparse\nNamespace\n)\x81.";
const ORDERED: &[u8] = b"\x80\x02ccollections\nOrderedDict\n)R.";
const SET: &[u8] = b"\x80\x02c__builtin__\nset\n]\x85R.";
const PYTHON_3: &[u8] = b"\x80\x04\x95\x02\0\0\0\0\0\0\0}.";
const BYTES: &[u8] = b"\x80\x03C\x01x.";

#[test]
fn since_2_6_a_checkpoint_may_import_only_what_stands_on_the_list() {
    for pickle in [NAMESPACE, PYTHON_3, BYTES] {
        let bytes = checkpoint(pickle);
        assert!(codes(&on(&bytes, "2.6.0")).contains(&"PT501"), "{pickle:?}");
        assert!(codes(&on(&bytes, "2.15.0")).contains(&"PT501"), "{pickle:?}");
        assert!(!codes(&on(&bytes, "2.5.1")).contains(&"PT501"), "{pickle:?}");
    }
    for pickle in [ORDERED, SET] {
        assert_eq!(codes(&on(&checkpoint(pickle), "2.15.0")), ["PT005"], "{pickle:?}");
    }
}

#[test]
fn the_object_of_an_old_checkpoint_is_judged_too() {
    let magic =
        b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}.";
    let bytes = [&magic[..], NAMESPACE].concat();
    assert!(codes(&on(&bytes, "2.6.0")).contains(&"PT501"));
    assert!(on(&bytes, "2.5.1").works());
}

#[test]
fn what_numpy_2_wrote_wants_a_numpy_that_has_its_modules() {
    let bytes = checkpoint(b"\x80\x02cnumpy._core.multiarray\n_reconstruct\n.");
    assert!(codes(&on(&bytes, "2.1.2")).contains(&"PT502"));
    assert!(!codes(&on(&bytes, "2.5.1")).contains(&"PT502"));
    let old = checkpoint(b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n.");
    assert!(!codes(&on(&old, "2.1.2")).contains(&"PT502"));
}

#[test]
fn numpy_2_is_asked_for_where_the_release_works_with_both() {
    let reasons = |bytes: &[u8]| -> Vec<String> {
        on(bytes, "2.5.1").unjudged.iter().map(|one| one.reason.to_string()).collect()
    };
    let array = reasons(&checkpoint(b"\x80\x02cnumpy._core.multiarray\n_reconstruct\n."));
    assert!(array.iter().any(|reason| reason.contains("needs numpy 1.26.3")), "{array:?}");
    let protocol_5 = reasons(&checkpoint(b"\x80\x02cnumpy._core.numeric\n_frombuffer\n."));
    assert!(protocol_5.iter().any(|reason| reason.contains("needs numpy 2.0.0")), "{protocol_5:?}");
    let plain = on(b"\x80\x02cnumpy._core.numeric\n_frombuffer\n.", "2.1.2");
    assert!(codes(&plain).contains(&"PT502"), "{plain:?}");
}

#[test]
fn instructions_that_the_strict_loader_lacks_are_refused_by_it() {
    // The same dictionary by protocol 0, and an integer as text.
    for pickle in [&b"(dp0\n."[..], b"\x80\x02I7\n."] {
        let strict = on(&checkpoint(pickle), "2.6.0");
        assert!(codes(&strict).contains(&"PT501"), "{pickle:?}");
        assert!(!codes(&on(&checkpoint(pickle), "2.5.1")).contains(&"PT501"), "{pickle:?}");
    }
}

#[test]
fn names_of_pytorch_are_judged_by_the_releases_that_have_them() {
    let asks = |name: &str, release: &str| {
        let (module, name) = name.rsplit_once('.').unwrap();
        let pickle = [b"\x80\x02c", module.as_bytes(), b"\n", name.as_bytes(), b"\n."].concat();
        codes(&on(&checkpoint(&pickle), release)).contains(&"PT504")
    };
    for (name, first, last_without) in [
        ("torch._utils._rebuild_meta_tensor_no_storage", "2.0.1", "1.9.1"),
        ("torch._utils._rebuild_parameter_with_state", "2.0.1", "1.13.1"),
        ("torch.storage.UntypedStorage", "1.13.1", "1.12.1"),
        ("torch.float8_e4m3fn", "2.1.2", "2.0.1"),
        ("torch.nn.modules.module._WrappedHook", "2.0.1", "1.9.1"),
    ] {
        assert!(!asks(name, first) && !asks(name, "2.5.1"), "{name}");
        assert!(asks(name, last_without), "{name}");
    }
    // A class that went.
    assert!(asks("torch.nn.modules.linear._LinearWithBias", "1.13.1"));
    assert!(!asks("torch.nn.modules.linear._LinearWithBias", "1.8.1"));
}

#[test]
fn sparse_tensors_are_judged_by_their_layout_and_parts() {
    let sparse = |layout: &str, parts: usize| {
        let name = format!("torch.{layout}");
        let head =
            b"\x80\x02ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\nX";
        let size = u32::try_from(name.len()).unwrap().to_le_bytes();
        let data = [b"(".as_slice(), &b"N".repeat(parts), b"t"].concat();
        checkpoint(&[&head[..], &size, name.as_bytes(), b"\x85R", &data, b"tR."].concat())
    };
    for (layout, parts, release, code) in
        [("sparse_coo", 4, "1.13.1", "PT505"), ("sparse_csr", 4, "1.13.1", "PT504")]
    {
        assert!(codes(&on(&sparse(layout, parts), release)).contains(&code), "{layout} {release}");
        assert_eq!(codes(&on(&sparse(layout, parts), "2.1.2")), ["PT005"], "{layout}");
    }
    assert_eq!(codes(&on(&sparse("sparse_coo", 3), "1.13.1")), ["PT005"]);
}

#[test]
fn a_module_that_was_pickled_whole_lacks_what_newer_code_reads() {
    let gelu = |attribute: &[u8]| {
        let head = b"\x80\x02ctorch.nn.modules.activation\nGELU\n)\x81}(X\x08\0\0\0training\x89";
        checkpoint(&[&head[..], attribute, b"ub."].concat())
    };
    let without = gelu(b"");
    let verdict = on(&without, "2.0.1");
    let finding = verdict.findings.iter().find(|one| one.rule.code == "PT506").unwrap();
    assert!(finding.message.contains("approximate"), "{}", finding.message);
    assert!(!codes(&on(&without, "1.11.0")).contains(&"PT506"));
    let with = gelu(b"X\x0b\0\0\0approximateX\x04\0\0\0none");
    assert!(!codes(&on(&with, "2.0.1")).contains(&"PT506"));
    // Told to load it anyway, the strict releases fail at the first call: so the advice begins with the conversion.
    let strict = on(&without, "2.8.0");
    assert!(codes(&strict).contains(&"PT501") && codes(&strict).contains(&"PT506"));
    let refused = strict.findings.iter().find(|one| one.rule.code == "PT501").unwrap();
    assert!(
        refused.fix.as_deref().is_some_and(|fix| fix.starts_with("Run `unskew convert`")),
        "{refused:?}"
    );
}

#[test]
fn classes_of_other_packages_are_not_judged() {
    let verdict = on(&checkpoint(b"\x80\x02cmmcv.runner\nHook\n)\x81."), "2.5.1");
    let reasons: Vec<&str> = verdict.unjudged.iter().map(|one| one.reason.as_str()).collect();
    assert!(reasons.iter().any(|reason| reason.contains("mmcv.runner.Hook")), "{reasons:?}");
}

#[test]
fn a_type_of_safetensors_needs_a_torch_that_has_it() {
    for (dtype, size, before, since) in [
        ("F8_E4M3", 2, "2.0.1", "2.1.2"),
        ("U16", 4, "2.2.2", "2.3.1"),
        ("F8_E8M0", 2, "2.6.0", "2.7.1"),
        ("F4", 1, "2.7.1", "2.8.0"),
    ] {
        let bytes = safetensors(dtype, size);
        assert_eq!(codes(&on(&bytes, before)), ["PT503"], "{dtype}");
        assert!(codes(&on(&bytes, since)).is_empty(), "{dtype}");
    }
    assert!(codes(&on(&safetensors("BF16", 4), "1.4.0")).is_empty());
}

#[test]
fn a_safetensors_file_is_held_to_its_header() {
    let whole = safetensors("F32", 8);
    assert!(unskew_torch::party(&source("w.safetensors", &whole)).is_ok());
    let longer = [&whole[..], &[0]].concat();
    for broken in [
        &whole[..whole.len() - 2],
        &whole[..20],
        &longer,
        &safetensors("ZZZ", 8),
        &safetensors("F32", 4),
    ] {
        assert!(unskew_torch::party(&source("w.safetensors", broken)).is_err());
    }
}
