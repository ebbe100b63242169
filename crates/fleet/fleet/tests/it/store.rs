//! The store on both of its databases: one suite, run on SQLite and on PostgreSQL.

use crate::databases::{Place, places};
use unskew_fleet::Digest;
use unskew_fleet::store::{Database, KeptAnswer, KeptRuntime, SqlValue, Store, StoreError};

/// Runs a test on an empty database of each kind.
fn on_both(test: impl Fn(&Place)) {
    for place in places() {
        println!("on {}", place.address());
        test(&place);
    }
}

fn runtime(name: &str, devices: u64) -> KeptRuntime {
    KeptRuntime {
        name: name.into(),
        profile: "{}".into(),
        digest: Digest::sha256("1"),
        devices,
        since: "2026-01-01".into(),
    }
}

#[test]
fn the_same_artifact_is_published_once_in_a_row() {
    on_both(|place| {
        let mut store = place.store();
        let (a, b) = (Digest::sha256("a"), Digest::sha256("b"));
        let mut publish =
            |artifact: &Digest, day| store.publish("m", artifact, "m.pt", 1, day).unwrap();
        assert_eq!(publish(&a, "2026-01-01"), (1, true));
        assert_eq!(publish(&a, "2026-01-02"), (1, false));
        assert_eq!(publish(&b, "2026-01-03"), (2, true));
        assert_eq!(publish(&a, "2026-01-04"), (3, true));
        let mut numbers = |day| -> Vec<i64> {
            store.versions("m", day).unwrap().iter().map(|version| version.number).collect()
        };
        assert_eq!(numbers("2026-01-03"), [2, 1]);
        assert!(numbers("2025-12-31").is_empty());
        assert_eq!(numbers("2027-01-01"), [3, 2, 1]);
        assert_eq!(store.models().unwrap(), [("m".to_owned(), 3)]);
    });
}

#[test]
fn what_was_noted_under_a_clock_that_was_ahead_is_there_today() {
    on_both(|place| {
        let mut store = place.store();
        let now = jiff::Timestamp::from_second(store.unix_seconds().unwrap()).unwrap();
        let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
        let tomorrow = today.tomorrow().unwrap().to_string();
        let (today, yesterday) = (today.to_string(), today.yesterday().unwrap().to_string());
        store.publish("m", &Digest::sha256("a"), "m.pt", 1, "2026-01-01").unwrap();
        store.publish("m", &Digest::sha256("b"), "m.pt", 1, "2126-01-01").unwrap();
        let mut numbers = |day: &str| -> Vec<i64> {
            store.versions("m", day).unwrap().iter().map(|version| version.number).collect()
        };
        assert_eq!(numbers(&today), [2, 1], "whatever is there was published");
        // Of another day nobody knows more than what was noted.
        assert_eq!(numbers(&yesterday), [1]);
        assert_eq!(numbers(&tomorrow), [1]);
        assert_eq!(numbers("2126-01-01"), [2, 1]);

        store.put_runtime(&runtime("phones", 1)).unwrap();
        store
            .put_runtime(&KeptRuntime { since: "2126-01-01".into(), ..runtime("phones", 2) })
            .unwrap();
        for (day, devices) in [(&today, 2), (&yesterday, 1), (&tomorrow, 1)] {
            assert_eq!(store.runtime_on("phones", day).unwrap().unwrap().devices, devices);
            assert_eq!(store.runtimes_on(day).unwrap()[0].devices, devices);
            assert_eq!(store.runtimes_in_short(day).unwrap()[0].devices, devices);
        }
        store.remove_runtime("phones", "2126-01-02").unwrap();
        assert!(store.runtimes_on(&today).unwrap().is_empty());
        assert!(store.runtime_on("phones", &today).unwrap().is_none());
    });
}

