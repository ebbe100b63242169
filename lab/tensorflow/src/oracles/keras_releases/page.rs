//! The page of what releases of Keras 3 did with models of other releases.

use std::fmt::Write as _;

use unskew_lab_harness::Tally;

use super::conversions::ConversionTally;
use super::files::ENDINGS;

/// What was measured on one release that reads.
pub(super) struct ReaderResult {
    pub(super) reader: String,
    pub(super) every: Tally,
    pub(super) drawn: Tally,
    pub(super) files: [Tally; ENDINGS.len()],
    pub(super) differ: usize,
    pub(super) conversions: ConversionTally,
}

/// The page.
pub(super) fn page(writers: &[String], seeds: &str, results: &[ReaderResult]) -> String {
    let mut text = String::from(
        "<!-- made by `cargo lab keras-releases --write` -->\n\n# Keras 3 by release\n\n",
    );
    let _ = writeln!(
        text,
        "Releases of Keras 3 write models, and every other release reads them: {}. Models are drawn by seeds ({seeds}): functional \
         models and Sequentials, models inside of models and of wrappers, shared layers, several inputs and outputs, recurrent \
         layers, attention, preprocessing, functions of `keras.ops`, mixed precision, quantization, optimizers, losses, metrics. \
         A verdict is right if it says whether the release loads the model, and whether the first call works. The backend is \
         numpy (3.0: jax).\n",
        writers.join(", ")
    );
    let mut all = Tally::default();
    for result in results {
        all += result.drawn;
        result.files.iter().for_each(|one| all += *one);
    }
    let _ = writeln!(text, "{}\n", all.agreement());
    let share = 100.0 * all.false_compatible as f64 / all.judged().max(1) as f64;
    let _ = writeln!(
        text,
        "Said to load, and failed: {} ({share:.2} %). Said to fail, and loaded: {}.\n",
        all.false_compatible, all.false_refused
    );
    section(
        &mut text,
        "Configurations that a seed draws",
        "A model as its configuration, without weights. The same configuration by two releases is counted once.",
        results.iter().map(|one| (&*one.reader, &one.drawn)),
    );
    for (at, ending) in ENDINGS.iter().enumerate() {
        section(
            &mut text,
            &format!("Files `{ending}`"),
            "Files with weights: loaded, called, and the answer compared with that of the writer.",
            results.iter().map(|one| (&*one.reader, &one.files[at])),
        );
    }
    section(
        &mut text,
        "Everything that a release has",
        "A configuration for each layer, activation, initializer, regularizer, constraint, optimizer, schedule, loss, metric, \
         policy of dtypes and function of `keras.ops` with its defaults. These are the same in every run, and verdicts were made with them.",
        results.iter().map(|one| (&*one.reader, &one.every)),
    );
    conversions(&mut text, results);
    text
}

fn section<'r>(
    text: &mut String,
    head: &str,
    what: &str,
    rows: impl Iterator<Item = (&'r str, &'r Tally)>,
) {
    let rows: Vec<(&str, &Tally)> = rows.collect();
    if rows.iter().all(|(_, tally)| tally.count() == 0) {
        return;
    }
    let _ = writeln!(
        text,
        "## {head}\n\n{what}\n\n| read by | {} |\n| --- | {} |",
        Tally::HEAD,
        Tally::RULE
    );
    for (reader, tally) in rows {
        let _ = writeln!(text, "| {reader} | {} |", tally.cells());
    }
    text.push('\n');
}

fn conversions(text: &mut String, results: &[ReaderResult]) {
    if results.iter().all(|one| one.conversions.failing == 0) {
        return;
    }
    text.push_str(
        "## Converted\n\nFiles that a release does not load or whose first call fails, converted for it (`unskew convert FILE --to \
         keras@RELEASE`). *Same*: the release loads the result, and computes what the writer computed. *Loaded, and differ*: files \
         as they were that load and compute something else.\n\n\
         | release | fail as they are | converted | same | loaded, and differ |\n| --- | --: | --: | --: | --: |\n",
    );
    for one in results {
        let ConversionTally { failing, converted, same } = one.conversions;
        let _ = writeln!(
            text,
            "| {} | {failing} | {converted} | {same} | {} |",
            one.reader, one.differ
        );
    }
}
