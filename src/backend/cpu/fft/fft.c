/* Decides which lines are transformed side by side and which long lines in two steps. It follows from the shape alone. */
#include "backend/cpu/fft/fft.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "base/memory.h"
#include "op/attr.h"
#include "numeric/dft.h"
#include "op/host.h"

enum {
    LONG = 8192,     /* from this many numbers on, a line is transformed in two steps */
    FEW = 8,         /* with at most so many lines ... */
    FEW_LEAST = 256, /* ... also lines longer than this */
    TASK = 1 << 14   /* numbers of a task */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct fft {
    const situ_fft_attr *attr;
    const situ_fft_kernels *kernels;
    const situ_host *host;
    int type;
    int64_t size; /* bytes of a real */
    situ_fft_task task;
    int64_t n; /* complex numbers that are transformed: half the length of real lines */
    situ_around in, out;
    char *from, *to;
    int64_t in_reals, out_reals; /* reals of an element: 1 or 2 */
    double scale;
    situ_passes_of passes;
    situ_fft_rows rows;
    bool in_rows;
    char *halves;
    int64_t groups; /* groups of adjacent lines within one `outer` */
} fft;

/* Where the kernels find a line's complex numbers. In a real line, each is two adjacent reals. */
static situ_lines lines_of(const fft *f, bool out, int64_t line)
{
    situ_around r = out ? f->out : f->in;
    int64_t reals = out ? f->out_reals : f->in_reals, step = r.inner * reals;
    char *at = (out ? f->to : f->from) + (line / r.inner * r.n * r.inner + line % r.inner) * reals * f->size;
    bool packed = reals == 1 && f->task != SITU_LINES;
    return (situ_lines){at, packed ? 2 * step : step, r.inner > 1 ? reals : r.n * reals, packed ? step : reals == 1 ? 0 : 1};
}

/* Number of elements of the input that are used, as complex numbers. */
static void count(const fft *f, situ_fft_group *g)
{
    int64_t n = f->attr->n, have = least(f->in.n, f->attr->kind == SITU_FFT_TO_REAL ? n / 2 + 1 : n);
    bool packed = f->task == SITU_LINES_FROM_REAL;
    g->have = packed ? have / 2 : have;
    g->more = packed && have % 2;
}

static int64_t width_of(const fft *f) { return f->kernels->lanes[f->type]; }

/* Group number i: its first line; *lines is the number of lines. */
static int64_t group_of(const fft *f, int64_t i, int64_t *lines)
{
    int64_t width = width_of(f), across = f->out.inner > 1 ? f->out.inner : f->out.outer;
    int64_t first = i % f->groups * width;
    *lines = least(width, across - first);
    return i / f->groups * across + first;
}

static void run_groups(void *context, int64_t first, int64_t end)
{
    const fft *f = context;
    void *space = situ_scratch(situ_fft_scratch_bytes(f->n));
    if (!space) {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, f->n, 0);
        return;
    }
    for (int64_t i = first; i < end; i++) {
        situ_fft_group g = {.passes = &f->passes,
            .rows = f->in_rows ? &f->rows : NULL,
            .inverse = f->attr->inverse,
            .task = f->task,
            .halves = f->halves,
            .scale = f->scale};
        int64_t line = group_of(f, i, &g.lines);
        g.in = lines_of(f, false, line);
        g.out = lines_of(f, true, line);
        count(f, &g);
        f->kernels->run[f->type](&g, space);
    }
}

/* -i e^(-pi i k / n) for k <= n: as complex numbers, or with `apart` all real parts before the imaginary ones. */
static char *make_halves(int64_t n, int64_t size, bool apart)
{
    char *to = situ_malloc((size_t)(2 * (n + 1) * size));
    double *all = situ_malloc((size_t)n * 32);
    if (all) situ_dft_roots(2 * n, all);
    for (int64_t k = 0, i = 0; to && all && i < 2 * (n + 1); i++) {
        bool real = apart ? i <= n : i % 2 == 0;
        double x = real ? all[2 * k + 1] : -all[2 * k];
        float y = (float)x;
        memcpy(to + i * size, size == 4 ? (void *)&y : &x, (size_t)size);
        if (apart) k = i == n ? 0 : k + 1;
        else k += !real;
    }
    if (!all) {
        situ_free(to);
        to = NULL;
    }
    situ_free(all);
    return to;
}

/* ---- long lines -------- */

/* A long line in two steps, n = rows * columns: transforms of the columns, multiplication by roots of unity ("twiddle
 * factors"), transforms of the rows, whose results are stored `rows` apart. */
