//! `.npy` files.
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 6 | `93 4e 55 4d 50 59` |
//! | 2 | version: 1.0, 2.0 or 3.0 |
//! | 2, or 4 from 2.0 on | length of the header |
//! | to the end of the header | a Python dictionary with the keys `descr`, `fortran_order` and `shape` |
//! | to the end | the elements |
//!
//! Element types that numpy does not have stand in files as bytes without a meaning (`|V2` for a
//! brain float); [`Loose::as_type`] gives them one. The header is read here and not by a library: those
//! there are allocate what the header claims, recurse as deep as it nests, and overflow on its shape.

use crate::{Array, ArrayElementType, Scalar, ShapeError};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read, in bytes; real ones have some 120.
const LONGEST_HEADER: usize = 64 << 10;

/// The most dimensions that are read; numpy has at most 64.
const MOST_DIMENSIONS: usize = 64;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// It does not begin like a `.npy` file.
    #[error("not a .npy file")]
    NotNpy,
    /// The version of the format is not known.
    #[error("version of the .npy format that is not known: {0}.{1}")]
    Version(u8, u8),
    /// The file ends too early.
    #[error("byte {at}: the file ends {missing} bytes too early")]
    Truncated {
        /// Where the file ends.
        at: usize,
        /// How many bytes are missing.
        missing: usize,
    },
    /// The file goes on behind its elements.
    #[error("byte {at}: {more} bytes more than the array has")]
    TooLong {
        /// Where the array ends.
        at: usize,
        /// How many bytes there are more.
        more: usize,
    },
    /// The header is not one.
    #[error("byte {at}: the header: {what}")]
    Header {
        /// The offset of the fault in the file, in bytes.
        at: usize,
        /// The part of the header that is wrong.
        what: String,
    },
    /// The elements are objects of Python, text or records.
    #[error("elements that are no numbers: {0}; save the array as one of numbers")]
    NotNumbers(String),
    /// The shape cannot be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The elements are of another type than wanted.
    #[error(
        "the array is {found}, wanted {wanted}; convert it with `.astype`, or save it as {wanted}"
    )]
    OtherType {
        /// The type of the file, as numpy writes it.
        found: String,
        /// The element type of the parameter.
        wanted: ArrayElementType,
    },
    /// A number of the file is not one of the type that is wanted.
    #[error("element {at}: {wanted} has numbers from {} to {}: {number}", .range.0, .range.1)]
    Outside {
        /// Which element, counted in row-major order.
        at: usize,
        /// The element type of the parameter.
        wanted: ArrayElementType,
        /// The lowest and the highest number of the type.
        range: (i128, i128),
        /// The number that does not fit.
        number: i128,
    },
}

/// An array as it stands in a file: its elements may be bytes without a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose {
    /// The type as NumPy writes it: `<f4`, `|V2`.
    descr: String,
    /// The type, if the file names one.
    element: Option<ArrayElementType>,
    width: usize,
    dims: Vec<u64>,
    bytes: Vec<u8>,
}

impl Loose {
    /// Sizes from the outermost dimension to the innermost.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The type that the file names; none for bytes without a meaning.
    pub fn element(&self) -> Option<ArrayElementType> {
        self.element
    }

    /// The array with elements of this type, which must be what the file names, if it names one, and
    /// as wide. A file has whole bytes for types of less: `s4` may stand there as `i1`, `u4` as `u1`.
    ///
    /// # Errors
    /// [`NpyError::OtherType`]; [`NpyError::Outside`] for a number that such a smaller type does not have.
    pub fn as_type(&self, wanted: ArrayElementType) -> Result<Array, NpyError> {
        let stands_for = |element: ArrayElementType| {
            element == wanted
                || (element == ArrayElementType::S8
                    && matches!(
                        wanted,
                        ArrayElementType::S1 | ArrayElementType::S2 | ArrayElementType::S4
                    ))
                || (element == ArrayElementType::U8
                    && matches!(
                        wanted,
                        ArrayElementType::U1 | ArrayElementType::U2 | ArrayElementType::U4
                    ))
        };
        if self.width != wanted.bytes() || !self.element.is_none_or(stands_for) {
            let found = match self.element {
                Some(element) => element.to_string(),
                None => format!("{} ({} bytes an element)", self.descr, self.width),
            };
            return Err(NpyError::OtherType { found, wanted });
        }
        if let Some(element) = self.element.filter(|element| *element != wanted) {
            self.each_fits(element, wanted)?;
        }
        Ok(Array::new(wanted, &self.dims, self.bytes.clone())?)
    }

