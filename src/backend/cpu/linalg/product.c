/* Subtracts a matrix product from a matrix, with packed strips as in backend/cpu/gemm. */
#include "backend/cpu/linalg/linalg.h"

#include "backend/cpu/scratch.h"

enum { TASK_ROWS = 48, PACK_STRIPS = 4 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* g restricted to its part of k from p on. */
static situ_gemm deep(const situ_factoring *f, const situ_gemm *g, int64_t p)
{
    situ_gemm part = *g;
    part.k = least(SITU_GEMM_KC, g->k - p);
    part.a = (const char *)g->a + p * g->a_column * f->size;
    part.b = (const char *)g->b + p * g->b_row * f->size;
    return part;
}

/* C += A B for B in packed strips. */
static void add_product(const situ_factoring *f, const situ_gemm *g, char *space)
{
    situ_gemm part = *g;
    if (g->a_column == 1) {
        f->products->strips[f->type](g, 6 * g->a_row, true, NULL, NULL);
        return;
    }
    part.a = space;
    part.a_row = 1;
    part.a_column = 6;
    for (int64_t i = 0; i < g->m; i += SITU_GEMM_MC) {
        situ_gemm rows = *g;
        part.m = least(SITU_GEMM_MC, g->m - i);
        part.c = situ_element(f, g->c, g->c_row, i, 0);
        f->products->pack_rows[f->type](&rows, i, part.m, space);
        f->products->strips[f->type](&part, 6 * g->k, true, NULL, NULL);
    }
}

static void pack_negated(const situ_factoring *f, const situ_gemm *g, int64_t first, int64_t n, char *to)
{
    f->products->pack_columns[f->type](g, first, n, to);
    f->small->negate[f->type](round_up(n, f->products->columns[f->type]) * g->k, to);
}

void situ_subtract_here(const situ_factoring *f, const situ_gemm *g)
{
    char *scratch = situ_scratch(SITU_GEMM_SCRATCH);
    if (!scratch) {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, (int64_t)SITU_GEMM_SCRATCH, 0);
        return;
    }
    char *space = scratch + (size_t)SITU_GEMM_NC * SITU_GEMM_KC * (size_t)f->size;
    for (int64_t p = 0; p < g->k; p += SITU_GEMM_KC) {
        situ_gemm part = deep(f, g, p);
        for (int64_t j = 0; j < g->n; j += SITU_GEMM_NC) {
            situ_gemm some = part;
            some.n = least(SITU_GEMM_NC, g->n - j);
            pack_negated(f, &part, j, some.n, scratch);
            some.b = scratch;
            some.c = situ_element(f, g->c, g->c_row, 0, j);
            add_product(f, &some, space);
        }
    }
}

/* ---- on all threads ------------------------------------------------------------------------------------------------------ */

typedef struct subtraction {
    const situ_factoring *f;
    situ_gemm g; /* of this part of k */
    bool lower;
} subtraction;

static void pack_task(void *context, int64_t task)
{
    const subtraction *s = context;
    int64_t width = PACK_STRIPS * s->f->products->columns[s->f->type], first = task * width;
    pack_negated(s->f, &s->g, first, least(width, s->g.n - first), s->f->packed + first * s->g.k * s->f->size);
}

static void subtract_task(void *context, int64_t task)
{
    const subtraction *s = context;
    situ_gemm part = s->g;
    int64_t i = ((s->g.m + TASK_ROWS - 1) / TASK_ROWS - 1 - task) * TASK_ROWS; /* the longest rows first */
    part.m = least(TASK_ROWS, s->g.m - i);
    if (s->lower) part.n = least(s->g.n, round_up(i + part.m, s->f->products->columns[s->f->type]));
    part.a = situ_element(s->f, s->g.a, s->g.a_row, i, 0);
    part.b = s->f->packed;
    part.c = situ_element(s->f, s->g.c, s->g.c_row, i, 0);
    char *space = part.a_column == 1 ? NULL : situ_scratch(SITU_GEMM_SCRATCH);
    if (space || part.a_column == 1) add_product(s->f, &part, space);
    else situ_fault_set(s->f->host->fault, SITU_NO_MEMORY, (int64_t)SITU_GEMM_SCRATCH, 0);
}

void situ_subtract(const situ_factoring *f, const situ_gemm *g, bool lower)
{
    subtraction s = {.f = f, .lower = lower};
    for (int64_t p = 0; p < g->k; p += SITU_GEMM_KC) {
        int64_t width = PACK_STRIPS * f->products->columns[f->type];
        s.g = deep(f, g, p);
        situ_host_for(f->host, pack_task, &s, (g->n + width - 1) / width);
        situ_host_for(f->host, subtract_task, &s, (g->m + TASK_ROWS - 1) / TASK_ROWS);
    }
}

void situ_multiply_packed(const situ_factoring *f, const situ_gemm *g, bool add, void *space)
{
    situ_gemm part = *g;
    f->products->pack_columns[f->type](g, 0, g->n, space);
    part.b = space;
    part.a_row = 1;
    part.a_column = 6;
    f->products->strips[f->type](&part, 6 * g->k, add, NULL, NULL);
}
