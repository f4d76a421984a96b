/* Blocked factorizations: their products give the matrix; the same bits with any number of threads and on a simulated
 * GPU; NaN; batches. */
#include <math.h>

#include <situ.h>

#include "support/sim_devices.h"
#include "values.h"

typedef situ_tensor *of_matrix(situ_tensor *x);

static double largest(situ_tensor *x) { return situ_item(situ_max(situ_abs(x))); }
static situ_tensor *turned(situ_tensor *x) { return situ_matrix_transpose(x); }
static situ_tensor *identity(situ_tensor *like)
{
    return situ_eye(situ_dim(like, -1), .dtype = situ_dtype_of(like), .device = situ_device_of(like));
}
static situ_tensor *positive(situ_tensor *x) { return situ_add(situ_matmul(x, turned(x)), situ_mul(identity(situ_matmul(x, turned(x))), 0.5)); }

static situ_tensor *lower_of(situ_tensor *x) { return situ_cholesky(positive(x)); }
static situ_tensor *inverse_of(situ_tensor *x) { return situ_inv(x); }
static situ_tensor *reflected(situ_tensor *x)
{
    situ_tensor *r, *q = situ_qr(x, .r = &r);
    return situ_concat(TENSORS(q, r), .axis = -2);
}
static situ_tensor *logarithm(situ_tensor *x)
{
    situ_tensor *log;
    (void)situ_slogdet(x, .log = &log);
    return log;
}
static situ_tensor *vectors(situ_tensor *x)
{
    situ_tensor *v;
    (void)situ_eigh(situ_add(x, turned(x)), .vectors = &v);
    return v;
}
static situ_tensor *singular(situ_tensor *x)
{
    situ_tensor *u, *vh, *s = situ_svd(x, .u = &u, .vh = &vh);
    return situ_concat(TENSORS(u, vh, situ_mul(situ_expand_dims(s, -2), situ_ones_like(vh))), .axis = -2);
}
static situ_tensor *solved_triangle(situ_tensor *x) { return situ_solve_triangular(situ_add(x, situ_mul(identity(x), 20)), x, .upper = true); }
static situ_tensor *solved(situ_tensor *x) { return situ_solve(situ_add(x, identity(x)), turned(x)); }
static situ_tensor *transformed(situ_tensor *x) { return situ_real(situ_fft(x, .axis = -2)); }
static situ_tensor *in_order(situ_tensor *x) { return situ_sort(x); }

/* ---- what they multiply to ------------------------------------------------------------------------------------------------------- */

static void are_factors(situ_dtype dtype, situ_shape shape)
{
    double eps = dtype == SITU_F64 ? 0x1p-52 : 0x1p-23;
    situ_tensor *x = situ_keep(situ_normal(situ_key(5), shape, .dtype = dtype)), *r;
    double n = (double)situ_dim(x, -1), few = 4 * n * eps;
    for (int complete = 0; complete < 2; complete++) {
        situ_tensor *q = situ_qr(x, .r = &r, .complete = complete);
        CHECK(largest(situ_sub(situ_matmul(q, r), x)) <= few * 4);
        CHECK(largest(situ_sub(situ_matmul(turned(q), q), identity(q))) <= few);
        CHECK_EQ(largest(situ_sub(situ_triu(r, 0), r)), 0);
    }
    situ_tensor *square = positive(x), *lower = situ_cholesky(square), *all = situ_ones_like(square);
    CHECK(largest(situ_sub(situ_matmul(lower, turned(lower)), square)) <= few * largest(square));
    CHECK_EQ(largest(situ_sub(situ_tril(lower, 0), lower)), 0);
    situ_tensor *y = situ_solve(square, all);
    CHECK(largest(situ_sub(situ_matmul(square, y), all)) <= few * largest(square) * largest(y) * 4);
    y = situ_solve_triangular(lower, all);
    CHECK(largest(situ_sub(situ_matmul(lower, y), all)) <= few * largest(lower) * largest(y) * 4);
    y = situ_solve_triangular(turned(lower), all, .upper = true);
    CHECK(largest(situ_sub(situ_matmul(turned(lower), y), all)) <= few * largest(lower) * largest(y) * 4);
    situ_tensor *v, *w = situ_eigh(square, .vectors = &v);
    CHECK(largest(situ_sub(situ_matmul(square, v), situ_mul(v, situ_expand_dims(w, -2)))) <= few * largest(w));
    CHECK(largest(situ_sub(situ_matmul(turned(v), v), identity(v))) <= few);
    CHECK(largest(situ_sub(situ_eigh(square), w)) <= few * largest(w));
    CHECK_EQ(largest(situ_sub(situ_sort(w), w)), 0);
    situ_tensor *double_log, *log;
    (void)situ_slogdet(square, .log = &log);
    double_log = situ_sum(situ_log(situ_cast(w, SITU_F64)), .axes = AXES(-1));
    CHECK(largest(situ_sub(situ_cast(log, SITU_F64), double_log)) <= few * 1e3);
    situ_release(x);
}

