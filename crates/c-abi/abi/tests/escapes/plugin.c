/* A plug-in that tries to get out. `attempt` returns 0 if it got what it wanted, else the error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int result(long value) { return value < 0 ? errno : 0; }
static void *nothing(void *argument) { return argument; }

static const char *where(const char *folder, const char *file) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return path;
}

static const char *of_parent(const char *file) {
  static char path[128];
  snprintf(path, sizeof path, "/proc/%d/%s", getppid(), file);
  return path;
}

/* Whoever comes into being here ends at once. */
static int born(long process) {
  if (process == 0) _exit(0);
  if (process > 0) waitpid(process, 0, 0);
  return result(process);
}

static int ends(void *argument) { return 0; }

/* A thread that shares less with the others than threads do. */
static int thread_with(int flags) {
  static char stack[65536] __attribute__((aligned(16)));
  return result(clone(ends, stack + sizeof stack, flags, 0));
}

static int map_of(int descriptor, int rights, int flags) {
  void *page = mmap(0, 4096, rights, flags, descriptor, 0);
  return page == MAP_FAILED ? errno : 0;
}

#define IS(name) (!strcmp(what, name))
/* A descriptor of the plug-in's own file, which it may read. */
static int itself(const char *folder) { return open(where(folder, "plugin.so"), O_RDONLY); }

/* The name of a descriptor by which a file can be opened again. */
static const char *again(int descriptor) {
  static char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return path;
}

/* A file that is only named: to read it, it has to be opened again. */
static int named(const char *path) { return open(path, O_PATH); }

static const char *of_thread(const char *file) {
  static char path[128];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", getppid(), getppid(), file);
  return path;
}

/* The clock of the time that a process has used, as the kernel numbers it. */
static clockid_t used_by(int process) { return (clockid_t)(~(unsigned)process << 3 | 2); }

/* One of the first three descriptors that takes the request. */
static int request(unsigned long number, void *argument) {
  for (int at = 0; at < 3; at++)
    if (ioctl(at, number, argument) >= 0) return 0;
  return errno;
}

/* Calls that the headers of some systems do not know yet. */
enum { CALL_MOUNT_SETATTR = 442, CALL_PROCESS_MRELEASE = 448, CALL_MEMFD_SECRET = 447, CALL_FCHMODAT2 = 452,
       CALL_STATMOUNT = 457, CALL_LISTMOUNT = 458, CALL_LSM_SET_SELF_ATTR = 460, CALL_SETXATTRAT = 463,
       CALL_OPEN_TREE_ATTR = 467 };

