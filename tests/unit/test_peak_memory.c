/* Elementwise and random operations, and those that move elements, need at most 1.3 times their result's memory, by the
 * device's own count. */
#include "test.h"

#include <situ.h>

#include "op/elementwise.h"

#include <stdio.h>
#include <string.h>

enum { N = 1 << 20, ROWS = 1 << 10 };

typedef situ_tensor *(*maker)(situ_tensor *const *in);

static int64_t measure(maker make, situ_tensor *const *in, int64_t *bytes)
{
    situ_memory m;
    situ_memory_of(situ_cpu(), &m);
    int64_t before = m.in_use;
    situ_memory_reset_peak(situ_cpu());
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = make(in);
    situ_eval(TENSORS(t));
    situ_wait(t);
    situ_memory_of(situ_cpu(), &m);
    *bytes = situ_count(t) * (int64_t)situ_dtype_size(situ_dtype_of(t));
    situ_scope_close(scope);
    return m.peak - before;
}

static void check_most(const char *name, const char *of, double most, maker make, situ_tensor *const *in)
{
    int64_t bytes = 1, peak = measure(make, in, &bytes);
    if (situ_failed()) {
        printf("  %s of %s: %s\n", name, of, situ_error_message());
        CHECK(!situ_failed());
        situ_error_take(NULL);
        return;
    }
    if (!CHECK((double)peak <= most * (double)bytes + 65536))
        printf("  %s of %s takes %.2f times its result\n", name, of, (double)peak / (double)bytes);
}

/* Operands of a dtype, with values from lo to hi, in memory. */
static void operands(situ_tensor **in, int count, situ_dtype dtype, double lo, double hi)
{
    for (int i = 0; i < count; i++) {
        situ_tensor *x = situ_uniform(situ_key(i), SHAPE(ROWS, N / ROWS), .low = lo, .high = hi);
        in[i] = situ_keep(situ_cast(dtype == SITU_BOOL ? situ_greater(x, (lo + hi) / 2) : x, dtype));
    }
    situ_eval(TENSORS_OF(in, count));
}
static void release(situ_tensor **in, int count)
{
    for (int i = 0; i < count; i++) situ_release(in[i]);
}

/* ---- elementwise operations ------------------------------------------------------------------------------------------------------ */

#define EL1(name, kind, value, ga, lo, hi, doc) \
    static situ_tensor *el_##name(situ_tensor *const *in) { return situ_##name(in[0]); }
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    static situ_tensor *el_##name(situ_tensor *const *in) { return situ_##name(in[0], in[1]); }
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    static situ_tensor *el_##name(situ_tensor *const *in) { return situ_##name(in[0], in[1], in[2]); }
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3

TEST(elementwise_operations_take_their_result)
{
    static const maker make[] = {
#define EL1(name, kind, value, ga, lo, hi, doc) [SITU_EL_##name] = el_##name,
#define EL2(name, kind, value, ga, gb, lo, hi, doc) [SITU_EL_##name] = el_##name,
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) [SITU_EL_##name] = el_##name,
#include "op/elementwise.def"
    };
    static const situ_dtype dtype[] = {SITU_BOOL, SITU_U8, SITU_I32, SITU_U64, SITU_F16, SITU_F32, SITU_F64};
    int checked = 0;
    for (size_t d = 0; d < sizeof dtype / sizeof *dtype; d++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *in[3];
        operands(in, 3, dtype[d], 0.3, 3);
        for (int op = 0; op < SITU_EL_COUNT; op++) {
            if (!situ_el_takes((situ_el)op, dtype[d]) || !make[op] || !strcmp(situ_el_rows[op].name, "where")) continue;
            check_most(situ_el_rows[op].name, situ_dtype_name(dtype[d]), 1.3, make[op], in);
            checked++;
        }
        release(in, 3);
        situ_scope_close(scope);
    }
    CHECK(checked > 200);
}

/* ---- functions that are made of several, and what moves elements ------------------------------------------------------------------ */