typedef struct cut {
    const fft *f;
    int64_t rows, columns, bits, unit; /* unit: the roots of unity are those of order unit * n */
    situ_passes_of of_column, of_row;
    double *low, *high;                     /* roots number k < 2^bits, and roots of multiples of 2^bits */
    char *twiddles, *middle, *whole, *half; /* whole, half: the line to transform, and a result that is not yet converted
                                          * to a real line */
    situ_lines in, out;                     /* of the line */
    int64_t line;
} cut;

static void root_at(const cut *c, int64_t k, double *to)
{
    const double *a = c->high + 2 * (k >> c->bits), *b = c->low + 2 * (k & (((int64_t)1 << c->bits) - 1));
    to[0] = a[0] * b[0] - a[1] * b[1];
    to[1] = a[0] * b[1] + a[1] * b[0];
}

static void put(const fft *f, void *to, int64_t at, double x)
{
    if (f->size == 4) ((float *)to)[at] = (float)x;
    else ((double *)to)[at] = x;
}

static double get(const fft *f, const void *from, int64_t at)
{
    return f->size == 4 ? ((const float *)from)[at] : ((const double *)from)[at];
}

static void make_twiddles(void *context, int64_t first, int64_t end)
{
    const cut *c = context;
    int64_t each = SITU_FFT_TWIDDLES / c->f->size;
    for (int64_t k = first; k < end; k++)
        for (int64_t l = 0; l < each; l++) {
            double root[2];
            root_at(c, k * l % c->f->n * c->unit, root);
            put(c->f, c->twiddles, k * 2 * each + l, root[0]);
            put(c->f, c->twiddles, k * 2 * each + each + l, root[1]);
        }
}

/* The roots of unity number k * first for k < rows, from products of a few. */
static void make_twiddle(const cut *c, int64_t first, char *twiddle)
{
    enum { STEP = 32 };
    const fft *f = c->f;
    double re[STEP], im[STEP], root[2];
    for (int64_t i = 0; i < STEP; i++) {
        root_at(c, i < c->rows ? i * first * c->unit : 0, root);
        re[i] = root[0];
        im[i] = root[1];
    }
    for (int64_t k = 0; k < c->rows; k += STEP) {
        float *to = (float *)(void *)twiddle + 2 * k;
        double *wide = (double *)(void *)twiddle + 2 * k, both[2 * STEP];
        root_at(c, k * first * c->unit, root);
        for (int i = 0; i < STEP; i++) {
            both[2 * i] = root[0] * re[i] - root[1] * im[i];
            both[2 * i + 1] = root[0] * im[i] + root[1] * re[i];
        }
        int64_t reals = 2 * least(STEP, c->rows - k);
        for (int64_t i = 0; i < reals && f->size == 4; i++) to[i] = (float)both[i];
        if (f->size == 8) memcpy(wide, both, (size_t)reals * 8);
    }
}

static char *room_of(const fft *f, int64_t n, int64_t more)
{
    char *space = situ_scratch(situ_fft_scratch_bytes(n) + (size_t)more);
    if (!space) situ_fault_set(f->host->fault, SITU_NO_MEMORY, n, 0);
    return space;
}

static void transform_columns(void *context, int64_t first, int64_t end)
{
    const cut *c = context;
    const fft *f = c->f;
    int64_t width = width_of(f), each = SITU_FFT_TWIDDLES / f->size;
    char *space = room_of(f, c->rows, 2 * c->rows * f->size), *twiddle = space + situ_fft_scratch_bytes(c->rows);
    for (int64_t i = first; space && i < end; i++) {
        int64_t column = i * width, shared = column / each * each;
        situ_fft_group g = {.passes = &c->of_column,
            .have = c->rows,
            .twiddle = twiddle,
            .twiddles = c->twiddles,
            .first_twiddle = column - shared};
        g.inverse = f->attr->inverse;
        g.scale = 1;
        g.lines = least(width, c->columns - column);
        g.in = (situ_lines){(char *)c->in.at + column * c->in.step * f->size, c->columns * c->in.step, c->in.step, c->in.part};
        g.out = (situ_lines){c->middle + 2 * column * f->size, 2 * c->columns, 2, 1};
        make_twiddle(c, shared, twiddle);
        f->kernels->run[f->type](&g, space);
    }
}

static void transform_rows(void *context, int64_t first, int64_t end)
{
    const cut *c = context;
    const fft *f = c->f;
    int64_t width = width_of(f);
    void *space = room_of(f, c->columns, 0);
    for (int64_t i = first; space && i < end; i++) {
        int64_t row = i * width;
        situ_fft_group g = {.passes = &c->of_row, .have = c->columns, .inverse = f->attr->inverse};
        g.scale = f->task == SITU_LINES_FROM_REAL ? 1 : f->scale;
        g.lines = least(width, c->rows - row);
        g.in = (situ_lines){c->middle + 2 * row * c->columns * f->size, 2, 2 * c->columns, 1};
        g.out = (situ_lines){(char *)c->out.at + row * c->out.step * f->size, c->rows * c->out.step, c->out.step, c->out.part};
        f->kernels->run[f->type](&g, space);
    }
}

