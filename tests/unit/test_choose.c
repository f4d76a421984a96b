/* Sorting and selecting on each instruction set and device, compared with loops over doubles: ties, zeros of both
 * signs, NaN. */
#include <math.h>

#include <situ/runtime.h>

#include "base/isa.h"
#include "values.h"

enum { MOST = 5000 };
static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_I8, SITU_U8, SITU_I16, SITU_U16, SITU_I32, SITU_U32, SITU_I64, SITU_U64};
static float made[MOST];
static double x[MOST], got[MOST];
static int64_t order[MOST], places[MOST];
static const char *at_work;

static bool comes_before(double a, double b, bool descending)
{
    if (isnan(a) || isnan(b)) return isnan(b) && !isnan(a);
    return descending ? a > b : a < b;
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/* Stable, by insertion. */
static void find_order(int64_t n, bool descending)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && comes_before(x[i], x[order[k - 1]], descending); k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

#define SAYS(condition) CHECK((condition) || (printf("%s\n", at_work), false))

static bool values_at(situ_tensor *t, int64_t n)
{
    if (situ_read(situ_cast(t, SITU_F64), got, (size_t)n * sizeof *got)) return false;
    for (int64_t i = 0; i < n; i++)
        if (!same(got[i], x[order[i]])) return false;
    return true;
}

static bool places_are(situ_tensor *t, const int64_t *expected, int64_t n)
{
    return !situ_read(t, places, (size_t)n * sizeof *places) && !memcmp(places, expected, (size_t)n * sizeof *places);
}

static void in_order(situ_tensor *t, int64_t n)
{
    const int64_t count[] = {0, 1, 7, n / 8, n};
    for (int descending = 0; descending <= 1; descending++) {
        find_order(n, descending);
        SAYS(values_at(situ_sort(t, .descending = descending), n));
        SAYS(places_are(situ_argsort(t, .descending = descending), order, n));
        for (int k = 0; k < 5; k++) {
            situ_tensor *where, *y;
            if (count[k] > n) continue;
            y = situ_topk(t, count[k], .smallest = !descending, .indices = &where);
            SAYS(places_are(where, order, count[k]));
            SAYS(values_at(y, count[k]));
        }
        int64_t first = order[0];
        for (int64_t i = 0; i < n; i++)
            if (isnan(x[n - 1 - i])) first = n - 1 - i;
        for (int64_t i = 0; i < n && !isnan(x[first]); i++)
            if (x[i] == x[order[0]]) {
                first = i;
                break;
            }
        SAYS(places_are(descending ? situ_argmax(t) : situ_argmin(t), &first, 1));
    }
}

static void search(situ_tensor *t, int64_t n)
{
    find_order(n, false);
    int64_t left[MOST], right[MOST];
    for (int64_t i = 0; i < n; i++) {
        for (left[i] = 0; left[i] < n && comes_before(x[order[left[i]]], x[i], false);) left[i]++;
        for (right[i] = left[i]; right[i] < n && !comes_before(x[i], x[order[right[i]]], false);) right[i]++;
    }
    situ_tensor *sorted = situ_sort(t);
    SAYS(places_are(situ_searchsorted(sorted, t), left, n));
    SAYS(places_are(situ_searchsorted(sorted, t, .right = true), right, n));
}

static void choose(situ_tensor *t, int64_t n, situ_device device)
{
    bool mask[MOST];
    int64_t index[MOST], count = 0;
    for (int64_t i = 0; i < n; i++) mask[i] = i * 2654435761 % 7 < 3 && i > n / 5;
    for (int64_t i = 0; i < n; i++)
        if (mask[i]) order[count++] = i;
    situ_tensor *m = situ_from_host(mask, SHAPE(n), .dtype = SITU_BOOL, .device = device), *y = situ_masked(t, m);
    SAYS(situ_dim(y, 0) == count && values_at(y, count));
    for (int64_t i = 0; i < n; i++) index[i] = (i * 37 + 5) % (2 * n) - n, order[i] = (index[i] + n) % n;
    SAYS(values_at(situ_take(t, situ_from_host(index, SHAPE(n), .dtype = SITU_I64, .device = device)), n));
    int64_t rows = n / 5;
    if (!rows) return;
    y = situ_masked(situ_reshape(situ_slice(t, .stop = SHAPE(5 * rows)), SHAPE(rows, 5)), situ_slice(m, .stop = SHAPE(rows)));
    for (int64_t i = count = 0; i < 5 * rows; i++)
        if (mask[i / 5]) order[count++] = i;
    SAYS(values_at(y, count));
}

static void all(situ_device device, const char *where)
{
    static char text[100];
    const int64_t sizes[] = {1, 5, 64, 300, 1001, 1030, MOST};
    at_work = text;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int kind = 0; kind < 2; kind++) { /* few values and special ones, many values */
                int64_t n = sizes[s];
                bool real = dtypes[d] >= SITU_F16 && dtypes[d] <= SITU_F64;
                snprintf(text, sizeof text, "%s, %s[%d], kind %d", where, situ_dtype_name(dtypes[d]), (int)n, kind);
                for (int64_t i = 0; i < n; i++) {
                    made[i] = (float)(i * 2654435761 % 1009 % (kind ? 100 : 11)) - (float)(real ? 5 : 0);
                    if (real && !kind && i % 17 == 3) made[i] = i % 2 ? NAN : -0.0f;
                    if (real && !kind && i % 31 == 9) made[i] = i % 2 ? INFINITY : -INFINITY;
                }
                IN_SCOPE {
                    situ_tensor *t = situ_cast(situ_from_host(made, SHAPE(n), .device = device), dtypes[d]);
                    CHECK_EQ(situ_read(situ_cast(t, SITU_F64), x, (size_t)n * sizeof *x), 0);
                    in_order(t, n);
                    if (n < 2000) search(t, n);
                    choose(t, n, device);
                    CHECK_OK();
                }
            }
}

