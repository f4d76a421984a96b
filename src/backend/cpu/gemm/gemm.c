/* Decides how a matrix product is computed: by which kernel, and divided into which tasks. Both follow from the shape
 * alone. Each result is summed along k in one of three orders: in lanes (dots.inc), in one chain, or in chains over
 * SITU_GEMM_KC elements that are added up. A batch-invariant product has the first or the last one, by the shape and
 * layout of B alone. */
#include "backend/cpu/gemm/gemm.h"

#include "backend/cpu/movement/convert.h"
#include "backend/cpu/interpreter/group.h"
#include "backend/cpu/overrides.h"
#include "backend/cpu/scratch.h"
#include "backend/cpu/gemm/tuning.h"
#include "base/isa.h"
#include "op/blocks.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

enum {
    DIRECT_ROWS = 128 * 128 * 128, /* multiply-adds up to which packing does not pay, if rows of A are contiguous ... */
    DIRECT_STRIP = 12,             /* ... or there are at most so many rows */
    DIRECT_COLUMNS = 32,           /* ... or at most so many columns of B, and k is small */
    DIRECT = 64 * 64 * 64,         /* ... and in all other cases */
    LEAST_ROWS = 64,
    LEAST_COLUMNS = 96, /* of a panel */
    MOST_PANELS = 64,
    MOST_LANES = 32768,      /* elements of A that its tasks read again and again: they stay in the cache */
    LANES_COLUMNS = 12,      /* ... in whole tiles (dots.inc) */
    LEAST_DOTS = 64,         /* smallest k and n for dot products with few rows */
    DOT_ROW = 16,            /* elements of k per row that dot products need */
    MOST_COPIED = 128 * 128, /* elements of a transposed B that are copied so that packing is not needed */
    DOTS_TASK = 65536,       /* multiply-adds of a task of dot products */
    ROW_COLUMNS = 512,       /* columns of a task with few rows */
    LEAST_READ = 512 * 512,  /* elements of B from which on few rows read B without packing it */
    SPLIT_DEPTH = 2048,
    MOST_SPLITS = 16,
    MOST_SPLIT_RESULTS = 65536
};
static const double panel_work = 3e6, direct_work = 3e5,
                    task_work = 1e6; /* multiply-adds of a panel, of a task of small products */

typedef enum method { DIRECTLY, DOTS, ROWS, PANELS } method;

typedef struct matmul {
    situ_gemm g; /* of the first batch */
    const situ_gemm_kernels *kernels;
    method method;
    int type, blas; /* SITU_GEMM_..., SITU_BLAS_... */
    bool tuned;     /* the tuning file chose the library for this shape */
    int64_t size;   /* bytes of an element */
    int batch_dims;
    int64_t batches, batch_dim[8], a_batch[8], b_batch[8];
    int64_t panel_rows, panel_columns, grid_rows, grid_columns, units, per_task;
    int64_t depth, splits; /* k is split: each part has its own result; they are added up in order */
    char *partials;
    situ_post_op *post_op; /* applied to whole rows of the result; NULL: none */
    bool invariant;        /* bits of a row do not depend on the other rows */
    bool few;              /* few rows: the transposed product is computed, as dot products along k */
    situ_fault *fault;
} matmul;

/* ---------------------------------------------------------------- from the call */

static int type_of(const situ_call_desc *c) { return c->out.dtype == SITU_F32 ? SITU_GEMM_F32 : SITU_GEMM_F64; }

static void read_call(matmul *p, const situ_call_desc *c, char *const *address)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    p->g = (situ_gemm){.m = a->dim[a->ndim - 2],
        .k = a->dim[a->ndim - 1],
        .n = b->dim[b->ndim - 1],
        .a = address[1],
        .b = address[2],
        .c = address[0],
        .a_row = a->stride[a->ndim - 2],
        .a_column = a->stride[a->ndim - 1],
        .b_row = b->stride[b->ndim - 2],
        .b_column = b->stride[b->ndim - 1]};
    p->g.c_row = p->g.n;
    p->invariant = c->invariant;
    p->type = type_of(c);
    p->size = p->type == SITU_GEMM_F32 ? 4 : 8;
    p->batch_dims = c->out.ndim - 2;
    p->batches = 1;
    for (int i = 0; i < p->batch_dims; i++) p->batches *= p->batch_dim[i] = c->out.dim[i];
    situ_stride_broadcast(a->ndim - 2, a->dim, a->stride, p->batch_dims, c->out.dim, p->a_batch);
    situ_stride_broadcast(b->ndim - 2, b->dim, b->stride, p->batch_dims, c->out.dim, p->b_batch);
}

