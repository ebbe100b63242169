//! The compiler of a PJRT plug-in, which programs ask on trial: in a child process, and each program once.

use std::collections::HashMap;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use unskew_abi::sandbox::Confinement;
use unskew_pjrt::{CompileJob, CompileOutcome, compile_in_children, write_jobs};
use unskew_stablehlo::requirements::{Compiler, TrialAnswer, TrialProgram, TrialReport};

use crate::options::Prober;

/// How long a plug-in gets for its client and for each program, at least: some make their devices first.
const LEAST: Duration = Duration::from_secs(60);

/// What was answered so far.
#[derive(Default)]
struct Known {
    devices: usize,
    memories: Vec<String>,
    answers: HashMap<TrialProgram, TrialAnswer>,
}

/// The compiler of the plug-in at `path`.
pub(crate) fn compiler(
    path: &Path,
    prober: Prober,
    confinement: Confinement,
    limit: Duration,
) -> Compiler {
    let (path, limit) = (path.to_owned(), limit.max(LEAST));
    let known = Mutex::new(Known::default());
    Compiler::new(move |trials| {
        // One child at a time: it takes all processors and a gigabyte.
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open: Vec<&TrialProgram> = Vec::new();
        for trial in trials {
            if !known.answers.contains_key(trial) && !open.contains(&trial) {
                open.push(trial);
            }
        }
        if !open.is_empty() {
            let answers = ask(&open, limit, confinement, || prober(&path))?;
            (known.devices, known.memories) = (answers.devices, answers.memories);
            known.answers.extend(open.into_iter().cloned().zip(answers.answers));
        }
        let answers = trials.iter().filter_map(|trial| known.answers.get(trial).cloned());
        let (devices, memories) = (known.devices, known.memories.clone());
        Ok(TrialReport { devices, memories, answers: answers.collect() })
    })
}

fn ask(
    trials: &[&TrialProgram],
    limit: Duration,
    confinement: Confinement,
    prober: impl Fn() -> Command,
) -> Result<TrialReport, String> {
    let job = |trial: &&TrialProgram| CompileJob {
        program: trial.program.clone(),
        partitions: trial.partitions,
    };
    let jobs: Vec<CompileJob> = trials.iter().map(job).collect();
    let file = tempfile::NamedTempFile::new();
    let written = file.and_then(|file| {
        write_jobs(&jobs, &mut BufWriter::new(file.as_file()))?;
        Ok(file)
    });
    let file = written.map_err(|error| format!("the programs cannot be handed over: {error}"))?;
    let command = |from: usize| {
        let mut command = prober();
        command.arg("--programs").arg(file.path()).arg("--from").arg(from.to_string());
        command
    };
    let trial = compile_in_children(&command, jobs.len(), limit, confinement)?;
    let answer = |compiled| match compiled {
        CompileOutcome::Yes => TrialAnswer::Compiles,
        CompileOutcome::No(said) => TrialAnswer::Refused(said),
        CompileOutcome::Died(how) => TrialAnswer::Ended(how),
        CompileOutcome::Late(seconds) => {
            TrialAnswer::Ended(format!("no answer within {seconds} s"))
        }
        CompileOutcome::NotTried => TrialAnswer::NotTried,
    };
    let answers = trial.answers.into_iter().map(answer).collect();
    Ok(TrialReport { devices: trial.devices, memories: trial.memories, answers })
}
