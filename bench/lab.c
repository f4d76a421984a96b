/* The kernel lab: measures what this machine can do, and how much of that single kernels reach.
 *
 *   run peak                  fused multiply-adds on one thread and on all, and memory speed for the sizes of the workloads
 *   run memory KIND MIB       read, write or copy so much, on all threads: "KIND MIB seconds S GB/s G"
 *   run kernels               elementwise functions, sums, products and convolutions, with their share of that peak */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <situ.h>

#include "base/isa.h"
#include "base/pool.h"
#include "bench.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define TUNED __attribute__((target("avx2,fma"), noinline))
#define WIDE __attribute__((target("avx512f"), noinline))
typedef float vec __attribute__((vector_size(32)));
typedef float wide __attribute__((vector_size(64)));
#define ADD(i) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(x##i) : "x"(a), "x"(b));
#define STREAM(to, v) _mm256_stream_ps((float *)(void *)(to), (__m256)(v))
#else
#define TUNED __attribute__((noinline))
#define WIDE TUNED
typedef float vec __attribute__((vector_size(16)));
typedef vec wide;
#define ADD(i) x##i = x##i * a + b;
#define STREAM(to, v) (*(to) = (v))
#endif
enum { CHAINS = 12, TURNS = 20000, TASKS = 16, TRIES = 50 };

/* ---- multiply-adds --------------------------------------------------------------------------------------------------- */

static float sink[1024];

/* Twelve independent chains: enough for two units with a latency of four to five cycles. */
#define MULTIPLY_ADD(name, attributes, vec)                                                                                   \
    attributes static void name(void *context, int64_t index)                                                              \
    {                                                                                                                      \
        (void)context;                                                                                                     \
        vec a = {0}, b = {0}, x0 = a, x1 = a, x2 = a, x3 = a, x4 = a, x5 = a, x6 = a, x7 = a, x8 = a, x9 = a, x10 = a, x11 = a; \
        for (size_t i = 0; i < sizeof a / 4; i++) a[i] = 0.999f, b[i] = 0.001f;                                            \
        for (int t = 0; t < TURNS; t++) {                                                                                  \
            ADD(0) ADD(1) ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) ADD(7) ADD(8) ADD(9) ADD(10) ADD(11)                          \
        }                                                                                                                  \
        vec all = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11;                                             \
        sink[index % 1024] = all[0];                                                                                       \
    }
MULTIPLY_ADD(multiply_add, TUNED, vec)
MULTIPLY_ADD(multiply_add_wide, WIDE, wide)

/* The best of several tries, in seconds. */
static double best(void (*task)(void *, int64_t), void *context, int64_t count)
{
    double least = 1e9;
    for (int t = 0; t < TRIES; t++) {
        double start = bench_clock();
        situ_pool_run(task, context, count);
        double seconds = bench_clock() - start;
        if (seconds < least) least = seconds;
    }
    return least;
}

double bench_peak(int threads)
{
    bool serial = situ_pool_serial(threads == 1);
    void (*task)(void *, int64_t) = multiply_add;
    double lanes = sizeof(vec) / sizeof(float);
    if (situ_isa_get() == SITU_ISA_AVX512) task = multiply_add_wide, lanes = sizeof(wide) / sizeof(float);
    double seconds = best(task, NULL, threads * TASKS);
    situ_pool_serial(serial);
    return 2.0 * lanes * CHAINS * TURNS * TASKS * threads / seconds;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct stretch {
    char *from, *to;
    size_t bytes, part;
    enum { READ, WRITE, WRITE_AROUND, COPY, COPY_AROUND } kind; /* AROUND: bypassing the caches */
} stretch;

TUNED static vec read_part(const vec *from, size_t n)
{
    vec a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i + 4 <= n; i += 4) a += from[i], b += from[i + 1], c += from[i + 2], d += from[i + 3];
    vec all = a + b + c + d;
    __asm__ volatile("" : : "x"(all)); /* all lanes count as used */
    return all;
}

TUNED static void store(vec *to, vec v, bool around)
{
    if (around) STREAM(to, v);
    else *to = v;
}

