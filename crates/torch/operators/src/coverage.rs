//! Registry coverage of changed operators: each needs an entry with a new version, and an upgrader that
//! takes what old programs give.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Places};
use unskew_script::FunctionDefinition;
use unskew_torch_schemas::{FunctionSchema, OperatorTableDiff};

use crate::author::NewChange;
use crate::error::{UPGRADERS, VERSIONS, located};
use crate::functions::FunctionTexts;
use crate::registry::{OperatorRegistry, RegistrySources};
use crate::registry_change::{ChangeStart, RegistryChange};
use crate::rules;
use crate::{signature, yaml};

/// Something that the registry lacks, or has wrong.
#[derive(Clone, Debug)]
pub struct RegistryGap {
    /// The operator, or the file if it is about all of it.
    pub subject: String,
    /// Which of the files it is to be mended in.
    pub file: Cow<'static, str>,
    /// The finding; its places are `file:line`.
    pub finding: Finding,
}

/// What the registry of the new side owes to what changed, and which operators it serves as it should: programs
/// of their old schemas still run, through an upgrader.
#[derive(Clone, Debug, Default)]
pub struct RegistryCoverage {
    /// What is missing or wrong.
    pub owed: Vec<RegistryGap>,
    /// The operators that are served.
    pub served: BTreeSet<String>,
}

impl OperatorRegistry {
    /// Holds a registry against the changes that it is to bridge. `diff`: what changed between the tables of both
    /// sides; none if there are no tables. `old`: the registry before; none if there was none.
    pub fn account(
        diff: Option<&OperatorTableDiff>,
        old: Option<RegistrySources<'_>>,
        new: RegistrySources<'_>,
    ) -> RegistryCoverage {
        let mut account = RegistryCoverage::default();
        let entries = |sources: RegistrySources<'_>| {
            let upgraders = FunctionTexts::find(UPGRADERS, sources.upgraders.to_owned())?;
            yaml::read(sources.versions, &upgraders)
        };
        let now = match entries(new) {
            Ok(now) => now,
            Err(error) => {
                let rule = rules::RegistryNotRead { what: &error.what };
                account.add(&error.file.clone(), error.file, rule.finding(), error.line);
                return account;
            }
        };
        let was = old.and_then(|old| entries(old).ok()).unwrap_or_default();
        account.functions(&now, new.upgraders);
        account.kept(&was, &now);
        let book = EntryComparison { was: &was, now: &now, new };
        for schema in diff.into_iter().flat_map(OperatorTableDiff::breaks_backward) {
            account.bridged(&book, schema);
        }
        if account.owed.is_empty()
            && let Err(error) = OperatorRegistry::load(new)
        {
            let rule = rules::RegistryNotRead { what: &error.what };
            account.add(&error.file.clone(), error.file, rule.finding(), error.line);
        }
        account
    }
}

type Entries = BTreeMap<String, Vec<RegistryChange>>;

struct EntryComparison<'b> {
    was: &'b Entries,
    now: &'b Entries,
    new: RegistrySources<'b>,
}

impl EntryComparison<'_> {
    /// The highest version of all operators.
    fn current(entries: &Entries) -> u32 {
        entries.values().flatten().filter_map(|change| change.since.version()).max().unwrap_or(0)
    }

    /// What the new side says of an operator and the old one did not.
    fn news(&self, operator: &str) -> Vec<&RegistryChange> {
        let old = self.was.get(operator).map_or(&[][..], Vec::as_slice);
        let known = |change: &&RegistryChange| {
            old.iter().any(|other| {
                let schema = |one: &RegistryChange| one.upgrader.as_ref().map(|b| b.schema.clone());
                other.since == change.since && schema(other) == schema(change)
            })
        };
        self.now.get(operator).into_iter().flatten().filter(|change| !known(change)).collect()
    }
}

impl RegistryCoverage {
    fn add(
        &mut self,
        subject: &str,
        file: impl Into<Cow<'static, str>>,
        finding: Finding,
        line: usize,
    ) {
        let file = file.into();
        let place = if line == 0 { file.to_string() } else { format!("{file}:{line}") };
        let places: Places = [place].into_iter().collect();
        let subject = subject.to_owned();
        self.owed.push(RegistryGap { subject, file, finding: finding.at(places) });
    }

