/* Products of matrices on the CPU: every kernel, layout and batch against sums in f64; threads never change a bit. */
#include "test.h"

#include <situ/runtime.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernel.h"
#include "base/isa.h"
#include "base/memory.h"
#include "tensor/shape.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(int64_t i)
{
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return (double)(x >> 40) / 8388608 - 1;
}

static void *numbers(situ_dtype dtype, int64_t n, int seed)
{
    void *memory = calloc((size_t)n + 16, 8);
    for (int64_t i = 0; i < n; i++) {
        if (dtype == SITU_F32) ((float *)memory)[i] = (float)number(i + seed);
        else ((double *)memory)[i] = number(i + seed);
    }
    return memory;
}

static double get(situ_dtype dtype, const void *memory, int64_t i)
{
    return dtype == SITU_F32 ? (double)((const float *)memory)[i] : ((const double *)memory)[i];
}

/* ---------------------------------------------------------------- calls */

/* Uses the kernel directly; the operation's own code is tested with the operations. */
static const situ_op matmul = {.name = "matmul", .family = SITU_CALL, .strided = true};

enum { TRANSPOSE_A = 1, TRANSPOSE_B = 2, SHARE_B = 4, SPREAD_A = 8, SHARE_A = 16, VARIANTS = 32 };

static void lay_out(situ_layout *l, situ_dtype dtype, int64_t batches, int64_t rows, int64_t columns, bool transposed,
                    bool shared, bool spread)
{
    int64_t apart = spread ? 2 : 1;
    *l = (situ_layout){.dtype = (uint8_t)dtype, .ndim = 3, .dim = {shared ? 1 : batches, rows, columns}};
    l->stride[0] = rows * columns * apart;
    l->stride[1] = (transposed ? 1 : columns) * apart;
    l->stride[2] = (transposed ? rows : 1) * apart;
}

