//! New processes and threads of a confined child: the kernel asks, the parent decides.
//!
//! A limit on processes (`RLIMIT_NPROC`) counts all processes of a user and none of root's. So the child has a filter
//! that hands every `clone` to a descriptor, and gives this descriptor to its parent before it loads anything. A
//! thread is allowed until there were too many; a process only if the child has announced it a moment before.
#![allow(unsafe_code, reason = "seccomp notifications have no safe interface")]

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

use super::listen::kind;

/// How many threads a child may start in all.
const MOST_THREADS: u32 = 4096;

/// How much a child may say before it is confined, in bytes.
const MOST_BEFORE: usize = 64 << 10;

/// What the parent allows a child.
#[derive(Default)]
pub(super) struct Allow {
    copy: Arc<AtomicBool>,
}

impl Allow {
    /// Receives what the child says until it hands over the descriptor at which the kernel asks, or says that it could not
    /// be confined. None if it says neither.
    pub(super) fn receive(&mut self, stream: &UnixStream, token: &str) -> Option<Vec<u8>> {
        let refused = format!("{token} {}", kind::REFUSED);
        let mut said = Vec::new();
        while said.len() < MOST_BEFORE {
            let (bytes, listener) = receive_part(stream)?;
            said.extend_from_slice(&bytes);
            if let Some(listener) = listener {
                let copy = Arc::clone(&self.copy);
                std::thread::spawn(move || decide(&listener, &copy));
                return Some(said);
            }
            if memchr::memmem::find(&said, refused.as_bytes()).is_some() {
                return Some(said);
            }
        }
        None
    }

    /// Allows the next process.
    pub(super) fn one_copy(&self) {
        self.copy.store(true, Ordering::SeqCst);
    }
}

/// Some bytes, and the descriptor that came with them. None at the end.
fn receive_part(stream: &UnixStream) -> Option<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = vec![0; 4096];
    let mut control = nix::cmsg_space!([std::os::fd::RawFd; 1]);
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let mut slices = [IoSliceMut::new(&mut bytes)];
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut control), flags);
    let message = message.ok().filter(|message| message.bytes > 0)?;
    let mut listener = None;
    for control in message.cmsgs().ok()? {
        if let ControlMessageOwned::ScmRights(descriptors) = control {
            // SAFETY: the kernel has just made these for this process.
            let own = |raw| unsafe { OwnedFd::from_raw_fd(raw) };
            listener = descriptors.into_iter().map(own).next();
        }
    }
    let length = message.bytes;
    bytes.truncate(length);
    Some((bytes, listener))
}

/// Answers the kernel until the child and everything that it started is gone.
fn decide(listener: &OwnedFd, copy: &AtomicBool) {
    let mut threads = 0;
    loop {
        let mut ready = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::NONE) {
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return,
        }
        let events = ready[0].revents().unwrap_or(PollFlags::POLLERR);
        if !events.contains(PollFlags::POLLIN) {
            return;
        }
        let Ok(asked) = receive(listener) else { continue };
        let flags = asked.data.args[0];
        let allowed = if flags & libc::CLONE_THREAD as u64 != 0 {
            threads += 1;
            threads <= MOST_THREADS
        } else {
            copy.swap(false, Ordering::SeqCst)
        };
        // If whoever asked is gone, nobody needs the answer.
        let _ = answer(listener, asked.id, allowed);
    }
}

fn receive(listener: &OwnedFd) -> io::Result<libc::seccomp_notif> {
    // SAFETY: the struct has only numbers, and the kernel wants it zeroed.
    let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, and the kernel fills in one struct of this type.
    let done = unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut asked)
    };
    if done == 0 { Ok(asked) } else { Err(io::Error::last_os_error()) }
}

fn answer(listener: &OwnedFd, id: u64, allowed: bool) -> io::Result<()> {
    // The flags of `clone` are in a register, so nobody can change them after they were looked at.
    let mut response = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: if allowed { 0 } else { -libc::EPERM },
        flags: if allowed { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 },
    };
    // SAFETY: as above; the kernel reads the struct.
    let done = unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response)
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Installs the filter that asks, in this process, and returns where.
///
/// # Errors
/// If the kernel has no such filters.
pub(super) fn ask_for_every_clone() -> io::Result<OwnedFd> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let unless = |k: u32, skip: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: 0,
        jf: skip,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let end = libc::BPF_RET | libc::BPF_K;
    // Calls of other architectures are refused by the filter of `calls`. `clone3` has its flags in memory; libraries go
    // back to `clone` when there is none.
    let mut program = [
        statement(load, std::mem::offset_of!(libc::seccomp_data, nr) as u32),
        unless(libc::SYS_clone as u32, 1),
        statement(end, libc::SECCOMP_RET_USER_NOTIF),
        unless(libc::SYS_clone3 as u32, 1),
        statement(end, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        statement(end, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: restricts this thread only; the program lives through the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    match i32::try_from(done) {
        // SAFETY: the kernel has just made this descriptor.
        Ok(listener @ 0..) => Ok(unsafe { OwnedFd::from_raw_fd(listener) }),
        _ => Err(io::Error::last_os_error()),
    }
}
