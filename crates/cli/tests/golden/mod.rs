//! The notation of golden tests, and how one is run.

use std::process::Command;

use libtest_mimic::Failed;
use unskew_peers::root;

/// The line between what is run and what it prints.
const OUTPUT: &str = "---";
/// The line before what it prints on the standard error.
const ERRORS: &str = "--- stderr";

/// One test file, read.
pub struct Golden {
    head: String,
    run: String,
    steps: Vec<Step>,
    show: Vec<String>,
    /// In which build of the command it prints this; in each if nothing is said.
    build: Option<String>,
}

/// Whether the command that is tested has every verb.
const BUILD: &str = if cfg!(all(feature = "fleet", feature = "scan", feature = "serve")) {
    "full"
} else {
    "plain"
};

enum Step {
    Bytes { file: String, bytes: Vec<u8> },
    Cut { from: String, length: u64, file: String },
    Env { name: String, value: String },
    Stdin { file: String },
}

pub enum Ran {
    Printed(Printed),
    Skipped(String),
}

/// What a command printed.
pub struct Printed {
    status: i32,
    out: String,
    errors: String,
}

/// The words of a command: split at spaces, but for what stands between two quotation marks.
fn words(run: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in run.split('"').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

impl Golden {
    pub fn parse(text: &str) -> Result<Self, Failed> {
        let (head, _) = text.split_once(&format!("\n{OUTPUT}\n")).unwrap_or((text.trim_end(), ""));
        let mut golden = Self {
            head: head.to_owned(),
            run: String::new(),
            steps: Vec::new(),
            show: Vec::new(),
            build: None,
        };
        for line in head.lines() {
            let Some((key, value)) = line.strip_prefix("# ").and_then(|l| l.split_once(": "))
            else {
                continue;
            };
            let words: Vec<&str> = value.split_whitespace().collect();
            match (key, &*words) {
                ("RUN", ["unskew", ..]) => golden.run = value.to_owned(),
                ("EXIT", _) => {}
                ("BYTES", [file, rest @ ..]) => {
                    golden.steps.push(Step::Bytes { file: (*file).to_owned(), bytes: bytes(rest)? })
                }
                ("CUT", [from, length, file]) => golden.steps.push(Step::Cut {
                    from: (*from).to_owned(),
                    length: length.parse()?,
                    file: (*file).to_owned(),
                }),
                ("ENV", [pair]) => {
                    let (name, value) = pair.split_once('=').ok_or("ENV: NAME=VALUE")?;
                    let (name, value) = (name.to_owned(), value.to_owned());
                    golden.steps.push(Step::Env { name, value });
                }
                ("STDIN", [file]) => golden.steps.push(Step::Stdin { file: (*file).to_owned() }),
                ("BUILD", [build]) => golden.build = Some((*build).to_owned()),
                ("SHOW", [file]) => golden.show.push((*file).to_owned()),
                _ if key.chars().all(|letter| letter.is_ascii_uppercase()) => {
                    return Err(format!("not a line of a golden test: {line}").into());
                }
                _ => {}
            }
        }
        if golden.run.is_empty() {
            return Err("a golden test needs a line `# RUN: unskew ...`".into());
        }
        Ok(golden)
    }

    /// The environment of the corpus that the command reads, such as `jax-0.10.2`: `cargo xtask test` makes none.
    fn environment(&self) -> Option<&str> {
        let (_, behind) = self.run.split_once("%corpus/python/")?;
        behind.split([' ', '/']).next()
    }

    /// Whether the verb belongs to the feature `run` of the command.
    fn is_of_feature_run(&self) -> bool {
        let verb = self.run.strip_prefix("unskew ").unwrap_or_default();
        ["run ", "ops run ", "ops bisect "].iter().any(|one| verb.starts_with(one))
    }

    pub fn run(&self) -> Result<Ran, Failed> {
        if self.build.as_deref().is_some_and(|build| build != BUILD) {
            let build = self.build.as_deref().unwrap_or_default();
            return Ok(Ran::Skipped(format!(
                "prints this in a build that is {build}; this one is {BUILD}"
            )));
        }
        if self.is_of_feature_run() && !cfg!(feature = "run") {
            return Ok(Ran::Skipped("needs a command built with the feature `run`".to_owned()));
        }
        let root = root();
        let corpus = root.join("corpus");
        if self.run.contains("%corpus") && !corpus.is_dir() {
            return Ok(Ran::Skipped("no corpus; `cargo xtask corpus` fetches it".to_owned()));
        }
        if let Some(name) = self.environment()
            && !unskew_peers::there(name)
        {
            return Ok(Ran::Skipped(format!("needs {name}")));
        }
        let folder = tempfile::tempdir()?;
        let place = |text: &str| {
            text.replace("%in", "examples")
                .replace("%corpus", "corpus")
                .replace("%tmp", &folder.path().display().to_string())
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.current_dir(root).env_clear();
        for step in &self.steps {
            match step {
                Step::Bytes { file, bytes } => std::fs::write(place(file), bytes)?,
                Step::Cut { from, length, file } => {
                    let bytes = std::fs::read(root.join(place(from)))?;
                    let length = bytes.len().min(usize::try_from(*length)?);
                    std::fs::write(place(file), &bytes[..length])?;
                }
                Step::Env { name, value } => {
                    command.env(name, value);
                }
                Step::Stdin { file } => {
                    command.stdin(std::fs::File::open(root.join(place(file)))?);
                }
            }
        }
        command.args(words(&self.run).into_iter().skip(1).map(|word| place(&word)));
        let output = command.output()?;
        let mut out = String::from_utf8_lossy(&output.stdout).into_owned();
        for file in &self.show {
            out.push_str(&std::fs::read_to_string(place(file))?);
        }
        let clean = |text: &str| {
            text.replace(&folder.path().display().to_string(), "%tmp").replace('\u{1b}', "^[")
        };
        Ok(Ran::Printed(Printed {
            status: output.status.code().unwrap_or(-1),
            out: clean(&out),
            errors: clean(&String::from_utf8_lossy(&output.stderr)),
        }))
    }

    /// The file as it has to be if `printed` is right.
    pub fn with(&self, printed: &Printed) -> String {
        let Printed { status, out, errors } = printed;
        let status = format!("# EXIT: {status}");
        let mut lines: Vec<&str> =
            self.head.lines().filter(|line| !line.starts_with("# EXIT:")).collect();
        let run = lines.iter().position(|line| line.starts_with("# RUN:")).unwrap_or_default();
        lines.insert(run + 1, &status);
        let mut text = format!("{}\n{OUTPUT}\n{out}", lines.join("\n"));
        if !errors.is_empty() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("{ERRORS}\n{errors}"));
        }
        text
    }
}

fn bytes(words: &[&str]) -> Result<Vec<u8>, Failed> {
    let digits = words.concat();
    let pair = |at: usize| digits.get(at..at + 2).ok_or("BYTES: an odd number of digits");
    (0..digits.len()).step_by(2).map(|at| Ok(u8::from_str_radix(pair(at)?, 16)?)).collect()
}
