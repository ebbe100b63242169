//! Arrays in pickles of joblib: where their elements end, so that the next instruction is found.
//!
//! joblib writes an object of the class `NumpyArrayWrapper` with the shape and the type of the array as its state, and the
//! elements behind the instruction that gives it that state. Since joblib 1.2 a byte and as many bytes as it says stand
//! before the elements, if the state has `numpy_array_alignment_bytes`. An array of objects is a pickle of its own there.

use unskew_source::SourceProblem;

use super::{Id, PickleValue, entry};

const MODULE: &str = "joblib.numpy_pickle";
const CLASS: &str = "NumpyArrayWrapper";

/// What stands behind the object that describes an array.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JoblibArray {
    /// Elements of so many bytes in all, behind a byte that says how many bytes to skip if `padded`.
    Numbers { padded: bool, size: u64 },
    /// A pickle.
    Objects,
}

fn malformed<T>(what: &str) -> Result<T, SourceProblem> {
    Err(SourceProblem::Malformed(format!("an array of joblib {what}")))
}

/// The array that the value describes; none if it is something else.
///
/// # Errors
/// If its type or its shape is none that an array can have.
pub(super) fn array(values: &[PickleValue], id: Id) -> Result<Option<JoblibArray>, SourceProblem> {
    let value = |id: Id| values.get(id as usize);
    let Some(PickleValue::Call(call)) = value(id) else { return Ok(None) };
    let Some(PickleValue::Global(module, name)) = value(call.callee) else { return Ok(None) };
    // `sklearn.externals.joblib` is what scikit-learn brought before 0.21.
    if name != CLASS || !module.ends_with(MODULE) {
        return Ok(None);
    }
    let Some(state) = call.state.and_then(value) else { return malformed("has no state") };
    let entry = |key: &str| entry(values, state, key);
    let Some(width) = entry("dtype").and_then(|dtype| element(values, dtype)) else {
        return malformed("has elements of a type that is not known");
    };
    let Some(width) = width else { return Ok(Some(JoblibArray::Objects)) };
    let Some(PickleValue::Tuple(shape)) = entry("shape") else { return malformed("has no shape") };
    let mut size = width;
    for id in shape {
        let length = value(*id).and_then(PickleValue::int).and_then(|n| u64::try_from(n).ok());
        let Some(product) = length.and_then(|length| size.checked_mul(length)) else {
            return malformed("has a shape that no array can have");
        };
        size = product;
    }
    let padded = entry("numpy_array_alignment_bytes").is_some_and(|one| one.int().is_some());
    Ok(Some(JoblibArray::Numbers { padded, size }))
}

/// The bytes of an element: the number at the end of the name of its type; `None` inside for objects.
fn element(values: &[PickleValue], dtype: &PickleValue) -> Option<Option<u64>> {
    let value = |id: Id| values.get(id as usize);
    let PickleValue::Call(call) = dtype else { return None };
    let PickleValue::Tuple(arguments) = value(call.arguments?)? else { return None };
    let name = value(*arguments.first()?)?.text()?;
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let kind = name.strip_suffix(digits)?;
    let number: u64 = digits.parse().ok()?;
    match kind.trim_start_matches(['<', '>', '=', '|']) {
        "O" => Some(None),
        // Letters of four bytes each.
        "U" => Some(Some(number.checked_mul(4)?)),
        "b" | "i" | "u" | "f" | "c" | "S" | "V" | "m" | "M" => Some(Some(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{PickleValue, scan_joblib};

    /// A pickle of an array with this type and shape, the elements behind it, and then the number 7 in a tuple with it.
    fn pickle(dtype: &str, shape: &[u8], padded: bool, elements: &[u8]) -> Vec<u8> {
        let text = |text: &str| [b"\x8c", &[text.len() as u8][..], text.as_bytes()].concat();
        let mut bytes = b"\x80\x04(cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81}(".to_vec();
        bytes.extend([text("shape"), b"(".to_vec()].concat());
        shape.iter().for_each(|length| bytes.extend([b'K', *length]));
        bytes.extend(
            [b"t".to_vec(), text("dtype"), b"cnumpy\ndtype\n(".to_vec(), text(dtype)].concat(),
        );
        bytes.extend(b"\x89\x88tR");
        if padded {
            bytes.extend([text("numpy_array_alignment_bytes"), b"K\x10".to_vec()].concat());
        }
        bytes.extend(b"ub");
        bytes.extend(elements);
        bytes.extend(b"K\x07t.");
        bytes
    }

    #[test]
    fn elements_are_passed_over() {
        for (dtype, size) in
            [("f8", 6 * 8), ("<i4", 6 * 4), ("U2", 6 * 8), ("V64", 6 * 64), ("b1", 6)]
        {
            let plain = pickle(dtype, &[2, 3], false, &vec![0xff; size]);
            let padding = [&[3, 0xff, 0xff, 0xff][..], &vec![0xff; size]].concat();
            for bytes in [plain, pickle(dtype, &[2, 3], true, &padding)] {
                let read = scan_joblib("f", &bytes).unwrap();
                let members: Vec<_> = read.members(read.root()).collect();
                assert_eq!(members.get(1), Some(&&PickleValue::Int(7)), "{dtype}");
                assert_eq!(read.len, bytes.len());
            }
        }
    }

    #[test]
    fn objects_are_a_pickle_of_their_own() {
        let read =
            scan_joblib("f", &pickle("O8", &[1], false, b"\x80\x02cshop\nCart\n)\x81.")).unwrap();
        assert!(read.imports.contains(&"shop.Cart".to_owned()), "{:?}", read.imports);
        assert_eq!(read.all().count(), 2);
    }

    #[test]
    fn an_array_that_cannot_be_is_refused() {
        for bytes in [
            pickle("x8", &[1], false, &[0; 8]),
            pickle("f8", &[200, 200, 200, 200], false, &[0; 8]),
            pickle("f8", &[1], true, &[200]),
            pickle("O8", &[1], false, b"\xff"),
        ] {
            assert!(scan_joblib("f", &bytes).is_err());
        }
    }
}
