//! Parts of long lists, for those who show them page by page.

use std::collections::HashMap;

use super::runtimes::on_day;
use super::{DatabaseRow, KeptRuntime, SqlValue, Store, StoreError, kept_runtime};

/// How many values stand in one statement: SQLite takes 32,766, PostgreSQL 65,535.
const AT_ONCE: usize = 1_000;

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSlice<T> {
    /// What is on it.
    pub rows: Vec<T>,
    /// How many there are on all parts.
    pub all: u64,
}

/// Which part of which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListQuery<'a> {
    /// Only names that contain this, in upper or lower case; all if it is empty.
    pub contains: &'a str,
    /// How many are left out before it.
    pub skip: u64,
    /// The most that stand on it.
    pub most: u64,
}

/// An answer as it is kept, without what it says: the day for which it holds, and the name of what it says.
pub type Noted = (Option<String>, [u8; 16]);

impl Store {
    /// Models by name, with their numbers of versions.
    pub fn models_in(
        &mut self,
        asked: ListQuery<'_>,
    ) -> Result<ListSlice<(String, u64)>, StoreError> {
        let all =
            "SELECT COUNT(DISTINCT model) FROM versions WHERE LOWER(model) LIKE $1 ESCAPE '!'";
        let sql = "SELECT model, COUNT(*) FROM versions WHERE LOWER(model) LIKE $1 ESCAPE '!' \
                   GROUP BY model ORDER BY model LIMIT $2 OFFSET $3";
        let model = |row: &DatabaseRow| Ok((row.text(0)?, row.count(1)?));
        self.part(all, sql, asked, &[], model)
    }

    /// Runtimes by name, as they were on a day.
    pub fn runtimes_in(
        &mut self,
        asked: ListQuery<'_>,
        day: &str,
    ) -> Result<ListSlice<KeptRuntime>, StoreError> {
        let on = on_day(2);
        let all = format!(
            "SELECT COUNT(*) FROM profiles p WHERE LOWER(p.name) LIKE $1 ESCAPE '!' AND {on}"
        );
        let sql = format!(
            "SELECT p.name, p.profile, p.digest, p.devices, p.since FROM profiles p \
             WHERE LOWER(p.name) LIKE $1 ESCAPE '!' AND {on} ORDER BY p.name LIMIT $3 OFFSET $4"
        );
        let day = self.day_of_profiles(day)?;
        self.part(&all, &sql, asked, &[day.as_str().into()], kept_runtime)
    }

    /// All runtimes by name as they were on a day, without their profiles, which may be long.
    pub fn runtimes_in_short(&mut self, day: &str) -> Result<Vec<KeptRuntime>, StoreError> {
        let sql = format!(
            "SELECT p.name, '', p.digest, p.devices, p.since FROM profiles p WHERE {} \
             ORDER BY p.name",
            on_day(1)
        );
        let day = self.day_of_profiles(day)?;
        self.database.rows(&sql, &[day.as_str().into()])?.iter().map(kept_runtime).collect()
    }

    fn part<T>(
        &mut self,
        all: &str,
        sql: &str,
        asked: ListQuery<'_>,
        more: &[SqlValue],
        read: impl FnMut(&DatabaseRow) -> Result<T, StoreError>,
    ) -> Result<ListSlice<T>, StoreError> {
        let mut values = vec![SqlValue::Text(pattern(asked.contains))];
        values.extend_from_slice(more);
        let number = |number: u64| SqlValue::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let counted = self.database.rows(all, &values)?;
        let all = counted.first().map_or(Ok(0), |row| row.count(0))?;
        values.extend([number(asked.most), number(asked.skip)]);
        let rows = self.database.rows(sql, &values)?;
        Ok(ListSlice { rows: rows.iter().map(read).collect::<Result<_, _>>()?, all })
    }