/* The sum, and the sum of absolute values, which bounds the rounding error. */
static double expected(const situ_layout *a, const situ_layout *b, const void *x, const void *y, int64_t batch,
                       int64_t i, int64_t j, double *size)
{
    double sum = 0;
    *size = 0;
    int64_t ab = a->dim[0] == 1 ? 0 : batch * a->stride[0], bb = b->dim[0] == 1 ? 0 : batch * b->stride[0];
    for (int64_t k = 0; k < a->dim[2]; k++) {
        double term = get((situ_dtype)a->dtype, x, ab + i * a->stride[1] + k * a->stride[2]) *
                      get((situ_dtype)b->dtype, y, bb + k * b->stride[1] + j * b->stride[2]);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static bool near(const situ_call_desc *c, const void *x, const void *y, const void *z, const char *what)
{
    int64_t batches = c->out.dim[0], m = c->out.dim[1], n = c->out.dim[2], k = c->in[0].dim[2];
    double unit = c->out.dtype == SITU_F32 ? 1.2e-7 : 2.3e-16, size;
    int64_t count = batches * m * n,
            step = count * k > 4000000 ? count * k / 4000000 * 7 + 1 : 1; /* a sample of large ones */
    for (int64_t at = 0; at < count; at += step) {
        double e = expected(&c->in[0], &c->in[1], x, y, at / (m * n), at / n % m, at % n, &size),
               r = get((situ_dtype)c->out.dtype, z, at);
        if (fabs(e - r) <= unit * sqrt((double)k + 4) * size) continue;
        fprintf(stderr, "%s: [%d,%d,%d] k=%d: element %d is %.9g, not %.9g\n", what, (int)batches, (int)m, (int)n,
                (int)k, (int)at, r, e);
        return false;
    }
    return true;
}

static bool product(situ_dtype dtype, int64_t batches, int64_t m, int64_t k, int64_t n, int variant)
{
    size_t size = situ_dtype_size(dtype), bytes = (size_t)(batches * m * n) * size;
    situ_layout in[2];
    lay_out(&in[0], dtype, batches, m, k, variant & TRANSPOSE_A, variant & SHARE_A, variant & SPREAD_A);
    lay_out(&in[1], dtype, batches, k, n, variant & TRANSPOSE_B, variant & SHARE_B, false);
    situ_call_desc call = {
        .op = &matmul, .nin = 2, .in = in, .out = {.dtype = (uint8_t)dtype, .ndim = 3, .dim = {batches, m, n}}};
    situ_shape_strides(3, call.out.dim, call.out.stride);
    void *x = numbers(dtype, batches * m * k * 2 + 2, 1), *y = numbers(dtype, batches * k * n, 7);
    char *serial = malloc(bytes + size), *parallel = malloc(bytes + size);
    memset(serial, 0x55, bytes + size);
    memset(parallel, 0x55, bytes + size);
    situ_kernel_desc desc = {.name = "matmul", .call = &call, .naddress = 3};
    situ_fault fault = {0};
    void *kernel = situ_cpu_kernel_new(&desc);
    bool good = CHECK(kernel);
    if (good) {
        CHECK_STR(situ_cpu_kernel_chosen(kernel), "gemm");
        situ_cpu_kernel_run(kernel, (char *[]){serial, x, y}, NULL, &fault, false);
        situ_cpu_kernel_run(kernel, (char *[]){parallel, x, y}, NULL, &fault, true);
        char what[80];
        snprintf(what, sizeof what, "%s variant %d", situ_dtype_name(dtype), variant);
        good = CHECK(near(&call, x, y, serial, what)) && CHECK(!memcmp(serial, parallel, bytes)) &&
               CHECK_EQ(serial[bytes], 0x55) && CHECK_EQ(fault.code, 0);
    }
    situ_cpu_kernel_free(kernel);
    free(x);
    free(y);
    free(serial);
    free(parallel);
    return good;
}

static const int64_t shapes[][4] = {
    {1, 1, 1, 1},      {1, 2, 3, 4},      {3, 5, 7, 9},      {1, 6, 1, 16},  {2, 13, 17, 33}, {1, 64, 64, 64},
    {4, 20, 130, 25},  {1, 3, 0, 4},      {1, 0, 3, 4},      {0, 2, 3, 4},   {2, 5, 3, 0},    {1, 100, 257, 100},
    {1, 97, 300, 530}, {1, 1, 300, 5000}, {1, 700, 300, 1},  {5, 1, 40, 50}, {5, 50, 40, 1},  {1, 200, 400, 210},
    {1, 10, 5000, 12}, {1, 1, 70000, 1},  {7, 129, 65, 300},
    {1, 26, 33, 5},    {2, 31, 40, 16},   {1, 256, 256, 10}, {1, 120, 256, 84},
    {1, 2, 66, 130},   {1, 4, 515, 70},   {1, 8, 300, 170},  {1, 16, 130, 140},
    {1, 3, 601, 445},  {3, 2, 520, 515},  {1, 8, 300, 1100}, {6, 1, 70, 130},  {5, 4, 80, 90},  {5, 90, 80, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(f32_of_all_layouts)
{
    for (int i = 0; i < SHAPES; i++)
        for (int variant = 0; variant < VARIANTS; variant += i < 12 ? 1 : 3)
            if (!product(SITU_F32, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], variant)) return;
}

TEST(f64_of_all_layouts)
{
    for (int i = 0; i < SHAPES; i++)
        for (int variant = 0; variant < VARIANTS; variant += 3)
            if (!product(SITU_F64, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], variant)) return;
}

TEST(baseline_instructions)
{
    situ_isa_limit(SITU_ISA_BASELINE);
    for (int i = 0; i < SHAPES; i++) {
        product(SITU_F32, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], i % VARIANTS);
        product(SITU_F64, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], (i * 5 + 2) % VARIANTS);
    }
    situ_isa_limit(SITU_ISA_AVX512);
}

TEST(deep_products_are_cut_and_added_in_order)
{
    product(SITU_F32, 1, 16, 20000, 30, 0);
    product(SITU_F32, 1, 120, 9001, 70, TRANSPOSE_A);
    product(SITU_F64, 1, 33, 12345, 17, TRANSPOSE_B | SPREAD_A);
}

/* ---------------------------------------------------------------- kernels of our own, whatever library is there */

#define SET(name) &name,
static const situ_gemm_kernels *const sets[] = {SITU_EACH_SET(SET, situ_gemm)};

