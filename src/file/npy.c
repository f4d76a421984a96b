/* NumPy files: .npy (numpy.lib.format, versions 1 to 3) and .npz, a zip archive of them (PKWARE's APPNOTE; zip64,
 * stored or deflated). Values in another byte order than this machine's, in Fortran order or deflated are converted
 * when they are read; others are used in place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/counted.h"
#include "file/format.h"
#include "file/gzip.h"
#include "tensor/dtype.h"
#include "tensor/number.h"
#include "tensor/shape.h"

enum { HEADER_MOST = 65536, FRONT = 12 }; /* FRONT: bytes before the header text, in versions 2 and 3 */
/* An entry's details: flags, bytes before the values, and for deflated ones the checksum of the member. */
enum { FLAGS, BEFORE, SUM };
enum { SWAPPED = 1, FORTRAN = 2, DEFLATED = 4 };

static int refused(const situ_archive *a, const char *name, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "%s: %s: \"%.80s\" %s", a->format, a->path, name, what);
}

/* ---- header of an array ----------------------------------------------------------------------------------------------------- */

static int dtype_of(const char *text, size_t size)
{
    static const struct {
        const char *text;
        situ_dtype dtype;
    } known[] = {{"b1", SITU_BOOL}, {"u1", SITU_U8}, {"u2", SITU_U16}, {"u4", SITU_U32}, {"u8", SITU_U64}, {"i1", SITU_I8},
        {"i2", SITU_I16}, {"i4", SITU_I32}, {"i8", SITU_I64}, {"f2", SITU_F16}, {"f4", SITU_F32}, {"f8", SITU_F64},
        {"c8", SITU_C64}, {"c16", SITU_C128}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strchr("<>|=", *text) && size == strlen(known[i].text) + 1 && !memcmp(text + 1, known[i].text, size - 1))
            return known[i].dtype;
    return -1;
}

/* Skips a string or a bracketed expression at p; the end of the text if it is not closed. */
static const char *skip(const char *p)
{
    int depth = 0;
    do {
        char quote = *p == '\'' || *p == '"' ? *p : 0;
        if (quote)
            for (p++; *p && *p != quote; p++) p += *p == '\\' && p[1];
        else depth += strchr("([{", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
        p += *p != 0;
    } while (*p && depth > 0);
    return p;
}

static const char *past_blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

/* Parses a shape; returns the text after it, or NULL. */
static const char *read_shape(const char *p, situ_shape *shape)
{
    if (*p++ != '(') return NULL;
    p = past_blanks(p);
    for (*shape = (situ_shape){.ndim = 0}; *p != ')'; shape->ndim++) {
        char *end;
        errno = 0;
        long long n = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : -1;
        if (n < 0 || errno || shape->ndim == SITU_MAX_DIMS) return NULL;
        shape->dim[shape->ndim] = n;
        p = past_blanks(end + (*end == 'L'));
        if (*p == ',') p = past_blanks(p + 1);
        else if (*p != ')' || !shape->ndim) return NULL; /* in Python (3) is no tuple */
    }
    return p + 1;
}

/* Parses the dtype: a quoted string; for a structured dtype the whole list. Returns the text after it, or NULL. */
static const char *read_type(situ_archive *a, const char *p, const char **type)
{
    bool quoted = *p == '\'' || *p == '"';
    const char *end = quoted || *p == '[' ? skip(p) : p;
    size_t size = end > p + 2 * quoted ? (size_t)(end - p) - 2 * quoted : 0;
    *type = size ? situ_archive_text(a, p + quoted, size < 200 ? size : 200) : NULL;
    return *type ? end : NULL;
}

/* Parses True or False; returns the text after it, or NULL. */
static const char *read_order(const char *p, bool *fortran)
{
    *fortran = !strncmp(p, "True", 4);
    return *fortran ? p + 4 : !strncmp(p, "False", 5) ? p + 5 : NULL;
}

/* Parses the header, a Python dict with exactly these three keys. NULL, or an error message */
static const char *read_dict(situ_archive *a, const char *p, const char **type, bool *fortran, situ_shape *shape)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool seen[3] = {false, false, false};
    p = past_blanks(p);
    if (*p++ != '{') return "has a header that is no dict";
    for (p = past_blanks(p); *p != '}'; p = past_blanks(p)) {
        const char *end = *p == '\'' || *p == '"' ? skip(p) : p;
        int k = 0;
        while (k < 3 && ((size_t)(end - p) != strlen(keys[k]) + 2 || memcmp(p + 1, keys[k], strlen(keys[k])))) k++;
        if (k == 3) return "has a header with something other than descr, fortran_order and shape";
        if (seen[k]) return "has a header that says one thing twice";
        seen[k] = true;
        end = past_blanks(end);
        if (*end != ':') return "has a header that is no dict";
        p = past_blanks(end + 1);
        p = k == 0 ? read_type(a, p, type) : k == 1 ? read_order(p, fortran) : read_shape(p, shape);
        if (!p)
            return k == 1 ? "has a header whose fortran_order is neither True nor False" :
                            "has a header without dtype or shape of at most 8 dimensions";
        p = past_blanks(p);
        if (*p == ',') p++;
        else if (*p != '}') return "has a header with something after a value";
    }
    if (*past_blanks(p + 1)) return "has a header with something after its end";
    return seen[0] && seen[1] && seen[2] ? NULL : "has a header without dtype or shape of at most 8 dimensions";
}

