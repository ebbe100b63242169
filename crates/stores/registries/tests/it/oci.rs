//! A real OCI registry.

use std::sync::LazyLock;

use unskew_registries::oci::{Oci, OciPlace, REPORT};
use unskew_registries::{Registry, RegistryErrorCause, VerdictAnnotation};
use unskew_source::SourceExt;
use unskew_test_servers::DockerRegistry;

static SERVER: LazyLock<Option<DockerRegistry>> = LazyLock::new(|| match DockerRegistry::start() {
    Ok(server) => Some(server),
    Err(error) => {
        println!("skipped: {error}");
        None
    }
});

const RAW: &str = "application/vnd.cncf.model.weight.v1.raw";
const TAR: &str = "application/vnd.cncf.model.weight.v1.tar";
const ZSTD: &str = "application/vnd.oci.image.layer.v1.tar+zstd";
const GZIP: &str = "application/vnd.kitops.modelkit.model.v1.tar+gzip";

fn place(server: &DockerRegistry, name: &str) -> OciPlace {
    OciPlace::parse(&format!("oci://{}/{name}", server.address())).unwrap().unwrap()
}

fn registry(server: &DockerRegistry, name: &str) -> Registry {
    Registry::parse(&format!("oci://{}/{name}", server.address())).unwrap().unwrap()
}

fn tar() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(7);
    header.set_mode(0o644);
    builder.append_data(&mut header, "m/net.pt", &b"weights"[..]).unwrap();
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn layers_are_files_whatever_their_form() {
    let Some(server) = &*SERVER else { return };
    let packed = gzip(&tar());
    // As writers in parallel do: several streams, one after the other.
    let (front, back) = (&tar()[..700], &tar()[700..]);
    let parts = [gzip(front), gzip(back)].concat();
    let frames = [zstd(front), zstd(back)].concat();
    for (tag, media_type, bytes, name) in [
        ("raw", RAW, &b"weights"[..], "m/net.pt"),
        ("tar", TAR, &tar(), "m/net.pt"),
        ("gzip", GZIP, &packed, "m/net.pt"),
        ("parts", GZIP, &parts, "m/net.pt"),
        ("zstd", ZSTD, &frames, "m/net.pt"),
    ] {
        let at = place(server, &format!("models/net:{tag}"));
        Oci::for_place(&at).push_files(&at, "application/x", &[(name, media_type, bytes)]).unwrap();
        let entries = registry(server, &format!("models/net:{tag}")).entries().unwrap();
        let files = entries[0].files().unwrap();
        assert_eq!(files[0].name, name, "{tag}");
        assert_eq!(files[0].source.bytes(2, 3).unwrap(), b"igh", "{tag}");
    }
    // Manifests by all tags; each has a URI of its own.
    let all = registry(server, "models/net").entries().unwrap();
    assert_eq!(all.len(), 5);
    let again = Registry::parse(&all[0].uri()).unwrap().unwrap().entries().unwrap();
    assert_eq!(again[0].digest(), all[0].digest());
}

#[test]
fn a_layer_of_another_compression_is_refused_by_name() {
    let Some(server) = &*SERVER else { return };
    let at = place(server, "models/packed:1");
    let packed = "application/vnd.cncf.model.weight.v1.raw+zstd";
    Oci::for_place(&at).push_files(&at, "application/x", &[("net", packed, b"bytes")]).unwrap();
    let entry = registry(server, "models/packed:1").entries().unwrap().remove(0);
    let error = entry.files().err().unwrap();
    assert!(error.to_string().contains(packed), "{error}");
}

#[test]
fn a_report_refers_to_the_manifest_and_is_there_once() {
    let Some(server) = &*SERVER else { return };
    let at = place(server, "models/reported:1");
    let oci = Oci::for_place(&at);
    oci.push_files(&at, "application/x", &[("net.pt", RAW, b"weights")]).unwrap();
    let entry = registry(server, "models/reported:1").entries().unwrap().remove(0);
    let verdicts = [("torch@2.1".to_owned(), "compatible".to_owned())];
    for report in [&br#"{"first": 1}"#[..], br#"{"second": 2}"#, br#"{"first": 1}"#] {
        let said = VerdictAnnotation {
            verdicts: &verdicts,
            as_of: "2026-11-21",
            by: "unskew 0.1.0",
            report,
        };
        entry.report(&said).unwrap();
    }
    let manifest = oci.manifests(&at).unwrap().remove(0);
    let mut reports = oci.reports(&manifest).unwrap();
    reports.sort();
    assert_eq!(reports, [br#"{"first": 1}"#.to_vec(), br#"{"second": 2}"#.to_vec()]);
    // The tag still names the model, and reports are no models.
    let all = registry(server, "models/reported").entries().unwrap();
    assert_eq!(all.len(), 1, "{REPORT}");
}

#[test]
fn what_is_not_there_is_said() {
    let Some(server) = &*SERVER else { return };
    for name in ["models/nothing:1", "models/nothing"] {
        let error = registry(server, name).entries().err().unwrap();
        assert!(matches!(error.cause, RegistryErrorCause::Missing(_)), "{name}: {error}");
    }
}