static bool own(const situ_gemm_kernels *kernels, int type, int64_t m, int64_t k, int64_t n, bool transposed)
{
    situ_dtype dtype = type == SITU_GEMM_F32 ? SITU_F32 : SITU_F64;
    situ_layout in[2];
    lay_out(&in[0], dtype, 1, m, k, transposed, false, false);
    lay_out(&in[1], dtype, 1, k, n, transposed, false, false);
    situ_call_desc call = {.nin = 2, .in = in, .out = {.dtype = (uint8_t)dtype, .ndim = 3, .dim = {1, m, n}}};
    void *x = numbers(dtype, m * k, 3), *y = numbers(dtype, k * n, 11), *z = calloc((size_t)(m * n) + 1, 8);
    void *scratch = aligned_alloc(64, (SITU_GEMM_SCRATCH + 63) & ~(size_t)63);
    situ_gemm g = {.m = m,
                   .n = n,
                   .k = k,
                   .a = x,
                   .b = y,
                   .c = z,
                   .a_row = in[0].stride[1],
                   .a_column = in[0].stride[2],
                   .b_row = in[1].stride[1],
                   .b_column = in[1].stride[2],
                   .c_row = n};
    kernels->blocked[type](&g, scratch);
    bool good = CHECK(near(&call, x, y, z, kernels->name));
    if (!transposed) {
        kernels->direct[type](&g);
        good &= CHECK(near(&call, x, y, z, "direct"));
    }
    free(x);
    free(y);
    free(z);
    free(scratch);
    return good;
}

TEST(own_kernels_of_each_instruction_set)
{
    static const int64_t sizes[][3] = {{1, 1, 1},      {6, 256, 16},  {7, 257, 17}, {96, 256, 512},
                                       {97, 513, 520}, {101, 50, 31}, {5, 600, 3}};
    for (int i = 0; i <= (int)situ_isa_get(); i++)
        for (int s = 0; s < 7; s++)
            for (int how = 0; how < 4; how++)
                if (!own(sets[i], how & 1, sizes[s][0], sizes[s][1], sizes[s][2], how & 2)) return;
}

/* Few rows of A, stored by rows or by columns: each has the bits that it has alone, and those of the baseline. */
static bool few_rows(const situ_gemm_kernels *kernels, int type, int64_t m, int64_t k, int64_t n, bool transposed)
{
    situ_dtype dtype = type == SITU_GEMM_F32 ? SITU_F32 : SITU_F64;
    size_t size = situ_dtype_size(dtype), bytes = (size_t)(m * n) * size;
    situ_layout in[2];
    lay_out(&in[0], dtype, 1, m, k, transposed, false, false);
    lay_out(&in[1], dtype, 1, k, n, false, false, false);
    situ_call_desc call = {.nin = 2, .in = in, .out = {.dtype = (uint8_t)dtype, .ndim = 3, .dim = {1, m, n}}};
    void *x = numbers(dtype, m * k, 3), *y = numbers(dtype, k * n, 11);
    char *z = calloc(1, bytes + size), *alone = calloc(1, bytes + size), *base = calloc(1, bytes + size);
    situ_gemm g = {.m = m, .n = n, .k = k, .a = x, .b = y, .c = z, .a_row = in[0].stride[1], .a_column = in[0].stride[2], .b_row = n, .b_column = 1, .c_row = n};
    kernels->rows[type](&g);
    g.c = base;
    situ_gemm_baseline.rows[type](&g);
    g.m = 1;
    for (int64_t i = 0; i < m; i++) {
        g.a = (char *)x + i * in[0].stride[1] * (int64_t)size;
        g.c = alone + i * n * (int64_t)size;
        kernels->rows[type](&g);
    }
    bool good = CHECK(near(&call, x, y, z, kernels->name)) && CHECK(!memcmp(z, alone, bytes + size)) && CHECK(!memcmp(z, base, bytes + size));
    free(x);
    free(y);
    free(z);
    free(alone);
    free(base);
    return good;
}

TEST(few_rows_have_the_bits_of_each)
{
    static const int64_t sizes[][2] = {{1, 1}, {3, 15}, {4, 16}, {65, 511}, {66, 513}, {103, 1030}};
    for (int i = 0; i <= (int)situ_isa_get(); i++)
        for (int s = 0; s < 6; s++)
            for (int m = 1; m <= SITU_GEMM_FEW; m++)
                for (int how = 0; how < 4; how++)
                    if (!few_rows(sets[i], how & 1, m, sizes[s][0], sizes[s][1], how & 2)) return;
}

/* Each result is one chain of multiply-adds along k, whatever strip it is in. Nothing is written outside of C or read
 * beyond B. */
