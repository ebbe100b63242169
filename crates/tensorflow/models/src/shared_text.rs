//! The names of nodes, which stand in one text for a whole graph or body of a function: a graph has thousands, and an
//! allocation for each costs more than all that is asked of them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a text that others have parts of too.
#[derive(Clone, Default)]
pub struct SharedText {
    whole: Arc<str>,
    /// What is kept of a file is far shorter than a number of 32 bits can say.
    range: Range<u32>,
}

impl SharedText {
    /// The part that is at `range` of the text that [`SharedText::lies_in`] names later.
    pub(crate) fn at(range: Range<u32>) -> Self {
        Self { whole: Arc::default(), range }
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.range.start as usize..self.range.end as usize
    }

    /// Says which text it is a part of.
    pub(crate) fn lies_in(&mut self, whole: &Arc<str>) {
        self.whole = whole.clone();
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.whole.get(self.range()).unwrap_or_default()
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self { whole: text.into(), range: 0..u32::try_from(text.len()).unwrap_or(u32::MAX) }
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_text_are_told_by_what_they_say() {
        let whole: Arc<str> = "convadd".into();
        let mut part = SharedText::at(4..7);
        assert_eq!(&*part, "");
        part.lies_in(&whole);
        assert_eq!((&*part, part.to_string()), ("add", "add".to_owned()));
        assert_eq!(part, SharedText::from("add"));
        assert_ne!(part, SharedText::from("conv"));
    }
}
