//! What a real PyTorch gives of files that were converted for it.

use std::collections::BTreeSet;
use std::time::Duration;

use unskew_releases::find;
use unskew_source::{ConvertedArtifact, SourceExt as _};
use unskew_torch::TorchConvertOptions;
use unskew_torch_matrix::{
    BARS, ConversionPrediction, FileSelection, ModuleLoader, RunJob, TorchHost, TrialOutcome,
    recorded, trials,
};

const RELEASE: &str = "2.15.0";

const LIMIT: Duration = Duration::from_secs(480);

/// The release, if real ones are run.
fn host() -> Option<TorchHost> {
    unskew_peers::there("torch-2.15.0").then(|| TorchHost::named(RELEASE).unwrap())
}

/// Every recorded file that is rewritten for the newest release runs on it and gives what its writer gave.
#[test]
fn every_rewritten_file_gives_on_a_real_release_what_its_writer_gave() {
    let Some(host) = host() else { return };
    let release = find(&format!("torch@{RELEASE}")).unwrap();
    let trials = trials(&host, release, FileSelection::Rewritten, LIMIT).unwrap();
    let rewritten: Vec<_> =
        trials.iter().filter(|trial| trial.fate == ConversionPrediction::Rewritten).collect();
    assert!(rewritten.len() >= 100, "{}", rewritten.len());
    let unequal: BTreeSet<String> = rewritten
        .iter()
        .filter(|trial| !matches!(trial.after, Some(TrialOutcome::Equal | TrialOutcome::Accepted)))
        .map(|trial| format!("{}: {:?}", trial.file, trial.after))
        .collect();
    assert!(unequal.is_empty(), "{unequal:#?}");
    // 1.6 alone refused to divide integers, and to fill with one without a type: by the version of its files the
    // operators are those of later releases, which do both.
    for trial in trials.iter().filter(|trial| trial.after == Some(TrialOutcome::Accepted)) {
        assert!(trial.file.starts_with("1.6.0/"), "{}", trial.file);
    }
    // Nothing has to be left as it is for want of an exact form.
    assert!(trials.iter().all(|trial| !matches!(trial.fate, ConversionPrediction::Blocked(_))));
    for bar in BARS.iter().filter(|bar| bar.on == RELEASE) {
        let count = bar.count(&trials);
        let kept =
            trials.iter().filter(|trial| trial.fate == ConversionPrediction::Unchanged).count();
        // Those that stay as they are were not run here.
        assert!(count.all > 0 && count.equal <= count.all && kept > 0, "{}: {count:?}", bar.what);
    }
}

/// Files of `torch.export` of 2.3 run as well as those of 2.4.
#[test]
fn files_of_torch_export_2_3_give_on_a_real_release_what_they_gave() {
    let Some(host) = host() else { return };
    let runtime = unskew_releases::torch::runtime(find(&format!("torch@{RELEASE}")).unwrap().row());
    let runtime = runtime.unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The probe gives by place only.
    let all: Vec<_> = recorded::exported().unwrap();
    let all: Vec<_> = all.into_iter().filter(|one| one.named.is_empty()).collect();
    let jobs: Vec<RunJob> = all
        .iter()
        .map(|one| {
            let file = recorded::source(&one.name, &one.bytes);
            let (plan, output) =
                unskew_torch::convert(&file, &runtime, &TorchConvertOptions::default())
                    .unwrap()
                    .unwrap();
            assert!(plan.is_possible() && !plan.changes_nothing(), "{}", one.name);
            let ConvertedArtifact::File(result) = output else { panic!("{}: a folder", one.name) };
            let path = folder.path().join(one.name.replace('/', "-"));
            std::fs::write(&path, result.all().unwrap()).unwrap();
            let (name, inputs) = (one.name.clone(), one.inputs.clone());
            RunJob { name, path, loader: ModuleLoader::Exported, inputs, engine: None }
        })
        .collect();
    let outcomes = host.run(&jobs, LIMIT).unwrap();
    assert_eq!(jobs.len(), 8);
    for one in &all {
        let outcome = &outcomes[&one.name];
        let found = outcome.output.as_ref().unwrap_or_else(|| panic!("{}: {outcome:?}", one.name));
        let found = recorded::value(found).unwrap();
        assert_eq!(
            recorded::difference(&one.output, &found, recorded::TOLERANCE),
            None,
            "{}",
            one.name
        );
    }
}

/// Makes a package with a scripted model, and reads one back.
const PACKAGE: &str = r#"
import sys, torch, torch.package.package_exporter
from torch.package import PackageExporter, PackageImporter

torch.package.package_exporter._gate_torchscript_serialization = False

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.gelu(x) + torch.div(x, 3)

if sys.argv[1] == "make":
    with PackageExporter(sys.argv[2]) as exporter:
        exporter.save_pickle("models", "model.pkl", torch.jit.script(Model()))
else:
    model = PackageImporter(sys.argv[2]).load_pickle("models", "model.pkl")
    print(model(torch.tensor([3.0, -3.0])).tolist())
"#;

/// The table that RFC 0017 wants in a package lists the calls of its model, and the package still opens.
#[test]
fn a_real_package_gets_the_table_of_its_operators_and_still_opens() {
    let Some(host) = host() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("p.pt"), folder.path().join("with-table.pt"));
    // A file: scripting reads the source of the class.
    let script = folder.path().join("package.py");
    std::fs::write(&script, PACKAGE).unwrap();
    let python = |what: &str, path: &std::path::Path| {
        let output = host.command().arg(&script).arg(what).arg(path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).unwrap()
    };
    python("make", &before);
    let bytes = std::fs::read(&before).unwrap();
    let package = recorded::source("p.pt", &bytes);
    let model = unskew_torch::read(&package).unwrap().unwrap();
    assert_eq!(model.format, unskew_torch::TorchFormat::Package);
    let runtime = unskew_releases::torch::runtime(find(&format!("torch@{RELEASE}")).unwrap().row());
    let runtime = runtime.unwrap();
    let operators = runtime.operators.history().clone();
    let table = unskew_torch::of_package("p.pt", &model, &runtime, &operators);
    let text = table.to_json();
    for operator in ["aten::gelu", "aten::div", "aten::add"] {
        assert!(text.contains(operator), "{text}");
    }
    let with_table = unskew_torch::add_to_package(&package, &table).unwrap();
    std::fs::write(&after, with_table.all().unwrap()).unwrap();
    assert_eq!(python("run", &before), python("run", &after));
}
