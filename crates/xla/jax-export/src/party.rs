//! A file as a party.

use std::sync::Arc;

use unskew_core::{
    Axis, Context, Judgement, Matcher, Party, Phase, Places, Provision, Requirement, Role,
    Unjudged, Version, aspect, check,
};
use unskew_source::{ReadError, Source};
use unskew_stablehlo::Mlir;

use crate::schema::dtype;
use crate::verdict::Loading;
use crate::{AXIS, Exported, rules};

/// The dialect in which the compiler is told how arrays are sharded.
const SHARDY: &str = "sdy";

/// The first JAX that reads it in an exported function. 0.6.2 reads it in artifacts of other origin, and refuses every
/// export with it that was tried, also with its partitioner switched on.
const READS_SHARDY: Version = Version::triple(0, 7, 0);

/// How the targets of calls of LAPACK and BLAS begin.
const LAPACK: [&str; 2] = ["lapack_", "blas_"];

/// The first JAX that loads LAPACK for an exported function.
const LOADS_LAPACK: Version = Version::triple(0, 10, 0);

/// Dtypes of less than two bytes that are no integers of a byte: 4-bit integers and the floats of 8 bits or fewer. A
/// backend of any age has the others.
const NARROW: [u64; 11] = [15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26];

/// The rules of StableHLO about what the CPU of a JAX does not have.
const ON_CPU: [&str; 3] = ["SH014", "SH015", "SH016"];

/// The backend that every JAX has.
const EVERYWHERE: &str = "cpu";

/// The party in `source`; none if it is no file of `jax.export`.
///
/// # Errors
/// If it is one that is broken or over its budget, or its program is broken.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some((exported, program)) = Exported::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let program: Arc<dyn Source> = Arc::new(program);
    let artifact = Mlir::read(&*program)?;
    let mut party = party_of(name, exported, unskew_stablehlo::party_of_exported(&program)?);
    if let Some(Mlir::Artifact(artifact)) = artifact {
        if artifact.other_dialects().contains(&SHARDY) {
            party = party.require(Requirement::matches(AXIS, Shardy).irrelevant_if_absent());
        }
        let is_lapack = |target: &&str| LAPACK.iter().any(|begin| target.starts_with(begin));
        let targets: Places = artifact.foreign_calls().filter(is_lapack).collect();
        if !targets.is_empty() {
            let lapack = Requirement::matches(AXIS, Lapack { targets });
            party = party.require(lapack.irrelevant_if_absent());
        }
    }
    Ok(Some(party))
}

fn party_of(name: &str, exported: Exported, program: Option<Party>) -> Party {
    let format = exported.oldest_format();
    let origin = match &exported.jax {
        Some(jax) => format!("written by JAX {jax}"),
        None => format!("of format version {format} or later, by its fields"),
    };
    let mut party = Party::new(name, Role::Artifact, "jax.export file")
        .from_origin(origin)
        .provide(Provision::version(AXIS, format).at("its fields"))
        .fact("function", &exported.function)
        .fact("format version", said_version(&exported))
        .fact("calling convention", exported.calling_convention)
        .fact("platforms", exported.platforms.join(", "))
        .fact("devices", exported.device_count())
        .fact("dtypes", exported.dtypes.iter().map(dtype).collect::<Places>());
    let lists = [
        ("pytree classes", &exported.classes),
        ("effects", &exported.effects),
        ("disabled checks", &exported.disabled_checks),
    ];
    for (label, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        party = party.fact(label, list.iter().collect::<Places>());
    }
    if exported.gradients > 0 {
        party = party.fact("gradients", format!("of order {}", exported.gradients));
    }
    if !exported.platforms.iter().any(|platform| platform == EVERYWHERE) {
        let why = "whether JAX has a device of these platforms is not looked at";
        let platforms = exported.platforms.iter().collect();
        party = party.not_judged(Unjudged::new(aspect::PLUGIN, why).at(platforms));
    }
    if !exported.classes.is_empty() {
        let why = "whether the program that loads the file registers these classes";
        let classes = exported.classes.iter().collect();
        party = party.not_judged(Unjudged::new(aspect::CLASSES, why).at(classes));
    }
    let narrow: Places =
        exported.dtypes.iter().filter(|dtype| NARROW.contains(dtype)).map(dtype).collect();
    if !narrow.is_empty() {
        let why = "whether the backend computes with these dtypes is not looked at";
        party = party.not_judged(Unjudged::new(aspect::KERNELS, why).at(narrow));
    }
    let loading = Requirement::matches(AXIS, Loading(exported));
    party = party.require(loading.irrelevant_if_absent());
    let is_for_cpu = party.facts.iter().all(|fact| {
        fact.label != "platforms" || fact.value.split(", ").any(|one| one == EVERYWHERE)
    });
    match program {
        Some(program) => with_program(party, program, is_for_cpu),
        None => {
            let why = "the program is MLIR bytecode of a kind that is not read here";
            party.not_judged(Unjudged::new(aspect::CONTENTS, why))
        }
    }
}

