//! A model registry of MLflow.

use serde_json::{Value, json};

use crate::python::PythonServer;
use crate::{ServerError, http};

const ENVIRONMENT: &str = "mlflow-3.17.2";

/// Serves on any free port, as `mlflow server` does, in one process.
const PROGRAM: &str = "
import uvicorn
uvicorn.run('mlflow.server.fastapi_app:app', host='127.0.0.1', port=0)
";

/// MLflow's tracking server with its model registry, on a port of the loopback. It hands out artifacts itself.
pub struct MlFlowServer {
    python: PythonServer,
    _folder: tempfile::TempDir,
}

impl MlFlowServer {
    /// Whether tests are to start one; if not, says that the test is skipped.
    #[must_use]
    pub fn there() -> bool {
        unskew_peers::there(ENVIRONMENT)
    }

    /// Starts one over an empty folder, and waits until it listens.
    ///
    /// # Errors
    /// If its environment is not there, or it does not start.
    pub fn start() -> Result<Self, ServerError> {
        let folder = tempfile::tempdir()?;
        let below = |name: &str| folder.path().join(name).display().to_string();
        let settings = [
            ("_MLFLOW_SERVER_FILE_STORE", format!("sqlite:///{}", below("mlflow.db"))),
            ("_MLFLOW_SERVER_ARTIFACT_ROOT", "mlflow-artifacts:/".to_owned()),
            ("_MLFLOW_SERVER_ARTIFACT_DESTINATION", below("artifacts")),
            ("_MLFLOW_SERVER_SERVE_ARTIFACTS", "true".to_owned()),
            ("MLFLOW_DISABLE_TELEMETRY", "true".to_owned()),
        ];
        let server =
            Self { python: PythonServer::start(ENVIRONMENT, PROGRAM, &settings)?, _folder: folder };
        // The first request to each of its two stores makes the tables, and two at once make them twice and fail.
        server.call("experiments/search", json!({ "max_results": 1 }))?;
        let models = "/api/2.0/mlflow/registered-models/search?max_results=1";
        http::request(&server.python.address, "GET", models, b"")?;
        Ok(server)
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.python.address)
    }

    /// Registers files as the next version of a model, which is made if it is not there, and says which version. The
    /// files are artifacts of a new run, in the folder `model`; `source` says how the version names that folder, with
    /// `RUN` for the number of the run.
    ///
    /// # Errors
    /// What the server says.
    pub fn register(
        &self,
        model: &str,
        source: &str,
        files: &[(&str, &[u8])],
    ) -> Result<String, ServerError> {
        let run = self.call("runs/create", json!({ "experiment_id": "0", "start_time": 1 }))?;
        let run = text(&run, &["run", "info", "run_id"])?;
        for (name, bytes) in files {
            let path =
                format!("/api/2.0/mlflow-artifacts/artifacts/0/{run}/artifacts/model/{name}");
            http::request(&self.python.address, "PUT", &path, bytes)?;
        }
        // It is there already from the second version on.
        let _ = self.call("registered-models/create", json!({ "name": model }));
        let source = source.replace("RUN", &run);
        let made = json!({ "name": model, "source": source, "run_id": run });
        text(&self.call("model-versions/create", made)?, &["model_version", "version"])
    }

    /// Calls a method of the REST interface.
    ///
    /// # Errors
    /// What the server says.
    pub fn call(&self, method: &str, body: Value) -> Result<Value, ServerError> {
        let path = format!("/api/2.0/mlflow/{method}");
        let body = body.to_string();
        let answer = http::request(&self.python.address, "POST", &path, body.as_bytes())?;
        serde_json::from_str(&answer).map_err(|_| ServerError::Answer(answer))
    }
}

fn text(answer: &Value, path: &[&str]) -> Result<String, ServerError> {
    let found = path.iter().try_fold(answer, |at, key| at.get(key)).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| ServerError::Answer(answer.to_string()))
}
