//! Columns: texts filled up with spaces.

use std::fmt::{self, Write as _};

/// The widest column. What is longer sticks out, and widens no other line.
const WIDEST: usize = 120;

/// A text with spaces behind it up to a width, which may come from data: the formatting of the standard library panics
/// beyond 65,535, so no width or precision in it does.
///
/// ```
/// use unskew_core::{Padded, column};
/// let names = ["a", "long"];
/// let width = column(names.map(str::len));
/// assert_eq!(format!("{}|", Padded("a", width)), "a   |");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Padded<T>(pub T, pub usize);

impl<T: fmt::Display> fmt::Display for Padded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(&text)?;
        for _ in text.chars().count()..self.1.min(WIDEST) {
            f.write_char(' ')?;
        }
        Ok(())
    }
}

/// The width of a column, of what stands in it.
pub fn column(widths: impl IntoIterator<Item = usize>) -> usize {
    widths.into_iter().filter(|width| *width <= WIDEST).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_width_panics_or_fills_the_memory() {
        assert_eq!(Padded("é", 3).to_string(), "é  ");
        assert_eq!(Padded("", usize::MAX).to_string().len(), WIDEST);
        let long = "x".repeat(1 << 20);
        assert_eq!(Padded(&long, long.len()).to_string(), long);
        assert_eq!(column([3, long.len(), 5]), 5);
        assert_eq!(column([]), 0);
    }
}
