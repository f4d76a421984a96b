/* Fourier transforms of many lines side by side, a lane of a vector each; long ones, few, and f32 rows in one piece as two
 * transforms of shorter lines (D. H. Bailey, FFTs in external or hierarchical memory, 1990). Passes write their results in
 * order (T. G. Stockham, 1966). Real lines of even length are transformed as complex ones of half of it. f32 is computed in
 * f32; how lines are grouped changes no bit. */
#ifndef SITU_CPU_FFT_H
#define SITU_CPU_FFT_H

#include "base/isa.h"
#include "graph/op.h"

/* For impls.c: calls of fft. */
bool situ_lanes_fft_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_lanes_fft(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

enum { SITU_FFT_PASSES = 32, SITU_FFT_TURNS = 64 /* bytes of real parts that one table of factors has for a k */ };

/* A length, as passes: of each the radix, its roots of 1, then radix - 1 factors for each of what is left. */
typedef struct situ_passes_of {
    int64_t n, radix[SITU_FFT_PASSES];
    int count;
    const char *root[SITU_FFT_PASSES], *factor[SITU_FFT_PASSES];
    char *memory;
} situ_passes_of;

/* Where lines lie: number i of line l at `at` + i * step + l * lane, its imaginary part `part` behind it (0: there is none); in
 * reals. */
typedef struct situ_lines {
    void *at;
    int64_t step, lane, part;
} situ_lines;

/* A line of f32 whose numbers lie next to each other, as columns: their transforms side by side, factors, transforms of rows. */
enum { SITU_FFT_COLUMNS = 16 };
typedef struct situ_fft_rows {
    int64_t n;
    situ_passes_of of_column, of_row;
    float *turns; /* of each of n / SITU_FFT_COLUMNS rows the real, then the imaginary parts */
} situ_fft_rows;

typedef enum situ_fft_task { SITU_LINES, SITU_LINES_FROM_REAL, SITU_LINES_TO_REAL } situ_fft_task;

typedef struct situ_fft_group {
    const situ_passes_of *passes;
    const situ_fft_rows *rows; /* NULL, or lines are transformed so, one after the other */
    situ_lines in, out;
    int64_t lines, have; /* of up to `lanes`; numbers that are there, the others are 0 */
    bool more;           /* and one more real                                      */
    bool inverse;
    situ_fft_task task; /* from real: n + 1 numbers are stored; to real: n + 1 are loaded */
    const void *halves; /* for these: -i e^(-pi i k / n), k <= n; of rows all real parts first */
    const void *turn;   /* NULL, or factors of results: [n] numbers ...                 */
    const void *turns;  /* ... times [n] rows of SITU_FFT_TURNS bytes of real, then of imaginary parts */
    int64_t first_turn; /* the first line's place in them                              */
    double scale;
} situ_fft_group;

typedef struct situ_fft_kernels {
    int lanes[2];
    void (*run[2])(const situ_fft_group *g, void *room); /* room: situ_fft_room bytes, 64-byte aligned */
} situ_fft_kernels;
#define SITU_FFT_TABLE(name) extern const situ_fft_kernels name;
SITU_EACH_SET(SITU_FFT_TABLE, situ_fft)
static inline size_t situ_fft_room(int64_t n) { return 2 * (size_t)(n + 1) * 128; }

/* Tables of a length for f32 or f64 (size: bytes of a real). False: no memory; what there is is freed by who asked. */
bool situ_passes_make(situ_passes_of *p, int64_t n, int64_t size);
bool situ_fft_rows_make(situ_fft_rows *r, int64_t n, double scale);
void situ_fft_rows_free(situ_fft_rows *r);

#endif
