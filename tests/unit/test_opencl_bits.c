/* Generated OpenCL text gives the CPU's bits: every operation, cast and reduction, random bits and random groups. Kernels
 * take long to compile, so that many operations share one. */
#include <situ.h>

#include "support/opencl_group.h"

static bool need_exact(void)
{
    situ_device_info info = {0};
    need_opencl(1);
    situ_device_describe(situ_opencl(), &info);
    if (!info.bit_equal) SKIP("this OpenCL device says that it is not bit-equal");
    return true;
}

/* f64 functions that the device's library computes; these are near, all else is equal. */
static bool by_library(int el, situ_dtype d)
{
    static const int exact[] = {SITU_EL_fmod, SITU_EL_remainder, SITU_EL_floor_divide, SITU_EL_fma, SITU_EL_abs, SITU_EL_sign,
                                SITU_EL_sqrt, SITU_EL_rsqrt, SITU_EL_reciprocal, SITU_EL_relu, SITU_EL_maximum, SITU_EL_minimum,
                                SITU_EL_clip, SITU_EL_floor, SITU_EL_ceil, SITU_EL_round, SITU_EL_trunc, SITU_EL_copysign,
                                SITU_EL_nextafter, SITU_EL_isinf, SITU_EL_isfinite, SITU_EL_signbit, SITU_EL_where};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (el == exact[i]) return false;
    return d == SITU_F64 && strchr(situ_el_rows[el].value, '(');
}

/* A bulk of operations on three loads of dtype d (and a bool), each with its own store. */
static situ_group bulk_group(random_state *s, situ_dtype d)
{
    situ_group g = small_group(3, 700);
    for (int i = 0; i < 3; i++) add_contiguous(s, &g, d);
    add_contiguous(s, &g, SITU_BOOL);
    return g;
}

static void add_operation(situ_group *g, int el, situ_dtype d)
{
    situ_instruction in = {.kind = SITU_DO_ELEMENT, .el = (uint16_t)el, .from = (uint8_t)d, .dtype = (uint8_t)situ_el_result((situ_el)el, d),
                           .a = 0, .b = 1, .c = 2};
    if (situ_el_rows[el].kind == SITU_EL_SELECT) in.a = 3;
    g->store[g->nstore].from_register = (uint8_t)g->ninstruction;
    g->store[g->nstore++].dtype = in.dtype;
    *next_instruction(g) = in;
}

TEST(operations_give_the_cpus_bits)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    random_state s = {21};
    need_exact();
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int library = 0; library < 2; library++) {
            situ_group g = bulk_group(&s, dtypes[k]);
            for (int el = 0; el < SITU_EL_COUNT; el++) {
                if (!situ_el_takes((situ_el)el, dtypes[k]) || by_library(el, dtypes[k]) != library) continue;
                add_operation(&g, el, dtypes[k]);
                if (g.nstore < 40) continue;
                same_on_opencl(&g, random_u64(&s), situ_dtype_name(dtypes[k]), !library);
                g = bulk_group(&s, dtypes[k]);
            }
            if (g.nstore) same_on_opencl(&g, random_u64(&s), situ_dtype_name(dtypes[k]), !library);
        }
    CHECK_OK();
}

TEST(casts_give_the_cpus_bits)
{
    random_state s = {22};
    need_exact();
    for (int first = 0; first < SITU_DTYPES; first += 4) {
        situ_group g = small_group(3, 700);
        for (int from = first; from < SITU_DTYPES && from < first + 4; from++) {
            int r = add_contiguous(&s, &g, (situ_dtype)from);
            for (int to = 0; to < SITU_DTYPES; to++) {
                if (to == from) continue;
                cast_to(&g, r, (situ_dtype)to);
                g.store[g.nstore].from_register = (uint8_t)(g.ninstruction - 1);
                g.store[g.nstore++].dtype = (uint8_t)to;
            }
        }
        same_on_opencl(&g, random_u64(&s), "casts", true);
    }
    CHECK_OK();
}

