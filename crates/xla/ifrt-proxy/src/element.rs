//! Element types: as IFRT numbers them, and as PJRT does.

use unskew_ifrt::types::{DType, DTypeKind, Ifrt};
use unskew_pjrt::ElementType;
use unskew_serdes::proto::decode;

use crate::status::Status;

/// The two numbers of each type. Texts and opaque values have none in PJRT.
const PAIRS: [(DTypeKind, ElementType); 30] = [
    (DTypeKind::Pred, ElementType::PRED),
    (DTypeKind::S1, ElementType::S1),
    (DTypeKind::S2, ElementType::S2),
    (DTypeKind::S4, ElementType::S4),
    (DTypeKind::S8, ElementType::S8),
    (DTypeKind::S16, ElementType::S16),
    (DTypeKind::S32, ElementType::S32),
    (DTypeKind::S64, ElementType::S64),
    (DTypeKind::U1, ElementType::U1),
    (DTypeKind::U2, ElementType::U2),
    (DTypeKind::U4, ElementType::U4),
    (DTypeKind::U8, ElementType::U8),
    (DTypeKind::U16, ElementType::U16),
    (DTypeKind::U32, ElementType::U32),
    (DTypeKind::U64, ElementType::U64),
    (DTypeKind::F16, ElementType::F16),
    (DTypeKind::F32, ElementType::F32),
    (DTypeKind::F64, ElementType::F64),
    (DTypeKind::Bf16, ElementType::BF16),
    (DTypeKind::C64, ElementType::C64),
    (DTypeKind::C128, ElementType::C128),
    (DTypeKind::F8e3m4, ElementType::F8E3M4),
    (DTypeKind::F8e4m3, ElementType::F8E4M3),
    (DTypeKind::F8e4m3fn, ElementType::F8E4M3FN),
    (DTypeKind::F8e4m3b11fnuz, ElementType::F8E4M3B11FNUZ),
    (DTypeKind::F8e4m3fnuz, ElementType::F8E4M3FNUZ),
    (DTypeKind::F8e5m2, ElementType::F8E5M2),
    (DTypeKind::F8e5m2fnuz, ElementType::F8E5M2FNUZ),
    (DTypeKind::F8e8m0fnu, ElementType::F8E8M0FNU),
    (DTypeKind::F4e2m1fn, ElementType::F4E2M1FN),
];

/// The types that came last, and the token, which PJRT has and which holds nothing.
const MORE: [(DTypeKind, ElementType); 3] = [
    (DTypeKind::F6e2m3fn, ElementType::F6E2M3FN),
    (DTypeKind::F6e3m2fn, ElementType::F6E3M2FN),
    (DTypeKind::Token, ElementType::TOKEN),
];

fn pairs() -> impl Iterator<Item = (DTypeKind, ElementType)> {
    PAIRS.into_iter().chain(MORE)
}

/// The kind in an encoded `DType` of host data.
///
/// # Errors
/// INVALID_ARGUMENT if it is no `DType`, or has no kind: clients send such a one for a type that they have no number for.
pub fn kind(encoded: &[u8]) -> Result<DTypeKind, Status> {
    if encoded.is_empty() {
        return Err(Status::invalid(
            "the client sent an array of a type that its jaxlib has no number for, such as int2 up to 0.7; \
             take a newer jaxlib, or another type",
        ));
    }
    Ok(decode::<Ifrt, DType>(encoded)?.kind)
}

/// The type as PJRT numbers it.
///
/// # Errors
/// UNIMPLEMENTED if PJRT has no such arrays.
pub fn to_pjrt(kind: DTypeKind) -> Result<ElementType, Status> {
    let found = pairs().find(|(known, _)| *known == kind);
    found.map(|(_, element)| element).ok_or_else(|| Status::no_such_elements(kind))
}

/// The type as IFRT numbers it.
///
/// # Errors
/// UNIMPLEMENTED if IFRT has none.
pub fn to_ifrt(element: ElementType) -> Result<DTypeKind, Status> {
    let found = pairs().find(|(_, known)| *known == element);
    found.map(|(kind, _)| kind).ok_or_else(|| {
        Status::unimplemented(format!(
            "IFRT has no arrays of this PJRT element type: {}",
            element.0
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_of_one_side_is_one_type_of_the_other() {
        for (kind, element) in pairs() {
            assert_eq!(to_pjrt(kind).unwrap(), element);
            assert_eq!(to_ifrt(element).unwrap(), kind);
        }
        assert!(to_pjrt(DTypeKind::String).is_err());
        assert!(to_ifrt(ElementType(0)).is_err());
    }
}