#[test]
fn what_fails_in_the_middle_changes_nothing() {
    on_both(|place| {
        drop(place.store());
        let mut database = place.database();
        let mut step = |database: &mut dyn Database| {
            database.run(
                "INSERT INTO bodies (digest, text) VALUES ($1, $2)",
                &[SqlValue::Bytes(vec![1]), SqlValue::Bytes(vec![2])],
            )?;
            database.run("INSERT INTO nothing VALUES (1)", &[])?;
            Ok(())
        };
        assert!(database.in_one_step(&mut step).is_err());
        assert!(database.rows("SELECT * FROM bodies", &[]).unwrap().is_empty());
    });
}

#[test]
fn a_step_that_hides_the_failure_of_a_statement_is_not_taken_for_done() {
    let Some(place) = Place::postgresql() else { return };
    drop(place.store());
    let mut database = place.database();
    let mut step = |database: &mut dyn Database| {
        let insert = "INSERT INTO bodies (digest, text) VALUES ($1, $2)";
        database.run(insert, &[SqlValue::Bytes(vec![1]), SqlValue::Bytes(vec![2])])?;
        let _ = database.run("INSERT INTO nothing VALUES (1)", &[]);
        Ok(())
    };
    let error = database.in_one_step(&mut step).unwrap_err().to_string();
    assert!(error.contains("after a statement that failed"), "{error}");
    assert!(database.rows("SELECT * FROM bodies", &[]).unwrap().is_empty());
}

#[test]
fn every_kind_of_value_comes_back_as_it_went_in() {
    on_both(|place| {
        let mut database = place.database();
        database
            .run_all("CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b TEXT, c BYTEA)")
            .unwrap();
        let rows = [
            [SqlValue::Integer(i64::MIN), "".into(), SqlValue::Bytes(Vec::new())],
            [
                SqlValue::Integer(i64::MAX),
                "a'\u{e9}\"\n".into(),
                SqlValue::Bytes((0..=255).collect()),
            ],
            [SqlValue::Null, SqlValue::Null, SqlValue::Null],
        ];
        for (id, row) in rows.iter().enumerate() {
            let mut values = vec![SqlValue::Integer(id as i64)];
            values.extend(row.iter().cloned());
            let insert = "INSERT INTO t (id, a, b, c) VALUES ($1, $2, $3, $4)";
            assert_eq!(database.run(insert, &values).unwrap(), 1);
        }
        let found = database.rows("SELECT a, b, c FROM t ORDER BY id", &[]).unwrap();
        let found: Vec<&[SqlValue]> = found.iter().map(|row| row.0.as_slice()).collect();
        assert_eq!(found, rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>());
        assert!(database.run("INSERT INTO t (nothing) VALUES ($1)", &[1.into()]).is_err());
        // Nothing of that harms what comes after.
        assert_eq!(database.run("DELETE FROM t WHERE id = $1", &[1.into()]).unwrap(), 1);
    });
}

#[test]
fn texts_have_the_order_of_their_bytes() {
    on_both(|place| {
        let mut store = place.store();
        for name in ["b", "a.b", "B", "a-b", "_", "ab", "Z", "\u{e9}", "z"] {
            store.put_runtime(&runtime(name, 1)).unwrap();
        }
        let names: Vec<String> =
            store.runtimes().unwrap().into_iter().map(|runtime| runtime.name).collect();
        assert_eq!(names, ["B", "Z", "_", "a-b", "a.b", "ab", "b", "z", "\u{e9}"]);
    });
}

#[test]
fn a_runtime_is_replaced_by_its_name() {
    on_both(|place| {
        let mut store = place.store();
        store.put_runtime(&runtime("r", 1)).unwrap();
        store.put_runtime(&runtime("r", 7)).unwrap();
        assert_eq!(store.runtimes().unwrap(), [runtime("r", 7)]);
        assert_eq!(store.runtime("r").unwrap(), Some(runtime("r", 7)));
        assert!(store.remove_runtime("r", "2026-01-02").unwrap());
        assert!(!store.remove_runtime("r", "2026-01-02").unwrap());
        assert!(store.runtime("r").unwrap().is_none() && store.runtimes().unwrap().is_empty());
    });
}

