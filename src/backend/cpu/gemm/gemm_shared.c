/* A large product by our own kernels, divided along its longer side, or into tiles if both sides are long.
 * The operand that all tasks read (the shorter side's; B for tiles) is packed once, by all threads. A task packs its
 * own part of the other operand block by block: while its first tiles read it, or beforehand if it must be transposed.
 * While multiplying, it prefetches its next block, or the first block of the next task. A is not packed if its rows are
 * contiguous. If C is square and columns are divided, nothing is packed beforehand.
 * Results are chains of multiply-adds over SITU_GEMM_KC elements of k, added up in order, so that the division into
 * tasks changes no bit. */
#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/scratch.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

enum {
    PACK_STRIPS = 8,
    PACK_COLUMNS = 128, /* strips of rows, and columns, of a packing task */
    FEWEST_STRIPS = 16, /* strips of a task, if that gives enough tasks for the threads */
    MOST_PART = 480,    /* rows or columns of a task */
    TILE_ROWS = 192,
    LEAST_TILE = 256, /* columns of a task if both sides are long */
    TASKS = 2,        /* for each thread */
    EIGHTHS = 8,
    TAIL = 4, /* a thread's last task is done in four pieces: a half, a quarter, two eighths */
    CHUNK_DEPTH = 8192,
    WIDE = 512,
    LARGE = 768,
    MOST_PACKED_ROWS = 128 /* more rows do not need B packed beforehand */
};
static const double task_work = 16e6, less_work = 4e6,
                    least_work = 1e6;       /* multiply-adds of a task; smaller ones if there would be few tasks, or
                                             * fewer than threads */
static const int64_t most_packed = 8 << 20; /* elements of B, and of A, that are packed at a time */

typedef struct shared {
    const situ_gemm_kernels *kernels;
    int type;
    int64_t size, columns, tile; /* columns of a strip; columns of a task if both sides are long */
    int64_t threads;
    situ_gemm g;                /* of this chunk */
    bool pack_a, by_rows, both; /* by_rows: B is shared by all tasks, else A is; both: tasks are tiles */
    char *b, *a;                /* packed for all tasks; NULL: not packed */
    int64_t task_bytes;
    int64_t blocks;                  /* of k */
    int64_t column_packs, row_packs; /* packing tasks for each block of k */
    int64_t row_tasks, column_tasks; /* tasks that divide the strips of 6 rows, and the strips of `columns` columns */
    bool tails;                      /* the last task of each thread is done in pieces */
    int64_t shared_columns;          /* columns that tasks divide by columns; the remaining ones are divided by rows,
                                      * and each task takes some */
    bool add;
} shared;

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

/* The operands of block number `block` of k. */
static situ_gemm block_of(const shared *s, int64_t block)
{
    situ_gemm g = s->g;
    int64_t k = block * SITU_GEMM_KC;
    g.k = least(SITU_GEMM_KC, s->g.k - k);
    g.a = (const char *)g.a + k * g.a_column * s->size;
    g.b = (const char *)g.b + k * g.b_row * s->size;
    return g;
}

/* Where the packed strips of a block begin. A block has all columns (rows); the next block follows. */
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

/* Points g at its rows of A: in place, packed by all tasks, packed here, or to be packed while they are read. */
static int64_t locate_rows(const shared *s, situ_gemm *g, int64_t block, int64_t first, char *scratch, situ_gemm_packs *packs)
{
    g->a = (const char *)g->a + first * g->a_row * s->size;
    if (!s->pack_a) return 6 * g->a_row;
    if (!s->a && g->a_row == 1) {
        packs->a = scratch;
        return 6;
    }
    if (s->a) { /* packed by all tasks */
        g->a = packed_a(s, block) + first * g->k * s->size;
    } else {
        s->kernels->pack_rows[s->type](g, 0, g->m, scratch);
        g->a = scratch;
    }
    g->a_row = 1;
    g->a_column = 6;
    return 6 * g->k;
}

static void locate_columns(const shared *s, situ_gemm *g, int64_t block, int64_t first, char *scratch, situ_gemm_packs *packs)
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

/* Whether tasks divide the rows, with all of B packed beforehand. */
static bool cuts_rows(const shared *s) { return s->by_rows || s->both; }

/* A task, or some eighths of one. */
typedef struct piece {
    int64_t task, from, to;
} piece;

/* The piece with this number. */
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

/* The range of n rows or columns that belongs to eighths from ... to - 1 of task `at`, in multiples of `unit`. Returns
 * its start; *have is its length. */
static int64_t share(int64_t at, int64_t tasks, int64_t from, int64_t to, int64_t n, int64_t unit, int64_t *have)
{
    int64_t strips = parts(n, unit), all = tasks * EIGHTHS;
    int64_t first = (at * EIGHTHS + from) * strips / all * unit, end = (at * EIGHTHS + to) * strips / all * unit;
    *have = least(end, n) - first;
    return first;
}

/* The part of C that piece `number` computes; it begins at row *i and column *j. */
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

/* The piece's part of the remaining columns: a task's first piece has all of it, the others nothing. */
static situ_gemm rest_of(const shared *s, int64_t number, int64_t *i)
{
    situ_gemm part = s->g;
    piece p = piece_of(s, number);
    *i = share(p.task, s->column_tasks, 0, p.from ? 0 : EIGHTHS, s->g.m, 6, &part.m);
    part.n = s->g.n - s->shared_columns;
    part.c = (char *)s->g.c + (*i * s->g.c_row + s->shared_columns) * s->size;
    return part;
}

