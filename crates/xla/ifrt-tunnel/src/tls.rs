//! TLS of either end: version 1.3, by rustls on ring.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{CertificateError, ClientConfig, Error, RootCertStore, ServerConfig};

use crate::TunnelError;
use crate::handshake::ALPN;

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

pub(crate) fn server(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TunnelError> {
    let chain = certificates(certificate)?;
    let key =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, "private key", error))?;
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(Arc::new(config))
}

/// The side that checks a certificate: by those of a file, or by the roots of the system.
pub(crate) fn client(authorities: Option<&Path>) -> Result<Arc<ClientConfig>, TunnelError> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            for certificate in certificates(path)? {
                roots.add(certificate)?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                let errors: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
                return Err(TunnelError::NoRoots(errors.join("; ")));
            }
        }
    }
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(Arc::new(config))
}

/// Why a handshake failed, and what helps, in words for those who run the server.
pub(crate) fn why(error: &io::Error) -> String {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
    let text = error.to_string();
    match tls {
        Some(Error::InvalidCertificate(_)) if text.contains("CaUsedAsEndEntity") => {
            "its certificate is that of an authority; make one with basicConstraints=CA:FALSE"
                .to_owned()
        }
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => format!("{text}; connect by a name that the certificate has"),
        Some(Error::InvalidCertificate(_)) => {
            format!("{text}; --ca names a file with the certificate that it is to be checked by")
        }
        _ => text,
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TunnelError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> = read.map_err(|error| wrong(path, "certificate", error))?;
    match found.is_empty() {
        true => Err(TunnelError::content(path, "no certificate in PEM format")),
        false => Ok(found),
    }
}

fn wrong(path: &Path, what: &str, error: pem::Error) -> TunnelError {
    match error {
        pem::Error::Io(source) => TunnelError::File { path: path.to_owned(), source },
        pem::Error::NoItemsFound => TunnelError::content(path, format!("no {what} in PEM format")),
        other => TunnelError::content(path, format!("{what}: {other}")),
    }
}