static bool direct(const situ_gemm_kernels *kernels, int type, int64_t m, int64_t n)
{
    enum { K = 5, MORE = 3 };
    situ_dtype dtype = type == SITU_GEMM_F32 ? SITU_F32 : SITU_F64;
    int64_t row = n + MORE;
    void *a = numbers(dtype, m * K, 3), *b = numbers(dtype, (K - 1) * row + n, 11);
    double *wide = malloc((size_t)(m * row) * 8);
    float *narrow = (float *)(void *)wide;
    for (int64_t i = 0; i < m * row; i++) {
        if (type == SITU_GEMM_F32) narrow[i] = 99;
        else wide[i] = 99;
    }
    kernels->direct[type](&(situ_gemm){.m = m, .n = n, .k = K, .a = a, .b = b, .c = wide, .a_row = K, .a_column = 1, .b_row = row, .b_column = 1, .c_row = row});
    bool good = true;
    for (int64_t i = 0; i < m * row && good; i++) {
        float sum32 = i % row < n ? 0 : 99;
        double sum64 = sum32;
        for (int64_t k = 0; k < K && i % row < n; k++) {
            if (type == SITU_GEMM_F32) sum32 = fmaf(((float *)a)[i / row * K + k], ((float *)b)[k * row + i % row], sum32);
            else sum64 = fma(((double *)a)[i / row * K + k], ((double *)b)[k * row + i % row], sum64);
        }
        good = type == SITU_GEMM_F32 ? CHECK_NEAR(narrow[i], sum32, 0) : CHECK_NEAR(wide[i], sum64, 0);
    }
    free(a);
    free(b);
    free(wide);
    return good;
}

TEST(direct_products_of_all_widths)
{
    for (int i = 0; i <= (int)situ_isa_get(); i++)
        for (int64_t m = 1; m <= 26; m += m < 7 ? 1 : 3)
            for (int64_t n = 1; n <= 70; n++)
                if (!direct(sets[i], SITU_GEMM_F32, m, n) || !direct(sets[i], SITU_GEMM_F64, m, n)) return;
}

/* Products whose operands are both packed beforehand give the bits of the blocked kernels. */
static void same_bits_when_shared(int type, int64_t m, int64_t k, int64_t n, bool a_transposed, bool b_transposed)
{
    situ_dtype dtype = type == SITU_GEMM_F32 ? SITU_F32 : SITU_F64;
    const situ_gemm_kernels *kernels = SITU_FOR_ISA(&situ_gemm);
    size_t bytes = (size_t)(m * n) * situ_dtype_size(dtype);
    void *x = numbers(dtype, m * k, 3), *y = numbers(dtype, k * n, 11), *expected = malloc(bytes), *z = malloc(bytes);
    void *scratch = aligned_alloc(64, (SITU_GEMM_SCRATCH + 63) & ~(size_t)63);
    situ_gemm g = {.m = m, .n = n, .k = k, .a = x, .b = y, .c = expected, .a_row = a_transposed ? 1 : k, .a_column = a_transposed ? m : 1,
                   .b_row = b_transposed ? 1 : n, .b_column = b_transposed ? k : 1, .c_row = n};
    kernels->blocked[type](&g, scratch);
    g.c = z;
    situ_fault fault = {0};
    situ_host host = {.parallel = true, .fault = &fault};
    char *packed = NULL;
    if (situ_gemm_packed_size(kernels, type, &g)) packed = aligned_alloc(64, ((size_t)situ_gemm_packed_size(kernels, type, &g) * situ_dtype_size(dtype) + 63) & ~(size_t)63);
    static const int threads[] = {1, 2, 3, 7};
    for (int i = 0; i < 4; i++) {
        situ_set_threads(threads[i]);
        memset(z, 0x55, bytes);
        situ_gemm_shared(kernels, type, &g, NULL, &host);
        CHECK(!memcmp(z, expected, bytes));
        if (!packed) continue;
        memset(z, 0x55, bytes);
        situ_gemm_pack_shared(kernels, type, &g, packed, &host);
        situ_gemm_shared(kernels, type, &g, packed, &host);
        CHECK(!memcmp(z, expected, bytes));
    }
    situ_set_threads(0);
    free(packed);
    free(x);
    free(y);
    free(expected);
    free(z);
    free(scratch);
}

