/* NumPy's files: .npy (numpy.lib.format, versions 1 to 3) and .npz, which is a zip archive of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "op/support.h"
#include "tensor/dtype.h"

enum { NAME_BYTES = 128, HEADER_BYTES = 4096 };

/* An array of a file: its values lie in `bytes`. */
typedef struct array {
    char name[NAME_BYTES];
    void *owned; /* unpacked, or NULL */
    const uint8_t *data;
    situ_dtype dtype;
    situ_shape shape;
    bool swapped, fortran;
    char use; /* 'i', 't' or 0 */
} array;

static uint32_t little(const uint8_t *p, int n)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++) v |= (uint32_t)p[i] << (8 * i);
    return v;
}

/* ---- .npy ----------------------------------------------------------------------------------------------------------------- */

static bool read_dtype(const char *text, array *a)
{
    static const struct {
        const char *text;
        situ_dtype dtype;
    } known[] = {{"b1", SITU_BOOL}, {"u1", SITU_U8}, {"u2", SITU_U16}, {"u4", SITU_U32}, {"u8", SITU_U64}, {"i1", SITU_I8},
        {"i2", SITU_I16}, {"i4", SITU_I32}, {"i8", SITU_I64}, {"f2", SITU_F16}, {"f4", SITU_F32}, {"f8", SITU_F64},
        {"c8", SITU_C64}, {"c16", SITU_C128}};
    size_t size = strcspn(text, "'\"");
    a->swapped = *text == '>';
    if (!strchr("<>|=", *text)) return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size == strlen(known[i].text) + 1 && !memcmp(text + 1, known[i].text, size - 1)) return a->dtype = known[i].dtype, true;
    return false;
}

/* What stands behind a key of the header, which is the text of a dict of Python's; NULL: there is no such key. */
static const char *behind(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    p = p ? strchr(p + strlen(key), ':') : NULL;
    return p ? p + 1 + strspn(p + 1, " ") : NULL;
}

static bool read_shape(const char *p, situ_shape *shape)
{
    if (*p++ != '(') return false;
    for (*shape = (situ_shape){.ndim = 0}; *p != ')'; shape->ndim++) {
        char *end;
        errno = 0;
        long long n = strtoll(p, &end, 10);
        if (end == p || errno || n < 0 || shape->ndim == SITU_MAX_DIMS) return false;
        shape->dim[shape->ndim] = n;
        p = end + strspn(end, "L ");
        if (*p == ',') p += 1 + strspn(p + 1, " ");
        else if (*p != ')') return false;
    }
    return true;
}

static int read_array(const uint8_t *bytes, size_t size, const char *path, array *a)
{
    char header[HEADER_BYTES];
    size_t length_bytes = size > 6 && bytes[6] > 1 ? 4 : 2, at = 8 + length_bytes;
    if (size < at || memcmp(bytes, "\x93NUMPY", 6) || bytes[6] < 1 || bytes[6] > 3)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: \"%s\" is no array in NumPy's format", path, a->name);
    size_t length = little(bytes + 8, (int)length_bytes);
    if (length >= sizeof header || length > size - at)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: the header of \"%s\" has %zu bytes, of which there are %zu", path,
            a->name, length, size - at);
    memcpy(header, bytes + at, length);
    header[length] = 0;
    const char *descr = behind(header, "'descr'"), *order = behind(header, "'fortran_order'"), *shape = behind(header, "'shape'");
    if (!descr || !order || !shape || (*descr != '\'' && *descr != '"') || !read_shape(shape, &a->shape))
        return situ_fail(SITU_BAD_FORMAT, NULL,
            "situ_numpy: %s: the header of \"%s\" says no dtype and shape of at most 8 dimensions", path, a->name);
    if (!read_dtype(descr + 1, a))
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: \"%s\" has dtype %.*s; arrays of numbers are read", path, a->name,
            (int)strcspn(descr + 1, "'\"") > 20 ? 20 : (int)strcspn(descr + 1, "'\""), descr + 1);
    a->fortran = !strncmp(order, "True", 4);
    a->data = bytes + at + length;
    int64_t count = situ_shape_count((int)a->shape.ndim, a->shape.dim), needed;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)situ_dtype_size(a->dtype), &needed) ||
        (uint64_t)needed != size - at - length)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: \"%s\" has %zu bytes of values, which its shape does not ask for",
            path, a->name, size - at - length);
    return 0;
}

