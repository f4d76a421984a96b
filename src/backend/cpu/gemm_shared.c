/* A large product by own kernels. B is packed once, by all threads, into strips that the L1 cache holds; A is read where it
 * lies if its rows are contiguous, else packed too. Results are one chain of multiply-adds per SITU_GEMM_KC of k, added up
 * in order: the panels that tasks take change no bit. */
#include "backend/cpu/gemm.h"
#include "backend/cpu/scratch.h"

enum { PACK_STRIPS = 8, CHUNK_DEPTH = 8192 };
static const double task_work = 8e6;                   /* multiply-adds */
static const int64_t most_packed = 8 << 20;            /* elements of B, and of A, that are packed at a time */

typedef struct shared {
    const situ_gemm_kernels *kernels;
    int type;
    int64_t size, columns;
    situ_gemm g;                                       /* of this chunk */
    char *b, *a;                                       /* packed; a NULL: not */
    int64_t blocks;                                    /* of k */
    int64_t column_packs, row_packs;                   /* tasks of packing, for each block of k */
    int64_t task_rows, task_columns, grid_columns;
    bool add;
} shared;

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

/* g's part at block `block` of k. */
static situ_gemm block_of(const shared *s, int64_t block)
{
    situ_gemm g = s->g;
    int64_t k = block * SITU_GEMM_KC;
    g.k = least(SITU_GEMM_KC, s->g.k - k);
    g.a = (const char *)g.a + k * g.a_column * s->size;
    g.b = (const char *)g.b + k * g.b_row * s->size;
    return g;
}

/* Where the packed strips of a block begin: all columns (rows), then the next block. */
static char *packed_b(const shared *s, int64_t block) { return s->b + block * SITU_GEMM_KC * round_up(s->g.n, s->columns) * s->size; }
static char *packed_a(const shared *s, int64_t block) { return s->a + block * SITU_GEMM_KC * round_up(s->g.m, 6) * s->size; }

static void pack_task(void *context, int64_t task)
{
    const shared *s = context;
    int64_t each = s->column_packs + s->row_packs, block = task / each, i = task % each;
    situ_gemm g = block_of(s, block);
    if (i < s->column_packs) {
        int64_t width = PACK_STRIPS * s->columns, first = i * width;
        s->kernels->pack_columns[s->type](&g, first, least(width, g.n - first), packed_b(s, block) + first * g.k * s->size);
    } else {
        int64_t width = PACK_STRIPS * 6, first = (i - s->column_packs) * width;
        s->kernels->pack_rows[s->type](&g, first, least(width, g.m - first), packed_a(s, block) + first * g.k * s->size);
    }
}

static void multiply_task(void *context, int64_t task)
{
    const shared *s = context;
    int64_t i = task / s->grid_columns * s->task_rows, j = task % s->grid_columns * s->task_columns;
    for (int64_t block = 0; block < s->blocks; block++) {
        situ_gemm g = block_of(s, block);
        int64_t step = 6 * g.a_row;
        g.b = packed_b(s, block) + j * g.k * s->size;
        if (s->a) {
            g.a = packed_a(s, block) + i * g.k * s->size;
            g.a_row = 1;
            g.a_column = 6;
            step = 6 * g.k;
        } else {
            g.a = (const char *)g.a + i * g.a_row * s->size;
        }
        g.c = (char *)g.c + (i * g.c_row + j) * s->size;
        g.m = least(s->task_rows, g.m - i);
        g.n = least(s->task_columns, g.n - j);
        s->kernels->strips[s->type](&g, step, s->add || block);
    }
}

/* Panels of about the same work, rows in multiples of 6, columns in multiples of a strip. */
static void cut(shared *s)
{
    double work = (double)s->g.m * (double)s->g.n * (double)s->g.k;
    int64_t wanted = work / task_work < 1 ? 1 : work / task_work > 256 ? 256 : (int64_t)(work / task_work), rows = 1, columns = 1;
    while (rows * columns < wanted) {
        bool more_rows = parts(s->g.m, rows * 2) >= 48, more_columns = parts(s->g.n, columns * 2) >= 4 * s->columns;
        if (!more_rows && !more_columns) break;
        if (more_rows && (!more_columns || s->g.m / rows >= s->g.n / columns)) rows *= 2;
        else columns *= 2;
    }
    s->task_rows = round_up(parts(s->g.m, rows), 6);
    s->task_columns = round_up(parts(s->g.n, columns), s->columns);
    s->grid_columns = parts(s->g.n, s->task_columns);
    s->blocks = parts(s->g.k, SITU_GEMM_KC);
    s->column_packs = parts(s->g.n, PACK_STRIPS * s->columns);
    s->row_packs = s->a ? parts(s->g.m, PACK_STRIPS * 6) : 0;
}

bool situ_gemm_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, const situ_host *h)
{
    shared s = {.kernels = kernels, .type = type, .size = type == SITU_GEMM_F32 ? 4 : 8, .columns = kernels->columns[type]};
    int64_t depth = least(g->k, CHUNK_DEPTH), width = least(round_up(g->n, s.columns), round_up(most_packed / depth, s.columns));
    bool pack_a = g->a_column != 1;
    int64_t height = pack_a ? least(round_up(g->m, 6), round_up(most_packed / depth, 6)) : g->m;
    char *scratch = situ_scratch((size_t)((width + (pack_a ? height : 0)) * depth * s.size + 128));
    if (!scratch) {
        situ_fault_set(h->fault, SITU_NO_MEMORY, (width + height) * depth * s.size, 0);
        return false;
    }
    s.b = scratch;
    s.a = pack_a ? scratch + round_up(width * depth * s.size, 64) : NULL;
    for (int64_t k = 0; k < g->k; k += depth)
        for (int64_t j = 0; j < g->n; j += width)
            for (int64_t i = 0; i < g->m; i += height) {
                s.g = *g;
                s.g.a = (const char *)g->a + (i * g->a_row + k * g->a_column) * s.size;
                s.g.b = (const char *)g->b + (k * g->b_row + j * g->b_column) * s.size;
                s.g.c = (char *)g->c + (i * g->c_row + j) * s.size;
                s.g.m = least(height, g->m - i);
                s.g.n = least(width, g->n - j);
                s.g.k = least(depth, g->k - k);
                s.add = k > 0;
                cut(&s);
                situ_host_for(h, pack_task, &s, s.blocks * (s.column_packs + s.row_packs));
                situ_host_for(h, multiply_task, &s, parts(s.g.m, s.task_rows) * s.grid_columns);
            }
    return true;
}
