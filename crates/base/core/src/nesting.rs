//! Texts that nest deeper than a parser can follow.

/// The deepest nesting that is parsed. No file that people write comes near it.
const DEEPEST: usize = 256;

/// Where a TOML text first has more than 256 brackets and braces open, in bytes. Strings count as well: the parser recovers
/// from a string that does not end by reading on, and each bracket on the way is a call on its stack, without a limit.
///
/// ```
/// assert_eq!(unskew_core::nested_too_deep("a = [1, { b = 2 }]"), None);
/// assert_eq!(unskew_core::nested_too_deep(&format!("a = {}", "[".repeat(300))), Some(4 + 256));
/// ```
pub fn nested_too_deep(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > DEEPEST
    })
}