fn said_version(exported: &Exported) -> String {
    let format = exported.oldest_format();
    if exported.jax.is_some() { format.to_string() } else { format!("{format} or later") }
}

/// Adds what the program needs and what is to be shown of it.
fn with_program(mut party: Party, program: Party, is_for_cpu: bool) -> Party {
    party = party.fact("program", format!("{}, {}", program.kind, program.origin));
    for fact in &program.facts {
        party = party.fact(format!("program: {}", fact.label), &fact.value);
    }
    for note in &program.notes {
        party = party.note(note.clone());
    }
    let axes: Vec<_> =
        program.requires.iter().map(|requirement| requirement.axis.clone()).collect();
    match axes.into_iter().next() {
        Some(axis) => party.require(Requirement::matches(axis, Program { program, is_for_cpu })),
        None => party,
    }
}

/// The requirement of a program with the dialect of shardings.
struct Shardy;

impl Matcher for Shardy {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let jax = other.provision(&Axis::from(AXIS))?.versions.max?;
        let why = format!(
            "no JAX before {READS_SHARDY} is known to read this dialect in an exported function"
        );
        let open = Unjudged::new(aspect::CONTENTS, why).at([SHARDY].into_iter().collect());
        let unjudged = if jax < READS_SHARDY { vec![open] } else { Vec::new() };
        Some(Judgement { unjudged, ..Judgement::default() })
    }
}

/// The requirement of a program that calls LAPACK.
struct Lapack {
    targets: Places,
}

impl Matcher for Lapack {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let jax = other.provision(&Axis::from(AXIS))?.versions.max?;
        if jax >= LOADS_LAPACK {
            return Some(Judgement::default());
        }
        let rule = rules::LapackNotInitialised { reader: &other.name, targets: &self.targets };
        // It is the process that decides, so nothing can be claimed of the pair.
        let why = "whether LAPACK was loaded in the process before the function is called";
        Some(Judgement {
            findings: vec![rule.finding().at(self.targets.clone())],
            unjudged: vec![Unjudged::new(aspect::CUSTOM_CALLS, why)],
            ..Judgement::default()
        })
    }
}

/// The requirement of the program: the same as if it lay in a file of its own. JAX looks into it when the function is
/// called, not when the file is loaded.
struct Program {
    program: Party,
    /// Whether the CPU is one of the platforms that it was exported for.
    is_for_cpu: bool,
}

impl Matcher for Program {
    fn judge(&self, _: &Party, other: &Party, context: &Context) -> Option<Judgement> {
        let related =
            self.program.requires.iter().any(|need| other.provision(&need.axis).is_some());
        if !related || other.role == Role::Artifact {
            return None;
        }
        let verdict = check(&self.program, other, context);
        let later = |finding: unskew_core::Finding| match finding.phase {
            Some(Phase::Load) => finding.in_phase(Phase::FirstUse),
            _ => finding,
        };
        let is_meant = |finding: &unskew_core::Finding| {
            self.is_for_cpu || !ON_CPU.contains(&finding.rule.code)
        };
        Some(Judgement {
            findings: verdict.findings.into_iter().filter(is_meant).map(later).collect(),
            promises: verdict.promises,
            unjudged: verdict.unjudged,
        })
    }
}
