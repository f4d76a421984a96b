/* Fused groups on the CPU, compared with a loop over elements: in all shapes, in place, with and without threads. */
#include "test.h"

#include "backend/cpu/kernel.h"
#include "base/isa.h"
#include "base/memory.h"
#include "group_reference.h"
#include "support/settled.h"

#include <pthread.h>

/* ---------------------------------------------------------------- making groups */

static int add(situ_fused *g, situ_instruction in)
{
    g->instruction[g->ninstruction] = in;
    return g->ninstruction++;
}

static int load(situ_fused *g, int dtype, int64_t s0, int64_t s1, int64_t s2)
{
    g->load[g->nload] = (situ_load){(uint8_t)dtype, {s0, s1, s2}};
    return add(g, (situ_instruction){.kind = SITU_DO_LOAD, .dtype = (uint8_t)dtype, .a = (uint8_t)g->nload++});
}

static int load_contiguous(situ_fused *g, int dtype)
{
    int64_t s[3] = {0};
    situ_shape_strides(g->ndim, g->dim, s);
    return load(g, dtype, s[0], s[1], s[2]);
}

static int argument(situ_fused *g, int dtype, bool real)
{
    return add(
        g, (situ_instruction){.kind = SITU_DO_ARGUMENT, .dtype = (uint8_t)dtype, .a = (uint8_t)g->nword++, .b = real});
}

static int element(situ_fused *g, situ_el el, int from, int a, int b, int c)
{
    situ_dtype dtype = situ_el_result(el, (situ_dtype)from);
    return add(g, (situ_instruction){.kind = SITU_DO_ELEMENT,
                                     .el = (uint16_t)el,
                                     .from = (uint8_t)from,
                                     .dtype = (uint8_t)dtype,
                                     .a = (uint8_t)a,
                                     .b = (uint8_t)b,
                                     .c = (uint8_t)c});
}

static int cast(situ_fused *g, int from, int to, int a)
{
    return add(g,
               (situ_instruction){.kind = SITU_DO_CAST, .from = (uint8_t)from, .dtype = (uint8_t)to, .a = (uint8_t)a});
}

static void store(situ_fused *g, int r, int dtype)
{
    g->store[g->nstore].from_register = (uint8_t)r;
    g->store[g->nstore++].dtype = (uint8_t)dtype;
}

static situ_fused group(int ndim, int64_t d0, int64_t d1, int64_t d2)
{
    return (situ_fused){.ndim = ndim, .dim = {d0, d1, d2}, .reduction = -1};
}

static void fold(situ_fused *g, int op, int r, int dtype, int out, int64_t A, int64_t R, int64_t C)
{
    g->reduction = op;
    g->reduce_register = (uint8_t)r;
    g->reduce_dtype = (uint8_t)dtype;
    g->reduce_out = (uint8_t)out;
    g->A = A;
    g->R = R;
    g->C = C;
}

/* ---------------------------------------------------------------- running them */

static const double *given; /* arguments; NULL: random ones */
static uint64_t random_state = 1;
static uint64_t random_word(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = random_state ^ random_state >> 33;
    return x * 0xff51afd7ed558ccdu >> 20;
}
static int64_t below(int64_t n) { return (int64_t)(random_word() % (uint64_t)n); }

static void fill(void *memory, int dtype, int64_t n)
{
    size_t size = situ_dtype_size((situ_dtype)dtype);
    for (int64_t i = 0; i < n; i++) {
        char *to = (char *)memory + (size_t)i * size;
        if (dtype == SITU_BOOL) *to = (char)(below(3) == 0 ? 0 : below(20) ? 1 : 7);
        else if (situ_dtype_is_float((situ_dtype)dtype))
            situ_element_set_f64((situ_dtype)dtype, to,
                                 below(50)  ? (double)below(2000) / 250 - 4
                                 : below(2) ? NAN
                                 : below(2) ? -0.0
                                            : -INFINITY);
        else
            situ_element_set_i64((situ_dtype)dtype, to,
                                 below(100) - (situ_dtype_is_signed((situ_dtype)dtype) ? 50 : 0));
    }
}

/* Distance from the first to the last element that a load reads. */
static int64_t extent(const situ_fused *g, const situ_load *l)
{
    int64_t last = 0;
    for (int i = 0; i < g->ndim; i++) last += (g->dim[i] ? g->dim[i] - 1 : 0) * l->stride[i];
    return last + 1;
}