    /// Every upgrader is there, and takes and returns what its schema says.
    fn functions(&mut self, now: &Entries, upgraders: &str) {
        let module = match unskew_script::parse(upgraders) {
            Ok(module) => module,
            Err(error) => {
                let rule = rules::RegistryNotRead { what: &error.what };
                let (file, line) = located(UPGRADERS, upgraders, error.line);
                self.add(UPGRADERS, file, rule.finding(), line);
                return;
            }
        };
        let line = |at: usize| upgraders.get(..at).unwrap_or("").matches('\n').count() + 1;
        let mut functions: BTreeMap<&str, &FunctionDefinition> = BTreeMap::new();
        for function in module.functions() {
            functions.insert(&function.name.text, function);
        }
        for (operator, change) in
            now.iter().flat_map(|(name, list)| list.iter().map(move |one| (name, one)))
        {
            let Some(bridge) = &change.upgrader else { continue };
            let (upgrader, schema) = (&bridge.function, &bridge.schema);
            let stub = signature::stub(upgrader, schema).unwrap_or_else(|why| format!("# {why}\n"));
            match functions.get(upgrader.as_str()) {
                None => {
                    let rule = rules::UpgraderMissing {
                        operator,
                        upgrader,
                        file: &UPGRADERS,
                        stub: &stub.trim_end(),
                        test: &test(upgrader, schema),
                    };
                    self.add(operator, VERSIONS, rule.finding(), change.line);
                }
                Some(function) => {
                    if let Err(why) = signature::check(function, schema) {
                        let head = stub.lines().next().unwrap_or_default();
                        let rule = rules::UpgraderDoesNotFit {
                            upgrader,
                            why: &why,
                            operator,
                            head: &head,
                        };
                        let (file, line) = located(UPGRADERS, upgraders, line(function.span.start));
                        self.add(operator, file, rule.finding(), line);
                    }
                }
            }
        }
    }

    /// What was promised before is promised still.
    fn kept(&mut self, was: &Entries, now: &Entries) {
        for (operator, change) in
            was.iter().flat_map(|(name, list)| list.iter().map(move |one| (name, one)))
        {
            let Some(bridge) = &change.upgrader else { continue };
            let there = now.get(operator).into_iter().flatten();
            let kept = there.clone().any(|other| {
                other.since == change.since
                    && other.upgrader.as_ref().is_some_and(|one| one.stands_for(&bridge.schema))
            });
            if !kept {
                let rule = rules::UpgraderWithdrawn {
                    operator,
                    upgrader: &bridge.function,
                    since: &change.since,
                };
                self.add(operator, VERSIONS, rule.finding(), 0);
            }
        }
    }

    /// An operator whose old programs no longer run by themselves.
    fn bridged(&mut self, book: &EntryComparison<'_>, schema: &FunctionSchema) {
        let operator = schema.full_name();
        let news = book.news(&operator);
        let current = EntryComparison::current(book.was);
        let bridge = |change: &&&RegistryChange| {
            change.upgrader.as_ref().is_some_and(|one| one.stands_for(schema))
        };
        if let Some(change) = news.iter().find(bridge) {
            match change.since {
                ChangeStart::Version(version) if version <= current && !book.was.is_empty() => {
                    let next = current + 1;
                    let rule = rules::OperatorVersionNotRaised {
                        operator: &operator,
                        version: &version,
                        current: &current,
                        next: &next,
                    };
                    self.add(&operator, VERSIONS, rule.finding(), change.line);
                }
                _ => {
                    self.served.insert(operator);
                }
            }
        } else if let Some(change) = news.iter().find(|change| change.upgrader.is_some()) {
            let other =
                change.upgrader.as_ref().map(|one| one.schema.to_string()).unwrap_or_default();
            let rule = rules::UpgraderOfAnotherSchema {
                operator: &operator,
                schema: &schema,
                other: &other,
            };
            self.add(&operator, VERSIONS, rule.finding(), change.line);
        } else if news.is_empty() {
            self.unbridged(book, schema, current);
        } else {
            // An entry that says why there is no upgrader.
            self.served.insert(operator);
        }
    }

    /// An operator that the registry does not know of: the entry, the stub and the test to add.
    fn unbridged(&mut self, book: &EntryComparison<'_>, schema: &FunctionSchema, current: u32) {
        let operator = schema.full_name();
        let version = EntryComparison::current(book.now).max(current + 1);
        let change = NewChange {
            operator: operator.clone(),
            since: ChangeStart::Version(version),
            schema: Some(schema.clone()),
            downgrade: None,
            note: None,
        };
        // The files may be broken elsewhere; what is to be added does not depend on that.
        let empty = RegistrySources::default();
        let written = OperatorRegistry::add(book.new, &change)
            .or_else(|_| OperatorRegistry::add(empty, &change));
        let (entry, stub, tests) = match written {
            Ok(written) => {
                let name = written.functions.first().cloned().unwrap_or_default();
                let entry = format!(
                    "- func: {operator}\n  version: {version}\n  upgrader: {name}\n  schema: \"{}\"",
                    schema.to_string().replace('"', "'")
                );
                let stub = signature::stub(&name, schema).unwrap_or_default();
                let tests =
                    written.cases.iter().map(|(name, given)| format!("{name}\t\t{given}\t"));
                (entry, stub, tests.collect::<Vec<_>>().join("\n"))
            }
            Err(error) => {
                let note = "why no upgrader can be written";
                let entry = format!("- func: {operator}\n  version: {version}\n  note: {note}");
                (entry, format!("# {}\n", error.what), String::new())
            }
        };
        let rule = rules::ChangeNotInRegistry {
            operator: &operator,
            current: &current,
            versions: &VERSIONS,
            entry: &entry,
            upgraders: &UPGRADERS,
            stub: &stub.trim_end(),
            test: &tests,
        };
        self.add(&operator, VERSIONS, rule.finding(), 0);
    }
}

/// The line of the table of cases that runs an upgrader.
fn test(upgrader: &str, schema: &FunctionSchema) -> String {
    format!("{upgrader}\t\t{}\t", signature::sample(schema))
}
