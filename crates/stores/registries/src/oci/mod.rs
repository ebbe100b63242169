//! Models in OCI registries: files as layers of a manifest, and reports that refer to it.
//!
//! ```text
//! oci://registry.example/models/net:3            the manifest of a tag
//! oci://registry.example/models/net@sha256:...   a manifest by its digest
//! oci://registry.example/models/net              every tag
//! ```
//!
//! | layer | how it is read |
//! | --- | --- |
//! | a file as it is: ORAS, ModelPack `...raw` | by range, from the registry |
//! | `...tar` (ModelPack, KitOps) | by range: headers are walked, members are ranges |
//! | `...tar+gzip`, `...tar.gzip`, `...tar+zstd` | fetched and unpacked, up to 1 GiB |
//! | other compressed ones | not read; an error says so |
//!
//! Names come from `org.cncf.model.filepath` or `org.opencontainers.image.title`. Credentials are those of
//! Docker and ORAS: `auths` in `$DOCKER_CONFIG/config.json`. Registries on this machine's loopback are asked over
//! plain http, all others over https.
//!
//! A report is attached as the OCI image specification 1.1 says: a manifest with a `subject`. Registries that
//! know no referrers get the list of them under the tag that the specification names for that.

mod client;
mod credentials;
mod layers;
mod oci_place;
mod pull;
mod report;
mod zstandard;

pub use client::{Manifest, Oci};
pub use oci_place::OciPlace;
pub use report::REPORT;
