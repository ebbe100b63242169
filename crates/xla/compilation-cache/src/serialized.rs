//! Executables that people serialize themselves: alone, or as the pickle that `jax.experimental.serialize_executable` makes.
//!
//! A pickle is read and never loaded: it describes JAX's own object, and the executable stands in it as bytes that are called
//! `exec`. People often pickle that pickle once more, with the trees of the arguments and results. A bare executable has no
//! magic number; it is known by the header of IFRT, by the stamp of an adapter, or by the options of XLA in it.

use std::sync::Arc;

use unskew_core::{
    Axis, Context, Finding, Judgement, Matcher, Party, Requirement, Role, Unjudged, Version, aspect,
};
use unskew_pickle::{Pickle, PickleValue, scan};
use unskew_pjrt::API_AXIS;
use unskew_source::wire::WireMessage;
use unskew_source::{ReadError, Source, SourceExt as _};

use crate::AXIS;
use crate::breaks;
use crate::executable::{Executable, is_framed};
use crate::party::releases;
use crate::rules;
use crate::writers::{writer, writers};

const KIND: &str = "JAX serialized executable";

/// The class that JAX pickles.
const CLASS: &str = "UnloadedMeshExecutable";
/// How far into a file it is looked for: it is the first that is imported.
const HEAD: u64 = 4096;
/// The largest file that is read.
const LARGEST: u64 = 1 << 30;
/// The least options of XLA that no other message has in that place.
const OPTIONS: usize = 50;

/// The party of a serialized executable; none if the file is none.
///
/// # Errors
/// If it cannot be read, or is a broken pickle of JAX.
pub fn executable_party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let head = source.head(HEAD)?;
    let pickled = head.first() == Some(&0x80) && has(&head, CLASS.as_bytes());
    // Most files are something else, which their first byte says; those that lie in a store are not read any further.
    let message = matches!(head.first(), Some(0x0a | 0x12));
    let known = pickled || is_framed(&head) || message && may_be_bare(&**source);
    if source.size() > LARGEST || !known {
        return Ok(None);
    }
    let bytes = source.bytes(0, source.size())?;
    let (form, found) = match pickled {
        true => {
            ("pickle of jax.experimental.serialize_executable", in_pickle(source.name(), &bytes)?)
        }
        false => ("executable alone", Executable::read(&bytes).map(|one| vec![one])),
    };
    let Some(executables) = found else { return Ok(None) };
    let certain = |one: &Executable| one.stamp.is_some() || one.debug_options.len() >= OPTIONS;
    if !pickled && !is_framed(&head) && !executables.iter().any(certain) {
        return Ok(None);
    }
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(Some(party(name, form, &executables)))
}

