//! The size oracle: what a plug-in itself says of the sizes of the arguments of its functions, against the
//! ABI data.

use std::path::Path;

use super::bench::Bench;
use super::check_outcome::CheckOutcome;
use super::sizes::{SizeAnnouncement, SizePolicy, agreement, can_be_asked, inquire};
use crate::layout::{self, Function};
use crate::sys::trial::{Answer, Questions};

/// What one function of a plug-in says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueSize {
    /// The function, by its name in C.
    pub function: &'static str,
    /// What the plug-in's error says about the size.
    pub told: SizeAnnouncement,
    /// Why the data allow that size; empty if it is the minor's own. An error if they do not: the sizes
    /// that they have. None if it names no size.
    pub agreement: Option<Result<String, Vec<usize>>>,
}

/// What a plug-in says of all its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizeOracle {
    /// The minor that it was built with.
    pub minor: i32,
    /// The functions that answered.
    pub sizes: Vec<TrueSize>,
    /// Functions that it does not have, or answers with UNIMPLEMENTED.
    pub unsupported: usize,
    /// Functions that ended a copy of this process, with how.
    pub died: Vec<(&'static str, String)>,
}

impl SizeOracle {
    /// How many functions say which size they want.
    pub fn told(&self) -> usize {
        self.sizes.iter().filter(|size| size.agreement.is_some()).count()
    }

    /// How many of those want another size than that of their minor, which the data explain.
    pub fn explained(&self) -> usize {
        let explained =
            |size: &&TrueSize| matches!(&size.agreement, Some(Ok(why)) if !why.is_empty());
        self.sizes.iter().filter(explained).count()
    }

    /// Those that want a size which the data do not have: the size, and the sizes that the data have.
    pub fn deviations(&self) -> impl Iterator<Item = (&'static str, usize, &[usize])> {
        self.sizes.iter().filter_map(|size| match (&size.told, &size.agreement) {
            (SizeAnnouncement::Size { bytes, .. }, Some(Err(known))) => {
                Some((size.function, *bytes, known.as_slice()))
            }
            _ => None,
        })
    }

    /// How many functions do so with arguments that are larger than they want.
    pub fn count(&self, policy: SizePolicy) -> usize {
        let same = |size: &&TrueSize| match &size.told {
            SizeAnnouncement::Size { policy: told, .. } | SizeAnnouncement::Refuses(_, told) => {
                *told == policy
            }
            SizeAnnouncement::Nothing { .. } => false,
        };
        self.sizes.iter().filter(same).count()
    }
}

/// What is answered to all questions, each of which may end the copy that asks it.
#[cfg(unix)]
fn known<F: Iterator<Item = Function>>(
    path: &Path,
    functions: &dyn Fn() -> F,
) -> Result<Vec<Answer>, String> {
    let supervisor = unskew_abi::sandbox::Supervisor::unconfined();
    let asked = crate::sys::trial::answers(&supervisor, 0, |_, questions| {
        let Ok(mut bench) = Bench::open(path, questions) else { return 1 };
        let api = bench.api();
        for function in functions() {
            // It is asked once more, with the same answers.
            let _ = inquire(&mut bench.questions, api, function);
        }
        0
    });
    asked.map(|(_, answers)| answers).map_err(|error| error.to_string())
}

/// Where processes are not copied, each is asked in this one.
#[cfg(not(unix))]
fn known<F: Iterator<Item = Function>>(_: &Path, _: &dyn Fn() -> F) -> Result<Vec<Answer>, String> {
    Ok(Vec::new())
}

/// Loads the plug-in at `path` into this process, and asks each function for its size, in copies of this
/// process.
///
/// The plug-in's constructors run here: call it in a process of its own.
///
/// # Errors
/// What the loader says.
pub fn size_oracle(path: &Path) -> Result<SizeOracle, String> {
    let functions = || {
        let all = layout::slots().iter().map(|slot| slot.function);
        all.filter(|function| can_be_asked(*function))
    };
    let known = known(path, &functions)?;
    let mut bench = Bench::open(path, Questions::answered(known))?;
    let api = bench.api();
    let mut oracle = SizeOracle { minor: api.minor(), ..SizeOracle::default() };
    for function in functions() {
        let name = function.name();
        match inquire(&mut bench.questions, api, function) {
            Ok(told) => {
                let agreement = match &told {
                    SizeAnnouncement::Size { bytes, named, .. } => {
                        Some(agreement(api.minor(), function, *bytes, *named))
                    }
                    _ => None,
                };
                oracle.sizes.push(TrueSize { function: name, told, agreement });
            }
            Err(CheckOutcome::Unsupported { .. }) => oracle.unsupported += 1,
            Err(outcome) => oracle.died.push((name, outcome.to_string())),
        }
    }
    Ok(oracle)
}
