/* A large product by own kernels, cut along its longer side, or into tiles where both sides are long. What every task needs
 * of the shorter side's operand (of B, for tiles) is packed once, by all threads; its own part of the other one a task packs
 * itself, block by block: as its first tiles read it, or before where that takes turning. While it multiplies it asks for the
 * next block, or for what the next task begins with. A may be read where it lies if its rows are contiguous; with as many rows
 * as columns nothing needs to be packed before if columns are cut. Results are one chain of multiply-adds per SITU_GEMM_KC of k,
 * added up in order: how tasks are cut changes no bit. */
#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/scratch.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

enum {
    PACK_STRIPS = 8,
    PACK_COLUMNS = 128, /* of a task of packing: strips of rows, columns             */
    FEWEST_STRIPS = 16, /* of a task, where that is enough for the threads           */
    MOST_PART = 480,    /* rows or columns of a task                                 */
    TILE_ROWS = 192,
    LEAST_TILE = 256, /* of a task where both sides are long; columns              */
    TASKS = 2,        /* for each thread                                           */
    EIGHTHS = 8,
    TAIL = 4, /* pieces of a last task: a half, a quarter, two eighths     */
    CHUNK_DEPTH = 8192,
    WIDE = 512,
    LARGE = 768,
    MOST_PACKED_ROWS = 128 /* of products that are worth a packed B before */
};
static const double task_work = 16e6, less_work = 4e6,
                    least_work = 1e6;       /* multiply-adds of a task; where that makes few, or too few, for the threads */
static const int64_t most_packed = 8 << 20; /* elements of B, and of A, that are packed at a time */

typedef struct shared {
    const situ_gemm_kernels *kernels;
    int type;
    int64_t size, columns, tile; /* columns of a strip, of a task where both sides are long */
    int64_t threads;
    situ_gemm g;                /* of this chunk */
    bool pack_a, by_rows, both; /* by_rows: B is for all tasks, else A is; both: tiles */
    char *b, *a;                /* packed for all; NULL: not */
    int64_t task_bytes;
    int64_t blocks;                  /* of k */
    int64_t column_packs, row_packs; /* tasks of packing, for each block of k */
    int64_t row_tasks, column_tasks; /* a task's share: strips / tasks strips of 6 rows, of `columns` columns */
    bool tails;                      /* the last task of each thread is done in pieces */
    int64_t shared_columns;          /* the rest of n is cut by rows: each task takes some of it, too */
    bool add;
} shared;

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
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
static char *packed_b(const shared *s, int64_t block)
{
    return s->b + block * SITU_GEMM_KC * round_up(s->g.n, s->columns) * s->size;
}
static char *packed_a(const shared *s, int64_t block) { return s->a + block * SITU_GEMM_KC * round_up(s->g.m, 6) * s->size; }

static void pack_task(void *context, int64_t task)
{
    const shared *s = context;
    int64_t each = s->column_packs + s->row_packs, block = task / each, i = task % each;
    situ_gemm g = block_of(s, block);
    if (i < s->column_packs) {
        int64_t width = PACK_COLUMNS, first = i * width;
        s->kernels->pack_columns[s->type](&g, first, least(width, g.n - first), packed_b(s, block) + first * g.k * s->size);
    } else {
        int64_t width = PACK_STRIPS * 6, first = (i - s->column_packs) * width;
        s->kernels->pack_rows[s->type](&g, first, least(width, g.m - first), packed_a(s, block) + first * g.k * s->size);
    }
}

/* Points g at rows of A: where they lie, packed by all tasks, packed here, or to be packed as they are read. */
static int64_t take_rows(const shared *s, situ_gemm *g, int64_t block, int64_t first, char *scratch, situ_gemm_packs *packs)
{
    g->a = (const char *)g->a + first * g->a_row * s->size;
    if (!s->pack_a) return 6 * g->a_row;
    if (!s->a && g->a_row == 1) {
        packs->a = scratch;
        return 6;
    }
    if (s->a) { /* by all tasks */
        g->a = packed_a(s, block) + first * g->k * s->size;
    } else {
        s->kernels->pack_rows[s->type](g, 0, g->m, scratch);
        g->a = scratch;
    }
    g->a_row = 1;
    g->a_column = 6;
    return 6 * g->k;
}

static void take_columns(const shared *s, situ_gemm *g, int64_t block, int64_t first, char *scratch, situ_gemm_packs *packs)
{
    if (s->b) {
        g->b = packed_b(s, block) + first * g->k * s->size;
    } else if (g->b_column == 1) {
        g->b = (const char *)g->b + first * s->size;
        packs->b = scratch;
    } else {
        s->kernels->pack_columns[s->type](g, first, g->n, scratch);
        g->b = scratch;
    }
}

