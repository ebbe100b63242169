//! Verbs that this build does not have.

use std::ffi::OsString;

/// Whatever follows the verb.
#[derive(Debug, clap::Args)]
pub struct Absent {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub arguments: Vec<OsString>,
}
