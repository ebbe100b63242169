use proptest::prelude::*;

use super::*;
use crate::Basis;

fn named(name: &str) -> String {
    find(name).unwrap_or_else(|error| panic!("{name}: {error}")).to_string()
}

fn refused(name: &str) -> String {
    find(name).unwrap_err().to_string()
}

#[test]
fn a_short_version_is_the_newest_that_begins_with_it() {
    assert_eq!(named("jax@0.10"), "jax@0.10.2");
    assert_eq!(named("jax@0.10.0"), "jax@0.10.0");
    assert_eq!(named("pytorch@1.10"), "torch@1.10.2");
    assert_eq!(select("torch").unwrap().len(), Family::Torch.rows().len());
}

#[test]
fn a_release_is_found_however_it_is_pasted() {
    for name in [
        "torch@2.1",
        "torch 2.1",
        "torch-2.1",
        "torch@v2.1",
        "torch v2.1",
        "PyTorch 2.1",
        "pytorch==2.1.2",
        "torch@==2.1.2",
        "torch ==2.1.2",
        "torch===2.1.2",
        "torch=2.1",
        "torch@2.1.*",
        "torch@2.1.x",
        "torch == 2.1.*",
        "torch@2.1.2+cu121",
        "torch==2.1.2+cpu",
        "torch>=2.1,<2.2",
        "torch (>=2.1,<2.2)",
        "torch~=2.1.0",
        "torch==2.1.2 ; python_version < '3.13'",
        "torch==2.1.2  # the last with it",
        " torch @ 2.1 ",
    ] {
        assert_eq!(named(name), "torch@2.1.2", "{name}");
    }
    assert_eq!(named("tf@2.15"), "tensorflow@2.15.1");
    assert_eq!(named("tensorflow-cpu-2.15"), "tensorflow@2.15.1");
    assert_eq!(named("tensorflow-gpu==2.15.1"), "tensorflow@2.15.1");
    assert_eq!(named("jax[cuda12]==0.4.30"), "jax@0.4.30");
    assert_eq!(named("jaxlib 0.4.30"), "jax@0.4.30");
    let newest = Family::Torch.rows().last().unwrap().version;
    assert_eq!(named("torch@latest"), format!("torch@{newest}"));
}

#[test]
fn every_patch_release_has_a_name_and_says_what_it_is_judged_as() {
    assert_eq!(named("torch@2.1.0"), "torch@2.1.0");
    assert_eq!(named("torch==2.1"), "torch@2.1.0");
    let patch = find("torch@2.1.0").unwrap();
    assert_eq!(patch.row().version.to_string(), "2.1.2");
    assert!(patch.stand_in().unwrap().starts_with("judged as 2.1.2"));
    assert!(patch.party().name == "torch 2.1.0" && patch.party().origin.contains("2023-10-04"));
    assert_eq!(named("tensorflow@2.15.0.post1"), "tensorflow@2.15.0.post1");
    for family in Family::ALL {
        for one in crate::published::all(family) {
            let version = family.version(one.version);
            let (name, pinned) = (format!("{family}@{version}"), format!("{family}=={version}"));
            match one.row {
                Some(_) => {
                    assert_eq!(named(&name), name);
                    assert_eq!(named(&pinned), name);
                    let release = exactly(family, &one.version.to_string()).unwrap();
                    assert_eq!(release, find(&name).unwrap());
                }
                None if one.version.is_before_release() => assert_eq!(named(&name), name),
                None => {
                    let error = refused(&format!("{family}=={}", one.version));
                    assert!(error.starts_with("unknown release"), "{error}");
                }
            }
        }
    }
}

