//! Arguments that say whether plug-ins are run, of the verbs that read plug-ins.

// Whether plug-ins are run. By default, a plug-in given by its path runs in a sandbox, and others are only read.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RunningArgs {
    /// Run plug-ins outside the sandbox, with your permissions, including those in wheels and folders
    #[arg(long, conflicts_with = "reading")]
    pub run: bool,
    /// Run nothing; only read plug-ins
    #[arg(id = "reading", long = "static")]
    pub reading: bool,
}

impl From<RunningArgs> for unskew_artifact::RunPolicy {
    fn from(running: RunningArgs) -> Self {
        match running {
            RunningArgs { run: true, .. } => Self::All,
            RunningArgs { reading: true, .. } => Self::Never,
            _ => Self::Named,
        }
    }
}

// The same for verbs that must run the plug-in.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Trusting {
    /// Run the plug-in outside the sandbox, with your permissions, so that it can use devices and the network
    #[arg(long)]
    pub run: bool,
}

impl Trusting {
    /// How the child processes of the verb are confined.
    pub const fn confinement(self) -> unskew_abi::sandbox::Confinement {
        match self.run {
            true => unskew_abi::sandbox::Confinement::None,
            false => unskew_abi::sandbox::Confinement::Sandbox,
        }
    }
}

impl From<Trusting> for unskew_artifact::RunPolicy {
    fn from(trusting: Trusting) -> Self {
        if trusting.run { Self::All } else { Self::Named }
    }
}
