//! Audit log: a row for every change, written in the same step as the change.

use super::Store;
use super::database::{Database, DatabaseRow, SqlValue, StoreError};

/// In whose name changes are made from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Who: a token, an address, a user of this machine.
    pub who: String,
    /// The request, by the name that it has in logs.
    pub request: String,
    /// When it was done, in UTC: `2026-11-21T20:15:00Z`.
    pub moment: String,
}

/// An action for the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act<'a> {
    /// The kind: `runtime.put`, `model.publish`.
    pub act: &'a str,
    /// The name of what it is done to.
    pub subject: &'a str,
}

/// A row of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number; later rows have higher ones.
    pub number: i64,
    /// The caller, and when.
    pub signature: Signature,
    /// The name of the action.
    pub act: String,
    /// The object of the action: a model, a runtime, a token.
    pub subject: String,
    /// What came of it: `added`, `version 3`, or why it was refused.
    pub result: String,
}

/// Work inside a step that says what came of it; none if nothing was changed.
pub(super) type Change<'a> =
    &'a mut dyn FnMut(&mut dyn Database) -> Result<Option<String>, StoreError>;

impl Store {
    /// In whose name everything is changed from now on. What nobody signs stands in no log.
    pub fn sign(&mut self, signature: Option<Signature>) {
        self.signature = signature;
    }

    /// Notes something that changed nothing else, such as a refusal.
    pub fn note(&mut self, act: &Act<'_>, result: &str) -> Result<(), StoreError> {
        self.change(act, &mut |_| Ok(Some(result.to_owned())))
    }

    /// The newest rows of the log below a number, newest first.
    pub fn audit(&mut self, below: Option<i64>, most: u32) -> Result<Vec<AuditEntry>, StoreError> {
        let sql = "SELECT number, moment, who, request, act, subject, result FROM audit \
                   WHERE number < $1 ORDER BY number DESC LIMIT $2";
        let values = [below.unwrap_or(i64::MAX).into(), i64::from(most).into()];
        self.database.rows(sql, &values)?.iter().map(entry).collect()
    }

    /// Makes a change, with its row in the log, wholly or not at all.
    pub(super) fn change(&mut self, act: &Act<'_>, change: Change<'_>) -> Result<(), StoreError> {
        let signature = self.signature.clone();
        self.database.in_one_step(&mut |database| {
            let result = change(database)?;
            match signature.as_ref().zip(result) {
                Some((signature, result)) => append(database, signature, act, &result),
                None => Ok(()),
            }
        })
    }
}

fn append(
    database: &mut dyn Database,
    signature: &Signature,
    act: &Act<'_>,
    result: &str,
) -> Result<(), StoreError> {
    let number = next(database, "SELECT COALESCE(MAX(number), 0) FROM audit")?;
    let Signature { who, request, moment } = signature;
    let texts = [moment, who, request, act.act, act.subject, result];
    let values: Vec<SqlValue> =
        std::iter::once(number.into()).chain(texts.map(SqlValue::from)).collect();
    database.run(
        "INSERT INTO audit (number, moment, who, request, act, subject, result) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &values,
    )?;
    Ok(())
}

/// The number after the highest, which `sql` asks for.
pub(super) fn next(database: &mut dyn Database, sql: &str) -> Result<i64, StoreError> {
    let highest = database.rows(sql, &[])?.first().map_or(Ok(0), |row| row.integer(0))?;
    Ok(highest.saturating_add(1))
}

fn entry(row: &DatabaseRow) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        number: row.integer(0)?,
        signature: Signature { moment: row.text(1)?, who: row.text(2)?, request: row.text(3)? },
        act: row.text(4)?,
        subject: row.text(5)?,
        result: row.text(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Sqlite;
    use super::*;
    use crate::Digest;

    #[test]
    fn a_change_and_its_row_are_one_step() {
        let mut store = Store::over(Box::new(Sqlite::in_memory().unwrap())).unwrap();
        store.publish("m", &Digest::sha256("a"), "m.pt", 1, "2026-05-01").unwrap();
        assert!(store.audit(None, 9).unwrap().is_empty(), "nobody signed");
        store.sign(Some(Signature {
            who: "token ci".into(),
            request: "r1".into(),
            moment: "2026-05-02T10:00:00Z".into(),
        }));
        store.publish("m", &Digest::sha256("b"), "m.pt", 1, "2026-05-02").unwrap();
        store.publish("m", &Digest::sha256("b"), "m.pt", 1, "2026-05-02").unwrap();
        store.note(&Act { act: "runtime.put", subject: "r" }, "refused").unwrap();
        let rows = store.audit(None, 9).unwrap();
        let seen: Vec<_> = rows.iter().map(|row| (row.number, row.result.as_str())).collect();
        assert_eq!(seen, [(2, "refused"), (1, "version 2")], "what changed nothing stands nowhere");
        assert_eq!(store.audit(Some(2), 9).unwrap().len(), 1);

        let failing = store.change(&Act { act: "x", subject: "y" }, &mut |database| {
            database.run("DELETE FROM versions", &[])?;
            database.run("INSERT INTO nothing VALUES (1)", &[])?;
            Ok(Some("done".into()))
        });
        assert!(failing.is_err());
        assert_eq!(store.audit(None, 9).unwrap().len(), 2);
        assert_eq!(store.versions("m", "9999").unwrap().len(), 2);
    }
}
