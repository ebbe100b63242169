//! Outcomes of calls of an operator in a release.

/// What a release did with a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormOutcome {
    /// It does not load it: it has no such operator.
    Unknown,
    /// What each run gave.
    Runs(Vec<RunOutcome>),
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// A value: types, shapes and numbers.
    Value(String),
    /// An error, with its words.
    Raises(String),
    /// It ended the process, or did not end.
    Crash,
    /// It has no kernel for such a call, or could not be given it.
    Untold,
    /// Not the same twice: random, or memory that nobody wrote.
    Unsteady,
}

impl FormOutcome {
    /// A line of text, from which [`FormOutcome::read`] makes it again.
    pub fn line(&self) -> String {
        let outcome = |one: &RunOutcome| match one {
            RunOutcome::Value(text) => text.clone(),
            RunOutcome::Raises(words) => format!("!{words}"),
            RunOutcome::Unsteady => "?".to_owned(),
            RunOutcome::Crash => "CRASH".to_owned(),
            RunOutcome::Untold => "NONE".to_owned(),
        };
        match self {
            Self::Unknown => "-".to_owned(),
            Self::Runs(runs) => runs.iter().map(outcome).collect::<Vec<_>>().join("\t"),
        }
    }

    /// What a line says.
    pub fn read(line: &str) -> Self {
        if line.starts_with('-') && !line.contains('\t') {
            return Self::Unknown;
        }
        let outcome = |text: &str| match text.strip_prefix('!') {
            Some(words) => RunOutcome::Raises(words.to_owned()),
            None if text == "CRASH" => RunOutcome::Crash,
            None if text == "NONE" => RunOutcome::Untold,
            None if text == "?" => RunOutcome::Unsteady,
            None => RunOutcome::Value(text.to_owned()),
        };
        Self::Runs(line.split('\t').map(outcome).collect())
    }
}
