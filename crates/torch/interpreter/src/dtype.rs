//! Element types, and which of them an operation on several gives.

use std::fmt;

use unskew_array::ArrayElementType;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say what they are")]
#[rustfmt::skip]
pub enum Dtype { U8, I8, I16, I32, I64, F16, F32, F64, C64, C128, Bool, BF16 }

/// What kind of number a type holds, in the order in which kinds win over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DtypeCategory {
    /// Booleans, one byte each.
    Bool,
    /// Integers of any width.
    Int,
    /// Real numbers of any width.
    Float,
    /// Complex numbers of any width.
    Complex,
}

/// Every type with its name in PyTorch, the name of its C type, its code in programs and its bytes.
#[rustfmt::skip]
const TYPES: [(Dtype, &str, &str, i64, usize, DtypeCategory); 12] = [
    (Dtype::U8, "uint8", "Byte", 0, 1, DtypeCategory::Int),
    (Dtype::I8, "int8", "Char", 1, 1, DtypeCategory::Int),
    (Dtype::I16, "int16", "Short", 2, 2, DtypeCategory::Int),
    (Dtype::I32, "int32", "Int", 3, 4, DtypeCategory::Int),
    (Dtype::I64, "int64", "Long", 4, 8, DtypeCategory::Int),
    (Dtype::F16, "float16", "Half", 5, 2, DtypeCategory::Float),
    (Dtype::F32, "float32", "Float", 6, 4, DtypeCategory::Float),
    (Dtype::F64, "float64", "Double", 7, 8, DtypeCategory::Float),
    (Dtype::C64, "complex64", "ComplexFloat", 9, 8, DtypeCategory::Complex),
    (Dtype::C128, "complex128", "ComplexDouble", 10, 16, DtypeCategory::Complex),
    (Dtype::Bool, "bool", "Bool", 11, 1, DtypeCategory::Bool),
    (Dtype::BF16, "bfloat16", "BFloat16", 15, 2, DtypeCategory::Float),
];

impl Dtype {
    /// Every type that tensors can have.
    pub fn all() -> impl Iterator<Item = Self> {
        TYPES.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, i64, usize, DtypeCategory) {
        // Every type has its row, in the order of the types.
        TYPES.get(self as usize).unwrap_or(&TYPES[0])
    }

    /// The name as users write it: `float32`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The name in messages of PyTorch, and of its storages: `Float`.
    pub(crate) fn storage_name(self) -> &'static str {
        self.row().2
    }

    /// The type of this name: `float32`, `Float`.
    pub fn named(name: &str) -> Option<Self> {
        TYPES.iter().find(|row| row.1 == name || row.2 == name).map(|row| row.0)
    }

    /// The number that stands for it in programs.
    pub fn code(self) -> i64 {
        self.row().3
    }

    /// The type that this number stands for.
    pub fn of_code(code: i64) -> Option<Self> {
        TYPES.iter().find(|row| row.3 == code).map(|row| row.0)
    }

    /// How many bytes an element takes.
    pub fn bytes(self) -> usize {
        self.row().4
    }

    /// What kind of number it holds.
    pub fn category(self) -> DtypeCategory {
        self.row().5
    }

    pub(crate) fn is_float(self) -> bool {
        self.category() == DtypeCategory::Float
    }

    /// Whether it holds complex numbers.
    pub fn is_complex(self) -> bool {
        self.category() == DtypeCategory::Complex
    }

    /// Whether it holds integers, or true and false.
    pub fn is_integral(self) -> bool {
        self.category() <= DtypeCategory::Int
    }

    /// The same type of arrays.
    pub(crate) fn array_type(self) -> ArrayElementType {
        match self {
            Self::U8 => ArrayElementType::U8,
            Self::I8 => ArrayElementType::S8,
            Self::I16 => ArrayElementType::S16,
            Self::I32 => ArrayElementType::S32,
            Self::I64 => ArrayElementType::S64,
            Self::F16 => ArrayElementType::F16,
            Self::F32 => ArrayElementType::F32,
            Self::F64 => ArrayElementType::F64,
            Self::C64 => ArrayElementType::C64,
            Self::C128 => ArrayElementType::C128,
            Self::Bool => ArrayElementType::PRED,
            Self::BF16 => ArrayElementType::BF16,
        }
    }

    /// The type of these arrays, if PyTorch has it.
    pub(crate) fn of_array(element: ArrayElementType) -> Option<Self> {
        Self::all().find(|dtype| dtype.array_type() == element)
    }

    /// The complex type whose parts have this type; `float32` for all that are not `float64`.
    pub(crate) fn to_complex(self) -> Self {
        match self {
            Self::F64 | Self::C128 => Self::C128,
            _ => Self::C64,
        }
    }

    /// The type of the parts of a complex type; of any other the type itself.
    pub(crate) fn part(self) -> Self {
        match self {
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            other => other,
        }
    }

    /// The type that a number of this kind has in an operation on tensors.
    pub(crate) fn of_number(self) -> Self {
        match self.category() {
            DtypeCategory::Float => Self::F32,
            DtypeCategory::Complex => Self::C64,
            _ => self,
        }
    }

    /// Whether a result of this type may be stored in `to`: a kind of number may not be narrowed.
    pub(crate) fn can_cast(self, to: Self) -> bool {
        self.category() <= to.category()
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The smallest type that holds what both hold.
pub(crate) fn promote(a: Dtype, b: Dtype) -> Dtype {
    use Dtype::{BF16, F16, F32, I16, U8};
    if a == b {
        return a;
    }
    let (low, high) = if a.category() <= b.category() { (a, b) } else { (b, a) };
    match (low.category(), high.category()) {
        (low_kind, DtypeCategory::Complex)
            if low_kind == DtypeCategory::Complex || low == Dtype::F64 =>
        {
            if low == high {
                high
            } else {
                Dtype::C128
            }
        }
        (_, DtypeCategory::Complex) => high,
        (DtypeCategory::Float, DtypeCategory::Float) => match (low, high) {
            (F16, BF16) | (BF16, F16) => F32,
            _ if low.bytes() > high.bytes() => low,
            _ => high,
        },
        (DtypeCategory::Int, DtypeCategory::Int) => match (low, high) {
            (U8, other) | (other, U8) => {
                if other.bytes() == 1 {
                    I16
                } else {
                    other
                }
            }
            _ if low.bytes() > high.bytes() => low,
            _ => high,
        },
        _ => high,
    }
}

/// The type of an operation, found from its operands in three classes: tensors with dimensions win
/// over those without, those over plain numbers, unless the other is of a higher category.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResultType {
    dims: Option<Dtype>,
    zero: Option<Dtype>,
    wrapped: Option<Dtype>,
}