/* Are tasks cut along the rows, with all of B packed before? */
static bool cuts_rows(const shared *s) { return s->by_rows || s->both; }

/* A task, or eighths of one. */
typedef struct piece {
    int64_t task, from, to;
} piece;

/* Which one has this number. */
static piece piece_of(const shared *s, int64_t number)
{
    static const int cut[TAIL + 1] = {0, 4, 6, 7, EIGHTHS};
    if (!s->tails) return (piece){number, 0, EIGHTHS};
    int64_t each = s->row_tasks * s->column_tasks / s->threads, all = each - 1 + TAIL, thread = number / all, at = number % all;
    if (at < each - 1) return (piece){thread * each + at, 0, EIGHTHS};
    at -= each - 1;
    return (piece){thread * each + each - 1, cut[at], cut[at + 1]};
}

static int64_t pieces(const shared *s) { return s->row_tasks * s->column_tasks + (s->tails ? (TAIL - 1) * s->threads : 0); }

/* Where task `at` of `tasks`, of its eighths those from `from` to `to`, begins in n rows or columns, which stay together by `unit`;
 * *have: how many are its own. */
static int64_t share(int64_t at, int64_t tasks, int64_t from, int64_t to, int64_t n, int64_t unit, int64_t *have)
{
    int64_t strips = parts(n, unit), all = tasks * EIGHTHS;
    int64_t first = (at * EIGHTHS + from) * strips / all * unit, end = (at * EIGHTHS + to) * strips / all * unit;
    *have = least(end, n) - first;
    return first;
}

/* What piece `number` multiplies: its part of C, which begins at row *i and column *j. */
static situ_gemm part_of(const shared *s, int64_t number, int64_t *i, int64_t *j)
{
    situ_gemm part = s->g;
    piece p = piece_of(s, number);
    bool rows = cuts_rows(s);
    *i = share(p.task % s->row_tasks, s->row_tasks, rows ? p.from : 0, rows ? p.to : EIGHTHS, s->g.m, 6, &part.m);
    *j = share(
        p.task / s->row_tasks, s->column_tasks, rows ? 0 : p.from, rows ? EIGHTHS : p.to, s->shared_columns, s->columns, &part.n);
    part.c = (char *)s->g.c + (*i * s->g.c_row + *j) * s->size;
    return part;
}

/* Its part of the columns that are left over: a task's first piece has all of that, the others nothing. */
static situ_gemm rest_of(const shared *s, int64_t number, int64_t *i)
{
    situ_gemm part = s->g;
    piece p = piece_of(s, number);
    *i = share(p.task, s->column_tasks, 0, p.from ? 0 : EIGHTHS, s->g.m, 6, &part.m);
    part.n = s->g.n - s->shared_columns;
    part.c = (char *)s->g.c + (*i * s->g.c_row + s->shared_columns) * s->size;
    return part;
}

/* Where the rows of A, or the columns of B, that a task alone reads lie in a block: those of the part that begins at row i and
 * column j. */
static situ_gemm_ahead own_operand(const shared *s, const situ_gemm *part, int64_t block, int64_t i, int64_t j)
{
    situ_gemm g = block_of(s, block);
    const char *at = s->b ? (const char *)g.a + i * g.a_row * s->size : (const char *)g.b + j * g.b_column * s->size;
    int64_t along = s->b ? g.a_column : g.b_row, across = s->b ? g.a_row : g.b_column, n = s->b ? part->m : part->n;
    if (along == 1) return (situ_gemm_ahead){at, across * s->size, n, g.k * s->size};
    return (situ_gemm_ahead){at, along * s->size, g.k, n * s->size};
}

/* Threads take tasks in order, from a share of their own: does the same one take the next? */
static bool takes_next(const shared *s, int64_t task)
{
    int64_t tasks = pieces(s), end = parts((task + 1) * s->threads, tasks) * tasks / s->threads;
    return end != task + 1;
}

/* What is wanted once block `block` of a task is done: its next one, or the first of the next task. */
static situ_gemm_ahead wanted_next(const shared *s, int64_t task, int64_t block)
{
    int64_t i, j;
    if (s->b && !cuts_rows(s)) return (situ_gemm_ahead){0}; /* both operands are there, packed */
    if (block + 1 == s->blocks && !takes_next(s, task)) return (situ_gemm_ahead){0};
    situ_gemm part = part_of(s, block + 1 < s->blocks ? task : task + 1, &i, &j);
    return own_operand(s, &part, block + 1 < s->blocks ? block + 1 : 0, i, j);
}

