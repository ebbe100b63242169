//! Models in real registries are scanned, and the verdicts are there afterwards.

use std::fs;

use unskew_registries::mlflow::{MlFlow, MlFlowPlace};
use unskew_registries::oci::{Oci, OciPlace};
use unskew_scan::{
    ArtifactJudge, ScanEvent, ScanSettings, VerdictRow, VerdictTable, inventory, scan,
};
use unskew_test_servers::{DockerRegistry, MlFlowServer as Server};

use crate::table;

/// Scans a URI, and writes back what was judged.
fn scanned(uri: &str) -> Vec<VerdictRow> {
    let (folder, question) = (tempfile::tempdir().unwrap(), table::question());
    let judge = ArtifactJudge::new(&question).unwrap();
    let table = VerdictTable::open(folder.path().to_str().unwrap(), &question).unwrap();
    let sources = [inventory(uri).unwrap()];
    let judged = std::sync::Mutex::new(Vec::new());
    let watch = |step: ScanEvent<'_>| {
        if let ScanEvent::Judged(rows) = step {
            judged.lock().unwrap().extend_from_slice(rows);
        }
    };
    scan(&sources, &judge, &table, &ScanSettings::default(), &watch).unwrap();
    let rows = judged.into_inner().unwrap();
    assert_eq!(sources[0].report(&rows, &question).unwrap(), 1);
    rows
}

#[test]
fn a_model_in_mlflow_is_judged_and_gets_tags() {
    if !Server::there() {
        return;
    }
    let server = Server::start().unwrap();
    let model = fs::read(table::examples().join("gelu-2.15.0.pt")).unwrap();
    let source = "mlflow-artifacts:/0/RUN/artifacts/model";
    server
        .register("gelu", source, &[("MLmodel", b"flavors: {}"), ("data/net.pt", &model)])
        .unwrap();
    let uri = format!("mlflow+{}/gelu/1", server.endpoint());
    let rows = scanned(&uri);
    assert!(rows.iter().all(|row| row.uri.ends_with("/gelu/1/data/net.pt")), "{rows:?}");
    let mlflow = MlFlow::new(&server.endpoint()).unwrap();
    let version = mlflow.versions(&MlFlowPlace::parse(&uri).unwrap().unwrap()).unwrap().remove(0);
    let tags: Vec<(&str, &str)> =
        version.tags.iter().map(|tag| (tag.key.as_str(), tag.value.as_str())).collect();
    for row in rows.iter().filter(|row| row.runtime.is_some()) {
        let key = format!("unskew/{}", row.runtime.as_ref().unwrap().replace('@', "/"));
        let said = tags.iter().find(|(known, _)| *known == key).map(|(_, value)| *value).unwrap();
        assert!(said.starts_with(&row.verdict), "{key}: {said}, {}", row.verdict);
    }
    assert!(
        tags.iter().any(|(key, value)| *key == "unskew/as_of" && *value == "2026-11-01"),
        "{tags:?}"
    );
}

#[test]
fn a_model_in_an_oci_registry_is_judged_and_gets_a_report() {
    let server = match DockerRegistry::start() {
        Ok(server) => server,
        Err(error) => {
            println!("skipped: {error}");
            return;
        }
    };
    let model = fs::read(table::examples().join("gelu-2.15.0.pt")).unwrap();
    let uri = format!("oci://{}/models/gelu:1", server.address());
    let place = OciPlace::parse(&uri).unwrap().unwrap();
    let oci = Oci::for_place(&place);
    let raw = "application/vnd.cncf.model.weight.v1.raw";
    oci.push_files(
        &place,
        "application/vnd.cncf.model.manifest.v1+json",
        &[("net.pt", raw, &model)],
    )
    .unwrap();
    let rows = scanned(&uri);
    assert!(rows.iter().any(|row| row.runtime.is_some() && row.verdict != "error"), "{rows:?}");
    let manifest = oci.manifests(&place).unwrap().remove(0);
    let reports = oci.reports(&manifest).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&reports[0]).unwrap();
    assert_eq!(report["schema"], "unskew.scan.report");
    assert_eq!(report["rows"].as_array().unwrap().len(), rows.len());
}
