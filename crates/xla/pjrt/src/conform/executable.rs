//! Executables: as bytes, and what the plug-in tells of them.

use super::bench::Bench;
use super::execute::{first_line, run_add};
use super::outcome::{Checked, Outcome};

pub(crate) fn load_again(bench: &mut Bench) -> Checked {
    let bytes = bench.program()?.executable()?.serialize()?;
    if bytes.is_empty() {
        return Ok(Outcome::Fail("no bytes".to_owned()));
    }
    let program = bench.client()?.deserialize(&bytes, None)?;
    match run_add(bench, &program)? {
        Outcome::Pass(_) => Ok(Outcome::Pass(format!("{} bytes, same result", bytes.len()))),
        other => Ok(other),
    }
}

pub(crate) fn load_nonsense(bench: &mut Bench) -> Checked {
    Ok(match bench.client()?.deserialize(b"no executable", None) {
        Err(error) if error.is_unimplemented() => return Err(error.into()),
        Err(error) => Outcome::Pass(first_line(&error.to_string())),
        Ok(_) => Outcome::Fail("nonsense is loaded".to_owned()),
    })
}

pub(crate) fn fingerprint(bench: &mut Bench) -> Checked {
    let executable = bench.program()?.executable()?;
    let (first, second) = (executable.fingerprint()?, executable.fingerprint()?);
    let seen = format!("{} bytes", first.len());
    Ok(Outcome::expect(!first.is_empty() && first == second, seen))
}

pub(crate) fn memory(bench: &mut Bench) -> Checked {
    let stats = bench.program()?.executable()?.memory_stats()?;
    let arguments = stats.argument_size_in_bytes.unwrap_or_default();
    let outputs = stats.output_size_in_bytes.unwrap_or_default();
    let seen = format!("{arguments} bytes of arguments, {outputs} of results");
    Ok(Outcome::expect(arguments >= 32 && outputs >= 16, seen))
}

pub(crate) fn costs(bench: &mut Bench) -> Checked {
    let properties = bench.program()?.executable()?.cost_analysis()?.len();
    Ok(Outcome::expect(properties > 0, format!("{properties} properties")))
}
