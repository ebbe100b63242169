//! What `torch.save` wrote, converted: for releases before 1.6, and for the loader of 2.6 that runs no code.
//!
//! The same was done with files of 2.6.0 and 2.15.0 (states of modules and optimizers, parameters, whole modules, all types
//! of elements, numpy numbers and arrays), which 1.4.0, 1.10.2, 2.6.0 and 2.15.0 then loaded with the same values; and
//! with whole modules of 1.7.1 and 1.10.2, which 1.10.2 and 2.6.0 then called with the same results.

use unskew_torch::pickle::{PickleValue, scan};

use crate::corpus::{archive, converted, party, runtime, verdict};

/// A checkpoint of the dictionary that `entries`, pickled by protocol 0, make.
fn checkpoint(entries: &str) -> Vec<u8> {
    let objects = format!("(d{entries}.");
    archive(&[("data.pkl", objects.as_bytes()), ("byteorder", b"little"), ("data/0", &[7; 12])])
}

/// An entry that is a tensor of these many floats of storage 0.
fn tensor(key: &str, count: u8) -> String {
    format!(
        "V{key}\nctorch._utils\n_rebuild_tensor_v2\n((Vstorage\nctorch\nFloatStorage\nV0\nVcpu\nI{count}\ntQI0\n(I{count}\nt(I1\ntI00\n\
         ccollections\nOrderedDict\n(tRtRs"
    )
}

fn codes(bytes: &[u8], release: &str) -> Vec<&'static str> {
    let found = verdict(&party("net.pt", bytes), &runtime(release).party());
    found.findings.iter().map(|one| one.rule.code).filter(|code| *code != "PT005").collect()
}

#[test]
fn an_archive_becomes_a_pickle_with_its_storages_for_releases_before_1_6() {
    let bytes = checkpoint(&(tensor("a", 3) + &tensor("b", 3)));
    assert_eq!((codes(&bytes, "1.4.0"), codes(&bytes, "1.6.0")), (vec!["PT002"], vec![]));
    assert!(converted("net.pt", &bytes, &runtime("1.6.0")).0.changes_nothing());
    let (plan, result) = converted("net.pt", &bytes, &runtime("1.4.0"));
    assert!(plan.is_possible() && plan.rewrites.len() == 1, "{plan:?}");
    assert_eq!(codes(&result, "1.4.0"), Vec::<&str>::new());
    // Behind the magic number, the version and the system stand the objects and the keys, then each storage once.
    let mut at = 0;
    let pickles: Vec<_> = (0..5)
        .map(|_| {
            let one = scan("net.pt", &result[at..]).unwrap();
            at += one.len;
            one
        })
        .collect();
    assert_eq!(pickles[1].root().int(), Some(1001));
    let names = pickles[3].values().filter_map(|value| match value {
        PickleValue::Persistent(Some(name)) => {
            Some(pickles[3].members(pickles[3].value(*name)).count())
        }
        _ => None,
    });
    assert!(names.collect::<Vec<_>>().iter().all(|count| *count == 6));
    assert_eq!(pickles[4].members(pickles[4].root()).count(), 1);
    let storage = [&3_i64.to_le_bytes()[..], &[7; 12]].concat();
    assert_eq!(&result[at..], storage);
}

#[test]
fn what_the_older_form_cannot_hold_is_named() {
    for (entries, what) in [
        (tensor("a", 4), "not as long as its elements"),
        (tensor("a", 3) + "Vq\nctorch\nper_channel_affine\ns", "quantized by channel"),
        (tensor("a", 3).replace("FloatStorage", "OddStorage"), "without a type"),
        (tensor("a", 3).replace("V0\n", "V1\n"), "not in the file"),
        (tensor("a", 3).replace("I3\ntQ", "I-3\ntQ"), "negative"),
    ] {
        let bytes = checkpoint(&entries);
        let (plan, result) = converted("net.pt", &bytes, &runtime("1.4.0"));
        let said = plan.blockers.iter().any(|one| one.message.contains(what));
        assert!(said && result == bytes, "{what}: {plan:?}");
    }
}

