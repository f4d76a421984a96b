/* A reader that takes a path gets the bytes of a virtual file; one of files that the system names, a file under /proc/self/fd. */
#ifndef SITU_FUZZ_FILE_H
#define SITU_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <situ/file.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file with these bytes; the same file at each call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) fd = memfd_create("fuzz", 0);
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

/* The path of these bytes in memory, until the next call; tensors share them by `size`. */
static inline const char *fuzz_bytes(const uint8_t *data, size_t size)
{
    static situ_virtual_file *file;
    situ_virtual_file_close(file);
    const situ_virtual_file_open_options o = {
        .size = sizeof o, .unnamed = SITU_NAMED, .bytes = data ? (const void *)data : "", .bytes_size = (int64_t)size, .borrow = size / 2 % 2 == 0};
    if (!(file = (situ_virtual_file_open)("fuzz", &o, NULL))) abort();
    return situ_virtual_file_path(file);
}

#endif
