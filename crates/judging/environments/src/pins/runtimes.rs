//! protobuf, grpcio, jaxlib and NumPy: what they must be follows from the others, and what the others must be from them.

use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::Version;
use unskew_definitions::SpanTable;
use unskew_releases::declared_requirements;

use super::{Options, PinChange, labels};
use crate::declared::{self, fill};
use crate::dependency::Dependency;
use crate::names::ReachedModules;
use crate::specifiers::Specifiers;
use crate::{Environment, Generated, InstalledPackage, jax_set};

/// What could be changed for each runtime that does not fit.
pub(super) fn options(environment: &Environment, reached: Option<&ReachedModules>) -> Vec<Options> {
    let code = Code { environment, reached };
    let mut all =
        vec![of_protobuf(&code), of_grpcio(&code), of_jax(environment), of_numpy(environment)];
    for (package, release) in jax_set::other_versions(environment) {
        let reason = "jaxlib and its plug-ins are of one version";
        let mut change = PinChange::default();
        change.push(package, format!("{}=={release}", package.key()), release, reason);
        all.push(vec![change]);
    }
    all
}

/// The generated code that imports of packages reach.
struct Code<'a> {
    environment: &'a Environment,
    reached: Option<&'a ReachedModules>,
}

impl<'a> Code<'a> {
    fn reached_in(&self, package: &InstalledPackage) -> Vec<Generated> {
        let is_own = ["protobuf", "grpcio"].contains(&&*package.key());
        let is_reached = |files: &[String]| {
            self.reached.is_none_or(|all| files.iter().any(|file| all.has(package, file)))
        };
        let all = package.generated.iter().filter(|(_, files)| !is_own && is_reached(files));
        all.map(|(generated, _)| *generated).collect()
    }

    fn all(&self) -> Vec<Generated> {
        self.environment.packages.iter().flat_map(|package| self.reached_in(package)).collect()
    }

    fn with(&self, generated: Generated) -> Vec<&'a InstalledPackage> {
        let packages = self.environment.packages.iter();
        packages.filter(|package| self.reached_in(package).contains(&generated)).collect()
    }
}

/// A range of a package, with the newest release in it that all others allow, else the newest in it.
fn in_range(
    environment: &Environment,
    package: &InstalledPackage,
    range: &str,
    reason: &str,
) -> Option<PinChange> {
    let key = package.key();
    let table = declared_requirements(&key)?;
    let specifiers = Specifiers::read(range)?;
    let releases = table.releases.iter().rev();
    let all: Vec<&String> = releases
        .filter(|one| Pep440::from_str(one).is_ok_and(|one| specifiers.allow(&one)))
        .filter(|one| takes_python(&table, one, environment))
        .collect();
    let allowed = |one: &&&String| environment.packages.iter().all(|other| other.allows(&key, one));
    let newest = all.first()?;
    let release = all.iter().find(allowed).unwrap_or(newest);
    // The command would take the newest of the range, which another package may forbid.
    let requirement = match release == newest {
        true => format!("{}{range}", package.name),
        false => format!("{}=={release}", package.name),
    };
    let mut change = PinChange::default();
    change.push(package, requirement, (*release).clone(), reason);
    Some(change)
}

/// Whether a release takes the Python of an environment, as far as both are known.
pub(super) fn takes_python(table: &SpanTable, release: &str, environment: &Environment) -> bool {
    let Some(python) = environment.python_full.or(environment.python) else { return true };
    // Of a patch release nothing is known: a late one.
    let text = match environment.python_full {
        Some(full) => full.to_string(),
        None => format!("{python}.99"),
    };
    let Ok(python) = Pep440::from_str(&text) else { return true };
    let declared = table.of_release(release).unwrap_or_default();
    let mut of_python = declared
        .iter()
        .filter_map(|text| Dependency::read(text))
        .filter(|one| one.key == declared::PYTHON);
    of_python.all(|one| one.allows(&python))
}

/// Other releases of packages, each the nearest one in a direction that a test takes; none if one of them has none.
fn others(
    environment: &Environment,
    packages: &[&InstalledPackage],
    newer: bool,
    reason: &str,
    fits: impl Fn(&InstalledPackage) -> bool,
) -> Option<PinChange> {
    let mut change = PinChange::default();
    for package in packages {
        let table = declared_requirements(&package.key())?;
        let here = Pep440::from_str(package.public_version()).ok()?;
        let is_there = |one: &&String| {
            Pep440::from_str(one).is_ok_and(|one| if newer { one > here } else { one < here })
        };
        let mut all: Vec<&String> = table.releases.iter().filter(is_there).collect();
        if !newer {
            all.reverse();
        }
        let release = all.into_iter().find(|one| {
            let (name, version) = (package.name.clone(), (*one).clone());
            let mut other = InstalledPackage {
                name,
                version,
                is_of_default_index: true,
                ..InstalledPackage::default()
            };
            takes_python(&table, one, environment) && fill(&mut other) && fits(&other)
        });
        change.extend(PinChange::exact(package, release?.clone(), reason));
    }
    Some(change).filter(|change| !change.pins.is_empty())
}

