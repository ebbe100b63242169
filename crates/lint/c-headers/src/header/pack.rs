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

/// The largest alignment that an attribute leaves to fields; none if it does something else.
pub fn of_attribute(attribute: &str) -> Option<u64> {
    if let Some(number) = attribute.strip_prefix("#pragma pack(") {
        return number.strip_suffix(')')?.parse().ok();
    }
    let plain = attribute.to_ascii_lowercase();
    (plain.contains("packed") && !plain.contains("align")).then_some(1)
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
        assert!(!packing.take("(3)") && !packing.take("show") && !packing.take("(x)"));
    }
}