/* ---- .npz ------------------------------------------------------------------------------------------------------------------- */

/* A deflated member, unpacked: as a gzip file, which has the same bytes in the middle. */
static int inflate_member(const uint8_t *data, size_t packed, const uint8_t *entry, const char *path, array *a, size_t *size)
{
    static const uint8_t head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    uint8_t *gzip = situ_malloc(packed + 18);
    if (!gzip) return situ_fail(SITU_NO_MEMORY, NULL, "situ_numpy: no host memory to unpack %s", path);
    memcpy(gzip, head, 10);
    memcpy(gzip + 10, data, packed);
    memcpy(gzip + 10 + packed, entry + 16, 4); /* CRC-32 */
    memcpy(gzip + 14 + packed, entry + 24, 4); /* size      */
    int rc = situ_unpack(path, gzip, packed + 18, &a->owned, size);
    situ_free(gzip);
    return rc;
}

/* One member of the archive, by its entry in the directory; 1: it is no array. */
static int read_member(const uint8_t *bytes, size_t size, const uint8_t *entry, const char *path, array *a)
{
    size_t packed = little(entry + 20, 4), unpacked = little(entry + 24, 4), name = little(entry + 28, 2),
           at = little(entry + 42, 4);
    uint32_t method = little(entry + 10, 2);
    if (name < 5 || memcmp(entry + 46 + name - 4, ".npy", 4)) return 1;
    if (name - 4 >= NAME_BYTES || at > size || size - at < 30 || little(bytes + at, 4) != 0x04034b50)
        return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: the archive's directory leads nowhere", path);
    memcpy(a->name, entry + 46, name - 4);
    a->name[name - 4] = 0;
    at += 30 + little(bytes + at + 26, 2) + little(bytes + at + 28, 2);
    if (at > size || packed > size - at || (method && method != 8) || (!method && packed != unpacked))
        return situ_fail(SITU_BAD_FORMAT, NULL,
            "situ_numpy: %s: \"%s\" is not there as a whole, or is packed by a method other than deflate", path, a->name);
    int rc = method ? inflate_member(bytes + at, packed, entry, path, a, &unpacked) : 0;
    return rc ? rc : read_array(method ? a->owned : bytes + at, unpacked, path, a);
}

/* All arrays of the archive; how many, or a negative code. */
static int read_archive(const uint8_t *bytes, size_t size, const char *path, array *a)
{
    const uint8_t *end = NULL;
    for (size_t i = size >= 22 ? size - 22 : 0; size >= 22 && !end; i--) {
        if (little(bytes + i, 4) == 0x06054b50) end = bytes + i;
        if (!i || size - i > 66000) break;
    }
    if (!end) return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: neither .npy nor .npz", path);
    size_t count = little(end + 10, 2), at = little(end + 16, 4);
    int n = 0;
    for (size_t i = 0; i < count; i++) {
        if (at > size || size - at < 46 || little(bytes + at, 4) != 0x02014b50 || size - at - 46 < little(bytes + at + 28, 2))
            return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: the archive's directory is damaged (or has 64 bits)", path);
        if (n == SITU_FIELDS) return situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: more than %d arrays", path, SITU_FIELDS);
        int rc = read_member(bytes, size, bytes + at, path, &a[n]);
        n += rc == 0 || a[n].owned;
        if (rc < 0) return rc;
        at += 46 + little(bytes + at + 28, 2) + little(bytes + at + 30, 2) + little(bytes + at + 32, 2);
    }
    return n;
}

/* ---- the set ---------------------------------------------------------------------------------------------- */

/* Marks the arrays of a list of names. */
static int mark(array *a, int n, const char *names, char use, const char *path)
{
    for (const char *p = names; p && *p;) {
        p += strspn(p, " ");
        size_t size = strcspn(p, ",");
        int i = 0;
        while (i < n && (strlen(a[i].name) != size || memcmp(a[i].name, p, size))) i++;
        if (i == n)
            return situ_fail(SITU_BAD_OPTION, NULL, "situ_numpy: %s: there is no array \"%.*s\"; the first of %d is \"%s\"", path,
                (int)(size < 80 ? size : 80), p, n, n ? a[0].name : "");
        a[i].use = use;
        p += size + (p[size] == ',');
    }
    return 0;
}

