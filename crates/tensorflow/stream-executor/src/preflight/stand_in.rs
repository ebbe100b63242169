//! A shared object that stands in for a library of TensorFlow.
//!
//! A plug-in needs `libtensorflow_framework.so.2` and binds to its functions when it is loaded, and here is
//! no TensorFlow. The loader takes a library that is loaded already for one that is needed if it gives
//! itself that name; so this makes one, byte by byte and without a linker, that exports whatever a plug-in
//! imports. Each function marks that it was called and goes on to an address in a table, which the process
//! that loads the stand-in fills in.
//!
//! Only for x86-64.

/// The symbol of the table of addresses, one for each function.
pub(crate) const ADDRESSES: &str = "unskew_stand_in_addresses";

/// The symbol of the marks, a byte for each function: 1 if it was called.
pub(crate) const CALLED: &str = "unskew_stand_in_called";

/// The size of a page; the marks begin on one.
pub(crate) const PAGE: usize = 4096;
/// The sizes of what ELF files for 64 bits consist of.
const HEADER: usize = 64;
const SEGMENT: usize = 56;
const SYMBOL: usize = 24;
const ENTRY: usize = 16;
/// How many segments there are: code, data, dynamic section, stack.
const SEGMENTS: usize = 4;
/// The bytes of one function.
const CODE: usize = 16;

/// Where the parts of the file lie; addresses are the same as offsets.
struct Plan {
    symbols: usize,
    names: usize,
    hash: usize,
    code: usize,
    code_end: usize,
    dynamic: usize,
    addresses: usize,
    called: usize,
    end: usize,
}

/// The file of a library that calls itself `soname` and exports `functions`.
pub(crate) fn library(soname: &str, functions: &[&str]) -> Vec<u8> {
    let mut names = Names::default();
    let soname = names.add(soname);
    let symbols: Vec<(&str, usize)> =
        functions.iter().chain(&[ADDRESSES, CALLED]).map(|name| (*name, names.add(name))).collect();
    let plan = Plan::new(functions.len(), names.bytes.len());
    let mut file = vec![0; plan.end];
    header(&mut file, &plan);
    put(&mut file, plan.names, &names.bytes);
    for (i, (name, at)) in symbols.iter().enumerate() {
        let (address, size, kind) = match *name {
            ADDRESSES => (plan.addresses, functions.len() * 8, OBJECT),
            CALLED => (plan.called, functions.len(), OBJECT),
            _ => (plan.code + i * CODE, CODE, FUNCTION),
        };
        symbol(&mut file, plan.symbols + (i + 1) * SYMBOL, *at, kind, address, size);
    }
    hash(&mut file, plan.hash, &symbols);
    for i in 0..functions.len() {
        code(&mut file, &plan, i);
    }
    dynamic(&mut file, &plan, soname, names.bytes.len());
    file
}

impl Plan {
    fn new(functions: usize, names_len: usize) -> Self {
        let count = functions + 3;
        let symbols = HEADER + SEGMENTS * SEGMENT;
        let names = symbols + count * SYMBOL;
        let hash = (names + names_len).next_multiple_of(8);
        let code = (hash + (2 + 2 * count) * 4).next_multiple_of(16);
        let code_end = code + functions * CODE;
        let dynamic = code_end.next_multiple_of(PAGE);
        let addresses = dynamic + 7 * ENTRY;
        // On pages of its own, so that they can be shared.
        let called = (addresses + functions * 8).next_multiple_of(PAGE);
        Self {
            symbols,
            names,
            hash,
            code,
            code_end,
            dynamic,
            addresses,
            called,
            end: (called + functions.max(1)).next_multiple_of(PAGE),
        }
    }
}

struct Names {
    bytes: Vec<u8>,
}

impl Default for Names {
    fn default() -> Self {
        Self { bytes: vec![0] }
    }
}

