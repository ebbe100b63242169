//! Shapes: `f32[4,8]{1,0}`, `(s32[], pred[2]{0})`.

use unskew_array::ArrayElementType;

use crate::messages::{Layout, Shape};
use crate::numbers::{counted, joined};

const TUPLE: i32 = 13;
const OPAQUE: i32 = 14;
const TOKEN: i32 = 17;
const BUFFER: i32 = 34;

/// The types of elements by their numbers in XLA.
const TYPES: [(i32, ArrayElementType); 32] = [
    (1, ArrayElementType::PRED),
    (2, ArrayElementType::S8),
    (3, ArrayElementType::S16),
    (4, ArrayElementType::S32),
    (5, ArrayElementType::S64),
    (6, ArrayElementType::U8),
    (7, ArrayElementType::U16),
    (8, ArrayElementType::U32),
    (9, ArrayElementType::U64),
    (10, ArrayElementType::F16),
    (11, ArrayElementType::F32),
    (12, ArrayElementType::F64),
    (15, ArrayElementType::C64),
    (16, ArrayElementType::BF16),
    (18, ArrayElementType::C128),
    (19, ArrayElementType::F8E5M2),
    (20, ArrayElementType::F8E4M3FN),
    (21, ArrayElementType::S4),
    (22, ArrayElementType::U4),
    (23, ArrayElementType::F8E4M3B11FNUZ),
    (24, ArrayElementType::F8E5M2FNUZ),
    (25, ArrayElementType::F8E4M3FNUZ),
    (26, ArrayElementType::S2),
    (27, ArrayElementType::U2),
    (28, ArrayElementType::F8E4M3),
    (29, ArrayElementType::F8E3M4),
    (30, ArrayElementType::S1),
    (31, ArrayElementType::U1),
    (32, ArrayElementType::F4E2M1FN),
    (33, ArrayElementType::F8E8M0FNU),
    (35, ArrayElementType::F6E3M2FN),
    (36, ArrayElementType::F6E2M3FN),
];

/// The type of this number, if it has elements.
pub(crate) fn element(number: i32) -> Option<ArrayElementType> {
    TYPES.iter().find(|(known, _)| *known == number).map(|(_, element)| *element)
}

/// What a type of this number is called.
pub(crate) fn name(number: i32) -> String {
    match number {
        TUPLE => "tuple".to_owned(),
        OPAQUE => "opaque".to_owned(),
        TOKEN => "token".to_owned(),
        BUFFER => "b".to_owned(),
        _ => element(number).map_or_else(
            || format!("type{number}"),
            |element| format!("{element:?}").to_ascii_lowercase(),
        ),
    }
}

impl Shape {
    pub(crate) fn is_array(&self) -> bool {
        element(self.element).is_some()
    }

    /// The shape as text, without layouts.
    pub(crate) fn plain(&self) -> String {
        self.text(false)
    }

    pub(crate) fn with_layout(&self) -> String {
        self.text(true)
    }

    fn text(&self, layouts: bool) -> String {
        match self.element {
            TUPLE => format!("({})", counted(self.parts.iter().map(|part| part.text(layouts)))),
            BUFFER => {
                let inner = self.parts.first().map(|part| part.text(layouts));
                format!("b({})", inner.unwrap_or_default())
            }
            _ => {
                let layout = self.layout.as_ref().filter(|_| layouts && self.is_array());
                let layout = layout.map(|layout| layout.text(self.dims.len()));
                format!("{}[{}]{}", name(self.element), self.dims(), layout.unwrap_or_default())
            }
        }
    }

    fn dims(&self) -> String {
        let dims = self.dims.iter().enumerate().map(|(at, dim)| {
            let dynamic = self.dynamic.get(at).is_some_and(|is| *is);
            match (dynamic, *dim == i64::MIN) {
                (true, true) => "?".to_owned(),
                (true, false) => format!("<={dim}"),
                _ => dim.to_string(),
            }
        });
        joined(dims, ",")
    }
}

impl Layout {
    /// The axes, the fastest first, and what else there is; nothing for a scalar of which nothing is said.
    fn text(&self, rank: usize) -> String {
        let more = self.more();
        if rank == 0 && more.is_empty() {
            return String::new();
        }
        let axes = joined(&self.minor_to_major, ",");
        if more.is_empty() { format!("{{{axes}}}") } else { format!("{{{axes}:{more}}}") }
    }

    fn more(&self) -> String {
        let mut more = String::new();
        if !self.tiles.is_empty() {
            more.push('T');
            for tile in &self.tiles {
                // A dimension that is one with its neighbour.
                let dims = tile.dims.iter().map(|dim| match *dim {
                    i64::MIN => "*".to_owned(),
                    dim => dim.to_string(),
                });
                more.push_str(&format!("({})", joined(dims, ",")));
            }
        }
        if self.tail_alignment > 1 {
            more.push_str(&format!("L({})", self.tail_alignment));
        }
        for (sign, number) in [('#', self.index_type), ('*', self.pointer_type)] {
            if number != 0 {
                more.push_str(&format!("{sign}({})", name(number)));
            }
        }
        if self.element_bits != 0 {
            more.push_str(&format!("E({})", self.element_bits));
        }
        if self.memory_space != 0 {
            more.push_str(&format!("S({})", self.memory_space));
        }
        if !self.splits.is_empty() {
            more.push_str("SC");
            for split in &self.splits {
                let indices = joined(&split.indices, ",");
                more.push_str(&format!("({}:{indices})", split.dimension));
            }
        }
        if self.metadata_prefix > 0 {
            more.push_str(&format!("M({})", self.metadata_prefix));
        }
        more
    }
}
