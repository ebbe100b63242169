//! The connection to a server, and where that is.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Row, Statement};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::database::{SqlValue, StoreError};

/// How long to wait for a server to answer.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a line may be silent before it is asked whether it is still there, and how long it may then take.
const SILENCE: Duration = Duration::from_secs(30);

/// How many statements are kept ready.
const STATEMENTS: usize = 256;

/// A writer waits for another one as long as in SQLite. What a process began that then hangs is undone.
const SETTINGS: &str = "SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '5min'; \
                        SET client_min_messages = 'warning'";

pub(super) struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// The place without the password: `postgres://user@host:5432/fleet`.
    shown: String,
}

/// A connection, with the statements that it knows.
pub(super) struct Link {
    /// There until the end.
    client: Option<Client>,
    statements: HashMap<String, Statement>,
}

impl Address {
    pub(super) fn read(url: &str) -> Result<Self, StoreError> {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut rest, mut mode, mut roots) = (Vec::new(), None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(value.replace("%2F", "/")),
                _ => rest.push(pair),
            }
        }
        let encrypt = match mode {
            None | Some("disable") => false,
            Some("require" | "verify-full") => true,
            Some(other) => {
                let what =
                    "sslmode is require (with the certificate and the name checked) or disable";
                return Err(StoreError::Url(format!("{what}: {other}")));
            }
        };
        let whole = format!("{place}?{}", rest.join("&"));
        let wrong = |error: postgres::Error| StoreError::Url(super::said(&error));
        let mut config: Config = whole.trim_end_matches('?').parse().map_err(wrong)?;
        config.connect_timeout(CONNECT).keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        config.ssl_mode(if encrypt { SslMode::Require } else { SslMode::Disable });
        if config.get_application_name().is_none() {
            config.application_name("unskew");
        }
        let tls = if encrypt { Some(encryption(roots.as_deref())?) } else { None };
        let shown = shown(&config);
        Ok(Self { config, tls, shown })
    }

    pub(super) fn connect(&self) -> Result<Link, StoreError> {
        let client = match &self.tls {
            Some(tls) => self.config.connect(tls.clone()),
            None => self.config.connect(NoTls),
        };
        let mut client = client.map_err(|error| self.gone(super::said(&error)))?;
        let ready = client.batch_execute(SETTINGS);
        let link = Link { client: Some(client), statements: HashMap::new() };
        ready.map_err(|error| self.gone(super::said(&error)))?;
        Ok(link)
    }

    /// That the database is not there.
    pub(super) fn gone(&self, what: impl Into<String>) -> StoreError {
        let (what, shown) = (what.into(), &self.shown);
        StoreError::Away(format!("{what}; the next call tries again: {shown}").into())
    }
}

fn shown(config: &Config) -> String {
    let host = config.get_hosts().first().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let name = config.get_dbname().unwrap_or_default();
    format!("postgres://{user}{}:{port}/{name}", host.unwrap_or_default())
}

/// How a connection is encrypted: by TLS, with the server's certificate checked.
fn encryption(roots: Option<&str>) -> Result<MakeRustlsConnect, StoreError> {
    let wrong = |what: String| StoreError::Url(what);
    let mut store = RootCertStore::empty();
    match roots {
        Some(file) => {
            let named =
                |error: &dyn std::fmt::Display| wrong(format!("sslrootcert, {error}: {file}"));
            let all = CertificateDer::pem_file_iter(file).map_err(|error| named(&error))?;
            for one in all {
                let one = one.map_err(|error| named(&error))?;
                store.add(one).map_err(|error| named(&error))?;
            }
        }
        None => {
            // Those that cannot be read are as good as not trusted.
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(error.to_string()))?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

impl Link {
    pub(super) fn is_closed(&self) -> bool {
        self.client.as_ref().is_none_or(Client::is_closed)
    }

    pub(super) fn send(&mut self, sql: &str) -> Result<(), postgres::Error> {
        let Some(client) = &mut self.client else { return Ok(()) };
        client.batch_execute(sql)
    }

    pub(super) fn run(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, postgres::Error> {
        let Some((client, statement)) = self.prepared(sql)? else { return Ok(0) };
        client.execute(&statement, &parameters(values))
    }

    pub(super) fn rows(
        &mut self,
        sql: &str,
        values: &[SqlValue],
    ) -> Result<Vec<Row>, postgres::Error> {
        let Some((client, statement)) = self.prepared(sql)? else { return Ok(Vec::new()) };
        client.query(&statement, &parameters(values))
    }

    /// A statement, prepared when it comes for the first time.
    fn prepared(&mut self, sql: &str) -> Result<Option<(&mut Client, Statement)>, postgres::Error> {
        let Some(client) = &mut self.client else { return Ok(None) };
        if let Some(statement) = self.statements.get(sql) {
            return Ok(Some((client, statement.clone())));
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let statement = client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(Some((client, statement)))
    }
}

fn parameters(values: &[SqlValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl Drop for Link {
    /// A connection ends by waiting, which a thread that drives futures must not; another one may.
    fn drop(&mut self) {
        self.statements.clear();
        let client = self.client.take();
        let _ = std::thread::Builder::new().spawn(move || drop(client)).map(|thread| thread.join());
    }
}