/* Fills in e from the header of a member of `size` bytes, of which `there` are available. */
static int read_header(situ_archive *a, const char *name, const uint8_t *bytes, size_t there, uint64_t size, situ_entry *e)
{
    size_t width = there > 6 && bytes[6] > 1 ? 4 : 2, at = 8 + width;
    if (there < at || memcmp(bytes, "\x93NUMPY", 6) || bytes[6] < 1 || bytes[6] > 3)
        return refused(a, name, "is no array in NumPy's format");
    size_t length = (size_t)situ_little(bytes + 8, (int)width);
    if (length >= HEADER_MOST || length > there - at) return refused(a, name, "has an incomplete header");
    char *header = situ_archive_text(a, (const char *)bytes + at, length);
    if (!header) return -situ_error_code;
    if (memchr(bytes + at, 0, length)) return refused(a, name, "has a header with a zero byte in it");
    const char *type = NULL;
    bool fortran = false;
    const char *wrong = read_dict(a, header, &type, &fortran, &e->shape);
    if (wrong) return situ_error_code ? -situ_error_code : refused(a, name, wrong);
    e->name = name;
    e->type = type;
    e->dtype = dtype_of(type, strlen(type));
    e->detail[BEFORE] = (uint32_t)(at + length);
    e->detail[FLAGS] = (*type == (SITU_BIG_ENDIAN ? '<' : '>') ? SWAPPED : 0) | (fortran && e->shape.ndim > 1 ? FORTRAN : 0);
    uint64_t values = size - e->detail[BEFORE], needed;
    if (e->dtype >= 0 &&
        (!situ_entry_bytes(&e->shape, 8 * (int)situ_dtype_size((situ_dtype)e->dtype), &needed) || needed != values))
        return refused(a, name, "has other bytes of values than its shape asks for");
    return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

/* Converts elements to row-major order and this byte order; a complex one is two numbers. */
static void arrange(const situ_entry *e, const uint8_t *from, uint8_t *to)
{
    size_t size = situ_dtype_size((situ_dtype)e->dtype), width = situ_dtype_number_size((situ_dtype)e->dtype);
    int64_t count = situ_shape_count((int)e->shape.ndim, e->shape.dim), index[SITU_MAX_DIMS] = {0}, stride[SITU_MAX_DIMS], at = 0;
    int ndim = (int)e->shape.ndim;
    bool fortran = e->detail[FLAGS] & FORTRAN, swapped = e->detail[FLAGS] & SWAPPED;
    for (int64_t d = 0, step = 1; d < ndim; step *= e->shape.dim[d], d++) stride[d] = step;
    for (int64_t i = 0; i < count; i++, to += size) {
        const uint8_t *one = from + (fortran ? at : i) * (int64_t)size;
        if (swapped) situ_reverse_numbers(to, one, size, width);
        else memcpy(to, one, size);
        for (int d = ndim - 1; fortran && d >= 0; d--) {
            at += stride[d];
            if (++index[d] < e->shape.dim[d]) break;
            at -= stride[d] * index[d];
            index[d] = 0;
        }
    }
}

static int unpack(const situ_entry *e, const char *path, void *out)
{
    bool deflated = e->detail[FLAGS] & DEFLATED, other = e->detail[FLAGS] & (SWAPPED | FORTRAN);
    uint64_t size;
    situ_entry_bytes(&e->shape, 8 * (int)situ_dtype_size((situ_dtype)e->dtype), &size); /* cannot fail: it was checked before */
    if (!deflated) return arrange(e, e->data, out), 0;
    uint8_t *buffer = other ? situ_counted_resize(NULL, (size_t)size, true, path) : out;
    uint32_t sum;
    int rc = buffer ? situ_inflate(path, e->data, e->size, e->detail[BEFORE], buffer, (size_t)size, true, &sum) : -situ_error_code;
    if (!rc && sum != e->detail[SUM])
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s: the values of \"%.80s\" are damaged: their checksum is another", path, e->name);
    if (!rc && other) arrange(e, buffer, out);
    if (other) situ_counted_free(buffer);
    return rc;
}