fn has(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

/// Whether a message has one executable and one set of options, as XLA's backends write it.
fn may_be_bare(source: &dyn Source) -> bool {
    let mut message = WireMessage::whole(source);
    let mut seen = [0_u32; 2];
    loop {
        match message.next() {
            Ok(Some(field)) => match (field.number, field.span()) {
                (number @ 1..=2, Some(_)) => seen[number as usize - 1] += 1,
                (3..=15, _) => {}
                _ => return false,
            },
            Ok(None) => return seen == [1, 1],
            Err(_) => return false,
        }
        if seen.iter().any(|count| *count > 1) {
            return false;
        }
    }
}

/// The executables in a pickle, or in the pickle that is the first of the tuple in it; none if it is not JAX's.
fn in_pickle(name: &str, bytes: &[u8]) -> Result<Option<Vec<Executable>>, ReadError> {
    let pickle = scan(name, bytes)?;
    if let PickleValue::Tuple(_) = pickle.root()
        && let Some(PickleValue::Bytes(place)) = pickle.members(pickle.root()).next()
        && let Some(inner) = bytes.get(place.clone())
    {
        return Ok(executables(&scan(name, inner)?, inner));
    }
    Ok(executables(&pickle, bytes))
}

fn executables(pickle: &Pickle, bytes: &[u8]) -> Option<Vec<Executable>> {
    let ours = |import: &String| import.starts_with("jax.") && import.ends_with(CLASS);
    if !pickle.imports.iter().any(ours) {
        return None;
    }
    let found = (0..pickle.count()).filter_map(|id| {
        let PickleValue::Persistent(Some(which)) = pickle.value(id) else { return None };
        let mut members = pickle.members(pickle.value(*which));
        match (members.next()?.text()?, members.next()?) {
            ("exec", PickleValue::Bytes(place)) => Executable::read(bytes.get(place.clone())?),
            _ => None,
        }
    });
    Some(found.collect())
}

fn party(name: &str, form: &str, executables: &[Executable]) -> Party {
    let mut party = Party::new(name, Role::Artifact, KIND)
        .fact("form", form)
        .fact("executables", executables.len());
    let mut written = Vec::new();
    for executable in executables {
        if let Some(stamp) = &executable.stamp {
            party = party.fact("compiled by", &stamp.plugin);
        }
        if let Some(target) = &executable.target {
            party = party.fact("processor", format!("{}, {}", target.triple, target.cpu));
        }
        if !executable.debug_options.is_empty() {
            let may = writers().iter().filter(|one| one.may_write(&executable.debug_options));
            written.push(may.map(|writer| writer.version).collect::<Vec<Version>>());
        }
    }
    let by = written.last().map(|versions| releases(versions));
    if let Some(by) = &by {
        party = party.from_origin(format!("serialized by {by}"));
    }
    let on_processor = executables.iter().all(|one| one.for_processor && one.stamp.is_none());
    let loads = Loads { written: if on_processor { written } else { Vec::new() } };
    party
        .require(Requirement::matches(AXIS, loads).irrelevant_if_absent())
        .require(Requirement::matches(API_AXIS, OnPlugin).irrelevant_if_absent())
}

/// Whether a JAX loads executables. Nobody promises that another build does, on another platform or by other devices; of
/// those that the CPU backend of jaxlib writes it was measured between which releases none is loaded.
struct Loads {
    /// The releases of jaxlib that may have written each; none where it is not of the CPU backend.
    written: Vec<Vec<Version>>,
}

impl Loads {
    /// What is wrong with them for a release of JAX.
    fn finding(&self, jax: Version, reader: &str) -> Option<Finding> {
        let own = writer(jax)?.version;
        let by = releases(self.written.iter().find(|one| breaks::lies_between(own, one))?);
        let finding = rules::ExecutableOfAnotherJaxlib { by: &by, reader: &reader, own: &own };
        Some(finding.finding())
    }
}

impl Matcher for Loads {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let jax = other.provision(&Axis::from(AXIS))?.versions.max;
        Some(match jax.and_then(|jax| self.finding(jax, &other.name)) {
            Some(finding) => Judgement { findings: vec![finding], ..Judgement::default() },
            None => not_judged(owner, other),
        })
    }
}

/// Whether a plug-in loads them.
struct OnPlugin;

impl Matcher for OnPlugin {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        (other.role == Role::Plugin).then(|| not_judged(owner, other))
    }
}

