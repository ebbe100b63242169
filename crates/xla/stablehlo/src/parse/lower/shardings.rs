//! Shardings of a file.

use super::{Lowering, counted, raw};
use crate::module::{Field, Id, Raw};
use crate::parse::shardings::{Axis, Dimension, Mesh, MeshOf, Rule, Sharded, Sharding};
use crate::rewrite::values::zigzag;

/// The numbers of attributes of Shardy.
mod code {
    pub(super) const MANUAL_AXES: u64 = 0;
    pub(super) const MESH_AXIS: u64 = 1;
    pub(super) const MESH: u64 = 2;
    pub(super) const PART: u64 = 3;
    pub(super) const AXIS: u64 = 4;
    pub(super) const DIMENSION: u64 = 5;
    pub(super) const SHARDING: u64 = 6;
    pub(super) const PER_VALUE: u64 = 7;
    pub(super) const DIMENSION_FACTORS: u64 = 8;
    pub(super) const FACTORS: u64 = 9;
    pub(super) const RULE: u64 = 10;
}

impl Lowering {
    pub(super) fn sharded(&mut self, sharded: &Sharded) -> Id {
        match sharded {
            Sharded::Mesh(mesh) => self.mesh(mesh),
            Sharded::Sharding(sharding) => self.sharding(sharding),
            Sharded::PerValue(all) => {
                let all: Vec<Id> = all.iter().map(|one| self.sharding(one)).collect();
                self.list(code::PER_VALUE, all)
            }
            Sharded::Rule(rule) => self.rule(rule),
            Sharded::ManualAxes(names) => {
                let names: Vec<Id> = names.iter().map(|name| self.plain_text(name)).collect();
                self.list(code::MANUAL_AXES, names)
            }
        }
    }

    fn list(&mut self, code: u64, all: Vec<Id>) -> Id {
        let mut fields = vec![Field::Number(code)];
        counted(&mut fields, all.into_iter().map(Field::Attribute));
        self.item("sdy", fields)
    }

    fn mesh(&mut self, mesh: &Mesh) -> Id {
        let mut axes = Vec::new();
        for (name, size) in &mesh.axes {
            let name = self.module.text(name);
            let fields =
                vec![Field::Number(code::MESH_AXIS), Field::Text(name), raw([zigzag(*size)])];
            axes.push(self.item("sdy", fields));
        }
        let mut fields = vec![Field::Number(code::MESH)];
        counted(&mut fields, axes.into_iter().map(Field::Attribute));
        let devices = mesh.devices.iter().map(|id| zigzag(*id));
        fields.push(raw([mesh.devices.len() as u64].into_iter().chain(devices)));
        self.item("sdy", fields)
    }

    fn sharding(&mut self, sharding: &Sharding) -> Id {
        let mesh = match &sharding.mesh {
            MeshOf::Named(name) => self.symbol(std::slice::from_ref(name)),
            MeshOf::Whole(mesh) => self.mesh(mesh),
        };
        let dims: Vec<Id> = sharding.dims.iter().map(|dim| self.dimension(dim)).collect();
        let axes: Vec<Id> = sharding.replicated.iter().map(|axis| self.axis(axis)).collect();
        let mut fields = vec![Field::Number(code::SHARDING), Field::Attribute(mesh)];
        counted(&mut fields, dims.into_iter().map(Field::Attribute));
        counted(&mut fields, axes.into_iter().map(Field::Attribute));
        self.item("sdy", fields)
    }

    fn dimension(&mut self, dim: &Dimension) -> Id {
        let axes: Vec<Id> = dim.axes.iter().map(|axis| self.axis(axis)).collect();
        let mut fields = vec![Field::Number(code::DIMENSION)];
        counted(&mut fields, axes.into_iter().map(Field::Attribute));
        // Whether it is closed is a byte, and not a number of variable length.
        let mut rest = vec![u8::from(dim.closed)];
        let priority = dim.priority.map_or(0, |priority| priority.cast_unsigned().wrapping_add(1));
        crate::convert::numbers::varint(&mut rest, priority);
        fields.push(Field::Raw(Raw::Bytes(rest)));
        self.item("sdy", fields)
    }

    fn axis(&mut self, axis: &Axis) -> Id {
        let part = axis.part.map(|(before, size)| {
            let fields = vec![Field::Number(code::PART), raw([zigzag(before), zigzag(size)])];
            self.item("sdy", fields)
        });
        let name = self.module.text(&axis.name);
        let fields = vec![Field::Number(code::AXIS), Field::Text(name), Field::Optional(part)];
        self.item("sdy", fields)
    }

    fn rule(&mut self, rule: &Rule) -> Id {
        let mut fields = vec![Field::Number(code::RULE)];
        counted(&mut fields, rule.sizes.iter().map(|size| Field::Number(zigzag(*size))));
        for side in [&rule.operands, &rule.results] {
            let all: Vec<Id> = side.iter().map(|dims| self.factors(dims)).collect();
            counted(&mut fields, all.into_iter().map(Field::Attribute));
        }
        let mut rest = Vec::new();
        for kind in &rule.kinds {
            crate::convert::numbers::varint(&mut rest, kind.len() as u64);
            let factors = kind.iter().map(|factor| zigzag(*factor));
            factors.for_each(|factor| crate::convert::numbers::varint(&mut rest, factor));
        }
        // A byte, and not a number of variable length.
        rest.push(u8::from(rule.custom));
        fields.push(Field::Raw(Raw::Bytes(rest)));
        self.item("sdy", fields)
    }

    /// The factors of each dimension of one operand or result.
    fn factors(&mut self, dims: &[Vec<i64>]) -> Id {
        let mut all = Vec::new();
        for factors in dims {
            let numbers = factors.iter().map(|factor| zigzag(*factor));
            let row = raw([factors.len() as u64].into_iter().chain(numbers));
            all.push(self.item("sdy", vec![Field::Number(code::DIMENSION_FACTORS), row]));
        }
        self.list(code::FACTORS, all)
    }
}
