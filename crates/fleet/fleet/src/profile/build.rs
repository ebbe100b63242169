//! From a profile to a runtime that models are held against.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_core::{Date, Party, Version};
use unskew_releases::{Family, jax, tensorflow, torch};
use unskew_torch::{DeviceOperator, DeviceTable};
use unskew_torch_schemas::FunctionSchema;

use super::error::ProfileError;
use super::{ProfileOperator, RuntimeProfile};
use crate::Digest;

/// A runtime as `check` and `convert` know it.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// What its owner says of it.
    pub profile: RuntimeProfile,
    /// The digest of what can be judged.
    pub digest: Digest,
    /// It as one side of a check, and as the target of a conversion.
    pub party: Arc<Party>,
}

impl RuntimeProfile {
    /// The runtime that it describes.
    ///
    /// # Errors
    /// If an operator, an axis or a range is none that the release can have.
    pub fn runtime(&self) -> Result<Runtime, ProfileError> {
        let party = if self.is_release() {
            self.release.party()
        } else {
            match self.release.family() {
                Family::Torch => self.torch()?,
                Family::TensorFlow => self.tensorflow()?,
                Family::Jax => self.jax()?,
                _ => {
                    let what = "a device of it is not described yet; name a release alone";
                    return Err(ProfileError::new("release", what));
                }
            }
        };
        Ok(Runtime { profile: self.clone(), digest: self.digest(), party })
    }

    /// The day on which its release came out.
    pub fn released(&self) -> Date {
        self.release.row().released
    }

    fn torch(&self) -> Result<Arc<Party>, ProfileError> {
        let gone = || ProfileError::new("release", "the database has no operators of it");
        let base = torch::runtime(self.release.row()).ok_or_else(gone)?;
        let (operators, calendar) = torch::database().ok_or_else(gone)?;
        let all = DeviceTable::of_release(&base, &self.name, |_| true);
        let named = by_name(&all.operators);
        let mut table = all.clone();
        if let Some(list) = &self.operators {
            table.operators.clear();
            for (at, one) in list.iter().enumerate() {
                let place = || format!("operators[{at}]");
                match one {
                    ProfileOperator::Named(name) => {
                        let found = named.get(name.as_str());
                        let found =
                            found.ok_or_else(|| ProfileError::new(place(), self.lacks(name)))?;
                        table.operators.extend(found.iter().map(|one| (*one).clone()));
                    }
                    ProfileOperator::Schema(schema, version) => {
                        let name =
                            schema.parse::<FunctionSchema>().map(|schema| schema.full_name());
                        let name = name.map_err(|error| ProfileError::new(place(), error))?;
                        let known = named.get(name.as_str()).and_then(|found| found.first());
                        let version = version.or(known.map(|one| one.version)).unwrap_or(0);
                        table.operators.push(DeviceOperator { schema: schema.clone(), version });
                    }
                }
            }
        }
        for (at, lacking) in self.without.iter().enumerate() {
            if !named.contains_key(lacking.as_str()) {
                return Err(ProfileError::new(format!("without[{at}]"), self.lacks(lacking)));
            }
            table.operators.retain(|one| names(&one.schema).all(|name| name != lacking));
        }
        self.torch_versions(&mut table)?;
        let runtime = table
            .runtime(operators, calendar)
            .map_err(|error| ProfileError::new("operators", error))?;
        Ok(Arc::new(runtime.party()))
    }

    fn torch_versions(&self, table: &mut DeviceTable) -> Result<(), ProfileError> {
        for (axis, range) in &self.versions {
            match axis.as_str() {
                "torch.file_format" => table.file_format = numbers(axis, range)?,
                "torch.bytecode" => table.bytecode = Some(numbers(axis, range)?),
                "torch.export_schema" => {
                    versions(axis, range)?;
                    table.export_schema = Some(range[1].clone());
                }
                _ => return Err(self.no_axis(axis)),
            }
        }
        Ok(())
    }