fn not_judged(owner: &Party, other: &Party) -> Judgement {
    let by = if owner.origin.is_empty() { "serialized by an unknown build" } else { &owner.origin };
    let why = format!(
        "{by}: whether {} loads it is up to its XLA, platform and devices, and nobody promises it",
        other.name
    );
    let unjudged = vec![Unjudged::new(aspect::CONTENTS, why)];
    Judgement { unjudged, ..Judgement::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unskew_source::BytesSource;

    fn opened(bytes: &[u8]) -> Result<Option<Party>, ReadError> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.bin", bytes.to_vec()));
        executable_party(&source)
    }

    /// A pickle as JAX makes it: the class, and below a persistent id the bytes of an executable.
    fn pickled(executable: &[u8]) -> Vec<u8> {
        let mut bytes =
            b"\x80\x04cjax._src.interpreters.pxla\nUnloadedMeshExecutable\n\x8c\x04execB".to_vec();
        bytes.extend((executable.len() as u32).to_le_bytes());
        bytes.extend(executable);
        bytes.extend(b"\x86Q\x86.");
        bytes
    }

    /// The beginning of an ELF object file for a machine of this number.
    fn object(machine: u16) -> Vec<u8> {
        [&b"\x7fELF"[..], &[0; 12], &[1, 0], &machine.to_le_bytes()].concat()
    }

    /// Options of XLA, with a debug option of each number.
    fn executable() -> Vec<u8> {
        around(b"code", 20..90)
    }

    /// What a backend made, and build options in compile options.
    fn around(code: &[u8], numbers: std::ops::Range<u32>) -> Vec<u8> {
        let field = |number: u8, inside: &[u8]| {
            let length = [(inside.len() & 0x7f) as u8 | 0x80, (inside.len() >> 7) as u8];
            [&[number << 3 | 2], &length[..], inside].concat()
        };
        let varint = |number: u32| [(number << 3 & 0x7f) as u8 | 0x80, (number >> 4) as u8, 1];
        let options: Vec<u8> = numbers.flat_map(varint).collect();
        [field(1, code), field(2, &field(3, &field(3, &options)))].concat()
    }

    #[test]
    fn a_pickle_and_one_around_it_and_the_executable_alone_are_known() {
        let inner = pickled(&executable());
        let mut outer = b"\x80\x04B".to_vec();
        outer.extend((inner.len() as u32).to_le_bytes());
        outer.extend(&inner);
        outer.extend(b"NN\x87.");
        for (bytes, form) in [(&inner, "pickle"), (&outer, "pickle"), (&executable(), "alone")] {
            let party = opened(bytes).unwrap().unwrap();
            assert_eq!(party.kind, KIND);
            let said = |label: &str| party.facts.iter().find(|fact| fact.label == label).unwrap();
            assert!(said("form").value.contains(form), "{form}");
            assert_eq!(said("executables").value, "1");
            assert!(party.origin.starts_with("serialized by"), "{}", party.origin);
        }
    }

    #[test]
    fn other_pickles_and_messages_are_none() {
        let torch = b"\x80\x02ccollections\nOrderedDict\n)R.";
        let few = b"\x0a\x04code\x12\x02\x1a\x00";
        let text = b"\x80\x02X\x16\x00\x00\x00UnloadedMeshExecutable.";
        for bytes in [&torch[..], few, text, b"", b"model", b"\x0a\x00\x0a\x00"] {
            assert!(opened(bytes).unwrap().is_none(), "{bytes:?}");
        }
        let cut = &pickled(&executable())[..90];
        assert!(opened(cut).is_err());
    }

    #[test]
    fn nobody_is_said_to_load_it() {
        let party = opened(&pickled(&executable())).unwrap().unwrap();
        let jax = Party::new("jax 0.12.0", Role::Host, "JAX release");
        let jax = crate::reader(jax, Version::triple(0, 12, 0));
        let today = Context::for_tests();
        let verdict = unskew_core::check(&party, &jax, &today);
        assert_eq!(verdict.outcome, unskew_core::Outcome::Unjudged);
        assert!(verdict.unjudged[0].reason.contains("jax 0.12.0"));
    }

    #[test]
    fn an_executable_for_processors_is_of_its_jaxlib() {
        let with = |machine: u16, jax: Version| {
            // An option that jaxlib 0.4.29 to 0.4.31 have.
            let party = opened(&pickled(&around(&object(machine), 302..303))).unwrap().unwrap();
            let release = Party::new("jax", Role::Host, "JAX release");
            let today = Context::for_tests();
            unskew_core::check(&party, &crate::reader(release, jax), &today)
        };
        let codes = |verdict: unskew_core::Verdict| {
            verdict.findings.iter().map(|finding| finding.rule.code).collect::<Vec<_>>()
        };
        let (x86, cuda) = (62, 190);
        assert_eq!(codes(with(x86, Version::triple(0, 10, 2))), ["JC007"]);
        assert_eq!(with(x86, Version::triple(0, 4, 30)).outcome, unskew_core::Outcome::Unjudged);
        assert_eq!(with(cuda, Version::triple(0, 10, 2)).outcome, unskew_core::Outcome::Unjudged);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            head in prop::sample::select(vec![pickled(b""), executable(), b"\x80\x04".to_vec(), Vec::new()]),
            cut in 0_usize..200,
            tail in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = opened(&[&head[..cut.min(head.len())], &tail].concat());
        }
    }
}
