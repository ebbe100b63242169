//! What is calculated before and after a conversion is the same: the files that 24 releases wrote, converted
//! for later and for earlier releases, give there what the release gave that wrote them.
//!
//! Each file is converted in memory, and the result runs with the operators, their meanings and the upgraders of the
//! release that it was converted for. Mobile files run by their bytecode, and an archive by the code beside it too.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_core::{Context, Conversion, Version, check};
use unskew_interpreter::{Interpreter, ReleaseSemantics, RunProblem, RunnableProgram, ScriptValue};
use unskew_source::{ConvertedArtifact, ReadError, Source, SourceExt};
use unskew_torch::{TorchConvertOptions, TorchRuntime};

use crate::corpus::{Recorded, difference, files, recorded, runtime, source};

/// Types and shapes are exact; floats may differ by what the order of a sum of 32-bit floats changes.
const TOLERANCE: f64 = 2e-6;

/// The releases that files are converted for.
const TARGETS: [&str; 6] = ["1.4.0", "1.10.2", "1.13.1", "2.1.2", "2.6.0", "2.15.0"];

const EXTENSIONS: [&str; 4] = ["pt", "ptl", "ff", "pt2"];

/// What became of a file.
#[derive(Debug)]
enum Outcome {
    /// It gives what it gave, or refuses what it refused; whether it was rewritten for that.
    Equal { rewritten: bool },
    /// Nothing is written, for a reason.
    Blocked(String),
    /// PyTorch 1.6 refused what this file does, and other releases of its operator version do not.
    NoLongerRefused(String),
    /// It does not show on which side of a change it was written: it stays as it is, and its verdict warns.
    Warned(String),
    /// The interpreter does not have what it takes.
    NotExecutable(String),
    /// It gives something else, or stops.
    Differs(String),
}

/// Where a file goes: to a later release than its own, its own, or an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    Down,
    Same,
    Up,
}

/// What runs a file as a release does.
fn interpreter(runtime: &TorchRuntime) -> Interpreter {
    let operators = Arc::new(runtime.operators.clone());
    let semantics =
        ReleaseSemantics::for_release(runtime.release.version).with_operators(operators);
    let known = runtime.release.file_format.max.unwrap().major();
    let registry = unskew_torch_operators::registry();
    Interpreter::new(semantics).with_upgraders(registry, known.try_into().unwrap())
}

/// `torch.full([n], True)` is written as `torch.full([n], 1)`, and what was recorded is what the module gave
/// before it was saved: here the file counts, run by its own release.
fn wanted(recorded: &Recorded, release: Version, file: &Arc<dyn Source>) -> Option<ScriptValue> {
    if !recorded.model.ends_with("/Full") || file.name().ends_with(".pt2") {
        return recorded.output.clone();
    }
    let program = RunnableProgram::open(file).unwrap()?;
    let before = Interpreter::new(ReleaseSemantics::for_release(release));
    before.method(&program, "forward", recorded.inputs.clone()).ok()
}

fn outcome(
    name: &str,
    bytes: &[u8],
    recorded: &Recorded,
    to: &TorchRuntime,
    options: &TorchConvertOptions,
    interpreter: &Interpreter,
) -> Outcome {
    let file = source(name, bytes);
    let (plan, output) = unskew_torch::convert(&file, to, options).unwrap().unwrap();
    if let Some(blocker) = plan.blockers.first() {
        let why = blocker.message.split_once(": ").unwrap().1;
        return Outcome::Blocked(format!("{} {why}", blocker.rule.code));
    }
    let ConvertedArtifact::File(result) = output else { panic!("{name}: a folder") };
    if plan.changes_nothing() {
        assert!(result.all().unwrap() == bytes, "{name}: changed without a reason");
    }
    let result: Arc<dyn Source> = result;
    let run = |program| ran(name, program, recorded, to, interpreter, (&file, &result), &plan);
    let by_code = run(RunnableProgram::open(&result));
    match RunnableProgram::open_bytecode(&result).transpose() {
        Some(program) if name.ends_with(".ptl") => match run(program.map(Some)) {
            // Both have to be right.
            Outcome::Equal { .. } => by_code,
            other => other,
        },
        _ => by_code,
    }
}

