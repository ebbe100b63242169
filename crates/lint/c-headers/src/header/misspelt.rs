//! Words of C with a typing error.

use super::declaration::Parser;

/// Words that are looked for: long enough that no other word is meant.
const WORDS: [&str; 12] = [
    "typedef", "struct", "union", "extern", "const", "static", "unsigned", "signed", "short",
    "float", "double", "volatile",
];

impl Parser<'_, '_> {
    /// The word of C that an unknown word is meant to be, if it is one with a letter too many, too few, another, or two
    /// in another order.
    pub fn misspelt(&self, word: &str) -> Option<&'static str> {
        if self.types.contains(word) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        WORDS.into_iter().find(|meant| {
            // `ushort` and the like are types of systems.
            let short = word.strip_prefix(['u', 's']).is_some_and(|rest| rest == *meant);
            !short && word != *meant && near(word.as_bytes(), meant.as_bytes())
        })
    }
}

/// Whether one edit makes one word the other.
fn near(a: &[u8], b: &[u8]) -> bool {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (a, b) {
        ([_, x @ ..], y) if x == y => true,
        (x, [_, y @ ..]) if x == y => true,
        ([_, x @ ..], [_, y @ ..]) if x == y => true,
        ([p, q, x @ ..], [r, s, y @ ..]) => p == s && q == r && x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn one_edit_is_near_and_two_are_not() {
        for (a, b, wanted) in [
            ("strct", "struct", true),
            ("strcut", "struct", true),
            ("structt", "struct", true),
            ("stract", "struct", true),
            ("typdef", "typedef", true),
            ("stat", "static", false),
            ("string", "struct", false),
        ] {
            assert_eq!(near(a.as_bytes(), b.as_bytes()), wanted, "{a} {b}");
        }
    }
}
