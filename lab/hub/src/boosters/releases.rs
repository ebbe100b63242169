//! The releases that are asked, and what each needs to run.

/// A release of a package.
pub struct AskedRelease {
    /// `xgboost`.
    pub package: &'static str,
    /// `1.7.6`.
    pub version: &'static str,
    /// The Python that it runs on.
    pub python: &'static str,
}

impl AskedRelease {
    /// Every one, package by package, the oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        PACKAGES.iter().flat_map(|one| {
            let releases = one.releases.iter();
            releases.map(|(version, python)| Self { package: one.name, version, python })
        })
    }

    /// `xgboost-1.7.6`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.package, self.version)
    }

    /// What is installed for it, without what that requires.
    pub fn requirements(&self) -> Vec<String> {
        let package = match WITHOUT_CUDA.contains(&self.version) && self.package == "xgboost" {
            true => "xgboost-cpu",
            false => self.package,
        };
        let own = format!("{package}=={}", self.version);
        std::iter::once(own).chain(needs(self.python).iter().map(ToString::to_string)).collect()
    }
}

/// A package, and its releases with the Python that each runs on.
struct AskedPackage {
    name: &'static str,
    releases: &'static [(&'static str, &'static str)],
}

/// The last release of each minor version, the oldest first.
const PACKAGES: [AskedPackage; 3] = [
    AskedPackage {
        name: "xgboost",
        releases: &[
            ("1.0.2", "3.8"),
            ("1.1.1", "3.8"),
            ("1.2.1", "3.8"),
            ("1.3.3", "3.8"),
            ("1.4.2", "3.8"),
            ("1.5.2", "3.8"),
            ("1.6.2", "3.8"),
            ("1.7.6", "3.8"),
            ("2.0.3", "3.8"),
            ("2.1.4", "3.8"),
            ("3.0.5", "3.11"),
            ("3.1.3", "3.11"),
            ("3.2.0", "3.11"),
            ("3.3.0", "3.12"),
            ("3.4.1", "3.12"),
        ],
    },
    AskedPackage {
        name: "lightgbm",
        releases: &[
            ("2.2.3", "3.8"),
            ("2.3.1", "3.8"),
            ("3.0.0", "3.8"),
            ("3.1.1", "3.8"),
            ("3.2.1", "3.8"),
            ("3.3.5", "3.8"),
            ("4.0.0", "3.8"),
            ("4.1.0", "3.8"),
            ("4.2.0", "3.8"),
            ("4.3.0", "3.8"),
            ("4.4.0", "3.8"),
            ("4.5.0", "3.8"),
            ("4.6.0", "3.8"),
            ("4.7.0", "3.11"),
        ],
    },
    AskedPackage {
        name: "catboost",
        releases: &[
            ("0.24.4", "3.8"),
            ("0.26.1", "3.8"),
            ("1.0.6", "3.8"),
            ("1.1.1", "3.8"),
            ("1.2", "3.8"),
            ("1.2.2", "3.8"),
            ("1.2.5", "3.8"),
            ("1.2.8", "3.11"),
            ("1.2.10", "3.11"),
        ],
    },
];

/// Releases of XGBoost of which there is a package without CUDA, which is a fiftieth as large.
const WITHOUT_CUDA: [&str; 6] = ["2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.3.0", "3.4.1"];

/// What all of them need, for a Python.
fn needs(python: &str) -> &'static [&'static str] {
    match python {
        "3.8" => &[
            "numpy==1.19.5",
            "scipy==1.5.4",
            "scikit-learn==0.24.2",
            "joblib",
            "threadpoolctl",
            "setuptools==68.0.0",
            "pandas==1.2.5",
            "six",
            "python-dateutil",
            "pytz",
        ],
        // The same for all others: what estimators keep of NumPy is read by both.
        _ => &[
            "numpy==1.26.4",
            "scipy==1.13.1",
            "scikit-learn==1.5.2",
            "joblib",
            "threadpoolctl",
            "narwhals",
            "pandas==2.2.3",
            "six",
            "python-dateutil",
            "pytz",
            "tzdata",
            "cloudpickle",
        ],
    }
}
