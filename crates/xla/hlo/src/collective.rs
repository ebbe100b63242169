//! Collective operations of several devices: channels and groups.

use crate::messages::{Instruction, IotaGroups, MeshGroups};
use crate::numbers::{braced, joined};
use crate::sharding::transposed;

/// The attributes that they all have, in their order.
pub(crate) fn attributes(of: &Instruction) -> Vec<String> {
    let mut out = channel(of);
    out.push(format!("replica_groups={}", groups(of)));
    if of.constrain_layout {
        out.push("constrain_layout=true".to_owned());
    }
    out
}

pub(crate) fn channel(of: &Instruction) -> Vec<String> {
    if of.channel_id > 0 { vec![format!("channel_id={}", of.channel_id)] } else { Vec::new() }
}

/// Whether devices are meant by their numbers among all.
pub(crate) fn global_ids(of: &Instruction) -> Option<String> {
    of.global_ids.then(|| "use_global_device_ids=true".to_owned())
}

pub(crate) fn pairs(of: &Instruction) -> String {
    let pairs = of.source_targets.iter().map(|pair| braced([pair.source, pair.target]));
    format!("source_target_pairs={}", braced(pairs))
}

fn groups(of: &Instruction) -> String {
    if let Some(by_axes) = &of.mesh_groups {
        return along_axes(by_axes);
    }
    let listed = of.groups.as_ref();
    let rule = of.iota_groups.as_ref().or_else(|| listed.and_then(|listed| listed.iota.as_ref()));
    if let Some(rule) = rule {
        return ruled(rule);
    }
    let groups = listed.map(|listed| &listed.groups).filter(|groups| !groups.is_empty());
    braced(groups.unwrap_or(&of.replica_groups).iter().map(|group| braced(&group.ids)))
}

fn ruled(rule: &IotaGroups) -> String {
    let order = transposed(&rule.transpose);
    format!("[{},{}]<=[{}]{order}", rule.groups, rule.each, joined(&rule.reshape, ","))
}

/// The groups along axes of a mesh: `mesh['x'=2,'y'=2] {'x'}`.
fn along_axes(groups: &MeshGroups) -> String {
    let mesh = groups.mesh.clone().unwrap_or_default();
    let axes = joined(mesh.axes.iter().map(|axis| format!("'{}'={}", axis.name, axis.size)), ",");
    let devices = match mesh.devices.as_slice() {
        [] => String::new(),
        devices => format!(", device_ids=({})", joined(devices, ",")),
    };
    let along = groups.axes.iter().map(|of| {
        let axis = usize::try_from(of.axis).ok().and_then(|at| mesh.axes.get(at));
        let name = axis.map_or("?", |axis| axis.name.as_str());
        let part = of.part.map(|part| format!(":({}){}", part.before, part.size));
        format!("'{name}'{}", part.unwrap_or_default())
    });
    format!("mesh[{axes}]{devices} {}", braced(along))
}