/* The largest divisor up to the square root of n. */
static int64_t rows_of(int64_t n)
{
    int64_t rows = (int64_t)sqrt((double)n);
    while (rows > 1 && (rows * rows > n || n % rows)) rows--;
    return rows;
}

static bool prepare(cut *c)
{
    const fft *f = c->f;
    int64_t n = f->n, size = f->size;
    c->rows = rows_of(n);
    c->columns = n / c->rows;
    c->unit = f->task == SITU_LINES ? 1 : 2;
    while ((int64_t)1 << 2 * c->bits < c->unit * n) c->bits++;
    int64_t few = (int64_t)1 << c->bits, all = c->unit * n, many = (all >> c->bits) + 1, twiddles = c->rows * 2 * SITU_FFT_TWIDDLES;
    size_t before = situ_fft_scratch_bytes(c->columns) + (size_t)(2 * c->rows * size + 64); /* used by this thread's own tasks */
    int64_t lines = n * 2 * size * (f->task != SITU_LINES || f->in.n < f->attr->n ? 3 : 1);
    char *scratch = situ_scratch(before + (size_t)(twiddles + lines));
    c->low = situ_malloc((size_t)(16 * (few + many)));
    bool good = situ_passes_make(&c->of_column, c->rows, size);
    good = situ_passes_make(&c->of_row, c->columns, size) && good;
    if (!good || !c->low || !scratch) return false;
    c->twiddles = scratch + before / 64 * 64;
    c->high = c->low + 2 * few;
    c->middle = c->twiddles + twiddles;
    c->whole = c->middle + 2 * n * size;
    c->half = c->whole + 2 * n * size;
    for (int64_t k = 0; k < few; k++) situ_dft_root(k % all, all, c->low + 2 * k);
    for (int64_t k = 0; k < many; k++) situ_dft_root((k << c->bits) % all, all, c->high + 2 * k);
    situ_host_pieces(f->host, make_twiddles, c, c->rows, 64);
    return true;
}

static void end(cut *c)
{
    situ_free(c->low);
    situ_free(c->of_column.memory);
    situ_free(c->of_row.memory);
}

/* Real number i of the line's elements; 0 beyond them. */
static double real_of(const cut *c, const situ_lines *in, int64_t i, int part)
{
    return i < c->f->in.n ? get(c->f, in->at, i * (c->f->in.inner * c->f->in_reals) + part) : 0;
}

/* Copies a line with too few elements, and zeros behind them. */
static void fill_whole(const cut *c, const situ_lines *in)
{
    const fft *f = c->f;
    int64_t reals = f->in_reals;
    for (int64_t i = 0; i < 2 * f->n; i++) put(f, c->whole, i, real_of(c, in, i / reals, (int)(i % reals)));
}

/* Prepares the transform to a real line, like `ravel` of fft.inc. */
static void ravel(void *context, int64_t first, int64_t end)
{
    const cut *c = context;
    int64_t n = c->f->n;
    situ_lines in = lines_of(c->f, false, c->line);
    for (int64_t k = first; k < end; k++) {
        double w[2], a = real_of(c, &in, k, 0), b = k ? real_of(c, &in, k, 1) : 0, d = real_of(c, &in, n - k, 0),
                     e = k ? real_of(c, &in, n - k, 1) : 0;
        root_at(c, k, w);
        double re = a - d, im = b + e, u = w[1], v = w[0]; /* multiplied by i e^(pi i k / n) */
        put(c->f, c->whole, 2 * k, a + d + (re * u - im * v));
        put(c->f, c->whole, 2 * k + 1, b - e + (re * v + im * u));
    }
}

static void unravel(void *context, int64_t first, int64_t end)
{
    const cut *c = context;
    const fft *f = c->f;
    int64_t n = f->n;
    situ_lines out = lines_of(f, true, c->line);
    for (int64_t k = first; k < end; k++) {
        int64_t i = 2 * (k % n), j = 2 * ((n - k) % n);
        double w[2], a = get(f, c->half, i), b = get(f, c->half, i + 1), d = get(f, c->half, j), e = get(f, c->half, j + 1);
        root_at(c, k, w);
        double re = (a - d) / 2, im = (b + e) / 2, u = w[1], v = -w[0]; /* multiplied by -i e^(-pi i k / n) */
        put(f, out.at, k * f->out.inner * 2, ((a + d) / 2 + (re * u - im * v)) * f->scale);
        put(f, out.at, k * f->out.inner * 2 + 1, ((b - e) / 2 + (re * v + im * u)) * f->scale);
    }
}

