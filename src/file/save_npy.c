/* Writing NumPy files: .npy of version 1, and .npz, an uncompressed zip archive of them, with zip64 if necessary. The
 * values of each array are aligned to 64 bytes in the file, so that it can be mapped. */
#include <stdio.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/memory.h"
#include "file/format.h"
#include "tensor/dtype.h"

struct situ_zip {
    uint32_t table[8][256]; /* tables for CRC-32, eight bytes at a time */
    uint64_t at;            /* bytes written so far */
    int64_t members;
    uint8_t *directory;
    size_t used, capacity;
};

static const char *type_of(situ_dtype dtype)
{
    static const char *const names[SITU_DTYPES] = {[SITU_BOOL] = "|b1",
        [SITU_U8] = "|u1",
        [SITU_U16] = "<u2",
        [SITU_U32] = "<u4",
        [SITU_U64] = "<u8",
        [SITU_I8] = "|i1",
        [SITU_I16] = "<i2",
        [SITU_I32] = "<i4",
        [SITU_I64] = "<i8",
        [SITU_F16] = "<f2",
        [SITU_F32] = "<f4",
        [SITU_F64] = "<f8",
        [SITU_C64] = "<c8",
        [SITU_C128] = "<c16"};
    return names[dtype];
}

bool situ_npy_is_name(const char *name)
{
    for (const char *p = name; *p; p = strchr(p, '/') ? strchr(p, '/') + 1 : "")
        if (!strncmp(p, "..", 2) && (!p[2] || p[2] == '/')) return false;
    return *name && *name != '/';
}

int situ_npy_check(const situ_written *w, int64_t n, bool one, const char *path)
{
    if (one && n != 1) return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: a file .npy holds one array, not %lld", path, (long long)n);
    for (int64_t i = 0; i < n; i++) {
        if (!type_of(w[i].dtype))
            return situ_fail(SITU_BAD_DTYPE, NULL, "%s: NumPy has no dtype for \"%.80s\" (%s); cast it to f32", path, w[i].name,
                situ_dtype_name(w[i].dtype));
        if (!one && !situ_npy_is_name(w[i].name))
            return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: \"%.80s\" is no name for an array of a zip archive", path, w[i].name);
        if (strlen(w[i].name) > 60000) return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: a name of more than 60000 bytes", path);
    }
    return 0;
}

/* Writes the header of an array at byte `at` of the file; returns its length. */
static size_t put_header(char *to, size_t capacity, const situ_written *w, uint64_t at)
{
    size_t n = 10;
    n += (size_t)snprintf(to + n, capacity - n, "{'descr': '%s', 'fortran_order': False, 'shape': (", type_of(w->dtype));
    for (int d = 0; d < w->shape.ndim; d++)
        n += (size_t)snprintf(to + n, capacity - n, d || w->shape.ndim == 1 ? "%lld," : "%lld, ", (long long)w->shape.dim[d]);
    n += (size_t)snprintf(to + n, capacity - n, "), }");
    while ((at + n + 1) % 64) to[n++] = ' ';
    to[n++] = '\n';
    memcpy(to, "\x93NUMPY\1", 7);
    to[7] = 0;
    to[8] = (char)((n - 10) & 255);
    to[9] = (char)((n - 10) >> 8);
    return n;
}

int situ_npy_put(FILE *file, const situ_written *w, const void *data)
{
    char header[640];
    size_t n = put_header(header, sizeof header - 64, w, 0);
    return fwrite(header, 1, n, file) != n || fwrite(data, 1, w->size, file) != w->size;
}

/* ---- zip --------------------------------------------------------------------------------------------------------------------- */

situ_zip *situ_zip_new(void)
{
    situ_zip *z = situ_calloc(1, sizeof *z);
    for (uint32_t i = 0; z && i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        z->table[0][i] = c;
    }
    for (int k = 1; z && k < 8; k++)
        for (int i = 0; i < 256; i++) z->table[k][i] = z->table[k - 1][i] >> 8 ^ z->table[0][z->table[k - 1][i] & 255];
    return z;
}

void situ_zip_free(situ_zip *z)
{
    if (z) situ_free(z->directory);
    situ_free(z);
}

uint32_t situ_zip_sum(const situ_zip *z, uint32_t c, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    c = ~c;
    for (; n >= 8; n -= 8, p += 8) { /* eight bytes at a time */
        uint64_t v = SITU_BIG_ENDIAN ? situ_little(p, 8) : situ_take_bits(p, 8);
        v ^= c;
        c = 0;
        for (int k = 0; k < 8; k++) c ^= z->table[7 - k][v >> 8 * k & 255];
    }
    for (; n; n--, p++) c = c >> 8 ^ z->table[0][(c ^ *p) & 255];
    return ~c;
}

