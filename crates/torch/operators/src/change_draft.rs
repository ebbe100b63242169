//! A change whose keys are still being read.

use unskew_torch_schemas::FunctionSchema;

use crate::condition::ArgumentCondition;
use crate::registry_change::{Bridge, ChangeStart, RegistryChange, ReleaseSpan};

/// The schema of a function, by its name and the operator that it stands for.
pub(crate) type SignatureLookup<'s> = &'s dyn Fn(&str, &str) -> Result<FunctionSchema, String>;

pub(crate) struct ChangeDraft {
    change: RegistryChange,
    schema: Option<FunctionSchema>,
    new_schema: Option<FunctionSchema>,
    upgrader: Option<PendingFunction>,
    downgraders: Vec<PendingFunction>,
    /// Whether what follows belongs to the last downgrader, and not to the upgrader.
    down: bool,
}

/// A function without its schema, which may stand behind it.
struct PendingFunction {
    function: String,
    on: Option<ReleaseSpan>,
    only: Option<Vec<ArgumentCondition>>,
}

const KEYS: &str = "func, version, removed_in, broken_in, meaning_changed_in, added_in, schema, \
    new_schema, upgrader, downgrader, on, only, same, compatible, note, mobile and gone_in";

impl ChangeDraft {
    pub(crate) fn new(since: ChangeStart, line: usize) -> Self {
        let change = RegistryChange {
            since,
            upgrader: None,
            downgraders: Vec::new(),
            same: None,
            compatible: None,
            note: None,
            mobile: true,
            gone_in: None,
            line,
        };
        let (schema, new_schema, upgrader) = (None, None, None);
        Self { change, schema, new_schema, upgrader, downgraders: Vec::new(), down: false }
    }

    pub(crate) fn line(&self) -> usize {
        self.change.line
    }

    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let text = || value.to_owned();
        let twice = match key {
            "upgrader" => {
                self.down = false;
                self.upgrader.replace(PendingFunction::new(value)).is_some()
            }
            "downgrader" => {
                self.down = true;
                self.downgraders.push(PendingFunction::new(value));
                false
            }
            "on" => self.half(key)?.on.replace(value.parse()?).is_some(),
            "only" => self.half(key)?.only.replace(ArgumentCondition::list(value)?).is_some(),
            "schema" => self.schema.replace(schema(value)?).is_some(),
            "new_schema" => self.new_schema.replace(schema(value)?).is_some(),
            "same" => self.change.same.replace(ArgumentCondition::list(value)?).is_some(),
            "compatible" => self.change.compatible.replace(text()).is_some(),
            "note" => self.change.note.replace(text()).is_some(),
            "mobile" => {
                self.change.mobile =
                    value.parse().map_err(|_| format!("neither true nor false: {value}"))?;
                false
            }
            "gone_in" => {
                let release = value.parse().map_err(|_| format!("not a release: {value}"))?;
                self.change.gone_in.replace(release).is_some()
            }
            other => return Err(format!("no such key: {other}; there are {KEYS}")),
        };
        if twice { Err(format!("{key} stands twice in one change")) } else { Ok(()) }
    }

    fn half(&mut self, key: &str) -> Result<&mut PendingFunction, String> {
        let half = if self.down { self.downgraders.last_mut() } else { self.upgrader.as_mut() };
        half.ok_or_else(|| format!("{key} stands before the upgrader or downgrader it belongs to"))
    }

    /// The change. An upgrader without a schema, as RFC 0017 prints it, stands for the schema that `signature_of` gives it.
    pub(crate) fn finish(
        self,
        operator: &str,
        signature_of: SignatureLookup<'_>,
    ) -> Result<RegistryChange, String> {
        let Self { mut change, schema, new_schema, upgrader, downgraders, .. } = self;
        for schema in schema.iter().chain(&new_schema) {
            if schema.full_name() != operator {
                return Err(format!("the schema is of {}, not of {operator}", schema.full_name()));
            }
        }
        let why = change.note.is_some() || change.compatible.is_some();
        let added = matches!(change.since, ChangeStart::Added(_));
        let since = change.since;
        change.upgrader = match (upgrader, schema) {
            (Some(_), _) | (_, Some(_)) if added => {
                return Err(format!(
                    "{operator}: nothing was before {since}: no upgrader, no schema"
                ));
            }
            (Some(half), Some(schema)) => {
                let first = since.release().unwrap_or(unskew_core::Version::pair(1, 0));
                let on = half.on.unwrap_or(ReleaseSpan { since: first, until: None });
                Some(half.finish(schema, on))
            }
            (Some(half), None) => {
                let schema = signature_of(&half.function, operator)?;
                let first = since.release().unwrap_or(unskew_core::Version::pair(1, 0));
                let on = half.on.unwrap_or(ReleaseSpan { since: first, until: None });
                Some(Bridge { is_from_function: true, ..half.finish(schema, on) })
            }
            (None, None) if why || added => None,
            (None, None) => {
                return Err(format!(
                    "{operator}, {since}: no upgrader; write one, or a note that says why there is none, \
                     or under compatible why none is needed"
                ));
            }
            (None, Some(_)) => {
                return Err(format!("{operator}: a schema needs the upgrader that stands for it"));
            }
        };
        match (new_schema, downgraders.is_empty()) {
            (Some(schema), false) => {
                for half in downgraders {
                    let name = &half.function;
                    let on =
                        half.on.ok_or_else(|| format!("{name}: on says which releases run it"))?;
                    change.downgraders.push(half.finish(schema.clone(), on));
                }
            }
            (None, true) if !added => {}
            _ => {
                return Err(format!(
                    "{operator}: a downgrader and the new_schema that it stands for belong together"
                ));
            }
        }
        Ok(change)
    }
}

impl PendingFunction {
    fn new(function: &str) -> Self {
        Self { function: function.to_owned(), on: None, only: None }
    }

    fn finish(self, schema: FunctionSchema, on: ReleaseSpan) -> Bridge {
        let only = self.only.unwrap_or_default();
        Bridge { schema, function: self.function, on, only, is_from_function: false }
    }
}

fn schema(text: &str) -> Result<FunctionSchema, String> {
    text.parse().map_err(|error: unskew_torch_schemas::SchemaError| error.to_string())
}
