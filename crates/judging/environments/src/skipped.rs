//! Packages that compare PyTorch's version themselves before they load their extensions.

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Version};
use unskew_extensions::{ExportedSymbols, Framework, OwnCheck};

use crate::InstalledPackage;
use crate::rules::ExtensionsSkipped;

/// What a package asks of a framework by comparing its version; none if it compares none.
pub(crate) fn requirement(package: &InstalledPackage, framework: Framework) -> Option<Requirement> {
    let takes = package.loads_with.clone().filter(|_| framework == Framework::Torch)?;
    let (package, version) = (package.key(), package.version.clone());
    Some(Requirement::matches("torch.own_check", OwnCheckMatcher { package, version, takes }))
}

/// Whether a package loads its extensions with a release of a framework, as far as it compares.
pub(crate) fn loads(check: Option<&OwnCheck>, exports: &ExportedSymbols) -> bool {
    exports.framework() != Framework::Torch
        || check.is_none_or(|check| check.takes(exports.release()))
}

struct OwnCheckMatcher {
    package: String,
    version: String,
    takes: OwnCheck,
}

impl Matcher for OwnCheckMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let Self { package, version, takes } = self;
        let installed = other.name.rsplit(' ').next()?;
        // How a pre-release compares is another matter; its extensions are judged by symbols all the same.
        let torch: Version = installed.split('+').next()?.parse().ok()?;
        let mut judgement = Judgement::default();
        if !takes.takes(torch) {
            let (takes, other) = match takes {
                OwnCheck::Never => ("no release of torch".to_owned(), String::new()),
                _ => (format!("torch {takes} only"), format!("torch {takes}, or ")),
            };
            let finding =
                ExtensionsSkipped { package, version, takes: &takes, torch: &torch, other: &other };
            let symptom = format!(
                "Skipping import of cpp extensions due to incompatible torch version {installed} for {package} version \
                 {version}"
            );
            judgement.findings.push(finding.finding().with_symptom(symptom));
        }
        Some(judgement)
    }
}
