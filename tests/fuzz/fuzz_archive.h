/* What every reader of files of tensors is asked. */
#ifndef SITU_FUZZ_ARCHIVE_H
#define SITU_FUZZ_ARCHIVE_H

#include <situ/file.h>

#include "fuzz_file.h"

/* The archive at a path, mapped or read by `size`; NULL: it was refused, with an error. */
static inline situ_archive *fuzz_archive(const char *path, size_t size)
{
    const situ_archive_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .map = size % 2 == 0};
    situ_archive *a = (situ_archive_open)(path, &o, NULL);
    if (!a != (situ_error_take(NULL) != 0)) abort();
    return a;
}

/* Reads its first tensors. */
static inline void fuzz_tensors(situ_archive *a, situ_dtype dtype)
{
    situ_scope *scope = situ_scope_open();
    for (int64_t i = 0; i < situ_archive_count(a) && i < 8; i++) {
        situ_tensor *t = situ_archive_get(a, situ_archive_name(a, i), .dtype = dtype);
        if (!situ_failed()) (situ_wait)(t, NULL);
        situ_error_take(NULL);
    }
    situ_scope_close(scope);
}

#endif