typedef struct memory {
    char *address[SITU_FUSED_STORES + SITU_FUSED_LOADS + 1], *expected[SITU_FUSED_STORES + SITU_FUSED_LOADS + 1];
    int n, results, dtype[SITU_FUSED_STORES + SITU_FUSED_LOADS + 1];
    int64_t count[SITU_FUSED_STORES + SITU_FUSED_LOADS + 1];
    uint64_t word[SITU_FUSED_WORDS];
} memory;

static void describe(memory *m, int dtype, int64_t count)
{
    m->dtype[m->n] = dtype;
    m->count[m->n++] = count;
}

static void open_memory(memory *m, const situ_fused *g)
{
    int64_t count = situ_shape_count(g->ndim, g->dim);
    memset(m, 0, sizeof *m);
    for (int i = 0; i < g->nstore; i++) describe(m, g->store[i].dtype, count);
    if (g->reduction >= 0) describe(m, g->reduce_out, g->A * g->C);
    m->results = m->n;
    for (int i = 0; i < g->nload; i++) describe(m, g->load[i].dtype, extent(g, &g->load[i]));
    for (int i = 0; i < m->n; i++) {
        size_t bytes = (size_t)(m->count[i] + 64) * situ_dtype_size((situ_dtype)m->dtype[i]);
        m->address[i] = calloc(1, bytes);
        if (i >= m->results) fill(m->address[i], m->dtype[i], m->count[i]);
        m->expected[i] = i < m->results ? calloc(1, bytes) : m->address[i];
    }
    for (int i = 0; i < g->nword; i++) {
        double real = given ? given[i] : (double)below(100) / 8 - 6;
        for (int k = 0; k < g->ninstruction; k++) {
            const situ_instruction *in = &g->instruction[k];
            if (in->kind != SITU_DO_ARGUMENT || in->a != i) continue;
            if (in->b) memcpy(&m->word[i], &real, 8);
            else m->word[i] = (uint64_t)(below(100) - 50);
        }
    }
}

static void close_memory(memory *m)
{
    for (int i = 0; i < m->n; i++) {
        free(m->address[i]);
        if (i < m->results) free(m->expected[i]);
    }
}

/* Results equal the expected ones, and nothing is written behind them. */
static bool same(const memory *m, const char *what)
{
    bool all = true;
    for (int i = 0; i < m->results; i++) {
        int64_t at = reference_differs(m->dtype[i], m->address[i], m->expected[i], m->count[i] + 64);
        if (at < 0) continue;
        fprintf(stderr, "%s: result %d (%s) differs first at %lld of %lld: %.9g, not %.9g\n", what, i,
                situ_dtype_name((situ_dtype)m->dtype[i]), (long long)at, (long long)m->count[i],
                situ_element_get_f64((situ_dtype)m->dtype[i],
                                     m->address[i] + (size_t)at * situ_dtype_size((situ_dtype)m->dtype[i])),
                situ_element_get_f64((situ_dtype)m->dtype[i],
                                     m->expected[i] + (size_t)at * situ_dtype_size((situ_dtype)m->dtype[i])));
        all = false;
    }
    return all;
}

static bool launch(const situ_fused *g, char *const *address, const uint64_t *word, bool parallel)
{
    situ_kernel_desc desc = {
        .name = "test", .group = g, .naddress = g->nstore + (g->reduction >= 0) + g->nload, .nargument = g->nword};
    situ_fault fault = {0};
    void *kernel = situ_cpu_kernel_new(&desc);
    if (!CHECK(kernel)) return CHECK_OK();
    CHECK_EQ(situ_cpu_kernel_run(kernel, address, word, &fault, parallel), 0);
    CHECK_EQ(fault.code, 0);
    situ_cpu_kernel_free(kernel);
    return true;
}

/* Serial, parallel, and with the baseline instruction set: the bits of the reference. */
static bool run(const situ_fused *g, const char *what)
{
    static const char *const how[] = {"serial", "parallel", "baseline"};
    memory m;
    bool good = true;
    open_memory(&m, g);
    reference_run(g, m.expected, m.word);
    for (int i = 0; i < 3 && good; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s, %s", what, how[i]);
        for (int k = 0; k < m.results; k++)
            memset(m.address[k], 0, (size_t)(m.count[k] + 64) * situ_dtype_size((situ_dtype)m.dtype[k]));
        if (i == 2) situ_isa_limit(SITU_ISA_BASELINE);
        good = launch(g, m.address, m.word, i == 1) && CHECK(same(&m, text));
        situ_isa_limit(SITU_ISA_AVX512);
    }
    close_memory(&m);
    return good;
}

