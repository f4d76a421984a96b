/* Factorizations as calls: which matrices are large enough for these kernels, batches, memory. */
#include "backend/cpu/linalg/linalg.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/pool.h"
#include "math/f64.h"
#include "op/attr.h"
#include "op/linalg.h"
#include "tensor/dtype.h"

enum { LEAST = 48 /* LEAST: rows and columns; smaller matrices are factored in f64 (op/linalg.c) */, TASK_ROWS = 32 };

static int64_t dim_of(const situ_call_desc *c, int operand, int back) { return c->in[operand].dim[c->in[operand].ndim - back]; }

bool situ_blocks_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)reason, (void)size;
    situ_dtype dtype = (situ_dtype)c->in[0].dtype;
    return (dtype == SITU_F32 || dtype == SITU_F64) && dim_of(c, 0, 1) >= LEAST && dim_of(c, 0, 2) >= LEAST;
}

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    situ_factoring f;
    situ_host host; /* for one matrix */
    int64_t m, n, k, batches;
    size_t space_bytes; /* bytes for one matrix, after what is packed */
    void (*one)(const struct job *j, const situ_factoring *f, int64_t batch, char *space_bytes);
} job;

static char *part_of(const job *j, int operand, int64_t batch, int64_t count)
{
    return j->address[operand] + batch * count * j->f.size;
}

static int what_of(const situ_call_desc *c) { return ((const situ_factor_attr *)c->attr)->what; }

static void fill_nan(const situ_factoring *f, char *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (f->size == 4) ((float *)(void *)to)[i] = NAN;
        else ((double *)(void *)to)[i] = NAN;
    }
}

static void one_cholesky(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    int64_t n = j->n, count = n * n;
    char *a = part_of(j, 0, batch, count);
    (void)space_bytes;
    memcpy(a, part_of(j, 1, batch, count), (size_t)(count * f->size));
    if (!situ_factor_lower(f, n, a)) {
        situ_fault_set(j->host.fault, SITU_SINGULAR, batch, 0);
        fill_nan(f, a, count);
    }
    for (int64_t i = 0; i < n; i++) memset(a + (i * n + i + 1) * f->size, 0, (size_t)((n - i - 1) * f->size));
}

/* Whether n elements are all 0 or -0. If all are +0, one comparison of memory suffices. */
static bool are_zeros(const situ_factoring *f, int64_t n, const char *x)
{
    double first = n ? situ_element_get(f, x, 0) : 0;
    if (first == 0 && !signbit(first) && (n < 2 || !memcmp(x, x + f->size, (size_t)((n - 1) * f->size)))) return true;
    for (int64_t i = 0; i < n; i++)
        if (situ_element_get(f, x, i) != 0) return false;
    return true;
}

/* Properties of a square matrix, found by all threads. */
typedef struct form {
    const situ_factoring *f;
    int64_t n;
    const char *a;
    _Atomic bool above, below, zero, other; /* some element above (below) the diagonal is not 0; some diagonal element
                                             * is 0, is other than 1 */
} form;

static void note(_Atomic bool *flag) { atomic_store_explicit(flag, true, memory_order_relaxed); }
static bool noted(const _Atomic bool *flag) { return atomic_load_explicit(flag, memory_order_relaxed); }

static void look_at_rows(void *context, int64_t task)
{
    form *o = context;
    const situ_factoring *f = o->f;
    int64_t n = o->n;
    for (int64_t i = task * TASK_ROWS; i < n && i < (task + 1) * TASK_ROWS && !(noted(&o->above) && noted(&o->below)); i++) {
        double d = situ_element_get(f, o->a, i * n + i);
        if (d == 0) note(&o->zero);
        if (d != 1) note(&o->other);
        if (!noted(&o->above) && !are_zeros(f, n - i - 1, situ_element(f, o->a, n, i, i + 1))) note(&o->above);
        if (!noted(&o->below) && !are_zeros(f, i, situ_element(f, o->a, n, i, 0))) note(&o->below);
    }
}

static int64_t row_tasks(int64_t n) { return (n + TASK_ROWS - 1) / TASK_ROWS; }

