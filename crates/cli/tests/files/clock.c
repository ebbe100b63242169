/* The clock on the wall, CLOCK_AHEAD seconds ahead: for LD_PRELOAD. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = syscall(SYS_clock_gettime, clock, now);
    const char *ahead = getenv("CLOCK_AHEAD");
    if (done == 0 && clock == CLOCK_REALTIME && ahead != NULL) {
        now->tv_sec += atol(ahead);
    }
    return done;
}
