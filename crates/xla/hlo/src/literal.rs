//! Constants: `1.5`, `{ { 1, 2 }, { 3, 4 } }`.

use unskew_array::{ArrayElementType, ElementClass, Scalar};

use crate::messages::{Literal, Shape};
use crate::numbers;
use crate::shape;

/// The most elements of a constant that are printed.
const MOST: i64 = 10;

/// The most pairs of braces that are printed, which XLA does not limit.
const MOST_BRACES: i64 = 1 << 12;

/// The most axes of a constant that is printed.
const MOST_AXES: usize = 64;

impl Literal {
    /// Its elements, if they are few.
    pub(crate) fn text(&self) -> String {
        self.elements().unwrap_or_else(|| "{...}".to_owned())
    }

    fn elements(&self) -> Option<String> {
        let shape = self.shape.as_ref()?;
        let element = shape::element(shape.element)?;
        let count =
            shape.dims.iter().try_fold(1_i64, |count, dim| count.checked_mul((*dim).max(0)))?;
        // Braces, of which there may be many without an element in them.
        let braces =
            shape.dims.iter().try_fold(1_i64, |all, dim| all.checked_mul((*dim).max(1)))?;
        if count > MOST || braces > MOST_BRACES || shape.dims.len() > MOST_AXES {
            return None;
        }
        let mut out = String::new();
        self.axis(shape, element, &mut Vec::new(), &mut out)?;
        Some(out)
    }

    /// The elements along one axis, the one behind those of `index`, and along all behind it.
    fn axis(
        &self,
        shape: &Shape,
        element: ArrayElementType,
        index: &mut Vec<i64>,
        out: &mut String,
    ) -> Option<()> {
        let rank = shape.dims.len();
        let Some(dim) = shape.dims.get(index.len()) else {
            let scalar = self.scalar(element, place(shape, index)?)?;
            out.push_str(&numbers::element(scalar, element, rank > 0));
            return Some(());
        };
        let innermost = index.len() + 1 == rank;
        let spaced = rank > 1 && (!innermost || *dim > 1);
        out.push('{');
        if let Some(at) = index.last().filter(|_| rank > 3 && !innermost) {
            out.push_str(&format!(" /*i{}={at}*/", index.len() - 1));
        }
        let space = if spaced { " " } else { "" };
        out.push_str(space);
        for at in 0..*dim {
            if at > 0 {
                out.push_str(", ");
            }
            index.push(at);
            self.axis(shape, element, index, out)?;
            index.pop();
        }
        out.push_str(space);
        out.push('}');
        Some(())
    }

    /// The element at a place.
    fn scalar(&self, element: ArrayElementType, at: usize) -> Option<Scalar> {
        Some(match element {
            ArrayElementType::PRED => Scalar::Bool(*self.preds.get(at)?),
            ArrayElementType::S32 => Scalar::Int((*self.s32s.get(at)?).into()),
            ArrayElementType::S64 => Scalar::Int((*self.s64s.get(at)?).into()),
            ArrayElementType::U32 => Scalar::Int((*self.u32s.get(at)?).into()),
            ArrayElementType::U64 => Scalar::Int((*self.u64s.get(at)?).into()),
            ArrayElementType::F32 => Scalar::Single(*self.f32s.get(at)?),
            ArrayElementType::F64 => Scalar::Double(*self.f64s.get(at)?),
            ArrayElementType::C64 => {
                let part = |of: usize| self.c64s.get(at.checked_mul(2)? + of).copied();
                Scalar::ComplexSingle(part(0)?, part(1)?)
            }
            ArrayElementType::C128 => {
                let part = |of: usize| self.c128s.get(at.checked_mul(2)? + of).copied();
                Scalar::ComplexDouble(part(0)?, part(1)?)
            }
            _ => {
                let width = element.bytes();
                let begin = at.checked_mul(width)?;
                element.decode(self.bytes(element).get(begin..begin.checked_add(width)?)?)
            }
        })
    }

    /// The elements of a type that are bytes; those of less than a byte have one each.
    fn bytes(&self, element: ArrayElementType) -> &[u8] {
        match element {
            ArrayElementType::S1 => &self.s1s,
            ArrayElementType::S2 => &self.s2s,
            ArrayElementType::S4 => &self.s4s,
            ArrayElementType::S8 => &self.s8s,
            ArrayElementType::S16 => &self.s16s,
            ArrayElementType::U1 => &self.u1s,
            ArrayElementType::U2 => &self.u2s,
            ArrayElementType::U4 => &self.u4s,
            ArrayElementType::U8 => &self.u8s,
            ArrayElementType::U16 => &self.u16s,
            ArrayElementType::F16 => &self.f16s,
            ArrayElementType::BF16 => &self.bf16s,
            ArrayElementType::F8E5M2 => &self.f8e5m2s,
            ArrayElementType::F8E4M3FN => &self.f8e4m3fns,
            ArrayElementType::F8E4M3B11FNUZ => &self.f8e4m3b11fnuzs,
            ArrayElementType::F8E5M2FNUZ => &self.f8e5m2fnuzs,
            ArrayElementType::F8E4M3FNUZ => &self.f8e4m3fnuzs,
            ArrayElementType::F8E4M3 => &self.f8e4m3s,
            ArrayElementType::F8E3M4 => &self.f8e3m4s,
            ArrayElementType::F8E8M0FNU => &self.f8e8m0fnus,
            ArrayElementType::F4E2M1FN => &self.f4e2m1fns,
            ArrayElementType::F6E2M3FN => &self.f6e2m3fns,
            ArrayElementType::F6E3M2FN => &self.f6e3m2fns,
            _ => &[],
        }
    }
}

/// Where an element stands: those of a literal lie as its layout says, else row by row.
fn place(shape: &Shape, index: &[i64]) -> Option<usize> {
    let given = shape.layout.as_ref().map(|layout| layout.minor_to_major.as_slice());
    let given = given.filter(|given| given.len() == index.len());
    let rows: Vec<i64> =
        (0..index.len()).rev().filter_map(|axis| i64::try_from(axis).ok()).collect();
    let (mut at, mut step) = (0_i64, 1_i64);
    for axis in given.unwrap_or(&rows) {
        let axis = usize::try_from(*axis).ok()?;
        at = at.checked_add(step.checked_mul(*index.get(axis)?)?)?;
        step = step.checked_mul(*shape.dims.get(axis)?)?;
    }
    usize::try_from(at).ok()
}

/// Whether a comparison of elements of this type says nothing of its kind.
pub(crate) fn is_default_comparison(element: i32, comparison: &str) -> bool {
    let default = match shape::element(element).map(ArrayElementType::kind) {
        Some(ElementClass::Bool | ElementClass::Unsigned(_)) => "UNSIGNED",
        Some(ElementClass::Signed(_)) => "SIGNED",
        Some(_) => "FLOAT",
        None => "",
    };
    comparison.is_empty() || comparison == default
}
