//! Artifacts on their way in.

use super::database::{Database, DatabaseRow, SqlValue, StoreError};
use super::{Act, Store};
use crate::Digest;

/// An upload in chunks that is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingUpload {
    /// The name by which the client goes on with it.
    pub id: String,
    /// The name of the token that began it.
    pub owner: String,
    /// The key by which the owner finds it again.
    pub key: Option<String>,
    /// The model that it is for.
    pub model: String,
    /// The name of the file or folder.
    pub file: String,
    /// What it will be.
    pub digest: Digest,
    /// How many bytes it will have.
    pub size: u64,
    /// Of a folder, the list of its files as JSON.
    pub members: Option<String>,
    /// How many bytes have arrived.
    pub received: u64,
    /// The version that was published of it.
    pub version: Option<i64>,
    /// When it was begun.
    pub began: String,
    /// The second since 1970 in which something last arrived.
    pub touched: i64,
}

/// A piece of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadChunk {
    /// The offset of its first byte in the file.
    pub start: u64,
    /// Size in bytes, when it is complete.
    pub size: u64,
    /// The name under which it lies.
    pub blob: String,
}

const COLUMNS: &str = "id, owner, idempotency_key, model, file, digest, size, members, received, \
                       version, began, touched";

impl Store {
    /// Begins an upload, if fewer than `most` are open. One that the same owner began with the same key is
    /// found instead, whatever it is for. None if there are too many.
    pub fn begin_upload(
        &mut self,
        upload: &PendingUpload,
        most: u64,
    ) -> Result<Option<PendingUpload>, StoreError> {
        let mut begun = None;
        self.change(&Act { act: "upload.begin", subject: &upload.id }, &mut |database| {
            begun = None;
            if let Some(key) = &upload.key {
                let sql = format!(
                    "SELECT {COLUMNS} FROM uploads WHERE owner = $1 AND idempotency_key = $2"
                );
                let known =
                    database.rows(&sql, &[upload.owner.as_str().into(), key.as_str().into()])?;
                if let Some(row) = known.first() {
                    begun = Some(kept(row)?);
                    return Ok(None);
                }
            }
            let open = "SELECT COUNT(*) FROM uploads WHERE version IS NULL";
            let open = database.rows(open, &[])?.first().map_or(Ok(0), |row| row.count(0))?;
            if open >= most {
                return Ok(None);
            }
            insert(database, upload)?;
            begun = Some(upload.clone());
            Ok(Some(format!("{} bytes of {}", upload.size, upload.model)))
        })?;
        Ok(begun)
    }

