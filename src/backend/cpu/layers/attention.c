#include "backend/cpu/layers/attention.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/layers/normalise.h"
#include "backend/cpu/scratch.h"
#include "backend/cpu/tiles/tile.h"
#include "base/isa.h"
#include "math/f64.h"
#include "op/attention.h"

enum {
    ROWS = 48,
    CAUSAL_ROWS = 24
}; /* rows of scores per block, a multiple of 6; fewer when causal, because the masked end of each row is wasted */

typedef struct attention {
    const situ_gemm_kernels *gemm;
    const situ_normalise_kernels *norm;
    situ_tile_fn exp;
    int type;
    int64_t size, units, per_task, places, heads, width, x_row, y_row, rows, strip;
    double scale;
    bool causal;
    const char *x, *y, *g;
    char *out;
    int64_t bytes, strips; /* bytes: of scratch memory; strips: elements of a packed [positions, width] */
    situ_fault *fault;
} attention;

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void begin(attention *v, const situ_call_desc *call, const situ_layout *x, const situ_host *h)
{
    const situ_attention_attr *a = call->attr;
    memset(v, 0, sizeof *v);
    v->gemm = SITU_FOR_ISA(&situ_gemm);
    v->norm = SITU_FOR_ISA(&situ_normalise);
    v->type = call->out.dtype == SITU_F64;
    v->size = v->type ? 8 : 4;
    v->exp = situ_tiles_best()->op[SITU_EL_exp][call->out.dtype];
    v->heads = a->heads;
    v->scale = a->scale;
    v->causal = a->causal;
    v->places = x->dim[x->ndim - 2];
    v->x_row = x->dim[x->ndim - 1];
    v->width = v->x_row / 3 / v->heads;
    v->y_row = v->heads * (v->width + 1);
    v->rows = least(v->causal ? CAUSAL_ROWS : ROWS, v->places);
    v->strip = v->gemm->columns[v->type];
    v->strips = round_up(v->places, v->strip) * round_up(v->width, v->strip);
    v->units = v->heads;
    for (int i = 0; i < x->ndim - 2; i++) v->units *= x->dim[i];
    double work = 2.0 * (double)v->places * (double)v->places * (double)v->width;
    v->per_task = work > 5e5 ? 1 : (int64_t)(1e6 / (work + 1e3));
    v->fault = h->fault;
}

/* The start of a unit (head unit % heads of batch unit / heads), in bytes from x and y. In y the results of all heads
 * are followed by the log-sum-exp of each row of scores. */
typedef struct place {
    int64_t x, y, sum;
} place;

static place place_of(const attention *v, int64_t unit)
{
    int64_t row = unit / v->heads * v->places, head = unit % v->heads;
    return (place){(row * v->x_row + head * v->width) * v->size, (row * v->y_row + head * v->width) * v->size,
        (row * v->y_row + v->heads * v->width + head) * v->size};
}

/* The address in x of a row of queries (part 0), keys (1) or values (2). */
static char *in_x(const attention *v, const char *x, place at, int part, int64_t row)
{
    return (char *)x + at.x + (row * v->x_row + part * v->heads * v->width) * v->size;
}
static char *in_y(const attention *v, const char *y, place at, int64_t row) { return (char *)y + at.y + row * v->y_row * v->size; }
static char *sum_of(const attention *v, const char *y, place at, int64_t row)
{
    return (char *)y + at.sum + row * v->y_row * v->size;
}
static double get(const attention *v, const char *p)
{
    return v->type ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p;
}
static void put(const attention *v, char *p, double x)
{
    if (v->type) *(double *)(void *)p = x;
    else *(float *)(void *)p = (float)x;
}

/* Packs k rows of n columns for products; transposed: n rows of k. */
static void pack(const attention *v, const char *from, int64_t row, int64_t k, int64_t n, bool transposed, char *to)
{
    situ_gemm g = {.k = k, .n = n, .b = from, .b_row = transposed ? 1 : row, .b_column = transposed ? row : 1};
    v->gemm->pack_columns[v->type](&g, 0, n, to);
}

/* c (+)= a * b for m x k times k x n; b is packed for `packed` >= k rows. Whole strips of columns are written to c
 * directly. */
static void multiply(const attention *v, int64_t m, int64_t n, int64_t k, const char *a, int64_t a_row, int64_t a_column,
    const char *b, int64_t packed, char *c, int64_t c_row, bool add)
{
    for (int64_t j = 0; j < n; j += v->strip) {
        situ_gemm g = {.m = m,
            .n = least(v->strip, n - j),
            .k = k,
            .a = a,
            .a_row = a_row,
            .a_column = a_column,
            .b = b + j * packed * v->size,
            .c = c + j * v->size,
            .c_row = c_row};
        v->gemm->strips[v->type](&g, 6 * a_row, add, NULL, NULL);
    }
}