/* ---------------------------------------------------------------- elementwise */

static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 5000, 70001};
enum { SIZES = sizeof sizes / sizeof *sizes };

TEST(chains_of_all_sizes)
{
    for (int i = 0; i < SIZES; i++) {
        situ_fused g = group(1, sizes[i], 0, 0);
        int x = load_contiguous(&g, SITU_F32), y = load_contiguous(&g, SITU_F32), s = argument(&g, SITU_F32, true);
        int a = element(&g, SITU_EL_mul, SITU_F32, x, s, 0), b = element(&g, SITU_EL_add, SITU_F32, a, y, 0);
        int c = element(&g, SITU_EL_exp, SITU_F32, b, 0, 0), less = element(&g, SITU_EL_less, SITU_F32, a, y, 0);
        int d = element(&g, SITU_EL_where, SITU_F32, less, c, x);
        store(&g, d, SITU_F32);
        store(&g, less, SITU_BOOL);
        store(&g, b, SITU_F32);
        if (!run(&g, "chain")) return;
    }
}

TEST(every_dtype_is_loaded_rounded_and_stored)
{
    for (int from = SITU_BOOL; from <= SITU_F64; from++)
        for (int to = SITU_BOOL; to <= SITU_F64; to++) {
            situ_fused g = group(1, 1500, 0, 0);
            int x = load_contiguous(&g, from), y = cast(&g, from, to, x), strided = load(&g, from, 3, 0, 0);
            store(&g, y, to);
            store(&g, cast(&g, to, SITU_F64, y), SITU_F64);
            store(&g, cast(&g, from, SITU_F64, x), SITU_F64);
            store(&g, strided, from == SITU_BOOL ? SITU_U8 : from); /* a bool of a borrow may be any byte */
            char what[64];
            snprintf(what, sizeof what, "%s to %s", situ_dtype_name((situ_dtype)from), situ_dtype_name((situ_dtype)to));
            if (!run(&g, what)) return;
        }
}

/* A bool byte other than 1 is used unchanged by operations that accept any true byte; for other readers it becomes 1. */
TEST(any_byte_of_a_bool_is_true)
{
    static const int ops[] = {SITU_EL_logical_and, SITU_EL_logical_or, SITU_EL_logical_xor, SITU_EL_bitwise_and, SITU_EL_bitwise_or,
                              SITU_EL_bitwise_xor};
    for (int other = 0; other < 2; other++)
        for (int i = 0; i < 6; i++) {
            situ_fused g = group(2, 40, 133, 0);
            int x = load_contiguous(&g, SITU_BOOL), row = load(&g, SITU_BOOL, 0, 1, 0), column = load(&g, SITU_BOOL, 1, 0, 0),
                turned = load(&g, SITU_BOOL, 1, 40, 0), f = load_contiguous(&g, SITU_F32);
            int y = element(&g, ops[i], SITU_BOOL, x, row, 0), z = element(&g, ops[i], SITU_BOOL, column, turned, 0);
            store(&g, y, SITU_BOOL);
            store(&g, element(&g, SITU_EL_bitwise_invert, SITU_BOOL, x, 0, 0), SITU_BOOL);
            store(&g, element(&g, SITU_EL_logical_not, SITU_BOOL, z, 0, 0), SITU_BOOL);
            store(&g, element(&g, SITU_EL_where, SITU_F32, x, f, cast(&g, SITU_BOOL, SITU_F32, column)), SITU_F32);
            if (other) store(&g, element(&g, SITU_EL_equal, SITU_BOOL, x, turned, 0), SITU_BOOL);
            if (!run(&g, situ_el_rows[ops[i]].name)) return;
        }
}

TEST(f16_rounds_after_each_operation)
{
    situ_fused g = group(1, 3000, 0, 0);
    int x = load_contiguous(&g, SITU_F16), y = load_contiguous(&g, SITU_F16);
    int a = cast(&g, SITU_F16, SITU_F16, element(&g, SITU_EL_mul, SITU_F32, x, y, 0));
    int b = cast(&g, SITU_F16, SITU_F16, element(&g, SITU_EL_add, SITU_F32, a, y, 0));
    store(&g, b, SITU_F16);
    store(&g, a, SITU_F16);
    run(&g, "f16");
}

