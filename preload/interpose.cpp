// The functions of the C library through which programs use files, each with its own behaviour and
// a look at what it has done. Loaded before the C library (LD_PRELOAD), they are found first.
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "base/keep_errno.hpp"
#include "preload/open_files.hpp"
#include "preload/recorder.hpp"
#include "preload/streams.hpp"
#include "preload/unseen.hpp"

extern char** environ;

namespace {

using namespace quarry::preload;

// Declares `real`, the one that ours stands in front of.
#define REAL(name, answer, ...)                             \
    static std::atomic<answer (*)(__VA_ARGS__)> real_found; \
    const auto real = next_of(real_found, #name)

// The function of this name that the program would have called without us.
template <typename Pointer>
Pointer next_of(std::atomic<Pointer>& known, const char* name) {
    Pointer function = known.load(std::memory_order_relaxed);
    if (function == nullptr) {
        function = reinterpret_cast<Pointer>(dlsym(RTLD_NEXT, name));
        known.store(function, std::memory_order_relaxed);
    }
    return function;
}

bool takes_mode(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

int note_opened(int file, int flags) {
    if (file >= 0) opened(file, flags);
    return file;
}

std::FILE* note_stream(std::FILE* stream, const char* mode) {
    if (stream == nullptr) return stream;
    const bool appends_or_writes = mode[0] != 'r';
    const bool both = __builtin_strchr(mode, '+') != nullptr;
    const int access = both ? O_RDWR : appends_or_writes ? O_WRONLY : O_RDONLY;
    opened(fileno(stream), access | (mode[0] == 'w' ? O_CREAT | O_TRUNC : 0));
    stream_opened(stream);
    return stream;
}

// Where a call has begun that was given this place and has moved it on.
template <typename Offset>
off64_t begin_of(const Offset* place, ssize_t bytes) {
    return place != nullptr && bytes >= 0 ? *place - bytes : kAtPosition;
}

// Libraries of C differ in what they have.
int missing() {
    errno = ENOSYS;
    return -1;
}

template <typename Request>
void wanted_in(const Request& wanted) {
    moved_in(wanted.aio_fildes, static_cast<ssize_t>(wanted.aio_nbytes), wanted.aio_offset);
}
template <typename Request>
void wanted_out(const Request& wanted) {
    moved_out(wanted.aio_fildes, static_cast<ssize_t>(wanted.aio_nbytes));
}

// So many bytes from there on; all of them, if it is none.
void cloned(int file, uint64_t at, uint64_t bytes) {
    const quarry::KeepErrno keep;
    struct stat status{};
    if (bytes == 0 && fstat(file, &status) == 0) bytes = static_cast<uint64_t>(status.st_size) - at;
    moved_in(file, static_cast<ssize_t>(bytes), static_cast<off64_t>(at));
}

template <typename Request>
void wanted_either_way(const Request& wanted) {
    if (wanted.aio_lio_opcode == LIO_READ) wanted_in(wanted);
    if (wanted.aio_lio_opcode == LIO_WRITE) wanted_out(wanted);
}

}  // namespace

extern "C" {

#define OPEN(name)                                          \
    int name(const char* path, int flags, ...) {            \
        REAL(name, int, const char*, int, ...);             \
        mode_t mode = 0;                                    \
        if (takes_mode(flags)) {                            \
            va_list more;                                   \
            va_start(more, flags);                          \
            mode = va_arg(more, mode_t);                    \
            va_end(more);                                   \
        }                                                   \
        return note_opened(real(path, flags, mode), flags); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                \
    int name(int folder, const char* path, int flags, ...) {        \
        REAL(name, int, int, const char*, int, ...);                \
        mode_t mode = 0;                                            \
        if (takes_mode(flags)) {                                    \
            va_list more;                                           \
            va_start(more, flags);                                  \
            mode = va_arg(more, mode_t);                            \
            va_end(more);                                           \
        }                                                           \
        return note_opened(real(folder, path, flags, mode), flags); \
    }
OPENAT(openat)
OPENAT(openat64)

// What programs call that were compiled with checks (_FORTIFY_SOURCE). The names are the C
// library's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define CHECKED_OPEN(name)                            \
    int name(const char* path, int flags) {           \
        REAL(name, int, const char*, int);            \
        return note_opened(real(path, flags), flags); \
    }
CHECKED_OPEN(__open_2)
CHECKED_OPEN(__open64_2)

#define CHECKED_OPENAT(name)                                  \
    int name(int folder, const char* path, int flags) {       \
        REAL(name, int, int, const char*, int);               \
        return note_opened(real(folder, path, flags), flags); \
    }
CHECKED_OPENAT(__openat_2)
CHECKED_OPENAT(__openat64_2)
// NOLINTEND(bugprone-reserved-identifier)

#define CREAT(name)                                                         \
    int name(const char* path, mode_t mode) {                               \
        REAL(name, int, const char*, mode_t);                               \
        return note_opened(real(path, mode), O_CREAT | O_WRONLY | O_TRUNC); \
    }
CREAT(creat)
CREAT(creat64)

int close(int file) {
    REAL(close, int, int);
    closed(file);
    return real(file);
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
    REAL(close_range, int, unsigned, unsigned, int);
    if (real == nullptr) return missing();
    const int answer = real(first, last, flags);
    if (answer == 0 && flags == 0) closed_range(first, last);
    return answer;
}

void closefrom(int first) noexcept {
    REAL(closefrom, void, int);
    real(first);
    closed_range(first >= 0 ? static_cast<unsigned>(first) : 0, ~0u);
}

int dup2(int from, int to) noexcept {
    REAL(dup2, int, int, int);
    const int answer = real(from, to);
    if (answer >= 0 && from != to) closed(to);
    return answer;
}

int dup3(int from, int to, int flags) noexcept {
    REAL(dup3, int, int, int, int);
    const int answer = real(from, to, flags);
    if (answer >= 0) closed(to);
    return answer;
}

#define SEEKS_BY_NUMBER(name, offset)                        \
    offset name(int file, offset to, int from) noexcept {    \
        REAL(name, offset, int, offset, int);                \
        const offset answer = real(file, to, from);          \
        if (from != SEEK_CUR || to != 0) position_set(file); \
        return answer;                                       \
    }
SEEKS_BY_NUMBER(lseek, off_t)
SEEKS_BY_NUMBER(lseek64, off64_t)

#define MOVES(direction, name, parameters, ...)  \
    ssize_t name parameters {                    \
        REAL(name, ssize_t, TYPES_##name);       \
        const ssize_t bytes = real(__VA_ARGS__); \
        direction(file, bytes);                  \
        return bytes;                            \
    }
#define READS_AT(name, parameters, ...)          \
    ssize_t name parameters {                    \
        REAL(name, ssize_t, TYPES_##name);       \
        const ssize_t bytes = real(__VA_ARGS__); \
        moved_in(file, bytes, at);               \
        return bytes;                            \
    }

#define TYPES_read int, void*, size_t
MOVES(moved_in, read, (int file, void* buffer, size_t size), file, buffer, size)
#define TYPES_write int, const void*, size_t
MOVES(moved_out, write, (int file, const void* buffer, size_t size), file, buffer, size)
#define TYPES_pread int, void*, size_t, off_t
READS_AT(pread, (int file, void* buffer, size_t size, off_t at), file, buffer, size, at)
#define TYPES_pread64 int, void*, size_t, off64_t
READS_AT(pread64, (int file, void* buffer, size_t size, off64_t at), file, buffer, size, at)
#define TYPES_pwrite int, const void*, size_t, off_t
MOVES(moved_out, pwrite, (int file, const void* buffer, size_t size, off_t at), file, buffer, size,
      at)
#define TYPES_pwrite64 int, const void*, size_t, off64_t
MOVES(moved_out, pwrite64, (int file, const void* buffer, size_t size, off64_t at), file, buffer,
      size, at)
#define TYPES_readv int, const iovec*, int
MOVES(moved_in, readv, (int file, const iovec* parts, int count), file, parts, count)
#define TYPES_writev int, const iovec*, int
MOVES(moved_out, writev, (int file, const iovec* parts, int count), file, parts, count)
#define TYPES_preadv int, const iovec*, int, off_t
READS_AT(preadv, (int file, const iovec* parts, int count, off_t at), file, parts, count, at)
#define TYPES_preadv64 int, const iovec*, int, off64_t
READS_AT(preadv64, (int file, const iovec* parts, int count, off64_t at), file, parts, count, at)
#define TYPES_preadv2 int, const iovec*, int, off_t, int
READS_AT(preadv2, (int file, const iovec* parts, int count, off_t at, int flags), file, parts,
         count, at, flags)
#define TYPES_preadv64v2 int, const iovec*, int, off64_t, int
READS_AT(preadv64v2, (int file, const iovec* parts, int count, off64_t at, int flags), file, parts,
         count, at, flags)
#define TYPES_pwritev int, const iovec*, int, off_t
MOVES(moved_out, pwritev, (int file, const iovec* parts, int count, off_t at), file, parts, count,
      at)
#define TYPES_pwritev64 int, const iovec*, int, off64_t
MOVES(moved_out, pwritev64, (int file, const iovec* parts, int count, off64_t at), file, parts,
      count, at)
#define TYPES_pwritev2 int, const iovec*, int, off_t, int
MOVES(moved_out, pwritev2, (int file, const iovec* parts, int count, off_t at, int flags), file,
      parts, count, at, flags)
#define TYPES_pwritev64v2 int, const iovec*, int, off64_t, int
MOVES(moved_out, pwritev64v2, (int file, const iovec* parts, int count, off64_t at, int flags),
      file, parts, count, at, flags)
// NOLINTBEGIN(bugprone-reserved-identifier)
#define TYPES___read_chk int, void*, size_t, size_t
MOVES(moved_in, __read_chk, (int file, void* buffer, size_t size, size_t room), file, buffer, size,
      room)
#define TYPES___pread_chk int, void*, size_t, off_t, size_t
READS_AT(__pread_chk, (int file, void* buffer, size_t size, off_t at, size_t room), file, buffer,
         size, at, room)
#define TYPES___pread64_chk int, void*, size_t, off64_t, size_t
READS_AT(__pread64_chk, (int file, void* buffer, size_t size, off64_t at, size_t room), file,
         buffer, size, at, room)
// NOLINTEND(bugprone-reserved-identifier)

#define COPIES(name, parameters, ...)                    \
    ssize_t name parameters {                            \
        REAL(name, ssize_t, TYPES_##name);               \
        const ssize_t bytes = real(__VA_ARGS__);         \
        moved_in(from, bytes, begin_of(from_at, bytes)); \
        moved_out(to, bytes);                            \
        return bytes;                                    \
    }

#define TYPES_sendfile int, int, off_t*, size_t
COPIES(sendfile, (int to, int from, off_t* from_at, size_t size) noexcept, to, from, from_at, size)
#define TYPES_sendfile64 int, int, off64_t*, size_t
COPIES(sendfile64, (int to, int from, off64_t* from_at, size_t size) noexcept, to, from, from_at,
       size)
#define TYPES_copy_file_range int, off64_t*, int, off64_t*, size_t, unsigned
COPIES(copy_file_range,
       (int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags), from,
       from_at, to, to_at, size, flags)

#define TYPES_splice int, off64_t*, int, off64_t*, size_t, unsigned
COPIES(splice, (int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags),
       from, from_at, to, to_at, size, flags)

// What goes on in the background may end unseen, and its request be gone: what is wanted counts.
#define BEGINS(note, name, request)            \
    int name(request* wanted) noexcept {       \
        REAL(name, int, request*);             \
        if (real == nullptr) return missing(); \
        note(*wanted);                         \
        return real(wanted);                   \
    }
BEGINS(wanted_in, aio_read, aiocb)
BEGINS(wanted_in, aio_read64, aiocb64)
BEGINS(wanted_out, aio_write, aiocb)
BEGINS(wanted_out, aio_write64, aiocb64)

#define BEGINS_ALL(name, request)                                                          \
    int name(int mode, request* const wanted[], int count, sigevent* when_done) noexcept { \
        REAL(name, int, int, request* const*, int, sigevent*);                             \
        if (real == nullptr) return missing();                                             \
        for (int i = 0; i < count; ++i)                                                    \
            if (wanted[i] != nullptr) wanted_either_way(*wanted[i]);                       \
        return real(mode, wanted, count, when_done);                                       \
    }
BEGINS_ALL(lio_listio, aiocb)
BEGINS_ALL(lio_listio64, aiocb64)

// A clone has the blocks of the file, which nobody reads then.
int ioctl(int file, unsigned long request, ...) noexcept {
    REAL(ioctl, int, int, unsigned long, ...);
    va_list more;
    va_start(more, request);
    void* argument = va_arg(more, void*);
    va_end(more);
    const int answer = real(file, request, argument);
    if (answer == 0 && request == FICLONE)
        cloned(static_cast<int>(reinterpret_cast<intptr_t>(argument)), 0, 0);
    if (answer == 0 && request == FICLONERANGE) {
        const auto& wanted = *static_cast<const file_clone_range*>(argument);
        cloned(static_cast<int>(wanted.src_fd), wanted.src_offset, wanted.src_length);
    }
    return answer;
}

#define MMAP(name, offset)                                                                         \
    void* name(void* where, size_t size, int protection, int flags, int file,                      \
               offset at) noexcept {                                                               \
        REAL(name, void*, void*, size_t, int, int, int, offset);                                   \
        void* memory = real(where, size, protection, flags, file, at);                             \
        if (memory != MAP_FAILED && file >= 0 && (flags & MAP_ANONYMOUS) == 0) mapped(file, size); \
        return memory;                                                                             \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

#define FOPEN(name)                                       \
    std::FILE* name(const char* path, const char* mode) { \
        REAL(name, std::FILE*, const char*, const char*); \
        return note_stream(real(path, mode), mode);       \
    }
FOPEN(fopen)
FOPEN(fopen64)

std::FILE* fdopen(int file, const char* mode) noexcept {
    REAL(fdopen, std::FILE*, int, const char*);
    std::FILE* stream = real(file, mode);
    stream_opened(stream);
    return stream;
}

#define FREOPEN(name)                                                        \
    std::FILE* name(const char* path, const char* mode, std::FILE* stream) { \
        REAL(name, std::FILE*, const char*, const char*, std::FILE*);        \
        stream_closes(stream);                                               \
        return note_stream(real(path, mode, stream), mode);                  \
    }
FREOPEN(freopen)
FREOPEN(freopen64)

int fclose(std::FILE* stream) {
    REAL(fclose, int, std::FILE*);
    stream_closes(stream);
    return real(stream);
}

#define SEEKS(name, offset)                            \
    int name(std::FILE* stream, offset to, int from) { \
        REAL(name, int, std::FILE*, offset, int);      \
        stream_leaves(stream);                         \
        const int answer = real(stream, to, from);     \
        stream_arrived(stream);                        \
        return answer;                                 \
    }
SEEKS(fseek, long)
SEEKS(fseeko, off_t)
SEEKS(fseeko64, off64_t)

void rewind(std::FILE* stream) {
    REAL(rewind, void, std::FILE*);
    stream_leaves(stream);
    real(stream);
    stream_arrived(stream);
}

#define SETS_POSITION(name, place)                 \
    int name(std::FILE* stream, const place* to) { \
        REAL(name, int, std::FILE*, const place*); \
        stream_leaves(stream);                     \
        const int answer = real(stream, to);       \
        stream_arrived(stream);                    \
        return answer;                             \
    }
SETS_POSITION(fsetpos, fpos_t)
SETS_POSITION(fsetpos64, fpos64_t)

int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
    REAL(execve, int, const char*, char* const*, char* const*);
    starts(path, environment);
    return real(path, arguments, environment);
}

int execv(const char* path, char* const arguments[]) noexcept {
    REAL(execv, int, const char*, char* const*);
    starts(path, environ);
    return real(path, arguments);
}

int execvp(const char* name, char* const arguments[]) noexcept {
    REAL(execvp, int, const char*, char* const*);
    starts_by_name(name, environ);
    return real(name, arguments);
}

int execvpe(const char* name, char* const arguments[], char* const environment[]) noexcept {
    REAL(execvpe, int, const char*, char* const*, char* const*);
    starts_by_name(name, environment);
    return real(name, arguments, environment);
}

#define SPAWNS(name, note)                                                              \
    int name(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions, \
             const posix_spawnattr_t* settings, char* const arguments[],                \
             char* const environment[]) {                                               \
        REAL(name, int, pid_t*, const char*, const posix_spawn_file_actions_t*,         \
             const posix_spawnattr_t*, char* const*, char* const*);                     \
        note(path, environment);                                                        \
        return real(child, path, actions, settings, arguments, environment);            \
    }
SPAWNS(posix_spawn, starts)
SPAWNS(posix_spawnp, starts_by_name)

}  // extern "C"
