/* Factorizations as calls: which ones are large enough, batches, memory. */
#include "backend/cpu/linalg/linalg.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/pool.h"
#include "op/attr.h"
#include "op/linalg.h"
#include "tensor/dtype.h"

enum { LEAST = 48 /* rows and columns; fewer are factored in f64 (op/linalg.c) */ };

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
    situ_host host; /* of one matrix */
    int64_t m, n, k, batches;
    size_t room; /* bytes for one matrix, behind what is packed */
    void (*one)(const struct job *j, const situ_factoring *f, int64_t batch, char *room);
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

static void one_cholesky(const job *j, const situ_factoring *f, int64_t batch, char *room)
{
    int64_t n = j->n, count = n * n;
    char *a = part_of(j, 0, batch, count);
    (void)room;
    memcpy(a, part_of(j, 1, batch, count), (size_t)(count * f->size));
    if (!situ_factor_lower(f, n, a)) {
        situ_fault_set(j->host.fault, SITU_SINGULAR, batch, 0);
        fill_nan(f, a, count);
    }
    for (int64_t i = 0; i < n; i++) memset(a + (i * n + i + 1) * f->size, 0, (size_t)((n - i - 1) * f->size));
}

/* Is a lower (upper) triangular? One that is needs no factors, and none of its rows changes places. */
static bool is_triangle(const situ_factoring *f, int64_t n, const char *a, bool upper)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = upper ? 0 : i + 1; k < (upper ? i : n); k++)
            if (f->size == 4 ? ((const float *)(const void *)a)[i * n + k] != 0 : ((const double *)(const void *)a)[i * n + k] != 0)
                return false;
    return true;
}

static bool has_zero(const situ_factoring *f, int64_t n, const char *a)
{
    for (int64_t i = 0; i < n; i++)
        if (f->size == 4 ? ((const float *)(const void *)a)[i * n + i] == 0 : ((const double *)(const void *)a)[i * n + i] == 0)
            return true;
    return false;
}

static void one_solve(const job *j, const situ_factoring *f, int64_t batch, char *room)
{
    int64_t n = j->n, m = j->m, *pivot = (int64_t *)(void *)room;
    char *a = part_of(j, 1, batch, n * n), *b = part_of(j, 0, batch, n * m), *p = room + 8 * n,
         *copy = p + SITU_PANEL * (n + 64) * f->size;
    bool singular, lower = is_triangle(f, n, a, false), upper = !lower && is_triangle(f, n, a, true);
    memcpy(b, part_of(j, 2, batch, n * m), (size_t)(n * m * f->size));
    if (lower || upper) {
        singular = has_zero(f, n, a);
    } else {
        memcpy(copy, a, (size_t)(n * n * f->size));
        a = copy;
        singular = situ_factor_lu(f, n, a, pivot, p) != 0;
        f->small->swap[f->type](n, pivot, m, b, m);
    }
    situ_triangle down = {.at = a, .row = n, .column = 1, .unit = !lower}, up = {.at = a, .row = n, .column = 1, .upper = true};
    if (singular) {
        situ_fault_set(j->host.fault, SITU_SINGULAR, batch, 0);
        fill_nan(f, b, n * m);
        return;
    }
    if (!upper) situ_solve_left(f, n, &down, m, b, m);
    if (!lower) situ_solve_left(f, n, &up, m, b, m);
}

static void put(situ_dtype dtype, char *to, double x)
{
    if (dtype == SITU_F32) *(float *)(void *)to = (float)x;
    else *(double *)(void *)to = x;
}

