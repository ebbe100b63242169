//! Keywords that a function or class of another package does not take.

use super::importer::Importer;
use super::missing::Asked;
use super::namespace::{Resolved, Value};
use super::steps::{Certainty, Flow, Frame};

impl Importer<'_> {
    /// What a definition binds: what it is, if it is known which keywords that takes.
    pub(super) fn definition(&mut self, name: &str, frame: Frame<'_>) -> Value {
        let source = self.modules.get(frame.module).and_then(|loaded| loaded.source.as_ref());
        let is_known = source.is_some_and(|source| source.keywords.contains_key(name));
        if frame.is_function || !is_known {
            return Value::Object;
        }
        self.callables.push((frame.module.to_owned(), name.to_owned()));
        Value::Callable(self.callables.len() - 1)
    }

    /// A call with keywords: it raises if what is called takes one of them not.
    pub(super) fn take_keywords(
        &mut self,
        path: &[String],
        keywords: &[String],
        line: u32,
        frame: Frame<'_>,
    ) -> Flow {
        if frame.certainty != Certainty::Certain {
            return Flow::GoesOn;
        }
        let Resolved::Bound(Value::Callable(place)) = self.resolve(path, frame) else {
            return Flow::GoesOn;
        };
        let Some((module, function)) = self.callables.get(place) else { return Flow::GoesOn };
        if (self.is_trusted)(frame.module, module) {
            return Flow::GoesOn;
        }
        let source = self.modules.get(module).and_then(|loaded| loaded.source.as_ref());
        let Some(taken) = source.and_then(|source| source.keywords.get(function)) else {
            return Flow::GoesOn;
        };
        let Some(keyword) = keywords.iter().find(|one| !taken.names.contains(*one)) else {
            return Flow::GoesOn;
        };
        let (module, function, keyword) = (module.clone(), function.clone(), keyword.clone());
        let asked = Asked::Keyword { module, function, is_class: taken.is_class, keyword };
        Flow::Fails(self.failure(asked, "TypeError", (frame.module, line)))
    }
}
