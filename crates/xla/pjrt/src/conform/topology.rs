//! The topology of a client: the same devices, as bytes too.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};

pub(crate) fn platform(bench: &mut Bench) -> Checked {
    let client = bench.client()?;
    let (name, said) = (client.platform_name()?, client.topology()?.platform_name()?);
    Ok(CheckOutcome::expect(name == said, format!("{said:?}, as the client: {name:?}")))
}

pub(crate) fn devices(bench: &mut Bench) -> Checked {
    let client = bench.client()?;
    let (all, said) = (client.devices()?.len(), client.topology()?.devices()?.len());
    Ok(CheckOutcome::expect(said >= all, format!("{said} devices, of the client: {all}")))
}

pub(crate) fn read_again(bench: &mut Bench) -> Checked {
    let topology = bench.client()?.topology()?;
    let bytes = topology.serialize()?;
    let again = bench.plugin()?.deserialize_topology(&bytes)?;
    let (name, said) = (topology.platform_name()?, again.platform_name()?);
    let (count, found) = (topology.devices()?.len(), again.devices()?.len());
    // Not how many bytes: the features of the processor stand in them.
    let seen = format!("{found} devices of {said:?}");
    Ok(CheckOutcome::expect(!bytes.is_empty() && (name, count) == (said, found), seen))
}

pub(crate) fn nonsense(bench: &mut Bench) -> Checked {
    Ok(match bench.plugin()?.deserialize_topology(b"no topology") {
        Err(error) if error.is_unimplemented() => return Err(error.into()),
        Err(error) => CheckOutcome::Pass(error.to_string()),
        Ok(_) => CheckOutcome::Fail("nonsense is a topology".to_owned()),
    })
}