#[test]
fn builds_before_a_release_are_judged_as_the_next_one() {
    let of = |name: &str| {
        let release = find(name).unwrap();
        (release.row().version.to_string(), release.judged_as().unwrap())
    };
    assert_eq!(of("tensorflow@2.16.0rc0"), ("2.16.2".into(), Basis::Next));
    assert_eq!(of("tf-nightly==2.16.0.dev20231101"), ("2.16.2".into(), Basis::Next));
    assert_eq!(of("torch@2.4.0.dev20240601+cu124"), ("2.4.1".into(), Basis::Next));
    assert_eq!(of("jax@0.4.36.dev20241101"), ("0.4.36".into(), Basis::Next));
    let newest = Family::Torch.rows().last().unwrap().version.to_string();
    assert_eq!(of("torch@2.16.0.dev20261101"), (newest.clone(), Basis::Newest));
    assert_eq!(of("torch@2.16.0rc1"), (newest, Basis::Newest));
    assert!(refused("torch@9.0.0.dev20261101").starts_with("unknown release: torch 9.0.0.dev"));
    assert!(refused("tf-nightly").contains("not a version"), "{}", refused("tf-nightly"));
}

#[test]
fn a_release_after_the_last_that_is_listed_is_judged_as_that_one() {
    let newest = Family::Torch.rows().last().unwrap().version;
    let next = format!("torch@{}.{}", newest.major(), newest.minor() + 1);
    for name in
        [next.clone(), format!("torch=={newest}.1"), format!("torch@{}.0", newest.major() + 1)]
    {
        let name = name.replace(".0.1", ".1");
        let release = find(&name).unwrap();
        assert_eq!(release.judged_as(), Some(Basis::Unlisted), "{name}");
        assert_eq!(release.row().version, newest, "{name}");
        let party = release.party();
        assert!(party.unjudged[0].reason.contains("a guess") && party.dated.is_none(), "{name}");
    }
    // A patch release of a minor that is not the newest.
    assert_eq!(find("torch@2.1.3").unwrap().row().version.to_string(), "2.1.2");
    for slip in ["torch@2.99", "torch@2.51", "torch@2.1.4", "torch@9.1"] {
        assert!(refused(slip).starts_with("unknown release"), "{slip}");
    }
}

#[test]
fn a_range_is_every_release_in_it_and_one_of_several_is_not_chosen() {
    let of = |name: &str| {
        let all = select(name).unwrap();
        all.iter().map(Release::to_string).collect::<Vec<_>>().join(" ")
    };
    use crate::Release;
    assert_eq!(of("torch>=2.1,<2.4"), "torch@2.1.2 torch@2.2.2 torch@2.3.1");
    assert_eq!(of("torch@>=2.1,<2.4"), of("torch>=2.1,<2.4"));
    assert_eq!(of("torch>=2.1,<2.1.2"), "torch@2.1.1");
    assert_eq!(of("torch>=2.1,<=2.2.1"), "torch@2.1.2 torch@2.2.1");
    assert!(of("torch~=2.13").starts_with("torch@2.13.0 torch@2.14.1"));
    assert!(!of("torch!=2.1.2,>=2.1,<2.2").contains("2.1.2"));
    assert_eq!(
        refused("torch>=2.1,<2.4"),
        "several releases are in the range torch>=2.1, <2.4, and one is needed: torch@2.1.2, torch@2.2.2, \
         torch@2.3.1"
    );
    assert!(refused("torch>=77").starts_with("unknown release: torch >=77; nearest known is"));
}