#[test]
fn answers_are_kept_by_their_keys_and_bodies_once() {
    on_both(|place| {
        let mut store = place.store();
        let answer = |day: Option<&str>, body: &[u8]| KeptAnswer {
            day: day.map(str::to_owned),
            body: body.to_vec(),
        };
        let all = [
            (vec![1], answer(None, b"same")),
            (vec![2], answer(Some("2026-01-01"), b"same")),
            (vec![0, 255], answer(None, b"other")),
        ];
        store.put_answers(&all).unwrap();
        for (key, kept) in &all {
            assert_eq!(store.answer(key).unwrap().as_ref(), Some(kept));
        }
        let newer = answer(Some("2026-01-02"), b"newer");
        store.put_answers(&[(vec![2], newer.clone())]).unwrap();
        assert_eq!(store.answer(&[2]).unwrap(), Some(newer));
        assert_eq!(store.answer(&[9]).unwrap(), None);
        let bodies = place.database().rows("SELECT digest FROM bodies", &[]).unwrap();
        assert_eq!(bodies.len(), 3);
    });
}

#[test]
fn a_database_is_brought_up_once_even_by_many_at_the_same_time() {
    on_both(|place| {
        std::thread::scope(|scope| {
            let open = || scope.spawn(|| place.store().runtimes().unwrap().len());
            let all: Vec<_> = (0..6).map(|_| open()).collect();
            assert!(all.into_iter().all(|one| one.join().unwrap() == 0));
        });
        let numbers = place.database().rows("SELECT number FROM store_versions", &[]).unwrap();
        let newest = unskew_fleet::store::history().unwrap().entries().len();
        assert_eq!(numbers.len(), newest);
    });
}

#[test]
fn a_database_of_a_newer_program_is_refused_with_both_numbers() {
    on_both(|place| {
        drop(place.store());
        let insert = "INSERT INTO store_versions (number) VALUES ($1)";
        place.database().run(insert, &[99.into()]).unwrap();
        let error = Store::open(place.address()).err().unwrap();
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
        let newest = unskew_fleet::store::history().unwrap().entries().len();
        assert!(error.to_string().contains(&format!("99; this Unskew reads up to {newest}")));
    });
}

#[test]
fn no_version_is_lost_or_given_twice_when_many_publish() {
    const WRITERS: usize = 4;
    const EACH: usize = 12;
    on_both(|place| {
        drop(place.store());
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                scope.spawn(move || {
                    let mut store = place.store();
                    for at in 0..EACH {
                        let artifact = Digest::sha256(format!("{writer} {at}"));
                        let (_, new) =
                            store.publish("m", &artifact, "m.pt", 1, "2026-01-01").unwrap();
                        assert!(new);
                    }
                });
            }
        });
        let versions = place.store().versions("m", "2026-01-01").unwrap();
        let numbers: Vec<i64> = versions.iter().rev().map(|version| version.number).collect();
        let wanted: Vec<i64> = (1..=(WRITERS * EACH) as i64).collect();
        assert_eq!(numbers, wanted);
        let artifacts: std::collections::BTreeSet<Digest> =
            versions.iter().map(|version| version.artifact).collect();
        assert_eq!(artifacts.len(), WRITERS * EACH);
    });
}

#[test]
fn an_address_that_is_none_is_refused_with_what_it_should_be() {
    for (address, part) in [
        ("mysql://localhost/x", "mysql://localhost/x"),
        ("postgres://localhost/x?sslmode=prefer", "prefer"),
        ("postgres://localhost/x?sslmode=require&sslrootcert=/nowhere.pem", "/nowhere.pem"),
        ("postgres://localhost:port/x", "port"),
        ("postgres://u@localhost/x?colour=red", "colour"),
    ] {
        let error = Store::open(address).err().unwrap();
        assert!(matches!(error, StoreError::Url(_)), "{address}: {error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn nobody_there_is_said_with_the_place_and_without_the_password() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("postgres://me:secret@127.0.0.1:{port}/fleet");
    let error = Store::open(&address).err().unwrap();
    assert!(matches!(error, StoreError::Away(_)), "{error}");
    let said = error.to_string();
    assert!(said.contains(&format!("postgres://me@127.0.0.1:{port}/fleet")), "{said}");
    assert!(!said.contains("secret"), "{said}");
}
