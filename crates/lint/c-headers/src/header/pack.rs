//! `#pragma pack`: the largest alignment that fields have.

/// How many `push` are remembered.
const PUSHED: usize = 64;

/// The state of `#pragma pack`.
#[derive(Default)]
pub struct PragmaPack {
    /// The largest alignment, in bytes; 0 if there is none.
    pub now: u8,
    pushed: Vec<u8>,
}

impl PragmaPack {
    /// Takes what stands behind `pack`: `(1)`, `()`, `(push, 1)`, `(pop)`. False if that is not understood.
    pub fn take(&mut self, text: &str) -> bool {
        let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let Some(inner) = inner else { return false };
        let words: Vec<&str> = inner.split(',').map(str::trim).collect();
        let number =
            |word: &&str| word.parse::<u8>().ok().filter(|n| n.is_power_of_two() && *n <= 16);
        match words.as_slice() {
            [""] => self.now = 0,
            ["push", rest @ ..] => {
                if self.pushed.len() >= PUSHED {
                    return false;
                }
                self.pushed.push(self.now);
                match (rest.last().and_then(number), rest) {
                    (Some(given), _) => self.now = given,
                    // A name for the state, or none.
                    (None, [] | [_]) => {}
                    _ => return false,
                }
            }
            ["pop", ..] => self.now = self.pushed.pop().unwrap_or_default(),
            [one] => match number(one) {
                Some(given) => self.now = given,
                None => return false,
            },
            _ => return false,
        }
        true
    }
}

/// The attribute that a record under a packing has.
pub fn attribute(pack: u8) -> String {
    format!("#pragma pack({pack})")
}

/// What an attribute does to alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlignmentEffect {
    /// The largest alignment that it leaves to fields.
    pub most: u64,
    /// The smallest alignment of the whole.
    pub least: u64,
}

/// The largest alignment that `aligned` without a number stands for.
const LARGEST: u64 = 16;

/// What an attribute does to alignment; none if that is not understood.
pub fn effect(attribute: &str) -> Option<AlignmentEffect> {
    let mut found = AlignmentEffect { most: u64::MAX, least: 1 };
    if let Some(number) = attribute.strip_prefix("#pragma pack(") {
        found.most = number.strip_suffix(')')?.parse().ok()?;
        return Some(found);
    }
    let plain = attribute.to_ascii_lowercase();
    if plain.contains("vector_size") {
        return None;
    }
    if plain.contains("packed") {
        found.most = 1;
    }
    let Some(at) = plain.find("align") else {
        return (found.most == 1).then_some(found);
    };
    // `alignas(16)`, `aligned(16)`, `align(16)`, `aligned`.
    let behind = plain.get(at..)?.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    found.least = match behind.trim_start().strip_prefix('(') {
        None => LARGEST,
        Some(rest) => {
            let mut depth = 1_usize;
            let end = rest.find(|c: char| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth - 1,
                    _ => depth,
                };
                depth == 0
            })?;
            let inner = rest.get(..end)?.trim();
            match super::layout::plain(inner) {
                Some(bytes) => bytes,
                None => u64::try_from(super::expression::number(inner)?).ok()?,
            }
        }
    };
    (found.least.is_power_of_two() && found.least <= 1 << 28).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_pushed_and_popped_as_compilers_do() {
        let mut packing = PragmaPack::default();
        for (text, now) in [
            ("(push, 1)", 1),
            ("(push)", 1),
            ("(2)", 2),
            ("(pop)", 1),
            ("(pop)", 0),
            ("(4)", 4),
            ("()", 0),
        ] {
            assert!(packing.take(text), "{text}");
            assert_eq!(packing.now, now, "{text}");
        }
        let both = |most, least| Some(AlignmentEffect { most, least });
        assert_eq!(effect("__attribute__((packed))"), both(1, 1));
        assert_eq!(effect("_Alignas(16)"), both(u64::MAX, 16));
        assert_eq!(effect("__attribute__((__aligned__(2 * 4)))"), both(u64::MAX, 8));
        assert_eq!(effect("__attribute__((packed, aligned(4)))"), both(1, 4));
        assert_eq!(effect("alignas(SIZE)"), None);
        assert!(!packing.take("(3)") && !packing.take("show") && !packing.take("(x)"));
    }
}