/* The part that begins at row i and column j; with what `task` needs then asked for, or nothing if that is -1. */
static void multiply_part(const shared *s, const situ_gemm *part, int64_t i, int64_t j, char *scratch, int64_t task)
{
    for (int64_t block = 0; block < s->blocks; block++) {
        situ_gemm g = block_of(s, block);
        g.m = part->m;
        g.n = part->n;
        g.c = part->c;
        situ_gemm_packs packs = {0};
        int64_t step = take_rows(s, &g, block, i, scratch, &packs);
        take_columns(s, &g, block, j, scratch, &packs);
        situ_gemm_ahead ahead = task < 0 ? (situ_gemm_ahead){0} : wanted_next(s, task, block);
        s->kernels->strips[s->type](&g, step, s->add || block, &packs, ahead.at ? &ahead : NULL);
    }
}

/* Where there is no memory to pack in: the same sums, operands read where they lie. */
#define PLAINLY(T, FMA) \
    static void plainly_##T(const situ_gemm *g, bool add) \
    { \
        for (int64_t i = 0; i < g->m; i++) \
            for (int64_t j = 0; j < g->n; j++) { \
                const T *a = (const T *)g->a + i * g->a_row, *b = (const T *)g->b + j * g->b_column; \
                T *c = (T *)g->c + i * g->c_row + j, sum = 0; \
                for (int64_t k = 0; k < g->k; k++) sum = FMA(a[k * g->a_column], b[k * g->b_row], sum); \
                *c = add ? *c + sum : sum; \
            } \
    }
PLAINLY(float, fmaf)
PLAINLY(double, fma)

static void multiply_plainly(const shared *s, const situ_gemm *part, int64_t i, int64_t j)
{
    for (int64_t block = 0; block < s->blocks; block++) {
        situ_gemm g = block_of(s, block);
        g.m = part->m, g.n = part->n, g.c = part->c;
        g.a = (const char *)g.a + i * g.a_row * s->size;
        g.b = (const char *)g.b + j * g.b_column * s->size;
        (s->type == SITU_GEMM_F32 ? plainly_float : plainly_double)(&g, s->add || block);
    }
}

static void multiply_task(void *context, int64_t task)
{
    const shared *s = context;
    char *scratch = situ_scratch((size_t)s->task_bytes);
    int64_t i, j;
    situ_gemm part = part_of(s, task, &i, &j);
    if (scratch) multiply_part(s, &part, i, j, scratch, task);
    else multiply_plainly(s, &part, i, j);
    if (s->shared_columns == s->g.n) return;
    part = rest_of(s, task, &i);
    if (!part.m) return;
    if (scratch) multiply_part(s, &part, i, s->shared_columns, scratch, -1);
    else multiply_plainly(s, &part, i, s->shared_columns);
}

/* Tasks of the same work, but for a strip, along the longer side, as many for each thread: they end at about the same time. */
static int64_t cut_strips(const shared *s, int64_t strips, int64_t unit)
{
    double work = (double)s->g.m * (double)s->g.n * (double)s->g.k;
    int64_t wanted = most((int64_t)(work / task_work), least((int64_t)(work / less_work), TASKS * s->threads));
    wanted = most(wanted, least((int64_t)(work / least_work), s->threads));
    int64_t tasks = least(round_up(wanted, s->threads), strips / FEWEST_STRIPS), fewest = parts(strips, MOST_PART / unit);
    if (tasks < s->threads) tasks = least(most(wanted, 1), least(strips, s->threads));
    if (tasks < fewest) return least(round_up(fewest, s->threads), strips);
    return tasks > s->threads ? most(tasks / s->threads * s->threads, fewest) : tasks;
}

/* Columns of whole strips, as many for each thread, where that makes the longest share shorter: what is left over of n they cut by
 * its rows. */
static int64_t even_columns(const shared *s, int64_t tasks)
{
    int64_t threads = s->threads, m = s->g.m, columns = s->g.n / (threads * s->columns) * (threads * s->columns),
            left = s->g.n - columns;
    if (!columns || tasks % threads || left > MOST_PART) return s->g.n;
    int64_t rows = parts(parts(m, 6), tasks) * 6 * (tasks / threads),
            longest = parts(parts(s->g.n, s->columns), threads) * s->columns * m;
    return columns / threads * m + left * rows < longest ? columns : s->g.n;
}

/* Where others use the machine too, threads are not equally fast: who is done first finds something small to take over. */
static bool has_tails(const shared *s)
{
    int64_t tasks = s->row_tasks * s->column_tasks;
    int64_t strips = cuts_rows(s) ? parts(s->g.m, 6) / s->row_tasks : parts(s->shared_columns, s->columns) / s->column_tasks;
    double work = (double)s->g.m * (double)s->g.n * (double)s->g.k / (double)tasks;
    return s->threads > 1 && tasks % s->threads == 0 && strips >= EIGHTHS && work >= least_work;
}

