//! Matchers of what is no symbol: generated code, jax and jaxlib.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Phase, Severity, Unjudged, Version, aspect,
};

use crate::rules::{
    GrpcioOlderThanCode, JaxlibDoesNotFitJax, ProtobufCodeNotPromised, ProtobufCodeTooOld,
    ProtobufLacksModule, ProtobufMajorBehind, ProtobufMajorDiffers, ProtobufMajorWithoutCode,
    ProtobufOlderThanCode,
};
use crate::{Generated, GeneratedVariants};

/// An installed runtime, as the capability that matchers ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    Protobuf(Version),
    Grpc(Version),
    Jaxlib(Version),
    NumPy(Version),
}

/// The first protobuf with `google.protobuf.runtime_version`, and the first with `internal.builder`.
const CHECK: Version = Version::pair(5, 27);
const BUILDER: Version = Version::pair(3, 20);

/// What is said of code that has a branch for each of several generations.
const CONDITIONAL: &str = "generated code that asks for the version of protobuf itself";

/// The generated code of one package.
pub(crate) struct CodeMatcher {
    pub(crate) package: String,
    pub(crate) generated: BTreeMap<Generated, Vec<String>>,
    /// Code in several forms, of which it imports one.
    pub(crate) choices: Vec<GeneratedVariants>,
    /// The files that no import of a package reaches: a function imports them, if anything does.
    pub(crate) late: BTreeSet<String>,
}

/// What of the code in several forms is imported.
#[derive(Default)]
struct ImportedCode<'c> {
    imported: BTreeMap<Generated, Vec<String>>,
    /// The files that choose in a way that is not known.
    open: Vec<&'c str>,
    /// Those that have code for other majors alone.
    without_code: Vec<&'c GeneratedVariants>,
}

impl Matcher for CodeMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = *other.capability::<Runtime>()?;
        let mut judgement = Judgement::default();
        let mut answered = false;
        let ImportedCode { imported, open, without_code } = self.imported(runtime);
        if let Runtime::Protobuf(version) = runtime {
            let all = without_code.iter().map(|variants| self.without_code(variants, version));
            judgement.findings.extend(all);
            answered |= !without_code.is_empty();
        }
        for by in open {
            let reason =
                format!("generated code in several forms, of which {} chooses", self.package);
            judgement
                .unjudged
                .push(Unjudged::new(aspect::CONTENTS, reason).at([by].into_iter().collect()));
            answered = true;
        }
        for (generated, files) in &imported {
            if let (Generated::Conditional, Runtime::Protobuf(_)) = (generated, runtime) {
                let reason = format!("{CONDITIONAL} of {}", self.package);
                let unjudged = Unjudged::new(aspect::CONTENTS, reason);
                judgement.unjudged.push(unjudged.at(files.iter().collect()));
                answered = true;
                continue;
            }
            let finding = match (*generated, runtime) {
                (Generated::Grpc(version), Runtime::Grpc(runtime)) => self.grpc(version, runtime),
                (Generated::Grpc(_), _) => continue,
                (generated, Runtime::Protobuf(runtime)) => self.protobuf(generated, runtime),
                _ => continue,
            };
            answered = true;
            let at_load: Vec<&String> =
                files.iter().filter(|file| !self.late.contains(*file)).collect();
            let finding = finding.map(|finding| match at_load.is_empty() {
                true if finding.severity == Severity::Error => finding
                    .at(files.iter().collect())
                    .with_severity(Severity::Warning)
                    .in_phase(Phase::FirstUse),
                true => finding.at(files.iter().collect()),
                false => finding.at(at_load.into_iter().collect()),
            });
            judgement.findings.extend(finding);
        }
        answered.then_some(judgement)
    }
}