impl ResultType {
    pub(crate) fn tensor(&mut self, dtype: Dtype, rank: usize) {
        let class = if rank == 0 { &mut self.zero } else { &mut self.dims };
        *class = Some(class.map_or(dtype, |known| promote(known, dtype)));
    }

    /// A plain number takes part, of its default type.
    pub(crate) fn number(&mut self, dtype: Dtype) {
        self.wrapped = Some(self.wrapped.map_or(dtype, |known| promote(known, dtype)));
    }

    /// The type; `float32` of nothing.
    pub(crate) fn get(self) -> Dtype {
        combine(self.dims, combine(self.zero, self.wrapped)).unwrap_or(Dtype::F32)
    }
}

fn combine(higher: Option<Dtype>, lower: Option<Dtype>) -> Option<Dtype> {
    let (Some(high), Some(low)) = (higher, lower) else { return higher.or(lower) };
    Some(match (high.category(), low.category()) {
        (DtypeCategory::Complex, _) => high,
        (DtypeCategory::Float, DtypeCategory::Complex) => high.to_complex(),
        (DtypeCategory::Float, _) => high,
        (DtypeCategory::Bool, _) | (_, DtypeCategory::Float | DtypeCategory::Complex) => {
            promote(high, low)
        }
        _ => high,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_types() {
        for (at, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, at);
            assert_eq!(row.0.array_type().bytes(), row.4);
        }
    }

    #[test]
    fn pairs_promote_as_in_pytorch() {
        use Dtype::*;
        for (a, b, wanted) in [
            (U8, I8, I16),
            (U8, I16, I16),
            (Bool, U8, U8),
            (I64, F16, F16),
            (F16, BF16, F32),
            (F16, F32, F32),
            (I64, C64, C64),
            (F64, C64, C128),
            (C64, C128, C128),
            (I8, I64, I64),
        ] {
            assert_eq!((promote(a, b), promote(b, a)), (wanted, wanted), "{a} {b}");
        }
    }

    #[test]
    fn dimensions_win_over_zero_dimensions_win_over_numbers() {
        let of = |dims: Option<Dtype>, zero: Option<Dtype>, wrapped: Option<Dtype>| {
            ResultType { dims, zero, wrapped }.get()
        };
        use Dtype::*;
        assert_eq!(of(Some(F16), Some(F64), None), F16);
        assert_eq!(of(Some(I32), Some(F64), None), F64);
        assert_eq!(of(Some(I8), None, Some(I64)), I8);
        assert_eq!(of(Some(Bool), None, Some(I64)), I64);
        assert_eq!(of(Some(I8), None, Some(F32)), F32);
        assert_eq!(of(None, Some(I32), Some(F32)), F32);
        assert_eq!(of(Some(F64), None, Some(C64)), C128);
    }
}