TEST(order_and_choice_on_each_instruction_set)
{
    static const char *const name[] = {"baseline", "avx2", "avx512"};
    for (int isa = SITU_ISA_BASELINE; isa <= SITU_ISA_AVX512; isa++) {
        situ_isa_limit((situ_isa)isa);
        all(situ_cpu(), name[isa]);
    }
    situ_isa_limit(SITU_ISA_AMX);
}

TEST(order_and_choice_on_a_simulated_gpu)
{
    all(situ_gpu(0), "gpu(0)");
}

TEST_IN_SCOPE(order_of_the_ends_of_integers)
{
    situ_tensor *where, *t = I64(INT64_MAX, 0, INT64_MIN, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, 5, 5, 5, 5, 5, 5, 5, 5, 5);
    IS(situ_topk(t, 2, .indices = &where), "[9223372036854775807, 9223372036854775807] i64[2]");
    IS(where, "[0, 4] i64[2]");
    IS(situ_topk(t, 2, .smallest = true, .indices = &where), "[-9223372036854775808, -9223372036854775808] i64[2]");
    IS(where, "[2, 5] i64[2]");
    IS(situ_searchsorted(situ_sort(t), I64(INT64_MIN, INT64_MAX)), "[0, 14] i64[2]");
    IS(situ_searchsorted(situ_sort(t), I64(INT64_MIN, INT64_MAX), .right = true), "[2, 16] i64[2]");
    IS(situ_masked(t, situ_greater(t, INT64_MAX - 1)), "[9223372036854775807, 9223372036854775807] i64[2]");
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_topk(t, 17));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_topk(t, -1));
}

/* Streamed results that start in the middle of a cache line; the very last index is out of range. */
TEST(a_long_list_of_places)
{
    enum { MANY = (8 << 20) / 4 + 37, AMONG = 1000 };
    int32_t *index = malloc(MANY * sizeof *index);
    float *taken = malloc(MANY * sizeof *taken);
    CHECK(index && taken);
    for (int64_t i = 0; i < MANY; i++) index[i] = (int32_t)(i * 2654435761 % (2 * AMONG)) - AMONG;
    for (int wide = 0; wide < 2; wide++) IN_SCOPE {
            situ_tensor *among = situ_arange(0, AMONG, 1, .dtype = SITU_F32), *at = situ_cast(situ_from_host(index, SHAPE(MANY)), wide ? SITU_I64 : SITU_I32);
            CHECK_EQ(situ_read(situ_take(among, at), taken, MANY * sizeof *taken), 0);
            int64_t wrong = 0;
            for (int64_t i = 0; i < MANY; i++) wrong += taken[i] != (float)((index[i] + AMONG) % AMONG);
            CHECK_EQ(wrong, 0);
            situ_tensor *doubled = situ_take(situ_reshape(situ_arange(0, 2 * AMONG, 1, .dtype = SITU_F64), SHAPE(2, AMONG)), at, .axis = 1);
            CHECK(situ_item(situ_all(situ_equal(situ_sub(situ_slice(doubled, .start = SHAPE(1, 0)), situ_take(among, at)), AMONG))) == 1);
            CHECK_OK();
            situ_item(situ_sum(situ_take(among, situ_where(situ_equal(situ_arange(0, MANY, 1), MANY - 1), AMONG, at))));
            CHECK_CODE(SITU_BAD_INDEX);
        }
    free(index);
    free(taken);
}

TEST_IN_SCOPE(values_beside_the_largest_of_an_order)
{
    situ_tensor *t = situ_full(SHAPE(100), UINT32_MAX, .dtype = SITU_U32), *small = situ_full(SHAPE(70), 7, .dtype = SITU_U32);
    situ_tensor *sorted = situ_concat(TENSORS(small, t)), *values = situ_concat(TENSORS(t, small));
    CHECK(situ_item(situ_sum(situ_searchsorted(sorted, values))) == 100 * 70);
    CHECK(situ_item(situ_sum(situ_searchsorted(sorted, values, .right = true))) == 100 * 170 + 70 * 70);
}

/* Searching an unsorted line gives meaningless positions, but the same ones on each instruction set. */
TEST(places_in_what_is_no_order)
{
    static int64_t place[2][MOST];
    IN_SCOPE {
        situ_tensor *drawn = situ_keep(situ_normal(situ_key(3), SHAPE(MOST)));
        for (int wide = 0; wide < 2; wide++) {
            for (int isa = 0; isa < 2; isa++) {
                situ_isa_limit(isa ? SITU_ISA_AMX : SITU_ISA_BASELINE);
                situ_tensor *t = situ_cast(drawn, wide ? SITU_F64 : SITU_F32);
                CHECK_EQ(situ_read(situ_searchsorted(t, t), place[isa], sizeof place[isa]), 0);
            }
            CHECK(!memcmp(place[0], place[1], sizeof place[0]));
        }
        situ_release(drawn);
    }
}
