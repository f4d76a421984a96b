/* The bytes of a file: mapped, or read if it cannot be mapped. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "device/counted.h"
#include "file/archive.h"
#include "file/gzip.h"

static int map(situ_mapping *m, const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not block on a pipe */
    if (fd < 0) return situ_fail(SITU_IO, NULL, "cannot open %s: %s", path, situ_plain_reason(errno));
    bool whole = !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size > 0;
    int write = PROT_READ | PROT_WRITE; /* a private mapping: changed pages are copied */
    void *at = whole ? mmap(NULL, (size_t)about.st_size, write, MAP_PRIVATE | MAP_NORESERVE, fd, 0) : MAP_FAILED;
    close(fd);
    if (at == MAP_FAILED) return 1;
    m->bytes = at;
    m->size = (size_t)about.st_size;
    m->mapped = true;
    return 0;
}

situ_mapping *situ_mapping_open(const char *path, bool want_map)
{
    situ_mapping *m = situ_calloc(1, sizeof *m);
    if (!m) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory", path), NULL;
    m->holders = 1;
    int rc = want_map ? map(m, path) : 1;
    bool packed = !rc && m->size > 2 && m->bytes[0] == 0x1f && m->bytes[1] == 0x8b && m->bytes[2] == 8;
    if (packed) munmap((void *)(uintptr_t)m->bytes, m->size), rc = 1;
    if (rc > 0) {
        void *bytes;
        m->mapped = false;
        rc = situ_read_file(path, &bytes, &m->size);
        m->bytes = bytes;
    }
    if (!rc) return m;
    situ_free(m);
    return NULL;
}

situ_mapping *situ_mapping_beside(const char *path, const char *by, bool want_map)
{
    struct stat about;
    int code = stat(path, &about) ? errno : 0;
    if (!code && S_ISREG(about.st_mode)) return situ_mapping_open(path, want_map);
    situ_fail(
        SITU_IO, NULL, "cannot open %s, which %s needs: %s", path, by, code ? situ_plain_reason(code) : "it is no regular file");
    return NULL;
}

const char *situ_mapping_guess(const situ_mapping *m)
{
    static const struct {
        const char *begin, *guess;
    } known[] = {{"version https://git-lfs", "; it is a pointer of Git LFS: `git lfs pull` brings the file"},
        {"PK\003\004", "; it is a zip archive, as PyTorch writes: save the state_dict as safetensors"},
        {"\x80\002", "; it is a pickle, as PyTorch wrote: save the state_dict as safetensors"},
        {"\x89HDF", "; it is HDF5, as Keras writes: save the weights as npz or safetensors"}, {"<", "; it is a page of the web"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (m->size >= strlen(known[i].begin) && !memcmp(m->bytes, known[i].begin, strlen(known[i].begin))) return known[i].guess;
    return m->size ? "" : "; it is empty";
}

void situ_mapping_hold(situ_mapping *m) { atomic_fetch_add(&m->holders, 1); }

void situ_mapping_let_go(void *mapping)
{
    situ_mapping *m = mapping;
    if (!m || atomic_fetch_sub(&m->holders, 1) != 1) return;
    if (m->mapped) munmap((void *)(uintptr_t)m->bytes, m->size);
    else situ_counted_free((void *)(uintptr_t)m->bytes);
    situ_free(m);
}