#[test]
fn values_that_need_no_code_are_plain_for_the_loader_without_code() {
    let number = "Vlr\ncnumpy._core.multiarray\nscalar\n(cnumpy\ndtype\n(Vi1\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI0\ntb\
                  c_codecs\nencode\n(V\\u0005\nVlatin1\ntRtRs";
    let space = "Vargs\ncargparse\nNamespace\n)\u{81}}(Vx\nI1\nubs";
    let bytes = |entries: &str| {
        let objects: Vec<u8> = format!("(d{entries}.").chars().map(|c| c as u8).collect();
        archive(&[("data.pkl", &objects)])
    };
    for entries in [number.to_owned(), space.to_owned(), format!("{number}{space}")] {
        let bytes = bytes(&entries);
        assert_eq!(codes(&bytes, "2.6.0"), ["PT501"]);
        let (plan, result) = converted("net.pt", &bytes, &runtime("2.6.0"));
        assert!(plan.is_possible(), "{plan:?}");
        let found = verdict(&party("net.pt", &result), &runtime("2.6.0").party());
        assert_eq!(codes(&result, "2.6.0"), Vec::<&str>::new(), "{entries}: {found:?} {plan:?}");
    }
    // Code stays, and the verdict refuses it.
    let (_, result) =
        converted("net.pt", &bytes(&format!("{space}Vm\ncown\nThing\ns")), &runtime("2.6.0"));
    assert_eq!(codes(&result, "2.6.0"), ["PT501"]);
    // A release with the other loader takes the file as it is, but for the names of numpy 2.
    assert!(converted("net.pt", &bytes(space), &runtime("2.2.2")).0.changes_nothing());
    let (plan, result) = converted("net.pt", &bytes(number), &runtime("2.2.2"));
    assert_eq!((plan.rewrites[0].adaptation, codes(&result, "2.2.2")), ("numpy-names", vec![]));
}

#[test]
fn what_the_reader_does_not_keep_apart_is_not_written() {
    // A deque, to which items are added: as a list or as a dictionary does not show.
    let bytes = archive(&[("data.pkl", b"(dVd\nccollections\ndeque\n(tR(I1\nI2\nes.")]);
    let (plan, _) = converted("net.pt", &bytes, &runtime("1.4.0"));
    assert!(!plan.is_possible(), "{plan:?}");
}

/// `GELU` has `approximate` since 1.12, and the layer in attention has had another name since 1.9.
#[test]
fn pickled_modules_get_what_newer_code_of_their_classes_reads() {
    let module = |class: &str| {
        format!(
            "Vm\nctorch.nn.modules.{class}\n)\u{81}}}(V_parameters\n}}V_buffers\n}}V_modules\n}}Vtraining\nI01\n\
             Vbias\nNVweight\nNubs"
        )
    };
    let bytes = |entries: &str| {
        let objects: Vec<u8> = format!("(d{entries}.").chars().map(|c| c as u8).collect();
        archive(&[("data.pkl", &objects)])
    };
    let gelu = bytes(&module("activation\nGELU"));
    assert_eq!((codes(&gelu, "1.11.0"), codes(&gelu, "2.1.2")), (vec![], vec!["PT506"]));
    assert!(converted("net.pt", &gelu, &runtime("1.11.0")).0.changes_nothing());
    let (plan, result) = converted("net.pt", &gelu, &runtime("2.1.2"));
    assert_eq!(plan.rewrites[0].adaptation, "module-attribute");
    assert_eq!(codes(&result, "2.1.2"), Vec::<&str>::new());
    let layer = bytes(&module("linear\n_LinearWithBias"));
    assert_eq!((codes(&layer, "1.7.1"), codes(&layer, "2.1.2")), (vec![], vec!["PT504"]));
    let (plan, result) = converted("net.pt", &layer, &runtime("2.1.2"));
    assert_eq!(plan.rewrites[0].adaptation, "pickled-name");
    assert_eq!(codes(&result, "2.1.2"), Vec::<&str>::new());
}
