/* Positions where a mask is true, and elements at such positions. */
#include "op/find.h"

#include "op/attr.h"
#include "op/create.h"
#include "op/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_find_attr find_attr;

static int infer_nonzero(situ_infer *c)
{
    const find_attr *a = c->attr;
    c->dtype = SITU_I64;
    c->ndim = 2;
    c->dim[0] = a->count;
    c->dim[1] = c->in[0]->ndim;
    return 0;
}

/* Pieces of the mask: the true elements of each are counted, then their positions are written. */
enum { PIECES = 16, PIECE_LEAST = 1 << 15 };
typedef struct pieces {
    const situ_call_desc *call;
    char *const *address;
    int64_t n, before[PIECES + 1]; /* [piece] number of true elements before it */
} pieces;

/* Number of nonzero bytes among 8. */
static inline int64_t count_8(uint64_t x)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;
    return (int64_t)((((((x & low) + low) | x) >> 7 & ones) * ones) >> 56);
}

int64_t situ_host_count(const char *mask, int64_t n)
{
    int64_t count = 0, i = 0;
    for (uint64_t eight; i + 8 <= n; i += 8) {
        memcpy(&eight, mask + i, 8);
        count += count_8(eight);
    }
    for (; i < n; i++) count += mask[i] != 0;
    return count;
}

static void count_piece(void *context, int64_t p)
{
    pieces *s = context;
    int64_t first = s->n * p / PIECES, end = s->n * (p + 1) / PIECES;
    s->before[p + 1] = situ_host_count(s->address[1] + first, end - first);
}

/* Writes positions without branches: for unpredictable masks a branch for each element takes longer than storing
 * unwanted positions. */
static void find_in(const pieces *s, int64_t first, int64_t last, int64_t *out, const int64_t *end)
{
    enum { BLOCK = 64 };
    const situ_layout *x = &s->call->in[0];
    const char *mask = s->address[1];
    int64_t place[BLOCK + 1];
    for (int64_t i = first; i < last && out < end; i += BLOCK) {
        int64_t stop = i + BLOCK < last ? i + BLOCK : last, count = 0, most = x->ndim ? (end - out) / x->ndim : 0;
        for (int64_t k = i; k < stop; k++) {
            uint64_t eight;
            if (k + 8 <= stop && (memcpy(&eight, mask + k, 8), !eight)) {
                k += 7;
                continue;
            }
            place[count] = k;
            count += mask[k] != 0;
        }
        if (count > most) count = most;
        if (x->ndim == 1) {
            memcpy(out, place, (size_t)count * sizeof *out);
            out += count;
            continue;
        }
        for (int64_t c = 0; c < count; c++, out += x->ndim) {
            int64_t rest = place[c];
            for (int k = x->ndim - 1; k > 0; k--) {
                out[k] = rest % x->dim[k];
                rest /= x->dim[k];
            }
            out[0] = rest;
        }
    }
}

static void find_piece(void *context, int64_t p)
{
    const pieces *s = context;
    int64_t *out = (int64_t *)(void *)s->address[0], ndim = s->call->in[0].ndim, count = ((const find_attr *)s->call->attr)->count;
    int64_t first = s->before[p] < count ? s->before[p] : count;
    find_in(s, s->n * p / PIECES, s->n * (p + 1) / PIECES, out + first * ndim, out + count * ndim);
}

static void host_nonzero(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const find_attr *a = c->attr;
    pieces s = {.call = c, .address = address, .n = situ_layout_count(&c->in[0])};
    situ_host alone = *h;
    if (s.n < PIECE_LEAST) alone.parallel = false;
    situ_host_for(&alone, count_piece, &s, PIECES);
    for (int p = 0; p < PIECES; p++) s.before[p + 1] += s.before[p];
    situ_host_for(&alone, find_piece, &s, PIECES);
    int64_t *out = (int64_t *)(void *)address[0], ndim = c->in[0].ndim;
    for (int64_t i = s.before[PIECES] * ndim; i < a->count * ndim; i++) out[i] = (int64_t)h->word[0];
}

const situ_op situ_op_nonzero = {.name = "nonzero",
    .family = SITU_CALL,
    .operands = "x",
    .infer = infer_nonzero,
    .no_gradient = "its results are positions",
    .host = host_nonzero};

situ_tensor *situ_find(situ_tensor *mask, int64_t count, int64_t fill, situ_site site)
{
    find_attr attr = {.count = count};
    uint64_t word = (uint64_t)fill;
    return situ_apply(&situ_op_nonzero, &mask, 1, &attr, sizeof attr, &word, 1, site);
}

/* ---- compress: elements at true positions ------------------------------------------------------------------------------ */

static int infer_compress(situ_infer *c)
{
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, c->in[0]->ndim, c->in[0]->dim);
    c->dim[0] = ((const find_attr *)c->attr)->count;
    return 0;
}

static situ_tensor *expand_compress(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    int64_t count = ((const find_attr *)attr)->count;
    (void)nin;
    return situ_take(in[0], situ_reshape(situ_find(in[1], count, 0, site), SHAPE(count)));
}

const situ_op situ_op_compress = {.name = "compress",
    .family = SITU_COMPOSITE,
    .operands = "x, mask",
    .infer = infer_compress,
    .reads = {SITU_READS_B},
    .expand = expand_compress};

situ_tensor *situ_compress(situ_tensor *x, situ_tensor *mask, int64_t count, situ_site site)
{
    if (!x->dim[0] && count) { /* an empty x gives zeros */
        situ_shape shape = situ_shape_like(x);
        shape.dim[0] = count;
        return situ_concat(TENSORS(x, situ_zeros(shape, .dtype = (situ_dtype)x->dtype, .device = x->device)), .axis = 0);
    }
    find_attr attr = {.count = count};
    return situ_apply(&situ_op_compress, (situ_tensor *[]){x, mask}, 2, &attr, sizeof attr, NULL, 0, site);
}

situ_tensor *(situ_one_hot)(situ_tensor *index, int64_t n, const situ_one_hot_options *options, situ_site site)
{
    SITU_SPEAK("one_hot", site);
    situ_one_hot_options o = {SITU_DEFAULTS(SITU_ONE_HOT_DEFAULTS)};
    if (!situ_usable(&index, 1, "one_hot", site) || !SITU_TAKE_OPTIONS(o, options, "one_hot", site)) return situ_poisoned();
    if (!situ_dtype_is_integer((situ_dtype)index->dtype) || n < 0)
        return situ_refused(SITU_BAD_ARGUMENT, site, "one_hot: %s",
            n < 0 ? "a negative number of classes" :
                    "index has no integer dtype; write " SITU_SAY("situ_cast(index, SITU_I64)", "index.astype(\"int64\")"));
    if (index->dtype == SITU_U64) index = situ_cast(index, SITU_I64); /* u64 and i64 have no common integer dtype */
    situ_tensor *classes = situ_iota(SHAPE(n), 0, SITU_I64, index->device, site);
    return situ_cast(situ_equal(situ_expand_dims(index, -1), classes), o.dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : o.dtype);
}