TEST(factors_by_blocks_multiply_to_the_matrix)
{
    static const int64_t sizes[][2] = {{48, 48}, {65, 65}, {100, 130}, {150, 90}};
    for (int i = 0; i < 4; i++) IN_SCOPE are_factors(SITU_F64, SHAPE(sizes[i][0], sizes[i][1]));
    IN_SCOPE are_factors(SITU_F32, SHAPE(2, 3, 70, 70));
    IN_SCOPE are_factors(SITU_F32, SHAPE(200, 200));
}

/* ---- singular values ----------------------------------------------------------------------------------------------------------- */

/* x = u diag(s) vh, orthonormal, s descending and near `want`, if that is given. */
static void is_decomposed(situ_tensor *x, situ_tensor *want, bool full)
{
    situ_tensor *u, *vh, *s = situ_svd(x, .u = &u, .vh = &vh, .full = full), *alone = situ_svd(x);
    int64_t m = situ_dim(x, -2), n = situ_dim(x, -1), k = m < n ? m : n;
    double few = (double)(m + n) * (situ_dtype_of(x) == SITU_F64 ? 0x1p-52 : 0x1p-23), most = situ_item(situ_max(s)) + 1e-300;
    CHECK(largest(situ_sub(situ_matmul(turned(u), u), identity(u))) <= few);
    CHECK(largest(situ_sub(situ_matmul(vh, turned(vh)), identity(turned(vh)))) <= few);
    situ_tensor *left = situ_slice(u, .stop = SHAPE(SITU_FULL, k)), *right = situ_slice(vh, .stop = SHAPE(k));
    CHECK(largest(situ_sub(situ_matmul(situ_mul(left, s), right), x)) <= few * most);
    CHECK_EQ(largest(situ_add(situ_sort(situ_negative(s)), s)), 0);
    CHECK(situ_item(situ_min(s)) >= 0);
    CHECK(largest(situ_sub(alone, s)) <= few * most);
    if (want) CHECK(largest(situ_sub(s, want)) <= few * most);
}

/* q diag(s) of a random orthonormal q, so that the values are known. */
static situ_tensor *with_values(int64_t m, situ_tensor *s)
{
    situ_tensor *q = situ_qr(situ_normal(situ_key(3), SHAPE(m, situ_dim(s, 0)), .dtype = situ_dtype_of(s)));
    situ_tensor *r = situ_qr(situ_normal(situ_key(4), SHAPE(situ_dim(s, 0), situ_dim(s, 0)), .dtype = situ_dtype_of(s)));
    return situ_matmul(situ_mul(q, s), r);
}

static void are_singular_values(situ_dtype dtype, int64_t m, int64_t n)
{
    situ_tensor *step = situ_linspace(0, 1, n, .dtype = dtype);
    situ_tensor *wanted[] = {situ_exp(situ_mul(step, -30)), situ_ones_like(step), situ_cast(situ_less(step, 0.5), dtype),
        situ_cast(situ_less(step, 0.001), dtype), situ_zeros_like(step), situ_sub(1.5, step)};
    for (int i = 0; i < 6; i++)
        for (int side = 0; side < 2; side++) {
            situ_tensor *x = with_values(m, wanted[i]);
            is_decomposed(side ? turned(x) : x, wanted[i], i % 2);
            if (i == 5) is_decomposed(situ_mul(x, dtype == SITU_F64 ? 1e290 : 1e36), NULL, false);
            if (i == 5) is_decomposed(situ_mul(x, dtype == SITU_F64 ? 1e-290 : 1e-30), NULL, true);
        }
}