/* Whether elements above and below the diagonal are 0. Most matrices need only a look at the first and last row. */
static void look_at(form *o, const situ_factoring *f, int64_t n, const char *a)
{
    *o = (form){.f = f, .n = n, .a = a};
    if (!are_zeros(f, n - 1, situ_element(f, a, n, 0, 1))) note(&o->above);
    if (!are_zeros(f, n - 1, situ_element(f, a, n, n - 1, 0))) note(&o->below);
    if (!noted(&o->above) || !noted(&o->below)) situ_host_for(f->host, look_at_rows, o, row_tasks(n));
}

static void exchange(int64_t *order, int64_t i, int64_t k)
{
    int64_t was = order[i];
    order[i] = order[k];
    order[k] = was;
}

/* Permutes the columns of b as the rows were, from the last column on. */
typedef struct moving {
    const situ_factoring *f;
    int64_t n;
    const int64_t *from; /* the column that moves to each position */
    char *b;
} moving;

static void move_columns(void *context, int64_t task)
{
    const moving *c = context;
    int64_t n = c->n, bytes = n * c->f->size;
    char *copy = situ_scratch((size_t)bytes);
    if (!copy) {
        situ_fault_set(c->f->host->fault, SITU_NO_MEMORY, bytes, 0);
        return;
    }
    for (int64_t i = task * TASK_ROWS; i < n && i < (task + 1) * TASK_ROWS; i++) {
        char *to = c->b + i * bytes;
        memcpy(copy, to, (size_t)bytes);
        if (c->f->size == 4)
            for (int64_t k = 0; k < n; k++) memcpy(to + k * 4, copy + c->from[k] * 4, 4);
        else
            for (int64_t k = 0; k < n; k++) memcpy(to + k * 8, copy + c->from[k] * 8, 8);
    }
}

/* b becomes the inverse of P^T L U; t is L and U. order: scratch, n elements. */
static void invert(const situ_factoring *f, int64_t n, const situ_triangle *t, const int64_t *pivot, char *b, int64_t *order)
{
    moving c = {f, n, order, b};
    situ_solve_from(f, n, t, 2, n, b, NULL, NULL);
    for (int64_t k = 0; k < n; k++) order[k] = k;
    for (int64_t k = n - 1; k >= 0; k--) exchange(order, k, pivot[k]);
    situ_host_for(f->host, move_columns, &c, row_tasks(n));
}

/* Copies memory by all threads, each of which has part of it in its cache. */
typedef struct copying {
    char *to;
    const char *from;
    int64_t bytes;
} copying;
enum { COPIED = 65536 };

static void copy_part(void *context, int64_t task)
{
    const copying *c = context;
    int64_t first = task * COPIED, bytes = c->bytes - first < COPIED ? c->bytes - first : COPIED;
    memcpy(c->to + first, c->from + first, (size_t)bytes);
}

static void copy_all(const situ_factoring *f, char *to, const char *from, int64_t bytes)
{
    copying c = {to, from, bytes};
    situ_host_for(f->host, copy_part, &c, (bytes + COPIED - 1) / COPIED);
}

/* Solves a x = b; b NULL: the identity. */
static void solve_any(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes, const char *b)
{
    int64_t n = j->n, m = j->m, *pivot = (int64_t *)(void *)space_bytes;
    char *a = part_of(j, 1, batch, n * n), *x = part_of(j, 0, batch, n * m), *p = space_bytes + 8 * n,
         *copy = p + SITU_PANEL * (n + 64) * f->size;
    int64_t *order = (int64_t *)(void *)p; /* the panel is no longer needed */
    form of_a;
    look_at(&of_a, f, n, a);
    bool lower = !noted(&of_a.above), upper = !lower && !noted(&of_a.below), singular = noted(&of_a.zero);
    if (!lower && !upper) {
        copy_all(f, copy, a, n * n * f->size);
        a = copy;
        singular = situ_factor_lu(f, n, a, pivot, p) != 0;
    }
    const situ_triangle t[] = {{.at = a, .row = n, .column = 1, .unit = !lower}, {.at = a, .row = n, .column = 1, .upper = true}};
    if (singular) {
        situ_fault_set(j->host.fault, SITU_SINGULAR, batch, 0);
        fill_nan(f, x, n * m);
    } else if (lower || upper) {
        situ_solve_from(f, n, lower ? t : t + 1, 1, m, x, b, NULL);
    } else if (!b) {
        invert(f, n, t, pivot, x, order);
    } else {
        for (int64_t k = 0; k < n; k++) order[k] = k;
        for (int64_t k = 0; k < n; k++) exchange(order, k, pivot[k]);
        situ_solve_from(f, n, t, 2, m, x, b, order);
    }
}

