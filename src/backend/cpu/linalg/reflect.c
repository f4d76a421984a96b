/* QR by blocks of reflections, whose product is 1 - V T V^T. The columns behind a block, and Q, are multiplied by it,
 * some columns at a time. */
#include "backend/cpu/linalg/linalg.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/scratch.h"

enum { BLOCK = SITU_REFLECTORS, PIECE = 64 /* columns */ };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* One block: reflections of `rows` rows, in the form that products read. */
typedef struct block {
    const situ_factoring *f;
    int64_t rows, count;
    const char *v, *packed; /* V^T with rows v_row apart, and V in strips of 6 rows */
    int64_t v_row;
    const char *t; /* -T or -T^T, in strips of 6 rows */
} block;

/* Prepares a block; its packed matrices stay in `space`. */
static block prepare(
    const situ_factoring *f, int64_t rows, int64_t count, const void *v, int64_t v_row, const void *t, bool transposed, char *space)
{
    char *packed = space + BLOCK * BLOCK * f->size;
    situ_gemm g = {.m = count, .k = count, .a = t, .a_row = transposed ? 1 : count, .a_column = transposed ? count : 1};
    f->products->pack_rows[f->type](&g, 0, count, space);
    f->small->negate[f->type]((count + 5) / 6 * 6 * count, space);
    g = (situ_gemm){.m = rows, .k = count, .a = v, .a_row = 1, .a_column = v_row};
    f->products->pack_rows[f->type](&g, 0, rows, packed);
    return (block){f, rows, count, v, packed, v_row, space};
}

/* n <= PIECE columns of C become (1 - V T V^T) C. */
static void apply_here(const block *b, char *c, int64_t n, int64_t c_row)
{
    const situ_factoring *f = b->f;
    int64_t size = f->size;
    size_t of_c = (size_t)(SITU_GEMM_KC * PIECE * size), of_w = (size_t)(BLOCK * PIECE * size);
    char *scratch = situ_scratch(of_c + 2 * of_w), *w = scratch + of_c, *turned = w + of_w;
    if (!scratch) {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, (int64_t)of_c, 0);
        return;
    }
    situ_gemm g = {.m = b->count, .n = n, .a_row = b->v_row, .a_column = 1, .c = w, .c_row = n, .b_row = c_row, .b_column = 1};
    for (int64_t k = 0; k < b->rows; k += SITU_GEMM_KC) { /* V^T C */
        g.k = least(SITU_GEMM_KC, b->rows - k);
        g.b = situ_element(f, c, c_row, k, 0);
        f->products->pack_columns[f->type](&g, 0, n, scratch);
        g.a = b->v + k * size;
        g.b = scratch;
        f->products->strips[f->type](&g, 6 * b->v_row, k > 0, NULL, NULL);
    }
    g = (situ_gemm){.m = b->count, .n = n, .k = b->count, .a = b->t, .b = w, .b_row = n, .b_column = 1, .c = turned, .c_row = n};
    situ_multiply_packed(f, &g, false, scratch);
    g = (situ_gemm){.m = b->rows, .n = n, .k = b->count, .a = b->packed, .b = turned, .b_row = n, .b_column = 1};
    g.c = c;
    g.c_row = c_row;
    situ_multiply_packed(f, &g, true, scratch);
}

typedef struct applying {
    block b;
    char *c;
    int64_t columns, c_row;
} applying;

static void apply_task(void *context, int64_t task)
{
    const applying *a = context;
    int64_t first = task * PIECE;
    apply_here(&a->b, a->c + first * a->b.f->size, least(PIECE, a->columns - first), a->c_row);
}

void situ_apply_reflections(const situ_factoring *f, int64_t rows, int64_t count, const void *v, int64_t v_row, const void *t,
    bool transposed, void *c, int64_t columns, int64_t c_row, char *space)
{
    applying a = {prepare(f, rows, count, v, v_row, t, transposed, space), c, columns, c_row};
    situ_host_for(f->host, apply_task, &a, (columns + PIECE - 1) / PIECE);
}

void situ_reflect_back(const situ_factoring *f, int64_t n, int64_t offset, int64_t count, const void *v, const void *t, void *c,
    int64_t columns, int64_t c_row, char *space)
{
    char *rest = space + BLOCK * BLOCK * f->size;
    for (int64_t first = (count - 1) / BLOCK * BLOCK; first >= 0; first -= BLOCK) {
        int64_t some = least(BLOCK, count - first), at = first + offset;
        char *rows = situ_element(f, v, n, first, at);
        for (int64_t k = 0; k < some; k++) situ_element_copy(f, space, k * some + k, t, first + k);
        f->small->join[f->type](n - at, some, rows, n, space);
        situ_apply_reflections(f, n - at, some, rows, n, space, false, situ_element(f, c, c_row, at, 0), columns, c_row, rest);
    }
}

