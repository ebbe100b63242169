//! Tensors that lie in other files: whether these are there, inside the folder, and long enough.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Places, Requirement, Unjudged, Version, aspect,
};

use crate::{ExternalData, ModelReader, OnnxModel, OnnxRelease, OnnxTensor, rules};

/// The axis of what is found; nobody provides it.
const AXIS: &str = "onnx.data";

/// A file that lies beside a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighbourFile {
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is a link.
    pub link: bool,
    /// Whether links lead out of the folder of the model, and out of the folder in which the model really lies.
    pub outside: bool,
}

/// Looks for a file beside a model, by its path below the folder of the model; none if there is none.
pub type NeighbourLookup<'a> = &'a dyn Fn(&str) -> Option<NeighbourFile>;

/// The first ONNX Runtime and the first onnx that follow links before they read. Measured.
const FOLLOWS: [(ModelReader, &str); 2] =
    [(ModelReader::OnnxRuntime, "1.24.4"), (ModelReader::Onnx, "1.21.0")];

/// Says that a file is a link, to releases that look. onnx takes no link, wherever it leads.
struct LinkMatcher {
    finding: Finding,
    outside: bool,
}

impl Matcher for LinkMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let runtime = other.capability::<OnnxRelease>()?;
        let first = FOLLOWS.iter().find(|(reader, _)| *reader == runtime.reader);
        let looks = first
            .and_then(|(_, first)| first.parse().ok())
            .is_some_and(|first: Version| runtime.version >= first);
        let refused = looks && (self.outside || runtime.reader == ModelReader::Onnx);
        let findings = refused.then(|| self.finding.clone()).into_iter().collect();
        Some(Judgement { findings, ..Judgement::default() })
    }
}

/// Says the same to every release that reads models.
struct BrokenFileMatcher(Finding);

impl Matcher for BrokenFileMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<OnnxRelease>()?;
        Some(Judgement { findings: vec![self.0.clone()], ..Judgement::default() })
    }
}

/// A party that was read from a model, with what is to be said of its tensors in other files. `beside`: none where
/// nothing can lie beside the model, or it cannot be looked there.
pub fn with_external_data(mut party: Party, beside: Option<NeighbourLookup<'_>>) -> Party {
    let Some(model) = party.capability::<OnnxModel>() else { return party };
    let tensors = tensors(model);
    if tensors.is_empty() {
        return party;
    }
    let files: BTreeMap<&str, u64> =
        tensors.iter().fold(BTreeMap::new(), |mut all, (tensor, external)| {
            let size = external.length.or_else(|| tensor.bytes()).unwrap_or(0);
            let sum = all.entry(&*external.location).or_insert(0_u64);
            *sum = sum.saturating_add(size);
            all
        });
    let shown: Places = files.iter().map(|(file, size)| format!("{file}: {size} bytes")).collect();
    let ExternalDataFaults { findings, links, unseen } = found(&tensors, beside);
    let count = tensors.len();
    party = party.fact("external data", format!("{count} tensors in {shown}"));
    if unseen {
        let reason = format!("{count} tensors lie in other files, which were not looked for here");
        party = party.not_judged(Unjudged::new(aspect::DATA, reason));
    }
    for finding in findings {
        let matcher =
            Requirement::matches(AXIS, BrokenFileMatcher(finding.clone())).irrelevant_if_absent();
        party = party.note(finding).require(matcher);
    }
    for link in links {
        party = party.require(Requirement::matches(AXIS, link).irrelevant_if_absent());
    }
    party
}

fn tensors(model: &OnnxModel) -> Vec<(Arc<OnnxTensor>, ExternalData)> {
    let functions = model.functions.iter().flat_map(|function| function.body.tensors());
    let all = model.graph.tensors().chain(functions);
    all.filter_map(|tensor| Some((Arc::new(tensor.clone()), tensor.external.clone()?))).collect()
}

/// What is wrong with tensors in other files.
struct ExternalDataFaults {
    /// One for each cause.
    findings: Vec<Finding>,
    /// What only some releases refuse.
    links: Vec<LinkMatcher>,
    /// Whether something was not looked at.
    unseen: bool,
}

