//! `cargo lab programs-on-plugins`: the modules of JAX's own back-compatibility data on the CPU plug-ins of the corpus, and
//! what `unskew check` says of each pair.
//!
//! `lab/xla/probes/compat_modules.py` compiles and runs them for real, as the plug-in is and with the handlers of jaxlib. A pair
//! that is predicted otherwise than it comes fails the command.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use unskew_artifact::{OpenOptions, RunPolicy};
use unskew_core::{Finding, Outcome, Party, Severity, check};
use unskew_jax_matrix::PLUGINS;
use unskew_lab_harness::links::SITE;
use unskew_lab_harness::{Page, WritePage, today};
use unskew_peers::Peer;

const PROBE: &str = "lab/xla/probes/compat_modules.py";
const PAGE: Page = Page("docs/reference/programs-on-plugins.md");

/// The JAX whose data they are, and which hands them to the plug-ins.
const HOST: &str = "0.10.2";

/// The rule of a call that a plug-in does not compile, and the words of its fix where jaxlib has the handler.
const CALL: &str = "SH010";
const HANDLERS: &str = "unskew_jax.register()";

/// How often a module may take the process down.
const MOST_ENDS: usize = 20;

/// How far a result may be from what another XLA recorded, in units of its largest number.
const TOLERANCE: f64 = 1e-4;

/// Compiles and runs JAX's back-compatibility data on plug-ins and holds the predictions against what came of it.
#[derive(clap::Args)]
pub struct ProgramsOnPlugins {
    #[command(flatten)]
    write: WritePage,
}

#[derive(Deserialize)]
struct Counted {
    recordings: usize,
    modules: usize,
}

/// What came of a module on a plug-in.
#[derive(Deserialize)]
struct Tried {
    name: String,
    compiles: bool,
    said: String,
    /// How far its results are from the recorded ones; none if it was not called to the end.
    difference: Option<f64>,
}

/// What was said of a pair, and what came of it.
struct Pair {
    module: String,
    plugin: usize,
    outcome: Outcome,
    /// The rules that fired, each once.
    rules: Vec<&'static str>,
    /// Whether it is said to compile once the plug-in has the handlers of jaxlib.
    with_handlers: bool,
    alone: Tried,
    handed: Tried,
}

impl Pair {
    fn is_predicted(&self) -> bool {
        match self.outcome {
            Outcome::Incompatible => !self.alone.compiles,
            Outcome::Unjudged => false,
            _ => self.alone.compiles,
        }
    }

    fn is_predicted_with_handlers(&self) -> bool {
        self.outcome == Outcome::Unjudged || self.with_handlers == self.handed.compiles
    }
}

/// One plug-in, and programs that it is to compile: what [`run`] starts, because a plug-in may end its process.
#[derive(clap::Args)]
pub struct Look {
    plugin: PathBuf,
    /// Programs to compile, as a file of jobs
    #[arg(long)]
    programs: Option<PathBuf>,
    #[arg(long, default_value_t = 0)]
    from: usize,
}

/// Asks it, in this process, whose status says what came of it.
pub fn run_look(look: &Look) -> anyhow::Result<()> {
    std::process::exit(match &look.programs {
        Some(programs) => unskew_artifact::compile_main(&look.plugin, programs, look.from),
        None => unskew_artifact::probe_main(&look.plugin, None),
    })
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment or a plug-in is missing, a prediction is wrong, or a result is not the recorded one.
pub fn run(arguments: &ProgramsOnPlugins) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let modules = folder.path().join("modules");
    fs::create_dir(&modules)?;
    let mut command = probe("write")?;
    let output = command.arg(&modules).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{PROBE} write failed");
    let counted: Counted = serde_json::from_slice(&output.stdout)?;
    let day = today();
    let mut pairs = Vec::new();
    for (at, plugin) in PLUGINS.iter().enumerate() {
        let path = plugin.path();
        let [alone, handed] = [false, true].map(|handlers| {
            let output = folder.path().join(format!("{at}-{handlers}"));
            tried(&path, &output, handlers, counted.modules)
        });
        let party = party(&path)?;
        for (alone, handed) in alone?.into_iter().zip(handed?) {
            ensure!(alone.name == handed.name, "the modules came in another order");
            let program = modules.join(format!("{}.stablehlo", alone.name));
            let artifact = unskew_artifact::open(&program, &OpenOptions::default())?;
            let piece = artifact.pieces.first().context("no program")?;
            let verdict = check(&piece.party, &party, &day);
            let errors =
                || verdict.findings.iter().filter(|finding| finding.severity == Severity::Error);
            let helped = |finding: &Finding| {
                let fix = finding.fix.as_deref().unwrap_or_default();
                finding.rule.code == CALL && fix.contains(HANDLERS)
            };
            let mut rules: Vec<&str> = errors().map(|finding| finding.rule.code).collect();
            rules.dedup();
            pairs.push(Pair {
                module: alone.name.clone(),
                plugin: at,
                outcome: verdict.outcome,
                with_handlers: errors().all(helped),
                rules,
                alone,
                handed,
            });
        }
    }
    let page = page(&counted, &pairs);
    print!("{page}");
    let mut wrong = 0;
    for pair in &pairs {
        let name = format!("{} on {}", pair.module, PLUGINS[pair.plugin].name);
        if !pair.is_predicted() || !pair.is_predicted_with_handlers() {
            wrong += 1;
            println!("{name}: {:?} {:?}: {}", pair.outcome, pair.rules, pair.alone.said);
        }
        for tried in [&pair.alone, &pair.handed].into_iter().filter(|tried| tried.compiles) {
            if tried.difference.is_none_or(|far| far > TOLERANCE) {
                wrong += 1;
                println!("{name}: the results are {:?} from the recorded ones", tried.difference);
            }
        }
    }
    PAGE.write(&page, &arguments.write)?;
    ensure!(wrong == 0, "{wrong} predictions or results are wrong");
    Ok(())
}

