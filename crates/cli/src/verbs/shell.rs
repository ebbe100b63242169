//! `unskew completions SHELL` and `unskew man`: the arguments of every verb, for shells and for `man`.

use std::io;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;
use unskew_releases::Family;
use unskew_source::{OutputFile, make_folder};

use crate::args::{Args, Completions, Man};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

pub fn completions(args: &Completions) -> anyhow::Result<CallStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown(&described()), "unskew", &mut script);
    print::out(Printable::own(String::from_utf8(script).context("the script is not UTF-8")?))?;
    Ok(CallStatus::Clean)
}

pub fn man(args: &Man) -> anyhow::Result<CallStatus> {
    let Some(folder) = &args.output else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Args::command()).render(&mut page)?;
        print::out(Printable::own(String::from_utf8(page).context("the page is not UTF-8")?))?;
        return Ok(CallStatus::Clean);
    };
    let shown = || format!("cannot write into {}", folder.display());
    make_folder(folder).with_context(shown)?;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    pages(&command, folder).with_context(shown)?;
    Ok(CallStatus::Clean)
}

fn pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut file = OutputFile::in_folder(folder, &page.get_filename())?;
    page.render(&mut file)?;
    file.commit()?;
    let mut verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    verbs.try_for_each(|verb| pages(verb, folder))
}

/// The command with the options of all verbs, which are described when they are asked for otherwise.
fn described() -> clap::Command {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    command
}

/// How many releases of a family are offered: the newest.
const OFFERED: usize = 10;

/// An option with the values that shells offer: releases, families of releases, codes of rules.
fn with_values(verb: &str, option: clap::Arg) -> clap::Arg {
    let values: Vec<String> = match (verb, option.get_id().as_str()) {
        (_, "with") => families().chain(releases()).collect(),
        ("convert", "to") => releases().collect(),
        ("releases", "name") => families().chain(releases()).collect(),
        ("explain", "what") => {
            unskew_artifact::every_rule().map(|rule| rule.code.to_owned()).collect()
        }
        _ => return option,
    };
    option
        .value_parser(clap::builder::PossibleValuesParser::new(values.into_iter().map(into_static)))
}

/// A text that lives as long as the program, which ends after this.
fn into_static(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn families() -> impl Iterator<Item = String> {
    Family::ALL.into_iter().map(|family| family.to_string())
}

/// The newest releases of each family, the newest first.
fn releases() -> impl Iterator<Item = String> {
    let newest = |family: Family| {
        let rows = family.rows().iter().rev().take(OFFERED);
        rows.map(move |row| format!("{family}@{}", family.version(row.version)))
    };
    Family::ALL.into_iter().flat_map(newest)
}

/// Options that every command gets by itself.
const OWN: [&str; 2] = ["help", "version"];

/// The same command without hidden verbs, which are for child processes: `clap_complete` would offer them.
fn shown(command: &clap::Command) -> clap::Command {
    let name = into_static(command.get_name().to_owned());
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(shown);
    let options = command.get_arguments().filter(|option| !OWN.contains(&option.get_id().as_str()));
    let options = options.cloned().map(|option| with_values(command.get_name(), option));
    let fresh = clap::Command::new(name).args(options);
    let fresh = fresh.groups(command.get_groups().cloned()).subcommands(verbs);
    match command.get_about() {
        Some(about) => fresh.about(about.clone()),
        None => fresh,
    }
}
