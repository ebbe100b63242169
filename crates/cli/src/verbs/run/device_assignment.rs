//! Device assignment of a program: on how many devices it runs, and on which.

use anyhow::bail;
use unskew_pjrt::Client;
use unskew_pjrt::convert::compile_options::{CompileOptions, DeviceAssignment};

use crate::args::RunArgs;

/// The options of the compilation.
pub fn compile_options(args: &RunArgs, client: &Client) -> anyhow::Result<CompileOptions> {
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
    let mut options = CompileOptions::new(args.replicas.into(), args.partitions.into());
    if let Some(id) = args.device {
        let mut known = Vec::new();
        for device in &there {
            known.push(device.id()?);
        }
        if !known.contains(&id) {
            let known: Vec<String> = known.iter().map(i32::to_string).collect();
            bail!("no such device: {id}; there are {}", known.join(", "));
        }
        options.device_assignment = Some(DeviceAssignment::from_devices(vec![vec![id.into()]]));
    }
    Ok(options)
}
