/* Generated OpenCL text gives the CPU's bits: every operation, cast and reduction, random bits and random groups.
 * Kernels take long to compile, so many operations share one. */
#include <situ.h>

#include "support/bulk_group.h"
#include "support/group_print.h"
#include "support/opencl_group.h"

static bool need_exact(void)
{
    situ_device_info info = {0};
    need_tested(1);
    situ_device_describe(tested_device(0), &info);
    if (!info.bit_equal) SKIP("this device says that it is not bit-equal");
    return true;
}

/* f64 functions of the device's own library: compared approximately, everything else exactly. */
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

TEST(operations_give_the_cpus_bits)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U32, SITU_U64, SITU_I32, SITU_I64, SITU_F32, SITU_F64};
    random_state s = {21};
    need_exact();
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int library = 0; library < 2; library++) {
            situ_fused g = bulk_group(&s, dtypes[k]);
            for (int el = 0; el < SITU_EL_COUNT; el++) {
                if (!situ_el_takes((situ_el)el, dtypes[k]) || by_library(el, dtypes[k]) != library) continue;
                bulk_operation(&g, el, dtypes[k]);
                if (g.nstore < 40) continue;
                same_on_opencl(&g, random_u64(&s), situ_dtype_name(dtypes[k]), !library);
                g = bulk_group(&s, dtypes[k]);
            }
            if (g.nstore) same_on_opencl(&g, random_u64(&s), situ_dtype_name(dtypes[k]), !library);
        }
}

TEST(casts_give_the_cpus_bits)
{
    random_state s = {22};
    need_exact();
    for (int first = 0; first < SITU_DTYPES; first += 4) {
        situ_fused g = bulk_casts(&s, first);
        same_on_opencl(&g, random_u64(&s), "casts", true);
    }
}

TEST(sums_give_the_cpus_bits)
{
    random_state s = {23};
    need_exact();
    for (size_t k = 0; k < sizeof bulk_folds / sizeof *bulk_folds; k++) {
        situ_fused g = fold_group(&s, bulk_folds[k].fold, bulk_folds[k].d, bulk_folds[k].A, bulk_folds[k].R, bulk_folds[k].C);
        char label[64];
        snprintf(label, sizeof label, "fold %d of %s over [%lld,%lld,%lld]", bulk_folds[k].fold, situ_dtype_name(bulk_folds[k].d), (long long)bulk_folds[k].A,
                 (long long)bulk_folds[k].R, (long long)bulk_folds[k].C);
        same_on_opencl(&g, random_u64(&s), label, true);
    }
}

TEST(random_bits_give_the_cpus_bits)
{
    static const int64_t sizes[] = {5001, 10000, 0xffffffff};
    random_state s = {24};
    need_exact();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        situ_fused g = bulk_bits(sizes[k]);
        same_on_opencl(&g, random_u64(&s), "random bits", true);
    }
}

static bool has_library_functions(const situ_fused *g)
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
        situ_fused g = random_group(&s);
        char label[32];
        snprintf(label, sizeof label, "random group %d", i);
        if (has_library_functions(&g)) continue; /* other operations could show small differences */
        if (!same_on_opencl(&g, random_u64(&s), label, true)) group_print(stdout, &g);
    }
}
