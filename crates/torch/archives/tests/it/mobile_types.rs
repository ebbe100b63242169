//! Types and values in mobile bytecode that interpreters do not load.

use crate::corpus::{archive, party, runtime, verdict};
use unskew_core::Phase;

/// A mobile archive of one method with this constant, this type in its table, and this type as its result, in a pickle of
/// protocol 0.
fn mobile(constant: &str, ty: &str, result: &str) -> Vec<u8> {
    let bytecode = format!(
        "(I8\n(V__torch__.M.forward\n((Vinstructions\n(tt(Voperators\n(tt(Vconstants\n({constant}tt(Vtypes\n(V{ty}\ntt\
         (Vregister_size\nI1\ntt((Varguments\n(tt(Vreturns\n(((Vname\nV\nt(Vtype\nV{result}\nt(Vdefault_value\nNttttttt."
    );
    archive(&[
        ("data.pkl", b"c__torch__\nM\n)\x81}b."),
        ("code/__torch__.py", b"class M(Module):\n  training : bool\n"),
        ("bytecode.pkl", bytecode.as_bytes()),
    ])
}

/// What no mobile interpreter loads: measured with files of 1.10.2 to 2.15.0 on the same releases.
#[test]
fn enums_and_named_tuples_of_torch_are_refused_by_every_mobile_interpreter() {
    let on = |bytes: &[u8], release: &str| {
        let found = verdict(&party("net.ptl", bytes), &runtime(release).party());
        found.findings.iter().map(|one| (one.rule.code, one.phase)).collect::<Vec<_>>()
    };
    let enumeration = mobile("c__torch__\nColor\nI1\nR", "Tensor", "Tensor");
    let packed = "__torch__.torch.nn.utils.rnn.PackedSequence[NamedTuple, [[data, Tensor]]]";
    let packed = mobile("N", packed, "Tensor");
    for release in ["1.13.1", "2.1.2", "2.15.0"] {
        assert_eq!(on(&enumeration, release), [("PT007", Some(Phase::Load))], "{release}");
        assert_eq!(on(&packed, release), [("PT007", Some(Phase::Load))], "{release}");
    }
    // Objects, and classes that are registered in C++, are none.
    let class = "__torch__.torch.classes.quantized.LinearPackedParamsBase";
    assert_eq!(on(&mobile("c__torch__\nM\n)R", class, "Tensor"), "2.15.0"), []);
    let named = mobile("N", "__torch__.P[NamedTuple, [[a, Tensor]]]", "__torch__.P");
    for (release, said) in [("2.0.1", &[("PT007", Some(Phase::FirstUse))][..]), ("2.1.2", &[])] {
        assert_eq!(on(&named, release), said, "{release}");
    }
    assert_eq!(on(&mobile("N", "__torch__.P[NamedTuple, [[a, Tensor]]]", "Tensor"), "2.0.1"), []);
}
