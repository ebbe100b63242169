//! A package that the real AOTInductor compiled.

use std::process::Command;

use unskew_core::{Context, Outcome, check};
use unskew_releases::find;
use unskew_source::FileSource;
use unskew_torch_matrix::TorchHost;

/// Compiles a layer for the processor, loads the package and runs it. A module with the names of setuptools stands in
/// for it: nothing of it is called.
const MAKE: &str = r#"
import sys, types
for name in ["setuptools", "setuptools.command", "setuptools.command.build_ext"]:
    sys.modules[name] = types.ModuleType(name)
    for of in ["Command", "Extension", "build_ext"]:
        setattr(sys.modules[name], of, type(of, (), {}))
import torch
model, x = torch.nn.Linear(8, 4).eval(), torch.ones(3, 8)
with torch.no_grad():
    path = torch._inductor.aoti_compile_and_package(torch.export.export(model, (x,)), package_path=sys.argv[1])
    assert torch.allclose(torch._inductor.aoti_load_package(path)(x), model(x), atol=1e-5)
"#;

#[test]
fn a_package_is_judged_by_the_symbols_of_its_library() {
    if !unskew_peers::there("torch-2.15.0")
        || Command::new("g++").arg("--version").output().is_err()
    {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.pt2");
    let mut command = TorchHost::named("2.15.0").unwrap().command();
    command.env("TORCHINDUCTOR_CACHE_DIR", folder.path().join("cache"));
    let made = command.args(["-c", MAKE]).arg(&path).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let source = std::sync::Arc::new(FileSource::open(&path).unwrap());
    let file = unskew_torch::party(&(source as _)).unwrap().unwrap();
    let context = Context::for_tests();
    let on = |release: &str| check(&file, &find(release).unwrap().party(), &context);
    let codes = |release: &str| -> Vec<&str> {
        on(release).findings.iter().map(|finding| finding.rule.code).collect()
    };
    let own = on("torch@2.15");
    assert!(own.findings.is_empty() && own.outcome == Outcome::Compatible, "{own:?}");
    let stable = |verdict: &unskew_core::Verdict| {
        verdict.promises.iter().any(|one| one.policy.contains("stable ABI"))
    };
    assert!(stable(&own), "{:?}", own.promises);
    // 2.8.0 loads such a package, 2.7.1 and 2.6.0 do not find its library, and 2.6.0 lacks a function of it.
    assert_eq!(codes("torch@2.8"), [""; 0]);
    assert_eq!(codes("torch@2.7"), ["PT205"]);
    assert_eq!(codes("torch@2.6"), ["EX102", "PT205"]);
}