TEST(singular_values_by_blocks_are_those_that_were_put_in)
{
    static const int64_t sizes[][2] = {{48, 48}, {70, 70}, {130, 61}};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2; d++) IN_SCOPE are_singular_values(d ? SITU_F64 : SITU_F32, sizes[i][0], sizes[i][1]);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------------------------ */

/* x v = v diag(w), orthonormal, w ascending and near `want`, if that is given. */
static void has_eigenvectors(situ_tensor *x, situ_tensor *want)
{
    situ_tensor *v, *w = situ_eigh(x, .vectors = &v);
    double few = 2 * (double)situ_dim(x, -1) * (situ_dtype_of(x) == SITU_F64 ? 0x1p-52 : 0x1p-23), most = largest(w) + 1e-300;
    CHECK(largest(situ_sub(situ_matmul(turned(v), v), identity(v))) <= few);
    CHECK(largest(situ_sub(situ_matmul(x, v), situ_mul(v, w))) <= few * most);
    CHECK_EQ(largest(situ_sub(situ_sort(w), w)), 0);
    CHECK(largest(situ_sub(situ_eigh(x), w)) <= few * most);
    if (want) CHECK(largest(situ_sub(w, situ_sort(want))) <= few * most);
}

/* |i - j| == 1 */
static situ_tensor *beside(int64_t n, situ_dtype dtype)
{
    situ_tensor *at = situ_arange(0, n, 1);
    return situ_cast(situ_equal(situ_abs(situ_sub(at, situ_expand_dims(at, 1))), 1), dtype);
}

static void are_eigenvalues(situ_dtype dtype, int64_t n)
{
    situ_tensor *step = situ_linspace(0, 1, n, .dtype = dtype), *at = situ_cast(situ_arange(0, n, 1), dtype), *beside_it = beside(n, dtype);
    situ_tensor *q = situ_qr(situ_normal(situ_key(3), SHAPE(n, n), .dtype = dtype)), *one = identity(q);
    situ_tensor *wanted[] = {situ_exp(situ_mul(step, -30)), situ_ones_like(step), situ_cast(situ_less(step, 0.5), dtype), situ_zeros_like(step),
        situ_sub(step, 0.5)};
    for (int i = 0; i < 5; i++) {
        situ_tensor *x = situ_matmul(situ_mul(q, wanted[i]), turned(q));
        has_eigenvectors(situ_mul(situ_add(x, turned(x)), 0.5), wanted[i]);
    }
    /* 2 beside 1: 2 - 2 cos(k pi / (n + 1)); pairs that are equal but for rounding (J. H. Wilkinson, 1965), once in
     * parts that nearly fall apart; an arrow */
    situ_tensor *angle = situ_mul(situ_add(situ_cast(at, SITU_F64), 1), acos(-1) / (double)(n + 1));
    has_eigenvectors(situ_sub(situ_mul(one, 2), beside_it), situ_cast(situ_sub(2, situ_mul(situ_cos(angle), 2)), dtype));
    has_eigenvectors(situ_add(situ_mul(one, situ_abs(situ_sub(at, (double)(n - 1) / 2))), beside_it), NULL);
    situ_tensor *cut = situ_logical_or(situ_equal(situ_expand_dims(at, 1), 21), situ_equal(at, 21));
    situ_tensor *parts = situ_where(situ_logical_and(cut, situ_greater(beside_it, 0)), 1e-9, beside_it);
    has_eigenvectors(situ_add(situ_mul(one, situ_abs(situ_sub(situ_remainder(at, 21), 10))), parts), NULL);
    situ_tensor *first = situ_cast(situ_logical_or(situ_equal(at, 0), situ_equal(situ_expand_dims(at, 1), 0)), dtype);
    has_eigenvectors(situ_add(situ_mul(one, at), first), NULL);
}

TEST(eigenvalues_by_halves_are_those_that_were_put_in)
{
    static const int64_t sizes[] = {48, 65, 70, 131};
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 2; d++) IN_SCOPE are_eigenvalues(d ? SITU_F64 : SITU_F32, sizes[i]);
}