    /// That all numbers, which the file has as `element`, are numbers of the integer type `wanted`.
    fn each_fits(
        &self,
        element: ArrayElementType,
        wanted: ArrayElementType,
    ) -> Result<(), NpyError> {
        let Some(range) = wanted.integers() else { return Ok(()) };
        for (at, bytes) in self.bytes.chunks_exact(self.width).enumerate() {
            match element.decode(bytes) {
                Scalar::Int(number) if number < range.0 || number > range.1 => {
                    return Err(NpyError::Outside { at, wanted, range, number });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Reads a file.
///
/// # Errors
/// [`NpyError`] with the place.
pub fn read(file: &[u8]) -> Result<Loose, NpyError> {
    let rest = file.strip_prefix(MAGIC).ok_or(NpyError::NotNpy)?;
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or(truncated(file, 2))?;
    let (length, start) = match (major, minor) {
        (1, 0) => {
            let bytes: &[u8; 2] = rest.first_chunk().ok_or(truncated(file, 2))?;
            (usize::from(u16::from_le_bytes(*bytes)), 10)
        }
        (2 | 3, 0) => {
            let bytes: &[u8; 4] = rest.first_chunk().ok_or(truncated(file, 4))?;
            (u32::from_le_bytes(*bytes) as usize, 12)
        }
        _ => return Err(NpyError::Version(major, minor)),
    };
    if length > LONGEST_HEADER {
        let what = format!("{length} bytes long, wanted at most {LONGEST_HEADER}");
        return Err(NpyError::Header { at: start, what });
    }
    let end = start + length;
    let text = file.get(start..end).ok_or(truncated(file, end.saturating_sub(file.len())))?;
    let header = Header::read(text, start)?;
    header.elements(file, end)
}

fn truncated(file: &[u8], missing: usize) -> NpyError {
    NpyError::Truncated { at: file.len(), missing }
}

/// Writes an array: types that numpy does not have as bytes without a meaning.
pub fn write(array: &Array) -> Vec<u8> {
    let mut dims = String::new();
    for dim in array.dims() {
        dims.push_str(&format!("{dim}, "));
    }
    // One dimension needs its comma; more look better without the last.
    let dims = if array.dims().len() > 1 { dims.trim_end_matches(", ") } else { dims.trim_end() };
    let descr = descr(array.element());
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    // The elements begin at a multiple of 64.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.push_str(&" ".repeat(padding % 64));
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&[1, 0]);
    // Shapes of devices have few dimensions: a header never comes near 64 kB.
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(array.bytes());
    file
}

/// How numpy calls a type.
fn descr(element: ArrayElementType) -> String {
    let kind = match element {
        ArrayElementType::PRED => "|b1",
        ArrayElementType::S1
        | ArrayElementType::S2
        | ArrayElementType::S4
        | ArrayElementType::S8 => "|i1",
        ArrayElementType::U1
        | ArrayElementType::U2
        | ArrayElementType::U4
        | ArrayElementType::U8 => "|u1",
        ArrayElementType::S16 => "<i2",
        ArrayElementType::S32 => "<i4",
        ArrayElementType::S64 => "<i8",
        ArrayElementType::U16 => "<u2",
        ArrayElementType::U32 => "<u4",
        ArrayElementType::U64 => "<u8",
        ArrayElementType::F16 => "<f2",
        ArrayElementType::F32 => "<f4",
        ArrayElementType::F64 => "<f8",
        ArrayElementType::C64 => "<c8",
        ArrayElementType::C128 => "<c16",
        other => return format!("|V{}", other.bytes()),
    };
    kind.to_owned()
}

struct Header {
    descr: String,
    fortran: bool,
    dims: Vec<u64>,
}

impl Header {
    fn read(text: &[u8], start: usize) -> Result<Self, NpyError> {
        let mut words = Words { text, at: 0, start };
        let (mut descr, mut fortran, mut dims) = (None, None, None);
        words.expect(b'{')?;
        while !words.take(b'}') {
            let key = words.text()?;
            words.expect(b':')?;
            match key.as_str() {
                "descr" if words.peek() == Some(b'[') => {
                    return Err(NpyError::NotNumbers("records".to_owned()));
                }
                "descr" => descr = Some(words.text()?),
                "fortran_order" => fortran = Some(words.truth()?),
                "shape" => dims = Some(words.shape()?),
                other => return Err(words.error(&format!("a key that is not known: {other}"))),
            }
            if !words.take(b',') && words.peek() != Some(b'}') {
                return Err(words.error("a comma is missing"));
            }
        }
        let missing = |key: &str| words.error(&format!("the key is missing: {key}"));
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            dims: dims.ok_or_else(|| missing("shape"))?,
        })
    }

    /// The elements, from `start` of the file on, brought into row-major order and the lowest byte first.
    fn elements(self, file: &[u8], start: usize) -> Result<Loose, NpyError> {
        let Self { descr, fortran, dims } = self;
        let (element, width, unit) = meaning(&descr)?;
        // A type as wide stands in for those without a meaning, to check the size of the shape.
        let mut bytes = file.get(start..).unwrap_or_default().to_vec();
        let count = dims.iter().try_fold(1_u64, |all, dim| all.checked_mul(*dim));
        let size = count.and_then(|count| usize::try_from(count).ok()?.checked_mul(width));
        let too_large =
            || ShapeError::TooLarge(element.unwrap_or(ArrayElementType::U8), dims.clone());
        let size = size.ok_or_else(too_large)?;
        if bytes.len() < size {
            return Err(truncated(file, size - bytes.len()));
        }
        if bytes.len() > size {
            return Err(NpyError::TooLong { at: start + size, more: bytes.len() - size });
        }
        if descr.starts_with('>') {
            bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        if fortran && dims.len() > 1 {
            bytes = row_major(&bytes, width, &dims);
        }
        Ok(Loose { descr, element, width, dims, bytes })
    }
}

/// The type of a `descr`, the width of an element, and the width of what has a byte order.
fn meaning(descr: &str) -> Result<(Option<ArrayElementType>, usize, usize), NpyError> {
    let not_numbers = || NpyError::NotNumbers(descr.to_owned());
    let name = descr.trim_start_matches(['<', '>', '|', '=']);
    let known = Some(match name {
        "b1" | "?" => ArrayElementType::PRED,
        "i1" => ArrayElementType::S8,
        "i2" => ArrayElementType::S16,
        "i4" => ArrayElementType::S32,
        "i8" => ArrayElementType::S64,
        "u1" => ArrayElementType::U8,
        "u2" => ArrayElementType::U16,
        "u4" => ArrayElementType::U32,
        "u8" => ArrayElementType::U64,
        "f2" => ArrayElementType::F16,
        "f4" => ArrayElementType::F32,
        "f8" => ArrayElementType::F64,
        "c8" => ArrayElementType::C64,
        "c16" => ArrayElementType::C128,
        _ => {
            // What ml_dtypes writes, by its width alone: `V2`, `f1`.
            let width = name.strip_prefix(['V', 'f']).and_then(|width| width.parse().ok());
            let width = width.filter(|width| (1..=16).contains(width)).ok_or_else(not_numbers)?;
            return Ok((None, width, width));
        }
    });
    let width = known.map_or(1, ArrayElementType::bytes);
    let unit = if name.starts_with('c') { width / 2 } else { width };
    Ok((known, width, unit))
}

/// Elements in column-major order, in row-major order.
fn row_major(bytes: &[u8], width: usize, dims: &[u64]) -> Vec<u8> {
    let dims: Vec<usize> = dims.iter().map(|dim| *dim as usize).collect();
    let count = bytes.len() / width;
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0_usize; dims.len()];
    for _ in 0..count {
        let from = index.iter().zip(&dims).rfold(0, |from, (i, dim)| from * dim + i);
        out.extend_from_slice(&bytes[from * width..(from + 1) * width]);
        // The last index runs fastest.
        for at in (0..dims.len()).rev() {
            index[at] += 1;
            if index[at] < dims[at] {
                break;
            }
            index[at] = 0;
        }
    }
    out
}

struct Words<'a> {
    text: &'a [u8],
    at: usize,
    start: usize,
}

impl Words<'_> {
    fn error(&self, what: &str) -> NpyError {
        NpyError::Header { at: self.start + self.at, what: what.to_owned() }
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, wanted: u8) -> Result<(), NpyError> {
        let found = self.take(wanted);
        found.then_some(()).ok_or_else(|| self.error(&format!("wanted {}", char::from(wanted))))
    }

