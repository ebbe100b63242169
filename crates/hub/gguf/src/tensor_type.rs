//! Types of tensors: the number in a file, the name in ggml, and how many bytes a block of values takes.

/// A type: its name, the values of a block, the bytes of a block.
pub(crate) struct TensorType {
    pub(crate) name: &'static str,
    pub(crate) block: u64,
    pub(crate) bytes: u64,
}

const fn typed(name: &'static str, block: u64, bytes: u64) -> Option<TensorType> {
    Some(TensorType { name, block, bytes })
}

/// By number. The two that are none were removed before there was a GGUF.
const TYPES: [Option<TensorType>; 43] = [
    typed("F32", 1, 4),
    typed("F16", 1, 2),
    typed("Q4_0", 32, 18),
    typed("Q4_1", 32, 20),
    None,
    None,
    typed("Q5_0", 32, 22),
    typed("Q5_1", 32, 24),
    typed("Q8_0", 32, 34),
    typed("Q8_1", 32, 36),
    typed("Q2_K", 256, 84),
    typed("Q3_K", 256, 110),
    typed("Q4_K", 256, 144),
    typed("Q5_K", 256, 176),
    typed("Q6_K", 256, 210),
    typed("Q8_K", 256, 292),
    typed("IQ2_XXS", 256, 66),
    typed("IQ2_XS", 256, 74),
    typed("IQ3_XXS", 256, 98),
    typed("IQ1_S", 256, 50),
    typed("IQ4_NL", 32, 18),
    typed("IQ3_S", 256, 110),
    typed("IQ2_S", 256, 82),
    typed("IQ4_XS", 256, 136),
    typed("I8", 1, 1),
    typed("I16", 1, 2),
    typed("I32", 1, 4),
    typed("I64", 1, 8),
    typed("F64", 1, 8),
    typed("IQ1_M", 256, 56),
    typed("BF16", 1, 2),
    typed("Q4_0_4_4", 32, 18),
    typed("Q4_0_4_8", 32, 18),
    typed("Q4_0_8_8", 32, 18),
    typed("TQ1_0", 256, 54),
    typed("TQ2_0", 256, 66),
    typed("IQ4_NL_4_4", 32, 18),
    typed("IQ4_NL_4_8", 32, 18),
    typed("IQ4_NL_8_8", 32, 18),
    typed("MXFP4", 32, 17),
    typed("NVFP4", 64, 36),
    typed("Q1_0", 128, 18),
    typed("Q2_0", 64, 18),
];

/// The type of this number, if it is known.
pub(crate) fn by_number(number: u32) -> Option<&'static TensorType> {
    TYPES.get(number as usize)?.as_ref()
}

/// Its name, or `type 57`.
pub(crate) fn name_of(number: u32) -> String {
    by_number(number).map_or_else(|| format!("type {number}"), |known| known.name.to_owned())
}

/// How many bytes a tensor of this type and shape takes; none for an unknown type, or if no such tensor can be.
pub(crate) fn bytes_of(number: u32, dimensions: &[u64]) -> Option<u64> {
    let known = by_number(number)?;
    let values = dimensions.iter().try_fold(1_u64, |all, size| all.checked_mul(*size))?;
    let row = dimensions.first().copied().unwrap_or(1);
    row.is_multiple_of(known.block).then_some(())?;
    (values / known.block).checked_mul(known.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_that_of_whole_blocks() {
        assert_eq!(bytes_of(2, &[64, 3]), Some(6 * 18));
        assert_eq!(bytes_of(2, &[33]), None);
        assert_eq!(bytes_of(0, &[]), Some(4));
        assert_eq!(bytes_of(0, &[u64::MAX, 2]), None);
        assert_eq!(bytes_of(4, &[32]), None);
        assert_eq!(name_of(31), "Q4_0_4_4");
        assert_eq!(name_of(99), "type 99");
    }
}