static void transform_cut(cut *c, int64_t line)
{
    enum { PIECE = 4096 };
    const fft *f = c->f;
    int64_t width = width_of(f);
    situ_lines in = lines_of(f, false, line);
    bool to_real = f->task == SITU_LINES_TO_REAL, from_real = f->task == SITU_LINES_FROM_REAL;
    c->line = line;
    c->in = in;
    c->out = lines_of(f, true, line);
    if (to_real) situ_host_pieces(f->host, ravel, c, f->n, PIECE);
    else if (f->in.n < f->attr->n) fill_whole(c, &in);
    if (to_real || f->in.n < f->attr->n) c->in = (situ_lines){c->whole, 2, 0, 1};
    if (from_real) c->out = (situ_lines){c->half, 2, 0, 1};
    situ_host_pieces(f->host, transform_columns, c, (c->columns + width - 1) / width, TASK / (c->rows * width) + 1);
    situ_host_pieces(f->host, transform_rows, c, (c->rows + width - 1) / width, TASK / (c->columns * width) + 1);
    if (from_real) situ_host_pieces(f->host, unravel, c, f->n + 1, PIECE);
}

/* ---- calls -------- */

/* Whether lines are transformed one after the other. */
static bool by_rows(const fft *f)
{
    return f->size == 4 && f->in.inner == 1 && f->n % (SITU_FFT_COLUMNS * SITU_FFT_COLUMNS) == 0 && f->n <= LONG &&
        f->task != SITU_LINES_TO_REAL && (f->task == SITU_LINES_FROM_REAL || f->in_reals == 2);
}

static bool is_cut(int64_t n, int64_t lines) { return (n > LONG || (lines < FEW && n >= FEW_LEAST)) && rows_of(n) >= FEW; }

bool situ_lanes_fft_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    const situ_fft_attr *a = c->attr;
    int64_t n = a->n;
    (void)reason, (void)size;
    if (n < 4 || (a->kind == SITU_FFT_TO_REAL && (!a->inverse || n % 2)) ||
        (a->kind == SITU_FFT_FROM_REAL && (a->inverse || n % 2)))
        return false;
    for (int64_t p = 2; p <= 31; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

static void run_cut(fft *f, int64_t lines)
{
    cut c = {.f = f};
    if (prepare(&c)) {
        for (int64_t line = 0; line < lines; line++) transform_cut(&c, line);
    } else {
        situ_fault_set(f->host->fault, SITU_NO_MEMORY, f->n, 0);
    }
    end(&c);
}

static void run_lines(fft *f)
{
    int64_t width = width_of(f), across = f->out.inner > 1 ? f->out.inner : f->out.outer,
            rest = f->out.inner > 1 ? f->out.outer : 1;
    f->groups = (across + width - 1) / width;
    f->halves = f->task == SITU_LINES ? NULL : make_halves(f->n, f->size, f->in_rows);
    bool made = f->in_rows ? situ_fft_rows_make(&f->rows, f->n, f->scale) : situ_passes_make(&f->passes, f->n, f->size);
    if (made && (f->halves || f->task == SITU_LINES))
        situ_host_pieces(f->host, run_groups, f, f->groups * rest, TASK / (f->n * width) + 1);
    else situ_fault_set(f->host->fault, SITU_NO_MEMORY, f->n, 0);
    situ_free(f->halves);
    situ_fft_rows_free(&f->rows);
    situ_free(f->passes.memory);
}

void situ_lanes_fft(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const situ_fft_attr *a = c->attr;
    situ_dtype in = (situ_dtype)c->in[0].dtype, out = (situ_dtype)c->out.dtype;
    fft f = {.attr = a,
        .kernels = SITU_FOR_ISA(&situ_fft),
        .host = h,
        .type = situ_dtype_real(in) == SITU_F64,
        .task = a->kind == SITU_FFT_FROM_REAL ? SITU_LINES_FROM_REAL :
            a->kind == SITU_FFT_TO_REAL       ? SITU_LINES_TO_REAL :
                                                SITU_LINES,
        .n = a->kind == SITU_FFT_FULL ? a->n : a->n / 2,
        .in = situ_host_around(&c->in[0], a->axis),
        .out = situ_host_around(&c->out, a->axis),
        .from = address[1],
        .to = address[0],
        .in_reals = 1 + situ_dtype_is_complex(in),
        .out_reals = 1 + situ_dtype_is_complex(out),
        .scale = situ_fft_scale(a)};
    f.size = f.type ? 8 : 4;
    if (!situ_layout_count(&c->out)) return;
    int64_t lines = f.out.outer * f.out.inner;
    f.in_rows = by_rows(&f);
    if (!f.in_rows && is_cut(f.n, lines)) run_cut(&f, lines);
    else run_lines(&f);
}
