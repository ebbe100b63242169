//! Changes of versions after which nothing that was judged breaks.
//!
//! `framework`, `runtimes` and `names` say what could be changed for each reason, in two ways where there are two: the package that needs
//! something, or the one that has it. `repair` follows what that leads to by what all packages declare, changes what has to
//! change with it, and judges the result. What does not hold is not proposed, and the reason is said.

mod declared;
mod framework;
mod names;
mod repair;
mod runtimes;

use unskew_core::Context;
use unskew_extensions::Framework;

use self::repair::Repair;
use crate::dependencies::Unmet;
use crate::framework::Installed;
use crate::names::ReachedModules;
use crate::{Environment, InstalledPackage, PackagePair, gpu};

/// One package whose version changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The name of the package as its index normalizes it.
    pub package: String,
    /// The version that is installed.
    pub from: String,
    /// What to install, as a requirement: `torchao==0.12.0`.
    pub requirement: String,
    /// The release that it was judged with.
    pub release: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// What to install instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PinChange {
    /// Each package that changes.
    pub pins: Vec<Pin>,
    /// What breaks and has no known fix among releases.
    pub open: Vec<String>,
}

impl PinChange {
    /// The command that makes the change.
    pub fn command(&self) -> String {
        let all: Vec<String> =
            self.pins.iter().map(|pin| format!("'{}'", pin.requirement)).collect();
        format!("uv pip install {}", all.join(" "))
    }

    fn push(
        &mut self,
        package: &InstalledPackage,
        requirement: String,
        release: String,
        reason: &str,
    ) {
        let (name, from, reason) =
            (package.name.clone(), package.version.clone(), reason.to_owned());
        self.pins.push(Pin { package: name, from, requirement, release, reason });
    }

    /// The change of one package to one release.
    pub(crate) fn exact(package: &InstalledPackage, release: String, reason: &str) -> Self {
        let mut change = Self::default();
        change.push(package, format!("{}=={release}", package.name), release, reason);
        change
    }

    /// Takes what another one changes, but for packages that change already.
    fn extend(&mut self, other: Self) {
        for pin in other.pins {
            if !self.pins.iter().any(|one| one.package == pin.package) {
                self.pins.push(pin);
            }
        }
        self.open.extend(other.open);
    }
}

/// What could be changed for one reason: the first is tried first.
type Options = Vec<PinChange>;

/// The same for a requirement between two packages, with their names: where one of them changes for another reason, it is left.
type OfRequirement<'a> = (&'a str, &'a str, Options);

/// The changes that hold for an environment, and why others do not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) all: Vec<PinChange>,
    pub(crate) refused: Vec<String>,
}

/// The changes for an environment in which pairs of packages are broken, or packages with GPUs; the smallest first, two at
/// most.
pub(crate) fn changes<'a>(
    environment: &'a Environment,
    unmet: &Unmet<'a>,
    (pairs, on_gpus): (&[PackagePair], &[PackagePair]),
    reached: Option<&'a ReachedModules>,
    context: &'a Context,
) -> Changes {
    let mut reasons: Vec<Options> = Vec::new();
    for framework in Framework::ALL {
        if let Some(installed) = Installed::find(environment, framework) {
            reasons.push(framework::options(environment, &installed));
        }
    }
    reasons.extend(runtimes::options(environment, reached));
    reasons.push(gpu::options(environment, on_gpus));
    let repair = Repair::new(environment, unmet, pairs, reached, context);
    let declared = declared::options(&repair, unmet);
    let mut of_pairs = names::options(&repair);
    of_pairs.extend(declared);
    let mut changes = Changes::default();
    for at in 0..2 {
        let mut change = PinChange::default();
        for options in &reasons {
            let option = options.get(at).or_else(|| options.first());
            change.extend(option.cloned().unwrap_or_default());
        }
        for (one, other, options) in &of_pairs {
            if !change.pins.iter().any(|pin| pin.package == *one || pin.package == *other) {
                let option = options.get(at).or_else(|| options.first());
                change.extend(option.cloned().unwrap_or_default());
            }
        }
        if change.pins.is_empty() {
            continue;
        }
        let completed = repair.completed(change).map(|mut change| {
            change.open.extend(gpu::open_after(environment, on_gpus, &change));
            change
        });
        match completed {
            Ok(change) if !changes.all.contains(&change) => changes.all.push(change),
            Ok(_) => {}
            Err(why) if !changes.refused.contains(&why) => changes.refused.push(why),
            Err(_) => {}
        }
    }
    changes.all.sort_by_key(|change| (change.open.len(), change.pins.len()));
    changes
}

fn labels(packages: &[&InstalledPackage]) -> String {
    packages.iter().map(|package| package.label()).collect::<Vec<_>>().join(", ")
}
