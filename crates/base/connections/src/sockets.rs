//! Sockets that the system hands to a server.

use std::io;

/// Asks the system for so many open files, and says how many the process may have.
#[cfg(unix)]
pub fn open_files(wanted: u64) -> u64 {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    let raised = soft.max(wanted.min(hard));
    match raised > soft && setrlimit(Resource::RLIMIT_NOFILE, raised, hard).is_ok() {
        true => raised,
        false => soft,
    }
}

/// Lets so many connections wait to be taken. Those beyond are not seen before they try again, a second later.
///
/// # Errors
/// If this is no socket that listens.
#[cfg(unix)]
pub fn queue(listener: &impl std::os::fd::AsFd, length: u16) -> io::Result<()> {
    use nix::sys::socket::{Backlog, listen};
    let length = Backlog::new(i32::from(length)).unwrap_or(Backlog::MAXCONN);
    Ok(listen(listener, length)?)
}

/// Other systems have no such number.
#[cfg(not(unix))]
pub fn open_files(wanted: u64) -> u64 {
    wanted
}

/// Other systems choose it themselves.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn queue<T>(_: &T, _: u16) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_there() {
        let now = open_files(0);
        assert!(now > 0);
        assert!(open_files(now) >= now);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        queue(&listener, 100).unwrap();
        std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    }
}
