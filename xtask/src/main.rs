//! One-word commands for developers: `cargo xtask test`, `corpus`, `docs`, `harvest`, `bench`, `jax`, `ifrt`,
//! `distributed`.
#![forbid(unsafe_code)]

mod abi;
mod behaviour;
mod bench;
mod changelog;
mod corpus;
mod deviation;
mod distributed;
mod docs;
mod environment;
mod environments;
mod extensions;
mod fetch;
mod fuzz;
mod generated;
mod guides;
mod handlers;
mod harvest;
mod headers_differential;
mod hostile;
mod ifrt;
mod instructions;
mod jax;
mod jax_caches;
mod jax_executables;
mod jax_export;
mod jax_tests;
mod keras;
mod new_boundary;
mod new_rule;
mod new_upgrader;
mod onnx_conversions;
mod onnx_differential;
mod onnx_exports;
mod programs_on_plugins;
mod promise;
mod proto_differential;
mod published_wheel;
mod se;
mod site;
mod stablehlo_chlo;
mod stablehlo_differential;
mod stablehlo_programs;
mod stablehlo_text;
mod stablehlo_values;
mod stablehlo_versions;
mod tensorflow;
mod tensorflow_data;
mod tensorflow_differential;
mod test;
mod tf_behaviour;
mod tfjs;
mod torch;
mod torch_battery;
mod torch_differential;
mod torch_models;
mod torch_quantized;
mod wheel;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// One-word commands for developers.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Fetches what tests need, and runs them: without a framework, or with `--real` all that CI runs.
    Test(test::Test),
    /// Builds the site of the docs: search, dark mode, versions; fails at links that lead nowhere.
    Site {
        /// The version that it is of, such as 0.1; of the trunk, dev.
        #[arg(long, default_value = "dev")]
        version: String,
    },
    /// Builds and runs the projects in the guides, outside of this workspace.
    Guides {
        /// The command that they call `unskew`.
        #[arg(long, default_value = "target/debug/unskew")]
        command: PathBuf,
    },
    /// Freezes the histories and locks of this repository, as the baseline of its own lint.
    Promise,
    /// Writes the changes in `changes/` into CHANGELOG.md, as the section of a release.
    Changelog {
        /// The version of the release.
        version: String,
        /// The day of the release.
        day: unskew_core::Date,
    },
    /// Fetches the real models and plug-ins that tests use.
    Corpus {
        /// Makes the Python environments of all JAX releases, not only of those that the tests need.
        #[arg(long)]
        all_jax: bool,
        /// The same for TensorFlow: more than a gigabyte each.
        #[arg(long)]
        all_tensorflow: bool,
        /// The same for PyTorch: more than a gigabyte each.
        #[arg(long)]
        all_torch: bool,
    },
    /// Writes the requirements of the environment of a release, every package with its hashes.
    Pin {
        /// Such as jax==0.10.2, tensorflow==2.21.0 or torch==2.15.0.
        release: String,
        /// What else to ask of pip, such as numpy==2.1.3.
        others: Vec<String>,
        /// The Pythons to pin for, the first one's choice of versions first, such as 3.12,3.11.
        #[arg(long)]
        python: Option<String>,
    },
    /// Holds the ABI data of the PJRT C API against the real headers of published packages, and against what
    /// plug-ins say.
    Abi(abi::Abi),
    /// Holds the data of the StreamExecutor C API against the real headers in TensorFlow's wheels.
    Se(se::Se),
    /// Holds the IFRT types against the protobuf descriptors in real packages of jaxlib, and runs real JAX
    /// releases on the proxy server.
    Ifrt(ifrt::Ifrt),
    /// Writes the pages that are made from rules and sources.
    Docs {
        /// Writes nothing, and fails if a page is stale.
        #[arg(long)]
        check: bool,
    },
    /// Makes the crate of a new boundary, with its rows in the tables that have all of them.
    NewBoundary {
        /// Where it goes below `crates`: a folder and a name, such as ggml/gguf.
        place: String,
        /// Two letters for the family of its rules.
        code: String,
    },
    /// Makes the files of a new rule: the rule itself, and for headers a fixture and a snapshot.
    NewRule {
        /// Two letters for the family and three digits, such as HD120.
        code: String,
        /// Words joined by hyphens.
        name: String,
    },
    /// Edits real headers at random, and holds the verdicts of `unskew diff` against a C compiler.
    HeadersDifferential(headers_differential::HeadersDifferential),
    /// Edits protobuf files at random, and holds the verdicts against what real protobuf runtimes do with bytes.
    ProtoDifferential(proto_differential::ProtoDifferential),
    /// Takes a release into the database, from its real package.
    Harvest {
        /// Such as torch==2.15.0, tensorflow==2.21.0 or jax==0.10.2; pjrt-plugins==corpus, pjrt-plugins==wheel.
        release: String,
        /// Takes a PyTorch operator table, a TensorFlow OpList or a wheel with PJRT plug-ins from this file instead.
        #[arg(long)]
        from: Option<PathBuf>,
    },
    /// Writes a change of an operator into the registry: its entry, its upgrader or downgrader, its test.
    NewUpgrader(Box<new_upgrader::NewUpgrader>),
    /// Runs JAX releases on plug-ins: as they are, through the adapter, with the handlers of jaxlib.
    Jax(jax::Jax),
    /// Runs TensorFlow releases on a pluggable device.
    Tensorflow(tensorflow::Tensorflow),
    /// Loads graphs and SavedModels, as they are and converted, on TensorFlow releases, and holds the verdicts
    /// against what they did.
    TensorflowData(tensorflow_data::TensorflowData),
    /// Makes graphs at random and holds verdicts and conversions against what TensorFlow releases do with them.
    TensorflowDifferential(tensorflow_differential::TensorflowDifferential),
    /// Runs a sample of JAX's own tests on a plug-in, and compares test by test with jaxlib's CPU.
    JaxTests(jax_tests::JaxTests),

    /// Has JAX releases look into compilation caches of each other, and holds predictions against what they did.
    JaxCaches(jax_caches::JaxCaches),
    /// Has JAX releases serialize executables and load those of each other, and holds the verdicts against what they do.
    JaxExecutables(jax_executables::JaxExecutables),
    /// Has JAX releases write and read files of `jax.export`, and holds the verdicts against what they do.
    JaxExport(jax_export::JaxExport),
    /// Compiles and runs JAX's back-compatibility data on plug-ins, and holds the predictions against what came of it.
    ProgramsOnPlugins(programs_on_plugins::ProgramsOnPlugins),
    Keras(keras::KerasCheck),
    /// Has the converter of TensorFlow.js write models and releases of it load them, and holds the verdicts against that.
    Tfjs(tfjs::TfjsCheck),
    /// Writes down what StableHLO makes of the mathematical functions of CHLO.
    StablehloChlo,
    /// Makes StableHLO artifacts at random, and holds the verdicts against what real jaxlibs do with them.
    StablehloDifferential(stablehlo_differential::StablehloDifferential),
    StablehloText(stablehlo_text::StablehloText),
    StablehloValues(stablehlo_values::StablehloValues),
    StablehloVersions(stablehlo_versions::StablehloVersions),
    OnnxConversions(onnx_conversions::OnnxConversions),
    /// Holds verdicts about ONNX models against what real ONNX Runtimes do with them.
    OnnxDifferential(onnx_differential::OnnxDifferential),
    OnnxExports(onnx_exports::OnnxExports),
    /// Imports wheels with native extensions beside PyTorch and TensorFlow, and holds predictions against what they did.
    Extensions(extensions::Extensions),
    /// Registers handlers of XLA's FFI in releases of jaxlib, and holds predictions against what they did.
    Handlers(handlers::HandlersMatrix),
    /// Imports generated code with releases of protobuf, and holds predictions against what came of it.
    Generated(generated::GeneratedMatrix),
    /// Judges environments that break and others that work, imports what can be, and holds the two against each other.
    Environments(environments::Environments),
    /// Runs recorded files, as they are and converted, on PyTorch releases.
    Torch(torch::Torch),
    /// Has PyTorch releases write models, and runs them converted on others.
    TorchModels(torch_models::TorchModels),
    /// Has real PyTorch releases write functions by the samples of their own tests, and judges, converts and runs them for
    /// others.
    TorchBattery(torch_battery::TorchBattery),
    /// Has real PyTorch releases write quantized models, and judges, converts and runs them for others.
    TorchQuantized(torch_quantized::TorchQuantized),
    /// Compares what operators do in PyTorch releases, and writes the data of what changed.
    Behaviour(behaviour::Behaviour),
    TfBehaviour(tf_behaviour::TfBehaviour),
    /// Compares verdicts with what real PyTorch releases do with archives that others wrote at random.
    TorchDifferential(torch_differential::TorchDifferential),
    /// Builds and tests what brings DataFusion along, which takes minutes: `unskew scan query`, and the job of Ballista.
    Distributed,
    /// Runs the command on mutated files of every format.
    Hostile(hostile::Hostile),
    /// Builds the package for Python: the command, the adapter and the module in one wheel; and tries it.
    Wheel(wheel::Wheel),
    /// Measures the command on large files: time and memory of whole processes.
    Bench(bench::Bench),
    /// Counts the instructions of commands with callgrind, and fails if one needs more than is written down.
    Instructions(instructions::Instructions),
    /// Asks one plug-in for its sizes: what `abi` starts, because a plug-in may end its process.
    #[command(name = "__sizes", hide = true)]
    Sizes {
        plugin: PathBuf,
    },
    /// Asks one plug-in what it is: what `harvest` starts, because a plug-in may end its process.
    #[command(name = "__look", hide = true)]
    Look {
        plugin: PathBuf,
        /// Programs to compile, as a file of jobs
        #[arg(long)]
        programs: Option<PathBuf>,
        #[arg(long, default_value_t = 0)]
        from: usize,
    },
    /// A part of `hostile`: what it starts, because time and memory are counted per parent.
    #[command(name = "__hostile", hide = true)]
    HostileBatch(hostile::Batch),
    /// Measures one command: what `bench` starts, because memory is counted per parent.
    #[command(name = "__measure", hide = true)]
    Measure {
        runs: usize,
        #[arg(last = true)]
        command: Vec<String>,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().verb {
        Verb::Test(asked) => test::run(&asked),
        Verb::Wheel(asked) => wheel::run(&asked),
        Verb::Distributed => distributed::run(),
        Verb::Promise => promise::run(),
        Verb::Changelog { version, day } => changelog::run(&version, day),
        Verb::Site { version } => site::run(&version),
        Verb::Guides { command } => guides::run(&unskew_peers::root().join(command)),
        Verb::Corpus { all_jax, all_tensorflow, all_torch } => {
            let families =
                [(all_jax, "jax-"), (all_tensorflow, "tensorflow-"), (all_torch, "torch-")];
            corpus::run(
                true,
                families.into_iter().filter(|(all, _)| *all).map(|(_, family)| family),
            )
        }
        Verb::Pin { release, others, python } => {
            environment::pin(&release, &others, python.as_deref())
        }
        Verb::Abi(arguments) => abi::run(&arguments),
        Verb::Se(arguments) => se::run(&arguments),
        Verb::Ifrt(arguments) => ifrt::run(&arguments),
        Verb::Docs { check } => docs::run(check),
        Verb::NewBoundary { place, code } => new_boundary::run(&place, &code),
        Verb::NewRule { code, name } => new_rule::run(&code, &name),
        Verb::Harvest { release, from } => harvest::run(&release, from.as_deref()),
        Verb::NewUpgrader(change) => new_upgrader::run(&change),
        Verb::HeadersDifferential(arguments) => headers_differential::run(&arguments),
        Verb::ProtoDifferential(arguments) => proto_differential::run(&arguments),
        Verb::Jax(jax) => jax::run(&jax),
        Verb::Tensorflow(tensorflow) => tensorflow::run(&tensorflow),
        Verb::TensorflowData(arguments) => tensorflow_data::run(&arguments),
        Verb::TensorflowDifferential(arguments) => tensorflow_differential::run(&arguments),
        Verb::JaxTests(arguments) => jax_tests::run(&arguments),
        Verb::JaxCaches(arguments) => jax_caches::run(&arguments),
        Verb::JaxExecutables(arguments) => jax_executables::run(&arguments),
        Verb::JaxExport(arguments) => jax_export::run(&arguments),
        Verb::ProgramsOnPlugins(arguments) => programs_on_plugins::run(&arguments),
        Verb::Keras(arguments) => keras::run(&arguments),
        Verb::Tfjs(arguments) => tfjs::run(&arguments),
        Verb::OnnxConversions(arguments) => onnx_conversions::run(&arguments),
        Verb::OnnxDifferential(arguments) => onnx_differential::run(&arguments),
        Verb::OnnxExports(arguments) => onnx_exports::run(&arguments),
        Verb::StablehloChlo => stablehlo_chlo::run(),
        Verb::StablehloDifferential(arguments) => stablehlo_differential::run(&arguments),
        Verb::StablehloText(arguments) => stablehlo_text::run(&arguments),
        Verb::StablehloValues(arguments) => stablehlo_values::run(&arguments),
        Verb::StablehloVersions(arguments) => stablehlo_versions::run(&arguments),
        Verb::Extensions(arguments) => extensions::run(&arguments),
        Verb::Handlers(arguments) => handlers::run(&arguments),
        Verb::Generated(arguments) => generated::run(&arguments),
        Verb::Environments(arguments) => environments::run(&arguments),
        Verb::Torch(torch) => torch::run(&torch),
        Verb::TorchModels(models) => torch_models::run(&models),
        Verb::TorchBattery(battery) => torch_battery::run(&battery),
        Verb::TorchQuantized(models) => torch_quantized::run(&models),
        Verb::TorchDifferential(differential) => torch_differential::run(&differential),
        Verb::Behaviour(behaviour) => behaviour::run(&behaviour),
        Verb::TfBehaviour(arguments) => tf_behaviour::run(&arguments),
        Verb::Hostile(hostile) => hostile::run(&hostile),
        Verb::HostileBatch(batch) => hostile::run_batch(&batch),
        Verb::Bench(bench) => bench::run(&bench),
        Verb::Instructions(asked) => instructions::run(&asked),
        Verb::Sizes { plugin } => abi::sizes_child(&plugin),
        Verb::Look { plugin, programs, from } => std::process::exit(match programs {
            Some(programs) => unskew_artifact::compile_main(&plugin, &programs, from),
            None => unskew_artifact::probe_main(&plugin, None),
        }),
        Verb::Measure { runs, command } => bench::run_measure(runs, &command),
    }
}
