//! Verdict of an extension and a release.

use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Promise, PromiseState, Unjudged, Version,
    aspect,
};
use unskew_definitions::Runs;

use crate::rules::{
    Cxx11AbiDiffers, NeedsCudaBuild, OtherCudaMajor, StableAbiTooOld, SymbolsMissing,
};
use crate::{ExportedSymbols, Framework, Machine, Needs, demangled, releases, table};

/// Where PyTorch writes what it promises of its C shims.
const STABLE_ABI: &str = "https://docs.pytorch.org/docs/stable/notes/libtorch_stable_abi.html";

/// What of an extension's symbols is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// The symbols that are missing: the extension cannot be loaded.
    pub missing: Vec<String>,
    /// Those of them that a build of the same release for CUDA has.
    pub only_with_cuda: Vec<String>,
    /// Symbols that no release has, and that a library which was not read may have.
    pub elsewhere: Vec<String>,
}

impl Gap {
    /// Whether nothing stands against loading it.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.only_with_cuda.is_empty()
    }
}

/// What `needs` takes from the framework of `exports` and does not get; none if nothing is known of that release for the
/// machine, or the extension takes nothing from the framework.
pub fn gap(needs: &Needs, exports: &ExportedSymbols) -> Option<Gap> {
    let symbols = needs.frameworks.get(&exports.framework())?;
    let machine = needs.machine.filter(|machine| exports.is_known(*machine))?;
    let mut gap = Gap::default();
    let foreign = needs.foreign().next().is_some();
    for symbol in symbols {
        let releases = releases(symbol);
        let has = match exports.is_read() {
            true => exports.has(symbol, machine),
            false => exports.has_releases(releases, machine),
        };
        if has {
            continue;
        }
        let into = if releases.is_empty() && foreign {
            &mut gap.elsewhere
        } else if exports.only_with_cuda(releases, machine) {
            &mut gap.only_with_cuda
        } else {
            &mut gap.missing
        };
        into.push(symbol.clone());
    }
    let into = match exports.cuda() {
        Some(false) => &mut gap.only_with_cuda,
        _ => &mut gap.elsewhere,
    };
    into.extend(needs.cuda_runtime().cloned());
    Some(gap)
}

/// The releases of the table in which none of `symbols` is missing.
pub(crate) fn fitting(symbols: &[String], framework: Framework, machine: Machine) -> Runs {
    let all = table().of_framework(framework, machine);
    let each: Vec<_> = symbols.iter().map(|symbol| releases(symbol)).collect();
    Runs::from_releases(&all, |release| {
        let columns = table().select(|column| {
            (column.framework, column.release, column.machine) == (framework, release, machine)
        });
        // What no release has comes from elsewhere, or is missing in all of them.
        each.iter().all(|releases| releases.0 & columns.0 != 0)
    })
}

/// The releases that have a symbol, in words.
fn history(symbol: &str, framework: Framework, machine: Machine) -> String {
    let runs = fitting(&[symbol.to_owned()], framework, machine);
    let all = table().of_framework(framework, machine);
    let ends = all.first().zip(all.last());
    match (runs.iter().next(), runs.iter().last(), ends) {
        (Some(first), Some(last), _) => match last.until {
            None => format!("{framework} has it since {}", first.since),
            Some(until) if until == first.since => format!("only {framework} {until} has it"),
            Some(until) => format!("{framework} had it from {} to {until}", first.since),
        },
        (_, _, Some((first, last))) => {
            format!("no {framework} from {first} to {last} has it")
        }
        _ => "no release is known".to_owned(),
    }
}

/// Judges the symbols that an extension takes from one framework.
pub(crate) struct SymbolMatcher {
    pub(crate) needs: Arc<Needs>,
    pub(crate) framework: Framework,
}

impl Matcher for SymbolMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let exports = other.capability::<ExportedSymbols>()?;
        if exports.framework() != self.framework {
            return None;
        }
        Some(self.judged(exports, &other.name))
    }
}

impl SymbolMatcher {
    fn judged(&self, exports: &ExportedSymbols, release: &str) -> Judgement {
        let Self { needs, framework } = self;
        let mut judgement = Judgement::default();
        let known = gap(needs, exports).zip(needs.machine);
        let Some((gap, machine)) = known else {
            let reason = match needs.machine {
                None => format!(
                    "{} was built for a machine of which no release was harvested",
                    needs.name
                ),
                Some(machine) => format!("the exports of {release} for {machine} are not known"),
            };
            judgement.unjudged.push(Unjudged::new(aspect::VERSION, reason));
            return judgement;
        };
        let symbols = needs.frameworks.get(framework).map(Vec::as_slice).unwrap_or_default();
        let runs = fitting(
            &symbols.iter().filter(|s| !gap.elsewhere.contains(s)).cloned().collect::<Vec<_>>(),
            *framework,
            machine,
        );
        if let Some(first) = gap.missing.first() {
            let asked = Asked { needs, framework: *framework, machine, exports, release };
            judgement.findings.push(asked.missing(
                &gap.missing,
                first,
                needs.total(*framework),
                &runs,
            ));
        }
        if let Some(first) = gap.only_with_cuda.first() {
            let name = demangled(first);
            let library = needs.cuda_libraries().next().unwrap_or("CUDA's runtime");
            let finding = NeedsCudaBuild {
                object: &needs.name,
                release: &release,
                framework,
                library: &library,
                name: &name,
            };
            let finding = finding.finding().with_symptom(undefined(needs, first));
            judgement.findings.push(finding.at(gap.only_with_cuda.iter().collect()));
        }
        if let Some(wanted) = exports.lacks_cuda(needs) {
            let has: Vec<String> = exports.cuda_runtimes().iter().map(u32::to_string).collect();
            let finding = OtherCudaMajor {
                object: &needs.name,
                release: &release,
                framework,
                wanted: &wanted,
                has: &has.join(" and "),
            };
            let symptom = format!(
                "ImportError: libcudart.so.{wanted}: cannot open shared object file: No such file or directory"
            );
            judgement.findings.push(finding.finding().with_symptom(symptom));
        }
        if !gap.elsewhere.is_empty() {
            let libraries: Vec<&str> = needs.foreign().collect();
            let from = match &*libraries {
                [] => "a build for CUDA".to_owned(),
                names => names.join(", "),
            };
            let reason = format!("no known {framework} has them; they may come from {from}");
            let names = gap.elsewhere.iter().map(|symbol| demangled(symbol)).collect();
            judgement.unjudged.push(Unjudged::new("symbols of other libraries", reason).at(names));
        }
        self.promise(&runs, release, &mut judgement);
        judgement
    }