#[test]
fn what_is_unknown_comes_with_what_is_near() {
    for (name, error) in [
        (
            "torhc@2.1",
            "unknown family of releases (known are torch, tensorflow, jax, onnxruntime, onnx, keras, torch_xla, tf_keras, tfjs, llama.cpp, llama-cpp-python, transformers, vllm, sglang, scikit-learn, tokenizers and peft): torhc; did you mean torch@2.1?",
        ),
        (
            "pytroch==2.1",
            "unknown family of releases (known are torch, tensorflow, jax, onnxruntime, onnx, keras, torch_xla, tf_keras, tfjs, llama.cpp, llama-cpp-python, transformers, vllm, sglang, scikit-learn, tokenizers and peft): pytroch; did you mean pytorch==2.1?",
        ),
        (
            "coreml@1.9",
            "unknown family of releases (known are torch, tensorflow, jax, onnxruntime, onnx, keras, torch_xla, tf_keras, tfjs, llama.cpp, llama-cpp-python, transformers, vllm, sglang, scikit-learn, tokenizers and peft): coreml",
        ),
        (
            "tensorflow@2.51",
            "unknown release: tensorflow 2.51; nearest known is 2.21.0; did you mean tensorflow@2.15?",
        ),
        ("jax@0.42", "unknown release: jax 0.42; nearest known is 0.12.0.1"),
        (
            "torch@1.14",
            "unknown release: torch 1.14; nearest known are 1.13.1 and 2.0.1; did you mean torch@1.4?",
        ),
        (
            "torch@2.1.7",
            "unknown release: torch 2.1.7; nearest known are 2.1.2 and 2.2.2; did you mean torch@2.1.2?",
        ),
        (
            "jax@0.3.25",
            "unknown release: jax 0.3.25, which was published on 2022-11-15, but is not in the database; nearest known is 0.4.10",
        ),
        (
            "v2.1",
            "a version without a family of releases: v2.1; did you mean torch@v2.1 or tensorflow@v2.1 or torch_xla@v2.1 or tfjs@v2.1?",
        ),
        (
            "2.1.2+cu121",
            "a version without a family of releases: 2.1.2+cu121; did you mean torch@2.1.2+cu121 or tensorflow@2.1.2+cu121?",
        ),
        ("torch", "a release needs a version, as in `torch@2.15.0` or `torch@latest`; got: torch"),
        (
            "tf@two",
            "not a version of tensorflow (such as tensorflow@2.21.0, tensorflow>=2.1,<2.4 or tensorflow@latest): two",
        ),
    ] {
        assert_eq!(refused(name), error, "{name}");
    }
}

#[test]
fn names_and_paths_are_told_apart() {
    for name in ["torch@2.1", "torhc@2.1", "torch>=2,<3", "tf 2.15", "onnx==1.9", "jax", "2.1.2"] {
        assert!(is_meant(name), "{name}");
    }
    for name in
        ["model.pt", "models/net.pt", "./torch", "net-2.pt", "a=b.pt", "C:\\torch", "", "=2.1"]
    {
        assert!(!is_meant(name), "{name}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = (find(&text), select(&text), is_meant(&text), text.parse::<Exact>());
    }

    #[test]
    fn no_text_that_looks_like_a_name_makes_it_panic(
        text in "(torch|tf|tf-nightly|jaxlib|v|)[-@ _]?(==|>=|~=|<|!=|=)?v?[0-9.x*]{0,8}(rc|\\.dev|\\+cu|,<|a|\\[)?[0-9.]{0,6}"
    ) {
        let _ = (find(&text), select(&text), is_meant(&text));
    }

    #[test]
    fn what_is_shown_is_read_as_the_same(
        family in prop::sample::select(Family::ALL.to_vec()),
        form in "(@|==|>=|~=|<| |!=)[0-9]{1,2}\\.[0-9]{1,2}(\\.[0-9]{1,2})?(rc[0-9]|\\.dev[0-9]{8}|\\.post[0-9])?(\\+cu121)?"
    ) {
        if let Ok(name) = format!("{family}{form}").parse::<ReleaseName>() {
            prop_assert_eq!(name.to_string().parse::<ReleaseName>(), Ok(name));
        }
    }

    #[test]
    fn a_release_is_found_by_what_it_is_shown_as(
        family in prop::sample::select(Family::ALL.to_vec()),
        version in "[0-2]\\.[0-9]{1,2}(\\.[0-9]{1,2})?(rc[0-9]|\\.dev[0-9]{8})?"
    ) {
        if let Ok(release) = find(&format!("{family}@{version}")) {
            prop_assert_eq!(find(&release.to_string()), Ok(release));
        }
    }
}