/* Batches that share B and are contiguous in A become more rows of one product. */
static void join_batches(matmul *p)
{
    int64_t dim[8], stride[8];
    for (int i = 0; i < p->batch_dims; i++) {
        if (p->b_batch[i] && p->batch_dim[i] > 1) return;
        dim[i] = p->batch_dim[i];
        stride[i] = p->a_batch[i];
    }
    dim[p->batch_dims] = p->g.m;
    stride[p->batch_dims] = p->g.a_row;
    int ndim = situ_collapse(p->batch_dims + 1, dim, 1, stride);
    if (ndim > 1) return;
    p->g.m *= p->batches;
    p->g.a_row = ndim ? stride[0] : p->g.a_row;
    p->batches = 1;
    p->batch_dims = 0;
}

static situ_gemm batch_of(const matmul *p, int64_t batch)
{
    situ_gemm g = p->g;
    int64_t a = 0, b = 0, rest = batch;
    for (int i = p->batch_dims; i-- > 0; rest /= p->batch_dim[i]) {
        a += rest % p->batch_dim[i] * p->a_batch[i];
        b += rest % p->batch_dim[i] * p->b_batch[i];
    }
    g.a = (const char *)g.a + a * p->size;
    g.b = (const char *)g.b + b * p->size;
    g.c = (char *)g.c + batch * g.m * g.n * p->size;
    return g;
}

/* ---------------------------------------------------------------- tasks */

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

static int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

/* Halves the longer side of the panels until there are enough panels. */
static void cut_panels(matmul *p)
{
    double work = (double)p->g.m * (double)p->g.n * (double)p->g.k;
    double wanted = work / panel_work > MOST_PANELS ? MOST_PANELS : work / panel_work;
    int64_t rows = 1, columns = 1;
    while ((double)(rows * columns) < wanted) {
        bool more_rows = parts(p->g.m, rows * 2) >= LEAST_ROWS, more_columns = parts(p->g.n, columns * 2) >= LEAST_COLUMNS;
        if (!more_rows && !more_columns) break;
        if (more_rows && (!more_columns || p->g.m / rows >= p->g.n / columns)) rows *= 2;
        else columns *= 2;
    }
    p->panel_rows = round_up(parts(p->g.m, rows), 6);
    p->panel_columns = round_up(parts(p->g.n, columns), 16);
}

/* Splits a product with large k and few results along k. */
static void cut_depth(matmul *p)
{
    p->depth = p->g.k;
    p->splits = 1;
    if (p->batches > 1 || p->g.k < 2 * SPLIT_DEPTH || p->g.m * p->g.n > MOST_SPLIT_RESULTS) return;
    int64_t panels = parts(p->g.m, p->panel_rows) * parts(p->g.n, p->panel_columns);
    int64_t splits = MOST_SPLITS / panels;
    if (splits > p->g.k / SPLIT_DEPTH) splits = p->g.k / SPLIT_DEPTH;
    if (splits < 2) return;
    p->depth = round_up(parts(p->g.k, splits), SITU_GEMM_KC);
    p->splits = parts(p->g.k, p->depth);
}

/* Whether rows of A and columns of B are all contiguous, and there are few of one and many of the other: dot products
 * then need no packing. */
static bool are_dots(const situ_gemm *g)
{
    bool few = g->m <= SITU_GEMM_FEW && g->m <= g->k / DOT_ROW; /* the smaller k is, the more the final reduction costs */
    return few && g->a_column == 1 && g->b_row == 1 && g->n >= LEAST_DOTS && g->k >= LEAST_DOTS;
}

/* Computes the transposed product. */
static void transpose(matmul *p)
{
    situ_gemm g = p->g;
    for (int i = 0; i < p->batch_dims; i++) {
        int64_t batch = p->a_batch[i];
        p->a_batch[i] = p->b_batch[i];
        p->b_batch[i] = batch;
    }
    p->g = (situ_gemm){.m = g.n,
        .n = g.m,
        .k = g.k,
        .a = g.b,
        .b = g.a,
        .c = g.c,
        .a_row = g.b_column,
        .a_column = g.b_row,
        .b_row = g.a_column,
        .b_column = g.a_row,
        .c_row = 1,
        .c_column = g.n};
}

/* For a matrix times a vector (or few rows, unless a library multiplies them): computes the transposed product if its
 * kernel suits the matrix's layout better. */
