/* Files that a test writes. */
#ifndef SITU_TEST_FILES_H
#define SITU_TEST_FILES_H

#include <stdio.h>

#include "test.h"

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size);
    if (f) fclose(f);
}

/* Writes a file of this name in the test's folder; returns its path. */
static inline const char *file_of(const char *name, const void *bytes, size_t size)
{
    const char *path = test_path(name);
    write_file(path, bytes, size);
    return path;
}

#endif