#define X in[0]
#define Y in[1]
#define C in[2]
#define FUNCTIONS(F) \
    F(where, situ_where(situ_greater(X, 1), X, Y)) F(clip, situ_clip(X, 0.5, 1)) F(gelu, situ_gelu(X)) F(gelu_exact, situ_gelu(X, .exact = true)) \
    F(silu, situ_silu(X)) F(mish, situ_mish(X)) F(softplus, situ_softplus(X)) F(elu, situ_elu(X, 1)) F(leaky_relu, situ_leaky_relu(X, 0.1)) \
    F(logaddexp, situ_logaddexp(X, Y)) F(power, situ_pow(X, 3)) F(root, situ_pow(X, 0.5)) F(isclose, situ_isclose(X, Y)) \
    F(lerp, situ_add(X, situ_mul(situ_sub(Y, X), 0.3))) F(to_f64, situ_cast(X, SITU_F64)) F(to_f16, situ_cast(X, SITU_F16)) \
    F(to_i64, situ_cast(X, SITU_I64)) F(to_u8, situ_cast(X, SITU_U8)) F(to_bool, situ_cast(X, SITU_BOOL)) F(complex, situ_complex(X, Y)) \
    F(exp_of_complex, situ_exp(C)) F(log_of_complex, situ_log(C)) F(product_of_complex, situ_mul(C, C)) F(sum_of_complex, situ_add(C, 2)) \
    F(conjugate, situ_conj(C)) F(absolute, situ_abs(C)) F(real, situ_add(situ_real(C), 1)) \
    F(zeros, situ_zeros(SHAPE(N))) F(ones, situ_ones(SHAPE(N))) F(full, situ_full(SHAPE(N), 3)) F(full_like, situ_full_like(X, 3)) \
    F(arange, situ_arange(0, N, 1)) F(arange_f, situ_arange(0, N, 1, .dtype = SITU_F32)) F(linspace, situ_linspace(0, 1, N)) \
    F(linspace_f64, situ_linspace(0, 1, N, .dtype = SITU_F64)) F(eye, situ_eye(ROWS)) F(tri, situ_tri(ROWS)) F(tril, situ_tril(X, 1)) \
    F(triu, situ_triu(X, 1)) F(copy, situ_copy_to(X, situ_cpu())) F(flip, situ_add(situ_flip(X), 0)) F(transpose, situ_add(situ_transpose(X), 0)) \
    F(roll, situ_roll(X, 3)) F(pad, situ_pad(X, SHAPE(1, 2), SHAPE(3, 4))) F(tile, situ_tile(X, SHAPE(2, 1))) F(repeat, situ_repeat(X, 2)) \
    F(concat, situ_concat(TENSORS(X, Y))) F(stack, situ_stack(TENSORS(X, Y))) F(diag, situ_diag(situ_reshape(situ_slice(X, .stop = SHAPE(1)), SHAPE(ROWS)), 0)) \
    F(update_slice, situ_update_slice(X, situ_full(SHAPE(3, 4), 1.5), SHAPE(1, 2))) F(update_all, situ_update_slice(X, Y, SHAPE(0, 0))) \
    F(every_other, situ_add(situ_slice(X, .step = SHAPE(1, 2)), 0)) F(one_hot, situ_one_hot(situ_arange(0, ROWS, 1), ROWS)) \
    F(softmax, situ_softmax(X)) F(log_softmax, situ_log_softmax(X)) F(cumulative_sum, situ_cumsum(X, .axis = 1)) F(cumulative_product, situ_cumprod(X, .axis = 1)) \
    F(forty, forty(X, 40)) F(two_hundred, forty(X, 200)) F(long_of_two, forty(situ_mul(X, Y), 90))

/* A function with too many operations for one kernel; its constants are 2 n. */
static situ_tensor *forty(situ_tensor *x, int n)
{
    situ_tensor *p = situ_fma(x, 0.125, 0.25);
    for (int i = 0; i < n; i++) p = situ_fma(p, situ_mul(x, 1.0 / (i + 3)), 1.0 / (i + 2));
    return situ_mul(p, x);
}

#define F(name, expression) \
    static situ_tensor *f_##name(situ_tensor *const *in) { return (void)in, expression; }
FUNCTIONS(F)
#undef F

TEST(functions_take_their_result)
{
    static const struct {
        const char *name;
        maker make;
    } all[] = {
#define F(name, expression) {#name, f_##name},
        FUNCTIONS(F)
#undef F
    };
    situ_scope *scope = situ_scope_open();
    situ_tensor *in[3];
    operands(in, 2, SITU_F32, 0.3, 3);
    in[2] = situ_keep(situ_complex(in[0], in[1]));
    situ_eval(TENSORS(in[2]));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_most(all[i].name, "f32", 1.3, all[i].make, in);
    release(in, 3);
    situ_scope_close(scope);
}