    /// The upload of this name.
    pub fn upload(&mut self, id: &str) -> Result<Option<PendingUpload>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM uploads WHERE id = $1");
        self.database.rows(&sql, &[id.into()])?.first().map(kept).transpose()
    }

    /// The uploads that are not finished.
    pub fn open_uploads(&mut self) -> Result<Vec<PendingUpload>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM uploads WHERE version IS NULL ORDER BY began, id");
        self.database.rows(&sql, &[])?.iter().map(kept).collect()
    }

    /// Adds a piece that begins where the upload ends; false if it does not, because another came first.
    pub fn add_piece(
        &mut self,
        upload: &str,
        piece: &UploadChunk,
        second: i64,
    ) -> Result<bool, StoreError> {
        let number = |count: u64| SqlValue::from(i64::try_from(count).unwrap_or(i64::MAX));
        let end = piece.start.saturating_add(piece.size);
        let mut added = false;
        self.database.in_one_step(&mut |database| {
            let grown = database.run(
                "UPDATE uploads SET received = $1, touched = $2 \
                 WHERE id = $3 AND received = $4 AND size >= $1 AND version IS NULL",
                &[number(end), second.into(), upload.into(), number(piece.start)],
            )?;
            added = grown == 1;
            if added {
                database.run(
                    "INSERT INTO pieces (upload, start, size, blob) VALUES ($1, $2, $3, $4)",
                    &[
                        upload.into(),
                        number(piece.start),
                        number(piece.size),
                        piece.blob.as_str().into(),
                    ],
                )?;
            }
            Ok(())
        })?;
        Ok(added)
    }

    /// The pieces of an upload, in their order.
    pub fn pieces(&mut self, upload: &str) -> Result<Vec<UploadChunk>, StoreError> {
        let sql = "SELECT start, size, blob FROM pieces WHERE upload = $1 ORDER BY start";
        let piece = |row: &DatabaseRow| {
            Ok(UploadChunk { start: row.count(0)?, size: row.count(1)?, blob: row.text(2)? })
        };
        self.database.rows(sql, &[upload.into()])?.iter().map(piece).collect()
    }

    /// Publishes what an upload has brought, and ends it, in one step. What was published of it before is found
    /// again; none if the upload is gone.
    pub fn finish_upload(
        &mut self,
        upload: &PendingUpload,
        day: &str,
    ) -> Result<Option<i64>, StoreError> {
        let mut version = None;
        let present = self.present.clone();
        self.change(&Act { act: "model.publish", subject: &upload.model }, &mut |database| {
            version = None;
            let sql = "SELECT version FROM uploads WHERE id = $1";
            let rows = database.rows(sql, &[upload.id.as_str().into()])?;
            let Some(row) = rows.first() else { return Ok(None) };
            if !row.is_null(0) {
                version = Some(row.integer(0)?);
                return Ok(None);
            }
            let PendingUpload { model, digest, file, size, .. } = upload;
            let (artifact, size) = (digest, *size);
            let coming = super::Coming { artifact, size, made_from: None, present: &present };
            let (number, new) = super::publish(database, model, &coming, file, day)?;
            version = Some(number);
            let sql = "UPDATE uploads SET version = $1 WHERE id = $2";
            database.run(sql, &[number.into(), upload.id.as_str().into()])?;
            let what = if new { "version" } else { "again version" };
            Ok(Some(format!("{what} {number} {}", upload.digest)))
        })?;
        Ok(version)
    }

    /// Forgets the pieces of an upload, and says which they were.
    pub fn forget_pieces(&mut self, upload: &str) -> Result<Vec<UploadChunk>, StoreError> {
        let pieces = self.pieces(upload)?;
        self.database.run("DELETE FROM pieces WHERE upload = $1", &[upload.into()])?;
        Ok(pieces)
    }

    /// Forgets an upload that has published nothing, with its reason; false if there is none.
    pub fn drop_upload(&mut self, id: &str, reason: &str) -> Result<bool, StoreError> {
        let mut gone = 0;
        self.change(&Act { act: "upload.drop", subject: id }, &mut |database| {
            let sql = "DELETE FROM uploads WHERE id = $1 AND version IS NULL";
            gone = database.run(sql, &[id.into()])?;
            if gone > 0 {
                database.run("DELETE FROM pieces WHERE upload = $1", &[id.into()])?;
            }
            Ok((gone > 0).then(|| reason.to_owned()))
        })?;
        Ok(gone > 0)
    }

    /// Forgets uploads that were finished before a second; what they published stays.
    pub fn forget_uploads(&mut self, before: i64) -> Result<u64, StoreError> {
        let mut gone = 0;
        self.database.in_one_step(&mut |database| {
            let sql = "DELETE FROM uploads WHERE version IS NOT NULL AND touched < $1";
            gone = database.run(sql, &[before.into()])?;
            // Those of a process that ended before it came to them.
            let sql = "DELETE FROM pieces WHERE upload NOT IN (SELECT id FROM uploads)";
            database.run(sql, &[])?;
            Ok(())
        })?;
        Ok(gone)
    }
}

fn insert(database: &mut dyn Database, upload: &PendingUpload) -> Result<(), StoreError> {
    let number = |count: u64| SqlValue::from(i64::try_from(count).unwrap_or(i64::MAX));
    let sql = format!(
        "INSERT INTO uploads ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    );
    database.run(
        &sql,
        &[
            upload.id.as_str().into(),
            upload.owner.as_str().into(),
            upload.key.as_deref().into(),
            upload.model.as_str().into(),
            upload.file.as_str().into(),
            (&upload.digest).into(),
            number(upload.size),
            upload.members.as_deref().into(),
            number(upload.received),
            upload.version.map_or(SqlValue::Null, SqlValue::from),
            upload.began.as_str().into(),
            upload.touched.into(),
        ],
    )?;
    Ok(())
}

fn kept(row: &DatabaseRow) -> Result<PendingUpload, StoreError> {
    Ok(PendingUpload {
        id: row.text(0)?,
        owner: row.text(1)?,
        key: row.text_or_null(2)?,
        model: row.text(3)?,
        file: row.text(4)?,
        digest: row.digest(5)?,
        size: row.count(6)?,
        members: row.text_or_null(7)?,
        received: row.count(8)?,
        version: if row.is_null(9) { None } else { Some(row.integer(9)?) },
        began: row.text(10)?,
        touched: row.integer(11)?,
    })
}
