/* Elements by a list of indices (take) or by a mask (compress). */
#include "backend/cpu/movement/choose.h"

#include "backend/cpu/interpreter/group.h"
#include "base/isa.h"
#include "op/attr.h"
#include "op/find.h"
#include "op/host.h"
#include "op/table.h"

/* ---- by places, along the last axis -------- */

enum { PLACES = 512, PLACES_LEAST = 8 };

bool situ_take_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)reason, (void)size;
    if (c->op != &situ_op_take) return false; /* the program's own operation of this name */
    situ_around r = situ_host_around(&c->in[0], ((const situ_axis_attr *)c->attr)->axis);
    return r.inner == 1 && (c->in[1].dtype == SITU_I64 || c->in[1].dtype == SITU_I32) &&
        situ_layout_count(&c->in[1]) >= PLACES_LEAST && situ_dtype_size((situ_dtype)c->out.dtype) <= 8;
}

/* Positions from indices into n elements; negative ones count from the end. False: some index is out of range. */
#define PLACES_OF(type) \
    for (int64_t k = 0; k < count; k++) { \
        int64_t v = ((const type *)(const void *)index)[k]; \
        v += (v >> 63) & n; \
        at[k] = v; \
        beyond |= (uint64_t)v | ((uint64_t)n - 1 - (uint64_t)v); \
    }
static bool positions_of(int64_t *at, situ_dtype dtype, const char *index, int64_t count, int64_t n)
{
    uint64_t beyond = 0;
    if (dtype == SITU_I64) PLACES_OF(int64_t)
    else PLACES_OF(int32_t)
    return !(beyond >> 63);
}

#define MOVE(type) \
    for (int64_t k = 0; k < count; k++) ((type *)(void *)out)[k] = ((const type *)(const void *)x)[at[k]];
static void move(char *out, const char *x, const int64_t *at, int64_t count, size_t size)
{
    switch (size) {
    case 1: MOVE(uint8_t) break;
    case 2: MOVE(uint16_t) break;
    case 4: MOVE(uint32_t) break;
    default: MOVE(uint64_t)
    }
}

typedef struct taking {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
    int64_t n, count;     /* length of a line of x, number of indices */
    bool vectors, stream; /* stream: bypass the caches, because the result is too large to stay there */
    char missing[16];
} taking;

/* Takes elements by vectors if possible and returns how many. If 0, *count elements are to be taken one by one; then a
 * streamed result is at the start of a cache line, as vectors need. */
static int64_t take_vectors(
    const taking *t, char *out, const char *x, int64_t size, const char *index, int64_t wide, int64_t *count)
{
    int64_t before = t->stream ? (int64_t)(-(uintptr_t)out % SITU_LINE) / size : 0;
    int64_t done = !before && t->vectors ? SITU_FOR_ISA(&situ_choose)->take(out, x, size, index, wide, *count, t->n, t->stream) : 0;
    if (done) return done;
    if (!before || !t->vectors) before = PLACES;
    if (*count > before) *count = before;
    return 0;
}

static void take_some(void *context, int64_t first, int64_t end)
{
    const taking *t = context;
    situ_dtype dtype = (situ_dtype)t->call->in[1].dtype;
    int64_t size = (int64_t)situ_dtype_size((situ_dtype)t->call->out.dtype), wide = (int64_t)situ_dtype_size(dtype), at[PLACES];
    for (int64_t p = first, m; p < end; p += m) {
        int64_t i = p % t->count;
        const char *x = t->address[1] + p / t->count * t->n * size, *index = t->address[2];
        char *out = t->address[0] + p * size;
        m = t->count - i < end - p ? t->count - i : end - p;
        int64_t done = take_vectors(t, out, x, size, index + i * wide, wide, &m);
        if (done) {
            m = done;
            continue;
        }
        if (positions_of(at, dtype, index + i * wide, m, t->n)) {
            move(out, x, at, m, (size_t)size);
            continue;
        }
        for (int64_t k = 0; k < m; k++) {
            int64_t place = situ_host_index(t->host, dtype, index, i + k, t->n, false);
            memcpy(out + k * size, place < 0 ? t->missing : x + place * size, (size_t)size);
        }
    }
}