static void use(situ_entry *e, const uint8_t *data, size_t size)
{
    e->data = data;
    e->size = size;
    e->unpack = e->dtype >= 0 && e->detail[FLAGS] ? unpack : NULL;
}

/* ---- .npy -------------------------------------------------------------------------------------------------------------------- */

static bool is_npy(const situ_mapping *m, const char *path)
{
    (void)path;
    return m->size > 6 && !memcmp(m->bytes, "\x93NUMPY", 6);
}

static int read_npy(situ_archive *a)
{
    const situ_mapping *m = a->file[0];
    situ_entry *e = situ_archive_more_entries(a);
    if (!e || read_header(a, "array", m->bytes, m->size, m->size, e)) return -situ_error_code;
    use(e, m->bytes + e->detail[BEFORE], m->size - e->detail[BEFORE]);
    return 0;
}

const situ_file_format situ_format_npy = {"npy", is_npy, read_npy};

/* ---- .npz -------------------------------------------------------------------------------------------------------------------- */

static bool is_npz(const situ_mapping *m, const char *path)
{
    (void)path;
    return m->size >= 4 && m->bytes[0] == 'P' && m->bytes[1] == 'K' && (m->bytes[2] == 3 || m->bytes[2] == 5) &&
        m->bytes[3] == m->bytes[2] + 1;
}

/* A member of the archive, from its directory. */
typedef struct member {
    const uint8_t *name;
    size_t name_size;
    uint64_t packed, size, at; /* at: position of the member's local header */
    uint32_t sum;
    int method, flags;
} member;

/* Finds the directory: its position, size, and number of members. */
static bool find_directory(const situ_mapping *m, uint64_t *at, uint64_t *size, uint64_t *count)
{
    const uint8_t *b = m->bytes;
    for (size_t i = m->size >= 22 ? m->size - 22 : 0; m->size >= 22 && m->size - i <= 22 + 65535; i--) {
        if (situ_little(b + i, 4) == 0x06054b50 && situ_little(b + i + 20, 2) == m->size - i - 22) {
            *count = situ_little(b + i + 10, 2), *size = situ_little(b + i + 12, 4), *at = situ_little(b + i + 16, 4);
            if (situ_little(b + i + 8, 2) != *count) return false; /* the number of members is stored twice */
            uint64_t end = i, few = *count;
            if (i >= 20 && situ_little(b + i - 20, 4) == 0x07064b50) { /* there is a zip64 record */
                uint64_t big = situ_little(b + i - 12, 8);
                if (m->size < 56 || big > m->size - 56 || situ_little(b + big, 4) != 0x06064b50) return false;
                *count = situ_little(b + big + 32, 8), *size = situ_little(b + big + 40, 8), *at = situ_little(b + big + 48, 8);
                if (few != UINT16_MAX && few != *count) return false;
                end = big;
            }
            return *at <= end && *size == end - *at && *count <= *size / 46;
        }
        if (!i) break;
    }
    return false;
}

