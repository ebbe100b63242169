//! The plot of most oracles: real releases are given cases, and what they do is held against what was said of each pair.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::ensure;

use crate::tally::{Comparison, Tally};

/// Verdicts about cases, held against what releases do with them.
pub trait Oracle {
    /// The heads of the columns that [`Oracle::row`] fills, each with ` | ` behind it.
    const HEAD: &'static str;
    /// A release that is asked.
    type Peer;
    /// What a release is given, and what is judged for it.
    type Case;
    /// What a release did with a case.
    type Answer;

    /// The releases.
    ///
    /// # Errors
    /// If one is not here.
    fn peers(&self) -> anyhow::Result<Vec<Self::Peer>>;

    /// The cases, which may lie in the folder: it is there, and empty.
    ///
    /// # Errors
    /// If they cannot be made.
    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<Self::Case>>;

    /// What a release does with each case, in their order; nothing of one that it is not given.
    ///
    /// # Errors
    /// If it cannot be asked.
    fn ask(
        &self,
        peer: &Self::Peer,
        cases: &[Self::Case],
        folder: &Path,
    ) -> anyhow::Result<Vec<Option<Self::Answer>>>;

    /// Judges a case for a release, and compares.
    ///
    /// # Errors
    /// If the case cannot be read.
    fn compare(
        &self,
        peer: &Self::Peer,
        case: &Self::Case,
        answer: &Self::Answer,
    ) -> anyhow::Result<Comparison>;

    /// The name of a release.
    fn name(&self, peer: &Self::Peer) -> String;

    /// The cells of a release in front of its counts: its name, if there is nothing else to say.
    fn row(&self, peer: &Self::Peer) -> String {
        self.name(peer)
    }
}

/// How an oracle went.
#[derive(Debug, Default)]
pub struct Agreement {
    /// A row for each release, as Markdown.
    pub table: String,
    /// All releases together.
    pub tally: Tally,
    /// What was wrong: the release, and the line of the comparison.
    pub wrong: Vec<(String, String)>,
}

impl Agreement {
    /// The agreement as a part of a page: the sum, the table, and each verdict that was wrong.
    pub fn in_words(&self) -> String {
        let mut text = format!("{}\n\n{}", self.tally.agreement(), self.table);
        if !self.wrong.is_empty() {
            text += "\nWrong:\n\n";
            for (release, line) in &self.wrong {
                text += &format!("* {release}: {line}\n");
            }
        }
        text
    }
}

/// Gives each release the cases and compares; prints the table row by row, since a release takes minutes.
///
/// # Errors
/// If cases cannot be made, or a release not be asked. A verdict that is wrong is none.
pub fn compare<O: Oracle>(oracle: &O, folder: &Path) -> anyhow::Result<Agreement> {
    let peers = oracle.peers()?;
    let cases = oracle.cases(folder)?;
    let columns = O::HEAD.matches(" | ").count();
    let head = format!(
        "| {}cases | {} |\n| {}--: | {} |\n",
        O::HEAD,
        Tally::HEAD,
        "--- | ".repeat(columns),
        Tally::RULE
    );
    print!("{head}");
    let mut agreement = Agreement { table: head, ..Agreement::default() };
    for peer in &peers {
        let answers = oracle.ask(peer, &cases, folder)?;
        let (name, asked) = (oracle.name(peer), answers.len());
        ensure!(asked == cases.len(), "{name}: {asked} answers to {} cases", cases.len());
        let mut tally = Tally::default();
        for (case, answer) in cases.iter().zip(&answers) {
            let Some(answer) = answer else { continue };
            let comparison = oracle.compare(peer, case, answer)?;
            tally.add(&comparison);
            agreement.tally.add(&comparison);
            let wrong = comparison.wrong().map(|line| (name.clone(), line.to_owned()));
            agreement.wrong.extend(wrong);
        }
        let row = format!("| {} | {} | {} |", oracle.row(peer), tally.count(), tally.cells());
        println!("{row}");
        // Writing into a String cannot fail.
        let _ = writeln!(agreement.table, "{row}");
    }
    Ok(agreement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Prediction;

    /// Releases by their numbers, which take every case that is not larger; odd cases are said to fail.
    struct Numbers;

    impl Oracle for Numbers {
        const HEAD: &'static str = "release | ";
        type Peer = u32;
        type Case = u32;
        type Answer = bool;

        fn peers(&self) -> anyhow::Result<Vec<u32>> {
            Ok(vec![1, 4])
        }

        fn cases(&self, folder: &Path) -> anyhow::Result<Vec<u32>> {
            assert!(folder.is_dir());
            Ok((0..4).collect())
        }

        fn ask(&self, peer: &u32, cases: &[u32], _: &Path) -> anyhow::Result<Vec<Option<bool>>> {
            Ok(cases.iter().map(|case| (*case != 3).then_some(case <= peer)).collect())
        }

        fn compare(&self, _: &u32, case: &u32, works: &bool) -> anyhow::Result<Comparison> {
            let said = if case.is_multiple_of(2) { Prediction::Works } else { Prediction::Fails };
            Ok(Comparison::new(said, *works, || case.to_string()))
        }

        fn name(&self, peer: &u32) -> String {
            peer.to_string()
        }
    }

    #[test]
    fn every_case_that_a_release_is_given_is_compared() {
        let folder = tempfile::tempdir().unwrap();
        let agreement = compare(&Numbers, folder.path()).unwrap();
        let rows: Vec<&str> = agreement.table.lines().skip(2).collect();
        assert_eq!(rows, ["| 1 | 3 | 1 | 0 | 1 | 1 | 0 |", "| 4 | 3 | 2 | 0 | 0 | 1 | 0 |"]);
        assert_eq!((agreement.tally.count(), agreement.tally.wrong()), (6, 3));
        let wrong = [("1", "1"), ("1", "2"), ("4", "1")];
        assert_eq!(agreement.wrong, wrong.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
