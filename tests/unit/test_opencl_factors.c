/* Complex numbers, Fourier transforms, factorizations and positions by generated OpenCL text, against the CPU. */
#include "support/opencl_programs.h"
#include "support/poisoned.h"

static situ_tensor *complex_some(situ_shape shape, situ_dtype real)
{
    return situ_complex(some(shape, real), situ_flip(some(shape, real)));
}
#define C64(...) complex_some(SHAPE(__VA_ARGS__), SITU_F32)
#define C128(...) complex_some(SHAPE(__VA_ARGS__), SITU_F64)

/* ---- the CPU's bits ---------------------------------------------------------------------------------------------------- */

PROGRAM(to_complex, situ_cast(some(SHAPE(300), SITU_F16), SITU_C64))
PROGRAM(of_bools, situ_cast(some(SHAPE(300), SITU_BOOL), SITU_C128))
PROGRAM(from_complex, situ_cast(C128(300), SITU_I16))
PROGRAM(truth, situ_cast(C64(300), SITU_BOOL))
PROGRAM(narrower, situ_cast(C128(300), SITU_C64))
PROGRAM(parts_of, situ_concat(TENSORS(situ_real(C64(40)), situ_imag(C64(40)))))
PROGRAM(conjugate, situ_conj(C128(4, 30)))
PROGRAM(sums, situ_sub(situ_add(C64(5, 60), C64(60)), situ_transpose(C64(60, 5))))
PROGRAM(products, situ_square(situ_mul(C64(5, 60), C64(60))))
PROGRAM(equals, situ_logical_xor(situ_equal(C64(300), C64(300)), situ_not_equal(C64(300), situ_conj(C64(300)))))
PROGRAM(choice, situ_where(situ_greater(F32(30, 1), 0), C64(30, 7), C64(7)))
PROGRAM(rounded, situ_round(C128(300)))
PROGRAM(places, situ_nonzero(situ_greater(F32(13, 7, 51), 1)))
PROGRAM(some_places, situ_nonzero(situ_greater(F32(13, 70), 1), .size = 700, .fill = -7))
PROGRAM(few_places, situ_nonzero(situ_greater(F32(13, 70), 1), .size = 5))
PROGRAM(chosen, situ_masked(F32(1000), situ_less(F32(1000), 0.5)))
PROGRAM(different, situ_unique(some(SHAPE(500), SITU_I32)))
PROGRAM(bytes, situ_random_bits(situ_key(5, .device = here), SHAPE(1003), .dtype = SITU_U8))
PROGRAM(shorts, situ_random_bits(situ_key(5, .device = here), SHAPE(1003), .dtype = SITU_U16))
PROGRAM(separate_bytes, situ_random_bits(situ_key(5, .device = here), SHAPE(1003), .dtype = SITU_U8, .layout = SITU_PARTITIONABLE))
PROGRAM(pad_i8, situ_pad(some(SHAPE(3, 4), SITU_I8), SHAPE(1, 2), SHAPE(0, 3), .value = 100))
PROGRAM(pad_c64, situ_pad(C64(3, 4), SHAPE(1, 2), SHAPE(0, 3), .value = 1.5))
PROGRAM(cumsum_c64, situ_cumsum(C64(6, 50), .axis = 1))
PROGRAM(cumsum_blocks_c128, situ_cumsum(C128(2, 2300), .reverse = true))
PROGRAM(cumprod_c64, situ_cumprod(situ_div(C64(40, 70), 4)))
PROGRAM(linear_scan_c64, situ_linear_scan(C64(40, 20), C64(40, 20)))

#define ROW(name) {#name, name}
static const struct program { const char *name; situ_tensor *(*run)(void); } exact[] = {
    ROW(to_complex), ROW(of_bools), ROW(from_complex), ROW(truth), ROW(narrower), ROW(parts_of), ROW(conjugate), ROW(sums), ROW(products),
    ROW(equals), ROW(choice), ROW(rounded), ROW(places), ROW(some_places), ROW(few_places), ROW(chosen), ROW(different), ROW(bytes),
    ROW(shorts), ROW(separate_bytes), ROW(pad_i8), ROW(pad_c64), ROW(cumsum_c64),
    ROW(cumsum_blocks_c128), ROW(cumprod_c64), ROW(linear_scan_c64)};

static char cpu[1 << 18], device[1 << 18];

static void has_the_cpus_bits(const struct program *p, bool is_exact)
{
    situ_dtype dtype, other;
    int64_t n = result_on(situ_cpu(), p->run, cpu, sizeof cpu, &dtype);
    bool same = CHECK(n > 0) && CHECK_EQ(result_on(tested_device(0), p->run, device, sizeof device, &other), n) && CHECK_EQ(dtype, other);
    if (same && is_exact) same = CHECK(first_difference(dtype, cpu, device, n) < 0);
    if (!same) printf("  in %s\n", p->name);
    CHECK_OK();
}

