/* If a matrix contains a NaN, so do its factors: no pivot, reflection or rotation skips it. */
#include <math.h>

#include <situ.h>

#include "support/poisoned.h"
#include "support/sim_devices.h"
#include "values.h"

/* Number of matrices whose results x and y (either may be NULL; one row for each matrix) contain no NaN. */
static double lost(int64_t count, situ_tensor *x, situ_tensor *y)
{
    situ_tensor *found = situ_zeros(SHAPE(count), .dtype = SITU_BOOL, .device = situ_device_of(x));
    for (int i = 0; i < 2; i++)
        if (i ? y : x)
            found = situ_logical_or(found, situ_any(situ_isnan(situ_reshape(i ? y : x, SHAPE(count, -1))), .axes = AXES(1)));
    return (double)count - situ_item(situ_sum(situ_cast(found, SITU_F32)));
}

static void nothing_is_lost(situ_dtype dtype, int64_t n, situ_device where)
{
    int64_t count = 3 * n * n;
    situ_tensor *x = poisoned(n, 3, dtype, NAN, where), *r, *log, *u, *vh, *lower, *upper;
    situ_tensor *regular = poisoned(n, 2, dtype, NAN, where); /* zeros with a NaN could be reported as singular */
    CHECK_EQ(lost(count, situ_det(x), NULL), 0);
    CHECK_EQ(lost(count, situ_slogdet(x, .log = &log), NULL), 0);
    CHECK_EQ(lost(count, log, NULL), 0);
    CHECK_EQ(lost(2 * n * n, situ_inv(regular), NULL), 0);
    CHECK_EQ(lost(2 * n * n, situ_solve(regular, situ_ones_like(regular)), NULL), 0);
    situ_tensor *q = situ_qr(x, .r = &r);
    CHECK_EQ(lost(count, q, r), 0);
    CHECK_EQ(lost(count, situ_svd(x), NULL), 0);
    situ_tensor *s = situ_svd(x, .u = &u, .vh = &vh);
    CHECK_EQ(lost(count, s, NULL), 0);
    CHECK_EQ(lost(count, u, vh), 0);
    CHECK_EQ(lost(count, situ_pinv(x), NULL), 0);
    CHECK_EQ(lost(count, situ_eig(x), NULL), 0);
    (void)situ_lu(x, .lower = &lower, .upper = &upper);
    CHECK_EQ(lost(count, lower, upper), 0);
    situ_tensor *symmetric = situ_add(x, situ_matrix_transpose(x));
    CHECK_EQ(lost(count, situ_eigh(symmetric), NULL), 0);
    CHECK_EQ(lost(count, situ_cond(x), NULL), 0);
    CHECK_EQ(lost(count, situ_matrix_norm(x), NULL), 0);
    CHECK_OK();
}

static void on(situ_device where)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_C64, SITU_C128};
    for (int i = 0; i < 4; i++)
        for (int64_t n = 1; n <= 4; n++) IN_SCOPE nothing_is_lost(dtypes[i], n, where);
}

TEST(a_nan_in_a_matrix_is_in_its_factors) { on(situ_cpu()); }
TEST(a_nan_in_a_matrix_is_in_its_factors_on_a_gpu) { on(sim_device(0)); }

/* A vector of one element needs no reflection, whatever it is: as in LAPACK, Q is 1 and R is the element. */
TEST(one_number_is_its_own_triangle)
{
    situ_tensor *r, *q = situ_qr(situ_full(SHAPE(1, 1), NAN), .r = &r);
    CHECK_EQ(situ_item(q), 1);
    CHECK(isnan(situ_item(r)));
}