TEST(strided_and_broadcast_operands)
{
    static const int64_t dims[][3] = {{3, 5, 7}, {2, 40, 33}, {1, 1, 1}, {50, 1, 60}, {7, 300, 40}, {0, 4, 4}};
    for (int i = 0; i < 6; i++) {
        int64_t a = dims[i][0], b = dims[i][1], c = dims[i][2];
        situ_fused g = group(3, a, b, c);
        int x = load_contiguous(&g, SITU_F32), transposed = load(&g, SITU_F32, 1, a, a * b),
            row = load(&g, SITU_F32, 0, 0, 1);
        int column = load(&g, SITU_I16, 0, 1, 0), one = load(&g, SITU_BF16, 0, 0, 0),
            sparse = load(&g, SITU_F32, 2 * b * c, 2 * c, 2);
        int sum = element(&g, SITU_EL_add, SITU_F32, x, transposed, 0);
        sum = element(&g, SITU_EL_add, SITU_F32, sum, row, 0);
        sum = element(&g, SITU_EL_add, SITU_F32, sum, cast(&g, SITU_I16, SITU_F32, column), 0);
        sum = element(&g, SITU_EL_mul, SITU_F32, sum, one, 0);
        store(&g, element(&g, SITU_EL_sub, SITU_F32, sum, sparse, 0), SITU_F32);
        store(&g, element(&g, SITU_EL_square, SITU_F32, one, 0, 0), SITU_F32);
        store(&g, column, SITU_I16);
        if (!run(&g, "strided")) return;
    }
}

TEST(copies_of_strided_operands)
{
    static const int64_t dims[][3] = {{3, 5, 7}, {1, 100, 300}, {70, 64, 33}, {1, 2, 40000}, {40000, 2, 1}};
    static const int dtypes[] = {SITU_U8, SITU_F16, SITU_F32, SITU_F64};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            int64_t a = dims[i][0], b = dims[i][1], c = dims[i][2];
            situ_fused g = group(3, a, b, c);
            store(&g, load(&g, dtypes[k], 1, a, a * b), dtypes[k]);
            if (!run(&g, "copy")) return;
            situ_fused h = group(3, a, b, c);
            store(&h, load(&h, dtypes[k], b * c, 1, b), dtypes[k]);
            if (!run(&h, "matrices transposed")) return;
        }
}

/* A matrix with contiguous columns next to one with contiguous rows: stored, summed along rows, summed along columns. */
TEST(transposed_operands)
{
    static const int64_t dims[][3] = {{1, 100, 300}, {3, 70, 64}, {2, 16, 1000}, {1, 5, 70}, {2, 3, 65}, {1, 33, 3000}, {1, 6, 20000}};
    static const int dtypes[] = {SITU_F16, SITU_F32, SITU_F64};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++)
            for (int way = 0; way < 3; way++) {
                int64_t a = dims[i][0], b = dims[i][1], c = dims[i][2];
                int dtype = dtypes[k], compute = situ_dtype_compute((situ_dtype)dtype);
                situ_fused g = group(3, a, b, c);
                int turned = load(&g, dtype, b * c, 1, b), sum = element(&g, SITU_EL_sub, compute, load_contiguous(&g, dtype), turned, 0);
                if (way == 0) store(&g, sum, compute);
                else fold(&g, SITU_REDUCE_SUM, sum, compute, compute, way == 1 ? a * b : a, way == 1 ? c : b, way == 1 ? 1 : c);
                if (!run(&g, "transposed")) return;
            }
}

TEST(coordinates_and_random_bits)
{
    static const int dtypes[] = {SITU_U8,  SITU_I8,  SITU_I16, SITU_U32, SITU_I32,
                                 SITU_I64, SITU_U64, SITU_F32, SITU_F64};
    for (int i = 0; i < SIZES; i++) {
        situ_fused g = group(1, sizes[i], 0, 0);
        g.load[g.nload++] = (situ_load){SITU_U32, {0}};
        for (int k = 0; k < 6; k++) {
            int dtype = dtypes[(i + k) % 9];
            int64_t p = k < 3 ? 1 : k * 7, q = k == 1 ? 10 : k == 4 ? 300 : 1 << 20;
            store(&g, add(&g, (situ_instruction){.kind = SITU_DO_IOTA, .dtype = (uint8_t)dtype, .p = p, .q = q}),
                  dtype);
        }
        for (int k = 0; k < 2; k++) {
            int dtype = k ? SITU_U64 : SITU_U32;
            store(
                &g,
                add(&g, (situ_instruction){.kind = SITU_DO_RANDOM, .dtype = (uint8_t)dtype, .p = i & 1, .q = sizes[i]}),
                dtype);
        }
        if (!run(&g, "positions")) return;
    }
}

