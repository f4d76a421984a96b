/* Archives: files of named tensors. Readers add entries; tensors are made of them. */
#include "file/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/counted.h"
#include "op/support.h"
#include "tensor/dtype.h"
#include "tensor/number.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- for readers --------------------------------------------------------------------------------------------------------- */

char *situ_archive_room(situ_archive *a, size_t size)
{
    if (size > a->text_size - a->text_used) {
        size_t block = a->text_size < 2048 ? 4096 : 2 * a->text_size;
        if (block < size) block = size;
        char *text = a->strings < (int)(sizeof a->text / sizeof *a->text) ? situ_malloc(block) : NULL;
        if (!text) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path), NULL;
        a->text[a->strings++] = text;
        a->text_size = block;
        a->text_used = 0;
    }
    char *space = a->text[a->strings - 1] + a->text_used;
    a->text_used += size;
    return space;
}

char *situ_archive_text(situ_archive *a, const char *bytes, size_t size)
{
    char *text = situ_archive_room(a, size + 1);
    if (!text) return NULL;
    memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

situ_entry *situ_archive_more_entries(situ_archive *a)
{
    if (a->entries == a->capacity) {
        int64_t capacity = a->capacity ? 2 * a->capacity : 16;
        situ_entry *entry = situ_realloc(a->entry, (size_t)capacity * sizeof *entry);
        if (!entry) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path), NULL;
        a->entry = entry;
        a->capacity = capacity;
    }
    situ_entry *e = &a->entry[a->entries++];
    memset(e, 0, sizeof *e);
    return e;
}

int situ_archive_say(situ_archive *a, const char *key, const char *value)
{
    if (a->abouts == a->about_room) {
        int64_t capacity = a->about_room ? 2 * a->about_room : 16;
        situ_about *about = situ_realloc(a->about, (size_t)capacity * sizeof *about);
        if (!about) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for its metadata", a->path);
        a->about = about;
        a->about_room = capacity;
    }
    a->about[a->abouts++] = (situ_about){.key = key, .value = value};
    return 0;
}

int situ_archive_more(situ_archive *a, const char *path)
{
    situ_mapping **file = situ_realloc(a->file, (size_t)(a->files + 1) * sizeof *file);
    if (!file) return situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory", a->path);
    a->file = file;
    if (!(a->file[a->files] = situ_mapping_beside(path, a->path, a->file[0]->mapped))) return -situ_error_code;
    return a->files++;
}

bool situ_entry_bytes(const situ_shape *shape, int bits, uint64_t *bytes)
{
    int64_t count = situ_shape_count((int)shape->ndim, shape->dim);
    uint64_t all;
    if (count < 0 || __builtin_mul_overflow((uint64_t)count, (uint64_t)bits, &all) || all % 8) return false;
    *bytes = all / 8;
    return true;
}

static int unpack_little(const situ_entry *e, const char *path, void *out)
{
    (void)path;
    situ_reverse_numbers(out, e->data, e->size, situ_dtype_number_size((situ_dtype)e->dtype));
    return 0;
}

void situ_entry_is_little(situ_entry *e)
{
    if (SITU_BIG_ENDIAN && e->dtype >= 0 && situ_dtype_number_size((situ_dtype)e->dtype) > 1) e->unpack = unpack_little;
}

/* Ties are broken by index, so that the order does not depend on qsort. */
static int by_name(const void *a, const void *b)
{
    const situ_entry *x = *(const situ_entry *const *)a, *y = *(const situ_entry *const *)b;
    int c = strcmp(x->name, y->name);
    return c ? c : x < y ? -1 : x > y;
}

