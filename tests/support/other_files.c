/* Uses files in every way that C offers, each with a number of bytes that the test knows. Linked
 * statically as well, to be a program that nothing can be preloaded into. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): glibc asks for it */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[100000];

static void check(int fine, const char* what) {
    if (fine) return;
    perror(what);
    exit(1);
}

/* Newer calls: 100 + 200 read, 100 written, and 300 + 400 read, 40 written in the background. */
static void use_newer_calls(void) {
    int file = open("newer.bin", O_RDWR | O_CREAT | O_TRUNC, 0644);
    struct iovec part = {bytes, 100};
    check(file >= 0 && ftruncate(file, 5000) == 0, "newer.bin");
    check(pwritev2(file, &part, 1, 0, 0) == 100, "pwritev2");
    check(preadv2(file, &part, 1, 1000, 0) == 100, "preadv2");
    int ends[2];
    check(pipe(ends) == 0 && splice(file, NULL, ends[1], NULL, 200, 0) == 200, "splice");

    struct aiocb one = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 300};
    check(aio_read(&one) == 0, "aio_read");
    const struct aiocb* waited = &one;
    while (aio_error(&one) == EINPROGRESS) aio_suspend(&waited, 1, NULL);
    check(aio_return(&one) == 300, "aio_return");
    struct aiocb in = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 400};
    struct aiocb out = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 40};
    in.aio_lio_opcode = LIO_READ;
    out.aio_lio_opcode = LIO_WRITE;
    struct aiocb* both[3] = {&in, NULL, &out};
    check(lio_listio(LIO_WAIT, both, 3, NULL) == 0, "lio_listio");
    close(file);
}

int main(void) {
    use_newer_calls();

    /* Calls: 1000 + 500 + 200 written, 300 + 50 read. */
    int file = open("calls.bin", O_RDWR | O_CREAT | O_TRUNC, 0644);
    check(file >= 0, "open");
    check(write(file, bytes, 1000) == 1000, "write");
    check(pwrite(file, bytes, 500, 4000) == 500, "pwrite");
    struct iovec parts[2] = {{bytes, 150}, {bytes, 50}};
    check(writev(file, parts, 2) == 200, "writev");
    check(pread(file, bytes, 300, 0) == 300, "pread");
    int same = dup(file);
    check(same >= 0, "dup");
    check(lseek(same, 0, SEEK_SET) == 0 && read(same, bytes, 50) == 50, "read");
    close(same);
    close(file);

    /* A stream: 70,000 written in two stretches, then 30,000 read. */
    FILE* stream = fopen("stream.bin", "w+");
    check(stream != NULL, "fopen");
    check(fwrite(bytes, 1, 60000, stream) == 60000, "fwrite");
    check(fseek(stream, 100, SEEK_SET) == 0, "fseek");
    for (int i = 0; i < 1000; ++i) check(fprintf(stream, "%010d", i) == 10, "fprintf");
    check(fseek(stream, 30000, SEEK_SET) == 0, "fseek");
    check(fread(bytes, 1, 30000, stream) == 30000, "fread");
    check(fclose(stream) == 0, "fclose");

    /* Appended: 10. */
    stream = fopen("appended.txt", "a");
    check(stream != NULL && fputs("ten bytes\n", stream) >= 0 && fclose(stream) == 0, "append");

    /* Copied: 1200 of one into the other. Mapped: 4096. */
    file = open("calls.bin", O_RDONLY);
    int copy = open("copy.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check(sendfile(copy, file, NULL, 1200) == 1200, "sendfile");
    void* map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    check(map != MAP_FAILED, "mmap");
    munmap(map, 4096);
    close(copy);
    close(file);

    /* Left open, and unwritten until the very end: 7. */
    stream = fopen("open.txt", "w");
    check(stream != NULL && fputs("seven.\n", stream) >= 0, "open.txt");
    puts("twelve bytes");
    return 0;
}
