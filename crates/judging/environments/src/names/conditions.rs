//! Conditions that versions, modules and flags decide.

use std::cmp::Ordering;
use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_python_source::Condition;

use super::finder::Location;
use super::importer::Importer;
use super::namespace::{Resolved, Value};
use super::steps::Frame;

impl Importer<'_> {
    /// Whether a condition holds; none if that is not known.
    pub(super) fn holds(&mut self, condition: &Condition, frame: Frame<'_>) -> Option<bool> {
        match condition {
            Condition::Known(holds) => Some(*holds),
            Condition::Python(comparison, numbers) => {
                let (major, minor) = self.python?;
                // Of a patch release nothing is known.
                let two: Vec<u32> = numbers.iter().copied().take(2).collect();
                let order = [major, minor][..two.len()].cmp(&two);
                match order {
                    Ordering::Equal if numbers.len() > 2 => None,
                    // `(3, 9, 1) > (3, 9)`: the whole tuple is longer than the literal.
                    Ordering::Equal => Some(comparison.holds(Ordering::Greater)),
                    order => Some(comparison.holds(order)),
                }
            }
            Condition::Platform(name) => {
                let known = self.platform?;
                Some(known.contains(&&**name))
            }
            Condition::PackageVersion { module, comparison, version } => {
                let Resolved::Bound(Value::Module(module) | Value::VersionOf(module)) =
                    self.resolve(module, frame)
                else {
                    return None;
                };
                let installed =
                    Pep440::from_str(self.versions.get(module.split('.').next()?)?).ok()?;
                let version = Pep440::from_str(version).ok()?;
                Some(comparison.holds(installed.cmp(&version)))
            }
            Condition::Flag(path) => match self.resolve(path, frame) {
                Resolved::Bound(Value::Known(value)) => Some(value),
                _ => None,
            },
            Condition::HasModule(module) => {
                let is_there = self.finder.find(module) != Location::Nowhere;
                // What is registered or lies elsewhere may be there without a file.
                let may_be = self.may_be_registered(module) || self.has_other_path(frame.module);
                (is_there || !may_be).then_some(is_there)
            }
            Condition::HasAttribute(path, name) => match self.resolve(path, frame) {
                Resolved::Bound(Value::Module(module)) => match self.attribute(&module, name) {
                    Resolved::Missing { .. } => Some(false),
                    Resolved::Unknown => None,
                    Resolved::Bound(_) => Some(true),
                },
                _ => None,
            },
            Condition::Not(inner) => self.holds(inner, frame).map(|holds| !holds),
            Condition::All(all) => {
                let all: Vec<Option<bool>> = all.iter().map(|one| self.holds(one, frame)).collect();
                if all.contains(&Some(false)) {
                    Some(false)
                } else {
                    all.iter().all(|one| *one == Some(true)).then_some(true)
                }
            }
            Condition::Any(all) => {
                let all: Vec<Option<bool>> = all.iter().map(|one| self.holds(one, frame)).collect();
                if all.contains(&Some(true)) {
                    Some(true)
                } else {
                    all.iter().all(|one| *one == Some(false)).then_some(false)
                }
            }
            Condition::Unknown => None,
        }
    }

    pub(super) fn compared_module(
        &self,
        condition: &Condition,
        frame: Frame<'_>,
    ) -> Option<String> {
        match condition {
            Condition::PackageVersion { module, .. } => match self.resolve(module, frame) {
                Resolved::Bound(Value::Module(module) | Value::VersionOf(module)) => Some(module),
                _ => None,
            },
            Condition::Python(..) => Some("sys".to_owned()),
            Condition::Not(inner) => self.compared_module(inner, frame),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().find_map(|one| self.compared_module(one, frame))
            }
            _ => None,
        }
    }
}