int situ_archive_sort(situ_archive *a)
{
    size_t n = (size_t)a->entries;
    const situ_entry **sorted = situ_malloc(n * sizeof(void *) + 1);
    situ_free(a->order);
    a->order = situ_malloc(n * sizeof *a->order + 1);
    int rc = sorted && a->order ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path);
    for (size_t i = 0; i < n && !rc; i++) sorted[i] = &a->entry[i];
    if (!rc) qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t i = 0; i < n && !rc; i++) {
        a->order[i] = sorted[i] - a->entry;
        if (i && !strcmp(sorted[i]->name, sorted[i - 1]->name))
            rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s: %s: \"%.80s\" is there twice", a->format, a->path, sorted[i]->name);
    }
    situ_free(sorted);
    return rc;
}

int64_t situ_archive_at(const situ_archive *a, const char *name)
{
    int64_t low = 0, high = a->entries - 1;
    while (low <= high) {
        int64_t middle = (low + high) / 2;
        int c = strcmp(name, a->entry[a->order[middle]].name);
        if (!c) return a->order[middle];
        if (c < 0) high = middle - 1;
        else low = middle + 1;
    }
    return -1;
}

/* ---- tensors --------------------------------------------------------------------------------------------------------------- */

/* A tensor on the mapped bytes; it holds a reference to the mapping. */
static situ_tensor *shared(const situ_entry *e, situ_mapping *m, situ_site site)
{
    situ_mapping_hold(m);
    situ_tensor *t = situ_from_host((const void *)e->data, e->shape, .dtype = (situ_dtype)e->dtype, .device = situ_cpu(),
        .borrow = true, .release = situ_mapping_let_go, .self = m);
    if (situ_error_code) situ_mapping_let_go(m);
    return t;
}

static situ_tensor *unpacked(const situ_entry *e, const char *path, situ_device device, situ_site site)
{
    uint64_t size;
    bool known = situ_entry_bytes(&e->shape, 8 * (int)situ_dtype_size((situ_dtype)e->dtype), &size);
    void *bytes = known ? situ_counted_resize(NULL, size, true, path) : NULL;
    if (!bytes) return situ_refused(SITU_NO_MEMORY, site, "%s: no host memory to unpack \"%.80s\"", path, e->name);
    if (e->unpack(e, path, bytes)) {
        situ_counted_free(bytes);
        return situ_poisoned();
    }
    bool here = !device.kind || device.kind == SITU_CPU;
    if (here) device = situ_cpu();
    situ_tensor *t = here ? situ_from_host(bytes, e->shape, .dtype = (situ_dtype)e->dtype, .device = device, .borrow = true,
                                .release = situ_counted_free, .self = bytes) :
                            situ_from_host(bytes, e->shape, .dtype = (situ_dtype)e->dtype, .device = device);
    if (!here || situ_error_code) situ_counted_free(bytes);
    return t;
}

situ_tensor *situ_archive_tensor(const situ_archive *a, int64_t i, situ_dtype dtype, situ_device device, bool copy, situ_site site)
{
    const situ_entry *e = &a->entry[i];
    if (e->dtype < 0)
        return situ_refused(SITU_BAD_DTYPE, site,
            "%s: \"%.80s\" in %s holds %s, for which there is no dtype" SITU_SAY("", "; names=[...] loads others alone"),
            situ_speaking.name, e->name, a->path, e->type);
    if (e->tensor) return situ_cast(situ_copy_to(e->tensor, device), dtype == SITU_DTYPE_DEFAULT ? (situ_dtype)e->dtype : dtype);
    bool aligned = (uintptr_t)e->data % situ_dtype_size((situ_dtype)e->dtype) == 0;
    situ_tensor *t = e->unpack ? unpacked(e, a->path, device, site) :
        copy || !aligned || device.kind != SITU_CPU ?
                                 situ_from_host((const void *)e->data, e->shape, .dtype = (situ_dtype)e->dtype, .device = device) :
                                 shared(e, a->file[e->file], site);
    return dtype == SITU_DTYPE_DEFAULT || dtype == (situ_dtype)e->dtype ? t : situ_cast(t, dtype);
}