/* A choice by position changes one element of one block at most. */
TEST(choices_by_position)
{
    static const int64_t counts[] = {512, 1023, 1024, 1025, 2111, 5000};
    for (int i = 0; i < 6; i++) {
        const double at[] = {0, 1, 7, 63, 64, 65, 511, 600, 1023, 1024, 2110, (double)counts[i] - 1, (double)counts[i], -1, 3.5, NAN};
        for (int k = 0; k < 16; k++)
            for (int way = 0; way < 4; way++) {
                situ_fused g = group(1, counts[i], 0, 0);
                int where = argument(&g, SITU_F32, true), value = argument(&g, SITU_F32, true), x = load_contiguous(&g, SITU_F32);
                int position = add(&g, (situ_instruction){.kind = SITU_DO_IOTA, .dtype = SITU_F32, .p = 1, .q = counts[i]});
                int test = way & 1 ? element(&g, SITU_EL_equal, SITU_F32, where, position, 0) : element(&g, SITU_EL_equal, SITU_F32, position, where, 0);
                int y = element(&g, SITU_EL_mul, SITU_F32, way & 2 ? x : position, value, 0);
                int chosen = element(&g, SITU_EL_where, SITU_F32, test, value, y);
                store(&g, element(&g, SITU_EL_add, SITU_F32, chosen, way & 2 ? position : x, 0), SITU_F32);
                given = (double[]){at[k], 0.1};
                bool good = run(&g, "choice by position");
                given = NULL;
                if (!good) return;
            }
    }
}

/* Roots go to memory beside what is done with their operand. */
TEST(roots_beside_logarithms)
{
    for (int i = 0; i < SIZES; i++)
        for (int all = 0; all < 12; all++)
            for (int ordinary = 0; ordinary < 2; ordinary++) {
                int way = all % 6;
                situ_fused g = group(1, sizes[i], 0, 0);
                int x = load_contiguous(&g, SITU_F32), y = load_contiguous(&g, SITU_F32);
                x = element(&g, SITU_EL_mul, SITU_F32, x, y, 0);
                if (ordinary) x = element(&g, SITU_EL_exp, SITU_F32, element(&g, SITU_EL_minimum, SITU_F32, x, y, 0), 0, 0);
                int root = element(&g, all < 6 ? SITU_EL_sqrt : SITU_EL_pow_half, SITU_F32, x, 0, 0), other = x;
                if (way == 1 || way == 2) other = element(&g, SITU_EL_abs, SITU_F32, x, 0, 0);
                int kept = way == 2 ? other : x;
                other = element(&g, way == 3 ? SITU_EL_exp : SITU_EL_log, SITU_F32, other, 0, 0);
                int sum = element(&g, SITU_EL_sub, SITU_F32, root, other, 0);
                if (way == 2 || way == 4) sum = element(&g, SITU_EL_mul, SITU_F32, sum, kept, 0);
                store(&g, sum, SITU_F32);
                if (way == 5) store(&g, root, SITU_F32);
                if (!run(&g, "root beside a logarithm")) return;
            }
}

/* The original layout is made in pairs from both halves at once. */
TEST(random_bits_in_pairs)
{
    static const int64_t counts[] = {2048, 2049, 4095, 5000, 70001};
    for (int i = 0; i < 5; i++) {
        situ_fused g = group(1, counts[i], 0, 0);
        int bits[3];
        for (int k = 0; k < 3; k++) {
            g.load[g.nload++] = (situ_load){SITU_U32, {1}};
            bits[k] =
                add(&g, (situ_instruction){.kind = SITU_DO_RANDOM, .dtype = SITU_U32, .a = (uint8_t)k, .q = counts[i]});
        }
        int x = load_contiguous(&g, SITU_U32), mixed = element(&g, SITU_EL_bitwise_xor, SITU_U32, bits[0], bits[1], 0);
        store(&g, element(&g, SITU_EL_add, SITU_U32, mixed, x, 0), SITU_U32);
        store(&g, bits[2], SITU_U32);
        if (!run(&g, "pairs")) return;
    }
}

