//! Shared objects whose names share their bytes.

use super::Bomb;

const COMMANDS: &[&str] = &[
    "inspect FILE --static",
    "check FILE --static --with torch@2.1",
    "scan FILE --with torch@2.1 -o TABLE",
];

pub(super) fn all() -> Vec<Bomb> {
    vec![
        Bomb::new("symbols.so", elf(200_000, 1_000_000, 0), COMMANDS),
        Bomb::new("few-symbols.so", elf(60_000, 60_000, 0), COMMANDS),
        Bomb::new("short-names.so", elf(200_000, 40, 0), COMMANDS),
        Bomb::new("needed.so", elf(10, 1_000_000, 100_000), COMMANDS),
    ]
}

/// An ELF file for x86-64 with so many symbols and needed libraries, whose names are the ends of one string.
fn elf(symbols: u32, string: u32, needed: u64) -> Vec<u8> {
    const HEADER: u64 = 64;
    const SEGMENT: u64 = 56;
    let entry = b"GetPjrtApi\0";
    let names = [&[0][..], &vec![b'a'; string as usize], &[0], entry].concat();
    let symbol = |name: u32, section: u16| {
        let mut bytes = name.to_le_bytes().to_vec();
        bytes.extend([0x12, 0]);
        bytes.extend(section.to_le_bytes());
        bytes.extend(0x1000_u64.to_le_bytes());
        bytes.extend(8_u64.to_le_bytes());
        bytes
    };
    let names_at = HEADER + 2 * SEGMENT;
    let mut body = names.clone();
    let align = |body: &mut Vec<u8>| body.resize(body.len().next_multiple_of(8), 0);
    align(&mut body);
    let symbols_at = names_at + body.len() as u64;
    body.extend([0; 24]);
    body.extend(symbol(string + 2, 1));
    for nth in 0..symbols {
        body.extend(symbol(1 + nth % (string / 2), (nth % 2) as u16));
    }
    let hash_at = names_at + body.len() as u64;
    let count = symbols + 2;
    for number in [1, count, 1].into_iter().chain((0..count).map(|_| 0)) {
        body.extend(number.to_le_bytes());
    }
    align(&mut body);
    let dynamic_at = names_at + body.len() as u64;
    let libraries = (0..needed).map(|nth| (1, 1 + nth % 100));
    let tables =
        [(5, names_at), (6, symbols_at), (10, names.len() as u64), (11, 24), (4, hash_at), (0, 0)];
    let dynamic: Vec<u8> = libraries
        .chain(tables)
        .flat_map(|(tag, value): (u64, u64)| [tag.to_le_bytes(), value.to_le_bytes()].concat())
        .collect();
    let whole = dynamic_at + dynamic.len() as u64;
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([3, 0, 62, 0, 1, 0, 0, 0]);
    file.extend([0, HEADER, 0].map(u64::to_le_bytes).concat());
    file.extend([0; 4]);
    file.extend([64_u16, 56, 2, 0, 0, 0].map(u16::to_le_bytes).concat());
    let mut segment = |kind: u32, flags: u32, at: u64, size: u64, align: u64| {
        file.extend([kind, flags].map(u32::to_le_bytes).concat());
        file.extend([at, at, at, size, size, align].map(u64::to_le_bytes).concat());
    };
    segment(1, 5, 0, whole, 4096);
    segment(2, 4, dynamic_at, dynamic.len() as u64, 8);
    [file, body, dynamic].concat()
}
