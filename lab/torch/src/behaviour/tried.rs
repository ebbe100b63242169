//! Verdicts and conversions of single calls, tried on real releases.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use unskew_changes::{RecordedRuns, SEEDS};
use unskew_releases::find;
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::behaviour::{self, CallForm, InexactConditions};
use unskew_torch_matrix::differential::{DifferentialCell, cells, table};

use super::{Behaviour, measured};

/// What `--write` makes.
const INEXACT: &str = "crates/torch/archives/data/inexact.tsv";
const PAGE: &str = "docs/reference/torch-behaviour-battery.md";

fn pair(pair: &str) -> anyhow::Result<(TorchHost, TorchHost)> {
    let (writer, reader) = pair.split_once('-').with_context(|| pair.to_owned())?;
    Ok((TorchHost::named(writer)?, TorchHost::named(reader)?))
}

/// What functions of the registry do otherwise than the operators whose calls they replace.
pub(super) fn conversions(
    arguments: &Behaviour,
    kept: &RecordedRuns,
    forms: &[CallForm],
) -> anyhow::Result<()> {
    let mut all = InexactConditions::new();
    for one in &arguments.pairs {
        let (writer, reader) = pair(one)?;
        let told = measured(kept, writer.version, forms, SEEDS[0])?;
        let release = find(&format!("torch@{}", reader.version))?;
        let runtime = unskew_releases::torch::runtime(release.row()).context("no PyTorch")?;
        for (key, found) in behaviour::inexact(forms, &told, &writer, &reader, &runtime)? {
            all.entry(key).or_insert(found);
        }
    }
    let mut data = format!(
        "# What functions of the operator registry do otherwise than the operators in whose place they stand: function, \
         conditions on arguments, what must hold of values, what is other, the error or the types. Made by \
         `cargo lab behaviour --conversions --write`, converted and run from {}.\n",
        arguments.pairs.join(" ").replace('-', " to ")
    );
    for ((function, when, values), (step, remark)) in &all {
        let _ = writeln!(data, "{function}\t{when}\t{values}\t{step}\t{remark}");
    }
    if arguments.write {
        fs::write(unskew_peers::root().join(INEXACT), &data)?;
    }
    println!("{} rows", all.len());
    Ok(())
}

pub(super) fn battery(arguments: &Behaviour, forms: &[CallForm]) -> anyhow::Result<()> {
    let limit = Duration::from_secs(1200);
    let chosen = behaviour::battery(forms, arguments.battery, arguments.seed);
    let run = |one: &str| -> anyhow::Result<Vec<DifferentialCell>> {
        let (writer, reader) = pair(one)?;
        let folder = tempfile::tempdir()?;
        let made = writer.write_calls(folder.path(), &chosen, limit)?;
        let release = find(&format!("torch@{}", reader.version))?;
        cells(writer.version, folder.path(), &made, &reader, release, limit)
    };
    let found = std::thread::scope(|scope| {
        let threads: Vec<_> = arguments.pairs.iter().map(|one| scope.spawn(|| run(one))).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results.map(|one| one.unwrap_or_else(|_| bail!("a pair panicked"))).collect::<Vec<_>>()
    });
    let (mut all, mut others) = (Vec::new(), String::new());
    for (one, found) in arguments.pairs.iter().zip(found) {
        let found = found?;
        for cell in found.iter().filter(|cell| !cell.agrees()) {
            let DifferentialCell { said, real, pieces, .. } = cell;
            let how = if cell.converted { "converted" } else { "as it is" };
            let call = pieces.get(1).map_or("", String::as_str);
            let inputs = pieces.iter().skip(2).map(String::as_str).collect::<Vec<_>>().join(" ");
            let row = format!(
                "| {} | {how} | {said:?} | {real:?} | `{call}` | {inputs} |\n",
                one.replace('-', " to ")
            );
            eprint!("{row}");
            others += &row;
        }
        all.extend(found);
    }
    let result = table(&all);
    print!("{result}");
    if arguments.write {
        write(arguments, &result, &others)?;
    }
    let wrong = all.iter().filter(|cell| cell.is_wrong_conversion()).count();
    ensure!(wrong == 0, "{wrong} conversions are silently wrong");
    Ok(())
}

fn write(arguments: &Behaviour, result: &str, others: &str) -> anyhow::Result<()> {
    let Behaviour { battery, seed, pairs, .. } = arguments;
    let pairs: String = pairs.iter().map(|pair| format!(" --pair {pair}")).collect();
    let page = format!(
        "<!-- made by `cargo lab behaviour --battery --write` -->\n\n# Verdicts on calls that no measurement used\n\n\
         {battery} calls of operators of `aten`, chosen at random, on random inputs: written by one release where that runs them, \
         judged and converted for another, and run there. Half of the calls show in the code what their tensors hold. A verdict \
         is right if the release does what it says first: error at load, error at the first run, another result, or what was \
         recorded. *Not judged in part* counts as right. Files that one release does not run are left out.\n\n```\n\
         cargo lab behaviour --measured FOLDER --battery {battery} --seed {seed}{pairs}\n```\n\n{result}\n## Verdicts that were \
         not right\n\n| releases | file | said | did | call | inputs |\n| --- | --- | --- | --- | --- | --- |\n{others}"
    );
    Ok(fs::write(unskew_peers::root().join(PAGE), page)?)
}
