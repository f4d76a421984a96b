/* Positions and order: lines that threads share, on each instruction set; none, and too many.
 * tests/python/test_moves.py has values. */
#include <math.h>

#include <situ/grad.h>
#include <situ/runtime.h>

#include "base/isa.h"
#include "support/sim_devices.h"
#include "values.h"

static situ_tensor *grid(void) { return situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)); } /* [[0,1,2],[3,4,5]] */

TEST_IN_SCOPE(reading_at_no_index)
{
    situ_tensor *x = grid();
    situ_tensor *none = situ_zeros(SHAPE(0, 3), .dtype = SITU_I64);
    IS(situ_gather(x, none, .axis = 0), "[] i64[0,3]");
    IS(situ_take(x, situ_zeros(SHAPE(0), .dtype = SITU_I64)), "[] i64[0,3]");
    IS(situ_cumsum(none, .axis = 0), "[] i64[0,3]");
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_DTYPE, situ_take(x, F32(1)));
}

TEST_IN_SCOPE(an_index_out_of_range_is_a_late_error)
{
    situ_tensor *y = situ_take(grid(), I64(0, 2));
    CHECK(!situ_failed());
    int64_t values[6];
    int code = situ_read(y, values, sizeof values);
    if (!code) code = situ_wait(NULL);
    CHECK_EQ(code, -SITU_BAD_INDEX);
    CHECK(strstr(situ_error_message(), "take"));
    CHECK_CODE(SITU_BAD_INDEX);
    y = situ_take(grid(), situ_full(SHAPE(1), situ_scalar_unsigned(UINT64_MAX), .dtype = SITU_U64));
    CHECK_FAILS(SITU_BAD_INDEX, situ_read(y, values, 24),
                "index 18446744073709551615 is out of range"); /* -1 would be one that there is */
}

/* ---- what is large enough to be shared by threads: against loops written here ---- */

enum { OUTER = 3, N = 150, INNER = 130, COUNT = 170, ALL = OUTER * N * INNER, TAKEN = OUTER * COUNT * INNER };
static float data[ALL], value[TAKEN], got[TAKEN], expected[TAKEN];
static int64_t index_at[COUNT], position[TAKEN], got_at[TAKEN];

static bool same_floats(situ_tensor *y, int64_t n)
{
    memset(got, 0xff, sizeof got);
    return !situ_read(y, got, (size_t)n * sizeof *got) && !memcmp(got, expected, (size_t)n * sizeof *got);
}

static bool same_positions(situ_tensor *y, int64_t n)
{
    memset(got_at, 0xff, sizeof got_at);
    return !situ_read(y, got_at, (size_t)n * sizeof *got_at) && !memcmp(got_at, position, (size_t)n * sizeof *position);
}

/* The element of data, or of a result of as many lines, at step s of the line that ends in place j. */
#define PLACE(o, s, j) (((o) * N + (s)) * INNER + (j))
#define EACH_LINE                         \
    for (int64_t o = 0; o < OUTER; o++)   \
        for (int64_t j = 0; j < INNER; j++)

static void products(situ_tensor *t)
{
    situ_tensor *across = situ_transpose(t); /* lines of neighbours */
    EACH_LINE {
        double product = 1;
        for (int64_t s = 0; s < N; s++) expected[(o * INNER + j) * N + s] = (float)(product *= data[PLACE(o, s, j)]);
    }
    CHECK(same_floats(situ_cumprod(across, .axis = 2), ALL));
}

