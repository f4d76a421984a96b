#include "backend/cpu/movement/reduce.h"

#include <string.h>

#include "backend/cpu/movement/reduce_table.h"
#include "base/isa.h"
#include "tensor/dtype.h"

/* ---------------------------------------------------------------- bool: any order gives the same */

enum { BYTES = 8 }; /* bytes in a word */
static uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}
/* For each byte of the word, 1 if it is not 0, else 0. */
static uint64_t true_bytes(uint64_t word)
{
    return (((word & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | word) >> 7 & 0x0101010101010101u;
}

static void any_block(void *out, const void *in, int n)
{
    const uint8_t *p = in;
    uint64_t some = 0;
    int i = 0;
    for (; i + BYTES <= n; i += BYTES) some |= word_at(p + i);
    for (; i < n; i++) some |= p[i];
    *(uint8_t *)out = some != 0;
}

static void all_block(void *out, const void *in, int n)
{
    const uint8_t *p = in;
    uint64_t all = 0x0101010101010101u;
    int i = 0;
    for (; i + BYTES <= n; i += BYTES) all &= true_bytes(word_at(p + i));
    bool rest = true;
    for (; i < n; i++) rest &= p[i] != 0;
    *(uint8_t *)out = rest && all == 0x0101010101010101u;
}

static void any_each(void *out, const void *in, int n, int rows)
{
    for (int r = 0; r < rows; r++) any_block((uint8_t *)out + r, (const uint8_t *)in + r * n, n);
}

static void all_each(void *out, const void *in, int n, int rows)
{
    for (int r = 0; r < rows; r++) all_block((uint8_t *)out + r, (const uint8_t *)in + r * n, n);
}

static void any_rows(void *acc, const void *in, int64_t row, int rows, int64_t n)
{
    uint8_t *a = acc;
    const uint8_t *p = in;
    for (int r = 0; r < rows; r++, p += row) {
        int64_t i = 0;
        for (; i + BYTES <= n; i += BYTES) {
            uint64_t word = word_at(a + i) | true_bytes(word_at(p + i));
            memcpy(a + i, &word, BYTES);
        }
        for (; i < n; i++) a[i] |= p[i] != 0;
    }
}

static void all_rows(void *acc, const void *in, int64_t row, int rows, int64_t n)
{
    uint8_t *a = acc;
    const uint8_t *p = in;
    for (int r = 0; r < rows; r++, p += row) {
        int64_t i = 0;
        for (; i + BYTES <= n; i += BYTES) {
            uint64_t word = word_at(a + i) & true_bytes(word_at(p + i));
            memcpy(a + i, &word, BYTES);
        }
        for (; i < n; i++) a[i] &= p[i] != 0;
    }
}

static void any_combine(void *acc, const void *in, int64_t n) { any_rows(acc, in, 0, 1, n); }
static void all_combine(void *acc, const void *in, int64_t n) { all_rows(acc, in, 0, 1, n); }

static const situ_reduce_entry any_entry = {any_block, any_each, any_combine, any_rows};
static const situ_reduce_entry all_entry = {all_block, all_each, all_combine, all_rows};

/* ---------------------------------------------------------------- choosing */

static situ_reduce_entry entry(situ_reduce_kind op, situ_dtype dtype)
{
    if ((unsigned)op >= SITU_REDUCE_KINDS || !situ_dtype_valid(dtype)) return (situ_reduce_entry){0};
    if (dtype == SITU_BOOL) {
        if (op == SITU_REDUCE_ANY || op == SITU_REDUCE_MAX) return any_entry;
        if (op == SITU_REDUCE_ALL || op == SITU_REDUCE_MIN) return all_entry;
        return (situ_reduce_entry){0};
    }
    return SITU_FOR_ISA(situ_reduce)[op][dtype];
}

situ_reduce_fn situ_reduce_get(situ_reduce_kind op, situ_dtype dtype) { return entry(op, dtype).reduction; }
situ_reduce_each_fn situ_reduce_each_get(situ_reduce_kind op, situ_dtype dtype) { return entry(op, dtype).each; }
situ_reduce_fn situ_squares_get(situ_dtype dtype)
{
    return dtype == SITU_F32 || dtype == SITU_F64 ? SITU_FOR_ISA(situ_squares)[dtype == SITU_F64] : NULL;
}
situ_combine_fn situ_combine_get(situ_reduce_kind op, situ_dtype dtype) { return entry(op, dtype).combine; }
situ_rows_fn situ_rows_get(situ_reduce_kind op, situ_dtype dtype) { return entry(op, dtype).rows; }

void situ_reduce_neutral(situ_reduce_kind op, situ_dtype dtype, void *out, int64_t n)
{
    uint64_t value = 0;
    situ_reduce_fn reduction = situ_reduce_get(op, dtype);
    size_t size = situ_dtype_size(dtype);
    if (!reduction) return;
    reduction(&value, &value, 0);
    for (int64_t i = 0; i < n; i++) memcpy((char *)out + (size_t)i * size, &value, size);
}

/* ---------------------------------------------------------------- the tree over blocks */

/* The tree of partial results, in place. After the level with step s, the result of a pair is at its left one's
 * position. An odd last one stays where it is, which moves it up a level. */
static void tree(situ_combine_fn combine, char *partials, int64_t count, int64_t n, size_t row)
{
    for (int64_t step = 1; step < count; step *= 2)
        for (int64_t i = 0; i + step < count; i += 2 * step)
            combine(partials + (size_t)i * row, partials + (size_t)(i + step) * row, n);
}

void situ_reduce_blocks(situ_reduce_kind op, situ_dtype dtype, void *partials, int64_t count, void *out)
{
    situ_combine_fn combine = situ_combine_get(op, dtype);
    size_t size = situ_dtype_size(dtype);
    if (!combine) return;
    if (count <= 0) {
        situ_reduce_neutral(op, dtype, out, 1);
        return;
    }
    tree(combine, partials, count, 1, size);
    memcpy(out, partials, size);
}

void situ_reduce_rows(situ_reduce_kind op, situ_dtype dtype, void *partials, int64_t count, int64_t n)
{
    situ_combine_fn combine = situ_combine_get(op, dtype);
    if (combine) tree(combine, partials, count, n, (size_t)n * situ_dtype_size(dtype));
}

/* Works like a binary counter: slot k holds the reduction of 2^k runs of blocks, or nothing. */
void situ_reduce_all(situ_reduce_kind op, situ_dtype dtype, void *out, const void *in, int64_t n)
{
    situ_reduce_entry e = entry(op, dtype);
    size_t size = situ_dtype_size(dtype);
    uint64_t slot[64], now;
    const char *p = in;
    int64_t runs = 0, run = (int64_t)SITU_REDUCE_RUN * SITU_REDUCE_BLOCK;
    if (!e.reduction) return;
    if (n <= 0) {
        situ_reduce_neutral(op, dtype, out, 1);
        return;
    }
    for (; n > 0; n -= run, p += (size_t)run * size, runs++) {
        e.reduction(&now, p, (int)(n < run ? n : run));
        int k = 0;
        for (; runs >> k & 1; k++) {
            e.combine(&slot[k], &now, 1);
            now = slot[k];
        }
        slot[k] = now;
    }
    int k = __builtin_ctzll((unsigned long long)runs);
    now = slot[k];
    while (++k < 64 && runs >> k) {
        if (!(runs >> k & 1)) continue;
        e.combine(&slot[k], &now, 1);
        now = slot[k];
    }
    memcpy(out, &now, size);
}