/* Ways that were added later: attempts at what the filters leave, by descriptors, handles, names and clocks. */
static int attempt_more(const char *what, const char *folder) {
  int parent = getppid(), number = 0;
  char text[256];
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  struct timespec time;
  struct { struct file_handle head; char rest[128]; } handle = {{128}};
  /* By what is open. */
  if (IS("change rights by descriptor")) return result(fchmod(itself(folder), 0777));
  if (IS("change rights by a newer call")) return result(syscall(CALL_FCHMODAT2, AT_FDCWD, where(folder, "plugin.so"), 0777, 0));
  if (IS("change the owner by descriptor")) return result(fchown(itself(folder), 0, 0));
  if (IS("change times by descriptor")) return result(futimens(itself(folder), 0));
  if (IS("set an attribute by descriptor")) return result(syscall(SYS_fsetxattr, itself(folder), "user.x", "y", 1, 0));
  if (IS("set an attribute by a newer call")) {
    struct { uint64_t value; uint32_t size, flags; } attribute = {(uint64_t)"y", 1, 0};
    return result(syscall(CALL_SETXATTRAT, AT_FDCWD, where(folder, "plugin.so"), 0, "user.x", &attribute, sizeof attribute));
  }
  if (IS("make itself immutable")) {
    number = 0x10;
    return result(ioctl(itself(folder), FS_IOC_SETFLAGS, &number));
  }
  if (IS("share blocks of a file")) return result(ioctl(itself(folder), FICLONE, itself(folder)));
  if (IS("truncate by opening")) return result(open(where(folder, "plugin.so"), O_RDONLY | O_TRUNC));
  if (IS("open itself again to write")) return result(open(again(itself(folder)), O_RDWR));
  if (IS("open what is named again")) return result(open(again(named(where(folder, "secret.txt"))), O_RDONLY));
  if (IS("open below a folder that is named")) return result(openat(named("/etc"), "passwd", O_RDONLY));
  if (IS("go to a folder that is named")) return result(fchdir(named("/etc")));
  if (IS("a link to what is named")) return result(linkat(named(where(folder, "secret.txt")), "", AT_FDCWD, where(folder, "made.so"), AT_EMPTY_PATH));
  if (IS("a file without a name")) return result(open("/tmp", O_TMPFILE | O_RDWR, 0600));
  if (IS("a pipe with a name")) return result(mknod(where(folder, "made.so"), S_IFIFO | 0600, 0));
  if (IS("exchange two files")) return result(syscall(SYS_renameat2, AT_FDCWD, where(folder, "secret.txt"), AT_FDCWD, "/tmp/x", RENAME_EXCHANGE));
  if (IS("a handle of a file")) return result(name_to_handle_at(AT_FDCWD, "/etc/passwd", &handle.head, &number, 0));
  if (IS("a file by its handle")) return result(open_by_handle_at(named("/"), &handle.head, O_RDONLY));
  if (IS("copy a file in the kernel")) return result(syscall(SYS_copy_file_range, itself(folder), 0, itself(folder), 0, 1, 0));
  if (IS("pages into a pipe") || IS("a file into a pipe")) {
    int pipes[2];
    struct iovec piece = {text, sizeof text};
    if (pipe(pipes)) return errno;
    if (IS("pages into a pipe")) return result(vmsplice(pipes[1], &piece, 1, 0));
    return result(splice(itself(folder), 0, pipes[1], 0, 1, 0));
  }
  if (IS("a larger pipe") || IS("a signal of a pipe to another") || IS("another signal of a pipe")) {
    int pipes[2];
    struct f_owner_ex owner = {F_OWNER_TID, parent};
    if (pipe(pipes)) return errno;
    if (IS("a larger pipe")) return result(fcntl(pipes[0], F_SETPIPE_SZ, 1 << 20));
    if (IS("another signal of a pipe")) return result(fcntl(pipes[0], F_SETSIG, SIGKILL));
    return result(fcntl(pipes[0], F_SETOWN_EX, &owner));
  }
  if (IS("an owner by a request")) return request(FIOSETOWN, &parent);
  if (IS("a lease")) return result(fcntl(itself(folder), F_SETLEASE, F_RDLCK));
  if (IS("a lock of a description")) {
    struct flock lock = {.l_type = F_RDLCK};
    return result(fcntl(itself(folder), F_OFD_SETLK, &lock));
  }
  if (IS("news of a folder")) return result(fcntl(open("/usr/lib", O_RDONLY), F_NOTIFY, DN_CREATE));
  if (IS("watch files")) return result(inotify_init1(0));
  if (IS("watch all files")) return result(fanotify_init(0, O_RDONLY));
  if (IS("make all disks write")) return result(syncfs(itself(folder)));
  if (IS("throw a file out of memory")) return posix_fadvise(itself(folder), 0, 0, POSIX_FADV_DONTNEED);
  if (IS("type into the terminal")) return request(TIOCSTI, "x");
  if (IS("take the terminal")) return request(TIOCSCTTY, 0);
  if (IS("the keyboard of the console")) return request(0x541C /* TIOCLINUX */, text);
  if (IS("a memory that is secret")) return result(syscall(CALL_MEMFD_SECRET, 0));
  if (IS("run itself by descriptor")) return result(syscall(SYS_execveat, itself(folder), "", 0, 0, AT_EMPTY_PATH));
  /* Others. */
  if (IS("a pair of sockets")) {
    int pair[2];
    return result(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  }
  if (IS("memory of the parent's thread")) return result(open(of_thread("mem"), O_RDWR));
  if (IS("files of the parent")) return result(open(of_parent("fd/0"), O_RDWR));
  if (IS("root of the parent")) return result(open(of_parent("root/etc/passwd"), O_RDONLY));
  if (IS("memory map of the parent")) return result(open(of_parent("maps"), O_RDONLY));
  if (IS("program of the parent")) return result(readlink(of_parent("exe"), text, sizeof text));
  if (IS("folder of the parent")) return result(readlink(of_parent("cwd"), text, sizeof text));
  if (IS("stack of the parent")) return result(open(of_parent("stack"), O_RDONLY));
  if (IS("all processes")) return result(open("/proc", O_RDONLY | O_DIRECTORY));
  if (IS("the first process")) return result(kill(1, 0));
  if (IS("queue a signal for a thread")) {
    siginfo_t signal = {.si_code = SI_QUEUE};
    return result(syscall(SYS_rt_tgsigqueueinfo, parent, parent, SIGKILL, &signal));
  }
  if (IS("a signal by pidfd")) return result(syscall(SYS_pidfd_send_signal, 0, 0, 0, 0));
  if (IS("a file by pidfd")) return result(syscall(SYS_pidfd_getfd, 0, 0, 0));
  if (IS("advice on the parent's memory")) return result(syscall(SYS_process_madvise, 0, 0, 0, MADV_COLD, 0));
  if (IS("release memory of the parent")) return result(syscall(CALL_PROCESS_MRELEASE, 0, 0));
  if (IS("time that the parent used")) return result(clock_gettime(used_by(parent), &time));
  if (IS("wait until the parent worked")) {
    struct timespec soon = {0, 1000000};
    return clock_nanosleep(used_by(parent), 0, &soon, 0);
  }
  if (IS("a timer on the parent's time") || IS("a timer that signals the parent")) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    timer_t timer;
    if (IS("a timer on the parent's time")) return result(timer_create(used_by(parent), &event, &timer));
    event.sigev_notify = SIGEV_THREAD_ID;
    event._sigev_un._tid = parent;
    /* The kernel says that there is no such thread here. */
    int refused = result(timer_create(CLOCK_MONOTONIC, &event, &timer));
    return refused == EINVAL ? EPERM : refused;
  }
  if (IS("disk priority of the parent, read")) return result(syscall(SYS_ioprio_get, 1, parent));
  if (IS("attributes of the parent's scheduling")) {
    uint64_t attributes[6];
    return result(syscall(SYS_sched_getattr, parent, attributes, sizeof attributes, 0));
  }
  if (IS("a core of its own with the parent")) return result(prctl(62 /* PR_SCHED_CORE */, 1, parent, 0, 0));
  if (IS("let everybody trace it")) return result(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY));
  if (IS("adopt processes")) return result(prctl(PR_SET_CHILD_SUBREAPER, 1));
  if (IS("move its own code")) return result(prctl(PR_SET_MM, PR_SET_MM_START_CODE, 0, 0, 0));
  if (IS("capabilities for programs")) return result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
  if (IS("a shield against ends for want of memory")) return result(open("/proc/self/oom_score_adj", O_WRONLY));
  if (IS("users of a namespace")) return result(open("/proc/self/uid_map", O_WRONLY));
  if (IS("another label")) return result(syscall(CALL_LSM_SET_SELF_ATTR, 100, text, 0, 0));
  if (IS("attributes of a process")) return result(open("/proc/self/attr/current", O_WRONLY));
  if (IS("frames of its memory")) return result(open("/proc/self/pagemap", O_RDONLY));
  /* Limits. */
  if (IS("memory in a crash")) return result(setrlimit(RLIMIT_CORE, &all));
  if (IS("a stack without end")) return result(setrlimit(RLIMIT_STACK, &all));
  if (IS("more time")) return result(setrlimit(RLIMIT_CPU, &all));
  if (IS("more files")) return result(setrlimit(RLIMIT_NOFILE, &all));
  /* The kernel. */
  if (IS("io_uring of another")) return result(syscall(SYS_io_uring_register, -1, 0, 0, 0));
  if (IS("io_uring, entered")) return result(syscall(SYS_io_uring_enter, -1, 1, 0, 0, 0, 0));
  if (IS("add a key")) return result(syscall(SYS_add_key, "user", "x", "y", 1, -3));
  if (IS("ask for a key")) return result(syscall(SYS_request_key, "user", "x", "y", -3));
  if (IS("faults by a device")) return result(open("/dev/userfaultfd", O_RDWR));
  if (IS("a file system")) return result(syscall(SYS_fsopen, "tmpfs", 0));
  if (IS("a tree of mounts")) return result(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  if (IS("a tree of mounts by a newer call")) return result(syscall(CALL_OPEN_TREE_ATTR, AT_FDCWD, "/", 1, 0, 0));
  if (IS("move a mount")) return result(syscall(SYS_move_mount, AT_FDCWD, "/", AT_FDCWD, folder, 0));
  if (IS("attributes of a mount")) return result(syscall(CALL_MOUNT_SETATTR, AT_FDCWD, "/", 0, text, 32));
  if (IS("mounts by number")) return result(syscall(CALL_STATMOUNT, text, text, sizeof text, 0));
  if (IS("a list of mounts")) return result(syscall(CALL_LISTMOUNT, text, text, 1, 0));
  if (IS("remove a mount")) return result(syscall(SYS_umount2, folder, 0));
  if (IS("exchange the root")) return result(syscall(SYS_pivot_root, folder, folder));
  if (IS("a namespace of another")) return result(setns(named("/proc/self/ns/net"), 0));
  if (IS("attach shared segments")) return result(syscall(SYS_shmat, 0, 0, 0));
  if (IS("a queue with a name")) return result(syscall(SYS_mq_open, "unskew-escape-made", O_CREAT | O_RDWR, 0600, 0));
  if (IS("layout, read")) return result(syscall(SYS_personality, 0xffffffff));
  if (IS("other pages of a mapping")) return result(syscall(SYS_remap_file_pages, text, 4096, 0, 0, 0));
  if (IS("all memory locked")) return result(mlockall(MCL_CURRENT | MCL_FUTURE));
  if (IS("the time of the machine")) {
    clock_gettime(CLOCK_REALTIME, &time);
    return result(clock_settime(CLOCK_REALTIME, &time));
  }
  if (IS("the name of the machine")) return result(sethostname("x", 1));
  if (IS("the log of the machine")) return result(syscall(SYS_syslog, 10, 0, 0));
  if (IS("quotas of the machine")) return result(syscall(SYS_quotactl, 0, 0, 0, 0));
  if (IS("accounts of processes")) return result(syscall(SYS_acct, 0));
  if (IS("a module of the kernel")) return result(syscall(SYS_finit_module, itself(folder), "", 0));
  if (IS("another kernel")) return result(syscall(SYS_kexec_load, 0, 0, 0, 0));
  if (IS("restart")) return result(syscall(SYS_reboot, 0, 0, 0, 0));
#ifdef __x86_64__
  if (IS("ports of the machine")) return result(syscall(SYS_iopl, 3));
  if (IS("segments of its own")) return result(syscall(SYS_modify_ldt, 0, text, sizeof text));
#endif
  return -1;
}

