/* Permutations of 64-bit positions. A permutation sorts positions by random numbers, several rounds
 * (func/distributions.c). Here the random number and the position form one 64-bit key. All keys differ, so any sorting
 * method gives the stable order. They are sorted in the memory of the result. */
#include "backend/cpu/movement/shuffle.h"

#include "op/attr.h"
#include "numeric/threefry.h"
#include "tensor/dtype.h"

#include <string.h>

enum { FEW = 48, PIECE = 1024, DIGITS = 256 };

/* ---- sorting in place: by digits of 8 bits from the highest on ----------------------------------------------------------- */

static void sort_few(uint64_t *x, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t v = x[i];
        uint32_t k = i;
        for (; k && x[k - 1] > v; k--) x[k] = x[k - 1];
        x[k] = v;
    }
}

/* Groups the keys by one digit, in the order of digits, in place; end[d] is where the group of digit d ends. */
static void part(uint64_t *x, uint32_t n, int shift, uint32_t end[DIGITS])
{
    uint32_t begin[DIGITS], at = 0;
    for (int d = 0; d < DIGITS; d++) end[d] = 0;
    for (uint32_t i = 0; i < n; i++) end[x[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) begin[d] = at, at += end[d], end[d] = at;
    for (uint32_t d = 0; d < DIGITS; d++)
        while (begin[d] < end[d]) {
            uint64_t v = x[begin[d]];
            for (uint32_t to; (to = (uint32_t)(v >> shift) & (DIGITS - 1)) != d;) {
                uint64_t other = x[begin[to]];
                x[begin[to]++] = v;
                v = other;
            }
            x[begin[d]++] = v;
        }
}

static void sort(uint64_t *x, uint32_t n, int shift)
{
    uint32_t end[DIGITS];
    if (n <= FEW) {
        sort_few(x, n);
        return;
    }
    part(x, n, shift, end);
    for (int d = 0; d < DIGITS && shift; d++) sort(x + (d ? end[d - 1] : 0), end[d] - (d ? end[d - 1] : 0), shift - 8);
}

/* ---- rounds -------------------------------------------------------------------------------------------------------------- */

typedef struct job {
    uint64_t *out;
    uint32_t *before; /* order after the previous round; NULL: first round */
    uint32_t n, key[2], end[DIGITS];
    int layout;
} job;

static void draw(void *context, int64_t first, int64_t last)
{
    const job *j = context;
    uint32_t bits[PIECE];
    for (int64_t k; first < last; first += k) {
        k = last - first < PIECE ? last - first : PIECE;
        situ_threefry_bits32(bits, j->key, (uint64_t)first, k, j->n, j->layout);
        for (int64_t i = 0; i < k; i++) j->out[first + i] = (uint64_t)bits[i] << 32 | (uint64_t)(first + i);
    }
}

static void sort_digit(void *context, int64_t d)
{
    const job *j = context;
    uint32_t first = d ? j->end[d - 1] : 0;
    sort(j->out + first, j->end[d] - first, 48);
}

static void take(void *context, int64_t first, int64_t last)
{
    const job *j = context;
    for (int64_t i = first; i < last; i++) {
        uint32_t at = (uint32_t)j->out[i];
        j->out[i] = j->before ? j->before[at] : at;
    }
}

bool situ_shuffle_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    const situ_permutation_attr *a = call->attr;
    (void)reason, (void)size;
    return situ_dtype_size((situ_dtype)a->dtype) == 8 && situ_dtype_is_integer((situ_dtype)a->dtype) && a->n < UINT32_MAX;
}

void situ_shuffle_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_permutation_attr *a = call->attr;
    job j = {.out = (uint64_t *)(void *)address[0],
        .n = (uint32_t)a->n,
        .layout = a->partitionable ? SITU_THREEFRY_PARTITIONABLE : SITU_THREEFRY_ORIGINAL};
    uint32_t *kept = (uint32_t *)(void *)h->workspace, pair[4];
    memcpy(pair, address[1], 8);
    if (!a->rounds)
        for (uint32_t i = 0; i < j.n; i++) j.out[i] = i;
    for (int round = 0; round < a->rounds; round++) {
        uint32_t key[2] = {pair[0], pair[1]};
        situ_threefry_split(key, 2, 0, 2, pair, j.layout);
        memcpy(j.key, pair + 2, sizeof j.key);
        for (uint32_t i = 0; i < j.n && round; i++) kept[i] = (uint32_t)j.out[i];
        j.before = round ? kept : NULL;
        situ_host_pieces(h, draw, &j, j.n, 16 * PIECE);
        part(j.out, j.n, 56, j.end);
        situ_host_for(h, sort_digit, &j, DIGITS);
        situ_host_pieces(h, take, &j, j.n, 16 * PIECE);
    }
}
