#define _GNU_SOURCE /* memfd_create */
#include "os/memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static const size_t huge = 2 << 20;

static size_t page_size(void) /* 64 KiB in some systems for 64-bit ARM */
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = page_size();
    return (bytes + page - 1) & ~(page - 1);
}

/* Asks for huge pages; works without them as well. */
static void wish_huge_pages(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(at, bytes, MADV_HUGEPAGE);
#else
    (void)at, (void)bytes;
#endif
}

void *situ_huge_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = whole_pages(bytes);
    char *start = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    char *aligned = (char *)(((uintptr_t)start + huge - 1) & ~(uintptr_t)(huge - 1));
    size_t before = (size_t)(aligned - start), after = huge - before;
    if (before) munmap(start, before);
    if (after) munmap(aligned + bytes, after);
    wish_huge_pages(aligned, bytes);
    return aligned;
}

void situ_huge_free(void *address, size_t bytes) { munmap(address, whole_pages(bytes)); }

int situ_range_new(size_t bytes, situ_range *r)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (bytes > SIZE_MAX / 4) return -1;
    bytes = (bytes + huge - 1) & ~(huge - 1);
    char *device = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    char *hidden = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (device == MAP_FAILED || hidden == MAP_FAILED) {
        if (device != MAP_FAILED) munmap(device, bytes);
        if (hidden != MAP_FAILED) munmap(hidden, bytes);
        return -1;
    }
    wish_huge_pages(hidden, bytes);
#ifdef MADV_DONTDUMP
    (void)madvise(device, bytes, MADV_DONTDUMP);
#endif
    *r = (situ_range){device, hidden, bytes};
    return 0;
}

void situ_range_free(situ_range *r)
{
    munmap(r->device, r->bytes);
    munmap(r->hidden, r->bytes);
}

void situ_range_discard(situ_range *r, size_t offset, size_t bytes)
{
    size_t from = whole_pages(offset), to = (offset + bytes) & ~(page_size() - 1);
#ifdef MADV_DONTNEED
    if (from < to) (void)madvise(r->hidden + from, to - from, MADV_DONTNEED);
#else
    (void)r, (void)from, (void)to;
#endif
}

int situ_map_file(const char *path, void **bytes, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not wait if it is a pipe */
    if (file < 0) return -1;
    bool whole = !fstat(file, &about) && S_ISREG(about.st_mode) && about.st_size > 0;
    void *at = whole ? mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0) : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED) return 1;
    *bytes = at;
    *size = (size_t)about.st_size;
    return 0;
}

void *situ_map_shared(int file, size_t size)
{
    struct stat about;
    if (fstat(file, &about) || (about.st_size < (off_t)size && ftruncate(file, (off_t)size))) return NULL;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

void situ_unmap(void *bytes, size_t size) { munmap(bytes, size); }

int situ_nameless_file(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("situ", MFD_CLOEXEC);
#else
    FILE *file = tmpfile();
    int copy = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    if (file) fclose(file);
    return copy;
#endif
}
