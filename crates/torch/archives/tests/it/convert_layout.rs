//! What else than calls stands in the way of an older loader: types, records, versions.
//!
//! Each was found by loading scripted and traced modules of 2.5.1 in 1.6.0, 1.7.1 and 1.10.2 after their conversion.

use crate::corpus::{accepted, archive, converted, record, runtime};

/// A module as 2.1 or later writes it: `floor_divide`, a constant that is nothing, and a debug record with a table of texts.
fn module() -> Vec<u8> {
    let code = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  \
        max_norm : Final[NoneType] = None\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n    \
        _0 = \"NoneType\"\n    return torch.floor_divide(x, x)\n";
    archive(&[
        ("data.pkl", b"\x80\x02c__torch__\nM\n)\x81}b."),
        ("code/__torch__.py", code.as_bytes()),
        ("code/__torch__.py.debug_pkl", b"\x80\x02X\x18\0\0\0FORMAT_WITH_STRING_TABLE)\x86."),
        ("byteorder", b"little"),
        (".data/serialization_id", b"0"),
    ])
}

#[test]
fn a_type_that_is_nothing_has_its_old_name_up_to_1_8() {
    for (release, wanted) in [("1.7.1", "Final[None]"), ("1.10.2", "Final[NoneType]")] {
        let (_, result) = converted("net.pt", &module(), &runtime(release));
        let code = record(&result, "code/__torch__.py").unwrap();
        assert!(code.contains(&format!("max_norm : {wanted} = None")), "{release}: {code}");
        assert!(code.contains("_0 = \"NoneType\""), "{release}: {code}");
    }
}

/// 1.10 ends the process with "Expected Tuple but got String" where it should say on which line an exception came up.
#[test]
fn a_debug_record_that_the_release_does_not_read_is_left_out_of_what_is_written_anew() {
    let lines = "code/__torch__.py.debug_pkl";
    let (_, result) = converted("net.pt", &module(), &runtime("1.10.2"));
    assert!(record(&result, lines).is_none());
    let (_, result) = converted("net.pt", &module(), &runtime("1.12.1"));
    assert!(record(&result, "code/__torch__/unskew.py").is_some(), "it is written anew");
    assert!(record(&result, lines).is_some());
}

/// In a file of version 3, 1.8 to 1.11 take `div` for `div_0_3`, which knows no rounding mode.
#[test]
fn functions_get_the_version_in_which_they_mean_what_they_shall() {
    for (release, function, version) in [
        ("1.7.1", "floor_divide_to_1_7", "3\n"),
        ("1.10.2", "floor_divide_to_1_12", "4\n"),
        ("1.12.1", "floor_divide_to_1_12", "3\n"),
    ] {
        let to = runtime(release);
        let (plan, result) = converted("net.pt", &module(), &to);
        assert!(plan.is_possible(), "{release}: {:?}", plan.blockers);
        assert_eq!(record(&result, "version").as_deref(), Some(version), "{release}");
        let code = record(&result, "code/__torch__/unskew.py").unwrap();
        assert!(code.contains(&format!("def {function}(")), "{release}: {code}");
        // What the function calls is meant as this release does it, though a later one wrote the file.
        accepted("net.pt", &result, &to);
    }
}
