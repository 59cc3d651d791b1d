/* Preloaded: memory that Quarry's libraries ask for is refused now and then, and never to others.
 * SHORT_MEMORY is the number of the first refusal; after it, every third is refused. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t size);

static int is_ours(void* caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, "libquarry") != NULL;
}

void* malloc(size_t size) {
    static __thread int inside = 0;
    static int asked = 0;
    if (inside) return __libc_malloc(size);
    inside = 1;
    int refused = 0;
    const char* first = getenv("SHORT_MEMORY");
    if (first != NULL && is_ours(__builtin_return_address(0))) {
        const int after = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) - atoi(first);
        refused = after >= 0 && after % 3 == 0;
    }
    inside = 0;
    if (!refused) return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}
