//! Where a program runs: on how many devices, and on which.

use anyhow::bail;
use unskew_pjrt::Client;
use unskew_pjrt::convert::compile_options::{CompileOptions, DeviceAssignment};

use crate::args::Run;

/// The options of the compilation.
pub fn compile_options(args: &Run, client: &Client) -> anyhow::Result<CompileOptions> {
    let there = client.addressable_devices()?;
    let wanted = u64::from(args.replicas) * u64::from(args.partitions);
    if wanted > there.len() as u64 {
        bail!(
            "the plug-in has {} devices: {} replicas of {} partitions wanted",
            there.len(),
            args.replicas,
            args.partitions
        );
    }
    let mut options = CompileOptions::of(args.replicas.into(), args.partitions.into());
    if let Some(id) = args.device {
        let mut known = Vec::new();
        for device in &there {
            known.push(device.id()?);
        }
        if !known.contains(&id) {
            let known: Vec<String> = known.iter().map(i32::to_string).collect();
            bail!("no such device: {id}; there are {}", known.join(", "));
        }
        options.device_assignment = Some(DeviceAssignment::of(vec![vec![id.into()]]));
    }
    Ok(options)
}
