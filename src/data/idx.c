#include "data/idx.h"

#include "base/byte_order.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MAGIC_BYTES = 4, DIMENSION_BYTES = 4 };

/* Reads the type byte; returns the size of a value in bytes, 0 for an unknown type. */
static size_t type_of(uint8_t byte, int *dtype)
{
    switch (byte) {
    case 0x08: *dtype = SITU_U8; return 1;
    case 0x09: *dtype = SITU_I8; return 1;
    case 0x0b: *dtype = SITU_I16; return 2;
    case 0x0c: *dtype = SITU_I32; return 4;
    case 0x0d: *dtype = SITU_F32; return 4;
    case 0x0e: *dtype = SITU_F64; return 8;
    default: return 0;
    }
}

/* Checks the magic number: two zero bytes, the type, the number of dimensions. */
static int parse_magic(const uint8_t *bytes, size_t size, situ_idx *out)
{
    if (size < MAGIC_BYTES) {
        return situ_fail(SITU_BAD_FORMAT, NULL, "an IDX file has at least 4 bytes of header, this one has %zu in all", size);
    }
    out->item_size = type_of(bytes[2], &out->dtype);
    if (bytes[0] || bytes[1] || !out->item_size) {
        return situ_fail(SITU_BAD_FORMAT, NULL,
            "not an IDX file: it starts with bytes %02x %02x %02x %02x, expected 00 00, a type (08 u8, 09 i8, 0b i16, 0c i32, 0d "
            "f32, 0e f64) and the number of dimensions",
            bytes[0], bytes[1], bytes[2], bytes[3]);
    }
    out->ndim = bytes[3];
    if (out->ndim < 1 || out->ndim > SITU_IDX_DIMS) {
        return situ_fail(SITU_BAD_FORMAT, NULL, "the IDX file has %d dimensions, expected 1 to %d", out->ndim, SITU_IDX_DIMS);
    }
    return 0;
}

int situ_idx_parse(const void *data, size_t size, situ_idx *out)
{
    if (!data || !out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_idx_parse: %s is NULL", data ? "out" : "data");
    const uint8_t *bytes = data;
    memset(out, 0, sizeof *out);
    int status = parse_magic(bytes, size, out);
    if (status) return status;
    size_t header = MAGIC_BYTES + (size_t)out->ndim * DIMENSION_BYTES;
    if (size < header) {
        return situ_fail(SITU_BAD_FORMAT, NULL, "the IDX file ends in its header: %d dimensions need %zu bytes, it has %zu",
            out->ndim, header, size);
    }
    int64_t count = 1, needed;
    bool empty = false, overflow = false;
    for (int d = 0; d < out->ndim; d++) {
        const uint8_t *at = bytes + MAGIC_BYTES + d * DIMENSION_BYTES;
        out->shape[d] = (int64_t)at[0] << 24 | (int64_t)at[1] << 16 | (int64_t)at[2] << 8 | at[3];
        if (out->shape[d]) overflow |= __builtin_mul_overflow(count, out->shape[d], &count);
        else empty = true;
    }
    if (empty) count = 0, overflow = false;
    overflow |= __builtin_mul_overflow(count, (int64_t)out->item_size, &needed);
    if (overflow || (uint64_t)needed != size - header) {
        char expected[32] = "more than 2^63";
        if (!overflow) snprintf(expected, sizeof expected, "%lld", (long long)needed);
        return situ_fail(
            SITU_BAD_FORMAT, NULL, "the IDX file's dimensions ask for %s bytes of values, it has %zu", expected, size - header);
    }
    out->count = count;
    out->data = bytes + header;
    return 0;
}

int situ_idx_read(const situ_idx *idx, int64_t first, int64_t count, void *out)
{
    if (!idx || (!out && count)) { return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_idx_read: %s is NULL", idx ? "out" : "idx"); }
    if (first < 0 || count < 0 || first > idx->count || count > idx->count - first) {
        return situ_fail(SITU_BAD_INDEX, NULL, "%lld values from %lld on of an IDX file that has %lld", (long long)count,
            (long long)first, (long long)idx->count);
    }
    if (!count) return 0;
    size_t size = idx->item_size;
    const uint8_t *from = idx->data + (size_t)first * size;
    if (size == 1 || SITU_BIG_ENDIAN) memcpy(out, from, (size_t)count * size);
    else situ_reverse_numbers(out, from, (size_t)count * size, size);
    return 0;
}
