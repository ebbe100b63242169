//! The inputs of a node: parts of one text for a whole graph or body of a function, as the names of nodes are.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

/// The inputs of a node as they are written: `conv:1`, `^init`.
#[derive(Clone, Default)]
pub struct Inputs {
    text: Arc<str>,
    /// Where the first begins in `text`, in bytes. What is kept of a file is far shorter than a number of 32 bits can say.
    start: u32,
    /// Where each ends, and the next begins.
    ends: SmallVec<[u32; 4]>,
}

impl Inputs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The one of this number, from 0.
    pub fn get(&self, number: usize) -> Option<&str> {
        let before = number.checked_sub(1).map_or(Some(&self.start), |at| self.ends.get(at))?;
        self.text.get(*before as usize..*self.ends.get(number)? as usize)
    }

    /// All, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        Self::iter_of(Some(self))
    }

    /// The same, or nothing where there is no node: one iterator for both, which is asked faster.
    pub(crate) fn iter_of(all: Option<&Self>) -> impl Iterator<Item = &str> {
        all.map_or_else(|| each("", 0, &[]), |all| each(&all.text, all.start, &all.ends))
    }

    /// One more, which is at `start..end` of the text that [`Inputs::lie_in`] names later, right behind those before.
    pub(crate) fn push(&mut self, start: u32, end: u32) {
        if self.ends.is_empty() {
            self.start = start;
        }
        self.ends.push(end);
    }

    pub(crate) fn lie_in(&mut self, text: &Arc<str>) {
        self.text = text.clone();
    }
}

/// Parts of a text that follow each other, by where the first begins and each ends.
fn each<'t>(text: &'t str, start: u32, ends: &'t [u32]) -> impl Iterator<Item = &'t str> {
    let mut start = start as usize;
    ends.iter().map(move |end| {
        let part = text.get(start..*end as usize).unwrap_or_default();
        start = *end as usize;
        part
    })
}

impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<&'a str> for Inputs {
    fn from_iter<I: IntoIterator<Item = &'a str>>(inputs: I) -> Self {
        let (mut all, mut text) = (Self::default(), String::new());
        for input in inputs {
            text.push_str(input);
            all.ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        all.text = text.into();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_out_as_they_went_in() {
        let all = ["a:1", "", "^b", "", "é:output:0", "c"];
        let inputs = Inputs::from_iter(all);
        assert_eq!(inputs.iter().collect::<Vec<_>>(), all);
        let each: Vec<_> = (0..all.len()).filter_map(|number| inputs.get(number)).collect();
        assert_eq!(each, all);
        assert_eq!((inputs.len(), inputs.get(6)), (6, None));
        assert!(Inputs::from_iter([]).is_empty());
    }

    #[test]
    fn the_inputs_of_nodes_that_share_a_text_are_told_by_what_they_say() {
        let text: Arc<str> = "abcd:1e".into();
        let mut inputs = Inputs::default();
        inputs.push(2, 3);
        inputs.push(3, 6);
        inputs.lie_in(&text);
        assert_eq!(inputs, Inputs::from_iter(["c", "d:1"]));
        assert_eq!((inputs.get(0), inputs.get(1)), (Some("c"), Some("d:1")));
        assert_ne!(inputs, Inputs::from_iter(["c", "d", ":1"]));
    }
}