TUNED static void move_part(void *context, int64_t index)
{
    const stretch *s = context;
    size_t at = (size_t)index * s->part, n = (s->bytes - at < s->part ? s->bytes - at : s->part) / sizeof(vec);
    const vec *from = (const vec *)(const void *)(s->from + at);
    vec *to = (vec *)(void *)(s->to + at), value = {1};
    bool around = s->kind == WRITE_AROUND || s->kind == COPY_AROUND;
    if (s->kind == READ) sink[index % 1024] = read_part(from, n)[0];
    else if (s->kind == COPY || s->kind == COPY_AROUND)
        for (size_t i = 0; i < n; i++) store(to + i, from[i], around);
    else
        for (size_t i = 0; i < n; i++) store(to + i, value, around);
}

static char *fresh(size_t bytes)
{
    char *p = aligned_alloc(2 << 20, (bytes + (2 << 20) - 1) & ~(size_t)((2 << 20) - 1));
    if (!p) exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 1, bytes);
    return p;
}

/* Seconds to read and, for copies, write so many bytes, with normal or streaming stores, whichever is faster; negative:
 * unknown kind. */
double bench_memory(const char *kind, size_t bytes)
{
    stretch s = {.bytes = bytes, .part = 256 << 10};
    bool read = !strcmp(kind, "read"), write = !strcmp(kind, "write"), copy = !strcmp(kind, "copy");
    if (!read && !write && !copy) return -1;
    s.from = write ? NULL : fresh(bytes);
    s.to = read ? NULL : fresh(bytes);
    int64_t parts = (int64_t)((bytes + s.part - 1) / s.part);
    s.kind = read ? READ : write ? WRITE : COPY;
    double seconds = best(move_part, &s, parts);
    if (!read) {
        s.kind = write ? WRITE_AROUND : COPY_AROUND;
        double around = best(move_part, &s, parts);
        if (around < seconds) seconds = around;
    }
    free(s.from);
    free(s.to);
    return seconds;
}

static int print_memory(const char *kind, double mib)
{
    size_t bytes = (size_t)(mib * (1 << 20)) & ~(size_t)127;
    double seconds = bench_memory(kind, bytes);
    if (seconds < 0) return fprintf(stderr, "run memory: read, write or copy, not %s\n", kind), 2;
    printf("memory %-5s %7.2f MiB seconds %.6g GB/s %.1f\n", kind, mib, seconds, (double)bytes * (strcmp(kind, "copy") ? 1 : 2) / seconds * 1e-9);
    return 0;
}

int bench_lab_peak(void)
{
    int threads = situ_threads();
    for (int n = 1; n <= threads; n *= 2) printf("fma threads %d GFLOP/s %.1f\n", n, bench_peak(n) * 1e-9);
    static const struct { const char *kind; double mib; } sizes[] = {{"read", 12.27}, {"read", 64}, {"write", 38.15}, {"write", 381.5}, {"copy", 12.27}, {"copy", 15.26}, {"copy", 16}, {"copy", 64}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) print_memory(sizes[i].kind, sizes[i].mib);
    return 0;
}

int bench_lab_memory(const char *kind, const char *mib)
{
    if (!kind || !mib || atof(mib) <= 0) return fprintf(stderr, "run memory read|write|copy MIB\n"), 2;
    return print_memory(kind, atof(mib));
}

/* ---- kernels --------------------------------------------------------------------------------------------------------- */

static situ_tensor *a, *b;

/* Shortest time in seconds to compute what `make` records. */
static double time_of(situ_tensor *(*make)(void))
{
    double least = 1e9, until = bench_clock() + 0.3;
    for (int t = 0; t < 3 || bench_clock() < until; t++) {
        situ_scope *scope = situ_scope_open();
        double start = bench_clock();
        situ_wait(make());
        double seconds = bench_clock() - start;
        situ_scope_close(scope);
        if (seconds < least) least = seconds;
    }
    return least;
}