TEST(have_the_cpus_bits)
{
    alone_state s = alone();
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) has_the_cpus_bits(&exact[i], s.exact);
    *s.maps = could;
}

/* ---- the CPU's values: sums in another order ------------------------------------------------- */

static double scale_of(situ_dtype dtype) { return situ_dtype_real(dtype) == SITU_F64 ? 1e-13 : 1e-6; }

/* Each element is close to the CPU's, relative to the largest element. */
static bool near_cpu(const struct program *p, double times)
{
    situ_dtype dtype, other;
    int64_t n = result_on(situ_cpu(), p->run, cpu, sizeof cpu, &dtype);
    bool good = CHECK(n > 0) && CHECK_EQ(result_on(tested_device(0), p->run, device, sizeof device, &other), n) && CHECK_EQ(dtype, other);
    int64_t size = (int64_t)situ_dtype_size(dtype);
    double most = 1;
    for (int64_t i = 0; i < n / size && good; i++) {
        situ_c128 a = situ_element_get_c128(dtype, cpu + i * size);
        if (isfinite(a.re) && isfinite(a.im)) most = fmax(most, hypot(a.re, a.im));
    }
    for (int64_t i = 0; i < n / size && good; i++) {
        situ_c128 a = situ_element_get_c128(dtype, cpu + i * size), b = situ_element_get_c128(dtype, device + i * size);
        if (same_element(dtype, cpu + i * size, device + i * size) || (isnan(a.re) && isnan(b.re))) continue;
        good = CHECK(hypot(a.re - b.re, a.im - b.im) <= times * most * scale_of(dtype));
        if (!good) printf("  at %lld: CPU %.17g%+.17gi, OpenCL %.17g%+.17gi\n", (long long)i, a.re, a.im, b.re, b.im);
    }
    if (!good) printf("  in %s\n", p->name);
    CHECK_OK();
    return good;
}

#define OF(name, ...) PROGRAM(name##_of, situ_##name(__VA_ARGS__))
static situ_tensor *where_mild(void) { return situ_concat(TENSORS(C128(200), situ_mul(C128(200), 0.1), situ_mul(C128(200), 40))); }
OF(div, C64(300), situ_conj(C64(300))) OF(pow, C128(300), situ_mul(C128(300), 0.5)) OF(abs, where_mild()) OF(sign, where_mild())
OF(reciprocal, where_mild()) OF(sqrt, where_mild()) OF(rsqrt, where_mild()) OF(exp, where_mild()) OF(exp2, C64(300)) OF(expm1, where_mild())
OF(log, where_mild()) OF(log2, C64(300)) OF(log10, where_mild()) OF(log1p, where_mild()) OF(sin, C64(300)) OF(cos, where_mild()) OF(tan, where_mild())
OF(asin, where_mild()) OF(acos, where_mild()) OF(atan, where_mild()) OF(sinh, where_mild()) OF(cosh, C64(300)) OF(tanh, where_mild())
OF(asinh, where_mild()) OF(acosh, where_mild()) OF(atanh, where_mild())

TEST(functions_of_complex_numbers_have_the_cpus_bits)
{
    static const struct program rows[] = {
        ROW(div_of), ROW(pow_of), ROW(abs_of), ROW(sign_of), ROW(reciprocal_of), ROW(sqrt_of), ROW(rsqrt_of), ROW(exp_of), ROW(exp2_of), ROW(expm1_of),
        ROW(log_of), ROW(log2_of), ROW(log10_of), ROW(log1p_of), ROW(sin_of), ROW(cos_of), ROW(tan_of), ROW(asin_of), ROW(acos_of), ROW(atan_of),
        ROW(sinh_of), ROW(cosh_of), ROW(tanh_of), ROW(asinh_of), ROW(acosh_of), ROW(atanh_of)};
    alone_state s = alone();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) has_the_cpus_bits(&rows[i], s.exact);
    *s.maps = could;
}

PROGRAM(fft_64, situ_fft(C128(3, 64)))
PROGRAM(fft_360, situ_fft(C64(2, 360, 3), .axis = 1))
PROGRAM(fft_2048, situ_ifft(C64(2, 2048)))
PROGRAM(fft_341, situ_ifft(C128(341), .norm = SITU_NORM_ORTHO))
PROGRAM(fft_prime, situ_fft(C128(3, 101)))
PROGRAM(ifft_prime, situ_ifft(C128(3, 37), .n = 41))
PROGRAM(rfft_20, situ_rfft(F32(3, 17), .n = 20))
PROGRAM(irfft_15, situ_irfft(C64(3, 8), .n = 15))
PROGRAM(irfft_prime, situ_irfft(C128(3, 30), .n = 74))
PROGRAM(fft_1, situ_fft(C64(5, 1)))
PROGRAM(fft_2d, situ_irfftn(situ_rfftn(F32(12, 20)), .s = SHAPE(12, 20)))