/// What became of a converted file, once it was read.
fn ran(
    name: &str,
    program: Result<Option<RunnableProgram>, ReadError>,
    recorded: &Recorded,
    to: &TorchRuntime,
    interpreter: &Interpreter,
    (file, result): (&Arc<dyn Source>, &Arc<dyn Source>),
    plan: &Conversion,
) -> Outcome {
    let program = match program {
        Ok(Some(program)) => program,
        Ok(None) => return Outcome::NotExecutable("no program".to_owned()),
        Err(error) => return Outcome::Differs(format!("{name}: not read: {error}")),
    };
    let own: Version = name.split_once('/').unwrap().0.parse().unwrap();
    let found = interpreter.method(&program, "forward", recorded.inputs.clone());
    let differs = |how: String| match warns(result, to) {
        true => Outcome::Warned(name.to_owned()),
        false => Outcome::Differs(format!("{name}: {how}")),
    };
    let equal = Outcome::Equal { rewritten: !plan.changes_nothing() };
    match (wanted(recorded, own, file), found) {
        (Some(wanted), Ok(found)) => difference(&wanted, &found, TOLERANCE).map_or(equal, differs),
        (None, Ok(_)) if (own.major(), own.minor()) == (1, 6) => {
            Outcome::NoLongerRefused(name.to_owned())
        }
        (None, Ok(_)) => differs("runs, and was refused before".to_owned()),
        (wanted, Err(error)) => match error.problem {
            RunProblem::Refused(_) if wanted.is_none() => equal,
            RunProblem::UnknownOperator(_) | RunProblem::Unsupported(_) => {
                Outcome::NotExecutable(error.problem.to_string())
            }
            _ => differs(format!("stops: {error}")),
        },
    }
}

/// Whether the verdict on a file says that a result may have changed.
fn warns(file: &Arc<dyn Source>, to: &TorchRuntime) -> bool {
    let party = unskew_torch::party(file).unwrap().unwrap();
    let verdict = check(&party, &to.party(), &Context::for_tests());
    verdict.findings.iter().any(|finding| finding.rule.code == "OP102")
}

/// How many files of a kind came out how, on the way to a release.
#[derive(Default)]
struct Row {
    equal: usize,
    /// Those of the equal ones that were rewritten.
    rewritten: usize,
    blocked: BTreeMap<String, usize>,
    not_executable: BTreeMap<String, usize>,
    no_longer_refused: Vec<String>,
    warned: Vec<String>,
    differs: Vec<String>,
}

impl Row {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Equal { rewritten } => {
                self.equal += 1;
                self.rewritten += usize::from(rewritten);
            }
            Outcome::Blocked(why) => *self.blocked.entry(why).or_default() += 1,
            Outcome::NotExecutable(why) => *self.not_executable.entry(why).or_default() += 1,
            Outcome::NoLongerRefused(name) => self.no_longer_refused.push(name),
            Outcome::Warned(name) => self.warned.push(name),
            Outcome::Differs(how) => self.differs.push(how),
        }
    }

    /// Equal, blocked, not executable, no longer refused, warned, differs.
    fn counts(&self) -> [usize; 6] {
        let blocked = self.blocked.values().sum();
        let others = [&self.no_longer_refused, &self.warned, &self.differs].map(Vec::len);
        let not_executable = self.not_executable.values().sum();
        [self.equal, blocked, not_executable, others[0], others[1], others[2]]
    }
}

type Table = BTreeMap<(Direction, Version, &'static str), Row>;

/// All files on the way to one release.
fn table(files: &BTreeMap<String, Vec<u8>>, to: &TorchRuntime) -> Table {
    let mut table = Table::new();
    let interpreter = interpreter(to);
    for recorded in recorded() {
        for extension in EXTENSIONS {
            let name = format!("{}.{extension}", recorded.model);
            let Some(bytes) = files.get(&name) else { continue };
            let own: Version = name.split_once('/').unwrap().0.parse().unwrap();
            let direction = match to.release.version.cmp(&own) {
                Ordering::Less => Direction::Down,
                Ordering::Equal => Direction::Same,
                Ordering::Greater => Direction::Up,
            };
            let row = table.entry((direction, to.release.version, extension)).or_default();
            row.add(outcome(
                &name,
                bytes,
                &recorded,
                to,
                &TorchConvertOptions::default(),
                &interpreter,
            ));
        }
    }
    table
}

/// The files that went one way.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sums {
    equal: usize,
    /// Those of the equal ones that were rewritten.
    rewritten: usize,
    /// Those of the equal ones that `torch.export` wrote.
    exported: usize,
    blocked: usize,
    /// Those that 1.6 alone refused.
    refused: usize,
}