static void transpose_product(matmul *p)
{
    const situ_gemm *g = &p->g;
    bool vector = g->m == 1 || g->n == 1,
         columns_are_contiguous = g->m == 1 ? g->b_column != 1 && g->b_row == 1 : g->a_column != 1 && g->a_row == 1;
    if (!(vector ? columns_are_contiguous : p->blas == SITU_BLAS_OWN && are_dots(g))) return;
    p->few = !vector;
    transpose(p);
}

static __thread int forced = -1;
void situ_gemm_force(int blas) { forced = blas; }

/* Chooses the implementation: by the environment, else the tuning file, else the built-in order. */
static void choose_blas(matmul *p)
{
    int blas = forced;
    if (blas < 0 && !situ_blas_asked()) blas = situ_tuning_find(p->type, p->g.m, p->g.k, p->g.n);
    p->tuned = blas >= 0;
    if (blas < 0) blas = situ_blas_default();
    p->blas = situ_blas_has(blas, p->type) ? blas : SITU_BLAS_OWN;
}

/* Whether there are few rows and B does not fit the cache: packing B would take longer than multiplying. */
static bool is_few(const matmul *p) { return p->g.m <= SITU_GEMM_FEW && p->g.k * p->g.n >= LEAST_READ && p->blas == SITU_BLAS_OWN; }

/* Whether the product is too small for packing to pay. */
static bool is_direct(const situ_gemm *g)
{
    if (g->b_column != 1 && g->k * g->n > MOST_COPIED) return false; /* packing it takes less time */
    return g->a_column == 1 || (g->m <= DIRECT_STRIP && g->b_column == 1) || (g->n <= DIRECT_COLUMNS && g->k <= 4 * SITU_GEMM_KC);
}

/* Rows rounded up to strips of 6, of which the last one or two may have 4: narrower strips cost as much as these. */
static int64_t strips_of(int64_t rows) { return rows > 6 ? round_up(rows, 2) : rows > 4 ? 6 : 4; }

/* Number of units, and of units in a task. */
static void count_units(matmul *p, double work)
{
    p->grid_rows = parts(p->g.m, p->panel_rows);
    p->grid_columns = parts(p->g.n, p->panel_columns);
    p->units = p->batches * p->splits * p->grid_rows * p->grid_columns;
    double unit = work * (double)p->batches / (double)p->units;
    p->per_task = p->batches == 1 || unit * 2 >= task_work ? 1 : (int64_t)(task_work / (unit + 16));
}

/* Columns of a task with few rows. */
static int64_t columns_of_task(const situ_gemm *g, double work)
{
    int64_t tasks = parts(g->n, ROW_COLUMNS);
    return round_up(parts(g->n, work < direct_work / 2 ? tasks : round_up(tasks, 2)), 16);
}

/* Divides a small product into tasks, by rows. */
static void cut_direct(matmul *p, double work)
{
    p->method = DIRECTLY;
    if (p->batches > 1 || work < 2 * direct_work) return;
    int64_t tasks = (int64_t)(work / direct_work) / 2 * 2, rows = parts(p->g.m, tasks);
    /* of two tasks, the caller's is larger, because it begins first */
    p->panel_rows = strips_of(tasks > 2 ? rows : rows + rows / 32);
}

/* The same choice for any number of rows: in lanes, or in chains over SITU_GEMM_KC elements that are added up. */
static void choose_invariant(matmul *p)
{
    const situ_gemm *g = &p->g;
    double work = (double)g->m * (double)g->n * (double)g->k;
    if (situ_sums_in_lanes(g->k, g->n, g->b_row == 1 && g->b_column != 1)) {
        p->method = DOTS;
        if (g->n > 1) {
            transpose(p);
            p->panel_columns = MOST_LANES / g->k / LANES_COLUMNS * LANES_COLUMNS;
            if (!p->panel_columns) p->panel_columns = LANES_COLUMNS;
        }
        p->panel_columns = p->panel_columns < g->n ? p->panel_columns : g->n;
        int64_t task = p->panel_columns <= SITU_GEMM_FEW ? DOTS_TASK : 8 * DOTS_TASK;
        int64_t tasks = parts(g->m * g->k * p->panel_columns, task);
        p->panel_rows = round_up(tasks > 1 ? parts(g->m, round_up(tasks, 2)) : g->m, 4);
    } else if (g->b_column == 1 && (g->m == 1 || is_few(p))) {
        p->method = ROWS;
        p->panel_columns = columns_of_task(g, work);
    } else if (work <= (is_direct(g) ? DIRECT_ROWS : DIRECT) && (g->b_column == 1 || g->k <= SITU_GEMM_KC)) {
        cut_direct(p, work);
    } else {
        p->method = PANELS;
        cut_panels(p);
    }
    count_units(p, work);
}

