//! The inputs of a node, in one piece: one allocation for all of them, and none for their places unless there are many.

use smallvec::SmallVec;

/// The inputs of a node as they are written: `conv:1`, `^init`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    text: Box<str>,
    /// Where each ends in `text`, in bytes. What is kept of a file is far shorter than a number of 32 bits can say.
    ends: SmallVec<[u32; 4]>,
}

/// Inputs while they are read. Used again for the next node.
#[derive(Debug, Default)]
pub(crate) struct Written {
    text: String,
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
        let before = number.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
        self.text.get(*before as usize..*self.ends.get(number)? as usize)
    }

    /// All, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let input = self.text.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            input
        })
    }
}

impl Written {
    pub(crate) fn push(&mut self, input: &str) {
        self.text.push_str(input);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    pub(crate) fn take(&mut self) -> Inputs {
        let inputs =
            Inputs { text: self.text.as_str().into(), ends: std::mem::take(&mut self.ends) };
        self.text.clear();
        inputs
    }
}

impl<'a> FromIterator<&'a str> for Inputs {
    fn from_iter<I: IntoIterator<Item = &'a str>>(inputs: I) -> Self {
        let mut written = Written::default();
        inputs.into_iter().for_each(|input| written.push(input));
        written.take()
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
    fn what_was_written_before_is_not_there_again() {
        let mut written = Written::default();
        written.push("a");
        assert_eq!(written.take(), Inputs::from_iter(["a"]));
        written.push("b");
        assert_eq!(written.take(), Inputs::from_iter(["b"]));
        assert_eq!(written.take(), Inputs::default());
    }
}