int attempt(const char *what, const char *folder) {
  char byte;
  struct iovec local = {&byte, 1}, remote = {(void *)&result, 1};
  siginfo_t signal = {.si_code = SI_QUEUE};
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  int parent = getppid();
  errno = 0;
  /* Files. */
  if (IS("read a file beside it")) return result(open(where(folder, "secret.txt"), O_RDONLY));
  if (IS("read accounts")) return result(open("/etc/passwd", O_RDONLY));
  if (IS("list the folder")) return result(open(folder, O_RDONLY | O_DIRECTORY));
  if (IS("create a file")) return result(open(where(folder, "made.txt"), O_WRONLY | O_CREAT, 0600));
  if (IS("create a file in /tmp")) return result(open("/tmp/unskew-escape-made", O_WRONLY | O_CREAT, 0600));
  if (IS("create shared memory")) return result(open("/dev/shm/unskew-escape-made", O_RDWR | O_CREAT, 0600));
  if (IS("write into itself")) return result(open(where(folder, "plugin.so"), O_WRONLY));
  if (IS("truncate")) return result(truncate(where(folder, "plugin.so"), 0));
  if (IS("rename")) return result(rename(where(folder, "secret.txt"), "/tmp/unskew-escape-made"));
  if (IS("remove")) return result(unlink(where(folder, "secret.txt")));
  if (IS("make a folder")) return result(mkdir(where(folder, "made"), 0700));
  if (IS("link")) return result(symlink("/etc/passwd", where(folder, "made.so")));
  if (IS("change rights")) return result(chmod(where(folder, "plugin.so"), 0777));
  if (IS("change times")) return result(utimensat(AT_FDCWD, where(folder, "plugin.so"), 0, 0));
  if (IS("set an attribute")) return result(syscall(SYS_setxattr, where(folder, "plugin.so"), "user.x", "y", 1, 0));
  if (IS("open the terminal")) return result(open("/dev/tty", O_RDWR));
  /* The network. */
  if (IS("internet socket")) return result(socket(AF_INET, SOCK_STREAM, 0));
  if (IS("datagram socket")) return result(socket(AF_INET6, SOCK_DGRAM, 0));
  if (IS("local socket")) return result(socket(AF_UNIX, SOCK_STREAM, 0));
  if (IS("raw socket")) return result(socket(AF_PACKET, SOCK_RAW, 0));
  if (IS("netlink")) return result(socket(AF_NETLINK, SOCK_RAW, 0));
  /* Others. */
  if (IS("kill the parent")) return result(kill(parent, SIGKILL));
  if (IS("ask after the parent")) return result(kill(parent, 0));
  if (IS("kill everybody")) return result(syscall(SYS_tgkill, parent, parent, SIGKILL));
  if (IS("queue a signal")) return result(syscall(SYS_rt_sigqueueinfo, parent, SIGKILL, &signal));
  if (IS("pidfd of the parent")) return result(syscall(SYS_pidfd_open, parent, 0));
  if (IS("signal by owner")) {
    int pipes[2];
    if (pipe(pipes)) return errno;
    return result(fcntl(pipes[0], F_SETOWN, parent));
  }
  if (IS("trace the parent")) return result(ptrace(PTRACE_SEIZE, parent, 0, 0));
  if (IS("read the parent")) return result(process_vm_readv(parent, &local, 1, &remote, 1, 0));
  if (IS("write the parent")) return result(process_vm_writev(parent, &local, 1, &remote, 1, 0));
  if (IS("memory of the parent")) return result(open(of_parent("mem"), O_RDWR));
  if (IS("environment of the parent")) return result(open(of_parent("environ"), O_RDONLY));
  if (IS("arguments of the parent")) return result(open(of_parent("cmdline"), O_RDONLY));
  if (IS("processors of the parent")) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    return result(sched_setaffinity(parent, sizeof first, &first));
  }
  if (IS("scheduling of the parent")) {
    struct sched_param none = {0};
    return result(sched_setscheduler(parent, SCHED_BATCH, &none));
  }
  if (IS("parameters of the parent")) {
    struct sched_param none = {0};
    return result(sched_setparam(parent, &none));
  }
  if (IS("scheduling of the parent by attributes")) {
    uint64_t attributes[6] = {48, 0, 0, 0, 0, 0};
    return result(syscall(SYS_sched_setattr, parent, attributes, 0));
  }
  if (IS("priority of the parent")) return result(setpriority(PRIO_PROCESS, parent, 19));
  if (IS("disk priority of the parent")) return result(syscall(SYS_ioprio_set, 1, parent, 3 << 13));
  if (IS("priority of the parent, read")) { getpriority(PRIO_PROCESS, parent); return errno; }
  if (IS("limits of the parent, read")) return result(syscall(SYS_prlimit64, parent, RLIMIT_CPU, 0, &all));
  if (IS("group of the parent, read")) return result(getpgid(parent));
  if (IS("session of the parent, read")) return result(getsid(parent));
  if (IS("compare with the parent")) return result(syscall(SYS_kcmp, parent, parent, 2, 0, 0));
  if (IS("pages of the parent")) return result(syscall(SYS_move_pages, parent, 0, 0, 0, 0, 0));
  if (IS("nodes of the parent")) return result(syscall(SYS_migrate_pages, parent, 0, 0, 0));
  if (IS("robust list of the parent")) {
    void *head; size_t length;
    return result(syscall(SYS_get_robust_list, parent, &head, &length));
  }
  if (IS("lock a file of the system")) return result(flock(open("/etc/ld.so.cache", O_RDONLY), LOCK_EX | LOCK_NB));
  if (IS("lock a part of a file of the system")) {
    struct flock lock = {.l_type = F_RDLCK};
    return result(fcntl(open("/etc/ld.so.cache", O_RDONLY), F_SETLK, &lock));
  }
  if (IS("make the disk write")) return result(fsync(open("/etc/ld.so.cache", O_RDONLY)));
  if (IS("connections of the machine")) return result(open("/proc/self/net/tcp", O_RDONLY));
  if (IS("connections of the machine by a thread")) return result(open("/proc/thread-self/net/tcp", O_RDONLY));
  if (IS("mounts of the machine")) return result(open("/proc/self/mountinfo", O_RDONLY));
  if (IS("accounts by its own root")) return result(open("/proc/self/root/etc/passwd", O_RDONLY));
  if (IS("its own memory as a file")) return result(open("/proc/self/mem", O_RDWR));
  if (IS("a thread with files of its own"))
    return thread_with(CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM);
  if (IS("a thread in a folder of its own"))
    return thread_with(CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM);
  if (IS("a thread in a namespace"))
    return thread_with(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_NEWUTS);
  if (IS("filters of its own")) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    return result(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
  }
  if (IS("outlive the parent by another signal")) return result(prctl(PR_SET_PDEATHSIG, SIGCHLD));
  if (IS("capabilities")) {
    /* Of root: all but the one to read files. */
    struct { uint32_t version; int process; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } sets[2] = {{1u << 21, 1u << 21, 0}};
    return result(syscall(SYS_capset, &header, sets));
  }
  if (IS("shared memory of its own")) return map_of(-1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  if (IS("shared zeros")) return map_of(open("/dev/zero", O_RDONLY), PROT_READ, MAP_SHARED);
  if (IS("memory that grows")) return map_of(-1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN);
  if (IS("huge pages")) return map_of(-1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB);
  if (IS("files in memory")) return result(memfd_create("mine", 0));
  if (IS("limits of the parent")) return result(syscall(SYS_prlimit64, parent, RLIMIT_CPU, &all, 0));
  /* Processes. */
  if (IS("fork")) return born(fork());
  if (IS("raw fork")) return born(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (IS("vfork")) {
    pid_t process = vfork();
    if (process == 0) _exit(0);
    return result(process);
  }
  if (IS("spawn")) {
    char *arguments[] = {"/bin/true", 0};
    pid_t process;
    return posix_spawn(&process, "/bin/true", 0, 0, arguments, 0);
  }
  if (IS("run a program")) {
    char *arguments[] = {"/bin/true", 0};
    return result(execve("/bin/true", arguments, 0));
  }
  if (IS("run a program by descriptor")) return result(syscall(SYS_execveat, AT_FDCWD, "/bin/true", 0, 0, 0));
  if (IS("a session of its own")) return result(setsid());
  if (IS("a group of its own")) return result(setpgid(0, 0));
  if (IS("outlive the parent")) return result(prctl(PR_SET_PDEATHSIG, 0));
  if (IS("more memory")) return result(setrlimit(RLIMIT_DATA, &all));
  if (IS("more memory by number")) return result(syscall(SYS_prlimit64, 0, RLIMIT_AS, &all, 0));
  /* The kernel. */
  if (IS("io_uring")) {
    struct io_uring_params parameters = {0};
    return result(syscall(SYS_io_uring_setup, 4, &parameters));
  }
  if (IS("bpf")) return result(syscall(SYS_bpf, 0, 0, 0));
  if (IS("keys")) return result(syscall(SYS_keyctl, 0, -3, 1));
  if (IS("mount")) return result(syscall(SYS_mount, "none", folder, "tmpfs", 0, 0));
  if (IS("new namespaces")) return result(unshare(CLONE_NEWUSER));
  if (IS("faults")) return result(syscall(SYS_userfaultfd, 0));
  if (IS("performance")) return result(syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));
  if (IS("shared segments")) return result(syscall(SYS_shmget, 0, 4096, 01600));
  if (IS("message queues")) return result(syscall(SYS_msgget, 0, 01600));
  if (IS("semaphores")) return result(syscall(SYS_semget, 0, 1, 01600));
  if (IS("another root")) return result(syscall(SYS_chroot, folder));
  if (IS("another user")) return result(syscall(SYS_setuid, 65534));
  if (IS("other memory layout")) return result(syscall(SYS_personality, 0x0040000));
#ifdef __x86_64__
  if (IS("another call table")) return result(syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0));