/* Largest number of positions visible to rows first ... first + rows - 1. Their scores are as many, rounded up to
 * whole strips. */
static int64_t seen(const attention *v, int64_t first, int64_t rows) { return v->causal ? first + rows : v->places; }
static int64_t seen_by(const attention *v, int64_t row) { return v->causal ? row + 1 : v->places; }

/* exp of all rows at once; afterwards masked positions become 0. So exp has no arguments far outside, for which it is
 * slower. */
static void exp_rows(const attention *v, int64_t first, int64_t rows, int64_t n, char *s)
{
    v->exp(s, s, NULL, NULL, (int)(rows * n));
    for (int64_t i = 0; i < rows; i++) {
        int64_t sees = seen_by(v, first + i);
        memset(s + (i * n + sees) * v->size, 0, (size_t)((n - sees) * v->size));
    }
}

/* Prefetches. The processor cannot predict the next rows, which are some KiB apart; so while some rows of a unit are
 * computed, the same rows of the next unit are prefetched. */
static void ask(const attention *v, const char *row, int64_t stride, int64_t rows)
{
    for (const char *end = row + rows * stride * v->size; row < end; row += stride * v->size)
        for (int64_t i = 0; i < v->width * v->size; i += 64) __builtin_prefetch(row + i, 0, 2);
}
static void ask_x(const attention *v, const char *x, place at, int64_t first, int64_t rows)
{
    for (int part = 0; part < 3; part++) ask(v, in_x(v, x, at, part, first), v->x_row, rows);
}
static void ask_y(const attention *v, const char *y, place at, int64_t first, int64_t rows)
{
    ask(v, in_y(v, y, at, first), v->y_row, rows);
}

/* ---------------------------------------------------------------- forward */

/* Subtracts the maximum of each row of scores, for exp. */
static void lower_rows(const attention *v, int64_t first, int64_t rows, int64_t n, char *s, double *most)
{
    for (int64_t i = 0; i < rows; i++, s += n * v->size) {
        int64_t sees = seen_by(v, first + i);
        double scale = v->scale;
        if (scale < 0) { /* a negative scale: the maximum after scaling is the scaled minimum */
            v->norm->times[v->type](s, scale, sees);
            scale = 1;
        }
        most[i] = v->norm->largest[v->type](s, sees) * scale;
        if (!v->type) most[i] = (double)(float)most[i];
        if (!(most[i] > -INFINITY)) most[i] = 0;
        v->norm->shifted[v->type](s, scale, most[i], sees, n);
    }
}

static void head(const attention *v, int64_t unit, char *scratch)
{
    place at = place_of(v, unit), next = place_of(v, unit + 1 < v->units ? unit + 1 : unit);
    char *keys = scratch, *values = keys + v->strips * v->size, *s = values + v->strips * v->size;
    pack(v, in_x(v, v->x, at, 1, 0), v->x_row, v->width, v->places, true, keys);
    pack(v, in_x(v, v->x, at, 2, 0), v->x_row, v->places, v->width, false, values);
    for (int64_t first = 0; first < v->places; first += v->rows) {
        int64_t rows = least(v->rows, v->places - first), sees = seen(v, first, rows), n = round_up(sees, v->strip);
        double most[ROWS];
        ask_x(v, v->x, next, first, rows);
        ask_y(v, v->out, next, first, rows);
        multiply(v, rows, n, v->width, in_x(v, v->x, at, 0, first), v->x_row, 1, keys, v->width, s, n, false);
        lower_rows(v, first, rows, n, s, most);
        exp_rows(v, first, rows, n, s);
        for (int64_t i = 0; i < rows; i++) {
            double sum = v->norm->sum[v->type](s + i * n * v->size, n);
            put(v, sum_of(v, v->out, at, first + i), most[i] + situ_f64_log(sum));
            most[i] = 1 / sum;
        }
        multiply(v, rows, v->width, sees, s, n, 1, values, v->places, in_y(v, v->out, at, first), v->y_row, false);
        for (int64_t i = 0; i < rows; i++) v->norm->times[v->type](in_y(v, v->out, at, first + i), most[i], v->width);
    }
}

static char *scratch_of(const attention *v)
{
    char *scratch = situ_scratch((size_t)v->bytes);
    if (!scratch) situ_fault_set(v->fault, SITU_NO_MEMORY, v->bytes, 0);
    return scratch;
}

static void value_task(void *context, int64_t task)
{
    const attention *v = context;
    char *scratch = scratch_of(v);
    for (int64_t i = task * v->per_task; scratch && i < least((task + 1) * v->per_task, v->units); i++) head(v, i, scratch);
}

