//! An S3 server.

use std::path::Path;

use crate::python::PythonServer;
use crate::{ServerError, http};

const ENVIRONMENT: &str = "moto-5.2.5";

/// Has the server take what a folder has in place of what was put, without reading it: a file with holes is an object of
/// gigabytes that nobody has to keep.
const MAPPED: &str = "
import mmap, os
from moto.s3.models import FakeKey

folder = os.environ['S3_FILES']
kept = FakeKey.value

def place(key):
    path = os.path.join(folder, key.bucket_name or '', key.name)
    return path if os.path.isfile(path) else None

def value(key):
    path = place(key)
    if path is None:
        return kept.fget(key)
    with open(path, 'rb') as file:
        return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

def size(key):
    path = place(key)
    return key.contentsize if path is None else os.path.getsize(path)

FakeKey.value = property(value, kept.fset)
FakeKey.size = property(size)
";

/// Serves on any free port.
const PROGRAM: &str = "
from moto.server import main
main(['-H', '127.0.0.1', '-p', '0'])
";

/// An S3 server that keeps everything in memory, on a port of the loopback.
pub struct S3Server(PythonServer);

impl S3Server {
    /// Whether tests are to start one; if not, says that the test is skipped.
    #[must_use]
    pub fn there() -> bool {
        unskew_peers::there(ENVIRONMENT)
    }

    /// Starts one, and waits until it listens.
    ///
    /// # Errors
    /// If its environment is not there, or it does not start.
    pub fn start() -> Result<Self, ServerError> {
        PythonServer::start(ENVIRONMENT, PROGRAM, &[]).map(Self)
    }

    /// Starts one for objects of any size: where the folder has a file `BUCKET/KEY`, the object that was put there has the bytes
    /// of this file.
    ///
    /// # Errors
    /// As [`S3Server::start`].
    pub fn start_over(folder: &Path) -> Result<Self, ServerError> {
        let settings = [("S3_FILES", folder.display().to_string())];
        PythonServer::start(ENVIRONMENT, &format!("{MAPPED}{PROGRAM}"), &settings).map(Self)
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// What a client needs to know, as variables of the environment.
    pub fn settings(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ACCESS_KEY_ID", "testing".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "testing".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    /// Makes a bucket.
    ///
    /// # Errors
    /// If the server does not.
    pub fn make_bucket(&self, name: &str) -> Result<(), ServerError> {
        http::request(&self.0.address, "PUT", &format!("/{name}"), b"").map(|_| ())
    }

    /// Puts an object at a path `/BUCKET/KEY`.
    ///
    /// # Errors
    /// If the server does not take it.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), ServerError> {
        http::request(&self.0.address, "PUT", path, bytes).map(|_| ())
    }
}
