//! The program of a subject: its commands, with the help that its file states.

use anyhow::Context as _;
use clap::{ArgMatches, Args, Command};

use crate::catalogue;

/// What a command does with its arguments.
type Run = Box<dyn Fn(&ArgMatches) -> anyhow::Result<()>>;

/// The commands of a subject.
pub struct Subject {
    /// Its `experiments.toml`.
    stated: &'static str,
    commands: Vec<(&'static str, Command, Run)>,
}

/// A command without arguments.
#[derive(Args)]
pub struct NoArguments {}

impl Subject {
    /// A subject with this `experiments.toml`, and no commands yet.
    #[must_use]
    pub fn new(stated: &'static str) -> Self {
        Self { stated, commands: Vec::new() }
    }

    /// Adds a command. One that the file does not state is hidden: a program that this one starts.
    #[must_use]
    pub fn with<A: Args>(
        mut self,
        name: &'static str,
        run: impl Fn(&A) -> anyhow::Result<()> + 'static,
    ) -> Self {
        let command = A::augment_args(Command::new(name));
        let run = move |matches: &ArgMatches| run(&A::from_arg_matches(matches)?);
        self.commands.push((name, command, Box::new(run)));
        self
    }

    /// Runs the command that the arguments of this process name.
    ///
    /// # Errors
    /// If the file states a command that is not here, or the command fails.
    pub fn run(self) -> anyhow::Result<()> {
        let stated = catalogue::read(self.stated)?;
        for one in &stated {
            let there = self.commands.iter().any(|(name, ..)| *name == one.name);
            anyhow::ensure!(there, "stated, and not here: {}", one.name);
        }
        let about = |name: &str| stated.iter().find(|one| one.name == name);
        let commands = self.commands.iter().map(|(name, command, _)| match about(name) {
            Some(one) => command.clone().about(one.summary.clone()).long_about(None),
            None => command.clone().hide(true),
        });
        let program = Command::new("cargo lab").bin_name("cargo lab").subcommand_required(true);
        let matches = program.arg_required_else_help(true).subcommands(commands).get_matches();
        let (name, matches) = matches.subcommand().context("no command")?;
        let command = self.commands.iter().find(|(known, ..)| *known == name);
        let (.., run) = command.with_context(|| format!("no such command: {name}"))?;
        run(matches)
    }
}
