/* Data sets from NumPy files. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "file/archive.h"
#include "file/network.h"
#include "op/support.h"
#include "tensor/dtype.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Marks the named arrays of a file as used: 'i' input, 't' target. */
static int mark(const situ_archive *a, char *use, const char *names, char how)
{
    for (const char *p = names; p && *p;) {
        p += strspn(p, " ");
        size_t size = strcspn(p, ",");
        int64_t i = 0;
        while (i < a->entries && (strlen(a->entry[i].name) != size || memcmp(a->entry[i].name, p, size))) i++;
        if (i == a->entries)
            return situ_fail(SITU_BAD_OPTION, NULL, "situ_numpy: %s: there is no array \"%.*s\"; the first of %lld is \"%s\"",
                a->path, (int)(size < 80 ? size : 80), p, (long long)i, i ? a->entry[0].name : "");
        if (use[i])
            return situ_fail(SITU_BAD_OPTION, NULL, "situ_numpy: %s: the array \"%.*s\" is named twice%s", a->path,
                (int)(size < 80 ? size : 80), p, use[i] == how ? "" : ", as an input and as a target");
        use[i] = how;
        p += size + (p[size] == ',');
    }
    return 0;
}

static int copy_values(const situ_archive *a, const situ_entry *e, situ_column *c)
{
    size_t size = situ_dtype_size((situ_dtype)e->dtype), own = situ_dtype_size(c->dtype);
    int64_t count = situ_shape_count((int)e->shape.ndim, e->shape.dim);
    bool same = e->dtype == (int)c->dtype;
    char *space = e->unpack && !same ? situ_malloc((size_t)count * size + 1) : c->data;
    if (!space) return situ_fail(SITU_NO_MEMORY, NULL, "situ_numpy: no host memory to unpack %s", a->path);
    int rc = e->unpack ? e->unpack(e, a->path, space) : 0;
    const char *from = e->unpack ? space : (const char *)e->data;
    if (!rc && same && !e->unpack) memcpy(c->data, from, (size_t)count * size);
    for (int64_t i = 0; i < count && !rc && !same; i++) {
        char one[16]; /* an entry may be unaligned */
        memcpy(one, from + i * (int64_t)size, size);
        situ_element_set_f64(c->dtype, c->data + i * (int64_t)own, situ_element_get_f64((situ_dtype)e->dtype, one));
    }
    if (space != c->data) situ_free(space);
    return rc;
}

/* Adds entry e as a column; it must have as many rows as the first one. */
static int add_column(const situ_archive *a, const situ_entry *e, const situ_entry *first, bool f64, situ_column *c)
{
    if (e->dtype < 0)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: \"%.80s\" has dtype %.40s; arrays of numbers are read", a->path,
            e->name, e->type);
    if (!e->shape.ndim || e->shape.dim[0] != first->shape.dim[0])
        return situ_fail(
            SITU_BAD_SHAPE, NULL, "situ_numpy: %s: \"%.80s\" has not as many rows as \"%.80s\"", a->path, e->name, first->name);
    *c = (situ_column){.name = (char *)(uintptr_t)e->name,
        .dtype = e->dtype == SITU_F64 && !f64 ? SITU_F32 : (situ_dtype)e->dtype,
        .shape.ndim = e->shape.ndim - 1};
    memcpy(c->shape.dim, e->shape.dim + 1, (size_t)c->shape.ndim * sizeof *c->shape.dim);
    return 0;
}

static situ_dataset *assemble(const situ_archive *a, const char *use, bool f64)
{
    situ_column field[SITU_FIELDS] = {{0}};
    const situ_entry *of[SITU_FIELDS];
    int fields = 0, inputs = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < a->entries; i++) {
            if (use[i] != (pass ? 't' : 'i')) continue;
            if (fields == SITU_FIELDS)
                return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: more than %d arrays", a->path, SITU_FIELDS), NULL;
            of[fields] = &a->entry[i];
            if (add_column(a, of[fields], of[0], f64, &field[fields])) return NULL;
            fields++;
        }
        if (!pass) inputs = fields;
    }
    if (!inputs) return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: no array is an input", a->path), NULL;
    situ_dataset *data = situ_dataset_frame(of[0]->shape.dim[0], field, fields, inputs, 0, a->path);
    for (int i = 0; data && i < fields; i++)
        if (copy_values(a, of[i], &data->field[i])) return situ_dataset_free(data), NULL;
    return situ_dataset_checked(data, "situ_numpy");
}

situ_dataset *(situ_numpy)(const char *path, const situ_numpy_options *options, situ_site site)
{
    SITU_SPEAK("situ_numpy", site);
    situ_numpy_options o = {SITU_DEFAULTS(SITU_NUMPY_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_numpy", site)) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_numpy: no file is named"), NULL;
    situ_archive *a = situ_archive_open(path);
    if (!a) return NULL;
    situ_dataset *data = NULL;
    char *use = situ_calloc((size_t)a->entries + 1, 1);
    if (!use) situ_fail(SITU_NO_MEMORY, site, "situ_numpy: out of host memory");
    if (use && !strcmp(a->format, "npy")) a->entry[0].name = "input";
    if (use && !mark(a, use, o.inputs, 'i') && !mark(a, use, o.targets, 't')) {
        for (int64_t i = 0; i < a->entries && !o.inputs; i++) use[i] = use[i] ? use[i] : 'i';
        data = assemble(a, use, o.f64);
    }
    situ_free(use);
    situ_archive_done(a);
    return data;
}
