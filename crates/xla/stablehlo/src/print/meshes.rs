//! Replica groups by the axes of a mesh, as text: `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>`.

use super::Words;
use super::attributes::{number, quoted, reference, text, varints};
use crate::module::{Field, Id, Item, VHLO};
use crate::rewrite::values::{self, code, unzigzag};

/// The attribute of VHLO; none if it is none of a mesh.
pub(super) fn of_vhlo(module: &Words<'_>, item: &Item) -> Option<String> {
    match item.code(VHLO)? {
        code::SUB_AXIS => sub_axis(item),
        code::AXIS => axis(module, item),
        code::MESH_GROUPS => {
            let [_, Field::Attribute(mesh), Field::Attribute(axes)] = item.fields[..] else {
                return None;
            };
            let named = module.text_of(mesh).map(reference);
            let mesh = named.unwrap_or_else(|| text(module, mesh));
            let axes = text(module, axes);
            Some(format!("#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>"))
        }
        code::MESH_AXIS => Some(format!("#stablehlo.mesh_axis{}", mesh_axis(module, item)?)),
        code::MESH => mesh(module, item),
        _ => None,
    }
}

/// `(1)2`: what lies before a part of an axis, and its size.
fn sub_axis(item: &Item) -> Option<String> {
    let [before, size] = varints(item)[..] else { return None };
    Some(format!("({}){}", unzigzag(before), unzigzag(size)))
}

fn axis(module: &Words<'_>, item: &Item) -> Option<String> {
    let Field::Attribute(name) = item.fields.get(1)? else { return None };
    let name = quoted(module.text_of(*name)?);
    let part = match item.fields.get(3) {
        Some(Field::Attribute(part)) => {
            format!(", sub_axis_info = {}", sub_axis(module.attributes.get(*part)?)?)
        }
        _ => String::new(),
    };
    Some(format!("#stablehlo.axis_ref<name = {name}{part}>"))
}

/// `<name = "x", size = 2>`.
fn mesh_axis(module: &Words<'_>, item: &Item) -> Option<String> {
    let [_, Field::Attribute(name), _] = item.fields[..] else { return None };
    let size = unzigzag(number(item, 2)?);
    Some(format!("<name = {}, size = {size}>", quoted(module.text_of(name)?)))
}

fn mesh(module: &Words<'_>, item: &Item) -> Option<String> {
    let [_, Field::Attribute(axes), Field::Optional(devices)] = item.fields[..] else {
        return None;
    };
    let axis = |id: Id| mesh_axis(module, module.attributes.get(id)?);
    let axes = values::list(module, axes)?;
    let axes: Vec<String> = axes.into_iter().map(axis).collect::<Option<_>>()?;
    let devices = devices.map(|id| format!(", device_ids={}", text(module, id)));
    Some(format!("#stablehlo.mesh<axes=[{}]{}>", axes.join(", "), devices.unwrap_or_default()))
}