/* Larger than a triangle that is solved at once; matrices that are not triangular, and that are. */
TEST(inverses_of_large_matrices_and_triangles)
{
    for (int d = 0; d < 2; d++) IN_SCOPE {
            situ_dtype dtype = d ? SITU_F64 : SITU_F32;
            double few = 300 * 16 * (d ? 0x1p-52 : 0x1p-23);
            situ_tensor *x = situ_normal(situ_key(8), SHAPE(300, 300), .dtype = dtype), *one = identity(x), *wide = situ_mul(one, 20);
            situ_tensor *of[] = {situ_add(x, wide), situ_add(situ_tril(x, 0), wide), situ_add(situ_triu(x, 0), wide), situ_negative(one)};
            for (int i = 0; i < 4; i++) {
                situ_tensor *y = situ_inv(of[i]);
                CHECK(largest(situ_sub(situ_matmul(of[i], y), one)) <= few);
                CHECK(largest(situ_sub(situ_matmul(y, of[i]), one)) <= few);
                CHECK(largest(situ_sub(situ_solve(of[i], situ_mul(one, 2)), situ_mul(y, 2))) <= few);
            }
        }
}

/* The part of a matrix that a triangular solve does not read may contain anything; more rows than a strip has, and a
 * vector. */
TEST(large_triangles_are_read_by_halves)
{
    static const int64_t sizes[][2] = {{50, 3}, {200, 70}, {1100, 1}};
    for (int i = 0; i < 12; i++) IN_SCOPE
        {
            int64_t n = sizes[i / 4][0], m = sizes[i / 4][1];
            bool upper = i & 1, unit = i & 2;
            situ_tensor *x = situ_normal(situ_key(8), SHAPE(n, n), .dtype = SITU_F64), *one = identity(x);
            situ_tensor *part = situ_mul(upper ? situ_triu(x, 1) : situ_tril(x, -1), 1.0 / (double)n);
            situ_tensor *a = situ_add(part, situ_mul(one, unit ? 1 : 3)), *b = situ_normal(situ_key(2), SHAPE(n, m), .dtype = SITU_F64);
            situ_tensor *other = situ_where(situ_not_equal(part, 0), part, situ_where(situ_greater(one, 0), unit ? NAN : 3, NAN));
            situ_tensor *y = situ_solve_triangular(other, b, .upper = upper, .unit_diagonal = unit);
            CHECK(largest(situ_sub(situ_matmul(a, y), b)) <= 1e-13);
            y = situ_solve_triangular(other, b, .upper = upper, .unit_diagonal = unit, .transposed = true);
            CHECK(largest(situ_sub(situ_matmul(turned(a), y), b)) <= 1e-13);
            CHECK_EQ(largest(situ_sub(situ_solve_triangular(turned(other), b, .upper = !upper, .unit_diagonal = unit), y)), 0);
        }
}

/* Kinds up to 3 are triangles, 4 is an inverse: by their operations, or by equations with a mask or an identity. */
static situ_tensor *made_of(int kind, bool equations, situ_tensor *a, situ_tensor *b)
{
    bool upper = kind & 1, unit = kind & 2;
    if (!equations) return kind < 4 ? situ_solve_triangular(a, b, .upper = upper, .unit_diagonal = unit) : situ_inv(a);
    if (kind == 4) return situ_solve(a, identity(a));
    situ_tensor *part = upper ? situ_triu(a, unit) : situ_tril(a, -unit);
    return situ_solve(unit ? situ_add(part, identity(a)) : part, b);
}

TEST(gradients_of_large_triangles_and_inverses)
{
    for (int kind = 0; kind < 5; kind++) IN_SCOPE
        {
            situ_tensor *part[3], *g[2][2];
            for (int k = 0; k < 3; k++) part[k] = situ_normal(situ_key((uint64_t)k), SHAPE(50, 50), .dtype = SITU_F64);
            situ_tensor *in[] = {situ_add(situ_mul(part[0], 0.1), situ_mul(identity(part[0]), 2)), part[1]};
            int count = kind < 4 ? 2 : 1;
            for (int e = 0; e < 2; e++)
                CHECK_EQ(situ_grad(situ_sum(situ_mul(made_of(kind, e, in[0], in[1]), part[2])), TENSORS_OF(in, count), g[e]), 0);
            for (int k = 0; k < count; k++) CHECK(largest(situ_sub(g[0][k], g[1][k])) <= 1e-12 * largest(g[1][k]));
        }
}

