//! The arguments of `completions` and `man`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub struct Man {
    /// Write a page for every verb into this folder. By default, the page of the command is printed
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