void situ_attention_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    attention v;
    begin(&v, call, &call->in[0], h);
    v.x = address[1];
    v.out = address[0];
    v.bytes = (2 * v.strips + v.rows * round_up(v.places, v.strip) + 16) * v.size;
    situ_host_for(h, value_task, &v, (v.units + v.per_task - 1) / v.per_task);
}

/* ---------------------------------------------------------------- backward */

/* Recomputes the weights p from the log-sum-exp; s = scale * p * (s - mean + gradient by the log-sum-exp). */
static void back_rows(const attention *v, place at, int64_t first, int64_t rows, int64_t n, char *p, char *s)
{
    for (int64_t i = 0; i < rows; i++) {
        char *row = p + i * n * v->size;
        int64_t sees = seen_by(v, first + i);
        v->norm->shifted[v->type](row, v->scale, get(v, sum_of(v, v->y, at, first + i)), sees, n);
    }
    exp_rows(v, first, rows, n, p);
    for (int64_t i = 0; i < rows; i++) {
        double both[2]; /* the sums of g and of g * y */
        v->norm->products[v->type](in_y(v, v->g, at, first + i), in_y(v, v->y, at, first + i), 0, v->width, both);
        double by = get(v, sum_of(v, v->g, at, first + i)) - both[1];
        v->norm->weighted[v->type](p + i * n * v->size, by, v->scale, n, s + i * n * v->size);
    }
}

static void head_back(const attention *v, int64_t unit, char *scratch)
{
    place at = place_of(v, unit), next = place_of(v, unit + 1 < v->units ? unit + 1 : unit);
    char *keys = scratch, *keys_turned = keys + v->strips * v->size, *values_turned = keys_turned + v->strips * v->size;
    char *queries = values_turned + v->strips * v->size, *by_y = queries + v->strips * v->size;
    char *p = by_y + v->strips * v->size, *s = p + v->rows * round_up(v->places, v->strip) * v->size;
    pack(v, in_x(v, v->x, at, 1, 0), v->x_row, v->places, v->width, false, keys);
    pack(v, in_x(v, v->x, at, 1, 0), v->x_row, v->width, v->places, true, keys_turned);
    pack(v, in_x(v, v->x, at, 2, 0), v->x_row, v->width, v->places, true, values_turned);
    for (int64_t i = 0; i < v->places; i++)
        for (int part = 1; part < 3; part++) memset(in_x(v, v->out, at, part, i), 0, (size_t)(v->width * v->size));
    for (int64_t first = 0; first < v->places; first += v->rows) {
        int64_t rows = least(v->rows, v->places - first), sees = seen(v, first, rows), n = round_up(sees, v->strip);
        const char *q = in_x(v, v->x, at, 0, first), *g = in_y(v, v->g, at, first);
        ask_x(v, v->x, next, first, rows);
        ask_x(v, v->out, next, first, rows);
        ask_y(v, v->y, next, first, rows);
        ask_y(v, v->g, next, first, rows);
        multiply(v, rows, n, v->width, q, v->x_row, 1, keys_turned, v->width, p, n, false);
        multiply(v, rows, n, v->width, g, v->y_row, 1, values_turned, v->width, s, n, false);
        back_rows(v, at, first, rows, n, p, s);
        pack(v, q, v->x_row, rows, v->width, false, queries);
        pack(v, g, v->y_row, rows, v->width, false, by_y);
        multiply(v, rows, v->width, sees, s, n, 1, keys, v->places, in_x(v, v->out, at, 0, first), v->x_row, false);
        multiply(v, sees, v->width, rows, s, 1, n, queries, rows, in_x(v, v->out, at, 1, 0), v->x_row, true);
        multiply(v, sees, v->width, rows, p, 1, n, by_y, rows, in_x(v, v->out, at, 2, 0), v->x_row, true);
    }
}

static void back_task(void *context, int64_t task)
{
    const attention *v = context;
    char *scratch = scratch_of(v);
    for (int64_t i = task * v->per_task; scratch && i < least((task + 1) * v->per_task, v->units); i++) head_back(v, i, scratch);
}

/* Operands: the gradient of the result, x, the result. */
void situ_attention_back_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    attention v;
    begin(&v, call, &call->in[1], h);
    v.g = address[1];
    v.x = address[2];
    v.y = address[3];
    v.out = address[0];
    v.bytes = (5 * v.strips + 2 * v.rows * round_up(v.places, v.strip) + 16) * v.size;
    situ_host_for(h, back_task, &v, (v.units + v.per_task - 1) / v.per_task);
}

bool situ_attention_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    const situ_layout *x = &call->in[call->nin > 1];
    return (call->out.dtype == SITU_F32 || call->out.dtype == SITU_F64) && x->dim[x->ndim - 2] < 1 << 24;
}