TEST(results_in_the_memory_of_operands)
{
    enum { N = 3333 };
    float x[N], y[N], a[N], b[N];
    double w = 0.25;
    uint64_t word[1];
    memcpy(word, &w, 8);
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = (float)(i % 17) - 8;
    /* a = x + y goes to x's place though x is read once more: b = a * w + x goes to y's, which also is */
    situ_fused g = group(1, N, 0, 0);
    int rx = load_contiguous(&g, SITU_F32), ry = load_contiguous(&g, SITU_F32), rw = argument(&g, SITU_F32, true);
    int ra = element(&g, SITU_EL_add, SITU_F32, rx, ry, 0), rb = element(&g, SITU_EL_mul, SITU_F32, ra, rw, 0);
    rb = element(&g, SITU_EL_add, SITU_F32, rb, rx, 0);
    store(&g, ra, SITU_F32);
    store(&g, rb, SITU_F32);
    store(&g, ry, SITU_F32); /* y before the update */
    for (int i = 0; i < N; i++) {
        a[i] = x[i] + y[i];
        float product = a[i] * 0.25f;
        b[i] = product + x[i];
    }
    float old[N], y_before[N];
    memcpy(y_before, y, sizeof y);
    char *address[] = {(char *)x, (char *)y, (char *)old, (char *)x, (char *)y};
    launch(&g, address, word, true);
    CHECK(!memcmp(x, a, sizeof x));
    CHECK(!memcmp(y, b, sizeof y));
    CHECK(!memcmp(old, y_before, sizeof old));
    /* two operands change places */
    situ_fused swap = group(1, N, 0, 0);
    int p = load_contiguous(&swap, SITU_F32), q = load_contiguous(&swap, SITU_F32);
    store(&swap, q, SITU_F32);
    store(&swap, p, SITU_F32);
    char *both[] = {(char *)x, (char *)y, (char *)x, (char *)y};
    launch(&swap, both, NULL, true);
    CHECK(!memcmp(x, b, sizeof x));
    CHECK(!memcmp(y, a, sizeof y));
}

/* ---------------------------------------------------------------- reductions */

static bool reduce(int op, int from, int accumulate, int out, int64_t A, int64_t R, int64_t C, int how)
{
    situ_fused g = group(3, A, R, C);
    int x = how & 1 ? load(&g, from, 1, A, A * R) : load_contiguous(&g, from);
    if (how & 2 && from == SITU_F32) x = element(&g, SITU_EL_square, SITU_F32, x, 0, 0);
    if (how & 4) store(&g, x, from);
    fold(&g, op, x, accumulate, out, A, R, C);
    char what[100];
    snprintf(what, sizeof what, "fold %d of %s [%d,%d,%d] variant %d", op, situ_dtype_name((situ_dtype)from), (int)A,
             (int)R, (int)C, how);
    return run(&g, what);
}

TEST(sums_in_the_written_order)
{
    static const int64_t shapes[][3] = {
        {1, 1, 1},      {0, 3, 2},      {3, 0, 1},      {2, 0, 5},     {1, 63, 1},     {1, 64, 1},     {1, 65, 1},
        {1, 1023, 1},   {1, 1024, 1},   {1, 1025, 1},   {5, 3000, 1},  {5000, 3, 1},   {100, 500, 1},  {7, 513, 1},
        {3, 1024, 1},   {1, 200000, 1}, {2, 70000, 1},  {70, 2049, 1}, {1, 1, 7},      {1, 63, 7},     {1, 64, 7},
        {1, 65, 7},     {1, 129, 300},  {1, 1000, 511}, {1, 400, 513}, {1, 200, 1023}, {1, 193, 1024}, {1, 130, 1025},
        {2, 100, 2500}, {3, 20000, 3},  {300, 7, 11},   {40, 5, 2},    {1, 5000, 40},  {17, 64, 64},   {3, 1, 3000},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int how = (int)i % 3; how < 8; how += 3)
            if (!reduce(SITU_REDUCE_SUM, SITU_F32, SITU_F32, SITU_F32, shapes[i][0], shapes[i][1], shapes[i][2], how))
                return;
}

