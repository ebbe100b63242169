//! The arguments of verbs that compare with packages.

use unskew_verbs::WheelIndex;

// Where packages come from that are baselines.
#[derive(Debug, clap::Args)]
pub struct Packages {
    /// Fetch packages (pypi:NAME==VERSION) that are not in the cache from the package index
    #[arg(long)]
    pub fetch: bool,
    /// The package index [default: that of pip or uv, else PyPI]
    #[arg(long, value_name = "URL", requires = "fetch")]
    pub index: Option<String>,
}

impl Packages {
    /// The index that may be asked; none if nothing may be fetched.
    pub fn index(&self) -> anyhow::Result<Option<WheelIndex>> {
        if !self.fetch {
            return Ok(None);
        }
        Ok(Some(WheelIndex::new(unskew_verbs::index_url(self.index.as_deref())?)))
    }
}
