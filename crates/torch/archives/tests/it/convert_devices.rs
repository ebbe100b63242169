//! Archives whose attributes are devices, which 1.4 does not read.
//!
//! Shown by hand: PyTorch 1.4.0 gives for what two such modules of 2.5.1 and the model of the corpus become what 2.5.1 gives for
//! the files themselves.

use crate::corpus::{accepted, archive, converted, models, party, record, runtime, verdict};
use unskew_core::Severity;

/// A module whose attribute `d` is the device `cpu`, as a release writes it that is asked for version 3.
fn module(declared: &str, forward: &str) -> Vec<u8> {
    let code = format!(
        "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  d : {declared}\n  \
         def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n{forward}    return torch.add(x, 1)\n"
    );
    let state = b"\x80\x02c__torch__\nM\n)\x81}X\x01\0\0\0dctorch\ndevice\nX\x03\0\0\0cpu\x85Rsb.";
    archive(&[("data.pkl", state), ("code/__torch__.py", code.as_bytes())])
}

#[test]
fn a_device_is_its_name_for_1_4_and_stays_for_1_5() {
    let used =
        "    d = self.d\n    _0 = torch.zeros([2], dtype=None, layout=None, device=(self).d)\n";
    let bytes = module("Device", used);
    let old = runtime("1.4.0");
    let found = verdict(&party("net.pt", &bytes), &old.party());
    assert!(found.findings.iter().any(|one| one.rule.code == "PT007"), "{found:?}");

    let (plan, result) = converted("net.pt", &bytes, &old);
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    accepted("net.pt", &result, &old);
    let code = record(&result, "code/__torch__.py").unwrap();
    assert!(code.contains("\n  d : str\n"), "{code}");
    assert!(code.contains(" d = torch.device(self.d)\n"), "{code}");
    assert!(code.contains(" device=torch.device((self).d))\n"), "{code}");
    let state = record(&result, "data.pkl").unwrap();
    assert!(state.contains("cpu") && !state.contains("device"), "{state:?}");

    let (plan, result) = converted("net.pt", &bytes, &runtime("1.5.1"));
    assert!(plan.is_possible(), "{:?}", plan.blockers);
    assert!(record(&result, "code/__torch__.py").unwrap().contains("  d : Device\n"));
    assert!(record(&result, "data.pkl").unwrap().contains("torch\ndevice"));
}

#[test]
fn a_device_that_cannot_become_a_name_is_a_blocker() {
    let old = runtime("1.4.0");
    for (declared, forward, why) in [
        ("Optional[Device]", "", "a device in an attribute that is not of the type Device"),
        ("Device", "    self.d = torch.device(\"cuda\")\n", "code that sets d, which is a device"),
    ] {
        let (plan, _) = converted("net.pt", &module(declared, forward), &old);
        let [blocker] = plan.blockers.as_slice() else { panic!("{:?}", plan.blockers) };
        assert_eq!((blocker.rule.code, blocker.severity), ("PT403", Severity::Error));
        assert!(blocker.message.contains(why), "{}", blocker.message);
    }
}

/// Its resizing takes sizes or factors, of which the code says that each may be `None`; its metrics keep the device that they are on.
#[test]
fn a_real_model_of_1_12_goes_back_to_1_4() {
    let name = "hakai-mussel-presence.pt";
    let bytes = models().remove(name).unwrap();
    for release in ["1.4.0", "1.5.1", "1.6.0"] {
        let to = runtime(release);
        let (plan, result) = converted(name, &bytes, &to);
        assert!(plan.is_possible(), "{release}: {:?}", plan.blockers);
        accepted(name, &result, &to);
        let code = record(&result, "code/__torch__/unskew.py").unwrap();
        assert!(code.contains("def upsample_bilinear2d_vec_to_1_6("), "{release}: {code}");
        let loss = record(&result, "code/__torch__/utils/loss.py").unwrap();
        let by_name = loss.contains("return torch.device(self._device)");
        assert_eq!(by_name, release == "1.4.0", "{release}: {loss}");
    }
}
