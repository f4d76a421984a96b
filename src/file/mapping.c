/* The bytes of a file: mapped, or read if it cannot be mapped. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "device/counted.h"
#include "file/archive.h"
#include "file/gzip.h"
#include "os/file.h"
#include "os/memory.h"
#include "os/plain.h"

/* 1: it has to be read. What changes a value in place gets pages of its own. */
static int map(situ_mapping *m, const char *path)
{
    void *bytes;
    situ_virtual_entry *v = situ_virtual_hold(path);
    if (v && v->lent) {
        m->lent = v;
        m->bytes = v->bytes;
        m->size = v->size;
        return 0;
    }
    if (v) return situ_virtual_let_go(v), 1;
    int rc = situ_map_file(path, &bytes, &m->size);
    if (rc < 0) return situ_fail(SITU_IO, NULL, "cannot open %s: %s", path, situ_plain_reason(errno));
    if (!rc) m->bytes = bytes;
    m->mapped = !rc;
    return rc;
}

static void unmap(const situ_mapping *m)
{
    if (m->lent) situ_virtual_let_go(m->lent);
    else if (m->mapped) situ_unmap((void *)(uintptr_t)m->bytes, m->size);
    else situ_counted_free((void *)(uintptr_t)m->bytes);
}

situ_mapping *situ_mapping_open(const char *path, bool want_map)
{
    situ_mapping *m = situ_calloc(1, sizeof *m);
    if (!m) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory", path), NULL;
    m->holders = 1;
    int rc = want_map ? map(m, path) : 1;
    bool packed = !rc && m->size > 2 && m->bytes[0] == 0x1f && m->bytes[1] == 0x8b && m->bytes[2] == 8;
    if (packed) unmap(m), rc = 1;
    if (rc > 0) {
        void *bytes;
        m->mapped = false;
        m->lent = NULL;
        rc = situ_read_file(path, &bytes, &m->size);
        m->bytes = bytes;
    }
    if (!rc) return m;
    situ_free(m);
    return NULL;
}

situ_mapping *situ_mapping_beside(const char *path, const char *by, bool want_map)
{
    situ_file_kind kind = situ_file_inspect(path, NULL);
    int code = kind ? 0 : errno;
    if (kind == SITU_FILE_REGULAR) return situ_mapping_open(path, want_map);
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
    unmap(m);
    situ_free(m);
}