static void one_det(const job *j, const situ_factoring *f, int64_t batch, char *room)
{
    int64_t n = j->n, *pivot = (int64_t *)(void *)room;
    char *p = room + 8 * n, *a = p + SITU_PANEL * (n + 64) * f->size;
    double product = 1, phase = 1, logarithm = 0;
    memcpy(a, part_of(j, 1, batch, n * n), (size_t)(n * n * f->size));
    (void)situ_factor_lu(f, n, a, pivot, p);
    for (int64_t i = 0; i < n; i++) {
        double d = f->size == 4 ? ((const float *)(void *)a)[i * n + i] : ((const double *)(void *)a)[i * n + i], size = fabs(d);
        if (pivot[i] != i) product = -product, phase = -phase;
        product *= d;
        phase = size > 0 ? phase * (d / size) : size == 0 ? 0 : NAN;
        logarithm += log(size);
    }
    int what = what_of(j->call);
    put((situ_dtype)j->call->out.dtype, part_of(j, 0, batch, 1),
        what == SITU_DET_LOGARITHM ? logarithm :
            what == SITU_DET_PHASE ? phase :
                                     product);
}

/* Packed: Q (m by k or m), then R. */
static void one_qr(const job *j, const situ_factoring *f, int64_t batch, char *a)
{
    int64_t m = j->m, n = j->n, k = j->k;
    char *q = part_of(j, 0, batch, m * k + k * n), *r = q + m * k * f->size;
    memcpy(a, part_of(j, 1, batch, m * n), (size_t)(m * n * f->size));
    situ_factor_reflected(f, m, n, a, k, q, a + (m * n * f->size + 63) / 64 * 64);
    memset(r, 0, (size_t)(k * n * f->size));
    for (int64_t i = 0; i < k && i < n; i++)
        memcpy(r + (i * n + i) * f->size, a + (i * n + i) * f->size, (size_t)((n - i) * f->size));
}

/* Packed by rows: the eigenvectors as columns, then one column of eigenvalues. */
static void one_eigh(const job *j, const situ_factoring *f, int64_t batch, char *room)
{
    int64_t n = j->n;
    bool vectors = what_of(j->call) != SITU_FACTOR_VALUES;
    double *w = (double *)(void *)room;
    char *a = room + (8 * n + 63) / 64 * 64, *rest = a + (n * n * f->size + 63) / 64 * 64;
    char *out = part_of(j, 0, batch, vectors ? n * (n + 1) : n);
    memcpy(a, part_of(j, 1, batch, n * n), (size_t)(n * n * f->size));
    situ_factor_symmetric(f, n, a, w, vectors ? out : NULL, rest);
    for (int64_t i = 0; i < n && !vectors; i++) put((situ_dtype)j->call->out.dtype, out + i * f->size, w[i]);
}

/* ---- running --------------------------------------------------------------------------------------------------------------- */

/* The thread's own block where that is not kept for one large matrix; its tasks have the beginning of it. */
static void task(void *context, int64_t batch)
{
    enum { MOST_KEPT = 16 << 20 };
    const job *j = context;
    situ_factoring f = j->f;
    int64_t wide = 128 + (j->m > j->n ? j->m : j->n);
    size_t packed = (size_t)(SITU_GEMM_KC * wide * f.size), bytes = packed + j->room;
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

/* Matrices side by side where there are enough of them for all threads, else each on all threads. */
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

/* Pivots, a panel and a copy of the matrix. */
static size_t room_of_lu(const situ_call_desc *c)
{
    int64_t n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    return (size_t)(8 * n + (SITU_PANEL * (n + 64) + n * n) * size);
}

void situ_blocks_solve(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .m = dim_of(c, 1, 1), .room = room_of_lu(c), .one = one_solve};
    run(&j, c, address, h);
}

void situ_blocks_det(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    job j = {.n = dim_of(c, 0, 1), .room = room_of_lu(c), .one = one_det};
    run(&j, c, address, h);
}

void situ_blocks_qr(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t m = dim_of(c, 0, 2), n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    job j = {.m = m,
        .n = n,
        .k = what_of(c) == SITU_FACTOR_FULL || m < n ? m : n,
        .room = (size_t)(m * n * size) + 64 + situ_reflected_room(m, n, size),
        .one = one_qr};
    run(&j, c, address, h);
}

void situ_blocks_eigh(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    int64_t n = dim_of(c, 0, 1), size = (int64_t)situ_dtype_size((situ_dtype)c->in[0].dtype);
    job j = {.n = n, .room = (size_t)(8 * n + n * n * size + 128) + situ_symmetric_room(n, size), .one = one_eigh};
    run(&j, c, address, h);
}