impl Sums {
    fn of(table: &Table, way: Direction) -> Self {
        let mut sums = Self::default();
        for ((direction, _, kind), row) in table {
            if *direction == way {
                let [equal, blocked, _, refused, ..] = row.counts();
                sums.equal += equal;
                sums.rewritten += row.rewritten;
                sums.exported += if *kind == "pt2" { equal } else { 0 };
                sums.blocked += blocked;
                sums.refused += refused;
            }
        }
        sums
    }
}

fn print(table: &Table) {
    println!("way  to      kind equal (rewritten) blocked  not run  refused then  warned  differs");
    for ((direction, to, kind), row) in table {
        let [equal, blocked, not_executable, no_longer_refused, warned, differs] = row.counts();
        let (way, to) = (format!("{direction:?}").to_lowercase(), to.to_string());
        print!("{way:4} {to:7} {kind:4} {equal:5} {:11} {blocked:7}", row.rewritten);
        println!(" {not_executable:8} {no_longer_refused:13} {warned:7} {differs:8}");
        for (why, count) in row.blocked.iter().chain(&row.not_executable) {
            println!("       {count:4} {why}");
        }
    }
}

#[test]
fn converted_files_give_what_they_gave() {
    let files = files();
    let runtimes = TARGETS.map(runtime);
    let table: Table = std::thread::scope(|scope| {
        let threads: Vec<_> = runtimes.iter().map(|to| scope.spawn(|| table(&files, to))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    print(&table);
    let differs: Vec<_> = table.values().flat_map(|row| &row.differs).collect();
    assert!(differs.is_empty(), "{differs:#?}");
    let names = |list: fn(&Row) -> &Vec<String>| -> BTreeSet<&str> {
        table.values().flat_map(list).map(String::as_str).collect()
    };
    // Operator version 3 is that of 1.5 to 1.7: upgraders give what 1.5 gave.
    let refused = ["div_int.pt", "div_int.ptl", "full_int.pt", "full_int.ptl"];
    let refused: BTreeSet<_> = refused.map(|name| format!("1.6.0/{name}")).into();
    let no_longer = names(|row| &row.no_longer_refused);
    assert_eq!(no_longer, refused.iter().map(String::as_str).collect());
    // 1.12 and 1.13 write alike, and `floor_divide` rounds otherwise since 1.13.
    assert_eq!(names(|row| &row.warned), BTreeSet::from(["1.12.1/qdiv.pt", "1.12.1/qdiv.ptl"]));
    let down = Sums::of(&table, Direction::Down);
    let same = Sums::of(&table, Direction::Same);
    let up = Sums::of(&table, Direction::Up);
    println!("down {down:?}\nsame {same:?}\nup   {up:?}");
    // Without a form are files of `torch.export` where there is none yet, bytecode for 1.4, which has no version, and
    // `floor_divide` in a file that does not show its writer, for a release without the operator.
    assert_eq!(down, Sums { equal: 1725, rewritten: 722, exported: 108, blocked: 587, refused: 2 });
    assert_eq!(same, Sums { equal: 198, rewritten: 0, exported: 18, blocked: 0, refused: 0 });
    assert_eq!(up, Sums { equal: 1990, rewritten: 451, exported: 90, blocked: 0, refused: 20 });
    let not_executable: Vec<_> = table.values().flat_map(|row| row.not_executable.keys()).collect();
    assert!(not_executable.is_empty(), "{not_executable:#?}");
}

#[test]
fn a_file_of_which_the_writer_is_stated_gives_what_it_gave() {
    let files = files();
    let runtimes = TARGETS.map(runtime);
    let recorded = recorded();
    let recorded = recorded.iter().find(|one| one.model == "1.12.1/qdiv").unwrap();
    let written_by = Some(Version::triple(1, 12, 1));
    let options = TorchConvertOptions { written_by, ..TorchConvertOptions::default() };
    for to in runtimes.iter().filter(|to| to.release.version >= Version::pair(1, 13)) {
        for name in ["1.12.1/qdiv.pt", "1.12.1/qdiv.ptl"] {
            let found = outcome(name, &files[name], recorded, to, &options, &interpreter(to));
            let is_equal = matches!(found, Outcome::Equal { rewritten: true });
            assert!(is_equal, "{name} for {}: {found:?}", to.name());
        }
    }
}