/* ---- random numbers ---------------------------------------------------------------------------------------------------------------- */

static situ_layout_kind layout;
static situ_dtype drawn;
#define OPTIONS .dtype = drawn, .layout = layout

static situ_tensor *draw_uniform(situ_tensor *const *in) { return situ_uniform(in[0], SHAPE(N), .low = -2, .high = 3, OPTIONS); }
static situ_tensor *draw_normal(situ_tensor *const *in) { return situ_normal(in[0], SHAPE(N), OPTIONS); }
static situ_tensor *draw_gumbel(situ_tensor *const *in) { return situ_gumbel(in[0], SHAPE(N), OPTIONS); }
static situ_tensor *draw_bits(situ_tensor *const *in) { return situ_random_bits(in[0], SHAPE(N), OPTIONS); }
static situ_tensor *draw_randint(situ_tensor *const *in) { return situ_randint(in[0], SHAPE(N), 0, 100, OPTIONS); }
static situ_tensor *draw_even(situ_tensor *const *in) { return situ_randint(in[0], SHAPE(N), 0, 100, .unbiased = true, OPTIONS); }
static situ_tensor *draw_permutation(situ_tensor *const *in) { return situ_permutation(in[0], N, OPTIONS); }
static situ_tensor *draw_bernoulli(situ_tensor *const *in) { return situ_bernoulli(in[0], 0.3, SHAPE(N), .layout = layout); }
static situ_tensor *draw_mask(situ_tensor *const *in) { return situ_dropout(in[1], in[0], 0.5); }
static situ_tensor *draw_split(situ_tensor *const *in) { return situ_key_split(in[0], N / 2, .layout = layout); }

TEST(random_numbers_take_their_result)
{
    static const struct {
        const char *name;
        maker make;
        double most;
        situ_dtype dtype[6];
    } all[] = {{"uniform", draw_uniform, 1.3, {SITU_F32, SITU_F64, SITU_F16}},
        {"normal", draw_normal, 1.3, {SITU_F32, SITU_F64, SITU_F16}},
        {"gumbel", draw_gumbel, 1.3, {SITU_F32, SITU_F64, SITU_F16}},
        {"uniform", draw_uniform, 1.5, {SITU_BF16}}, /* a random byte lies beside each number of two */
        {"normal", draw_normal, 1.5, {SITU_BF16}},
        {"gumbel", draw_gumbel, 1.5, {SITU_BF16}},
        {"random_bits", draw_bits, 1.3, {SITU_U8, SITU_U16, SITU_U32, SITU_U64}},
        {"randint", draw_randint, 1.3, {SITU_I32, SITU_I64, SITU_U8, SITU_I16, SITU_U32, SITU_U64}},
        {"unbiased randint", draw_even, 1.3, {SITU_I32, SITU_I64, SITU_U8, SITU_I16, SITU_U32, SITU_U64}},
        {"permutation", draw_permutation, 1.6, {SITU_I64, SITU_U64}},
        {"bernoulli", draw_bernoulli, 1.3, {SITU_BOOL}},
        {"key_split", draw_split, 2, {SITU_U32}} /* both words of a key are halves of one number of 64 bits */};
    situ_scope *scope = situ_scope_open();
    situ_tensor *key = situ_keep(situ_key(3));
    situ_eval(TENSORS(key));
    for (layout = SITU_ORIGINAL; layout <= SITU_PARTITIONABLE; layout++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            for (int k = 0; k < 6 && (!k || all[i].dtype[k]); k++) {
                char of[64];
                drawn = all[i].dtype[k];
                snprintf(of, sizeof of, "%s, layout %d", situ_dtype_name(drawn), (int)layout);
                check_most(all[i].name, of, all[i].most, all[i].make, &key);
            }
    situ_tensor *in[2];
    operands(in, 2, SITU_F32, 0.3, 3);
    check_most("dropout", "f32", 1.3, draw_mask, (situ_tensor *[]){key, in[0]});
    release(in, 2);
    situ_release(key);
    situ_scope_close(scope);
}