double situ_factor_scale(const situ_factoring *f, int64_t n, void *a)
{
    int power;
    double most = n ? fabs(situ_element_get(f, a, f->small->largest[f->type](n, a))) : 0;
    if (!(most < INFINITY)) return NAN;
    if (most == 0 || (most > 0x1p-30 && most < 0x1p30)) return 1;
    (void)frexp(most, &power);
    double by = ldexp(1, power - 1); /* 2^1024 is not representable */
    for (int64_t i = 0; i < n; i++) situ_element_put(f, a, i, situ_element_get(f, a, i) / by);
    return by;
}

typedef struct turning {
    const situ_factoring *f;
    int64_t n, out_row;
    const char *z;
    const int64_t *position;
    void *out;
} turning;

static void turn_some(void *context, int64_t task)
{
    enum { TILE = 16 };
    const turning *t = context;
    int64_t first = task * PIECE, end = least(t->n, first + PIECE);
    for (int64_t tile = first; tile < end; tile += TILE)
        for (int64_t i = 0; i < t->n; i++)
            for (int64_t k = tile; k < least(end, tile + TILE); k++)
                situ_element_copy(t->f, t->out, i * t->out_row + k, t->z, t->position[k] * situ_padded_row(t->n) + i);
}

void situ_rows_to_columns(const situ_factoring *f, int64_t n, const char *z, const int64_t *position, void *out, int64_t out_row)
{
    turning t = {f, n, out_row, z, position, out};
    situ_host_for(f->host, turn_some, &t, (n + PIECE - 1) / PIECE);
}

/* ---- QR -------- */

/* All blocks of one factorization: V^T of the block from column i on is at v + i * m, T behind all of them. There are
 * two buffers for packed matrices: of one block, and of the next. */
typedef struct reflections {
    const situ_factoring *f;
    int64_t m, count;
    char *v, *t, *space[2];
} reflections;

static block prepare_block(const reflections *r, int64_t first, bool transposed)
{
    int64_t rows = r->m - first, size = r->f->size;
    return prepare(r->f, rows, least(BLOCK, r->count - first), r->v + first * r->m * size, rows, r->t + first * BLOCK * size,
        transposed, r->space[first / BLOCK % 2]);
}

/* While a block is applied to the columns behind the next block, the next block is updated and factored. */
typedef struct reducing {
    const reflections *r;
    int64_t n, first; /* n: columns; first: of the block */
    char *a;
    block ready, coming;
} reducing;

static block reduce_block(const reducing *s, int64_t first)
{
    const reflections *r = s->r;
    const situ_factoring *f = r->f;
    int64_t count = least(BLOCK, r->count - first), rows = r->m - first;
    char *at = situ_element(f, s->a, s->n, first, first), *v = r->v + first * r->m * f->size;
    f->small->transpose[f->type](rows, count, at, s->n, v, rows);
    f->small->reflect[f->type](rows, count, at, s->n, v, r->t + first * BLOCK * f->size);
    return prepare_block(r, first, true);
}

/* The first task updates and factors the next block. */
static void reduce_task(void *context, int64_t task)
{
    reducing *s = context;
    int64_t behind = s->first + s->ready.count, column = behind + task * PIECE;
    apply_here(&s->ready, situ_element(s->r->f, s->a, s->n, s->first, column), least(PIECE, s->n - column), s->n);
    if (!task && behind < s->r->count) s->coming = reduce_block(s, behind);
}

static void reduce(const reflections *r, int64_t n, char *a)
{
    reducing s = {.r = r, .n = n, .a = a};
    for (int64_t behind = 0; behind < r->count; s.first = behind) {
        s.ready = behind ? s.coming : reduce_block(&s, 0);
        behind += s.ready.count;
        situ_host_for(r->f->host, reduce_task, &s, (n - behind + PIECE - 1) / PIECE);
    }
}

static int64_t blocks_of(int64_t m, int64_t n) { return (least(m, n) + BLOCK - 1) / BLOCK * BLOCK; }

size_t situ_reflected_bytes(int64_t m, int64_t n, int64_t size)
{
    int64_t blocks = blocks_of(m, n);
    return (size_t)((blocks * (m + BLOCK) + 2 * (m + 5 + BLOCK) * BLOCK) * size);
}

void situ_factor_reflected(const situ_factoring *f, int64_t m, int64_t n, void *a, int64_t columns, void *q, char *space)
{
    int64_t count = least(m, n), blocks = blocks_of(m, n);
    reflections r = {.f = f, .m = m, .count = count, .v = space};
    r.t = r.v + blocks * m * f->size;
    r.space[0] = r.t + blocks * BLOCK * f->size;
    r.space[1] = r.space[0] + (m + 5 + BLOCK) * BLOCK * f->size;
    reduce(&r, n, a);
    memset(q, 0, (size_t)(m * columns * f->size));
    for (int64_t i = 0; i < least(m, columns); i++) {
        if (f->size == 4) ((float *)q)[i * columns + i] = 1;
        else ((double *)q)[i * columns + i] = 1;
    }
    for (int64_t first = (count - 1) / BLOCK * BLOCK; first >= 0 && count && columns; first -= BLOCK) {
        applying step = {prepare_block(&r, first, false), situ_element(f, q, columns, first, first), columns - first, columns};
        situ_host_for(f->host, apply_task, &step, (step.columns + PIECE - 1) / PIECE);
    }
}