TEST(every_reduction_and_dtype)
{
    static const int dtypes[] = {SITU_U8,  SITU_I16, SITU_I32,  SITU_U32, SITU_I64,
                                 SITU_U64, SITU_F16, SITU_BF16, SITU_F32, SITU_F64};
    static const int64_t shapes[][3] = {{3, 1500, 1}, {50, 9, 1}, {1, 150, 20}, {9, 3, 4}, {1, 70, 600}};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (int s = 0; s < 5; s++)
            for (int op = SITU_REDUCE_SUM; op <= SITU_REDUCE_MIN; op++)
                if (!reduce(op, dtypes[i], dtypes[i], dtypes[i], shapes[s][0], shapes[s][1], shapes[s][2], s & 1))
                    return;
    for (int s = 0; s < 5; s++) {
        reduce(SITU_REDUCE_ANY, SITU_BOOL, SITU_BOOL, SITU_BOOL, shapes[s][0], shapes[s][1], shapes[s][2], 0);
        reduce(SITU_REDUCE_ALL, SITU_BOOL, SITU_BOOL, SITU_BOOL, shapes[s][0], shapes[s][1], shapes[s][2], 1);
        reduce(SITU_REDUCE_SUM, SITU_BOOL, SITU_I64, SITU_I64, shapes[s][0], shapes[s][1], shapes[s][2], 0);
        reduce(SITU_REDUCE_SUM, SITU_F32, SITU_F64, SITU_F16, shapes[s][0], shapes[s][1], shapes[s][2], 0);
    }
}

TEST(sums_of_what_is_the_same_everywhere)
{
    for (int i = 1; i < SIZES; i++) {
        situ_fused g = group(1, sizes[i], 0, 0);
        int x = argument(&g, SITU_F32, true);
        fold(&g, SITU_REDUCE_SUM, element(&g, SITU_EL_exp, SITU_F32, x, 0, 0), SITU_F32, SITU_F32, 1, sizes[i], 1);
        if (!run(&g, "sum of a constant")) return;
    }
}

/* ---------------------------------------------------------------- anything */

/* Operations whose result depends on the sign of a NaN, which no instruction specifies. */
static bool sees_sign_of_nan(situ_el el)
{
    situ_el_kind kind = situ_el_rows[el].kind;
    return kind >= SITU_EL_TO_F32 || el == SITU_EL_signbit || el == SITU_EL_copysign;
}

static bool try_random_operation(situ_fused *g, int *logical)
{
    situ_el el = (situ_el)below(SITU_EL_COUNT);
    int a = (int)below(g->ninstruction), b = (int)below(g->ninstruction), c = (int)below(g->ninstruction);
    int from = situ_dtype_compute((situ_dtype)logical[a]), arity = situ_el_rows[el].arity;
    if (situ_el_rows[el].kind == SITU_EL_SELECT) {
        from = situ_dtype_compute((situ_dtype)logical[b]);
        if (logical[a] != SITU_BOOL || from != (int)situ_dtype_compute((situ_dtype)logical[c])) return false;
    } else if ((arity > 1 && from != (int)situ_dtype_compute((situ_dtype)logical[b])) ||
               (arity > 2 && from != (int)situ_dtype_compute((situ_dtype)logical[c]))) {
        return false;
    }
    if (!situ_tiles_baseline.op[el][from] || sees_sign_of_nan(el)) return false;
    int r = element(g, el, from, a, arity > 1 ? b : 0, arity > 2 ? c : 0);
    logical[r] = situ_el_result(el, (situ_dtype)from);
    return true;
}

