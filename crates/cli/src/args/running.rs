//! What may be run: the arguments of the verbs that look at plug-ins.

/// What may be run. Without either, a plug-in that is named itself runs in a sandbox, and everything else is only read.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Running {
    /// Run plug-ins outside the sandbox, with your rights; those in wheels and folders too
    #[arg(long, conflicts_with = "reading")]
    pub run: bool,
    /// Run nothing: plug-ins are only read
    #[arg(id = "reading", long = "static")]
    pub reading: bool,
}

impl From<Running> for unskew_artifact::Running {
    fn from(running: Running) -> Self {
        match running {
            Running { run: true, .. } => Self::All,
            Running { reading: true, .. } => Self::Never,
            _ => Self::Named,
        }
    }
}

/// The same for verbs that cannot do without running.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Trusting {
    /// Run the plug-in outside the sandbox, with your rights: it can use devices and the network
    #[arg(long)]
    pub run: bool,
}

impl Trusting {
    /// What the child processes of the verb may do.
    pub const fn confinement(self) -> unskew_abi::sandbox::Confinement {
        match self.run {
            true => unskew_abi::sandbox::Confinement::None,
            false => unskew_abi::sandbox::Confinement::Sandbox,
        }
    }
}

impl From<Trusting> for unskew_artifact::Running {
    fn from(trusting: Trusting) -> Self {
        if trusting.run { Self::All } else { Self::Named }
    }
}