#endif
  /* What it may. */
  if (IS("may read itself")) return result(open(where(folder, "plugin.so"), O_RDONLY));
  if (IS("may read the system's libraries")) return result(open("/etc/ld.so.cache", O_RDONLY));
  if (IS("may start a thread")) {
    pthread_t thread;
    int failed = pthread_create(&thread, 0, nothing, 0);
    return failed ? failed : pthread_join(thread, 0);
  }
  if (IS("may make code")) {
    void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? errno : result(mprotect(page, 4096, PROT_READ | PROT_EXEC));
  }
  if (IS("may read its own maps")) return result(open("/proc/self/maps", O_RDONLY));
  if (IS("may choose its own processors")) {
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all)) return errno;
    return result(sched_setaffinity(0, sizeof all, &all));
  }
  if (IS("may ask its own clocks")) {
    struct timespec time;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)) return errno;
    return result(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time));
  }
  if (IS("may write nowhere")) return result(write(open("/dev/null", O_WRONLY), "x", 1));
  return attempt_more(what, folder);
}

/* A file or a folder by its name. */
int opens(const char *path) { return result(open(path, O_RDONLY | O_NONBLOCK)); }

/* Searches its memory for numbers like the one that answers begin with, says with each that a copy is to be made, and
   makes copies. Returns how many came into being. */
