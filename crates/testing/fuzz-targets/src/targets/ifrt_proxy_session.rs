//! Sessions of the IFRT proxy, on the example plug-in of the SDK: whatever is asked is answered.
//!
//! `cargo build -p unskew-pjrt-sdk --example abacus` makes the plug-in; `UNSKEW_FUZZ_PLUGIN` names another.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use unskew_ifrt_client::Hostile;
use unskew_ifrt_proxy::messages::ProxyVersion;
use unskew_ifrt_proxy::{ServedPlatform, ServerLimits, play};
use unskew_pjrt::Plugin;

const ABACUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/debug/examples/libabacus.so");

static PLATFORM: LazyLock<Arc<ServedPlatform>> = LazyLock::new(|| {
    let path = std::env::var("UNSKEW_FUZZ_PLUGIN").unwrap_or_else(|_| ABACUS.to_owned());
    let plugin = Plugin::load(path).expect("the plug-in is built first");
    let client = plugin.create_client(&[]).expect("it has a device");
    Arc::new(ServedPlatform::new(client).expect("it says which"))
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(1).enable_all().build().expect("there are threads")
});

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let (protocol, serdes) = [(3, 0), (14, 0), (16, 0), (25, 3)][usize::from(choice % 4)];
    let version = ProxyVersion { protocol, serdes };
    let limits = ServerLimits {
        patience: Duration::ZERO,
        session_bytes: 64 << 20,
        handles: 64,
        ..ServerLimits::default()
    };
    let _entered = RUNTIME.enter();
    let requests = Hostile::new(version).requests(bytes);
    let count = requests.len();
    let responses = play(&PLATFORM, limits, version, requests).expect("the versions are spoken");
    assert_eq!(responses.len(), count + 1, "each request is answered once");
}
