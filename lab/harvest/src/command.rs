//! The day of a release, from the package index.

use std::process::Command;

use unskew_lab_harness::run_command;

use crate::row::Row;

const UPLOADED: &str = "import json, sys, urllib.request\n\
    from pip._internal.models.index import PyPI\n\
    page = urllib.request.urlopen(PyPI.pypi_url + '/' + sys.argv[1] + '/json')\n\
    print(json.load(page)['releases'][sys.argv[2]][0]['upload_time'][:10])\n";

/// Sets the day of the release, or says that it is not known; a row that has its day keeps it.
pub(crate) fn set_day(row: &mut Row, package: &str, version: &str) {
    match run_command(Command::new("python3").args(["-c", UPLOADED, package, version])) {
        Ok(day) => row.set("released", day.trim().to_owned()),
        Err(_) => {
            println!("  the index does not say on which day {package} {version} was uploaded")
        }
    }
}
