//! `cargo lab torch-models`: models that real PyTorch releases write, converted for others and run there.
//!
//! `lab/torch/probes/torch_models.py` makes them with random weights: families of torchvision, and blocks of transformers,
//! recurrent networks and attention. An environment that is not there yet is made for its run and removed after it,
//! unless `--keep` is given. `--write` puts the table into the documentation.

use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::environment::{Environment, with_release};
use unskew_lab_harness::{Page, WritePage};
use unskew_peers::Peer;
use unskew_releases::find;
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::models::{
    ModelKind, RequestedModel, fare, models_reasons, models_table, write,
};

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/torch-models.md");

const HEAD: &str = "<!-- made by `cargo lab torch-models --write` -->\n\n# Converted models on real PyTorch releases\n\n\
    Models with random weights that a release writes for the occasion (`lab/torch/probes/torch_models.py`), converted for an \
    older one and run there. Exported are 19 families of torchvision and seven blocks: an encoder, ViT, Swin, an LSTM and \
    layers like those of DETR, Whisper and Llama. Scripted and traced are these blocks, and one of every call that such \
    models were refused for (`pieces`). *Equal* means the same types and shapes, and floats up to a ten-thousandth, as each \
    release adds in an order of its own. *Said to differ* means that the verdict of the converted file says so.\n\n";

/// What of torchvision goes with a release of PyTorch, as far as making models goes.
const TORCHVISION: [(&str, &str); 2] = [("2.15.0", "0.29.2"), ("2.7.1", "0.22.1")];

/// Has PyTorch releases write models, and runs them converted on others.
#[derive(Args)]
pub struct TorchModels {
    /// A release that writes.
    #[arg(long = "writer", default_values = ["2.15.0", "2.7.1"])]
    writers: Vec<String>,
    /// A release that reads what `torch.export` wrote.
    #[arg(long = "reader", default_values = ["2.3.1", "2.5.1"])]
    readers: Vec<String>,
    /// A release that reads TorchScript, which the first writer writes.
    #[arg(long = "script-reader", default_values = ["1.4.0", "1.10.2"])]
    script_readers: Vec<String>,
    /// A model; all that there are if none is named.
    #[arg(long = "model")]
    models: Vec<String>,
    /// How many seconds a release may take.
    #[arg(long, default_value_t = 1800)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be run. What a release does is no error.
pub fn run(arguments: &TorchModels) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let limit = Duration::from_secs(arguments.limit);
    let mut made: Vec<(Version, Vec<RequestedModel>)> = Vec::new();
    for (n, writer) in arguments.writers.iter().enumerate() {
        let kinds: &[ModelKind] = match n {
            0 => &[ModelKind::Exported, ModelKind::Scripted, ModelKind::Traced],
            _ => &[ModelKind::Exported],
        };
        let place = folder.path().join(writer);
        fs::create_dir(&place)?;
        let all = with(writer, arguments.keep, |host| {
            written(host, writer, &place, kinds, &arguments.models, limit)
        })?;
        made.push((writer.parse()?, all));
    }
    let mut cells = Vec::new();
    let readers = arguments.readers.iter().map(|reader| (reader, false));
    for (reader, script) in readers.chain(arguments.script_readers.iter().map(|one| (one, true))) {
        let release = find(&format!("torch@{reader}"))?;
        let found = with(reader, arguments.keep, |host| {
            let mut found = Vec::new();
            for (writer, all) in &made {
                let all: Vec<RequestedModel> = all
                    .iter()
                    .filter(|one| (one.kind != ModelKind::Exported) == script)
                    .cloned()
                    .collect();
                let place = folder.path().join(writer.to_string());
                found.extend(fare(*writer, &all, &place, host, release, limit)?);
            }
            Ok(found)
        })?;
        eprint!("{}", models_table(&found));
        cells.extend(found);
    }
    let reasons: String =
        models_reasons(&cells).lines().map(|line| format!("* {line}\n")).collect();
    let page = format!("{}\nNot equal:\n\n{reasons}", models_table(&cells));
    PAGE.publish(HEAD, &page, &arguments.write)?;
    Ok(())
}

/// Does something with a release, whose environment is made for it if it is not there.
///
/// # Errors
/// If it cannot be made, or the act fails.
pub(crate) fn with<T>(
    version: &str,
    keep: bool,
    act: impl FnOnce(&TorchHost) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_release("torch", version, keep, || act(&TorchHost::named(version)?))
}

fn written(
    host: &TorchHost,
    writer: &str,
    place: &Path,
    kinds: &[ModelKind],
    names: &[String],
    limit: Duration,
) -> anyhow::Result<Vec<RequestedModel>> {
    let known = TORCHVISION.iter().find(|(torch, _)| *torch == writer);
    let torchvision = match known {
        Some((_, version)) => {
            Environment::named(&format!("torchvision-{version}"))?.make()?;
            Some(Peer::named("torchvision", version)?)
        }
        None => None,
    };
    let mut all = Vec::new();
    for kind in kinds {
        all.extend(write(host, torchvision.as_ref(), place, *kind, names, limit)?);
    }
    Ok(all)
}