    /// Those of some answers that are kept, by their keys.
    pub fn noted(&mut self, keys: &[Vec<u8>]) -> Result<HashMap<Vec<u8>, Noted>, StoreError> {
        let mut found = HashMap::new();
        for keys in keys.chunks(AT_ONCE) {
            let sql = format!("SELECT key, day, body FROM answers WHERE key IN ({})", holes(keys));
            for row in self.database.rows(&sql, &values(keys))? {
                let body = row.bytes(2)?.try_into();
                let body = body.map_err(|_| StoreError::Damaged { column: 2, wanted: "digest" })?;
                found.insert(row.bytes(0)?, (row.text_or_null(1)?, body));
            }
        }
        Ok(found)
    }

    /// What some answers say, compressed, by the name of that.
    pub fn bodies(&mut self, names: &[[u8; 16]]) -> Result<HashMap<[u8; 16], Vec<u8>>, StoreError> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
        let mut found = HashMap::new();
        for names in names.chunks(AT_ONCE) {
            let sql = format!("SELECT digest, text FROM bodies WHERE digest IN ({})", holes(names));
            for row in self.database.rows(&sql, &values(names))? {
                let name = row.bytes(0)?.try_into();
                let name = name.map_err(|_| StoreError::Damaged { column: 0, wanted: "digest" })?;
                found.insert(name, row.bytes(1)?);
            }
        }
        Ok(found)
    }
}

fn values(keys: &[Vec<u8>]) -> Vec<SqlValue> {
    keys.iter().map(|key| SqlValue::Bytes(key.clone())).collect()
}

/// `$1, $2, ...`, one for each.
fn holes<T>(all: &[T]) -> String {
    (1..=all.len()).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// The pattern for names that contain a text, whose own signs stand for themselves.
fn pattern(contains: &str) -> String {
    let mut pattern = "%".to_owned();
    for letter in contains.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;
    use crate::store::{KeptAnswer, Sqlite};

    fn store() -> Store {
        Store::over(Box::new(Sqlite::in_memory().unwrap())).unwrap()
    }

    #[test]
    fn a_part_of_a_list_says_how_many_there_are() {
        let mut store = store();
        for name in ["a_1", "aB1", "b", "c%"] {
            let artifact = Digest::sha256(name);
            store.publish(name, &artifact, "m.pt", 1, "2026-01-01").unwrap();
        }
        let mut names = |contains, skip, most| {
            let part = store.models_in(ListQuery { contains, skip, most }).unwrap();
            (part.rows.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" "), part.all)
        };
        assert_eq!(names("", 0, 2), ("aB1 a_1".to_owned(), 4));
        assert_eq!(names("", 2, 2), ("b c%".to_owned(), 4));
        assert_eq!(names("B", 0, 9), ("aB1 b".to_owned(), 2));
        assert_eq!(names("_", 0, 9), ("a_1".to_owned(), 1), "a sign of patterns is a letter");
        assert_eq!(names("%", 0, 9), ("c%".to_owned(), 1));
        assert_eq!(names("", 9, 9), (String::new(), 4));
    }

    #[test]
    fn many_answers_are_looked_up_at_once() {
        let mut store = store();
        let key = |n: u32| n.to_be_bytes().to_vec();
        let answer = |n: u32| KeptAnswer { day: None, body: vec![u8::from(n.is_multiple_of(2))] };
        let all: Vec<_> = (0..2_500).map(|n| (key(n), answer(n))).collect();
        store.put_answers(&all).unwrap();
        let keys: Vec<Vec<u8>> = (0..3_000).map(key).collect();
        let noted = store.noted(&keys).unwrap();
        assert_eq!(noted.len(), 2_500);
        let mut names: Vec<[u8; 16]> = noted.values().map(|(_, body)| *body).collect();
        names.sort_unstable();
        names.dedup();
        let bodies = store.bodies(&names).unwrap();
        let mut bodies: Vec<Vec<u8>> = bodies.into_values().collect();
        bodies.sort();
        assert_eq!(bodies, [[0], [1]]);
    }
}
