/* Folds of comparisons that the same group computes: every kind of truth by every fold, along every axis, in sizes
 * around those that the executor cuts at, fused and not, by each instruction set and device, beside a plain loop over
 * doubles. */
#include <situ.h>

#include <math.h>

#include "support/opencl_devices.h"
#include "support/settled.h"
#include "support/sim_devices.h"
#include "values.h"

#include "base/isa.h"
#include "tensor/dtype.h"

enum { TRUTHS = 14, REDUCTIONS = 8, PATTERNS = 4, LIMIT = 5 };

/* y is x + 2, so that a chain comes before each comparison. */
static situ_tensor *truth_of(int truth, situ_tensor *x)
{
    situ_tensor *y = situ_add(x, 2);
    switch (truth) {
    case 0: return situ_less(y, LIMIT);
    case 1: return situ_less_equal(y, LIMIT);
    case 2: return situ_greater(y, LIMIT);
    case 3: return situ_greater_equal(y, LIMIT);
    case 4: return situ_equal(y, LIMIT);
    case 5: return situ_not_equal(y, LIMIT);
    case 6: return situ_isnan(situ_add(y, 1));
    case 7: return situ_isfinite(situ_add(y, 1));
    case 8: return situ_logical_and(situ_less(y, LIMIT), situ_greater(y, 3));
    case 9: return situ_logical_or(situ_less(y, LIMIT), situ_isnan(y));
    case 10: return situ_logical_not(situ_greater(y, LIMIT));
    case 11: return situ_less(situ_where(situ_less(y, LIMIT), y, situ_add(y, 1)), LIMIT); /* a choice's mask, and one that is folded */
    case 12: return situ_equal(situ_where(situ_equal(y, LIMIT), x, y), situ_where(situ_equal(y, LIMIT), y, x));
    default: return situ_logical_xor(situ_cast(situ_cast(situ_less(y, LIMIT), SITU_U8), SITU_BOOL), situ_greater(y, 3));
    }
}

static bool truth_in_c(int truth, double x)
{
    double y = x + 2, w = y < LIMIT ? y : y + 1;
    switch (truth) {
    case 0: return y < LIMIT;
    case 1: return y <= LIMIT;
    case 2: return y > LIMIT;
    case 3: return y >= LIMIT;
    case 4: return y == LIMIT;
    case 5: return y != LIMIT;
    case 6: return isnan(y);
    case 7: return isfinite(y);
    case 8: return y < LIMIT && y > 3;
    case 9: return y < LIMIT || isnan(y);
    case 10: return !(y > LIMIT);
    case 11: return w < LIMIT;
    case 12: return (y == LIMIT ? x : y) == (y == LIMIT ? y : x);
    default: return (y < LIMIT) != (y > 3);
    }
}

typedef struct fold_case { int truth, reduction, ndim; int64_t dim[3]; situ_axes axes; } fold_case;

static situ_tensor *fold_of(const fold_case *c, situ_tensor *t)
{
    switch (c->reduction) {
    case 0: return situ_all(t, .axes = c->axes);
    case 1: return situ_any(t, .axes = c->axes);
    case 2: return situ_max(t, .axes = c->axes);
    case 3: return situ_min(t, .axes = c->axes);
    case 4: return situ_sum(t, .axes = c->axes);
    case 5: return situ_count_nonzero(t, .axes = c->axes);
    case 6: return situ_sum(situ_cast(t, SITU_F16), .axes = c->axes, .dtype = SITU_F32);
    default: return situ_sum(situ_where(t, 3, 1), .axes = c->axes);
    }
}

/* 0 and 1 of n elements, `ones` of them true. */
static double folded(int fold, int64_t ones, int64_t n)
{
    switch (fold) {
    case 0:
    case 3: return ones == n;
    case 1:
    case 2: return ones > 0;
    case 7: return (double)(n + 2 * ones);
    default: return (double)ones;
    }
}

