//! Copying ranges of sources into files.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::Seek as _;
use std::io::{self, Write as _};
use std::ops::Range;

use crate::Source;

/// How much is held in memory while copying: with less the calls can be seen, with more the cache is too small.
const BUFFER: usize = 1 << 19;

/// What file systems share between files, and the system keeps of them in memory.
#[cfg(target_os = "linux")]
const PAGE: u64 = 4096;

/// Appends `range` of `source` to `file`, a buffer at a time.
pub(crate) fn through_memory<S: Source + ?Sized>(
    source: &S,
    range: Range<u64>,
    file: &mut File,
) -> io::Result<()> {
    let mut left = range.end.saturating_sub(range.start);
    let mut buffer = vec![0; BUFFER.min(usize::try_from(left).unwrap_or(BUFFER))];
    while left > 0 {
        let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match source.read_at(range.end - left, &mut buffer[..wanted]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                file.write_all(&buffer[..read])?;
                left = left.saturating_sub(read as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Tells the file system how much is going to be appended, which then need not find room for each page by itself. Where it
/// does not want to know, writing will tell what is wrong.
#[cfg(target_os = "linux")]
pub(crate) fn announce(size: u64, file: &mut File) {
    use nix::fcntl::{FallocateFlags, fallocate};

    // A pipe or a terminal has no position, and no room to find.
    let Ok(position) = file.stream_position() else { return };
    let range = (i64::try_from(position), i64::try_from(size));
    if let (Ok(at), Ok(size @ 1..)) = range {
        let _ = fallocate(&*file, FallocateFlags::FALLOC_FL_KEEP_SIZE, at, size);
    }
}

/// Lets the system append `range` of `from` to `file`; what it could not copy is the result, and not an
/// error: between two file systems, or into a pipe, it may not be able to.
#[cfg(target_os = "linux")]
pub(crate) fn by_the_system(
    from: &File,
    range: Range<u64>,
    file: &mut File,
) -> io::Result<Range<u64>> {
    use nix::errno::Errno;
    use nix::fcntl::copy_file_range;

    // Pages that do not lie on pages are neither shared nor copied well: by way of memory it takes two thirds.
    let apart = file.stream_position().map(|position| range.start.abs_diff(position));
    if !apart.is_ok_and(|apart| apart.is_multiple_of(PAGE)) {
        return Ok(range);
    }
    let Ok(mut at) = i64::try_from(range.start) else { return Ok(range) };
    let mut done = range.start;
    while done < range.end {
        let wanted = usize::try_from(range.end - done).unwrap_or(usize::MAX).min(1 << 30);
        match copy_file_range(from, Some(&mut at), &*file, None, wanted) {
            // The end of the file, or a file of the kernel that says so: reading tells which.
            Ok(0) => break,
            Ok(copied) => done = done.saturating_add(copied as u64),
            Err(Errno::EINTR) => {}
            Err(
                Errno::EXDEV | Errno::EINVAL | Errno::ENOSYS | Errno::EOPNOTSUPP | Errno::EBADF,
            ) => {
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done..range.end)
}
