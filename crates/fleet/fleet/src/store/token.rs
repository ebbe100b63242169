//! Tokens of those who may ask the service.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::database::{DatabaseRow, StoreError};
use super::{Act, Store};
use crate::Digest;

/// What somebody may do; whoever may do more may do less too.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Role")]
pub enum TokenRole {
    /// Read everything but the audit log and the tokens.
    Read,
    /// Publish models, and change runtimes.
    Publish,
    /// What publishers may do, the audit log and the tokens.
    Admin,
}

impl TokenRole {
    /// As the command line and JSON have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Publish => "publish",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TokenRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Read, Self::Publish, Self::Admin];
        let found = all.into_iter().find(|role| role.as_str() == text);
        found.ok_or_else(|| format!("no role (read, publish, admin): {text}"))
    }
}

/// A token as it is kept: without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptToken {
    /// The part of it that is no secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The digest of the secret.
    pub hash: Digest,
    /// What its bearer may do.
    pub role: TokenRole,
    /// When it was made.
    pub created: String,
    /// From which moment on it is worth nothing; none if it does not expire.
    pub expires: Option<String>,
    /// When it was revoked.
    pub revoked: Option<String>,
}

const COLUMNS: &str = "id, name, hash, role, created, expires, revoked";

impl Store {
    /// Adds a token, of which only the digest is kept.
    pub fn put_token(&mut self, token: &KeptToken) -> Result<(), StoreError> {
        let act = Act { act: "token.create", subject: &token.id };
        self.change(&act, &mut |database| {
            let sql = format!("INSERT INTO tokens ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)");
            database.run(
                &sql,
                &[
                    token.id.as_str().into(),
                    token.name.as_str().into(),
                    (&token.hash).into(),
                    token.role.as_str().into(),
                    token.created.as_str().into(),
                    token.expires.as_deref().into(),
                    token.revoked.as_deref().into(),
                ],
            )?;
            Ok(Some(format!("{} ({})", token.name, token.role)))
        })
    }

    /// The token of this id, also one that is worth nothing any more.
    pub fn token(&mut self, id: &str) -> Result<Option<KeptToken>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM tokens WHERE id = $1");
        self.database.rows(&sql, &[id.into()])?.first().map(kept).transpose()
    }

    /// All tokens that were ever made, oldest first.
    pub fn tokens(&mut self) -> Result<Vec<KeptToken>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM tokens ORDER BY created, id");
        self.database.rows(&sql, &[])?.iter().map(kept).collect()
    }

    /// Whether a token was ever made. A fleet that has had one is never open again.
    pub fn has_tokens(&mut self) -> Result<bool, StoreError> {
        Ok(!self.database.rows("SELECT 1 FROM tokens LIMIT 1", &[])?.is_empty())
    }

    /// Revokes a token; false if there is none of this id, or it was revoked before.
    pub fn revoke_token(&mut self, id: &str, moment: &str) -> Result<bool, StoreError> {
        let mut gone = 0;
        self.change(&Act { act: "token.revoke", subject: id }, &mut |database| {
            let sql = "UPDATE tokens SET revoked = $1 WHERE id = $2 AND revoked IS NULL";
            gone = database.run(sql, &[moment.into(), id.into()])?;
            Ok((gone > 0).then(|| "revoked".to_owned()))
        })?;
        Ok(gone > 0)
    }
}

fn kept(row: &DatabaseRow) -> Result<KeptToken, StoreError> {
    let wrong = |_| StoreError::Damaged { column: 3, wanted: "role" };
    Ok(KeptToken {
        id: row.text(0)?,
        name: row.text(1)?,
        hash: row.digest(2)?,
        role: row.text(3)?.parse().map_err(wrong)?,
        created: row.text(4)?,
        expires: row.text_or_null(5)?,
        revoked: row.text_or_null(6)?,
    })
}