static void one_solve(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    const char *b = part_of(j, 2, batch, j->n * j->m);
    form of_b = {.above = true};
    if (j->n == j->m) look_at(&of_b, f, j->n, b);
    solve_any(j, f, batch, space_bytes, !noted(&of_b.above) && !noted(&of_b.below) && !noted(&of_b.other) ? NULL : b);
}

static void one_inv(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    solve_any(j, f, batch, space_bytes, NULL);
}

static void one_triangle(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    int64_t n = j->n, m = j->m;
    int what = what_of(j->call);
    char *a = part_of(j, 1, batch, n * n), *x = part_of(j, 0, batch, n * m);
    situ_triangle t = {.at = a, .row = n, .column = 1, .upper = what & SITU_TRIANGLE_UPPER, .unit = what & SITU_TRIANGLE_UNIT};
    bool singular = false;
    (void)space_bytes;
    for (int64_t i = 0; i < n && !t.unit; i++) singular |= situ_element_get(f, a, i * n + i) == 0;
    if (!singular) {
        situ_solve_from(f, n, &t, 1, m, x, part_of(j, 2, batch, n * m), NULL);
        return;
    }
    situ_fault_set(j->host.fault, SITU_SINGULAR, batch, 0);
    fill_nan(f, x, n * m);
}

static void put(situ_dtype dtype, char *to, double x)
{
    if (dtype == SITU_F32) *(float *)(void *)to = (float)x;
    else *(double *)(void *)to = x;
}

static void one_det(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    int64_t n = j->n, *pivot = (int64_t *)(void *)space_bytes;
    char *p = space_bytes + 8 * n, *a = p + SITU_PANEL * (n + 64) * f->size;
    double product = 1, phase = 1, logarithm = 0;
    memcpy(a, part_of(j, 1, batch, n * n), (size_t)(n * n * f->size));
    (void)situ_factor_lu(f, n, a, pivot, p);
    for (int64_t i = 0; i < n; i++) {
        double d = f->size == 4 ? ((const float *)(void *)a)[i * n + i] : ((const double *)(void *)a)[i * n + i], size = fabs(d);
        if (pivot[i] != i) product = -product, phase = -phase;
        product *= d;
        phase = size > 0 ? phase * (d / size) : size == 0 ? 0 : NAN;
        logarithm += situ_f64_log(size);
    }
    int what = what_of(j->call);
    put((situ_dtype)j->call->out.dtype, part_of(j, 0, batch, 1),
        what == SITU_DET_LOGARITHM ? logarithm :
            what == SITU_DET_PHASE ? phase :
                                     product);
}

/* Packed result: Q (m by k or m), then R. */
static void one_qr(const job *j, const situ_factoring *f, int64_t batch, char *a)
{
    int64_t m = j->m, n = j->n, k = j->k;
    char *q = part_of(j, 0, batch, m * k + k * n), *r = q + m * k * f->size;
    memcpy(a, part_of(j, 1, batch, m * n), (size_t)(m * n * f->size));
    situ_factor_reflected(f, m, n, a, k, q, a + situ_round_to_lines(m * n * f->size));
    memset(r, 0, (size_t)(k * n * f->size));
    for (int64_t i = 0; i < k && i < n; i++)
        memcpy(r + (i * n + i) * f->size, a + (i * n + i) * f->size, (size_t)((n - i) * f->size));
}

/* Packed by rows: the eigenvectors as columns, followed by a column of eigenvalues. */
static void one_eigh(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    int64_t n = j->n;
    bool vectors = what_of(j->call) != SITU_FACTOR_VALUES;
    double *w = (double *)(void *)space_bytes;
    char *a = space_bytes + situ_round_to_lines(8 * n), *rest = a + situ_round_to_lines(n * n * f->size);
    char *out = part_of(j, 0, batch, vectors ? n * (n + 1) : n);
    memcpy(a, part_of(j, 1, batch, n * n), (size_t)(n * n * f->size));
    situ_factor_symmetric(f, n, a, w, vectors ? out : NULL, rest);
    for (int64_t i = 0; i < n && !vectors; i++) put((situ_dtype)j->call->out.dtype, out + i * f->size, w[i]);
}