TEST(large_products_have_the_bits_of_their_blocks)
{
    if (situ_isa_get() < SITU_ISA_AVX2) SKIP("they take too long without AVX2");
    for (int how = 0; how < 4; how++) same_bits_when_shared(SITU_GEMM_F32, 775, 801, 1030, how & 1, how & 2);
    same_bits_when_shared(SITU_GEMM_F32, 1030, 770, 775, false, false);
    same_bits_when_shared(SITU_GEMM_F64, 769, 780, 790, false, true);
    same_bits_when_shared(SITU_GEMM_F32, 1040, 8300, 770, false, false); /* in several chunks */
}

/* A by columns, or rows of B, which each task packs itself: complete and partial tiles that read them first, block by
 * block. */
TEST(operands_packed_as_they_are_read_give_the_same_bits)
{
    static const int64_t sizes[][3] = {{515, 300, 70}, {70, 300, 515}, {130, 600, 60}, {60, 600, 130}, {200, 70, 20}, {4, 520, 200}, {198, 256, 96}};
    situ_isa best = situ_isa_get();
    for (int isa = 0; isa <= (int)best; isa++) {
        situ_isa_limit((situ_isa)isa);
        for (int i = 0; i < 7; i++) same_bits_when_shared(SITU_GEMM_F32, sizes[i][0], sizes[i][1], sizes[i][2], true, false);
        for (int i = 0; i < 4; i++) same_bits_when_shared(SITU_GEMM_F64, sizes[i][0], sizes[i][1], sizes[i][2], true, false);
    }
    situ_isa_limit(best);
}

/* More columns than rows: each thread has equally many whole strips of columns, and some rows of the remaining
 * columns. */
TEST(columns_left_over_give_the_same_bits)
{
    static const int64_t sizes[][3] = {{100, 300, 177}, {36, 260, 431}, {17, 1200, 300}};
    situ_isa best = situ_isa_get();
    for (int isa = 0; isa <= (int)best; isa++) {
        situ_isa_limit((situ_isa)isa);
        for (int i = 0; i < 3; i++)
            for (int how = 0; how < 4; how++)
                for (int type = 0; type < 2; type++) same_bits_when_shared(type, sizes[i][0], sizes[i][1], sizes[i][2], how & 1, how & 2);
        same_bits_when_shared(SITU_GEMM_F32, 300, 260, 300, false, false); /* square: columns are cut, nothing is packed before */
    }
    situ_isa_limit(best);
}

/* A thread that has no scratch memory yet and cannot get any. */
typedef struct short_of_memory {
    int type, failing;
    situ_gemm g;
    situ_fault fault;
} short_of_memory;

static void *multiply_without_memory(void *context)
{
    short_of_memory *s = context;
    situ_host host = {.parallel = true, .fault = &s->fault};
    situ_test_fail_alloc(s->failing);
    situ_gemm_shared(SITU_FOR_ISA(&situ_gemm), s->type, &s->g, NULL, &host);
    if (s->failing == 1) CHECK(situ_test_fail_struck());
    situ_test_fail_alloc(0);
    return NULL;
}

TEST(without_memory_to_pack_in_a_product_has_the_same_bits)
{
    enum { M = 130, K = 600, N = 190 };
    situ_isa best = situ_isa_get();
    for (int how = 0; how < 8 * ((int)best + 1); how++) {
        int type = how & 1, failing = 1 + (how >> 1 & 3);
        situ_isa_limit((situ_isa)(how / 8));
        size_t size = type == SITU_GEMM_F32 ? 4 : 8;
        void *x = numbers(type ? SITU_F64 : SITU_F32, M * K, 3), *y = numbers(type ? SITU_F64 : SITU_F32, K * N, 11);
        char *z = malloc(M * N * size), *expected = malloc(M * N * size);
        short_of_memory s = {type, 0, {M, N, K, x, y, expected, 1, M, N, 1, N, 0}, {0}};
        situ_set_threads(2 + how % 3); /* new threads */
        multiply_without_memory(&s);
        s.failing = failing, s.g.c = z;
        pthread_t thread;
        situ_set_threads(3 + how % 3);
        CHECK_EQ(pthread_create(&thread, NULL, multiply_without_memory, &s), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK(!memcmp(z, expected, M * N * size));
        CHECK_EQ(s.fault.code, 0);
        free(x), free(y), free(z), free(expected);
    }
    situ_set_threads(0);
    situ_isa_limit(best);
}

TEST(the_library_is_named)
{
    CHECK(situ_gemm_library()[0]);
    CHECK_STR(situ_gemm_library(), situ_gemm_library());
}
