//! Files and contents of every type; hostile files.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use proptest::prelude::*;
use unskew_array::npy::{self, NpyError};
use unskew_array::{Array, ArrayElementType, Fill};

fn file(header: &str, elements: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(elements);
    file
}

#[test]
fn arrays_of_every_type_are_read_as_they_were_written() {
    for element in ArrayElementType::ALL {
        for dims in [&[][..], &[3], &[2, 3], &[0, 4], &[2, 1, 2]] {
            let array = Array::filled(element, dims, Fill::Random(7)).unwrap();
            let file = npy::write(&array);
            let data = file.len() - array.bytes().len();
            assert_eq!(data % 64, 0, "{element} {dims:?}");
            assert_eq!(npy::read(&file).unwrap().as_type(element).unwrap(), array);
        }
    }
}

#[test]
fn column_major_and_big_endian_files_are_brought_into_order() {
    let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
    let elements = [0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6];
    let array =
        npy::read(&file(header, &elements)).unwrap().as_type(ArrayElementType::S16).unwrap();
    assert_eq!(array.to_string(), "[[1, 2, 3],\n [4, 5, 6]]");
    let header = "{'descr': '>c8', 'fortran_order': False, 'shape': (), }";
    let elements = [0x3f, 0x80, 0, 0, 0x40, 0, 0, 0];
    let array =
        npy::read(&file(header, &elements)).unwrap().as_type(ArrayElementType::C64).unwrap();
    assert_eq!(array.to_string(), "1+2j");
}

#[test]
fn bytes_without_a_meaning_get_one_of_their_width_only() {
    let header = "{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }";
    let loose = npy::read(&file(header, &[0x40, 0xc0])).unwrap();
    assert_eq!(loose.as_type(ArrayElementType::BF16).unwrap().to_string(), "[-3]");
    assert!(matches!(loose.as_type(ArrayElementType::F32), Err(NpyError::OtherType { .. })));
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    let error =
        npy::read(&file(header, &[0; 4])).unwrap().as_type(ArrayElementType::S32).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the array is f32, wanted s32; convert it with `.astype`, or save it as s32"
    );
}

#[test]
fn hostile_files_are_refused_with_the_place() {
    let shape =
        |shape: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let huge = shape("(99999999999, 99999999999, 99999999999)");
    assert!(matches!(npy::read(&file(&huge, &[])), Err(NpyError::Shape(_))));
    let large = shape("(4000000000,)");
    assert!(matches!(npy::read(&file(&large, &[])), Err(NpyError::Truncated { .. })));
    assert!(matches!(
        npy::read(&file(&shape("(1,)"), &[0; 5])),
        Err(NpyError::TooLong { more: 1, .. })
    ));
    assert!(matches!(npy::read(&file(&shape("(-1,)"), &[])), Err(NpyError::Header { .. })));
    let nested = "(".repeat(60_000);
    assert!(matches!(npy::read(&file(&nested, &[])), Err(NpyError::Header { at: 10, .. })));
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(npy::read(&long), Err(NpyError::Header { .. })));
    let objects = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }";
    assert!(matches!(npy::read(&file(objects, &[0; 8])), Err(NpyError::NotNumbers(_))));
    assert_eq!(npy::read(b"PK"), Err(NpyError::NotNpy));
}

#[test]
fn a_file_of_wider_integers_has_only_numbers_that_fit() {
    let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }";
    let loose = npy::read(&file(header, &[0xf8, 0x07])).unwrap();
    assert_eq!(loose.as_type(ArrayElementType::S4).unwrap().to_string(), "[-8, 7]");
    let loose = npy::read(&file(header, &[0x00, 100])).unwrap();
    let error = loose.as_type(ArrayElementType::S4).unwrap_err().to_string();
    assert_eq!(error, "element 1: s4 has numbers from -8 to 7: 100");
}

#[test]
fn integers_of_less_than_a_byte_are_written_with_their_sign() {
    // A device may leave the upper bits empty; numpy reads the whole byte.
    let array = Array::new(ArrayElementType::S4, &[2], vec![0x0f, 0x07]).unwrap();
    assert_eq!(array.to_string(), "[-1, 7]");
    assert!(npy::write(&array).ends_with(&[0xff, 0x07]));
    assert_eq!(Array::new(ArrayElementType::U4, &[1], vec![0xff]).unwrap().bytes(), [0x0f]);
    assert_eq!(Array::new(ArrayElementType::F6E3M2FN, &[1], vec![0xff]).unwrap().bytes(), [0x3f]);
    assert_eq!(Array::new(ArrayElementType::PRED, &[1], vec![2]).unwrap().bytes(), [1]);
}

#[test]
fn long_arrays_are_shortened() {
    let array = Array::filled(ArrayElementType::S32, &[2000], Fill::Iota).unwrap();
    assert_eq!(array.to_string(), "[0, 1, 2, ..., 1997, 1998, 1999]");
    let empty = Array::filled(ArrayElementType::F32, &[2, 0], Fill::Ones).unwrap();
    assert_eq!(empty.to_string(), "[[],\n []]");
    let empty = Array::filled(ArrayElementType::F32, &[1 << 40, 0], Fill::Ones).unwrap();
    assert_eq!(empty.to_string().matches("[]").count(), 6);
}

#[test]
fn contents_are_what_their_names_say_at_every_width() {
    let text = |element, fill| Array::filled(element, &[4], fill).unwrap().to_string();
    assert_eq!(text(ArrayElementType::F8E4M3FN, Fill::Iota), "[0, 1, 2, 3]");
    assert_eq!(text(ArrayElementType::F4E2M1FN, Fill::Ones), "[1, 1, 1, 1]");
    let most = Array::filled(ArrayElementType::F4E2M1FN, &[9], Fill::Iota).unwrap();
    assert_eq!(most.to_string(), "[0, 1, 2, 3, 4, 4, 6, 6, 6]");
    assert_eq!(text(ArrayElementType::S2, Fill::Iota), "[0, 1, -2, -1]");
    assert_eq!(text(ArrayElementType::PRED, Fill::Iota), "[false, true, true, true]");
    let large = Array::new(
        ArrayElementType::F32,
        &[3],
        [[0xff, 0xff, 0x7f, 0x7f], [0; 4], [1, 0, 0, 0]].concat(),
    );
    assert_eq!(large.unwrap().to_string(), "[3.4028235e38, 0, 1e-45]");
    assert_eq!(text(ArrayElementType::C128, Fill::Ones), "[1+0j, 1+0j, 1+0j, 1+0j]");
    assert_eq!(
        text(ArrayElementType::F32, Fill::Random(1)),
        text(ArrayElementType::F32, Fill::Random(1))
    );
    assert_ne!(
        text(ArrayElementType::F32, Fill::Random(1)),
        text(ArrayElementType::F32, Fill::Random(2))
    );
}

proptest! {
    #[test]
    fn any_bytes_are_a_file_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = npy::read(&bytes);
        let header = String::from_utf8_lossy(&bytes).into_owned();
        let _ = npy::read(&file(&header, &[1, 2, 3]));
    }

    #[test]
    fn a_changed_file_is_a_file_or_an_error(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut file = npy::write(&Array::filled(ArrayElementType::F32, &[2, 3], Fill::Iota).unwrap());
        let at = at.index(file.len());
        file[at] = byte;
        let Ok(loose) = npy::read(&file) else { return Ok(()) };
        for element in ArrayElementType::ALL {
            if let Ok(array) = loose.as_type(element) {
                let again = npy::read(&npy::write(&array)).and_then(|loose| loose.as_type(element));
                prop_assert_eq!(again, Ok(array));
            }
        }
    }
}