static void operands(situ_shape sa, situ_shape sb)
{
    situ_scope *scope = situ_scope_open();
    if (a) situ_release(a), situ_release(b);
    a = situ_keep(situ_uniform(situ_key(0), sa));
    b = situ_keep(situ_uniform(situ_key(1), sb));
    situ_eval(TENSORS(a, b));
    situ_wait(a), situ_wait(b);
    situ_scope_close(scope);
}

#define RECORD(name, call) static situ_tensor *make_##name(void) { return call; }
RECORD(add, situ_add(a, b)) RECORD(mul, situ_mul(a, b)) RECORD(div, situ_div(a, b)) RECORD(sqrt, situ_sqrt(a))
RECORD(exp, situ_exp(a)) RECORD(log, situ_log(a)) RECORD(tanh, situ_tanh(a)) RECORD(erf, situ_erf(a)) RECORD(sin, situ_sin(a))
RECORD(pow, situ_pow(a, b)) RECORD(sigmoid, situ_sigmoid(a)) RECORD(uniform, situ_uniform(situ_key(3), SHAPE(4000000)))
RECORD(normal, situ_normal(situ_key(3), SHAPE(4000000)))
RECORD(sum, situ_sum(a)) RECORD(rows, situ_sum(a, .axes = AXES(1))) RECORD(columns, situ_sum(a, .axes = AXES(0)))
RECORD(product, situ_matmul(a, b)) RECORD(left, situ_matmul(situ_transpose(a), b)) RECORD(right, situ_matmul(a, situ_transpose(b)))
RECORD(convolve, situ_conv2d(a, b, .padding = SHAPE(1)))

static void elementwise(void)
{
    static const struct { const char *name; situ_tensor *(*make)(void); } rows[] = {
        {"add", make_add}, {"mul", make_mul}, {"div", make_div}, {"sqrt", make_sqrt}, {"exp", make_exp}, {"log", make_log}, {"tanh", make_tanh},
        {"erf", make_erf}, {"sin", make_sin}, {"pow", make_pow}, {"sigmoid", make_sigmoid}, {"uniform", make_uniform}, {"normal", make_normal}};
    enum { COUNT = 4000000 };
    operands(SHAPE(COUNT), SHAPE(COUNT));
    double copy = bench_memory("copy", COUNT * 4);
    puts("4,000,000 elements: ns an element; share of what copying them takes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds = time_of(rows[i].make);
        printf("  %-8s %6.3f ns %5.0f %%\n", rows[i].name, seconds / COUNT * 1e9, 100 * copy / seconds);
    }
    operands(SHAPE(4096, 4096), SHAPE(1));
    double read = bench_memory("read", 64 << 20);
    printf("sums of 4096 x 4096: all %.0f %%, rows %.0f %%, columns %.0f %% of reading it\n", 100 * read / time_of(make_sum), 100 * read / time_of(make_rows), 100 * read / time_of(make_columns));
}

int bench_lab_kernels(void)
{
    double peak = bench_peak(situ_threads());
    elementwise();
    puts("products n x n: GFLOP/s and share of the peak for a b, a^T b, a b^T");
    for (int64_t n = 64; n <= 2048; n *= 2) {
        operands(SHAPE(n, n), SHAPE(n, n));
        double work = 2.0 * (double)n * (double)n * (double)n;
        situ_tensor *(*const makes[])(void) = {make_product, make_left, make_right};
        printf("  %5d", (int)n);
        for (int i = 0; i < 3; i++) {
            double rate = work / time_of(makes[i]);
            printf("  %6.1f %3.0f %%", rate * 1e-9, 100 * rate / peak);
        }
        puts("");
    }
    puts("convolutions 3 x 3, 64 images, channels in and out, side: GFLOP/s and share of the peak");
    for (int64_t c = 16, side = 32; c <= 64; c *= 2, side /= 2) {
        operands(SHAPE(64, c, side, side), SHAPE(c, c, 3, 3));
        double rate = 2.0 * 64 * 9 * (double)(c * c * side * side) / time_of(make_convolve);
        printf("  %2d %2d  %6.1f %3.0f %%\n", (int)c, (int)side, rate * 1e-9, 100 * rate / peak);
    }
    return -situ_failed();
}
