//! Prints a program: `print FILE [FORMAT]`, where the format is `hlo` unless told otherwise.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_default();
    let format = arguments.next().unwrap_or_else(|| "hlo".to_owned());
    let program = std::fs::read(&file).map_err(|error| error.to_string());
    let text = program
        .and_then(|program| unskew_hlo::text(&program, &format).map_err(|error| error.to_string()));
    match text {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{file}: {why}");
            ExitCode::FAILURE
        }
    }
}