/// Whether a package bounds the versions of another one, and allows the one that is installed.
fn bounds(package: &InstalledPackage, other: &InstalledPackage) -> bool {
    let Ok(version) = Pep440::from_str(other.public_version()) else { return false };
    let all = package.requires.iter().filter_map(|text| Dependency::read(text));
    let mut of_other = all.filter(|one| one.key == other.key()).peekable();
    let has_bound = of_other.peek().is_some_and(|one| one.text.contains(['<', '>', '=']));
    has_bound && of_other.all(|one| one.allows(&version))
}

fn of_grpcio(code: &Code<'_>) -> Options {
    let environment = code.environment;
    let Some(grpcio) = environment.package("grpcio") else { return Options::new() };
    let all = code.all();
    let least = all.iter().filter_map(|one| match one {
        Generated::Grpc(version) => Some(*version),
        _ => None,
    });
    let is_newer = |least: &Version| grpcio.numbers().is_some_and(|installed| installed < *least);
    let Some(least) = least.max().filter(is_newer) else { return Options::new() };
    let newest =
        in_range(environment, grpcio, &format!(">={least}"), "the newest generated code needs it");
    let older =
        others(environment, &code.with(Generated::Grpc(least)), false, &takes(grpcio), |one| {
            bounds(one, grpcio)
        });
    newest.into_iter().chain(older).collect()
}

/// The reason of a release that declares that it takes a package.
fn takes(package: &InstalledPackage) -> String {
    format!("the nearest release that declares that it takes {}", package.label())
}

fn of_jax(environment: &Environment) -> Options {
    let (Some(jax), Some(jaxlib)) = (environment.package("jax"), environment.package("jaxlib"))
    else {
        return Options::new();
    };
    let least = jax.least_jaxlib.as_deref().and_then(|text| text.parse::<Version>().ok());
    let fits = jax
        .numbers()
        .zip(jaxlib.numbers())
        .is_some_and(|(jax, jaxlib)| jaxlib <= jax && least.is_none_or(|least| jaxlib >= least));
    if fits {
        return Options::new();
    }
    let reason = "jax takes the jaxlib of its own version";
    let of_jax = PinChange::exact(jaxlib, jax.public_version().to_owned(), reason);
    let of_jaxlib = PinChange::exact(jax, jaxlib.public_version().to_owned(), reason);
    vec![of_jax, of_jaxlib]
}

fn of_numpy(environment: &Environment) -> Options {
    let Some(numpy) = environment.package("numpy") else { return Options::new() };
    if numpy.numbers().is_none_or(|one| one.major() < 2) {
        return Options::new();
    }
    let old = |package: &&InstalledPackage| crate::numpy::needs_numpy_1(package);
    let all: Vec<&InstalledPackage> = environment.packages.iter().filter(old).collect();
    if all.is_empty() {
        return Options::new();
    }
    let reason = format!("compiled against NumPy 1: {}", labels(&all));
    let older = in_range(environment, numpy, "<2", &reason);
    let reason = "the nearest release that was compiled against NumPy 2";
    let newer = others(environment, &all, true, reason, |one| {
        crate::numpy::is_known(one)
            && !crate::numpy::needs_numpy_1(one)
            && one.allows("numpy", &numpy.version)
    });
    older.into_iter().chain(newer).collect()
}

/// The lowest range of protobuf that takes all generated code, or packages with code that the installed one takes.
fn of_protobuf(code: &Code<'_>) -> Options {
    let environment = code.environment;
    let Some(protobuf) = environment.package("protobuf") else { return Options::new() };
    let Some(runtime) = protobuf.numbers() else { return Options::new() };
    let all = code.all();
    let checked = all.iter().filter_map(|one| match one {
        Generated::Checked(version) => Some(*version),
        _ => None,
    });
    let checked: Vec<Version> = checked.collect();
    let refuses = |code: &Version| crate::runtimes::refuses(runtime, *code);
    let has_old = all.contains(&Generated::Descriptors);
    let of_code = |generated: Generated, newer: bool| {
        let packages = code.with(generated);
        others(environment, &packages, newer, &takes(protobuf), |one| bounds(one, protobuf))
    };
    let Some(newest) = checked.iter().max().copied() else {
        if !has_old || runtime.major() < 4 {
            return Options::new();
        }
        let older =
            in_range(environment, protobuf, "<4", "code from before protobuf 3.20 needs it");
        return older.into_iter().chain(of_code(Generated::Descriptors, true)).collect();
    };
    if !checked.iter().any(refuses) {
        return Options::new();
    }
    if has_old {
        let open = format!(
            "protobuf: no release takes generated code from before 3.20 and of {newest}; one of the packages has to change"
        );
        return vec![PinChange { open: vec![open], ..PinChange::default() }];
    }
    let range = format!(">={newest},<{}", newest.major() + 1);
    let names = code.with(Generated::Checked(newest));
    let reason = format!("takes the generated code of {}", labels(&names));
    let other = in_range(environment, protobuf, &range, &reason);
    let older = of_code(Generated::Checked(newest), runtime > newest);
    other.into_iter().chain(older).collect()
}