TEST(fourier_transforms_are_near)
{
    static const struct program rows[] = {ROW(fft_64), ROW(fft_360), ROW(fft_2048), ROW(fft_341), ROW(fft_prime), ROW(ifft_prime), ROW(rfft_20),
                                          ROW(irfft_15), ROW(irfft_prime), ROW(fft_1), ROW(fft_2d)};
    alone_state s = alone();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) near_cpu(&rows[i], 1);
    *s.maps = could;
}

/* ---- factorizations: what is determined, or what the factors give together ------------------------------------------------ */

static situ_tensor *adjoint(situ_tensor *x) { return situ_conj(situ_transpose(x)); }
static situ_tensor *positive(situ_tensor *x) { return situ_add(situ_matmul(x, adjoint(x)), situ_eye(situ_shape_of(x).dim[situ_shape_of(x).ndim - 1], .dtype = situ_dtype_of(x), .device = here)); }

static situ_tensor *qr_back(situ_tensor *x, bool complete)
{
    situ_tensor *r, *q = situ_qr(x, .r = &r, .complete = complete);
    return situ_concat(TENSORS(situ_reshape(situ_matmul(q, r), SHAPE(-1)), situ_reshape(situ_matmul(adjoint(q), q), SHAPE(-1)), situ_reshape(r, SHAPE(-1))));
}

static situ_tensor *eigh_back(situ_tensor *x)
{
    situ_tensor *v, *w = situ_eigh(x, .vectors = &v), *again = situ_matmul(situ_mul(v, situ_expand_dims(w, -2)), adjoint(v));
    return situ_concat(TENSORS(situ_reshape(again, SHAPE(-1)), situ_cast(situ_reshape(w, SHAPE(-1)), situ_dtype_of(x))));
}

static situ_tensor *svd_back(situ_tensor *x, bool full)
{
    situ_tensor *u, *v, *s = situ_svd(x, .u = &u, .vh = &v, .full = full);
    situ_shape k = situ_shape_of(s);
    int64_t n = k.dim[k.ndim - 1], zero[1] = {n};
    situ_tensor *left = situ_slice(u, .stop = SHAPE(SITU_FULL, SITU_FULL, zero[0])), *right = situ_slice(v, .stop = SHAPE(SITU_FULL, zero[0]));
    situ_tensor *again = situ_matmul(situ_mul(left, situ_expand_dims(s, -2)), right);
    return situ_concat(TENSORS(situ_reshape(again, SHAPE(-1)), situ_cast(situ_reshape(s, SHAPE(-1)), situ_dtype_of(x)),
                               situ_reshape(situ_matmul(adjoint(u), u), SHAPE(-1)), situ_reshape(situ_matmul(v, adjoint(v)), SHAPE(-1))));
}

/* a v = v w, and the sum of the values; their order is free. */
static situ_tensor *eig_back(situ_tensor *x)
{
    situ_tensor *v, *w = situ_eig(x, .vectors = &v);
    situ_tensor *rest = situ_sub(situ_matmul(situ_cast(x, situ_dtype_of(v)), v), situ_mul(v, situ_expand_dims(w, -2)));
    return situ_concat(TENSORS(situ_reshape(rest, SHAPE(-1)), situ_reshape(situ_sum(w), SHAPE(1)), situ_reshape(situ_sum(situ_square(w)), SHAPE(1))));
}

PROGRAM(lower_c128, situ_cholesky(positive(C128(40, 40))))
PROGRAM(solved, situ_solve(F32(4, 9, 9), F32(4, 9, 3)))
PROGRAM(inverse, situ_inv(positive(some(SHAPE(70, 70), SITU_F64))))
PROGRAM(determinant_c128, situ_det(C128(5, 5)))
PROGRAM(full_qr, qr_back(C128(9, 5), true))
PROGRAM(wide_qr, qr_back(some(SHAPE(5, 9), SITU_F64), false))
PROGRAM(vectors_h, eigh_back(positive(some(SHAPE(2, 12, 12), SITU_F64))))
PROGRAM(vectors_h_few, eigh_back(positive(C64(3, 3))))
PROGRAM(singular, situ_svd(F32(3, 6, 9)))
PROGRAM(tall_svd, svd_back(some(SHAPE(2, 12, 7), SITU_F64), false))
PROGRAM(wide_svd, svd_back(C128(1, 5, 8), false))
PROGRAM(full_svd, svd_back(some(SHAPE(2, 8, 5), SITU_F64), true))
PROGRAM(low_rank, svd_back(situ_matmul(some(SHAPE(2, 8, 2), SITU_F64), some(SHAPE(2, 2, 6), SITU_F64)), true))
PROGRAM(few_rows, svd_back(situ_pad(some(SHAPE(200, 2, 4), SITU_F64), SHAPE(0, 2, 0), SHAPE(0, 2, 0)), false))
PROGRAM(general, eig_back(some(SHAPE(2, 9, 9), SITU_F64)))
PROGRAM(general_huge, situ_mul(situ_sum(situ_eig(situ_mul(some(SHAPE(2, 9, 9), SITU_F64), 1e300)), .axes = AXES(1)), 1e-300))
PROGRAM(general_tiny, situ_mul(situ_sum(situ_eig(situ_mul(some(SHAPE(2, 9, 9), SITU_F64), 1e-300)), .axes = AXES(1)), 1e300))