    /// What the makers say of it, and that the layout of classes was not looked at.
    fn promise(&self, runs: &Runs, release: &str, judgement: &mut Judgement) {
        let Self { needs, framework } = self;
        let lowest = runs.iter().next().map(|run| run.since);
        if let Some(lowest) = lowest.filter(|_| needs.is_stable(*framework)) {
            let fits = judgement.findings.is_empty();
            judgement.promises.push(Promise {
                policy: "libtorch stable ABI".to_owned(),
                state: if fits { PromiseState::Promised } else { PromiseState::NotPromised },
                window: Some("2 years".to_owned()),
                from: None,
                until: None,
                statement: format!(
                    "{} imports C shims only; torch {lowest} is the first with all of them, and PyTorch keeps each for \
                     at least two years",
                    needs.name
                ),
                reference: STABLE_ABI.to_owned(),
            });
        } else if judgement.findings.is_empty() {
            let reason = format!(
                "no symbol that {} imports is missing in {release}; the layout of C++ classes is not judged",
                needs.name
            );
            judgement.unjudged.push(Unjudged::new("layout of C++ classes", reason));
        }
    }
}

/// An extension that a release lacks symbols for.
struct Asked<'a> {
    needs: &'a Needs,
    framework: Framework,
    machine: Machine,
    exports: &'a ExportedSymbols,
    release: &'a str,
}

impl Asked<'_> {
    fn missing(&self, missing: &[String], first: &str, all: usize, runs: &Runs) -> Finding {
        let Self { needs, framework, machine, exports, release } = self;
        let at_least = if needs.is_reduced { "at least " } else { "" };
        let (count, name) = (format!("{at_least}{} of {all}", missing.len()), demangled(first));
        let history = history(first, *framework, *machine);
        let fix = match runs.in_words() {
            Some(spans) => {
                format!("Install {framework} {spans}, or a build of {} for {release}.", needs.name)
            }
            None => format!(
                "Install a build of {} for {release}: no {framework} of the table has all its symbols.",
                needs.name
            ),
        };
        let places: Places = missing.iter().map(|symbol| demangled(symbol)).collect();
        let flags = needs.cxx11.zip(exports.cxx11(*machine));
        let lowest = runs.iter().next().map(|run| run.since);
        let finding = match (flags, lowest) {
            (Some((built, has)), _) if built != has => Cxx11AbiDiffers {
                object: &needs.name,
                release,
                built: &u8::from(built),
                has: &u8::from(has),
                machine,
                count: &count,
                name: &name,
                fix: &fix,
            }
            .finding(),
            (_, Some(lowest)) if needs.is_stable(*framework) && is_before(exports, lowest) => {
                StableAbiTooOld {
                    object: &needs.name,
                    release,
                    framework,
                    lowest: &lowest,
                    count: &count,
                    name: &name,
                }
                .finding()
            }
            _ => SymbolsMissing {
                object: &needs.name,
                release,
                framework,
                count: &count,
                name: &name,
                history: &history,
                fix: &fix,
            }
            .finding(),
        };
        finding.with_symptom(undefined(needs, first)).at(places)
    }
}

fn is_before(exports: &ExportedSymbols, lowest: Version) -> bool {
    exports.release() < lowest
}

fn undefined(needs: &Needs, symbol: &str) -> String {
    format!("{}: undefined symbol: {symbol}", needs.name)
}

impl ExportedSymbols {
    /// The releases of its framework for a machine that have all symbols which `needs` takes from it, oldest first.
    pub fn fitting(needs: &Needs, framework: Framework) -> Vec<Version> {
        let Some((symbols, machine)) = needs.frameworks.get(&framework).zip(needs.machine) else {
            return Vec::new();
        };
        let foreign = needs.foreign().next().is_some();
        let known = |symbol: &&String| !foreign || !releases(symbol).is_empty();
        let symbols: Vec<String> = symbols.iter().filter(known).cloned().collect();
        let runs = fitting(&symbols, framework, machine);
        let all = table().of_framework(framework, machine);
        all.into_iter().filter(|release| runs.contains(*release)).collect()
    }
}