void situ_take_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    taking t = {.call = c, .address = address, .host = h, .count = situ_layout_count(&c->in[1])};
    t.n = c->in[0].dim[((const situ_axis_attr *)c->attr)->axis];
    int64_t size = (int64_t)situ_dtype_size((situ_dtype)c->out.dtype), bytes = situ_layout_count(&c->out) * size;
    t.vectors = size >= 4 && SITU_FOR_ISA(&situ_choose)->take;
    t.stream = bytes >= SITU_STREAM_BYTES;
    situ_host_missing((situ_dtype)c->out.dtype, t.missing);
    situ_host_pieces(h, take_some, &t, situ_layout_count(&c->out), SITU_HOST_LEAST);
}

/* ---- by a mask -------- */

enum { PIECES = 16, PIECES_LEAST = 1 << 15, BLOCK = 64 };

typedef struct choosing {
    char *out;
    const char *x, *mask;
    int64_t n, count, row;      /* length of the mask, of the result, bytes of a slice */
    int64_t before[PIECES + 1]; /* number of true mask elements before each piece */
} choosing;

bool situ_compress_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)reason, (void)size;
    return c->op == &situ_op_compress;
}

static void count_piece(void *context, int64_t p)
{
    choosing *s = context;
    int64_t first = s->n * p / PIECES, end = s->n * (p + 1) / PIECES;
    s->before[p + 1] = situ_host_count(s->mask + first, end - first);
}

typedef struct two {
    uint64_t word[2];
} two;

/* For slices of one element, in blocks: always stores the element, and counts it only if the mask is true. A branch for
 * each element would be mispredicted. */
#define CHOOSE(type) \
    for (int64_t i = 0; i < n && most > 0; i += BLOCK) { \
        type kept[BLOCK + 1]; \
        int64_t m = n - i < BLOCK ? n - i : BLOCK, here = 0; \
        for (int64_t k = 0; k < m; k++) { \
            kept[here] = ((const type *)(const void *)x)[i + k]; \
            here += mask[i + k] != 0; \
        } \
        if (here > most) here = most; \
        memcpy(out, kept, (size_t)here * sizeof *kept); \
        out += here * (int64_t)sizeof *kept; \
        most -= here; \
    }
static void choose_slices(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t row)
{
    int64_t found = 0, done = 0;
    if ((row == 4 || row == 8) && SITU_FOR_ISA(&situ_choose)->compress)
        done = SITU_FOR_ISA(&situ_choose)->compress(out, most, x, mask, n, row, &found);
    out += found * row, most -= found, x += done * row, mask += done, n -= done;
    switch (row) {
    case 1: CHOOSE(uint8_t) break;
    case 2: CHOOSE(uint16_t) break;
    case 4: CHOOSE(uint32_t) break;
    case 8: CHOOSE(uint64_t) break;
    case 16: CHOOSE(two) break;
    default:
        for (int64_t i = 0; i < n && most > 0; i++) {
            if (!mask[i]) continue;
            memcpy(out, x + i * row, (size_t)row);
            out += row;
            most--;
        }
    }
}

static void choose_piece(void *context, int64_t p)
{
    const choosing *s = context;
    int64_t first = s->n * p / PIECES, n = s->n * (p + 1) / PIECES - first, at = s->before[p], most = s->before[p + 1] - at;
    if (most > s->count - at) most = s->count - at;
    if (most > 0 && s->row) choose_slices(s->out + at * s->row, most, s->x + first * s->row, s->mask + first, n, s->row);
}

void situ_compress_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    choosing s = {.out = address[0], .x = address[1], .mask = address[2], .n = c->in[1].dim[0], .count = c->out.dim[0]};
    situ_host alone = *h;
    s.row = (int64_t)situ_dtype_size((situ_dtype)c->out.dtype);
    for (int i = 1; i < c->out.ndim; i++) s.row *= c->out.dim[i];
    if (s.n * (s.row < 64 ? 1 : s.row / 64) < PIECES_LEAST) alone.parallel = false;
    situ_host_for(&alone, count_piece, &s, PIECES);
    for (int p = 0; p < PIECES; p++) s.before[p + 1] += s.before[p];
    situ_host_for(&alone, choose_piece, &s, PIECES);
    for (int64_t i = s.before[PIECES]; i < s.count && s.n; i++) memcpy(s.out + i * s.row, s.x, (size_t)s.row);
}
