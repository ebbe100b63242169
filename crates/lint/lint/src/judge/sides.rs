//! The working tree and the baselines of a call, each opened once.

use std::collections::BTreeMap;
use std::rc::Rc;

use unskew_core::Date;

use super::lint_result::{LintRequest, NotChecked};
use crate::baseline::{BaselineError, BaselinePlace, Repository, Snapshot, Sources, tree, walk};
use crate::boundary::Boundary;
use unskew_source::Files;

pub struct Sides<'a> {
    request: &'a LintRequest<'a>,
    /// The repository, if the root lies in one.
    pub repository: Option<Repository>,
    now: Snapshot,
    opened: BTreeMap<String, Rc<Snapshot>>,
    days: Option<Vec<Date>>,
}

impl<'a> Sides<'a> {
    /// The working tree: what git does not ignore, or whatever lies in the folder.
    pub fn open_working_tree(request: &'a LintRequest<'a>) -> Result<Self, BaselineError> {
        let repository = match request.sources.repository() {
            Ok(repository) if !repository.is_bare() => Some(repository.clone()),
            // Another baseline than a revision needs none.
            Ok(_) | Err(BaselineError::NoRepository(_) | BaselineError::NoGit) => None,
            Err(error) => return Err(error),
        };
        let names = match &repository {
            Some(repository) => repository.working_tree()?,
            None => walk(request.sources.folder())?,
        };
        let now = tree(request.sources.folder(), names, "working tree");
        Ok(Self { request, repository, now, opened: BTreeMap::new(), days: None })
    }

    /// The files of a boundary as they are.
    pub fn now(&self, boundary: &Boundary) -> Result<Files, BaselineError> {
        let names: Vec<&str> = self.now.names().filter(|name| boundary.paths.has(name)).collect();
        self.now.read(&names)
    }

    /// The files as they are that `wanted` takes.
    pub fn files(&self, wanted: impl Fn(&str) -> bool) -> Result<Files, BaselineError> {
        let names: Vec<&str> = self.now.names().filter(|name| wanted(name)).collect();
        self.now.read(&names)
    }

    /// What a boundary is compared with.
    pub fn baseline(&self, boundary: &Boundary) -> Result<BaselinePlace, NotChecked> {
        let config = self.request.config;
        let named = self.request.baseline.or(boundary.baseline.as_deref());
        let text = named.or(config.baseline.as_deref()).ok_or_else(|| {
            let file = self.request.file;
            NotChecked::Other(format!(
                "nothing to compare with; name a baseline by --baseline git:main... or in {file}"
            ))
        })?;
        Ok(BaselinePlace::parse(text, self.request.sources.folder())?)
    }

    /// Where baselines are read from.
    pub fn sources(&self) -> &'a Sources<'a> {
        self.request.sources
    }

    /// The files of a place.
    pub fn open(&mut self, place: &BaselinePlace) -> Result<Rc<Snapshot>, BaselineError> {
        if let Some(opened) = self.opened.get(&place.text) {
            return Ok(opened.clone());
        }
        let opened = Rc::new(place.open(self.request.sources)?);
        self.opened.insert(place.text.clone(), opened.clone());
        Ok(opened)
    }

    /// The days of all releases.
    pub fn release_days(&mut self) -> Result<Vec<Date>, BaselineError> {
        if let Some(days) = &self.days {
            return Ok(days.clone());
        }
        let config = self.request.config;
        let mut days: Vec<Date> = config.releases.iter().map(|release| release.on).collect();
        if let (Some(pattern), Some(repository)) = (&config.release_tags, &self.repository) {
            days.extend(repository.tags(pattern)?.into_iter().map(|(_, day)| day));
        }
        days.sort_unstable();
        days.dedup();
        self.days = Some(days.clone());
        Ok(days)
    }
}

/// One earlier version of the files of a boundary.
pub(super) struct Old {
    pub(super) label: String,
    pub(super) origin: String,
    pub(super) files: Files,
}

impl Old {
    pub(super) fn read(snapshot: &Snapshot, boundary: &Boundary) -> Result<Self, BaselineError> {
        let names: Vec<&str> = snapshot.names().filter(|name| boundary.paths.has(name)).collect();
        let files = snapshot.read(&names)?;
        Ok(Self { label: snapshot.label.clone(), origin: snapshot.origin.clone(), files })
    }
}