/* Memory of the operand that only this task reads, in one block: rows of A or columns of B of the part at row i, column
 * j. */
static situ_gemm_ahead own_operand(const shared *s, const situ_gemm *part, int64_t block, int64_t i, int64_t j)
{
    situ_gemm g = block_of(s, block);
    const char *at = s->b ? (const char *)g.a + i * g.a_row * s->size : (const char *)g.b + j * g.b_column * s->size;
    int64_t along = s->b ? g.a_column : g.b_row, across = s->b ? g.a_row : g.b_column, n = s->b ? part->m : part->n;
    if (along == 1) return (situ_gemm_ahead){at, across * s->size, n, g.k * s->size};
    return (situ_gemm_ahead){at, along * s->size, g.k, n * s->size};
}

/* Whether the thread that does this task also does the next one. Threads take tasks in order from their own share. */
static bool takes_next(const shared *s, int64_t task)
{
    int64_t tasks = pieces(s), end = parts((task + 1) * s->threads, tasks) * tasks / s->threads;
    return end != task + 1;
}

/* What to prefetch during a task's block: its next block, or the first block of the next task. */
static situ_gemm_ahead wanted_next(const shared *s, int64_t task, int64_t block)
{
    int64_t i, j;
    if (s->b && !cuts_rows(s)) return (situ_gemm_ahead){0}; /* both operands are packed already */
    if (block + 1 == s->blocks && !takes_next(s, task)) return (situ_gemm_ahead){0};
    situ_gemm part = part_of(s, block + 1 < s->blocks ? task : task + 1, &i, &j);
    return own_operand(s, &part, block + 1 < s->blocks ? block + 1 : 0, i, j);
}

/* Computes the part that begins at row i and column j. Prefetches for `task`, or nothing if that is -1. */
static void multiply_part(const shared *s, const situ_gemm *part, int64_t i, int64_t j, char *scratch, int64_t task)
{
    for (int64_t block = 0; block < s->blocks; block++) {
        situ_gemm g = block_of(s, block);
        g.m = part->m;
        g.n = part->n;
        g.c = part->c;
        situ_gemm_packs packs = {0};
        int64_t step = locate_rows(s, &g, block, i, scratch, &packs);
        locate_columns(s, &g, block, j, scratch, &packs);
        situ_gemm_ahead ahead = task < 0 ? (situ_gemm_ahead){0} : wanted_next(s, task, block);
        s->kernels->strips[s->type](&g, step, s->add || block, &packs, ahead.at ? &ahead : NULL);
    }
}

/* Without memory for packing: the same sums, with operands read in place. */
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

static void multiply_unpacked(const shared *s, const situ_gemm *part, int64_t i, int64_t j)
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
    else multiply_unpacked(s, &part, i, j);
    if (s->shared_columns == s->g.n) return;
    part = rest_of(s, task, &i);
    if (!part.m) return;
    if (scratch) multiply_part(s, &part, i, s->shared_columns, scratch, -1);
    else multiply_unpacked(s, &part, i, s->shared_columns);
}

/* Number of tasks along the longer side: equal up to a strip, a multiple of the threads, so that threads finish at
 * about the same time. */
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

/* Number of columns in whole strips that divide evenly among the threads, if that makes the longest share shorter; the
 * remaining columns are divided by rows. */
static int64_t even_columns(const shared *s, int64_t tasks)
{
    int64_t threads = s->threads, m = s->g.m, columns = s->g.n / (threads * s->columns) * (threads * s->columns),
            left = s->g.n - columns;
    if (!columns || tasks % threads || left > MOST_PART) return s->g.n;
    int64_t rows = parts(parts(m, 6), tasks) * 6 * (tasks / threads),
            longest = parts(parts(s->g.n, s->columns), threads) * s->columns * m;
    return columns / threads * m + left * rows < longest ? columns : s->g.n;
}

/* Whether last tasks are done in pieces. When other programs use the machine, threads differ in speed, and those that
 * finish first take over small pieces. */
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

/* Columns of a tile: as many as the kernels prefer, if that gives enough tasks. */
static int64_t tile_columns(const shared *s, const situ_gemm *g)
{
    int64_t tile = s->kernels->tile[s->type];
    while (tile > LEAST_TILE && parts(g->m, TILE_ROWS) * parts(g->n, tile) < 2 * TASKS * s->threads) tile /= 2;
    return tile;
}

/* Whether packing A pays. Rows of A that are some KiB apart map to the same cache sets, which matters if each is read
 * often. */
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
    int64_t b_bytes = all_b ? situ_round_to_lines(width * depth * s.size) : 0,
            bytes = b_bytes + (all_a ? height * depth * s.size : 0) + 64;
    char *scratch = situ_scratch((size_t)(s.task_bytes + bytes));
    if (!scratch) { /* a product may run after updates of variables (slot `sure`), so it must not fail */
        s.g = *g;
        s.blocks = parts(g->k, SITU_GEMM_KC);
        multiply_unpacked(&s, g, 0, 0);
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

/* With few rows, packing B would read it nearly as often as multiplying. With more rows than columns, tasks divide
 * rows; and a B or k that needs several chunks cannot be packed beforehand. */
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
