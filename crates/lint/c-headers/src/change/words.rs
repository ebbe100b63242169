//! Lists and counts as messages write them.

/// `` `a` ``, `` `a` and `b` ``, `` `a`, `b`, `c` and 4 more ``.
pub fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match names.as_slice() {
        [one] => one.clone(),
        [some @ .., last] if names.len() <= 4 => format!("{} and {last}", some.join(", ")),
        [a, b, c, rest @ ..] => format!("{a}, {b}, {c} and {} more", rest.len()),
        _ => String::new(),
    }
}

/// `1 field`, `3 fields`.
pub fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// A number of bytes, or that it is not known.
pub fn bytes(number: Option<u64>) -> String {
    number.map_or_else(|| "an unknown number of".to_owned(), |number| number.to_string())
}
