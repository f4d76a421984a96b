/* Matrices with a rank smaller than their sides still have orthonormal singular vectors. */
#include <math.h>

#include <situ.h>

#include "support/sim_devices.h"
#include "values.h"

static double largest(situ_tensor *x) { return situ_item(situ_max(situ_abs(x))); }

static situ_tensor *adjoint(situ_tensor *x)
{
    return situ_matrix_transpose(situ_dtype_of(x) == SITU_C64 || situ_dtype_of(x) == SITU_C128 ? situ_conj(x) : x);
}

/* u^H u and v^H v are the identity, and u s v^H is x. */
static void has_its_parts(situ_tensor *x, bool full, double tolerance)
{
    situ_tensor *u, *vh, *s = situ_svd(x, .u = &u, .vh = &vh, .full = full);
    situ_dtype d = situ_dtype_of(x);
    int64_t k = situ_dim(s, -1);
    CHECK(largest(situ_sub(situ_matmul(adjoint(u), u), situ_eye(situ_dim(u, -1), .dtype = d, .device = situ_device_of(x)))) <= tolerance);
    CHECK(largest(situ_sub(situ_matmul(vh, adjoint(vh)), situ_eye(situ_dim(vh, -2), .dtype = d, .device = situ_device_of(x)))) <= tolerance);
    situ_tensor *left = situ_slice(u, .stop = SHAPE(SITU_FULL, SITU_FULL, k)), *right = situ_slice(vh, .stop = SHAPE(SITU_FULL, k));
    situ_tensor *again = situ_matmul(situ_mul(left, situ_cast(situ_expand_dims(s, -2), d)), right);
    CHECK(largest(situ_sub(again, x)) <= tolerance * (largest(x) + 1e-300));
}

static situ_tensor *drawn(int key, situ_shape shape, situ_dtype d, situ_device where)
{
    situ_dtype part = d == SITU_C128 ? SITU_F64 : d == SITU_C64 ? SITU_F32 : d;
    situ_tensor *x = situ_normal(situ_key(key, .device = where), shape, .dtype = part);
    return d == part ? x : situ_complex(x, situ_normal(situ_key(key + 1000, .device = where), shape, .dtype = part));
}

static void of_small_rank(situ_device where, int64_t count)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_C64, SITU_C128};
    for (int i = 0; i < 4; i++)
        for (int rank = 0; rank <= 4; rank++)
            for (int kind = 0; kind < 6; kind++) IN_SCOPE {
                situ_dtype d = dtypes[i];
                double tolerance = d == SITU_F64 || d == SITU_C128 ? 1e-12 : 1e-5;
                bool columns = kind == 1 || kind == 4, product = kind == 2 || kind == 5;
                situ_tensor *x = columns ? situ_pad(drawn(rank, SHAPE(count, 6, rank), d, where), SHAPE(0, 0, 0), SHAPE(0, 0, 4 - rank)) :
                    product ? situ_matmul(drawn(rank, SHAPE(count, 6, rank), d, where), drawn(rank + 9, SHAPE(count, rank, 4), d, where)) :
                              situ_pad(drawn(rank, SHAPE(count, rank, 4), d, where), SHAPE(0, 2, 0), SHAPE(0, 4 - rank, 0));
                has_its_parts(x, kind >= 3, tolerance);
                has_its_parts(adjoint(x), kind >= 3, tolerance);
                if (d == SITU_F64 && kind < 3) has_its_parts(situ_mul(x, 1e-200), false, tolerance);
                if (d == SITU_F64 && kind < 3) has_its_parts(situ_mul(x, 1e200), false, tolerance);
            }
    CHECK_OK();
}

TEST(matrices_of_a_small_rank_have_orthonormal_vectors) { of_small_rank(situ_cpu(), 40); }
TEST(matrices_of_a_small_rank_have_orthonormal_vectors_on_a_gpu) { of_small_rank(sim_device(0), 8); }

/* Values far below the largest one are not rounding errors if the columns are orthogonal: they and their vectors are
 * exact. */
TEST_IN_SCOPE(small_values_of_columns_that_are_apart_keep_their_vectors)
{
    situ_tensor *u, *x = situ_reshape(F64(3e-20, 0, 0, 1, 4e-20, 0), SHAPE(3, 2)), *s = situ_svd(x, .u = &u);
    CHECK_NEAR(situ_item(situ_slice(s, .start = SHAPE(1))) * 1e20, 5, 1e-14);
    CHECK_NEAR(fabs(situ_item(situ_slice(u, .start = SHAPE(0, 1), .stop = SHAPE(1, 2)))), 0.6, 1e-15);
    CHECK_NEAR(fabs(situ_item(situ_slice(u, .start = SHAPE(2, 1), .stop = SHAPE(3, 2)))), 0.8, 1e-15);
}

/* Squares of 1e-20 and 1e25 are none of f32. The sum of the values has slope u v^H, whatever the size of the matrix,
 * and that slope one of its own, which goes with the inverse of the size. */
TEST(singular_values_whose_squares_are_no_numbers_have_gradients)
{
    static const double size[] = {1e-20, 1, 1e25};
    float first[3][9], second[3][9], vectors[3][9];
    for (int i = 0; i < 3; i++) IN_SCOPE {
        situ_tensor *x = situ_mul(situ_reshape(F32(4, 1, 0, 1, 3, 1, 0, 1, 2), SHAPE(3, 3)), size[i]), *by = situ_reshape(situ_arange(0, 9, 1), SHAPE(3, 3));
        situ_tensor *u, *g, *h, *k;
        CHECK(!situ_grad(situ_sum(situ_svd(x)), TENSORS(x), &g));
        CHECK(!situ_grad(situ_sum(situ_mul(g, by)), TENSORS(x), &h));
        situ_svd(x, .u = &u);
        CHECK(!situ_grad(situ_sum(situ_mul(situ_square(u), by)), TENSORS(x), &k));
        CHECK_EQ(situ_read(g, first[i], sizeof first[i]), 0);
        CHECK_EQ(situ_read(situ_mul(h, size[i]), second[i], sizeof second[i]), 0);
        CHECK_EQ(situ_read(situ_mul(k, size[i]), vectors[i], sizeof vectors[i]), 0);
    }
    for (int i = 0; i < 3; i += 2)
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(first[i][k], first[1][k], 1e-5);
            CHECK_NEAR(second[i][k], second[1][k], 1e-4);
            CHECK_NEAR(vectors[i][k], vectors[1][k], 1e-4);
        }
}
