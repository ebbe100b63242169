//! What a release did with calls of an operator.

/// What a release did with a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It does not load it: it has no such operator.
    Unknown,
    /// What each run gave.
    Runs(Vec<Outcome>),
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
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

impl Told {
    /// A line of text, from which [`Told::read`] makes it again.
    pub fn line(&self) -> String {
        let outcome = |one: &Outcome| match one {
            Outcome::Value(text) => text.clone(),
            Outcome::Raises(words) => format!("!{words}"),
            Outcome::Unsteady => "?".to_owned(),
            Outcome::Crash => "CRASH".to_owned(),
            Outcome::Untold => "NONE".to_owned(),
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
            Some(words) => Outcome::Raises(words.to_owned()),
            None if text == "CRASH" => Outcome::Crash,
            None if text == "NONE" => Outcome::Untold,
            None if text == "?" => Outcome::Unsteady,
            None => Outcome::Value(text.to_owned()),
        };
        Self::Runs(line.split('\t').map(outcome).collect())
    }
}