static void choose(matmul *p)
{
    const situ_gemm *g = &p->g;
    double work = (double)g->m * (double)g->n * (double)g->k;
    if (g->a_column == 1 && (g->n == 1 || p->few)) {
        p->method = DOTS;
        int64_t tasks = parts(g->m * g->k * g->n, DOTS_TASK);
        p->panel_rows = round_up(tasks > 1 ? parts(g->m, round_up(tasks, 2)) : g->m, 4);
    } else if (g->b_column == 1 && (g->m == 1 || is_few(p))) {
        p->method = ROWS;
        p->panel_columns = columns_of_task(g, work);
    } else if (!(p->tuned && p->blas) && work <= (is_direct(g) ? DIRECT_ROWS : DIRECT)) {
        cut_direct(p, work);
    } else {
        p->method = PANELS;
        cut_panels(p);
        cut_depth(p);
    }
    count_units(p, work);
}

static void choose_method(matmul *p)
{
    p->kernels = SITU_FOR_ISA(&situ_gemm);
    p->panel_rows = p->g.m;
    p->panel_columns = p->g.n;
    p->depth = p->g.k;
    p->splits = 1;
    (p->invariant ? choose_invariant : choose)(p);
}

static void decide(matmul *p)
{
    join_batches(p);
    if (!p->invariant) choose_blas(p), transpose_product(p);
    choose_method(p);
}

/* Copies a transposed B of a small product, so that its rows become contiguous. */
static bool copy_columns(const matmul *p, situ_gemm *g)
{
    char *copy = situ_scratch((size_t)(g->k * g->n * p->size));
    if (!copy) {
        situ_fault_set(p->fault, SITU_NO_MEMORY, g->k * g->n * p->size, 0);
        return false;
    }
    int64_t dim[2] = {g->k, g->n}, stride[2] = {g->b_row * p->size, g->b_column * p->size};
    situ_strided_read(copy, g->b, p->size, 2, dim, stride, 0, g->k * g->n);
    g->b = copy;
    g->b_row = g->n;
    g->b_column = 1;
    return true;
}

static void multiply_directly(const matmul *p, situ_gemm g)
{
    if (g.b_column == 1 || copy_columns(p, &g)) p->kernels->direct[p->type](&g);
}

/* Copies `rows` rows of k elements so that each is contiguous. */
static void copy_rows(const matmul *p, char *copy, const void **from, int64_t rows, int64_t k, int64_t *row, int64_t *along)
{
    int64_t dim[2] = {rows, k}, stride[2] = {*row * p->size, *along * p->size};
    situ_strided_read(copy, *from, p->size, 2, dim, stride, 0, rows * k);
    *from = copy;
    *row = k;
    *along = 1;
}

static void multiply_dots(const matmul *p, situ_gemm g)
{
    int64_t a = g.a_column == 1 ? 0 : g.m * g.k * p->size, b = g.b_row == 1 ? 0 : g.n * g.k * p->size;
    char *copy = a + b ? situ_scratch((size_t)(a + b)) : NULL;
    if (a + b && !copy) {
        situ_fault_set(p->fault, SITU_NO_MEMORY, a + b, 0);
        return;
    }
    if (a) copy_rows(p, copy, &g.a, g.m, g.k, &g.a_row, &g.a_column);
    if (b) copy_rows(p, copy + a, &g.b, g.n, g.k, &g.b_column, &g.b_row);
    p->kernels->dots[p->type](&g);
}

static void add_to(const matmul *p, void *to, const void *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (p->size == 4) ((float *)to)[i] += ((const float *)from)[i];
        else ((double *)to)[i] += ((const double *)from)[i];
    }
}

