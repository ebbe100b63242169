//! Replica groups by the axes of a mesh, in a file.

use super::attributes::find;
use super::{Lowering, World, raw};
use crate::module::{Field, Id};
use crate::parse::attributes::Attr;
use crate::rewrite::values::{self, code, zigzag};

/// An attribute by its parts.
type Parts = [(String, Attr)];

impl Lowering {
    /// The fields of an attribute of VHLO that a mesh needs; none if it is none of these.
    pub(super) fn of_mesh(
        &mut self,
        name: &str,
        parts: &Parts,
    ) -> Result<Option<Vec<Field>>, String> {
        let own = Field::Number;
        Ok(Some(match name {
            "stablehlo.sub_axis_info" => {
                let (before, size) = (number(parts, "pre_size")?, number(parts, "size")?);
                vec![own(code::SUB_AXIS), raw([zigzag(before), zigzag(size)])]
            }
            "stablehlo.axis_ref" => {
                let name = Field::Attribute(self.name_of(parts)?);
                match find(parts, "sub_axis_info") {
                    None => vec![own(code::AXIS), name, Field::Number(0)],
                    Some(part) => {
                        let part = self.attribute(World::Vhlo, part)?;
                        vec![own(code::AXIS), name, Field::Number(1), Field::Attribute(part)]
                    }
                }
            }
            "stablehlo.mesh_axis" => {
                let size = number(parts, "size")?;
                let name = Field::Attribute(self.name_of(parts)?);
                vec![own(code::MESH_AXIS), name, raw([zigzag(size)])]
            }
            "stablehlo.mesh" => {
                let axes = self.part(parts, "axes")?;
                let devices = find(parts, "device_ids");
                let devices = devices.map(|ids| self.attribute(World::Vhlo, ids)).transpose()?;
                vec![own(code::MESH), Field::Attribute(axes), Field::Optional(devices)]
            }
            "stablehlo.replica_group_mesh_axes" => {
                let (mesh, axes) = (self.part(parts, "mesh")?, self.part(parts, "axes")?);
                vec![own(code::MESH_GROUPS), Field::Attribute(mesh), Field::Attribute(axes)]
            }
            _ => return Ok(None),
        }))
    }

    fn part(&mut self, parts: &Parts, key: &str) -> Result<Id, String> {
        let part = find(parts, key).ok_or_else(|| format!("`{key}` is missing"))?;
        self.attribute(World::Vhlo, part)
    }

    fn name_of(&mut self, parts: &Parts) -> Result<Id, String> {
        match find(parts, "name") {
            Some(Attr::Text(name)) => Ok(values::text(&mut self.module, name)),
            _ => Err("an axis has a name".to_owned()),
        }
    }
}

fn number(parts: &Parts, key: &str) -> Result<i64, String> {
    find(parts, key).and_then(Attr::integer).ok_or_else(|| format!("`{key}` is a whole number"))
}