static void cut(shared *s)
{
    int64_t unit = s->by_rows ? 6 : s->columns, strips = parts(s->by_rows ? s->g.m : s->g.n, unit);
    int64_t tasks = cut_strips(s, strips, unit);
    s->row_tasks = s->both ? parts(s->g.m, TILE_ROWS) : s->by_rows ? tasks : 1;
    s->column_tasks = s->both ? parts(s->g.n, s->tile) : s->by_rows ? 1 : tasks;
    s->shared_columns = cuts_rows(s) ? s->g.n : even_columns(s, tasks);
    s->blocks = parts(s->g.k, SITU_GEMM_KC);
    s->column_packs = cuts_rows(s) ? parts(s->g.n, PACK_COLUMNS) : 0;
    s->row_packs = s->a ? parts(s->g.m, PACK_STRIPS * 6) : 0;
    s->tails = has_tails(s);
}

static void run(shared *s, const situ_host *h)
{
    cut(s);
    if (s->column_packs + s->row_packs) situ_host_for(h, pack_task, s, s->blocks * (s->column_packs + s->row_packs));
    situ_host_for(h, multiply_task, s, pieces(s));
}

/* As wide as the kernels like it, if that makes tasks enough. */
static int64_t tile_columns(const shared *s, const situ_gemm *g)
{
    int64_t tile = s->kernels->tile[s->type];
    while (tile > LEAST_TILE && parts(g->m, TILE_ROWS) * parts(g->n, tile) < 2 * TASKS * s->threads) tile /= 2;
    return tile;
}

/* Rows of A some KiB apart share their places in the caches; where each is read often it is packed too. */
static bool is_worth_packing(const situ_gemm *g, int64_t size)
{
    if (g->a_column != 1) return true;
    return g->n >= WIDE || (g->a_row * size % 1024 == 0 && g->n >= WIDE / 4);
}

static shared shared_of(const situ_gemm_kernels *kernels, int type)
{
    return (shared){.kernels = kernels, .type = type, .size = type == SITU_GEMM_F32 ? 4 : 8, .columns = kernels->columns[type]};
}

void situ_gemm_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, const char *packed, const situ_host *h)
{
    shared s = shared_of(kernels, type);
    s.threads = h->parallel ? (int64_t)situ_pool_width() : 1;
    s.pack_a = is_worth_packing(g, s.size);
    s.by_rows = g->m > g->n || (g->m == g->n && (s.pack_a || parts(g->n, s.columns) < s.threads));
    s.both = s.pack_a && g->m >= LARGE && g->n >= LARGE && g->k >= LARGE;
    int64_t depth = least(g->k, CHUNK_DEPTH), across = most_packed / depth;
    int64_t width = cuts_rows(&s) ? least(round_up(g->n, s.columns), round_up(across, s.columns)) : g->n;
    bool all_b = cuts_rows(&s), all_a = s.pack_a && !all_b;
    int64_t height = all_a ? least(round_up(g->m, 6), round_up(across, 6)) : g->m;
    s.tile = tile_columns(&s, g);
    s.task_bytes = (int64_t)MOST_PART * SITU_GEMM_KC * s.size + 64;
    int64_t b_bytes = all_b ? situ_room_up(width * depth * s.size) : 0,
            bytes = b_bytes + (all_a ? height * depth * s.size : 0) + 64;
    char *scratch = situ_scratch((size_t)(s.task_bytes + bytes));
    if (!scratch) { /* updates of variables may come before a product (slot `sure`): it does not fail */
        s.g = *g;
        s.blocks = parts(g->k, SITU_GEMM_KC);
        multiply_plainly(&s, g, 0, 0);
        return;
    }
    s.b = all_b ? scratch + s.task_bytes : (char *)(uintptr_t)packed;
    s.a = all_a ? scratch + s.task_bytes + b_bytes : NULL;
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
                run(&s, h);
            }
}

/* Few rows read B for packing nearly as often as for multiplying. More rows than columns are cut by rows, and chunks of B or of
 * its depth are packed one after another: not here. */
int64_t situ_gemm_packed_size(const situ_gemm_kernels *kernels, int type, const situ_gemm *g)
{
    int64_t size = g->k * round_up(g->n, kernels->columns[type]);
    return g->m < g->n && g->m <= MOST_PACKED_ROWS && g->k <= CHUNK_DEPTH && size <= most_packed ? size : 0;
}

void situ_gemm_pack_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, char *to, const situ_host *h)
{
    shared s = shared_of(kernels, type);
    s.g = *g;
    s.b = to;
    s.blocks = parts(g->k, SITU_GEMM_KC);
    s.column_packs = parts(g->n, PACK_COLUMNS);
    situ_host_for(h, pack_task, &s, s.blocks * s.column_packs);
}