static situ_tensor *logarithm(void)
{
    situ_tensor *log, *sign = situ_slogdet(situ_negative(positive(some(SHAPE(3, 7, 7), SITU_F64))), .log = &log);
    return situ_concat(TENSORS(log, sign));
}

#define NEAR_(...)                                                                          \
    static const struct program rows[] = {__VA_ARGS__};                                     \
    alone_state s = alone();                                                               \
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) near_cpu(&rows[i], 10);  \
    *s.maps = could

/* Where results are NaN, for matrices that contain a NaN or an infinity. */
static situ_tensor *masks(situ_tensor *(*of)(situ_tensor *), int kinds, situ_dtype dtype)
{
    situ_tensor *x = situ_concat(TENSORS(poisoned(3, kinds, dtype, NAN, here), poisoned(3, kinds, dtype, INFINITY, here)));
    return situ_cast(situ_isnan(of(x)), SITU_F32);
}
static situ_tensor *triangle_of(situ_tensor *x)
{
    situ_tensor *r, *q = situ_qr(x, .r = &r);
    return situ_concat(TENSORS(q, r), .axis = 1);
}
/* Only with NaN: a matrix with an infinity may be singular. */
static situ_tensor *ones_by(situ_tensor *x)
{
    situ_tensor *first = situ_slice(x, .stop = SHAPE(situ_dim(x, 0) / 2));
    return situ_solve(first, situ_ones_like(first));
}
static situ_tensor *values_of(situ_tensor *x) { return situ_svd(x); }
static situ_tensor *values_of_symmetric(situ_tensor *x) { return situ_eigh(situ_add(x, situ_matrix_transpose(x))); }
static situ_tensor *product_of_pivots(situ_tensor *x) { return situ_det(x); }
PROGRAM(qr_masks, masks(triangle_of, 3, SITU_F64))
PROGRAM(qr_masks_c64, masks(triangle_of, 3, SITU_C64))
PROGRAM(solve_masks, masks(ones_by, 2, SITU_F64))
PROGRAM(det_masks, masks(product_of_pivots, 3, SITU_F64))
PROGRAM(svd_masks, masks(values_of, 3, SITU_F64))
PROGRAM(eigh_masks, masks(values_of_symmetric, 3, SITU_F64))

/* A test each: their kernels take long to compile. */
TEST(triangles_are_near) { NEAR_(ROW(lower_c128), ROW(solved), ROW(inverse), ROW(determinant_c128), ROW(logarithm)); }
TEST(qr_is_near) { NEAR_(ROW(full_qr), ROW(wide_qr)); }
TEST(eigh_is_near) { NEAR_(ROW(vectors_h), ROW(vectors_h_few)); }
TEST(svd_is_near) { NEAR_(ROW(singular), ROW(tall_svd), ROW(wide_svd)); }
TEST(full_svd_is_near) { NEAR_(ROW(full_svd), ROW(low_rank), ROW(few_rows)); }
TEST(eig_is_near) { NEAR_(ROW(general), ROW(general_huge), ROW(general_tiny)); }
TEST(nans_of_triangles_are_where_the_cpu_has_them) { NEAR_(ROW(qr_masks), ROW(qr_masks_c64), ROW(solve_masks), ROW(det_masks)); }
TEST(nans_of_values_are_where_the_cpu_has_them) { NEAR_(ROW(svd_masks), ROW(eigh_masks)); }

TEST_IN_SCOPE(singular_matrices_are_errors)
{
    alone();
    here = tested_device(0);
    float out[4];
    situ_tensor *flat = situ_ones(SHAPE(2, 2), .device = here);
    CHECK_FAILS(SITU_SINGULAR, situ_read(situ_solve(flat, flat), out, sizeof out), "test_opencl_factors.c:", "singular");
    CHECK_FAILS(SITU_SINGULAR, situ_read(situ_cholesky(situ_negative(flat)), out, sizeof out));
    CHECK_EQ(situ_read(situ_cholesky(situ_eye(2, .device = here)), out, sizeof out), 0); /* the device can still be used */
}