/* Sizes that do not fit into 32 bits follow in an extra field, in this order. */
static bool widen(const uint8_t *extra, size_t size, uint64_t *numbers[3])
{
    while (size >= 4) {
        size_t n = (size_t)situ_little(extra + 2, 2);
        if (n > size - 4) return false;
        if (situ_little(extra, 2) == 1) {
            const uint8_t *p = extra + 4;
            for (int i = 0; i < 3; i++) {
                if (*numbers[i] != UINT32_MAX) continue;
                if (n < 8) return false;
                *numbers[i] = situ_little(p, 8);
                p += 8, n -= 8;
            }
            return true;
        }
        extra += 4 + n, size -= 4 + n;
    }
    return *numbers[0] != UINT32_MAX && *numbers[1] != UINT32_MAX && *numbers[2] != UINT32_MAX;
}

/* Reads a directory entry; returns its size in bytes, 0: invalid. */
static size_t read_member(const uint8_t *p, size_t left, member *out)
{
    if (left < 46 || situ_little(p, 4) != 0x02014b50) return 0;
    size_t name = (size_t)situ_little(p + 28, 2), extra = (size_t)situ_little(p + 30, 2),
           all = 46 + name + extra + (size_t)situ_little(p + 32, 2);
    *out = (member){.name = p + 46,
        .name_size = name,
        .method = situ_little(p + 8, 2) & 1 ? -1 : (int)situ_little(p + 10, 2), /* -1: encrypted */
        .flags = (int)situ_little(p + 8, 2),
        .sum = (uint32_t)situ_little(p + 16, 4),
        .packed = situ_little(p + 20, 4),
        .size = situ_little(p + 24, 4),
        .at = situ_little(p + 42, 4)};
    if (all > left) return 0;
    return widen(p + 46 + name, extra, (uint64_t *[]){&out->size, &out->packed, &out->at}) ? all : 0;
}

enum { LATER = 8 }; /* flag: sizes and checksum come after the data */
#define LEFT_OVER "it has bytes that its directory does not name"

/* True if the local header differs from the directory. zip64 sizes are stored elsewhere in it. */
static bool contradicts(const uint8_t *head, const member *w)
{
    uint64_t packed = situ_little(head + 18, 4), size = situ_little(head + 22, 4);
    if ((packed != UINT32_MAX && packed != w->packed) || (size != UINT32_MAX && size != w->size)) return true;
    return situ_little(head + 14, 4) != w->sum || (w->method >= 0 && (int)situ_little(head + 8, 2) != w->method);
}

/* Between two members there may be a data descriptor (12 bytes, or 20 with 64 bits, plus 4 with a signature) and zeros
 * for alignment, but no hidden member that is not in the directory. */
static bool nothing_between(const uint8_t *bytes, uint64_t from, uint64_t to)
{
    while (to > from && !bytes[to - 1]) to--;
    return to - from <= 24 && (to - from < 4 || situ_little(bytes + from, 4) != 0x04034b50);
}

