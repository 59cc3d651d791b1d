/* Uses files in every way that C offers, each with a number of bytes that the test knows. Linked
 * statically as well, to be a program that nothing can be preloaded into. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): glibc asks for it */
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

int main(void) {
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
