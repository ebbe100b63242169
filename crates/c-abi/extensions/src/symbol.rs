//! Mangled names of symbols, and where such a symbol comes from.

/// Where a name begins, by the Itanium C++ ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead<'a> {
    /// A name without parameters in it: only the name must agree.
    C,
    /// The outermost namespace or class.
    Namespace(&'a str),
    /// The standard library: `std::vector<at::Tensor>`.
    Standard,
    /// An operator, a local name, or nothing that is understood.
    Other,
}

impl<'a> Lead<'a> {
    /// The kind of name with which a mangled `symbol` begins.
    pub(crate) fn from_symbol(symbol: &'a str) -> Self {
        let Some(rest) = symbol.strip_prefix("_Z") else { return Self::C };
        let rest = without_special(rest);
        let rest = rest
            .strip_prefix('N')
            .map_or(rest, |nested| nested.trim_start_matches(['r', 'V', 'K', 'R', 'O']));
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return if rest.starts_with('S') { Self::Standard } else { Self::Other };
        }
        let name = rest[..digits]
            .parse()
            .ok()
            .and_then(|length: usize| rest.get(digits..digits.checked_add(length)?));
        name.map_or(Self::Other, Self::Namespace)
    }
}

/// The name without what says that it is a table of virtual functions, a type's information, a guard, a thunk.
fn without_special(rest: &str) -> &str {
    for special in ["TI", "TS", "TV", "TT", "GV", "GR"] {
        if let Some(rest) = rest.strip_prefix(special) {
            return rest;
        }
    }
    // Thunks: Th, an offset and an underscore; Tv has two offsets.
    let offsets = if rest.starts_with("Th") {
        1
    } else if rest.starts_with("Tv") {
        2
    } else {
        0
    };
    let mut rest = if offsets > 0 { &rest[2..] } else { rest };
    for _ in 0..offsets {
        rest = rest.split_once('_').map_or("", |(_, after)| after);
    }
    rest
}

/// Whether a type of this namespace is named anywhere in a mangled name.
pub(crate) fn mentions(symbol: &str, namespace: &str) -> bool {
    let length = namespace.len().to_string();
    let mut from = 0;
    while let Some(found) = symbol.get(from..).and_then(|rest| rest.find(namespace)) {
        let at = from + found;
        let before = &symbol[..at];
        let counted = before.strip_suffix(length.as_str());
        // `12at` is the beginning of another name, of twelve letters.
        if counted.is_some_and(|b| !b.ends_with(|c: char| c.is_ascii_digit())) {
            return true;
        }
        from = at + namespace.len();
    }
    false
}

/// The strings that a function takes: those of C++11, or the older ones that libstdc++ keeps for old programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strings {
    New,
    Old,
}

impl Strings {
    /// Those in a mangled name; none if it has no strings.
    pub(crate) fn from_symbol(symbol: &str) -> Option<Self> {
        // `Ss` is short for the old string; these are places where a type may stand.
        const OLD: [&str; 9] = ["RKSs", "ESs", "RSs", "ISs", "PSs", "lSs", "iSs", "bSs", "SsE"];
        if !symbol.starts_with("_Z") {
            None
        } else if symbol.contains("7__cxx1112basic_string") {
            Some(Self::New)
        } else {
            OLD.iter().any(|text| symbol.contains(text)).then_some(Self::Old)
        }
    }
}

/// The longest name that is demangled: templates may unfold to any length.
const LONGEST: usize = 2048;

/// A symbol as a person reads it; a C name, and what cannot be read, as it is.
pub fn demangled(symbol: &str) -> String {
    let read = |symbol: &str| {
        let name = cpp_demangle::Symbol::new(symbol.as_bytes()).ok()?;
        name.demangle().ok()
    };
    let name = Some(symbol).filter(|s| s.starts_with("_Z") && s.len() <= LONGEST).and_then(read);
    match name {
        Some(name) if name.len() <= 4 * LONGEST => name,
        _ => symbol.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_namespace_is_found_behind_what_stands_before_it() {
        for (symbol, lead) in [
            ("aoti_torch_abs", Lead::C),
            ("_ZN3c106detail14torchCheckFailE", Lead::Namespace("c10")),
            ("_ZNK2at10TensorBase4sizeEl", Lead::Namespace("at")),
            ("_ZTIN3c105ErrorE", Lead::Namespace("c10")),
            ("_ZThn16_N5torch8autograd4NodeE", Lead::Namespace("torch")),
            ("_ZTv0_n24_N5torch1XE", Lead::Namespace("torch")),
            ("_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev", Lead::Standard),
            ("_ZlsRSoN3c1010DeviceTypeE", Lead::Other),
            ("_ZN99999999999999999999999x", Lead::Other),
            ("_ZN9c10", Lead::Other),
            ("_Z", Lead::Other),
        ] {
            assert_eq!(Lead::from_symbol(symbol), lead, "{symbol}");
        }
    }

    #[test]
    fn a_namespace_is_mentioned_only_under_its_own_length() {
        assert!(mentions("_ZNSt6vectorIN2at6TensorEE", "at"));
        assert!(!mentions("_ZN12atlas_layouts1fE", "at"));
        assert!(!mentions("_ZNSt10onnx_torchE", "torch"));
        assert!(mentions("_ZSt4swapIN5torch1AEE", "torch"));
    }

    #[test]
    fn what_cannot_be_demangled_stays_as_it_is() {
        assert_eq!(demangled("_ZN2at5emptyE"), "at::empty");
        assert_eq!(demangled("aoti_torch_abs"), "aoti_torch_abs");
        assert_eq!(demangled("_ZN9c10"), "_ZN9c10");
        let long = format!("_ZN3c10{}E", "1a".repeat(5000));
        assert_eq!(demangled(&long), long);
    }
}
