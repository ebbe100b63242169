//! A PostgreSQL server that goes away and comes back, that encrypts, and that is called from a service.

use unskew_fleet::Digest;
use unskew_fleet::store::{Database, Postgres, SqlValue, Store, StoreError};
use unskew_test_servers::PostgreSql;

#[test]
fn a_server_that_went_away_is_an_error_once_and_then_reached_again() {
    let Some(mut server) = PostgreSql::start(&[]) else { return };
    let address = server.database();
    let mut store = Store::open(&address).unwrap();
    for (round, crash) in [false, true].into_iter().enumerate() {
        let artifact = Digest::sha256(round.to_string());
        store.publish("m", &artifact, "m.pt", 1, "2026-01-01").unwrap();
        server.end(crash);
        for _ in 0..3 {
            let error = store.runtimes().unwrap_err();
            assert!(matches!(error, StoreError::Away(_)), "{error}");
            assert!(error.to_string().contains("127.0.0.1"), "{error}");
        }
        let publish = store.publish("m", &artifact, "m.pt", 1, "2026-01-02");
        assert!(matches!(publish, Err(StoreError::Away(_))), "{publish:?}");
        server.begin();
        assert_eq!(store.versions("m", "2026-12-31").unwrap().len(), round + 1);
    }
}

#[test]
fn a_step_begins_on_a_new_connection_if_the_old_one_was_cut_while_nothing_happened() {
    let Some(server) = PostgreSql::shared() else { return };
    let address = server.database();
    let mut store = Store::open(&address).unwrap();
    cut_others(&address);
    store.publish("m", &Digest::sha256("1"), "m.pt", 1, "2026-01-01").unwrap();
    assert_eq!(store.models().unwrap(), [("m".to_owned(), 1)]);
}

#[test]
fn a_step_whose_connection_is_cut_is_undone_and_goes_on_nowhere_else() {
    let Some(server) = PostgreSql::shared() else { return };
    let address = server.database();
    drop(Store::open(&address).unwrap());
    let mut database = Postgres::open(&address).unwrap();
    let mut tries = 0;
    let mut step = |database: &mut dyn Database| {
        tries += 1;
        let insert = "INSERT INTO bodies (digest, text) VALUES ($1, $2)";
        database.run(insert, &[SqlValue::Bytes(vec![1]), SqlValue::Bytes(vec![1])])?;
        cut_others(&address);
        // Both fail, and the second is not sent anywhere else.
        for at in [2, 3] {
            let one = database.run(insert, &[SqlValue::Bytes(vec![at]), SqlValue::Bytes(vec![at])]);
            assert!(matches!(one, Err(StoreError::Away(_))), "{one:?}");
        }
        Ok(())
    };
    assert!(database.in_one_step(&mut step).is_err());
    assert_eq!(tries, 1);
    assert!(database.rows("SELECT digest FROM bodies", &[]).unwrap().is_empty());
}

/// Cuts all other connections to a database.
fn cut_others(address: &str) {
    let sql = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let mut database = Postgres::open(address).unwrap();
    database.rows(sql, &[]).unwrap();
    let left = "SELECT COUNT(*) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while database.rows(left, &[]).unwrap()[0].0[0] != SqlValue::Integer(0) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn steps_that_clash_are_done_one_after_the_other() {
    const EACH: i64 = 25;
    let Some(server) = PostgreSql::shared() else { return };
    let address = server.database();
    let mut database = Postgres::open(&address).unwrap();
    database.run_all("CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)").unwrap();
    database.run_all("INSERT INTO t VALUES (1, 0), (2, 0)").unwrap();
    std::thread::scope(|scope| {
        for order in [[1, 2], [2, 1]] {
            let address = &address;
            scope.spawn(move || {
                let mut database = Postgres::open(address).unwrap();
                for _ in 0..EACH {
                    // In both orders, so that they wait for each other now and then.
                    let mut step = |database: &mut dyn Database| {
                        for id in order {
                            let read =
                                database.rows("SELECT n FROM t WHERE id = $1", &[id.into()])?;
                            let SqlValue::Integer(n) = read[0].0[0] else { unreachable!() };
                            let update = "UPDATE t SET n = $1 WHERE id = $2";
                            database.run(update, &[(n + 1).into(), id.into()])?;
                        }
                        Ok(())
                    };
                    // Busy is an honest answer, after which nothing has changed.
                    while let Err(error) = database.in_one_step(&mut step) {
                        assert!(error.to_string().contains("again and again"), "{error}");
                    }
                }
            });
        }
    });
    let rows = database.rows("SELECT n FROM t ORDER BY id", &[]).unwrap();
    let numbers: Vec<&SqlValue> = rows.iter().map(|row| &row.0[0]).collect();
    assert_eq!(numbers, [&SqlValue::Integer(2 * EACH); 2]);
}

#[test]
fn a_service_calls_it_from_threads_that_may_wait_and_drops_it_anywhere() {
    let Some(server) = PostgreSql::shared() else { return };
    let address = server.database();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let opened = tokio::task::spawn_blocking(move || {
            let mut store = Store::open(&address).unwrap();
            store.publish("m", &Digest::sha256("1"), "m.pt", 1, "2026-01-01").unwrap();
            store
        });
        let mut store = opened.await.unwrap();
        let again = tokio::task::spawn_blocking(move || {
            assert_eq!(store.models().unwrap().len(), 1);
            store
        });
        // On a thread that drives futures.
        drop(again.await.unwrap());
    });
}

#[test]
fn a_connection_is_encrypted_if_the_url_asks_and_the_certificate_is_checked() {
    let Some(mut server) = PostgreSql::start(&[]) else { return };
    let plain = server.database();
    server.end(false);
    let certificate = server.certificate("127.0.0.1");
    server.set("ssl=on");
    server.begin();
    let encrypted = |address: &str| {
        let mut database = Postgres::open(address)?;
        let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        Ok::<_, StoreError>(database.rows(sql, &[])?[0].0[0] == SqlValue::Integer(1))
    };
    assert!(!encrypted(&plain).unwrap());
    let roots = certificate.to_str().unwrap();
    assert!(encrypted(&format!("{plain}?sslmode=require&sslrootcert={roots}")).unwrap());
    // Nobody whom the system trusts has signed it.
    let error = encrypted(&format!("{plain}?sslmode=require")).unwrap_err().to_string();
    assert!(error.to_lowercase().contains("certificate"), "{error}");
    // The certificate is for an address, not for this name.
    let named = plain.replace("127.0.0.1", "localhost");
    let error = encrypted(&format!("{named}?sslmode=require&sslrootcert={roots}"));
    assert!(error.unwrap_err().to_string().contains("certificate"));
}
