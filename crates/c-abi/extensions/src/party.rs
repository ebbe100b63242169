//! A shared object as a party.

use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::{Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::ffi::handlers_party;
use crate::verdict::SymbolMatcher;
use crate::{Framework, Needs, PythonTag};

/// The party of the shared object in `source`; none if it is something else, or neither an extension of a framework nor a library with
/// handlers of XLA's FFI.
///
/// # Errors
/// If it is a broken shared object.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(object) = SharedObject::read(source)? else { return Ok(None) };
    let needs =
        Needs::from_object(source.name(), &object).filter(|needs| !needs.frameworks.is_empty());
    match needs {
        Some(needs) => Ok(Some(party_of(Arc::new(needs)))),
        None => handlers_party(source),
    }
}

/// What an extension requires of a framework; nothing if it takes nothing from it.
pub fn requirements(needs: &Arc<Needs>, framework: Framework) -> Vec<Requirement> {
    let matcher = SymbolMatcher { needs: Arc::clone(needs), framework };
    let requirement = Requirement::matches(framework.axis(), matcher).irrelevant_if_absent();
    if needs.extends(framework) { vec![requirement] } else { Vec::new() }
}

/// The party of an extension that was read.
pub fn party_of(needs: Arc<Needs>) -> Party {
    let names = |framework: &Framework| match framework {
        Framework::Torch => "PyTorch",
        Framework::TensorFlow => "TensorFlow",
    };
    let of: Vec<&str> = needs.frameworks.keys().map(names).collect();
    let mut party =
        Party::new(&*needs.name, Role::Plugin, format!("extension of {}", of.join(" and ")));
    if let Some(machine) = needs.machine {
        party = party.from_origin(format!("for {machine}"));
    }
    for (framework, symbols) in &needs.frameworks {
        let stable = symbols.iter().filter(|symbol| framework.is_stable(symbol)).count();
        let text = match stable {
            0 => format!("{}", symbols.len()),
            all if all == symbols.len() => format!("{all}, all of them C shims of the stable ABI"),
            some => format!("{}, {some} of them C shims", symbols.len()),
        };
        party = party.fact(format!("symbols of {framework}"), text);
        party = requirements(&needs, *framework).into_iter().fold(party, Party::require);
    }
    if let Some(cxx11) = needs.cxx11 {
        party = party.fact("_GLIBCXX_USE_CXX11_ABI", u8::from(cxx11));
    }
    for (library, version) in &needs.system {
        party = party.fact(library.clone(), format!("{version} or later"));
    }
    match needs.python {
        PythonTag::None => {}
        PythonTag::Abi3 => party = party.fact("Python", "the stable ABI (abi3)"),
        PythonTag::CPython(version) => {
            party = party.fact("Python", format!("CPython {version} only"));
        }
    }
    let foreign: Vec<&str> = needs.foreign().collect();
    if !foreign.is_empty() {
        party = party.fact("other libraries", foreign.join(", "));
    }
    party
}
