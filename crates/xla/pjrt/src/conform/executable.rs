//! Executables: as bytes, and what the plug-in tells of them.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use super::execute::{first_line, run_add};

pub(crate) fn load_again(bench: &mut Bench) -> Checked {
    let bytes = bench.program()?.executable()?.serialize()?;
    if bytes.is_empty() {
        return Ok(CheckOutcome::Fail("no bytes".to_owned()));
    }
    let program = bench.client()?.deserialize(&bytes, None)?;
    match run_add(bench, &program)? {
        CheckOutcome::Pass(_) => {
            Ok(CheckOutcome::Pass(format!("{} bytes, same result", bytes.len())))
        }
        other => Ok(other),
    }
}

pub(crate) fn load_nonsense(bench: &mut Bench) -> Checked {
    Ok(match bench.client()?.deserialize(b"no executable", None) {
        Err(error) if error.is_unimplemented() => return Err(error.into()),
        Err(error) => CheckOutcome::Pass(first_line(&error.to_string())),
        Ok(_) => CheckOutcome::Fail("nonsense is loaded".to_owned()),
    })
}

pub(crate) fn fingerprint(bench: &mut Bench) -> Checked {
    let executable = bench.program()?.executable()?;
    let (first, second) = (executable.fingerprint()?, executable.fingerprint()?);
    let seen = format!("{} bytes", first.len());
    Ok(CheckOutcome::expect(!first.is_empty() && first == second, seen))
}

pub(crate) fn memory(bench: &mut Bench) -> Checked {
    let stats = bench.program()?.executable()?.memory_stats()?;
    let arguments = stats.argument_size_in_bytes.unwrap_or_default();
    let outputs = stats.output_size_in_bytes.unwrap_or_default();
    let seen = format!("{arguments} bytes of arguments, {outputs} of results");
    Ok(CheckOutcome::expect(arguments >= 32 && outputs >= 16, seen))
}

pub(crate) fn costs(bench: &mut Bench) -> Checked {
    let properties = bench.program()?.executable()?.cost_analysis()?.len();
    Ok(CheckOutcome::expect(properties > 0, format!("{properties} properties")))
}