fn found(
    tensors: &[(Arc<OnnxTensor>, ExternalData)],
    beside: Option<NeighbourLookup<'_>>,
) -> ExternalDataFaults {
    let mut outside: BTreeMap<&str, Places> = BTreeMap::new();
    let mut broken: BTreeMap<String, Places> = BTreeMap::new();
    let mut missing: BTreeMap<&str, Places> = BTreeMap::new();
    let mut short: BTreeMap<(&str, u64), (u64, Places)> = BTreeMap::new();
    let mut linked: BTreeMap<(&str, bool), Places> = BTreeMap::new();
    let mut sizes: BTreeMap<&str, Option<NeighbourFile>> = BTreeMap::new();
    for (tensor, external) in tensors {
        let file = &*external.location;
        if let Some(what) = &external.broken {
            broken.entry(what.to_string()).or_default().add(&tensor.name);
            continue;
        }
        if !is_inside(file) {
            outside.entry(file).or_default().add(&tensor.name);
            continue;
        }
        let needs = tensor.bytes();
        if let (Some(length), Some(needs)) = (external.length, needs)
            && length != needs
        {
            let what = format!("length {length} for {needs} bytes");
            broken.entry(what).or_default().add(&tensor.name);
            continue;
        }
        let Some(beside) = beside else { continue };
        let Some(found) = *sizes.entry(file).or_insert_with(|| beside(file)) else {
            missing.entry(file).or_default().add(&tensor.name);
            continue;
        };
        let size = found.size;
        if found.link || found.outside {
            linked.entry((file, found.outside)).or_default().add(&tensor.name);
        }
        let length = external.length.or(needs).unwrap_or(0);
        let end = external.offset.unwrap_or(0).saturating_add(length);
        if end > size {
            let (most, places) = short.entry((file, size)).or_default();
            *most = (*most).max(end);
            places.add(&tensor.name);
        }
    }
    let mut findings = Vec::new();
    for (file, places) in outside {
        findings.push(rules::ExternalOutside { file: &file }.finding().at(places));
    }
    for (what, places) in broken {
        findings.push(rules::ExternalEntryBroken { what: &what }.finding().at(places));
    }
    for (file, places) in missing {
        findings.push(rules::ExternalMissing { file: &file }.finding().at(places));
    }
    let link = |((file, outside), places): ((&str, bool), Places)| {
        let what = if outside { "a link out of the folder of the model" } else { "a link" };
        let rule = rules::ExternalLink { file: &file, what: &what };
        LinkMatcher { finding: rule.finding().at(places), outside }
    };
    let links = linked.into_iter().map(link).collect();
    for ((file, size), (end, places)) in short {
        findings.push(
            rules::ExternalTooShort { file: &file, size: &size, end: &end }.finding().at(places),
        );
    }
    ExternalDataFaults { findings, links, unseen: beside.is_none() }
}

/// Whether a location stays below the folder of the model: relative, and without more steps up than down.
pub(crate) fn is_inside(location: &str) -> bool {
    let step = |depth: usize, part: &str| match part {
        "" | "." => Some(depth),
        ".." => depth.checked_sub(1),
        _ => Some(depth + 1),
    };
    let stays = location.split(['/', '\\']).try_fold(0, step).is_some();
    let drive = location.as_bytes().get(1) == Some(&b':');
    !location.is_empty()
        && !location.starts_with(['/', '\\'])
        && !drive
        && !location.contains('\0')
        && stays
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OnnxElementType;

    fn at(
        location: &str,
        offset: u64,
        length: Option<u64>,
    ) -> Vec<(Arc<OnnxTensor>, ExternalData)> {
        let external =
            ExternalData { location: location.into(), offset: Some(offset), length, broken: None };
        let tensor = OnnxTensor {
            name: "w".into(),
            element: OnnxElementType(1),
            dims: vec![2, 3],
            ..OnnxTensor::default()
        };
        vec![(Arc::new(tensor), external)]
    }

    #[test]
    fn a_file_must_be_there_inside_the_folder_and_long_enough() {
        let there = |name: &str| {
            let known = ["w.bin", "d/w.bin", "d/../w.bin"].contains(&name);
            known.then_some(NeighbourFile { size: 40, link: false, outside: false })
        };
        let code = |location: &str, offset, length| {
            let found = found(&at(location, offset, length), Some(&there));
            found.findings.first().map(|finding| finding.rule.code)
        };
        assert_eq!(code("w.bin", 16, None), None);
        assert_eq!(code("d/w.bin", 16, Some(24)), None);
        assert_eq!(code("d/../w.bin", 16, Some(24)), None);
        assert_eq!(code("w.bin", 17, None), Some("ON404"));
        assert_eq!(code("w.bin", u64::MAX, Some(24)), Some("ON404"));
        assert_eq!(code("v.bin", 0, None), Some("ON401"));
        assert_eq!(code("w.bin", 0, Some(25)), Some("ON403"));
        for outside in ["../w.bin", "d/../../w.bin", "/w.bin", "\\w.bin", "C:\\w.bin", "..", ""] {
            assert_eq!(code(outside, 0, None), Some("ON402"), "{outside}");
        }
        assert!(found(&at("w.bin", 0, None), None).unseen);
    }
}