impl CodeMatcher {
    /// The code that is imported with a runtime, and where that is not known.
    fn imported(&self, runtime: Runtime) -> ImportedCode<'_> {
        let mut code = ImportedCode { imported: self.generated.clone(), ..ImportedCode::default() };
        let Runtime::Protobuf(version) = runtime else { return code };
        for variants in &self.choices {
            let GeneratedVariants { by, forms } = variants;
            let says = forms.iter().any(|(major, ..)| major.is_some());
            let fits = |code: Generated| self.protobuf(code, version).is_none();
            let chosen: Vec<_> = match says {
                true => {
                    let is_for = |wanted: Option<i64>| {
                        forms.iter().filter(move |(major, ..)| *major == wanted)
                    };
                    let own: Vec<_> = is_for(Some(version.major())).collect();
                    if own.is_empty() { is_for(None).collect() } else { own }
                }
                // If all fit, or none does, it is all the same which one.
                false if forms.iter().all(|(_, code, _)| fits(*code)) => forms.iter().collect(),
                false if !forms.iter().any(|(_, code, _)| fits(*code)) => forms.iter().collect(),
                false => Vec::new(),
            };
            if chosen.is_empty() {
                match forms.iter().all(|(major, ..)| major.is_some()) {
                    true => code.without_code.push(variants),
                    false => code.open.push(by),
                }
            }
            for (_, generated, path) in chosen {
                code.imported.entry(*generated).or_default().push(path.clone());
            }
        }
        code
    }

    /// What is said of a file that has code for other majors than the installed one.
    fn without_code(&self, variants: &GeneratedVariants, runtime: Version) -> Finding {
        let GeneratedVariants { by, forms } = variants;
        let majors: BTreeSet<i64> = forms.iter().filter_map(|(major, ..)| *major).collect();
        let newest = majors.last().copied().unwrap_or_default();
        let majors: Vec<String> = majors.iter().map(ToString::to_string).collect();
        let finding = ProtobufMajorWithoutCode {
            package: &self.package,
            majors: &majors.join(", "),
            major: &runtime.major(),
            newest: &newest,
            runtime: &runtime,
        };
        let module = by.trim_end_matches(".py").replace('/', ".");
        let symptom = format!("ImportError: cannot import name '...' from '{module}'");
        let finding = finding.finding().with_symptom(symptom).at([by].into_iter().collect());
        match self.late.contains(by) {
            true => finding.with_severity(Severity::Warning).in_phase(Phase::FirstUse),
            false => finding,
        }
    }

    fn grpc(&self, generated: Version, runtime: Version) -> Option<Finding> {
        let package = &self.package;
        let finding = GrpcioOlderThanCode { package, generated: &generated, runtime: &runtime };
        (runtime < generated).then(|| {
            finding.finding().with_symptom(format!(
                "RuntimeError: The grpc package installed is at version {runtime}, but the generated code ... depends on \
                 grpcio>={generated}."
            ))
        })
    }

    fn protobuf(&self, code: Generated, runtime: Version) -> Option<Finding> {
        let package = &self.package;
        let lacks = |module: &str, least: Version| {
            let finding =
                ProtobufLacksModule { package, module: &module, least: &least, runtime: &runtime };
            let (from, name) = module.rsplit_once('.').unwrap_or(("", module));
            let symptom = format!("ImportError: cannot import name '{name}' from '{from}'");
            finding.finding().with_symptom(symptom)
        };
        match code {
            Generated::Descriptors => (runtime.major() >= 4).then(|| {
                let finding = ProtobufCodeTooOld { package, runtime: &runtime }.finding();
                // Up to 4.24 with one `not` more.
                let not = if runtime < Version::pair(4, 25) { "cannot not" } else { "cannot" };
                finding.with_symptom(format!("TypeError: Descriptors {not} be created directly."))
            }),
            Generated::Builder => {
                (runtime < BUILDER).then(|| lacks("google.protobuf.internal.builder", BUILDER))
            }
            Generated::Checked(_) if runtime < CHECK => {
                Some(lacks("google.protobuf.runtime_version", CHECK))
            }
            Generated::Checked(generated) => self.checked(generated, runtime),
            Generated::Grpc(_) | Generated::Conditional => None,
        }
    }

    /// What `ValidateProtobufRuntimeVersion` does, in its order.
    fn checked(&self, generated: Version, runtime: Version) -> Option<Finding> {
        let package = &self.package;
        let behind = runtime.major() - generated.major();
        if !compares_majors(runtime) {
            if runtime < generated {
                return Some(self.older(generated, runtime));
            }
            let finding = ProtobufCodeNotPromised {
                package,
                generated: &generated,
                runtime: &runtime,
                before: &(runtime.major() - 1),
            };
            return (behind > 1).then(|| finding.finding());
        }
        if behind != 0 && behind != 1 {
            let allowed = format!("{} and {}", runtime.major() - 1, runtime.major());
            let finding = ProtobufMajorDiffers {
                package,
                generated: &generated,
                major: &generated.major(),
                allowed: &allowed,
                runtime: &runtime,
            };
            let symptom = format!(
                "VersionError: Detected mismatched Protobuf Gencode/Runtime major versions ... gencode {generated} runtime \
                 {runtime}."
            );
            return Some(finding.finding().with_symptom(symptom));
        }
        // It compares the minor versions whatever the majors are.
        if is_behind_in_minor(generated, runtime) {
            return Some(self.older(generated, runtime));
        }
        let finding = ProtobufMajorBehind { package, generated: &generated, runtime: &runtime };
        (behind == 1).then(|| finding.finding())
    }

    fn older(&self, generated: Version, runtime: Version) -> Finding {
        let (package, least) = (&self.package, &generated);
        let finding =
            ProtobufOlderThanCode { package, generated: &generated, least, runtime: &runtime };
        let symptom = format!(
            "VersionError: Detected incompatible Protobuf Gencode/Runtime versions ... gencode {generated} runtime \
             {runtime}."
        );
        finding.finding().with_symptom(symptom)
    }
}

/// Whether a runtime with a check refuses code of other majors: those up to 5.29.5 and 6.31.1 do. Later ones of either major
/// refuse nothing but code that is newer than themselves.
fn compares_majors(runtime: Version) -> bool {
    runtime < Version::triple(5, 29, 6)
        || (runtime.major() == 6 && runtime < Version::triple(6, 32, 0))
}

fn is_behind_in_minor(generated: Version, runtime: Version) -> bool {
    (runtime.minor(), runtime.patch()) < (generated.minor(), generated.patch())
}

/// Whether a runtime refuses code that names its version when it is imported.
pub(crate) fn refuses(runtime: Version, generated: Version) -> bool {
    if !compares_majors(runtime) {
        return runtime < generated;
    }
    !(0..=1).contains(&(runtime.major() - generated.major()))
        || is_behind_in_minor(generated, runtime)
}

/// What jax asks of jaxlib.
pub(crate) struct JaxMatcher {
    pub(crate) jax: Version,
    pub(crate) least: Version,
}

impl Matcher for JaxMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let Runtime::Jaxlib(jaxlib) = *other.capability::<Runtime>()? else { return None };
        let mut judgement = Judgement::default();
        let symptom = if jaxlib < self.least {
            format!(
                "RuntimeError: jaxlib is version {jaxlib}, but this version of jax requires version >= {}.",
                self.least
            )
        } else if jaxlib > self.jax {
            format!(
                "RuntimeError: jaxlib version {jaxlib} is newer than and incompatible with jax version {}.",
                self.jax
            )
        } else {
            return Some(judgement);
        };
        let finding = JaxlibDoesNotFitJax { jax: &self.jax, least: &self.least, jaxlib: &jaxlib };
        judgement.findings.push(finding.finding().with_symptom(symptom));
        Some(judgement)
    }
}