static int64_t size_of(const fold_case *c)
{
    int64_t n = 1;
    for (int i = 0; i < c->ndim; i++) n *= c->dim[i];
    return n;
}

static bool is_folded(const fold_case *c, int axis)
{
    bool found = !c->axes.given;
    for (int i = 0; i < c->axes.count; i++) found |= c->axes.axis[i] == axis;
    return found;
}

/* The number of true elements of each result, and how many there are. */
static int64_t count_in_c(const fold_case *c, const double *x, int64_t *ones)
{
    int64_t n = size_of(c), results = 1;
    for (int i = 0; i < c->ndim; i++) results *= is_folded(c, i) ? 1 : c->dim[i];
    memset(ones, 0, (size_t)results * sizeof *ones);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int k = c->ndim; k-- > 0; rest /= c->dim[k])
            if (!is_folded(c, k)) at += rest % c->dim[k] * step, step *= c->dim[k];
        ones[at] += truth_in_c(c->truth, x[i]);
    }
    return results;
}

/* One value but for one element; any of a few; those that are not numbers too, where there are such. */
static void fill(double *x, int64_t n, int pattern, bool floats, unsigned seed)
{
    static const double same[] = {1, 3, 2, 4}, few[] = {1, 2, 3, 4, 1, 3, NAN, INFINITY};
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = pattern == 3 ? few[seed >> 16 & (floats ? 7 : 3)] : same[pattern];
    }
    if (pattern < 3 && n > 1 && seed >> 20 & 1) x[(seed >> 8) % n] = same[pattern + 1];
}

static bool one_way(const fold_case *c, situ_dtype dtype, situ_device device, int pattern, const char *how)
{
    int64_t n = size_of(c), wrong = -1;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    int64_t *ones = malloc((size_t)n * sizeof *ones);
    fill(x, n, pattern, situ_dtype_is_float(dtype), (unsigned)(n + c->truth * 7 + pattern + c->reduction));
    int64_t results = count_in_c(c, x, ones);
    IN_SCOPE {
        situ_shape shape = {.ndim = (int32_t)c->ndim};
        memcpy(shape.dim, c->dim, (size_t)c->ndim * sizeof *c->dim);
        situ_tensor *t = situ_cast(situ_from_host(x, shape, .dtype = SITU_F64, .device = device), dtype);
        situ_wait(t);
        situ_tensor *f = situ_cast(fold_of(c, truth_of(c->truth, t)), SITU_F64);
        if (situ_read(f, y, (size_t)results * sizeof *y)) wrong = 0;
        for (int64_t i = 0; i < results && wrong < 0; i++)
            if (y[i] != folded(c->reduction, ones[i], n / results)) wrong = i;
    }
    if (wrong >= 0) {
        char text[240];
        snprintf(text, sizeof text, "truth %d, fold %d of %s [%lld,%lld,%lld] over %d axes from %d, pattern %d, %s: result %lld is %g, not %g (%s)", c->truth,
                 c->reduction, situ_dtype_name(dtype), (long long)c->dim[0], (long long)c->dim[1], (long long)c->dim[2], c->axes.count, c->axes.axis[0], pattern,
                 how, (long long)wrong, y[wrong], folded(c->reduction, ones[wrong], n / results), situ_error_message());
        test_check_string(text, "", __FILE__, __LINE__, "fold");
    }
    free(x);
    free(y);
    free(ones);
    CHECK_OK();
    return wrong < 0;
}

