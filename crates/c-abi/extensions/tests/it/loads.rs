//! Predictions against what the dynamic linker did with real wheels beside real frameworks.

use unskew_extensions::{ExportedSymbols, Framework, gap, wheels};

/// The loads of `loads.tsv`: wheel, object, framework, release, and the symbol that was named if it failed.
fn loads() -> Vec<(String, String, Framework, String, Option<String>)> {
    let mut loads = Vec::new();
    for line in include_str!("loads.tsv").lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let framework = Framework::named(cells[2]).unwrap();
        let mut push = |release: &str, symbol: Option<&str>| {
            let (wheel, object) = (cells[0].to_owned(), cells[1].to_owned());
            loads.push((wheel, object, framework, release.to_owned(), symbol.map(str::to_owned)));
        };
        cells[3].split(' ').filter(|release| *release != "-").for_each(|one| push(one, None));
        for cell in &cells[4..] {
            let (releases, symbol) = cell.rsplit_once(' ').unwrap();
            releases.split(' ').for_each(|release| push(release, Some(symbol)));
        }
    }
    loads
}

#[test]
fn every_real_load_is_predicted_and_the_named_symbol_is_the_first() {
    let (mut loaded, mut failed, mut named) = (0, 0, 0);
    for (file, object, framework, release, symbol) in loads() {
        let wheel = wheels::wheels().iter().find(|wheel| wheel.file == file).unwrap();
        let (_, needs) = wheel.objects.iter().find(|(path, _)| *path == object).unwrap();
        let exports = ExportedSymbols::of_release(framework, release.parse().unwrap());
        let exports = match framework {
            Framework::Torch => exports.with_cuda(true),
            // The real ones were builds for CPUs.
            Framework::TensorFlow => exports.with_cuda(false),
        };
        let gap = gap(needs, &exports).unwrap();
        let label = format!("{file} {object} with {framework} {release}");
        match symbol {
            None => {
                assert!(gap.is_empty(), "{label} loads, and was to miss {:?}", gap.missing);
                loaded += 1;
            }
            Some(symbol) => {
                assert!(!gap.is_empty(), "{label} misses {symbol}, and was to load");
                failed += 1;
                let first = gap.missing.iter().chain(&gap.only_with_cuda).next();
                named += usize::from(first == Some(&symbol));
            }
        }
    }
    assert!(loaded > 500 && failed > 2000, "{loaded} {failed}");
    // A test of tensorflow-io is linked against another library that nothing has, and that is named first.
    assert!(failed - named <= 40, "{named} of {failed} were named as the dynamic linker does");
}
