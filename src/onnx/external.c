/* External data: values in files beside the model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "file/archive.h"
#include "onnx/model.h"
#include "tensor/dtype.h"

/* An open file; closed when the model is freed. */
struct situ_onnx_beside {
    situ_onnx_beside *next;
    const char *location;
    situ_mapping *mapping;
};

/* Accepts only relative paths without "..": a model must not name files outside of its folder. */
static bool is_beside(const char *location)
{
    if (!*location || *location == '/') return false;
    for (const char *part = location; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t n = strcspn(part, "/");
        if (n == 2 && part[0] == '.' && part[1] == '.') return false;
    }
    return true;
}

static const situ_mapping *open_beside(situ_onnx_model *m, const char *location, situ_site site)
{
    for (const situ_onnx_beside *b = m->beside; b; b = b->next)
        if (!strcmp(b->location, location)) return b->mapping;
    if (!is_beside(location)) {
        situ_fail(
            SITU_BAD_FORMAT, site, "situ_onnx_load: values are in \"%.200s\", which is not a file in the model's folder", location);
        return NULL;
    }
    const char *slash = strrchr(m->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - m->path) : 0, size = folder + strlen(location) + 1;
    char *path = situ_arena_alloc(&m->arena, size);
    situ_onnx_beside *b = path ? situ_arena_alloc(&m->arena, sizeof *b) : NULL;
    if (!b) return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory"), NULL;
    snprintf(path, size, "%.*s%s", (int)folder, m->path, location);
    b->location = path + folder;
    if (!(b->mapping = situ_mapping_beside(path, m->path, true))) return NULL;
    b->next = m->beside;
    m->beside = b;
    return b->mapping;
}

static bool number_of(const char *text, uint64_t otherwise, uint64_t *value)
{
    char *end;
    *value = otherwise;
    if (!text) return true;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

int situ_onnx_read_external(situ_onnx_model *m, const situ_onnx_external *e, situ_onnx_host *t, const char *name, situ_site site)
{
    uint64_t offset, length, wanted = (uint64_t)t->count * situ_dtype_size(t->dtype);
    if (!name) name = "a tensor";
    if (!e->location)
        return situ_fail(SITU_BAD_FORMAT, site, "situ_onnx_load: the values of %.200s are elsewhere: no file is named", name);
    if (!m->path)
        return situ_fail(SITU_UNSUPPORTED, site,
            "situ_onnx_load: the values of %.200s are in the file \"%.200s\", and bytes have no folder; give " SITU_SAY(
                "situ_onnx_load", "situ.onnx.load") " the path",
            name, e->location);
    const situ_mapping *file = open_beside(m, e->location, site);
    if (!file) return -situ_error_code;
    if (!number_of(e->offset, 0, &offset) || offset > file->size || !number_of(e->length, wanted, &length) || length != wanted ||
        length > file->size - offset)
        return situ_fail(SITU_BAD_FORMAT, site,
            "situ_onnx_load: the %llu bytes of %.200s do not lie at offset %.40s, length %.40s of \"%.200s\", which has %llu",
            (unsigned long long)wanted, name, e->offset ? e->offset : "0", e->length ? e->length : "its own", e->location,
            (unsigned long long)file->size);
    return situ_onnx_take_little(m, t, file->bytes + offset);
}

void situ_onnx_close_external(situ_onnx_model *m)
{
    for (situ_onnx_beside *b = m->beside; b; b = b->next) situ_mapping_let_go(b->mapping);
    m->beside = NULL;
}