/* `before`: end of the members so far, which must not overlap. */
static int take_member(situ_archive *a, const situ_zip *z, const member *w, uint64_t *before)
{
    const situ_mapping *m = a->file[0];
    if (w->at < *before || w->at > m->size || m->size - w->at < 30 || situ_little(m->bytes + w->at, 4) != 0x04034b50)
        return situ_damaged(a, w->at < *before ? "two members overlap" : "the directory leads nowhere");
    const uint8_t *head = m->bytes + w->at;
    uint64_t data = w->at + 30 + situ_little(head + 26, 2) + situ_little(head + 28, 2);
    if (data > m->size || w->packed > m->size - data) return situ_damaged(a, "a member is incomplete");
    if (situ_little(head + 26, 2) != w->name_size || memcmp(head + 30, w->name, w->name_size))
        return situ_damaged(a, "a member has another name than the directory says");
    if (!(w->flags & LATER) && contradicts(head, w))
        return situ_damaged(a, "a member has another size or checksum than the directory says");
    if (!nothing_between(m->bytes, *before, w->at)) return situ_damaged(a, LEFT_OVER);
    *before = data + w->packed;
    if (w->name_size < 5 || memcmp(w->name + w->name_size - 4, ".npy", 4)) return 0; /* not an array */
    const char *name = situ_archive_text(a, (const char *)w->name, w->name_size - 4);
    if (!name) return -situ_error_code;
    if (strlen(name) != w->name_size - 4 || !situ_npy_is_name(name)) return refused(a, name, "is no name of an array");
    if (w->method && w->method != 8)
        return refused(a, name, w->method < 0 ? "is encrypted" : "is packed by a method other than deflate");
    if (w->method ? w->size / 1040 > w->packed : w->size != w->packed) return refused(a, name, "cannot have so many bytes");
    if (w->method && situ_unpacked_fits(a->path, (size_t)w->packed, (size_t)w->size)) return -situ_error_code;
    if (!w->method && situ_zip_sum(z, 0, m->bytes + data, (size_t)w->size) != w->sum)
        return refused(a, name, "is damaged: its bytes have another checksum");
    uint8_t *buffer = NULL;
    const uint8_t *front = m->bytes + data;
    size_t there = w->size < FRONT + HEADER_MOST ? (size_t)w->size : FRONT + HEADER_MOST;
    int rc = 0;
    if (w->method) {
        front = buffer = situ_malloc(there + 1);
        rc = buffer ? situ_inflate(a->path, m->bytes + data, (size_t)w->packed, 0, buffer, there, false, NULL) :
                      situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory", a->path);
    }
    situ_entry *e = rc ? NULL : situ_archive_more_entries(a);
    rc = e ? read_header(a, name, front, there, w->size, e) : -situ_error_code;
    situ_free(buffer);
    if (rc) return rc;
    size_t skip = w->method ? 0 : e->detail[BEFORE];
    if (w->method) e->detail[FLAGS] |= DEFLATED, e->detail[SUM] = w->sum;
    use(e, m->bytes + data + skip, (size_t)w->packed - skip);
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int read_npz(situ_archive *a)
{
    const situ_mapping *m = a->file[0];
    uint64_t at, size, count, before = 0;
    if (!find_directory(m, &at, &size, &count)) return situ_damaged(a, "it has no directory at its end, as a zip archive has");
    member *w = situ_malloc((size_t)count * sizeof *w + 1);
    situ_zip *z = situ_zip_new();
    int rc = w && z ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "%s: no host memory for the names", a->path);
    for (uint64_t i = 0, p = at; i < count && !rc; i++) {
        size_t n = read_member(m->bytes + p, (size_t)(at + size - p), &w[i]);
        if (!n) rc = situ_damaged(a, "its directory is damaged");
        p += n;
        if (!rc && i + 1 == count && p != at + size) rc = situ_damaged(a, "its directory has more than its members");
    }
    if (!rc && count) qsort(w, (size_t)count, sizeof *w, by_place);
    for (uint64_t i = 0; i < count && !rc; i++) rc = take_member(a, z, &w[i], &before);
    if (!rc && before > at) rc = situ_damaged(a, "a member overlaps the directory");
    if (!rc && ((!count && size) || !nothing_between(m->bytes, before, at))) rc = situ_damaged(a, LEFT_OVER);
    if (!rc && count && !a->entries)
        rc = situ_damaged(a, "a zip archive without arrays of NumPy's; of a file of PyTorch's save the state_dict as safetensors");
    situ_zip_free(z);
    situ_free(w);
    return rc;
}

const situ_file_format situ_format_npz = {"npz", is_npz, read_npz};
