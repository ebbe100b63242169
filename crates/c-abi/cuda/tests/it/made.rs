//! Shared objects with fat binaries, made byte by byte.

/// What an entry of a fat binary is to be.
#[derive(Clone, Copy, Debug)]
pub struct MadeEntry {
    /// 1 is PTX, 2 machine code.
    pub kind: u16,
    /// 90 of `sm_90`.
    pub architecture: u32,
    /// Bit 20 for `sm_90a`, bit 21 for `sm_100f`.
    pub flags: u64,
    /// Major and minor of PTX.
    pub isa: (u16, u16),
}

/// Machine code for an architecture.
pub fn cubin(architecture: u32) -> MadeEntry {
    MadeEntry { kind: 2, architecture, flags: 0x11, isa: (1, 8) }
}

/// PTX 8.4 for an architecture.
pub fn ptx(architecture: u32) -> MadeEntry {
    MadeEntry { kind: 1, architecture, flags: 0x8011, isa: (8, 4) }
}

/// A fat binary with these entries, each with another size of its payload.
pub fn fat_binary(entries: &[MadeEntry]) -> Vec<u8> {
    let mut all = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let payload = 4096 + 8 * at;
        // Code for newer architectures has longer headers.
        let size = if entry.architecture >= 100 { 112 } else { 64 };
        let mut header = vec![0; size];
        header[0..2].copy_from_slice(&entry.kind.to_le_bytes());
        header[2..4].copy_from_slice(&0x101_u16.to_le_bytes());
        header[4..8].copy_from_slice(&(size as u32).to_le_bytes());
        header[8..16].copy_from_slice(&(payload as u64).to_le_bytes());
        header[24..26].copy_from_slice(&entry.isa.1.to_le_bytes());
        header[26..28].copy_from_slice(&entry.isa.0.to_le_bytes());
        header[28..32].copy_from_slice(&entry.architecture.to_le_bytes());
        header[40..48].copy_from_slice(&entry.flags.to_le_bytes());
        all.extend(header);
        all.extend(vec![0xaa; payload]);
    }
    let mut made = 0xba55_ed50_u32.to_le_bytes().to_vec();
    made.extend(1_u16.to_le_bytes());
    made.extend(16_u16.to_le_bytes());
    made.extend((all.len() as u64).to_le_bytes());
    made.extend(all);
    made
}

/// The smallest ELF file with a section `.nv_fatbin` of these bytes.
pub fn object(section: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.nv_fatbin\0.shstrtab\0";
    const HEADER: u64 = 64;
    let names_at = HEADER + section.len() as u64;
    let table_at = (names_at + NAMES.len() as u64).next_multiple_of(8);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend(3_u16.to_le_bytes());
    file.extend(62_u16.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    file.extend([0; 16]);
    file.extend(table_at.to_le_bytes());
    file.extend(0_u32.to_le_bytes());
    for number in [64_u16, 56, 0, 64, 3, 2] {
        file.extend(number.to_le_bytes());
    }
    file.extend(section);
    file.extend(NAMES);
    file.resize(table_at as usize, 0);
    file.extend([0; 64]);
    let sizes = [section.len(), NAMES.len()].map(|size| size as u64);
    for (name, kind, at, size) in [(1_u32, 1_u32, HEADER, sizes[0]), (12, 3, names_at, sizes[1])] {
        file.extend(name.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend([0; 16]);
        file.extend(at.to_le_bytes());
        file.extend(size.to_le_bytes());
        file.extend([0; 24]);
    }
    file
}