/* Element i in row-major order, as it lies in the file. */
static int64_t place_of(const array *a, int64_t i)
{
    if (!a->fortran) return i;
    int64_t at = 0, stride[SITU_MAX_DIMS], step = 1;
    for (int d = 0; d < a->shape.ndim; d++) stride[d] = step, step *= a->shape.dim[d];
    for (int d = (int)a->shape.ndim - 1; d >= 0; d--) {
        at += i % a->shape.dim[d] * stride[d];
        i /= a->shape.dim[d];
    }
    return at;
}

static void copy_values(const array *a, situ_column *c)
{
    size_t size = situ_dtype_size(a->dtype), part = situ_dtype_is_complex(a->dtype) ? size / 2 : size,
           own = situ_dtype_size(c->dtype);
    int64_t count = situ_shape_count((int)a->shape.ndim, a->shape.dim);
    uint8_t one[16];
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *from = a->data + place_of(a, i) * (int64_t)size;
        for (size_t k = 0; k < size; k++) one[k] = from[a->swapped ? k / part * part + part - 1 - k % part : k];
        if (a->dtype == c->dtype) memcpy(c->data + i * (int64_t)own, one, size);
        else situ_element_set_f64(c->dtype, c->data + i * (int64_t)own, situ_element_get_f64(a->dtype, one));
    }
}

static situ_dataset *assemble(const array *a, int n, const char *path, bool f64)
{
    situ_column field[SITU_FIELDS] = {{0}};
    const array *of[SITU_FIELDS];
    int fields = 0, inputs = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            if (a[i].use != (pass ? 't' : 'i')) continue;
            situ_column *c = &field[fields];
            of[fields++] = &a[i];
            if (!a[i].shape.ndim || a[i].shape.dim[0] != of[0]->shape.dim[0]) {
                situ_fail(
                    SITU_BAD_SHAPE, NULL, "situ_numpy: %s: \"%s\" has not as many rows as \"%s\"", path, a[i].name, of[0]->name);
                return NULL;
            }
            *c = (situ_column){
                .name = (char *)(uintptr_t)a[i].name, .dtype = a[i].dtype == SITU_F64 && !f64 ? SITU_F32 : a[i].dtype};
            c->shape.ndim = a[i].shape.ndim - 1;
            memcpy(c->shape.dim, a[i].shape.dim + 1, (size_t)c->shape.ndim * sizeof *c->shape.dim);
        }
        if (!pass) inputs = fields;
    }
    if (!inputs) {
        situ_fail(SITU_BAD_FORMAT, NULL, "situ_numpy: %s: no array is an input", path);
        return NULL;
    }
    situ_dataset *data = situ_dataset_frame(of[0]->shape.dim[0], field, fields, inputs, 0, path);
    for (int i = 0; data && i < fields; i++) copy_values(of[i], &data->field[i]);
    return situ_dataset_checked(data, "situ_numpy");
}

situ_dataset *(situ_numpy)(const char *path, const situ_numpy_options *options, situ_site site)
{
    SITU_SPEAK("situ_numpy", site);
    situ_numpy_options o = {SITU_DEFAULTS(SITU_NUMPY_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_numpy", site)) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_numpy: no file is named"), NULL;
    array *a = situ_calloc(SITU_FIELDS, sizeof *a);
    void *bytes = NULL;
    size_t size;
    situ_dataset *data = NULL;
    int n = 0;
    if (!a) situ_fail(SITU_NO_MEMORY, site, "situ_numpy: out of host memory");
    else if (!situ_read_file(path, &bytes, &size)) {
        strcpy(a[0].name, "input");
        bool one = size > 6 && !memcmp(bytes, "\x93NUMPY", 6);
        n = one ? (read_array(bytes, size, path, &a[0]) ? -1 : 1) : read_archive(bytes, size, path, a);
        if (n >= 0 && !mark(a, n, o.inputs, 'i', path) && !mark(a, n, o.targets, 't', path)) {
            for (int i = 0; i < n && !o.inputs; i++) a[i].use = a[i].use ? a[i].use : 'i';
            data = assemble(a, n, path, o.f64);
        }
    }
    for (int i = 0; a && i < SITU_FIELDS; i++) situ_free(a[i].owned);
    situ_free(a);
    situ_free(bytes);
    return data;
}
