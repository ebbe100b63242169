//! What the database lacks of what indexes list: `cargo lab current`.
//!
//! ```text
//! index ─ probe ─▶ versions with days ─▶ those that published.tsv lacks ─ --take ─▶ harvests of the family ─▶ tables
//! ```

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use unskew_core::Date;
use unskew_releases::{Exact, Family};

use crate::harvest::take;
use crate::published::{ListedRelease, listed_releases};

/// Lists releases that the database lacks, family by family.
#[derive(clap::Args)]
pub struct Current {
    /// Families to ask for; all without one.
    families: Vec<Family>,
    /// Takes releases that were published on this day or later again, whether the database has them or not.
    #[arg(long, value_name = "DATE")]
    since: Option<Date>,
    /// Runs the harvests that are named, instead of naming them.
    #[arg(long)]
    take: bool,
}

/// How a family is brought up to date after its list.
struct FamilyUpdate {
    family: Family,
    /// What `cargo lab harvest` takes of each new release.
    harvests: &'static [&'static str],
    /// The command that holds verdicts against the new release, or that makes rows by trial.
    oracle: &'static str,
}

const UPDATES: [FamilyUpdate; 16] = [
    FamilyUpdate {
        family: Family::Torch,
        harvests: &["torch", "torch-symbols"],
        oracle: "cargo lab torch-differential",
    },
    FamilyUpdate {
        family: Family::TensorFlow,
        harvests: &["tensorflow", "tensorflow-exports", "tensorflow-kernels"],
        oracle: "cargo lab tensorflow-differential",
    },
    FamilyUpdate {
        family: Family::Jax,
        harvests: &["jax", "jax-cache"],
        oracle: "cargo lab stablehlo-differential",
    },
    FamilyUpdate {
        family: Family::OnnxRuntime,
        harvests: &["onnxruntime"],
        oracle: "cargo lab onnx-differential",
    },
    FamilyUpdate {
        family: Family::Onnx,
        harvests: &["onnx"],
        oracle: "cargo lab onnx-conversions",
    },
    FamilyUpdate {
        family: Family::Keras,
        harvests: &["keras"],
        oracle: "cargo lab keras-releases",
    },
    FamilyUpdate { family: Family::TfKeras, harvests: &["tf_keras"], oracle: "cargo lab keras" },
    FamilyUpdate { family: Family::Tfjs, harvests: &["tfjs"], oracle: "cargo lab tfjs" },
    FamilyUpdate {
        family: Family::TorchXla,
        harvests: &["torch_xla"],
        oracle: "cargo lab stablehlo-differential",
    },
    FamilyUpdate {
        family: Family::LlamaCppPython,
        harvests: &["llama-cpp-python"],
        oracle: "cargo lab gguf-load",
    },
    FamilyUpdate {
        family: Family::Transformers,
        harvests: &["transformers"],
        oracle: "cargo lab model-folders",
    },
    FamilyUpdate {
        family: Family::Vllm,
        harvests: &["vllm"],
        oracle: "cargo lab harvest vllm==VERSION, which reads the tables of the server",
    },
    FamilyUpdate {
        family: Family::Sglang,
        harvests: &["sglang"],
        oracle: "cargo lab harvest sglang==VERSION, which reads the tables of the server",
    },
    // The rows of these are made by trial.
    FamilyUpdate { family: Family::ScikitLearn, harvests: &[], oracle: "cargo lab scikit-learn" },
    FamilyUpdate { family: Family::Tokenizers, harvests: &[], oracle: "cargo lab tokenizers" },
    FamilyUpdate { family: Family::Peft, harvests: &[], oracle: "cargo lab peft" },
];