static void random_group(situ_fused *g)
{
    static const int dtypes[] = {SITU_BOOL, SITU_U8,  SITU_I32, SITU_F16, SITU_F32,
                                 SITU_F32,  SITU_F32, SITU_F64, SITU_I64};
    int logical[SITU_FUSED_INSTRUCTIONS], loads = 1 + (int)below(4);
    int64_t s[3];
    *g = group(3, 1 + below(4), 1 + below(30), 1 + below(60));
    situ_shape_strides(3, g->dim, s);
    for (int i = 0; i < loads; i++) {
        int dtype = dtypes[below(9)], form = (int)below(5), r;
        if (form == 0) r = load(g, dtype, 1, g->dim[0], g->dim[0] * g->dim[1]);
        else if (form == 1) r = load(g, dtype, 0, 0, below(2));
        else if (form == 2) r = argument(g, dtype, below(2));
        else r = load(g, dtype, s[0], s[1], s[2]);
        logical[r] = dtype;
    }
    int target = loads + 1 + (int)below(30);
    for (int tries = 0; g->ninstruction < target && tries < 3000; tries++) {
        if (below(12)) {
            try_random_operation(g, logical);
        } else {
            int a = (int)below(g->ninstruction), to = dtypes[below(9)], r = cast(g, logical[a], to, a);
            logical[r] = to;
        }
    }
    for (int i = (int)below(4); i >= 0; i--) {
        int r = (int)below(g->ninstruction);
        store(g, r, logical[r]);
    }
    int r = g->ninstruction - 1;
    if (below(2) && situ_dtype_compute((situ_dtype)logical[r]) == SITU_F32) { /* a comparison that a chain may make */
        static const situ_el compare[] = {SITU_EL_less, SITU_EL_greater_equal, SITU_EL_equal};
        int other = (int)below(g->ninstruction);
        if (situ_dtype_compute((situ_dtype)logical[other]) != SITU_F32) other = r;
        r = element(g, compare[below(3)], SITU_F32, r, other, 0);
        logical[r] = SITU_BOOL;
    }
    if (below(2)) /* bools by the largest and the smallest, any and all */
        fold(g, (int)(logical[r] == SITU_BOOL ? SITU_REDUCE_MAX + below(4) : below(4)), r, logical[r], logical[r], g->dim[0],
             below(2) ? g->dim[1] * g->dim[2] : g->dim[1], 0);
    if (g->reduction >= 0) g->C = g->R == g->dim[1] ? g->dim[2] : 1;
}

TEST(random_groups)
{
    for (int i = 0; i < 600; i++) {
        situ_fused g;
        char what[40];
        random_state = (uint64_t)i + 1000;
        random_group(&g);
        snprintf(what, sizeof what, "random group %d", i);
        if (!run(&g, what)) return;
    }
}

/* In a new thread, which has no scratch memory yet. */
static void *run_short_of_memory(void *argument)
{
    int *failures = argument;
    situ_fused g = group(1, 3000, 0, 0);
    float x[3000] = {1}, y[3000];
    store(&g, element(&g, SITU_EL_exp, SITU_F32, load_contiguous(&g, SITU_F32), 0, 0), SITU_F32);
    situ_kernel_desc desc = {.name = "exp", .group = &g, .naddress = 2};
    situ_fault fault = {0};
    situ_test_fail_alloc(++*failures);
    void *kernel = situ_cpu_kernel_new(&desc);
    if (kernel) situ_cpu_kernel_run(kernel, (char *[]){(char *)y, (char *)x}, NULL, &fault, false);
    bool struck = situ_test_fail_struck();
    situ_test_fail_alloc(0);
    if (!kernel) CHECK_CODE(SITU_NO_MEMORY);
    else if (struck) CHECK_EQ(fault.code, SITU_NO_MEMORY);
    else CHECK(y[0] > 2.7f && y[2999] == 1.0f);
    situ_cpu_kernel_free(kernel);
    return struck ? argument : NULL;
}

TEST(memory_that_runs_out_is_a_fault)
{
    int failures = 0;
    int64_t before = settled_blocks();
    void *struck = &failures;
    for (pthread_t thread; struck && failures < 10; pthread_join(thread, &struck))
        if (!CHECK(!pthread_create(&thread, NULL, run_short_of_memory, &failures))) return;
    /* kernel, builder, program, scratch memory, and where the instruction set has chains, one; the run behind them
     * succeeds */
    CHECK(failures == 5 || failures == 6);
    CHECK_EQ(situ_test_live_blocks(), before);
}

TEST(malformed_groups_are_refused)
{
    situ_fused g = group(1, 5, 0, 0);
    store(&g, element(&g, SITU_EL_add, SITU_F32, load_contiguous(&g, SITU_F32), 7, 0), SITU_F32);
    situ_kernel_desc desc = {.group = &g, .naddress = 2};
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_cpu_kernel_new(&desc));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_cpu_kernel_new(NULL));
    situ_fused h = group(1, 5, 0, 0);
    store(&h, element(&h, SITU_EL_exp, SITU_I32, load_contiguous(&h, SITU_I32), 0, 0), SITU_I32);
    desc.group = &h;
    CHECK_FAILS(SITU_UNSUPPORTED, situ_cpu_kernel_new(&desc));
}