static void searches(situ_tensor *t)
{
    EACH_LINE {
        int64_t best = 0;
        for (int64_t s = 1; s < N; s++) best = data[PLACE(o, s, j)] > data[PLACE(o, best, j)] ? s : best;
        position[o * INNER + j] = best;
    }
    CHECK(same_positions(situ_argmax(t, .axis = 1), OUTER * INNER));
    float *first = &data[PLACE(1, 7, 3)], *second = &data[PLACE(1, 90, 3)], kept[2] = {*first, *second};
    *first = *second = NAN;
    EACH_LINE {
        int64_t best = 0;
        for (int64_t s = 1; s < N && !isnan(data[PLACE(o, best, j)]); s++)
            best = isnan(data[PLACE(o, s, j)]) || data[PLACE(o, s, j)] < data[PLACE(o, best, j)] ? s : best;
        position[o * INNER + j] = best;
    }
    situ_tensor *with_nan = situ_from_host(data, SHAPE(OUTER, N, INNER));
    CHECK(same_positions(situ_argmin(with_nan, .axis = 1), OUTER * INNER));
    CHECK(same_positions(situ_argmin(situ_transpose(with_nan), .axis = 2), OUTER * INNER));
    *first = kept[0];
    *second = kept[1];
    float sorted[N];
    for (int i = 0; i < N; i++) sorted[i] = (float)i / N - 0.5f;
    for (int64_t i = 0; i < ALL; i++)
        for (position[i] = 0; position[i] < N && sorted[position[i]] < data[i];) position[i]++;
    CHECK(same_positions(situ_searchsorted(situ_from_host(sorted, SHAPE(N)), t), ALL));
}

static void slices(situ_tensor *t, situ_tensor *index)
{
    for (int64_t o = 0; o < OUTER; o++)
        for (int64_t i = 0; i < COUNT; i++) memcpy(&expected[(o * COUNT + i) * INNER], &data[PLACE(o, (index_at[i] + N) % N, 0)], INNER * sizeof(float));
    CHECK(same_floats(situ_take(t, index, .axis = 1), TAKEN));
    memcpy(expected, data, sizeof data);
    for (int64_t o = 0; o < OUTER; o++)
        for (int64_t i = 0; i < COUNT; i++)
            for (int64_t j = 0; j < INNER; j++) expected[PLACE(o, (index_at[i] + N) % N, j)] += value[(o * COUNT + i) * INNER + j];
    CHECK(same_floats(situ_index_add(t, index, situ_from_host(value, SHAPE(OUTER, COUNT, INNER)), .axis = 1), ALL));
    for (int64_t i = 0; i < ALL; i++) {
        position[i] = i * 7919 % N - (i % 3 ? 0 : N);
        expected[i] = data[PLACE(i / (N * INNER), (position[i] + N) % N, i % INNER)];
    }
    CHECK(same_floats(situ_gather(t, situ_from_host(position, SHAPE(OUTER, N, INNER), .dtype = SITU_I64), .axis = 1), ALL));
}

TEST(large_ones_are_shared_by_threads)
{
    for (int64_t i = 0; i < ALL; i++) data[i] = (float)(i * 2654435761 % 1000003) / 1000003 - 0.5f;
    for (int64_t i = 0; i < TAKEN; i++) value[i] = (float)(i * 40503 % 65537) / 65537;
    for (int64_t i = 0; i < COUNT; i++) index_at[i] = i * 37 % (2 * N) - N; /* some come twice */
    for (int threads = 1; threads <= 5; threads += 2) {
        situ_set_threads(threads);
        IN_SCOPE {
            situ_tensor *t = situ_from_host(data, SHAPE(OUTER, N, INNER)), *index = situ_from_host(index_at, SHAPE(COUNT), .dtype = SITU_I64);
            products(t);
            searches(t);
            slices(t, index);
            CHECK_OK();
            index_at[COUNT / 2] += 3 * N;
            CHECK_EQ(situ_read(situ_take(t, situ_from_host(index_at, SHAPE(COUNT), .dtype = SITU_I64), .axis = 1), got, sizeof got), -SITU_BAD_INDEX);
            index_at[COUNT / 2] -= 3 * N;
            CHECK_CODE(SITU_BAD_INDEX);
        }
    }
    situ_set_threads(0);
}

TEST_IN_SCOPE(so_many_of_what_was_found)
{
    situ_tensor *x = grid();
    situ_tensor *odd = situ_cast(situ_bitwise_and(x, 1), SITU_BOOL);
    IS(situ_masked(x, odd, .count = 4, .fill = 7), "[1, 3, 5, 7] i64[4]");
    IS(situ_unique(I64(3, 1, 3), .count = 3), "[1, 3, 1] i64[3]");
    IS(situ_unique(situ_zeros(SHAPE(0))), "[] f32[0]");
}