static const int64_t sizes[] = {1, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 2048, 4097};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Variant of a size: a row, rows, columns, the middle, two axes, all of a matrix. */
static fold_case case_of(int truth, int fold, int64_t n, int variant)
{
    static const fold_case shape[] = {{.ndim = 1, .dim = {-1, 1, 1}, .axes = SITU_AXES_UNSET},
                                      {.ndim = 2, .dim = {3, -1, 1}, .axes = {.given = 1, .count = 1, .axis = {1}}},
                                      {.ndim = 2, .dim = {-1, 3, 1}, .axes = {.given = 1, .count = 1, .axis = {0}}},
                                      {.ndim = 2, .dim = {3, -1, 1}, .axes = {.given = 1, .count = 1, .axis = {0}}},
                                      {.ndim = 3, .dim = {2, -1, 3}, .axes = {.given = 1, .count = 1, .axis = {1}}},
                                      {.ndim = 3, .dim = {2, 3, -1}, .axes = {.given = 1, .count = 2, .axis = {0, 2}}},
                                      {.ndim = 2, .dim = {5, -1, 1}, .axes = SITU_AXES_UNSET}};
    fold_case c = shape[variant];
    c.truth = truth;
    c.reduction = fold;
    for (int i = 0; i < 3; i++)
        if (c.dim[i] < 0) c.dim[i] = n;
    return c;
}
enum { VARIANTS = 7 };

static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_I8, SITU_U8, SITU_I16, SITU_U16, SITU_I32, SITU_U32, SITU_I64, SITU_U64};
enum { TYPES = sizeof dtypes / sizeof *dtypes };

/* f32, which has chains, in all cases; the others in every `sparse`-th. */
static bool all_cases(situ_device device, int sparse, const char *how)
{
    unsigned turn = 0;
    for (int d = 0; d < TYPES; d++)
        for (int s = 0; s < SIZES; s++)
            for (int v = 0; v < VARIANTS; v++)
                for (int t = 0; t < TRUTHS; t++)
                    for (int f = 0; f < REDUCTIONS; f++) {
                        turn = turn * 1664525 + 1013904223;
                        if ((turn >> 8) % (unsigned)(d ? sparse : (sparse + 15) / 16)) continue;
                        fold_case c = case_of(t, f, sizes[s], v);
                        if (!one_way(&c, dtypes[d], device, (int)(turn >> 28 & 3), how)) return false;
                    }
    return true;
}

TEST(a_fold_reads_a_comparison)
{
    static const situ_isa sets[] = {SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};
    for (int s = 0; s < 3; s++) {
        situ_isa_limit(sets[s]);
        forget_plans();
        bool good = all_cases(situ_cpu(), 32, situ_isa_name(sets[s]));
        situ_isa_limit(SITU_ISA_AVX512);
        forget_plans();
        if (!good) return;
    }
}

/* Operation by operation: nothing is fused, and the values are the same. */
TEST(a_fold_reads_a_stored_comparison)
{
    forget_plans();
    situ_plan_comparable = true;
    all_cases(situ_cpu(), 200, "not fused");
    situ_plan_comparable = false;
    forget_plans();
}

TEST(a_fold_reads_a_comparison_on_a_simulated_gpu) { all_cases(sim_device(0), 64, "simulated"); }

TEST(a_fold_reads_a_comparison_on_opencl)
{
    need_tested(1);
    all_cases(tested_device(0), 24000, "OpenCL");
}

/* A mask computed inside a chain that is read by a selection, a store, a cast and a reduction. */
TEST(a_mask_has_several_readers)
{
    enum { N = 1500 };
    for (int reader = 0; reader < 5; reader++)
        for (int fold = 0; fold < 2; fold++)
            IN_SCOPE {
                situ_tensor *x = situ_arange(0, N, 1, .dtype = SITU_F32), *y = situ_mul(situ_add(x, 1), 2);
                situ_wait(x);
                situ_tensor *mask = situ_greater(y, fold ? -1 : N), *also = NULL;
                situ_tensor *whole = fold ? situ_all(mask) : situ_any(mask);
                if (reader == 0) also = situ_where(mask, y, x);
                if (reader == 1) also = situ_cast(mask, SITU_F16);
                if (reader == 2) also = situ_logical_not(mask);
                if (reader == 3) also = situ_keep(mask);
                if (reader == 4) also = situ_where(mask, situ_cast(mask, SITU_F32), y);
                situ_eval(TENSORS(also, whole));
                CHECK(situ_item(whole) == 1);
                if (reader == 3) situ_release(also);
            }
}