    fn tensorflow(&self) -> Result<Arc<Party>, ProfileError> {
        let gone = || ProfileError::new("release", "the database has no ops of it");
        let mut runtime = tensorflow::runtime(self.release.row()).ok_or_else(gone)?;
        let name = |text: &str| text.split('(').next().unwrap_or(text).trim().to_owned();
        let all: BTreeSet<String> = runtime.ops.texts().map(name).collect();
        let mut lacking: BTreeSet<String> = BTreeSet::new();
        if let Some(list) = &self.operators {
            lacking = all.clone();
            for (at, one) in list.iter().enumerate() {
                let known = matches!(one, ProfileOperator::Named(op) if all.contains(op));
                if !known {
                    let what = self.lacks(one_name(one));
                    return Err(ProfileError::new(format!("operators[{at}]"), what));
                }
                lacking.remove(one_name(one));
            }
        }
        for (at, op) in self.without.iter().enumerate() {
            if !all.contains(op) {
                return Err(ProfileError::new(format!("without[{at}]"), self.lacks(op)));
            }
            lacking.insert(op.clone());
        }
        runtime.ops = runtime.ops.without(lacking);
        for (axis, range) in &self.versions {
            let reader = match axis.as_str() {
                unskew_tensorflow::GRAPH_AXIS => &mut runtime.graph_def,
                unskew_tensorflow::CHECKPOINT_AXIS => &mut runtime.checkpoint,
                _ => return Err(self.no_axis(axis)),
            };
            [reader.min_producer, reader.version] = numbers(axis, range)?;
        }
        let mut party = runtime.party();
        party.name.clone_from(&self.name);
        party.kind = "device with TensorFlow".to_owned();
        party.origin = format!("built from tensorflow {}", runtime.version);
        Ok(Arc::new(party))
    }

    fn jax(&self) -> Result<Arc<Party>, ProfileError> {
        if self.operators.is_some() || !self.without.is_empty() {
            let place = if self.operators.is_some() { "operators" } else { "without" };
            return Err(ProfileError::new(place, "JAX has no table of operators"));
        }
        let row = self.release.row();
        let at = jax::rows().iter().position(|known| known.version == row.version);
        let host = at.and_then(|at| jax::hosts().get(at));
        let gone = || ProfileError::new("release", "the database does not have it");
        let mut host = host.ok_or_else(gone)?.clone().among(jax::hosts);
        host.name.clone_from(&self.name);
        host.kind = "host with JAX".to_owned();
        for (axis, range) in &self.versions {
            let [_, last] = versions(axis, range)?;
            match axis.as_str() {
                "stablehlo" => host.stablehlo = Some(last),
                "pjrt.api" => host.minor = Some(i32::try_from(last.minor()).unwrap_or(i32::MAX)),
                _ => return Err(self.no_axis(axis)),
            }
        }
        Ok(Arc::new(host.party()))
    }

    fn lacks(&self, operator: &str) -> String {
        format!("{} has no such operator: {operator}", self.release)
    }

    fn no_axis(&self, axis: &str) -> ProfileError {
        let axes = match self.release.family() {
            Family::Torch => "torch.file_format, torch.bytecode, torch.export_schema",
            Family::TensorFlow => "tf.graph_def, tf.checkpoint",
            Family::Jax => "pjrt.api, stablehlo",
            Family::OnnxRuntime | Family::Onnx => "onnx.ir, onnx.opset",
            _ => "none",
        };
        let what = format!("no axis of a {} device ({axes})", self.release.family());
        ProfileError::new(format!("versions.{axis}"), what)
    }
}

fn one_name(operator: &ProfileOperator) -> &str {
    match operator {
        ProfileOperator::Named(name) | ProfileOperator::Schema(name, _) => name,
    }
}

/// The names by which an operator is called: with its overload, and without for all overloads.
fn names(schema: &str) -> impl Iterator<Item = &str> {
    let full = schema.split('(').next().unwrap_or(schema).trim();
    let base = full.split_once('.').map(|(base, _)| base);
    std::iter::once(full).chain(base)
}

fn by_name(operators: &[DeviceOperator]) -> BTreeMap<&str, Vec<&DeviceOperator>> {
    let mut all: BTreeMap<&str, Vec<&DeviceOperator>> = BTreeMap::new();
    for one in operators {
        for name in names(&one.schema) {
            all.entry(name).or_default().push(one);
        }
    }
    all
}

fn versions(axis: &str, range: &[String; 2]) -> Result<[Version; 2], ProfileError> {
    let place = || format!("versions.{axis}");
    let read = |text: &String| {
        text.parse::<Version>()
            .map_err(|_| ProfileError::new(place(), format!("no version: {text}")))
    };
    let [first, last] = [read(&range[0])?, read(&range[1])?];
    if first > last {
        let what = format!("the first version is above the last: {first}, {last}");
        return Err(ProfileError::new(place(), what));
    }
    Ok([first, last])
}

fn numbers(axis: &str, range: &[String; 2]) -> Result<[i64; 2], ProfileError> {
    versions(axis, range)?;
    let read = |text: &String| {
        let wrong = |_| ProfileError::new(format!("versions.{axis}"), format!("no number: {text}"));
        text.parse::<i64>().map_err(wrong)
    };
    Ok([read(&range[0])?, read(&range[1])?])
}
