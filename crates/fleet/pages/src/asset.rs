//! Assets of pages: a style and an icon, part of the program, under names with their digest.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// What a browser may do with a page: use the style and the icon of the same server, send forms to it, and nothing
/// else. There is no script to allow.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
                          base-uri 'none'; frame-ancestors 'none'";

pub(crate) use unskew_report::PAGE_STYLE as STYLE;
const ICON: &str = include_str!("icon.svg");

/// A file that never changes under its name: it may be kept for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its path, which changes with its bytes: `/assets/style-0123456789ab.css`.
    pub path: String,
    /// What the header `Content-Type` says.
    pub media: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// Everything that pages refer to.
pub fn assets() -> &'static [Asset; 2] {
    static ALL: LazyLock<[Asset; 2]> = LazyLock::new(|| {
        [
            asset("style", "css", "text/css; charset=utf-8", STYLE),
            asset("icon", "svg", "image/svg+xml", ICON),
        ]
    });
    &ALL
}

fn asset(stem: &str, ending: &str, media: &'static str, text: &'static str) -> Asset {
    let digest = Sha256::digest(text);
    let digits: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Asset { path: format!("/assets/{stem}-{digits}.{ending}"), media, text }
}