static uint8_t *put(uint8_t *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

/* The fields that both headers of a member share, from the version to the length of the extra field. */
static uint8_t *put_member(uint8_t *to, uint32_t sum, uint64_t size, size_t name, size_t extra)
{
    uint64_t said = extra ? UINT32_MAX : size;
    /* Flag for UTF-8 names, stored without compression, a fixed date. */
    to = put(put(put(put(to, extra ? 45 : 20, 2), 0x800, 2), 0, 2), 0x210000, 4);
    return put(put(put(put(put(to, sum, 4), said, 4), said, 4), name, 2), extra, 2);
}

/* Adds a member to the directory. */
static int note(situ_zip *z, const char *name, size_t length, uint32_t sum, uint64_t size)
{
    bool far = size >= UINT32_MAX || z->at >= UINT32_MAX; /* then all three numbers go to the zip64 field */
    size_t need = 46 + length + 28;
    if (z->capacity - z->used < need) {
        uint8_t *grown = situ_realloc(z->directory, z->capacity = 2 * z->capacity + need + 4096);
        if (!grown) return situ_fail(SITU_NO_MEMORY, NULL, "no host memory for the directory of a file");
        z->directory = grown;
    }
    uint8_t *to = put(put(z->directory + z->used, 0x02014b50, 4), 45, 2);
    to = put_member(to, sum, size, length, far ? 28 : 0);
    to = put(put(put(to, 0, 5), 0, 5), far ? UINT32_MAX : z->at, 4);
    memcpy(to, name, length);
    to += length;
    if (far) to = put(put(put(put(put(to, 1, 2), 24, 2), size, 8), size, 8), z->at, 8);
    z->used = (size_t)(to - z->directory);
    z->members++;
    return 0;
}

int situ_zip_put(situ_zip *z, FILE *file, const situ_written *w, const void *data)
{
    char header[640];
    uint8_t front[30], wide[20];
    size_t length = strlen(w->name) + 4, extra = w->size >= UINT32_MAX - sizeof header ? sizeof wide : 0;
    size_t n = put_header(header, sizeof header - 64, w, z->at + sizeof front + length + extra);
    uint64_t size = w->size + n;
    uint32_t sum = situ_zip_sum(z, situ_zip_sum(z, 0, header, n), data, w->size);
    put_member(put(front, 0x04034b50, 4), sum, size, length, extra);
    put(put(put(put(wide, 1, 2), 16, 2), size, 8), size, 8);
    char *name = situ_malloc(length + 1);
    if (!name) return situ_fail(SITU_NO_MEMORY, NULL, "no host memory for a name");
    memcpy(name, w->name, length - 4);
    memcpy(name + length - 4, ".npy", 5);
    bool good = fwrite(front, 1, sizeof front, file) == sizeof front && fwrite(name, 1, length, file) == length &&
        fwrite(wide, 1, extra, file) == extra && fwrite(header, 1, n, file) == n && fwrite(data, 1, w->size, file) == w->size;
    int rc = good ? note(z, name, length, sum, size) : 1;
    situ_free(name);
    z->at += sizeof front + length + extra + size;
    return rc;
}

int situ_zip_end(situ_zip *z, FILE *file)
{
    uint8_t end[98], *to = end;
    uint64_t n = (uint64_t)z->members, size = z->used, at = z->at;
    bool wide = n >= UINT16_MAX || size >= UINT32_MAX || at >= UINT32_MAX;
    if (wide) {
        to = put(put(put(put(to, 0x06064b50, 4), 44, 8), 45, 2), 45, 2);
        to = put(put(put(put(put(to, 0, 8), n, 8), n, 8), size, 8), at, 8);
        to = put(put(put(put(to, 0x07064b50, 4), 0, 4), at + size, 8), 1, 4);
    }
    to = put(put(to, 0x06054b50, 4), 0, 4);
    to = put(put(to, wide ? UINT16_MAX : n, 2), wide ? UINT16_MAX : n, 2);
    to = put(put(put(to, wide ? UINT32_MAX : size, 4), wide ? UINT32_MAX : at, 4), 0, 2);
    size_t last = (size_t)(to - end);
    return fwrite(z->directory, 1, z->used, file) != z->used || fwrite(end, 1, last, file) != last;
}
