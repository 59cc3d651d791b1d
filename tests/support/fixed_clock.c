/* The time of day stands still: HDF5 writes it into every object, and two runs are to leave the
 * same bytes. Preloaded into the programs under test; every other clock goes on. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): glibc asks for it */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kNow = 1700000000 };

time_t time(time_t* result) {
    if (result != NULL) *result = kNow;
    return kNow;
}

int gettimeofday(struct timeval* restrict result, void* restrict zone) {
    (void)zone;
    result->tv_sec = kNow;
    result->tv_usec = 0;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec* result) {
    if (clock != CLOCK_REALTIME) return (int)syscall(SYS_clock_gettime, clock, result);
    result->tv_sec = kNow;
    result->tv_nsec = 0;
    return 0;
}