    fn text(&mut self) -> Result<String, NpyError> {
        let quote = self.peek().filter(|c| matches!(c, b'\'' | b'"'));
        let quote = quote.ok_or_else(|| self.error("wanted a text in quotes"))?;
        let from = self.at + 1;
        let length = self.text[from..].iter().position(|c| *c == quote);
        let length = length.ok_or_else(|| self.error("a text without an end"))?;
        self.at = from + length + 1;
        Ok(String::from_utf8_lossy(&self.text[from..from + length]).into_owned())
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        self.peek();
        for (word, truth) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(truth);
            }
        }
        Err(self.error("wanted True or False"))
    }

    /// The dimensions, written as a Python tuple: `(2, 3)`.
    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        self.expect(b'(')?;
        let mut dims = Vec::new();
        while !self.take(b')') {
            if dims.len() == MOST_DIMENSIONS {
                return Err(self.error("too many dimensions"));
            }
            self.peek();
            let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
            let text = std::str::from_utf8(&self.text[self.at..self.at + digits]);
            let dim = text.ok().and_then(|text| text.parse().ok());
            dims.push(dim.ok_or_else(|| self.error("wanted a dimension"))?);
            self.at += digits;
            // Python 2 wrote `2L`.
            self.take(b'L');
            if !self.take(b',') && self.peek() != Some(b')') {
                return Err(self.error("a comma is missing"));
            }
        }
        Ok(dims)
    }
}
