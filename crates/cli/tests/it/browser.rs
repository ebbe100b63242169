//! A real browser: Chromium without a screen.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A Chromium of this machine.
#[derive(Clone, Copy)]
pub struct Browser {
    program: &'static str,
}

impl Browser {
    /// None, which it says, without Chromium, and under `cargo xtask test`, whose tests need nothing that is installed.
    pub fn find() -> Option<Self> {
        if std::env::var("UNSKEW_REAL").is_ok_and(|real| real == "0") {
            println!("skipped: needs Chromium; `cargo xtask test --real` runs it");
            return None;
        }
        let starts = |name: &&str| {
            let mut command = Command::new(name);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let found = NAMES.into_iter().find(starts).map(|program| Self { program });
        if found.is_none() {
            println!("skipped: no Chromium on this machine (apt-get install chromium)");
        }
        found
    }

    /// The name of the program.
    pub fn program(self) -> &'static Path {
        Path::new(self.program)
    }

    /// The document as it is after its scripts ran, and what the console said.
    pub fn dom(self, folder: &Path, url: &str) -> (String, String) {
        let output = self.run(folder, &["--enable-logging=stderr", "--dump-dom", url]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8(output.stdout).unwrap(), said)
    }

    /// A picture of a page, as PNG.
    #[cfg(feature = "fleet")]
    pub fn shot(self, folder: &Path, url: &str, options: &[&str]) -> Vec<u8> {
        let place = folder.join("shot.png");
        let screenshot = format!("--screenshot={}", place.display());
        let output =
            self.run(folder, &[options, &["--hide-scrollbars", &screenshot, url]].concat());
        std::fs::read(&place).unwrap_or_else(|error| {
            panic!("{url}: {error}: {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    /// Runs it with its profile in `folder`.
    fn run(self, folder: &Path, arguments: &[&str]) -> Output {
        let profile = format!("--user-data-dir={}", folder.join("profile").display());
        let own = ["--headless", "--no-sandbox", "--disable-gpu", &profile];
        Command::new(self.program).args(own).args(arguments).output().unwrap()
    }
}
