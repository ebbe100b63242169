//! The first request.

use std::collections::BTreeMap;

use bytes::Bytes;
use unskew_ifrt::types::{Attribute, AttributeMap, AttributeValue, IntList};
use unskew_pjrt::{Attribute as Told, PjrtValue};
use unskew_serdes::proto::encode;

use super::Session;
use crate::messages::{Init, InitDevice, InitMemory, Numbers, Variant, VariantEntry};
use crate::platform::{DeviceEntry, UNKNOWN_KIND};
use crate::status::Status;

/// What the runtime of a plug-in is called, here as in JAX itself.
const RUNTIME: &str = "pjrt_ifrt";

impl Session {
    /// The platform, its devices and its memories.
    pub(super) fn init(&mut self) -> Result<Init, Status> {
        let client = &self.platform.client;
        let platform_name = client.platform_name()?;
        let memories = self.memories()?;
        let devices: Result<Vec<_>, _> = self
            .platform
            .devices
            .iter()
            .enumerate()
            .map(|(at, entry)| self.device(at, entry, &platform_name, &memories))
            .collect();
        let ids: Vec<i32> = self.platform.devices.iter().map(|entry| entry.id).collect();
        let init = Init {
            platform_id: hash(&platform_name),
            platform_version: client.platform_version()?,
            process_index: u64::try_from(client.process_index()?).unwrap_or_default(),
            runtime_type: RUNTIME.to_owned(),
            devices: devices?,
            addressable_device_ids: ids.clone(),
            session_id: self.id,
            memories: memories.into_values().collect(),
            primary_device_ids: if self.agreed.since(7) { ids } else { Vec::new() },
            client_attributes: Some(self.client_attributes()?),
            platform_name,
        };
        self.begun = true;
        Ok(init)
    }

    /// What the client is to know of this runtime. Shardy is kept in exported programs, which plug-ins read
    /// as they are; executables stay on the server.
    fn client_attributes(&self) -> Result<Bytes, Status> {
        let mut map = AttributeMap::default();
        map.set("serialize_with_sdy", AttributeValue::Bool(true));
        map.set("supports_executable_serialization", AttributeValue::Bool(false));
        Ok(encode(&map, self.agreed.written_at()?)?.into())
    }

    /// The memories by their ids. Where a plug-in knows of none, each device has one, with its own id.
    fn memories(&self) -> Result<BTreeMap<i32, InitMemory>, Status> {
        let mut all = BTreeMap::new();
        for entry in &self.platform.devices {
            if entry.memories.is_empty() {
                let memory = InitMemory {
                    id: entry.id,
                    memory_space_kind: UNKNOWN_KIND.to_owned(),
                    device_ids: vec![entry.id],
                    debug_string: format!("memory of device {}", entry.id),
                    to_string: format!("{UNKNOWN_KIND} memory of device {}", entry.id),
                    kind_id: 0,
                };
                all.insert(entry.id, memory);
            }
            for (kind, memory) in &entry.memories {
                let id = memory.id()?;
                let known = all.entry(id).or_insert_with(|| InitMemory {
                    id,
                    memory_space_kind: kind.clone(),
                    device_ids: Vec::new(),
                    debug_string: memory.debug_string().unwrap_or_default(),
                    to_string: memory.text().unwrap_or_default(),
                    kind_id: memory.kind_id().unwrap_or_default(),
                });
                known.device_ids.push(entry.id);
            }
        }
        Ok(all)
    }

    fn device(
        &self,
        at: usize,
        entry: &DeviceEntry,
        platform: &str,
        memories: &BTreeMap<i32, InitMemory>,
    ) -> Result<InitDevice, Status> {
        let description = entry.device.description()?;
        let of_device = |memory: &&InitMemory| memory.device_ids.contains(&entry.id);
        let memory_ids: Vec<i32> =
            memories.values().filter(of_device).map(|memory| memory.id).collect();
        let default = entry.device.default_memory().and_then(|memory| memory.id()).ok();
        let told = description.attributes().unwrap_or_default();
        let local = i32::try_from(at).unwrap_or_default();
        let (attributes, old_attributes) = if self.agreed.since(4) {
            (Some(encode(&attributes(&told), self.agreed.written_at()?)?.into()), Vec::new())
        } else {
            (None, told.iter().filter_map(old_attribute).collect())
        };
        Ok(InitDevice {
            id: entry.id,
            local_hardware_id: entry.device.local_hardware_id()?.unwrap_or(local),
            device_kind: description.kind()?,
            debug_string: description.debug_string()?,
            to_string: description.text()?,
            old_attributes,
            default_memory_id: default.or_else(|| memory_ids.first().copied()),
            memory_ids,
            local_device_id: local,
            attributes,
            platform_name: platform.to_owned(),
        })
    }
}

/// Attributes of a plug-in as IFRT has them; one that is twice there or of an unknown type is left out.
pub(super) fn attributes(told: &[Told]) -> AttributeMap {
    let mut map = AttributeMap::default();
    for Told { name, value } in told {
        let value = match value {
            PjrtValue::Text(text) => AttributeValue::Bytes(text.clone().into_bytes()),
            PjrtValue::Number(number) => AttributeValue::Int(*number),
            PjrtValue::Numbers(numbers) => {
                AttributeValue::Ints(IntList { elements: numbers.clone() })
            }
            PjrtValue::Float(fraction) => AttributeValue::Float(*fraction),
            PjrtValue::Bool(yes) => AttributeValue::Bool(*yes),
            PjrtValue::Unknown(_) => continue,
        };
        if !map.attributes.iter().any(|known: &Attribute| known.name == *name) {
            map.attributes.push(Attribute { name: name.clone(), value });
        }
    }
    map
}

fn old_attribute(told: &Told) -> Option<VariantEntry> {
    let mut variant = Variant::default();
    match &told.value {
        PjrtValue::Text(text) => variant.text = Some(text.clone().into()),
        PjrtValue::Number(number) => variant.number = Some(*number),
        PjrtValue::Numbers(numbers) => variant.numbers = Some(Numbers { values: numbers.clone() }),
        PjrtValue::Float(fraction) => variant.fraction = Some(*fraction),
        // There were no truths then.
        PjrtValue::Bool(_) | PjrtValue::Unknown(_) => return None,
    }
    Some(VariantEntry { key: told.name.clone(), value: Some(variant) })
}

/// A number for a name: the same one on every server.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
