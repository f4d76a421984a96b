/* Fourier transforms of many lines side by side, each in its own lane of the vectors. Long lines, few lines, and
 * contiguous lines of f32 are transformed in two steps by shorter transforms (D. H. Bailey, FFTs in external or
 * hierarchical memory, 1990). Passes store their results in order (T. G. Stockham, 1966). Real lines of even length are
 * transformed as complex lines of half that length. f32 is computed in f32; how lines are grouped changes no bit. */
#ifndef SITU_CPU_FFT_H
#define SITU_CPU_FFT_H

#include "base/isa.h"
#include "graph/op.h"

/* Listed in implementations.c: calls of fft. */
bool situ_lanes_fft_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_lanes_fft(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

enum {
    SITU_FFT_PASSES = 32,
    SITU_FFT_TWIDDLES = 64 /* SITU_FFT_TWIDDLES: bytes of real parts in one row of a table of twiddle factors */
};

/* The passes of a transform of length n. For each pass: its radix, the roots of unity of that order, and radix - 1
 * twiddle factors for each element of the remaining length. */
typedef struct situ_passes_of {
    int64_t n, radix[SITU_FFT_PASSES];
    int count;
    const char *root[SITU_FFT_PASSES], *factor[SITU_FFT_PASSES];
    char *memory;
} situ_passes_of;

/* Where lines are stored. Number i of line l is at `at` + i * step + l * lane, its imaginary part `part` further (0:
 * there is none); in reals. */
typedef struct situ_lines {
    void *at;
    int64_t step, lane, part;
} situ_lines;

/* A line of contiguous f32 numbers as a matrix with SITU_FFT_COLUMNS columns: transforms of the columns side by side,
 * twiddle factors, then transforms of the rows. */
enum { SITU_FFT_COLUMNS = 16 };
typedef struct situ_fft_rows {
    int64_t n;
    situ_passes_of of_column, of_row;
    float *twiddles; /* twiddle factors: for each of the n / SITU_FFT_COLUMNS rows all real, then all imaginary parts */
} situ_fft_rows;

typedef enum situ_fft_task { SITU_LINES, SITU_LINES_FROM_REAL, SITU_LINES_TO_REAL } situ_fft_task;

typedef struct situ_fft_group {
    const situ_passes_of *passes;
    const situ_fft_rows *rows; /* NULL; else lines are transformed one after the other by these tables */
    situ_lines in, out;
    int64_t lines, have; /* lines: at most `lanes`; have: numbers present in the input, the others are 0 */
    bool more;           /* one more real is present */
    bool inverse;
    situ_fft_task task;    /* from real: n + 1 numbers are stored; to real: n + 1 are loaded */
    const void *halves;    /* for these two: -i e^(-pi i k / n), k <= n; for `rows` all real parts first */
    const void *twiddle;   /* NULL, or factors of the results: [n] numbers ... */
    const void *twiddles;  /* ... multiplied by [n] rows of SITU_FFT_TWIDDLES bytes of real, then imaginary parts */
    int64_t first_twiddle; /* the first line's index in those rows */
    double scale;
} situ_fft_group;

typedef struct situ_fft_kernels {
    int lanes[2];
    void (*run[2])(const situ_fft_group *g, void *space); /* space: scratch memory, situ_fft_scratch_bytes bytes, 64-byte aligned */
} situ_fft_kernels;
#define SITU_FFT_TABLE(name) extern const situ_fft_kernels name;
SITU_EACH_SET(SITU_FFT_TABLE, situ_fft)
static inline size_t situ_fft_scratch_bytes(int64_t n) { return 2 * (size_t)(n + 1) * 128; }

/* Makes the tables of a length for f32 or f64 (size: bytes of a real). False if memory ran out; the caller frees what
 * exists. */
bool situ_passes_make(situ_passes_of *p, int64_t n, int64_t size);
bool situ_fft_rows_make(situ_fft_rows *r, int64_t n, double scale);
void situ_fft_rows_free(situ_fft_rows *r);

#endif
