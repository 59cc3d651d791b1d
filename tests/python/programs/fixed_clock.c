/* Preloaded: the same moment for everyone who asks. Clocks that only measure durations go on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static const time_t kMoment = 1700000000;

time_t time(time_t* out) {
    if (out) *out = kMoment;
    return kMoment;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    now->tv_sec = kMoment;
    now->tv_usec = 0;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    static int (*original)(clockid_t, struct timespec*);
    if (clock == CLOCK_REALTIME) {
        now->tv_sec = kMoment;
        now->tv_nsec = 0;
        return 0;
    }
    if (!original)
        original = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    return original(clock, now);
}