TEST(sums_give_the_cpus_bits)
{
    static const struct {
        int64_t A, R, C;
        int fold;
        situ_dtype d;
    } rows[] = {
        {300, 10, 1, SITU_FOLD_SUM, SITU_F32}, {3, 256, 1, SITU_FOLD_MAX, SITU_F16}, {2, 0, 1, SITU_FOLD_MIN, SITU_F32},
        {5, 700, 1, SITU_FOLD_SUM, SITU_F64}, {2, 1025, 1, SITU_FOLD_PROD, SITU_I32}, {1, 200001, 1, SITU_FOLD_SUM, SITU_F32},
        {1, 5120, 1, SITU_FOLD_SUM, SITU_I64}, {1, 600000, 1, SITU_FOLD_MAX, SITU_F32}, {1, 3000, 1, SITU_FOLD_ANY, SITU_BOOL},
        {2, 40, 70, SITU_FOLD_SUM, SITU_F32}, {1, 1, 5, SITU_FOLD_ALL, SITU_BOOL}, {3, 500, 65, SITU_FOLD_SUM, SITU_F32},
        {1, 5000, 40, SITU_FOLD_SUM, SITU_BF16}, {1, 0, 9, SITU_FOLD_PROD, SITU_F32}, {1, 448, 3, SITU_FOLD_MIN, SITU_U8}};
    random_state s = {23};
    need_exact();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        situ_group g = fold_group(&s, rows[k].fold, rows[k].d, rows[k].A, rows[k].R, rows[k].C);
        char label[64];
        snprintf(label, sizeof label, "fold %d of %s over [%lld,%lld,%lld]", rows[k].fold, situ_dtype_name(rows[k].d), (long long)rows[k].A,
                 (long long)rows[k].R, (long long)rows[k].C);
        same_on_opencl(&g, random_u64(&s), label, true);
    }
    CHECK_OK();
}

TEST(random_bits_give_the_cpus_bits)
{
    static const int64_t sizes[] = {5001, 10000, 0xffffffff};
    random_state s = {24};
    need_exact();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        situ_group g = bits_group(SITU_U32, 0, sizes[k]);
        for (int kind = 1; kind < 4; kind++) {
            *next_instruction(&g) = (situ_instruction){.kind = SITU_DO_RANDOM, .dtype = kind & 1 ? SITU_U64 : SITU_U32, .p = kind / 2, .q = sizes[k]};
            g.store[g.nstore].from_register = (uint8_t)(g.ninstruction - 1);
            g.store[g.nstore++].dtype = kind & 1 ? SITU_U64 : SITU_U32;
        }
        same_on_opencl(&g, random_u64(&s), "random bits", true);
    }
    CHECK_OK();
}

static bool has_library_functions(const situ_group *g)
{
    for (int i = 0; i < g->ninstruction; i++)
        if (g->instruction[i].kind == SITU_DO_ELEMENT && by_library(g->instruction[i].el, (situ_dtype)g->instruction[i].from)) return true;
    return false;
}

TEST(random_groups_give_the_cpus_bits)
{
    const char *text = getenv("SITU_TEST_GRAPHS"), *seed = getenv("SITU_TEST_SEED");
    int graphs = text && *text ? atoi(text) : 16;
    need_exact();
    for (int i = 0; i < graphs; i++) {
        random_state s = {((uint64_t)(seed && *seed ? atoi(seed) : 3) << 32) + (uint64_t)i};
        situ_group g = random_group(&s);
        char label[32];
        snprintf(label, sizeof label, "random group %d", i);
        if (has_library_functions(&g)) continue; /* near values may be told apart by what reads them */
        if (!same_on_opencl(&g, random_u64(&s), label, true)) situ_group_print(stdout, &g);
    }
    CHECK_OK();
}
