//! Placeholder for verbs whose feature is not enabled in this build.

use std::ffi::OsString;

/// Accepts any arguments, so that the error names the missing feature instead of an argument.
#[derive(Debug, clap::Args)]
pub struct DisabledVerbArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub arguments: Vec<OsString>,
}