/* Transposes a matrix: `to` has `columns` rows. */
static void transpose(const situ_factoring *f, int64_t rows, int64_t columns, const void *from, int64_t row, void *to)
{
    enum { TILE = 16 };
    for (int64_t tile = 0; tile < rows; tile += TILE)
        for (int64_t k = 0; k < columns; k++)
            for (int64_t i = tile; i < rows && i < tile + TILE; i++) situ_element_copy(f, to, k * rows + i, from, i * row + k);
}

/* The SVD of one matrix, m by n with m >= n; a wide matrix was transposed. */
typedef struct singular {
    int64_t m, n, full;         /* full: columns of u */
    char *a, *q, *u, *v, *rest; /* a: space for the matrix */
    double *w;
} singular;

/* By the SVD of R of its QR factorization if m > n. u may be NULL. */
static bool factor_singular(const situ_factoring *f, singular *s)
{
    int64_t m = s->m, n = s->n, full = s->full, size = f->size;
    if (m == n) return situ_factor_singular(f, n, s->a, s->w, s->u, n, s->v, s->rest);
    char *small = s->q + m * full * size, *transposed = small + n * n * size;
    situ_factor_reflected(f, m, n, s->a, s->u ? full : 0, s->q, s->rest);
    for (int64_t i = 0; i < n; i++) {
        memset(small + i * n * size, 0, (size_t)(i * size));
        memcpy(small + (i * n + i) * size, s->a + (i * n + i) * size, (size_t)((n - i) * size));
    }
    if (!situ_factor_singular(f, n, small, s->w, s->u ? transposed : NULL, n, s->v, s->rest)) return false;
    if (!s->u) return true;
    f->small->negate[f->type](n * n, transposed);
    memcpy(s->u, s->q, (size_t)(m * full * size));
    for (int64_t i = 0; i < m; i++) memset(s->u + i * full * size, 0, (size_t)(n * size));
    situ_gemm g = {.m = m, .n = n, .k = n, .a = s->q, .a_row = full, .a_column = 1, .b = transposed, .b_row = n, .b_column = 1};
    g.c = s->u;
    g.c_row = full;
    situ_subtract(f, &g, false);
    return true;
}

/* Packed result: U (m by k or m), the singular values, V^T (k or n by n). */
static void one_svd(const job *j, const situ_factoring *f, int64_t batch, char *space_bytes)
{
    bool wide = j->m < j->n, vectors = what_of(j->call) != SITU_FACTOR_VALUES;
    int64_t m = wide ? j->n : j->m, n = wide ? j->m : j->n, size = f->size, full = j->k;
    int64_t total = vectors ? m * full + n + n * n : n;
    char *out = part_of(j, 0, batch, total), *values = out + (!vectors ? 0 : wide ? n * n : m * full) * size;
    const char *in = part_of(j, 1, batch, m * n);
    singular s = {.m = m, .n = n, .full = full, .w = (double *)(void *)space_bytes};
    s.a = space_bytes + situ_round_to_lines(8 * n);
    char *transposed = s.a + situ_round_to_lines(m * n * size); /* u or v, whose transpose goes to `out` */
    s.q = transposed + situ_round_to_lines(m * full * size);
    s.rest = s.q + situ_round_to_lines((m * full + 2 * n * n) * size);
    if (vectors) s.u = wide ? transposed : out, s.v = wide ? out : transposed;
    if (wide) transpose(f, n, m, in, m, s.a);
    else memcpy(s.a, in, (size_t)(m * n * size));
    double by = situ_factor_scale(f, m * n, s.a);
    if (isnan(by) || !factor_singular(f, &s)) {
        fill_nan(f, out, total);
        return;
    }
    for (int64_t i = 0; i < n; i++) put((situ_dtype)j->call->in[0].dtype, values + i * size, s.w[i] * by);
    if (vectors) transpose(f, wide ? m : n, wide ? full : n, transposed, wide ? full : n, values + n * size);
}

