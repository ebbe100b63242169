//! Operators that changed what they do under the schema that they have, and what is not judged.

use crate::corpus::{self, archive, converted, party, record, runtime, verdict};
use unskew_core::{Phase, Verdict, aspect};

/// A module with this body, in an archive of version 3 that 1.6 to 2.0 may have written.
fn module(body: &str) -> Vec<u8> {
    let code = format!(
        "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  \
         def forward(self: __torch__.M,\n    x: Tensor,\n    m: Tensor) -> Tensor:\n{body}"
    );
    archive(&[
        ("data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b."),
        ("code/__torch__.py", code.as_bytes()),
    ])
}

fn on(body: &str, release: &str) -> Verdict {
    verdict(&party("net.pt", &module(body)), &runtime(release).party())
}

/// The codes of findings, and the aspects that are not judged.
fn said(verdict: &Verdict) -> (Vec<&str>, Vec<&str>) {
    let codes = verdict.findings.iter().map(|one| one.rule.code).collect();
    (codes, verdict.unjudged.iter().map(|one| &*one.aspect).collect())
}

#[test]
fn stft_without_return_complex_raises_since_2_0() {
    let stft = |end: &str| format!("    return torch.stft(x, 16, 4, 16, m, False, True{end})\n");
    let found = on(&stft(", None"), "2.15.0");
    assert_eq!(said(&found).0, ["OP109"]);
    assert_eq!(found.findings[0].phase, Some(Phase::FirstUse));
    assert!(found.findings[0].symptom.as_ref().unwrap().contains("return_complex"));
    assert_eq!(said(&on(&stft(""), "2.1.2")).0, ["OP109"]);
    assert_eq!(said(&on(&stft(", True"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&stft(", False"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&stft(", None"), "1.13.1")).0, Vec::<&str>::new());
}

#[test]
fn a_mask_is_judged_by_what_the_code_shows_of_it() {
    let fill = |mask: &str| format!("    k = {mask}\n    return torch.masked_fill(x, k, 0.5)\n");
    let bytes = fill("torch.to(torch.gt(x, 0), 0, False, False)");
    assert_eq!(said(&on(&bytes, "2.15.0")), (vec!["OP109"], vec![]));
    assert_eq!(said(&on(&bytes, "2.0.1")).0, Vec::<&str>::new());
    assert_eq!(said(&on(&fill("torch.gt(x, 0)"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&fill("m"), "2.15.0")), (vec![], vec![aspect::BEHAVIOUR]));
}

#[test]
fn a_float_bound_of_integers_changed_and_an_integer_one_did_not() {
    let clamp = |of: &str, bound: &str| format!("    return torch.clamp({of}, {bound}, None)\n");
    let places = "torch.argmax(x, None, False)";
    // The writer may be on either side of the change, the runtime is not.
    assert_eq!(said(&on(&clamp(places, "0.5"), "2.15.0")).0, ["OP102"]);
    assert_eq!(said(&on(&clamp("torch.softmax(x, 0)", "0.5"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&clamp("x", "0.5"), "2.15.0")), (vec![], vec![aspect::BEHAVIOUR]));
    assert_eq!(said(&on(&clamp("x", "1"), "2.15.0")), (vec![], vec![]));
}

/// Rows of `data/changes.tsv`, which a machine measured.
#[test]
fn what_was_measured_is_said_where_the_code_shows_the_types() {
    let add = |of: &str| format!("    k = {of}\n    return torch.addcdiv(x, k, k)\n");
    let places = "torch.argmax(x, 0, False)";
    // Integer division was refused in 1.6 already, by all that may have written the file.
    assert_eq!(said(&on(&add(places), "2.15.0")).0, Vec::<&str>::new());
    assert_eq!(said(&on(&add("torch.softmax(x, 0)"), "2.15.0")).0, Vec::<&str>::new());
    let angle = |of: &str| format!("    return torch.angle({of})\n");
    // Version 3 to 5 may be of 1.6 to 2.0, on both sides of 1.8.
    assert_eq!(said(&on(&angle(places), "2.15.0")).0, ["OP102"]);
    assert_eq!(said(&on(&angle("torch.softmax(x, 0)"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&angle("x"), "2.15.0")), (vec![], vec![aspect::BEHAVIOUR]));
    // A factory gives nothing that two releases could differ in.
    let empty = "    return torch.empty([2, 3], dtype=6)\n";
    assert_eq!(said(&on(empty, "2.15.0")), (vec![], vec![]));
}

#[test]
fn who_wrote_the_file_counts_also_after_a_conversion() {
    let body = "    return torch.clamp(x, 0.5, 2.5)\n";
    let code = format!("def forward(self: __torch__.M, x: Tensor) -> Tensor:\n{body}");
    let text = format!(
        "class M(Module):\n  __parameters__ = []\n  training : bool\n  {}",
        code.replace('\n', "\n  ")
    );
    let bytes = archive(&[
        ("data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b."),
        ("code/__torch__.py", text.trim_end().as_bytes()),
        ("byteorder", b"little"),
        (".data/serialization_id", b"0"),
    ]);
    let (old, options) = (runtime("1.4.0"), unskew_torch::TorchConvertOptions::default());
    let before = corpus::source("net.pt", &bytes);
    let known = unskew_torch::convert_with_origin(&before, &old, &options);
    let (_, _, origin) = known.unwrap().unwrap();
    let (plan, result) = converted("net.pt", &bytes, &old);
    assert!(plan.is_possible() && !plan.changes_nothing(), "{:?}", plan.blockers);
    let after = corpus::source("net.pt", &result);
    let after = unskew_torch::party_converted(&after, &origin).unwrap().unwrap();
    assert_eq!(said(&verdict(&after, &old.party())).1, [aspect::BEHAVIOUR]);
    // By its layout alone 1.5 would have written it, which did the same.
    let alone = verdict(&party("net.pt", &result), &old.party());
    assert_eq!(said(&alone).1, Vec::<&str>::new());
}

#[test]
fn a_union_of_one_is_refused_up_to_1_9_and_converted() {
    let body = "    n = unchecked_cast(Union[int], torch.dim(x))\n    return torch.add(x, n)\n";
    assert_eq!(said(&on(body, "1.9.1")).0, ["PT303"]);
    assert!(!said(&on(body, "1.10.2")).0.contains(&"PT303"));
    let (plan, result) = converted("net.pt", &module(body), &runtime("1.9.1"));
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    let code = record(&result, "code/__torch__.py").unwrap();
    assert!(code.contains("unchecked_cast(int, torch.dim(x))"), "{code}");
    let two = body.replace("Union[int]", "Union[int, str]");
    let (plan, _) = converted("net.pt", &module(&two), &runtime("1.9.1"));
    assert!(plan.blockers.iter().any(|one| one.rule.code == "PT403"), "{:?}", plan.blockers);
}

#[test]
fn quantized_operators_are_judged_where_a_model_with_them_was_run() {
    let add = "    return ops.quantized.add(x, m, 1.0, 0)\n";
    assert_eq!(said(&on(add, "2.15.0")).1, Vec::<&str>::new());
    let threshold = "    return ops.quantized.threshold(x, 1.0, 0.0)\n";
    assert_eq!(said(&on(threshold, "2.15.0")).1, [aspect::QUANTIZED]);
    assert_eq!(said(&on("    return torch.add(x, m)\n", "2.15.0")).1, Vec::<&str>::new());
}

#[test]
fn a_function_that_is_not_exact_for_some_types_takes_no_calls_with_them() {
    let backward = |of: &str| format!("    return torch.l1_loss_backward({of}, x, 1)\n");
    let integers = "torch.to(x, 4, False, False), torch.to(m, 4, False, False)";
    let new = runtime("2.15.0");
    let (plan, _) = converted("net.pt", &module(&backward(integers)), &new);
    let blocker = plan.blockers.iter().find(|one| one.rule.code == "PT402").unwrap();
    assert!(blocker.message.contains("takes its place"), "{}", blocker.message);
    let (plan, result) = converted("net.pt", &module(&backward("x, m")), &new);
    assert!(plan.is_possible() && !plan.changes_nothing(), "{:?}", plan.blockers);
    let verdict = verdict(&party("net.pt", &result), &new.party());
    assert_eq!(said(&verdict), (vec![], vec![aspect::BEHAVIOUR]));
    let erf = "    return torch.special_expit(x)\n";
    let (_, result) = converted("net.pt", &module(erf), &runtime("1.7.1"));
    let verdict = crate::corpus::verdict(&party("net.pt", &result), &runtime("1.7.1").party());
    assert_eq!(said(&verdict).1, Vec::<&str>::new());
}

#[test]
fn a_tensor_where_a_release_takes_a_number_only_is_not_judged() {
    let clamp = "    return torch.clamp_min(x, m)\n";
    let reasons = |release: &str| {
        let found = on(clamp, release).unjudged;
        found.iter().any(|one| one.reason.contains("an overload that takes a number"))
    };
    assert!(reasons("1.7.1"));
    assert!(!reasons("2.15.0"));
}

/// What is said on 1.10.2 of a function that 2.1 or later wrote.
fn of_2_1_on_1_10(body: &str) -> (Vec<&'static str>, Vec<String>) {
    let code = format!(
        "class M(Module):\n  __parameters__ = []\n  training : bool\n  \
         def forward(self: __torch__.M,\n    x: Tensor,\n    m: Tensor) -> Tensor:\n{body}"
    );
    let bytes = archive(&[
        ("data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b."),
        ("code/__torch__.py", code.as_bytes()),
        ("byteorder", b"little"),
        (".data/serialization_id", b"0"),
    ]);
    let found = verdict(&party("net.pt", &bytes), &runtime("1.10.2").party());
    let codes = found.findings.iter().map(|one| one.rule.code).collect();
    (codes, found.unjudged.iter().map(|one| one.aspect.to_string()).collect())
}

#[test]
fn a_difference_of_a_higher_order_raises_up_to_1_10() {
    let diff = |n: &str| format!("    return torch.diff(x, {n}, 0)\n");
    assert_eq!(of_2_1_on_1_10(&diff("2")), (vec!["OP109"], vec![]));
    assert_eq!(of_2_1_on_1_10(&diff("1")), (vec![], vec![]));
    assert_eq!(said(&on(&diff("2"), "1.11.0")), (vec![], vec![]));
}

#[test]
fn what_raised_for_all_tensors_that_were_tried_is_not_judged_without_a_type() {
    let not_judged = (vec![], vec![aspect::BEHAVIOUR.to_owned()]);
    // Tried with pivots that no decomposition gives.
    let unpack = "    a, b, c, = torch.lu_unpack(x, m)\n    return a\n";
    assert_eq!(of_2_1_on_1_10(unpack), not_judged);
    assert_eq!(of_2_1_on_1_10("    return torch.mvlgamma_(x, 3)\n"), not_judged);
    assert_eq!(of_2_1_on_1_10("    return torch.logaddexp(x, m)\n"), (vec![], vec![]));
}

/// What 2.1 and earlier give for `return_counts=True` has inverse indices that were not asked for.
#[test]
fn a_result_that_changed_concerns_only_who_reads_it() {
    let unique =
        |after: &str| format!("    v, i, c = torch._unique2(x, True, False, True)\n{after}");
    assert_eq!(said(&on(&unique("    return torch.add(v, c)\n"), "2.15.0")), (vec![], vec![]));
    assert_eq!(said(&on(&unique("    return torch.add(v, i)\n"), "2.15.0")).0, ["OP101"]);
    assert_eq!(said(&on(&unique("    return torch.add(v, i)\n"), "2.2.2")).0, ["OP101"]);
    assert_eq!(said(&on(&unique("    return torch.add(v, i)\n"), "2.1.2")), (vec![], vec![]));
    for after in [
        "    w, j = v, i\n    return torch.add(w, c)\n",
        "    t = (v, i, c)\n    a, b, d, = t\n    return torch.add(a, d)\n",
        "    if bool(torch.any(v)):\n      j = i\n    else:\n      j = v\n    return c\n",
    ] {
        assert_eq!(said(&on(&unique(after), "2.15.0")), (vec![], vec![]), "{after}");
    }
    for after in [
        "    w, j = v, i\n    return torch.add(w, j)\n",
        "    t = (v, i, c)\n    a, b, d, = t\n    return torch.add(a, b)\n",
        "    t = [v, i, c]\n    return c\n",
        "    if bool(torch.any(i)):\n      j = i\n    else:\n      j = v\n    return c\n",
    ] {
        assert_eq!(said(&on(&unique(after), "2.15.0")).0, ["OP101"], "{after}");
    }
    // Who asks for them gets them from every release.
    let asked = "    v, i, c = torch._unique2(x, True, True, True)\n    return torch.add(v, i)\n";
    assert_eq!(said(&on(asked, "2.15.0")), (vec![], vec![]));
    let none = "    v, i, c = torch._unique2(x, True, False, False)\n    return torch.add(v, i)\n";
    assert_eq!(said(&on(none, "2.15.0")), (vec![], vec![]));
}

/// `torch.unique(x, return_counts=True)` as releases script it: the result goes through two functions.
#[test]
fn a_result_is_followed_through_functions() {
    let code = {
        "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  \
             def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n    \
             _0 = __torch__.f.counts\n    v, c, = _0(x, )\n    return torch.add(v, c)\n"
    };
    let functions = |returned: &str| {
        format!(
            "def counts(x: Tensor) -> Tuple[Tensor, Tensor]:\n  _0 = __torch__.f.impl\n  _1 = _0(x, )\n  \
             a, b, c, = _1\n  return ({returned}, c)\n\
             def impl(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n  \
             v, i, c = torch._unique2(x, True, False, True)\n  return (v, i, c)\n"
        )
    };
    let file = |returned: &str| {
        archive(&[
            ("data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b."),
            ("code/__torch__.py", code.as_bytes()),
            ("code/__torch__/f.py", functions(returned).as_bytes()),
        ])
    };
    let on =
        |returned: &str| verdict(&party("net.pt", &file(returned)), &runtime("2.15.0").party());
    assert_eq!(said(&on("a")), (vec![], vec![]));
    assert_eq!(said(&on("b")).0, ["OP101"]);
}