static int announce(int copies) {
  static char map[1 << 20], tokens[64][33];
  int file = open("/proc/self/maps", O_RDONLY), length = 0, count = 0, made = 0, bytes;
  while ((bytes = read(file, map + length, sizeof map - 1 - length)) > 0) length += bytes;
  for (char *line = strtok(map, "\n"); line; line = strtok(0, "\n")) {
    unsigned long from, to;
    char rights[8];
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || strncmp(rights, "rw", 2)) continue;
    if (strstr(line, ".so") || strstr(line, "[v") || to - from > 1ul << 28) continue;
    for (const char *at = (char *)from; at + 32 <= (char *)to && count < 64; at += 8)
      if (strspn(at, "0123456789abcdef") >= 32) memcpy(tokens[count++], at, 32);
  }
  for (int i = 0; i < copies; i++) {
    for (int at = 3; at < 256; at++)
      for (int token = 0; token < count; token++) dprintf(at, "\n%s copy\n", tokens[token]);
    struct pollfd nothing = {-1, POLLIN, 0};
    poll(&nothing, 1, 5);
    pid_t process = fork();
    if (process == 0) for (;;) pause();
    made += process > 0;
  }
  return made;
}

/* How many descriptors there are but the standard ones. */
int descriptors(void) {
  int count = 0;
  for (int i = 3; i < 256; i++) count += fcntl(i, F_GETFD) >= 0;
  return count;
}

