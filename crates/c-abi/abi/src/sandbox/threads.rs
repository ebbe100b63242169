//! New threads of a confined process: the kernel asks its supervisor, which counts.
//!
//! A limit on processes (`RLIMIT_NPROC`) counts all processes of a user and none of root's. So the process has a filter
//! that hands every `clone` to a descriptor, and gives this descriptor to its supervisor before it loads anything. That
//! a `clone` makes a thread, and nothing else, is not decided here: the filter of [`calls`](super::calls) refuses all others.
#![allow(unsafe_code, reason = "seccomp notifications have no safe interface")]

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// How many threads a process may start in all.
const MOST_THREADS: u32 = 4096;

/// How much a process may say of why it could not be confined, in bytes.
const LONGEST_REFUSAL: usize = 4096;

/// The supervisor's end: where the kernel asks.
pub(super) struct Threads {
    listener: OwnedFd,
    started: u32,
}

impl Threads {
    /// Receives what [`hand_over`] sent.
    ///
    /// # Errors
    /// What the process says of why it could not be confined.
    pub(super) fn receive(stream: &UnixStream) -> Result<Self, String> {
        let mut bytes = vec![0; LONGEST_REFUSAL];
        let mut control = nix::cmsg_space!([RawFd; 1]);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut control), flags);
        let message = message.map_err(|error| error.to_string())?;
        let controls = message.cmsgs().map_err(|error| error.to_string())?;
        for control in controls {
            if let ControlMessageOwned::ScmRights(descriptors) = control {
                // SAFETY: the kernel has just made these for this process.
                let own = |raw| unsafe { OwnedFd::from_raw_fd(raw) };
                if let Some(listener) = descriptors.into_iter().map(own).next() {
                    return Ok(Self { listener, started: 0 });
                }
            }
        }
        let length = message.bytes;
        let said = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
        Err(if said.is_empty() {
            "the process ended while it was confined".to_owned()
        } else {
            said
        })
    }

    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.listener
    }

    /// Answers one question of the kernel.
    pub(super) fn answer(&mut self) {
        let Ok(asked) = receive(&self.listener) else { return };
        self.started = self.started.saturating_add(1);
        // If whoever asked is gone, nobody needs the answer.
        let _ = answer(&self.listener, asked.id, self.started <= MOST_THREADS);
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
    // The flags of `clone` are in a register, so nobody can change them after another filter has looked at them.
    let mut response = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: if allowed { 0 } else { -libc::EAGAIN },
        flags: if allowed { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 },
    };
    // SAFETY: as above; the kernel reads the struct.
    let done = unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response)
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Has the kernel ask the supervisor at the other end of `stream` about every thread of this process, and waits until
/// it listens.
///
/// # Errors
/// If the kernel has no such filters, or nobody listens.
pub(super) fn hand_over(mut stream: &UnixStream) -> io::Result<()> {
    let listener = ask_for_every_clone()?;
    let descriptors = [listener.as_raw_fd()];
    let control = [ControlMessage::ScmRights(&descriptors)];
    sendmsg::<()>(stream.as_raw_fd(), &[IoSlice::new(b"t")], &control, MsgFlags::empty(), None)?;
    stream.read_exact(&mut [0])
}

fn ask_for_every_clone() -> io::Result<OwnedFd> {
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