/* ---- bits ------------------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    of_matrix *of;
} works[] = {{"cholesky", lower_of}, {"inverse", inverse_of}, {"qr", reflected}, {"log det", logarithm}, {"eigh", vectors},
    {"svd", singular}, {"fft", transformed}, {"sort", in_order}, {"triangle", solved_triangle}, {"equations", solved}};

static char first[1 << 21], second[1 << 21];

static int64_t bytes_of(of_matrix *of, situ_dtype dtype, situ_shape shape, situ_device where, int threads, char *out)
{
    int64_t bytes = -1;
    situ_set_threads(threads);
    IN_SCOPE
    {
        situ_tensor *y = of(situ_normal(situ_key(9, .device = where), shape, .dtype = dtype));
        bytes = situ_count(y) * (int64_t)situ_dtype_size(situ_dtype_of(y));
        CHECK(bytes <= (int64_t)sizeof first && !situ_read(y, out, (size_t)bytes));
    }
    situ_set_threads(0);
    return bytes;
}

TEST(factors_have_the_same_bits_on_threads_and_simulated_gpus)
{
    const situ_shape shapes[] = {SHAPE(270, 270), SHAPE(3, 64, 64)};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int s = 0; s < 2; s++)
            for (int d = 0; d < 2; d++) {
                situ_dtype dtype = d ? SITU_F64 : SITU_F32;
                int64_t n = bytes_of(works[i].of, dtype, shapes[s], situ_cpu(), 1, first);
                bool same = CHECK_EQ(bytes_of(works[i].of, dtype, shapes[s], situ_cpu(), 2, second), n) && CHECK(!memcmp(first, second, (size_t)n));
                same = CHECK_EQ(bytes_of(works[i].of, dtype, shapes[s], sim_device(0), 2, second), n) && CHECK(!memcmp(first, second, (size_t)n)) && same;
                if (!same) printf("  in %s\n", works[i].name);
            }
}

/* ---- what has no factors ------------------------------------------------------------------------------------------------------------ */

/* A single NaN reaches the results. */
TEST(a_nan_is_in_factors_by_blocks)
{
    static const int64_t places[][2] = {{0, 0}, {70, 3}, {3, 70}, {63, 63}, {70, 69}};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (int i = 1; i < 6; i++) IN_SCOPE /* without i = 0, Cholesky: it reports an error for such a matrix */
            {
                situ_tensor *x = situ_normal(situ_key(1), SHAPE(71, 71)), *at = situ_arange(0, 71, 1);
                situ_tensor *here = situ_logical_and(situ_equal(situ_expand_dims(at, 1), (double)places[p][0]), situ_equal(at, (double)places[p][1]));
                CHECK(situ_item(situ_any(situ_isnan(works[i].of(situ_where(here, NAN, x))))) == 1);
            }
}

TEST_IN_SCOPE(large_matrices_without_factors_are_errors)
{
    static float out[80 * 80];
    situ_tensor *one = situ_eye(80), *flat = situ_ones(SHAPE(80, 80)), *at = situ_arange(0, 80, 1);
    CHECK_FAILS(SITU_SINGULAR, situ_read(situ_inv(flat), out, sizeof out), "inv", "singular");
    CHECK_FAILS(SITU_SINGULAR, situ_read(situ_solve_triangular(situ_mul(one, situ_less(at, 70)), flat), out, sizeof out));
    CHECK_FAILS(SITU_SINGULAR, situ_read(situ_cholesky(situ_sub(one, situ_mul(flat, 0.1))), out, sizeof out), "positive definite");
    CHECK_EQ(situ_item(situ_det(flat)), 0);
    CHECK_EQ(situ_item(situ_det(one)), 1);
}

/* f64 values near the largest number: 2^1024 itself is not representable. */
TEST(eigenvalues_near_the_largest_number)
{
    static const int sizes[] = {7, 50}; /* the latter is large enough for blocks */
    for (int s = 0; s < 2; s++) {
        int n = sizes[s];
        static double a[2500], w[50];
        situ_scope *scope = situ_scope_open();
        memset(a, 0, sizeof a);
        for (int i = 0; i < n; i++) a[i * n + i] = 1.7e308 / n * (i + 1);
        CHECK_EQ(situ_read(situ_eigh(situ_from_host(a, SHAPE(n, n))), w, (size_t)n * sizeof *w), 0);
        for (int i = 0; i < n; i++) CHECK_NEAR(w[i], a[i * n + i], 1e-13 * a[i * n + i]);
        situ_scope_close(scope);
        CHECK_OK();
    }
}