/* What never ends by itself, or ends badly. */
int misbehave(const char *how, const char *folder) {
  static char block[1 << 16];
  memset(block, 'A', sizeof block);
  if (!strcmp(how, "memory"))
    for (;;) {
      char *piece = malloc(1 << 26);
      if (!piece) return 12;
      memset(piece, 1, 1 << 26);
    }
  if (!strcmp(how, "shared memory"))
    for (;;) {
      char *piece = mmap(0, 1 << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (piece == MAP_FAILED) return 12;
    }
  /* More than the limit of memory, but not all that there is: 0 is to have it. */
  if (!strcmp(how, "memory that is read-only"))
    for (int i = 0; i < 48; i++) {
      char *piece = mmap(0, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (piece == MAP_FAILED) return 12;
      memset(piece, 1, 1 << 26);
      mprotect(piece, 1 << 26, PROT_READ);
      if (i == 47) return 0;
    }
  if (!strcmp(how, "memory that grows")) {
    char *piece = mmap(0, 3ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
    if (piece == MAP_FAILED) return 12;
    memset(piece, 1, 3ul << 30);
    return 0;
  }
  if (!strcmp(how, "shared zeros")) {
    int zeros = open("/dev/zero", O_RDONLY);
    volatile char *piece = mmap(0, 3ul << 30, PROT_READ, MAP_SHARED, zeros, 0);
    if (piece == MAP_FAILED) return 12;
    for (unsigned long at = 0; at < 3ul << 30; at += 4096) (void)piece[at];
    return 0;
  }
  if (!strcmp(how, "many files in memory")) {
    for (int i = 0; i < 48; i++) {
      int file = memfd_create("mine", 0);
      if (file < 0 || fallocate(file, 0, 0, 1 << 26)) return errno;
    }
    return 0;
  }
  if (!strcmp(how, "pipes"))
    for (long kept = 0;;) {
      int pipes[2];
      if (pipe2(pipes, O_NONBLOCK)) return kept > 2l << 30 ? 0 : errno;
      for (long bytes; (bytes = write(pipes[1], block, sizeof block)) > 0;) kept += bytes;
    }
  if (!strcmp(how, "calls of 32 bits")) {
#ifdef __x86_64__
    /* socket(AF_INET, SOCK_STREAM, 0), in the table of another machine. */
    long socket = 359;
    __asm__ volatile("int $0x80" : "+a"(socket) : "b"(2l), "c"(1l), "d"(0l) : "memory");
    return socket < 0;
#else
    return 1;
#endif
  }
  if (!strcmp(how, "copies")) return announce(50) == 0;
  if (!strcmp(how, "copies that stay")) { announce(3); for (;;) pause(); }
  if (!strcmp(how, "threads")) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int i = 0; i < 100000; i++) {
      pthread_t thread;
      int failed = pthread_create(&thread, &small, (void *(*)(void *))pause, 0);
      if (failed) return failed;
    }
    return 0;
  }
  if (!strcmp(how, "files in memory")) {
    int file = memfd_create("mine", 0);
    signal(SIGXFSZ, SIG_IGN);
    for (;;)
      if (write(file, block, sizeof block) < 0) return errno;
  }
  if (!strcmp(how, "loop")) for (;;) ;
  if (!strcmp(how, "sleep")) for (;;) pause();
  if (!strcmp(how, "output")) for (;;) write(1, block, sizeof block);
  if (!strcmp(how, "errors")) for (;;) write(2, block, sizeof block);
  if (!strcmp(how, "deaf")) {
    for (int i = 1; i < 64; i++) signal(i, SIG_IGN);
    for (;;) ;
  }
  if (!strcmp(how, "forge")) {
    const char *line = "\nline forged\n\n00000000000000000000000000000000 line forged\n";
    for (int i = 0; i < 256; i++) write(i, line, strlen(line));
    return 0;
  }
  if (!strcmp(how, "fork bomb"))
    for (int i = 0; i < 100000; i++)
      if (fork() >= 0) return 0;
  return 1;
}
