//! Functions that rebuild tensors, and the names of pickles, in the forms that releases have; checkpoints of the form before
//! 1.6, which keep it.
//!
//! The same was done with what nine releases from 1.4 to 2.15 save, for 1.4.0, 1.9.1 and 2.6.0, which then loaded the same
//! values.

use unskew_torch::pickle::scan;

use crate::corpus::{archive, converted, party, runtime, verdict};

/// A checkpoint of one object, pickled by protocol 0.
fn checkpoint(object: &str) -> Vec<u8> {
    archive(&[("data.pkl", format!("{object}.").as_bytes())])
}

fn errors(bytes: &[u8], release: &str) -> Vec<(&'static str, bool)> {
    let found = verdict(&party("net.pt", bytes), &runtime(release).party());
    let errors = found.findings.iter().filter(|one| one.rule.code != "PT005");
    let is_announced =
        |fix: &Option<String>| fix.as_deref().is_some_and(|it| it.contains("unskew convert"));
    errors.map(|one| (one.rule.code, is_announced(&one.fix))).collect()
}

/// What `check` announces is done, and the result has no error.
#[track_caller]
fn is_rewritten(object: &str, release: &str, code: &'static str, adaptation: &str) {
    let bytes = checkpoint(object);
    assert_eq!(errors(&bytes, release), [(code, true)], "{object}");
    let (plan, result) = converted("net.pt", &bytes, &runtime(release));
    let names: Vec<_> = plan.rewrites.iter().map(|one| one.adaptation).collect();
    assert_eq!(names, [adaptation], "{plan:?}");
    assert_eq!(errors(&result, release), [], "{object}");
}

#[track_caller]
fn stays(object: &str, release: &str, code: &'static str) {
    let bytes = checkpoint(object);
    assert_eq!(errors(&bytes, release), [(code, false)], "{object}");
    assert_eq!(converted("net.pt", &bytes, &runtime(release)).1, bytes);
}

const CONJ: &str = "ctorch._utils\n_rebuild_tensor_v2\n(NI0\n(t(tI00\nN(dVconj\nI01\nstR";
const STATE: &str = "ctorch._utils\n_rebuild_parameter_with_state\n(NI01\nN(dtR";

fn sparse(layout: &str) -> String {
    format!(
        "ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n(Vtorch.{layout}\ntR(NNNI01\nttR"
    )
}

#[test]
fn tensors_are_rebuilt_in_the_form_that_a_release_has() {
    is_rewritten(CONJ, "1.9.1", "PT505", "rebuilt-tensor");
    is_rewritten(STATE, "1.13.1", "PT504", "rebuilt-tensor");
    is_rewritten(&sparse("sparse_coo"), "2.0.1", "PT505", "rebuilt-tensor");
    is_rewritten(&sparse("sparse_csr"), "1.12.1", "PT504", "rebuilt-tensor");
    stays(STATE, "1.9.1", "PT504");
    // What a function computes takes part in no training.
    let trained = checkpoint(&CONJ.replace("I00", "I01"));
    let (plan, _) = converted("net.pt", &trained, &runtime("1.9.1"));
    assert!(!plan.is_possible(), "{plan:?}");
}

#[test]
fn names_that_went_are_asked_for_as_a_release_has_them() {
    is_rewritten("ctorch.storage\nUntypedStorage\n", "1.9.1", "PT504", "pickled-name");
    is_rewritten("ctorch.storage\nUntypedStorage\n", "1.12.1", "PT504", "pickled-name");
    is_rewritten("ctorch.tensor\n_rebuild_from_type\n", "2.1.2", "PT504", "pickled-name");
}

/// Five pickles by protocol 4, and a storage behind them.
fn older_form(object: &[u8]) -> Vec<u8> {
    let magic = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.";
    let rest =
        [&b"\x80\x02M\xe9\x03.\x80\x02}."[..], object, b"\x80\x02]X\x01\0\0\x000a.", &[7; 20]];
    [&magic[..], &rest.concat()].concat()
}

#[test]
fn a_checkpoint_of_the_older_form_keeps_it() {
    let object = b"\x80\x02}X\x04\0\0\0argscargparse\nNamespace\n)\x81}X\x02\0\0\0lrK\x01sbs.";
    let bytes = older_form(object);
    assert_eq!(errors(&bytes, "2.6.0"), [("PT501", true)]);
    let (plan, result) = converted("net.pt", &bytes, &runtime("2.6.0"));
    assert!(plan.is_possible() && plan.rewrites.len() == 1, "{plan:?}");
    assert_eq!(errors(&result, "2.6.0"), []);
    let mut at = 0;
    for _ in 0..5 {
        at += scan("net.pt", &result[at..]).unwrap().len;
    }
    assert_eq!(&result[at..], [7; 20]);
    assert!(converted("net.pt", &bytes, &runtime("2.2.2")).0.changes_nothing());
    // Storages that are not read yet are not computed with.
    let conj = [b"\x80\x02", CONJ.as_bytes(), b"."].concat();
    assert_eq!(errors(&older_form(&conj), "1.9.1"), [("PT505", false)]);
    assert_eq!(converted("net.pt", &older_form(&conj), &runtime("1.9.1")).1, older_form(&conj));
}

#[test]
fn the_class_of_a_module_may_lie_outside_of_the_pickle() {
    let module = b"\x80\x02((X\x06\0\0\0modulectorch.nn.modules.activation\nGELU\nNNtQ)\x81}(X\x0b\0\0\0_parameters}X\x08\0\0\0_buffers}\
                   X\x08\0\0\0_modules}X\x08\0\0\0training\x89ubl.";
    let bytes = older_form(module);
    assert_eq!(errors(&bytes, "1.11.0"), []);
    assert_eq!(errors(&bytes, "2.1.2"), [("PT506", true)]);
    let (plan, result) = converted("net.pt", &bytes, &runtime("2.1.2"));
    assert_eq!(plan.rewrites[0].adaptation, "module-attribute", "{plan:?}");
    assert_eq!(errors(&result, "2.1.2"), []);
}