impl Names {
    fn add(&mut self, name: &str) -> usize {
        let at = self.bytes.len();
        self.bytes.extend(name.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
        at
    }
}

fn header(file: &mut [u8], plan: &Plan) {
    // 64 bits, little-endian, version 1.
    put(file, 0, b"\x7fELF\x02\x01\x01");
    let halves = [(16, 3), (18, 62), (52, HEADER), (54, SEGMENT), (56, SEGMENTS)];
    for (at, value) in halves {
        half(file, at, value);
    }
    word(file, 20, 1);
    long(file, 32, HEADER);
    let dynamic = (plan.dynamic, plan.addresses - plan.dynamic);
    let data = (plan.dynamic, plan.end - plan.dynamic);
    // Kind, rights (1 run, 2 write, 4 read), place and length, alignment.
    let segments = [
        (1, 5, (0, plan.code_end), PAGE),
        (1, 6, data, PAGE),
        (2, 6, dynamic, 8),
        (0x6474_e551, 6, (0, 0), 16),
    ];
    for (i, (kind, rights, (at, length), align)) in segments.into_iter().enumerate() {
        let place = HEADER + i * SEGMENT;
        word(file, place, kind);
        word(file, place + 4, rights);
        for (k, value) in [at, at, at, length, length, align].into_iter().enumerate() {
            long(file, place + 8 + k * 8, value);
        }
    }
}

const FUNCTION: u8 = 0x12;
const OBJECT: u8 = 0x11;

fn symbol(file: &mut [u8], place: usize, name: usize, kind: u8, address: usize, size: usize) {
    word(file, place, name);
    // Any section but the one of undefined symbols.
    put(file, place + 4, &[kind, 0, 1, 0]);
    long(file, place + 8, address);
    long(file, place + 16, size);
}

/// The hash table of the original ELF: as many buckets as symbols.
fn hash(file: &mut [u8], place: usize, symbols: &[(&str, usize)]) {
    let count = symbols.len() + 1;
    word(file, place, count);
    word(file, place + 4, count);
    let (buckets, chains) = (place + 8, place + 8 + 4 * count);
    let mut first = vec![0; count];
    for (i, (name, _)) in symbols.iter().enumerate() {
        let bucket = elf_hash(name) as usize % count;
        word(file, chains + 4 * (i + 1), first[bucket]);
        first[bucket] = i + 1;
    }
    for (bucket, symbol) in first.into_iter().enumerate() {
        word(file, buckets + 4 * bucket, symbol);
    }
}

fn elf_hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let shifted = (hash << 4).wrapping_add(byte.into());
        let high = shifted & 0xf000_0000;
        (shifted ^ (high >> 24)) & !high
    })
}

/// `mov byte [called + i], 1; jmp [addresses + 8 i]`, both relative to the instruction after.
fn code(file: &mut [u8], plan: &Plan, i: usize) {
    let place = plan.code + i * CODE;
    put(file, place, &[0xc6, 0x05]);
    word(file, place + 2, plan.called + i - (place + 7));
    put(file, place + 6, &[1, 0xff, 0x25]);
    word(file, place + 9, plan.addresses + 8 * i - (place + 13));
}

fn dynamic(file: &mut [u8], plan: &Plan, soname: usize, names_len: usize) {
    let entries = [
        (14, soname),
        (4, plan.hash),
        (5, plan.names),
        (6, plan.symbols),
        (10, names_len),
        (11, SYMBOL),
        (0, 0),
    ];
    for (i, (tag, value)) in entries.into_iter().enumerate() {
        long(file, plan.dynamic + i * ENTRY, tag);
        long(file, plan.dynamic + i * ENTRY + 8, value);
    }
}

fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = file.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn half(file: &mut [u8], at: usize, value: usize) {
    put(file, at, &(value as u16).to_le_bytes());
}

fn word(file: &mut [u8], at: usize, value: usize) {
    put(file, at, &(value as u32).to_le_bytes());
}

fn long(file: &mut [u8], at: usize, value: usize) {
    put(file, at, &(value as u64).to_le_bytes());
}