fn probe(what: &str) -> anyhow::Result<Command> {
    let mut command = Peer::named("jax", HOST)?.command();
    let root = unskew_peers::root();
    command.arg(root.join(PROBE)).arg(what);
    command.env("PYTHONPATH", root.join("python/unskew_jax"));
    Ok(command)
}

/// Has JAX try every module, in as many processes as it takes.
fn tried(
    plugin: &Path,
    output: &PathBuf,
    handlers: bool,
    modules: usize,
) -> anyhow::Result<Vec<Tried>> {
    for _ in 0..MOST_ENDS {
        let mut command = probe("run")?;
        command.arg(plugin).arg(output).stdout(Stdio::null()).stderr(Stdio::null());
        if handlers {
            command.arg("--handlers");
        }
        command.status()?;
        let text = fs::read_to_string(output).unwrap_or_default();
        let rows: Vec<Tried> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if rows.len() == modules {
            return Ok(rows);
        }
    }
    anyhow::bail!("{} ends the process again and again", plugin.display())
}

/// The plug-in as `unskew check` sees it: asked in the sandbox of a child process.
fn party(plugin: &Path) -> anyhow::Result<std::sync::Arc<Party>> {
    let own = std::env::current_exe()?;
    let options = OpenOptions::probing(RunPolicy::Named, move |path: &Path| {
        let mut command = Command::new(&own);
        command.arg("__look").arg(path);
        command
    });
    let artifact = unskew_artifact::open(plugin, &options)?;
    let piece = artifact.pieces.into_iter().next().context("no plug-in")?;
    Ok(piece.party)
}

fn page(counted: &Counted, pairs: &[Pair]) -> String {
    let count = |what: fn(&Pair) -> bool| pairs.iter().filter(|pair| what(pair)).count();
    let wrong = count(|pair| pair.outcome != Outcome::Unjudged && !pair.is_predicted());
    let compile = count(|pair| pair.alone.compiles);
    let handed = count(|pair| pair.handed.compiles);
    let tried = || pairs.iter().flat_map(|pair| [&pair.alone, &pair.handed]);
    let called: Vec<f64> =
        tried().filter(|one| one.compiles).filter_map(|one| one.difference).collect();
    let most = called.iter().copied().fold(0.0, f64::max);
    let mut text = format!(
        "<!-- made by `cargo lab programs-on-plugins --write` -->\n\n# What programs ask of plug-ins\n\n\
         The {} recordings of JAX's own back-compatibility data, as JAX {HOST} has them ({} modules that differ), compiled for \
         real on three CPU plug-ins, each for as many devices as it was recorded for. Of {} pairs `unskew check` called {} \
         incompatible, {} compatible and {} not judged; {wrong} are wrong. {compile} compile as the plug-in is, and {handed} \
         with the handlers of jaxlib (`unskew_jax.register()`), of which {} are predicted. All {} that compile were called with \
         the recorded inputs: the results are at most {most:.0e} from the recorded ones, in units of the largest number of \
         each; eigenvectors and Schur vectors, which are not unique, are multiplied out first.\n\n\
         A cell is how many modules compile, with + how many more do with the handlers of jaxlib, and the rules that say why \
         the others do not.\n\n| modules | |{}\n| --- | --: |{}\n",
        counted.recordings,
        counted.modules,
        pairs.len(),
        count(|pair| pair.outcome == Outcome::Incompatible),
        count(|pair| !matches!(pair.outcome, Outcome::Incompatible | Outcome::Unjudged)),
        count(|pair| pair.outcome == Outcome::Unjudged),
        count(|pair| pair.handed.compiles && pair.with_handlers),
        called.len(),
        PLUGINS.iter().map(|plugin| format!(" PJRT 0.{} |", plugin.minor)).collect::<String>(),
        " --- |".repeat(PLUGINS.len()),
    );
    let mut groups: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let file = pair.module.split(".data").next().unwrap_or(&pair.module);
        let file = file.split(".kernel_data").next().unwrap_or(file);
        groups.entry(file).or_default().push(pair);
    }
    for (file, group) in groups {
        let _ = write!(text, "| {file} | {} |", group.len() / PLUGINS.len());
        for plugin in 0..PLUGINS.len() {
            let own: Vec<&&Pair> = group.iter().filter(|pair| pair.plugin == plugin).collect();
            let alone = own.iter().filter(|pair| pair.alone.compiles).count();
            let handed = own.iter().filter(|pair| pair.handed.compiles).count() - alone;
            let mut rules: Vec<&str> = own.iter().flat_map(|pair| pair.rules.clone()).collect();
            rules.sort_unstable();
            rules.dedup();
            let more = if handed > 0 { format!(" + {handed}") } else { String::new() };
            let rules: Vec<String> =
                rules.iter().map(|code| format!(" [{code}]({SITE}rules/{code}.html)")).collect();
            let unjudged = own.iter().any(|pair| pair.outcome == Outcome::Unjudged);
            let open = if unjudged { " *not judged*" } else { "" };
            let bad = own.iter().any(|pair| {
                !pair.is_predicted() && pair.outcome != Outcome::Unjudged
                    || !pair.is_predicted_with_handlers()
            });
            let bad = if bad { " **wrong**" } else { "" };
            let _ = write!(text, " {alone}{more}{}{open}{bad} |", rules.concat());
        }
        text.push('\n');
    }
    text
}