/* The iteration's shifts are roots of squares, which would overflow; scaling a matrix scales its eigenvalues. */
TEST(eigenvalues_of_matrices_whose_squares_are_no_numbers)
{
    static const double sizes[] = {0x1p-1000, 0x1p-530, 0x1p530, 0x1p1000};
    for (int place = 0; place < 2; place++)
        for (int i = 0; i < 8; i++) IN_SCOPE {
            situ_tensor *v, *w, *x = situ_normal(situ_key(5, .device = place ? sim_device(0) : situ_cpu()), SHAPE(2, 7, 7), .dtype = SITU_F64);
            if (i % 2) x = situ_complex(x, situ_matrix_transpose(x));
            double size = sizes[i / 2];
            w = situ_eig(situ_mul(x, size), .vectors = &v);
            situ_tensor *rest = situ_sub(situ_matmul(situ_cast(x, SITU_C128), v), situ_mul(v, situ_expand_dims(situ_mul(w, 1 / size), -2)));
            CHECK(largest(rest) < 1e-13);
            CHECK(largest(situ_sub(situ_eig(situ_mul(x, size)), situ_mul(situ_eig(x), size))) == 0); /* a power of 2 changes no digit */
        }
}

TEST(singular_values_near_the_largest_number)
{
    static const int sizes[] = {7, 160}; /* the latter is large enough for blocks */
    for (int s = 0; s < 2; s++) {
        int n = sizes[s];
        static double a[160 * 160], w[160];
        situ_scope *scope = situ_scope_open();
        memset(a, 0, sizeof a);
        for (int i = 0; i < n; i++) a[i * n + i] = 1.7e308 / n * (i + 1);
        CHECK_EQ(situ_read(situ_svd(situ_from_host(a, SHAPE(n, n))), w, (size_t)n * sizeof *w), 0);
        for (int i = 0; i < n; i++) CHECK_NEAR(w[i], a[(n - 1 - i) * (n + 1)], 1e-13 * w[i]);
        situ_scope_close(scope);
        CHECK_OK();
    }
}

/* Singular values over 12 decades, the smallest 14 decades above the least normal number: vectors keep all their
 * digits. */
TEST_IN_SCOPE(small_matrices_of_small_numbers)
{
    enum { N = 8 };
    double a[N][N] = {{0}};
    for (int i = 0; i < N; i++) a[i][i] = pow(10, -12.0 * i / (N - 1));
    situ_tensor *u, *v, *q = situ_qr(situ_normal(situ_key(3), SHAPE(N, N), .dtype = SITU_F64));
    situ_tensor *x = situ_matmul(situ_matmul(q, situ_from_host(a, SHAPE(N, N))), turned(q));
    situ_tensor *w = situ_mul(situ_svd(situ_mul(x, 1e-290), .u = &u, .vh = &v), 1e290);
    CHECK(largest(situ_sub(situ_matmul(turned(u), u), identity(u))) < 1e-13);
    CHECK(largest(situ_sub(situ_matmul(situ_mul(u, w), v), x)) < 1e-14);
}

/* A large part beside one whose numbers have no squares in f64; ones, of which roundings of roundings are left. */
TEST(large_numbers_beside_the_least)
{
    static const double sizes[] = {1e-150, 1e-160, 1e-250, 1e-300, 1};
    for (int i = 0; i < 5; i++) {
        situ_scope *scope = situ_scope_open();
        int64_t n = i == 4 ? 256 : 96;
        situ_tensor *at = situ_arange(0, n, 1), *late = situ_greater(at, n / 2), *u, *v;
        situ_tensor *by = situ_cast(situ_where(late, sqrt(sizes[i]), 1.0), SITU_F64), *x = situ_normal(situ_key(3), SHAPE(n, n), .dtype = SITU_F64);
        x = i == 4 ? situ_ones_like(x) : situ_mul(situ_mul(situ_add(x, turned(x)), by), situ_expand_dims(by, 1));
        situ_tensor *w = situ_svd(x, .u = &u, .vh = &v);
        CHECK(largest(situ_sub(situ_matmul(turned(u), u), identity(u))) < 1e-12);
        CHECK(largest(situ_sub(situ_matmul(situ_mul(u, w), v), x)) < 1e-11);
        CHECK(largest(situ_sub(situ_svd(x), w)) < 1e-11);
        has_eigenvectors(x, NULL);
        situ_scope_close(scope);
    }
}
