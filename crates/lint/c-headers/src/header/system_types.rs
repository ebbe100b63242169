//! Types of the C library of Linux, by the sizes and alignments that they have on 64-bit x86 with glibc: headers have
//! them in their structs, and the headers that declare them are not at hand.

/// Size and alignment of a type of the system, in bytes.
pub fn system_type(name: &str) -> Option<(u64, u64)> {
    Some(match name.strip_prefix("struct ").unwrap_or(name) {
        "int_fast8_t" | "int_least8_t" | "u_char" | "u_int8_t" | "uint_least8_t" => (1, 1),
        "_Float16" | "in_port_t" | "int_least16_t" | "sa_family_t" | "u_int16_t" | "u_short"
        | "uint_least16_t" | "ushort" => (2, 2),
        "gid_t" | "in_addr" | "in_addr_t" | "int_least32_t" | "mode_t" | "pid_t"
        | "pthread_key_t" | "pthread_once_t" | "pthread_spinlock_t" | "socklen_t" | "u_int"
        | "u_int32_t" | "uid_t" | "uint" | "uint_least32_t" | "wint_t" => (4, 4),
        "float _Complex" | "pollfd" => (8, 4),
        "clock_t" | "dev_t" | "ino_t" | "int_fast16_t" | "int_fast32_t" | "nlink_t" | "off64_t"
        | "off_t" | "pthread_t" | "suseconds_t" | "time_t" | "u_int64_t" | "u_long"
        | "uint_fast32_t" | "ulong" => (8, 8),
        "sockaddr" => (16, 2),
        "in6_addr" | "sockaddr_in" => (16, 4),
        "double _Complex" | "iovec" | "timespec" | "timeval" => (16, 8),
        "__float128" | "__int128" | "long double" | "unsigned __int128" => (16, 16),
        "va_list" => (24, 8),
        "sockaddr_in6" => (28, 4),
        "pthread_barrier_t" | "sem_t" => (32, 8),
        "max_align_t" => (32, 16),
        "pthread_mutex_t" => (40, 8),
        "pthread_cond_t" => (48, 8),
        "pthread_attr_t" | "pthread_rwlock_t" | "tm" => (56, 8),
        "termios" => (60, 4),
        "sockaddr_un" => (110, 2),
        "fd_set" | "sigset_t" | "sockaddr_storage" => (128, 8),
        "stat" => (144, 8),
        "jmp_buf" => (200, 8),
        _ => return None,
    })
}
