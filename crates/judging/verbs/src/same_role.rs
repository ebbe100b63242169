//! Two of one kind: neither loads the other, so there is nothing to judge. The question is answered with what can
//! be asked instead.

use unskew_core::{Outcome, Role};
use unskew_releases::{Family, Release};

use crate::ResolvedParty;

/// Why nothing of this can be judged, if every pair is of two of one kind.
pub fn refusal<'a>(
    pairs: impl IntoIterator<Item = (&'a ResolvedParty, &'a ResolvedParty, &'a Outcome)>,
) -> Option<String> {
    let mut first = None;
    for (a, b, outcome) in pairs {
        if *outcome != Outcome::Unrelated || !alike(a, b) {
            return None;
        }
        first.get_or_insert((a, b));
    }
    first.map(|(a, b)| instead(a, b))
}

/// Whether one is what the other is: two releases of a family, two TorchScript archives, two PJRT plug-ins.
fn alike(a: &ResolvedParty, b: &ResolvedParty) -> bool {
    let family = |member: &ResolvedParty| member.release.map(Release::family);
    match (family(a), family(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.party.role == b.party.role && a.party.kind == b.party.kind,
    }
}

/// What to ask instead.
fn instead(a: &ResolvedParty, b: &ResolvedParty) -> String {
    let (one, other) = (&a.label, &b.label);
    let kind = &a.party.kind;
    let head = |fact: &str| format!("two of one kind ({kind}), {fact}: {one} and {other}");
    match (a.release.zip(b.release), a.party.role) {
        (Some((x, y)), _) => {
            let (older, newer) = if x.row().version <= y.row().version { (x, y) } else { (y, x) };
            let diff = format!("\n  what changed between them: unskew diff {older} {newer}");
            let diff = Some(diff)
                .filter(|_| !matches!(x.family(), Family::Jax | Family::TorchXla))
                .unwrap_or_default();
            format!(
                "{}{diff}\n  whether a file works with both: unskew check FILE --with {one} {other}",
                head("and neither is loaded by the other")
            )
        }
        (None, Role::Plugin) => format!(
            "{}\n  whether a host can load it: unskew check {one} --with {host}\n  what is different: \
             unskew conform --diff {one} {other}",
            head("and a plug-in is loaded by a host"),
            host = host(a)
        ),
        (None, Role::Artifact) => format!(
            "{}\n  whether a release loads it: unskew check {one} --with {release}\n  what each is: unskew \
             inspect {one} {other}",
            head("and neither loads the other"),
            release = reader(a)
        ),
        (None, Role::Runtime | Role::Host) => format!(
            "{}\n  whether a file works with both: unskew check FILE --with {one} {other}",
            head("and neither is loaded by the other")
        ),
    }
}

/// A host for a plug-in of this kind.
fn host(member: &ResolvedParty) -> &'static str {
    if member.party.kind.contains("TensorFlow") { "tensorflow@latest" } else { "jax@latest" }
}

/// A release for an artifact of this kind, as far as its axes tell.
fn reader(member: &ResolvedParty) -> &'static str {
    let axes = || {
        let provided = member.party.provides.iter().map(|one| one.axis.as_str());
        provided.chain(member.party.requires.iter().map(|one| one.axis.as_str()))
    };
    let on = |start: &str| axes().any(|axis| axis.starts_with(start));
    if on("onnx.") {
        "onnxruntime@latest"
    } else if on("tf.") {
        "tensorflow@latest"
    } else if on("stablehlo") || on("ifrt.") || on("pjrt.") {
        "jax@latest"
    } else {
        "torch@latest"
    }
}