/* Chains over SITU_GEMM_KC elements of k, added up: the order that panels have. */
static void multiply_in_chains(const matmul *p, situ_gemm g)
{
    void (*run)(const situ_gemm *) = (p->method == ROWS ? p->kernels->rows : p->kernels->direct)[p->type];
    int64_t k = g.k, row = g.c_row;
    char *c = g.c, *part = situ_scratch((size_t)(g.m * g.n * p->size));
    if (!part) {
        situ_fault_set(p->fault, SITU_NO_MEMORY, g.m * g.n * p->size, 0);
        return;
    }
    for (int64_t from = 0; from < k; from += SITU_GEMM_KC) {
        g.k = k - from < SITU_GEMM_KC ? k - from : SITU_GEMM_KC;
        run(&g);
        for (int64_t i = 0; i < g.m && from; i++) add_to(p, c + i * row * p->size, part + i * g.n * p->size, g.n);
        g.a = (const char *)g.a + SITU_GEMM_KC * g.a_column * p->size;
        g.b = (const char *)g.b + SITU_GEMM_KC * g.b_row * p->size;
        g.c = part;
        g.c_row = g.n;
    }
}

static void multiply(const matmul *p, const situ_gemm *g)
{
    if (p->invariant && g->k > SITU_GEMM_KC && (p->method == DIRECTLY || p->method == ROWS)) {
        multiply_in_chains(p, *g);
        return;
    }
    switch (p->method) {
    case DIRECTLY: multiply_directly(p, *g); return;
    case DOTS: multiply_dots(p, *g); return;
    case ROWS: p->kernels->rows[p->type](g); return;
    case PANELS: break;
    }
    if (situ_gemm_by_library(p->blas, p->type, g)) return;
    void *scratch = situ_scratch(SITU_GEMM_SCRATCH);
    if (scratch) p->kernels->blocked[p->type](g, scratch);
    else situ_fault_set(p->fault, SITU_NO_MEMORY, (int64_t)SITU_GEMM_SCRATCH, 0);
}

static void run_unit(const matmul *p, int64_t unit)
{
    int64_t panel = unit % (p->grid_rows * p->grid_columns), rest = unit / (p->grid_rows * p->grid_columns);
    int64_t i = panel / p->grid_columns * p->panel_rows, j = panel % p->grid_columns * p->panel_columns;
    situ_gemm g = batch_of(p, p->splits > 1 ? 0 : rest);
    if (p->splits > 1) { /* each part of k has its own result */
        int64_t k = rest * p->depth;
        g.a = (const char *)g.a + k * g.a_column * p->size;
        g.b = (const char *)g.b + k * g.b_row * p->size;
        g.c = rest ? p->partials + (rest - 1) * g.m * g.n * p->size : g.c;
        g.k = g.k - k < p->depth ? g.k - k : p->depth;
    }
    g.a = (const char *)g.a + i * g.a_row * p->size;
    g.b = (const char *)g.b + j * g.b_column * p->size;
    g.c = (char *)g.c + (i * g.c_row + j * (g.c_column ? g.c_column : 1)) * p->size;
    g.m = g.m - i < p->panel_rows ? g.m - i : p->panel_rows;
    g.n = g.n - j < p->panel_columns ? g.n - j : p->panel_columns;
    multiply(p, &g);
    if (p->post_op) situ_post_op_part(p->post_op, i * g.n, (i + g.m) * g.n);
}

static void run_task(void *context, int64_t index)
{
    const matmul *p = context;
    int64_t unit = index * p->per_task, end = unit + p->per_task < p->units ? unit + p->per_task : p->units;
    for (; unit < end; unit++) run_unit(p, unit);
}

static void add_splits(const matmul *p)
{
    int64_t n = p->g.m * p->g.n;
    for (int64_t s = 0; s + 1 < p->splits; s++) add_to(p, p->g.c, p->partials + s * n * p->size, n);
}

bool situ_gemm_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size; /* integers have only the reference kernel, halves have gemm_half.c */
    return (call->nin == 2 || call->nin == 3) && (call->out.dtype == SITU_F32 || call->out.dtype == SITU_F64) &&
        call->in[0].dtype == call->out.dtype && call->in[1].dtype == call->out.dtype;
}

/* Whether the tasks share packed operands. Transposed products never do. */
static bool is_shared(const matmul *p)
{
    return p->method == PANELS && p->batches == 1 && p->splits == 1 && p->blas == SITU_BLAS_OWN;
}

/* Whether this call would use a shared product. */
static bool will_share(matmul *p, const situ_call_desc *call)
{
    char *address[3] = {0};
    if (!situ_gemm_accepts(call, NULL, 0)) return false;
    read_call(p, call, address);
    if (!p->batches || !p->g.m || !p->g.n || !p->g.k) return false;
    decide(p);
    return is_shared(p);
}