/* Of nothing a fixed number is zeros, not what lay in memory before. */
TEST(so_many_of_nothing_are_zeros)
{
    for (int k = 0; k < 2; k++) IN_SCOPE {
        situ_device where = k ? sim_device(0) : situ_cpu();
        situ_tensor *none = situ_zeros(SHAPE(0, 2), .device = where), *index, *gradient;
        situ_scope *before = situ_scope_open();
        situ_eval(TENSORS(situ_full(SHAPE(3), 7, .dtype = SITU_F32, .device = where), situ_full(SHAPE(3), 7, .dtype = SITU_I64, .device = where)));
        situ_scope_close(before);
        IS(situ_unique(situ_reshape(none, SHAPE(0)), .count = 3, .index = &index), "[0., 0., 0.] f32[3]");
        IS(index, "[0, 0, 0] i64[3]");
        situ_tensor *y = situ_masked(none, situ_zeros(SHAPE(0), .dtype = SITU_BOOL, .device = where), .count = 1, .fill = 5);
        IS(y, "[[5., 5.]] f32[1,2]");
        CHECK_EQ(situ_grad(situ_sum(y), TENSORS(none), &gradient), 0);
        IS(gradient, "[] f32[0,2]");
        CHECK_OK();
    }
}

/* Lines that several threads cut, in parts that are no whole vectors, come out as those by bytes. */
TEST(large_lines_have_one_order_on_every_instruction_set)
{
    static const int64_t sizes[] = {8192, 8257, 16383, 65536, 70001, 300007};
    static const situ_dtype dtypes[] = {SITU_F64, SITU_F32, SITU_I64, SITU_U32};
    for (int s = 0; s < 6; s++)
        for (int d = 0; d < 4; d++)
            for (int few = 0; few < 2; few++) IN_SCOPE {
                situ_tensor *x = situ_mul(situ_normal(situ_key(s + 7 * d), SHAPE(sizes[s])), few ? 3 : 1e6), *sorted[2];
                x = situ_cast(few ? situ_round(x) : x, dtypes[d]);
                for (int i = 0; i < 2; i++) {
                    situ_isa_limit(i ? SITU_ISA_BASELINE : SITU_ISA_AMX);
                    situ_set_threads(1 + i);
                    CHECK_EQ(situ_eval(TENSORS(sorted[i] = situ_sort(x))), 0);
                }
                situ_isa_limit(SITU_ISA_AMX);
                situ_set_threads(0);
                CHECK(situ_item(situ_all(situ_equal(sorted[0], sorted[1]))) == 1);
                situ_tensor *next = situ_slice(sorted[0], .start = SHAPE(1)), *last = situ_slice(sorted[0], .stop = SHAPE(-1));
                CHECK(situ_item(situ_all(situ_less_equal(last, next))) == 1);
            }
}

/* About as many keys as exchanges sort at once, the last vector of them whole or not. */
TEST(short_lines_have_one_order_on_every_instruction_set)
{
    static const situ_dtype dtypes[] = {SITU_F64, SITU_F32, SITU_I64, SITU_U32};
    for (int64_t n = 1; n <= 140; n++)
        for (int d = 0; d < 4; d++)
            for (int few = 0; few < 2; few++) IN_SCOPE {
                situ_tensor *x = situ_mul(situ_normal(situ_key(n + 200 * d), SHAPE(3, n)), few ? 2 : 1e6), *sorted[3];
                x = situ_cast(few ? situ_round(x) : x, dtypes[d]);
                for (int isa = SITU_ISA_BASELINE; isa <= SITU_ISA_AVX512; isa++) {
                    situ_isa_limit((situ_isa)isa);
                    CHECK_EQ(situ_eval(TENSORS(sorted[isa] = situ_sort(x))), 0);
                }
                situ_isa_limit(SITU_ISA_AMX);
                for (int isa = SITU_ISA_AVX2; isa <= SITU_ISA_AVX512; isa++)
                    CHECK(situ_item(situ_all(situ_equal(sorted[SITU_ISA_BASELINE], sorted[isa]))) == 1);
            }
}