/// Prints what is missing, and takes it if that is wanted.
///
/// # Errors
/// If an index cannot be asked, or a harvest fails.
pub fn run(asked: &Current) -> Result<()> {
    let is_asked = |family| asked.families.is_empty() || asked.families.contains(&family);
    let updates = UPDATES.iter().filter(|update| is_asked(update.family));
    for update in updates {
        let family = update.family;
        let listed = listed_releases(family).with_context(|| family.to_string())?;
        let new: Vec<&ListedRelease> =
            listed.iter().filter(|one| is_wanted(one, asked.since)).collect();
        println!("{}", summary(update, &listed, &new));
        if !asked.take || new.is_empty() {
            continue;
        }
        for one in new.iter().filter(|one| has_row_of_its_own(family, &one.version)) {
            for harvest in update.harvests {
                take(&format!("{harvest}=={}", one.version), None)?;
            }
        }
        take(&format!("published=={family}"), None)?;
    }
    Ok(())
}

fn is_wanted(one: &ListedRelease, since: Option<Date>) -> bool {
    !one.is_known || since.is_some_and(|since| one.day >= since)
}

/// Whether a release gets a row: the first of its minor, and each one of JAX, whose last number counts releases. Later patch
/// releases are judged by the row of their minor.
fn has_row_of_its_own(family: Family, version: &Exact) -> bool {
    let minor = |numbers: unskew_core::Version| (numbers.major(), numbers.minor());
    let rows = || family.rows().iter().map(|row| row.version);
    let is_known = rows().any(|row| row == version.numbers);
    let is_new_minor = !rows().any(|row| minor(row) == minor(version.numbers));
    version.is_numbers() && (is_known || is_new_minor || family == Family::Jax)
}

/// What is said of a family: its newest release, what is new, and what takes that.
fn summary(update: &FamilyUpdate, listed: &[ListedRelease], new: &[&ListedRelease]) -> String {
    let family = update.family;
    let newest =
        listed.last().map_or_else(String::new, |one| format!("{}, {}", one.version, one.day));
    let mut text = format!("{family}: {} listed, the newest is {newest}", listed.len());
    if new.is_empty() {
        text.push_str("; all are in the database");
        return text;
    }
    for one in new {
        // Writing into a String cannot fail.
        let _ = write!(text, "\n  {}  {}", one.day, one.version);
        if !has_row_of_its_own(family, &one.version) {
            continue;
        }
        for harvest in update.harvests {
            let _ = write!(text, "\n    cargo lab harvest {harvest}=={}", one.version);
        }
    }
    let _ = write!(text, "\n    cargo lab harvest published=={family}\n    {}", update.oracle);
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    fn release(version: &str, day: &str, is_known: bool) -> ListedRelease {
        let (version, day) = (version.parse().unwrap(), day.parse().unwrap());
        ListedRelease { version, day, is_known }
    }

    #[test]
    fn a_new_minor_is_harvested_and_a_patch_is_listed() {
        let rows = Family::Torch.rows();
        let newest = rows.last().unwrap().version;
        let next = format!("{}.{}.0", newest.major(), newest.minor() + 1);
        let patch = format!("{}.{}.{}", newest.major(), newest.minor(), newest.patch() + 1);
        let listed = [release(&next, "2030-01-01", false), release(&patch, "2030-01-02", false)];
        let new: Vec<&ListedRelease> = listed.iter().collect();
        let text = summary(&UPDATES[0], &listed, &new);
        assert!(text.contains(&format!("cargo lab harvest torch=={next}")), "{text}");
        assert!(!text.contains(&format!("cargo lab harvest torch=={patch}")), "{text}");
        assert!(text.contains("published==torch") && text.contains("torch-differential"), "{text}");
    }

    #[test]
    fn what_is_known_is_taken_again_from_a_day_on() {
        let known = release("2.15.0", "2026-10-28", true);
        assert!(!is_wanted(&known, None));
        assert!(is_wanted(&known, Some("2026-06-01".parse().unwrap())));
        assert!(!is_wanted(&known, Some("2026-11-01".parse().unwrap())));
    }

    #[test]
    fn every_family_that_an_index_lists_is_asked_for() {
        for family in Family::ALL {
            // No registry lists the builds of llama.cpp.
            let is_listed = UPDATES.iter().any(|update| update.family == family);
            assert_eq!(is_listed, family != Family::LlamaCpp, "{family}");
        }
    }
}
