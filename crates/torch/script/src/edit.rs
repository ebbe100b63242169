//! Changing parts of a text and no other byte.

use std::collections::BTreeMap;

use crate::TextSpan;

/// Replacements of spans of a text.
#[derive(Clone, Debug)]
pub struct Edits<'t> {
    text: &'t str,
    replacements: BTreeMap<usize, (usize, String)>,
}

/// A span that cannot be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Overlap {
    /// Another replacement covers a part of it.
    #[error("bytes {} to {} are replaced already, by a change at byte {other}", span.start, span.end)]
    Replaced {
        /// The part of the source that the edit would leave.
        span: TextSpan,
        /// Where the other replacement begins.
        other: usize,
    },
    /// The text has no such span.
    #[error("the text has no bytes {} to {}", .0.start, .0.end)]
    Outside(TextSpan),
}

impl<'t> Edits<'t> {
    /// An empty list of replacements in `text`.
    pub fn new(text: &'t str) -> Self {
        Self { text, replacements: BTreeMap::new() }
    }

    /// Replaces a span; an empty one is an insertion.
    ///
    /// # Errors
    /// [`Overlap`] if the span is outside of the text, or overlaps one that is replaced already.
    pub fn replace(&mut self, span: TextSpan, by: impl Into<String>) -> Result<(), Overlap> {
        if span.start > span.end || self.text.get(span.start..span.end).is_none() {
            return Err(Overlap::Outside(span));
        }
        let before = self.replacements.range(..=span.start).next_back();
        if let Some((&other, (end, _))) = before
            && (*end > span.start || other == span.start)
        {
            return Err(Overlap::Replaced { span, other });
        }
        if let Some((&other, _)) = self.replacements.range(span.start..).next()
            && other < span.end
        {
            return Err(Overlap::Replaced { span, other });
        }
        self.replacements.insert(span.start, (span.end, by.into()));
        Ok(())
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// The text with all replacements.
    pub fn finish(self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (start, (end, by)) in &self.replacements {
            // Spans were checked when they came in.
            out.push_str(self.text.get(at..*start).unwrap_or(""));
            out.push_str(by);
            at = *end;
        }
        out.push_str(self.text.get(at..).unwrap_or(""));
        out
    }
}
