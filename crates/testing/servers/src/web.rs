//! A web server.

use std::path::{Path, PathBuf};

use crate::ServerError;
use crate::python::PythonServer;

/// The environment in the corpus; MLflow serves with the same libraries.
const ENVIRONMENT: &str = "mlflow-3.17.2";

/// Serves a folder on any free port, answering ranges, of a folder its index.html; over TLS if a folder for the certificate is named, which is made
/// first: one that signs itself, for the loopback.
const PROGRAM: &str = "
import datetime, ipaddress, os, pathlib, uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

def certificate(folder):
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, 'loopback')])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - day).not_valid_after(now + day)
    loopback = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address('127.0.0.1'))])
    made = made.add_extension(loopback, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (folder / 'certificate.pem').write_bytes(made.public_bytes(pem))
    (folder / 'key.pem').write_bytes(key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

app = Starlette(routes=[Mount('/', StaticFiles(directory=os.environ['WEB_FOLDER'], html=True))])
secret = {}
if 'WEB_SECRET' in os.environ:
    folder = pathlib.Path(os.environ['WEB_SECRET'])
    certificate(folder)
    secret = {'ssl_certfile': folder / 'certificate.pem', 'ssl_keyfile': folder / 'key.pem'}
uvicorn.run(app, host='127.0.0.1', port=0, access_log=False, **secret)
";

/// Serves a folder with Python's own server, which knows no ranges.
const PLAIN: &str = "
import http.server, os, sys

class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory=os.environ['WEB_FOLDER'])
    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(f'running on http://127.0.0.1:{server.server_port}', file=sys.stderr, flush=True)
server.serve_forever()
";

/// A web server with the files of a folder, on a port of the loopback.
pub struct WebServer {
    python: PythonServer,
    scheme: &'static str,
    secret: tempfile::TempDir,
}

impl WebServer {
    /// Whether tests are to start one; if not, says that the test is skipped.
    #[must_use]
    pub fn there() -> bool {
        unskew_peers::there(ENVIRONMENT)
    }

    /// Starts one that answers ranges, over plain http.
    ///
    /// # Errors
    /// If its environment is not there, or it does not start.
    pub fn start(folder: &Path) -> Result<Self, ServerError> {
        Self::begin(folder, PROGRAM, "http")
    }

    /// Starts one that answers ranges, over TLS, with a certificate that [`WebServer::certificate`] has.
    ///
    /// # Errors
    /// As [`WebServer::start`].
    pub fn start_secret(folder: &Path) -> Result<Self, ServerError> {
        Self::begin(folder, PROGRAM, "https")
    }

    /// Starts one that knows no ranges.
    ///
    /// # Errors
    /// As [`WebServer::start`].
    pub fn start_without_ranges(folder: &Path) -> Result<Self, ServerError> {
        Self::begin(folder, PLAIN, "http")
    }

    fn begin(folder: &Path, program: &str, scheme: &'static str) -> Result<Self, ServerError> {
        let secret = tempfile::tempdir()?;
        let mut settings = vec![("WEB_FOLDER", folder.display().to_string())];
        if scheme == "https" {
            settings.push(("WEB_SECRET", secret.path().display().to_string()));
        }
        Ok(Self { python: PythonServer::start(ENVIRONMENT, program, &settings)?, scheme, secret })
    }

    /// Where it listens: `http://127.0.0.1:PORT`, or with `https`.
    pub fn endpoint(&self) -> String {
        format!("{}://{}", self.scheme, self.python.address)
    }

    /// The certificate that a client must trust, as `SSL_CERT_FILE` names it.
    pub fn certificate(&self) -> PathBuf {
        self.secret.path().join("certificate.pem")
    }
}
