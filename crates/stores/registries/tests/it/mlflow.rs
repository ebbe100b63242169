//! A real MLflow server.

use std::sync::LazyLock;

use unskew_registries::mlflow::{MlFlow, MlFlowPlace};
use unskew_registries::{Registry, RegistryErrorCause, VerdictAnnotation};
use unskew_source::SourceExt;
use unskew_test_servers::MlFlowServer as Server;

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start().unwrap());

const FILES: [(&str, &[u8]); 2] =
    [("MLmodel", b"flavors: {}"), ("data/net%201.pt", b"PK\x03\x04 weights")];

fn registry(path: &str) -> Registry {
    Registry::parse(&format!("mlflow+{}/{path}", SERVER.endpoint())).unwrap().unwrap()
}

#[test]
fn every_version_is_listed_and_its_files_are_read_by_range() {
    if !Server::there() {
        return;
    }
    for source in ["mlflow-artifacts:/0/RUN/artifacts/model", "runs:/RUN/model"] {
        SERVER.register("net one", source, &FILES).unwrap();
    }
    let entries = registry("net%20one").entries().unwrap();
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        let files = entry.files().unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["MLmodel", "data/net 1.pt"]);
        assert_eq!(files[1].source.size(), 12);
        assert_eq!(files[1].source.bytes(5, 3).unwrap(), b"wei");
    }
    assert!(entries[1].uri().ends_with("/net%20one/2"), "{}", entries[1].uri());
    let again = Registry::parse(&entries[1].uri()).unwrap().unwrap().entries().unwrap();
    assert_eq!(again[0].uri(), entries[1].uri());
    assert!(registry("").entries().unwrap().len() >= 2);
}

#[test]
fn an_alias_names_a_version_and_verdicts_become_its_tags() {
    if !Server::there() {
        return;
    }
    let source = "mlflow-artifacts:/0/RUN/artifacts/model";
    let version = SERVER.register("tagged", source, &FILES[..1]).unwrap();
    let alias = serde_json::json!({ "name": "tagged", "alias": "champion", "version": version });
    SERVER.call("registered-models/alias", alias).unwrap();
    let entries = registry("tagged@champion").entries().unwrap();
    let verdicts = [
        ("torch@2.1".to_owned(), "compatible".to_owned()),
        ("torch@1.4".to_owned(), "x".repeat(9000)),
    ];
    let said = VerdictAnnotation {
        verdicts: &verdicts,
        as_of: "2026-11-21",
        by: "unskew 0.1.0",
        report: b"{}",
    };
    entries[0].report(&said).unwrap();
    entries[0].report(&said).unwrap();
    let mlflow = MlFlow::new(&SERVER.endpoint()).unwrap();
    let place = MlFlowPlace::parse(&entries[0].uri()).unwrap().unwrap();
    let version = mlflow.versions(&place).unwrap().remove(0);
    let tag = |key: &str| version.tags.iter().find(|tag| tag.key == key).unwrap().value.clone();
    assert_eq!(tag("unskew/torch/2.1"), "compatible");
    assert_eq!(tag("unskew/torch/1.4").len(), 5000);
    assert_eq!(tag("unskew/as_of"), "2026-11-21");
}

#[test]
fn what_is_not_there_is_said() {
    if !Server::there() {
        return;
    }
    for path in ["nothing", "nothing/1", "nothing@champion"] {
        let error = registry(path).entries().err().unwrap();
        assert!(matches!(error.cause, RegistryErrorCause::Missing(_)), "{path}: {error}");
    }
    let closed = Registry::parse("mlflow+http://127.0.0.1:1/net").unwrap().unwrap();
    let error = closed.entries().err().unwrap();
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
}