/* ---- running --------------------------------------------------------------------------------------------------------------- */

/* Factors one matrix in the thread's scratch memory, unless that is in use for one large matrix whose tasks use its
 * beginning. */
static void task(void *context, int64_t batch)
{
    enum { MOST_KEPT = 16 << 20 };
    const job *j = context;
    situ_factoring f = j->f;
    int64_t wide = 128 + (j->m > j->n ? j->m : j->n);
    size_t packed = (size_t)(SITU_GEMM_KC * wide * f.size), bytes = packed + j->space_bytes;
    char *own = bytes > MOST_KEPT ? situ_aligned_alloc(64, bytes) : NULL;
    char *block = bytes > MOST_KEPT ? own : situ_scratch(SITU_GEMM_SCRATCH + bytes);
    if (!block) {
        situ_fault_set(j->host.fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
        return;
    }
    f.packed = own ? own : block + SITU_GEMM_SCRATCH;
    j->one(j, &f, batch, f.packed + packed);
    situ_aligned_free(own);
}

/* Factors matrices side by side if there are enough for all threads, else one after the other, each by all threads. */
static void run(job *j, const situ_call_desc *c, char *const *address, const situ_host *h)
{
    j->call = c;
    j->address = address;
    j->f.products = SITU_FOR_ISA(&situ_gemm);
    j->f.small = SITU_FOR_ISA(&situ_small);
    j->f.type = c->in[0].dtype == SITU_F32 ? SITU_GEMM_F32 : SITU_GEMM_F64;
    j->f.size = j->f.type == SITU_GEMM_F32 ? 4 : 8;
    j->host = *h;
    j->f.host = &j->host;
    j->batches = 1;
    for (int i = 0; i < c->in[0].ndim - 2; i++) j->batches *= c->in[0].dim[i];
    if (h->parallel && j->batches >= situ_pool_width()) {
        j->host.parallel = false;
        situ_host_for(h, task, j, j->batches);
        return;
    }
    for (int64_t batch = 0; batch < j->batches; batch++) task(j, batch);
}

void situ_blocks_cholesky(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .one = one_cholesky};
    run(&j, c, address, h);
}

/* Bytes of the pivots, a panel and a copy of the matrix. */
static size_t bytes_of_lu(const situ_call_desc *c)
{
    int64_t n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    return (size_t)(8 * n + (SITU_PANEL * (n + 64) + n * n) * size);
}

void situ_blocks_solve(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .m = dim_of(c, 1, 1), .space_bytes = bytes_of_lu(c), .one = one_solve};
    run(&j, c, address, h);
}

void situ_blocks_inv(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .m = dim_of(c, 0, 1), .space_bytes = bytes_of_lu(c), .one = one_inv};
    run(&j, c, address, h);
}

void situ_blocks_solve_triangular(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .m = dim_of(c, 1, 1), .one = one_triangle};
    run(&j, c, address, h);
}

void situ_blocks_det(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .space_bytes = bytes_of_lu(c), .one = one_det};
    run(&j, c, address, h);
}

void situ_blocks_qr(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    job j = {.m = m,
        .n = n,
        .k = what_of(c) == SITU_FACTOR_FULL || m < n ? m : n,
        .space_bytes = (size_t)(m * n * size) + 64 + situ_reflected_bytes(m, n, size),
        .one = one_qr};
    run(&j, c, address, h);
}

void situ_blocks_eigh(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    job j = {.n = n, .space_bytes = (size_t)(8 * n + n * n * size + 128) + situ_symmetric_bytes(n, size), .one = one_eigh};
    run(&j, c, address, h);
}

void situ_blocks_svd(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), large = m > n ? m : n, least = m + n - large;
    int64_t size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype), full = what_of(c) == SITU_FACTOR_FULL ? large : least;
    size_t inside = situ_singular_bytes(least, size), qr = situ_reflected_bytes(large, least, size);
    job j = {.m = m, .n = n, .k = full, .one = one_svd};
    j.space_bytes =
        (size_t)(8 * least + (large * least + 2 * large * full + 2 * least * least) * size) + 512 + (inside > qr ? inside : qr);
    run(&j, c, address, h);
}