bool situ_gemm_by_dots(const situ_call_desc *call)
{
    matmul p = {0};
    char *address[3] = {0};
    read_call(&p, call, address);
    if (p.g.m > SITU_GEMM_FEW || p.g.b_column != p.g.k || !p.batches || !p.g.m || !p.g.n || !p.g.k) return false;
    decide(&p);
    return p.method == DOTS && p.batches == 1 && p.g.c_column == p.g.m; /* transposed: rows are those of B */
}

situ_gemm_order situ_gemm_order_of(const situ_call_desc *call)
{
    matmul p = {0};
    char *address[3] = {0};
    read_call(&p, call, address);
    situ_gemm_order all = {0, p.g.k, p.g.k};
    if (!p.batches || !p.g.m || !p.g.n || !p.g.k) return all;
    join_batches(&p);
    if (!p.invariant) transpose_product(&p);
    choose_method(&p);
    if (p.method == DOTS) return (situ_gemm_order){64 / p.size, p.g.k, p.g.k};
    return p.method == PANELS || p.invariant ? (situ_gemm_order){0, SITU_GEMM_KC, p.depth} : all;
}

int64_t situ_gemm_packable(const situ_call_desc *call)
{
    matmul p = {0};
    return will_share(&p, call) ? situ_gemm_packed_size(p.kernels, p.type, &p.g) : 0;
}

bool situ_gemm_sure(const situ_call_desc *call) { return will_share(&(matmul){0}, call); }

bool situ_gemm_pack_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)call, (void)reason, (void)size; /* the planner inserts what situ_gemm_packable has asked for */
    return true;
}

void situ_gemm_pack(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_layout *b = &call->in[0];
    situ_gemm g = {.k = b->dim[0], .n = b->dim[1], .b = address[1], .b_row = b->stride[0], .b_column = b->stride[1]};
    situ_gemm_pack_shared(SITU_FOR_ISA(&situ_gemm), type_of(call), &g, address[0], h);
}

static bool by_override(const matmul *p, situ_dtype stored, situ_dtype numbers, const situ_host *h)
{
    const situ_overrides *special = situ_overrides_here();
    return special->gemm && !p->invariant && p->batches == 1 && !p->few && p->g.n > 1 && p->g.m > 1 &&
        special->gemm(&p->g, stored, numbers, h);
}

bool situ_gemm_half_by_tiles(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    matmul p = {0};
    situ_call_desc wide = *call;
    wide.out.dtype = SITU_F32;
    read_call(&p, &wide, address);
    if (!p.batches || !p.g.m || !p.g.n || !p.g.k) return false;
    decide(&p);
    return by_override(&p, (situ_dtype)call->out.dtype, (situ_dtype)call->out.dtype, h);
}

void situ_gemm_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    matmul p = {.fault = h->fault};
    read_call(&p, call, address);
    if (!p.batches || !p.g.m || !p.g.n) return;
    if (!p.g.k) {
        memset(p.g.c, 0, (size_t)(p.batches * p.g.m * p.g.n * p.size));
        return;
    }
    decide(&p);
    int32_t low = p.type == SITU_GEMM_F32 && call->attr ? *(const int32_t *)call->attr : 0;
    bool halves = low == SITU_BF16 || low == SITU_F16;
    if (halves && by_override(&p, SITU_F32, (situ_dtype)low, h)) return;
    if (is_shared(&p)) {
        situ_gemm_shared(p.kernels, p.type, &p.g, call->nin > 2 ? address[3] : NULL, h);
        return;
    }
    if (p.splits > 1) {
        size_t before = SITU_GEMM_SCRATCH; /* for this thread's own tasks */
        char *scratch = situ_scratch(before + (size_t)((p.splits - 1) * p.g.m * p.g.n * p.size));
        if (!scratch) {
            situ_fault_set(h->fault, SITU_NO_MEMORY, (p.splits - 1) * p.g.m * p.g.n * p.size, 0);
            return;
        }
        p.partials = scratch + before;
    }
    bool in_scratch = p.method == DIRECTLY && p.batches == 1 && p.g.b_column != 1;
    if (in_scratch && !copy_columns(&p, &p.g)) return; /* shared by all tasks */
    bool by_rows = p.method == DIRECTLY && p.units > 1 && p.units == p.grid_rows;
    if (h->post_op && h->parallel && by_rows && !in_scratch && situ_post_op_take(h->post_op)) p.post_op = h->post_op;
    situ_host_for(h, run_task, &p, parts(p.units, p.per_task));
    if (p.splits > 1) add_splits(&p);
}
