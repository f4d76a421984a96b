/* A program's own operations and gradients; and calls with invalid operands. */
#include <math.h>
#include <situ/custom.h>
#include <situ/grad.h>

#include "values.h"

static int infer_twice(situ_custom_shape *c)
{
    if (c->in_dtype[0] != SITU_F64) return 1;
    c->shape = c->in_shape[0];
    c->dtype = SITU_F64;
    return 0;
}

static int run_twice(const situ_custom_run *c)
{
    const double *x = c->in[0];
    double *y = c->out;
    for (int64_t i = 0; i < c->shape.dim[0]; i++) {
        if (x[i] < 0) return 7;
        y[i] = 2 * x[i];
    }
    return 0;
}

static situ_tensor *grad_twice(const situ_custom_grad *c) { return situ_mul(c->g, 2); }

TEST(an_operation_of_a_program)
{
    const situ_custom *twice = situ_custom_new("twice", 1, infer_twice, run_twice, grad_twice);
    if (!CHECK(twice)) return;
    IN_SCOPE {
        situ_tensor *x = F64(1, 2, 3), *g;
        situ_tensor *y = situ_custom_call(twice, TENSORS(x), NULL, 0);
        IS(situ_add(y, 1), "[3., 5., 7.] f64[3]");
        CHECK_EQ(situ_grad(situ_sum(situ_square(situ_custom_call(twice, TENSORS(x), NULL, 0))), TENSORS(x), &g), 0);
        IS(g, "[8., 16., 24.] f64[3]");
        CHECK_OK();
        CHECK_FAILS(SITU_BAD_SHAPE, situ_custom_call(twice, TENSORS(F32(1)), NULL, 0));
        double out[1];
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_read(situ_custom_call(twice, TENSORS(F64(-1)), NULL, 0), out, sizeof out));
    }
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_custom_new("nothing", 1, NULL, NULL, NULL));
}

/* x, but with a gradient clipped to the length that `self` gives. */
static void clipped(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    (void)y;
    double most = *(const double *)self;
    out[0] = situ_clip(g, -most, most);
}

TEST(a_gradient_of_a_program)
{
    static double most = 1;
    IN_SCOPE {
        situ_tensor *x = F64(0.25, 3), *g;
        situ_tensor *y = situ_custom_vjp(situ_square(x), TENSORS(x), clipped, &most);
        IS(y, "[0.0625, 9.] f64[2]");
        CHECK_EQ(situ_grad(situ_sum(situ_mul(y, F64(0.5, 4))), TENSORS(x), &g), 0);
        IS(g, "[0.5, 1.] f64[2]");
    }
}

static void refused(const char *name, situ_tensor *result)
{
    bool right = situ_error_take(NULL) == SITU_BAD_ARGUMENT && !strcmp(situ_state(result), "poisoned");
    test_check(right, __FILE__, __LINE__, name);
}

/* Every function of one operand, and those of more with the rest in order, on NULL: an error and a poisoned tensor. */
TEST_IN_SCOPE(no_call_minds_a_null)
{
    situ_tensor *n = NULL, *x = F32(1, 2), *out[2];
    situ_site at = "test";
    /* clang-format off */
#define TRY(name, call) refused(name, call)
#define EL1(name, kind, value, ga, lo, hi, doc) TRY(#name, (situ_##name)(n, at)),
#define EL2(name, kind, value, ga, gb, lo, hi, doc) TRY(#name, (situ_##name)(x, n, at)),
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) TRY(#name, (situ_##name)(x, x, n, at)),
#include "op/elementwise.def"
#define ONE(name) TRY(#name, (situ_##name)(n, at))
#define OPTIONS(name) TRY(#name, (situ_##name)(n, NULL, at))
#define TWO(name) TRY(#name, (situ_##name)(x, n, NULL, at))
        OPTIONS(zeros_like), OPTIONS(ones_like), TRY("full_like", (situ_full_like)(x, n, NULL, at)),
        TRY("full", (situ_full)(SHAPE(2), n, NULL, at)), TRY("arange", (situ_arange)(n, n, n, NULL, at)),
        TRY("tril", (situ_tril)(n, 0, at)), TRY("triu", (situ_triu)(n, 0, at)), TRY("cast", (situ_cast)(n, SITU_F64, at)),
        TRY("complex", (situ_complex)(x, n, at)), ONE(real), ONE(imag), ONE(conj), TRY("to", (situ_to)(n, situ_cpu(), at)),
        TRY("copy_to", (situ_copy_to)(n, situ_cpu(), at)), ONE(stop_gradient), TRY("reshape", (situ_reshape)(n, SHAPE(1), at)),
        TRY("permute", (situ_permute)(n, AXES(0), at)), ONE(transpose), TRY("swapaxes", (situ_swapaxes)(n, 0, 1, at)),
        TRY("moveaxis", (situ_moveaxis)(n, 0, 1, at)), TRY("expand_dims", (situ_expand_dims)(n, 0, at)),
        TRY("broadcast_to", (situ_broadcast_to)(n, SHAPE(2), at)), TRY("select", (situ_select)(n, 0, 0, at)),
        TRY("diagonal", (situ_diagonal)(n, 0, at)), OPTIONS(squeeze), OPTIONS(flip), OPTIONS(slice),
        TRY("update_slice", (situ_update_slice)(x, n, SHAPE(0), at)), TRY("concat", (situ_concat)(TENSORS(x, n), NULL, at)),
        TRY("stack", (situ_stack)(TENSORS(n), NULL, at)), TRY("no list", (situ_stack)(TENSORS_OF(NULL, 0), NULL, at)),
        TRY("roll", (situ_roll)(n, 1, NULL, at)), TRY("pad", (situ_pad)(n, SHAPE(1), SHAPE(1), NULL, at)),
        TRY("tile", (situ_tile)(n, SHAPE(2), at)), TRY("repeat", (situ_repeat)(n, 2, NULL, at)), OPTIONS(sum), OPTIONS(prod),
        OPTIONS(max), OPTIONS(min), OPTIONS(any), OPTIONS(all), OPTIONS(count_nonzero), OPTIONS(mean), OPTIONS(var), OPTIONS(std),
        OPTIONS(logsumexp), OPTIONS(norm), OPTIONS(argmax), OPTIONS(argmin), OPTIONS(cumsum), OPTIONS(cumprod), TWO(linear_scan),
        TRY("matmul", (situ_matmul)(x, n, at)), TRY("dot", (situ_dot)(n, x, at)), TRY("outer", (situ_outer)(n, x, at)), ONE(trace),
        TWO(take), TWO(gather), TRY("scatter", (situ_scatter)(x, x, n, NULL, at)), TRY("index_add", (situ_index_add)(n, x, x, NULL, at)),
        TRY("scatter_add", (situ_scatter_add)(x, n, x, NULL, at)), TRY("one_hot", (situ_one_hot)(n, 2, NULL, at)), OPTIONS(sort),
        OPTIONS(argsort), TRY("topk", (situ_topk)(n, 1, NULL, at)), TWO(searchsorted), OPTIONS(nonzero), TWO(masked), OPTIONS(unique),
        OPTIONS(gelu), ONE(silu), ONE(mish), TRY("leaky_relu", (situ_leaky_relu)(n, x, at)), TRY("elu", (situ_elu)(x, n, at)),
        OPTIONS(softmax), OPTIONS(log_softmax), TWO(cross_entropy), TWO(mse), TRY("accuracy", (situ_accuracy)(n, x, at)),
        TRY("dropout", (situ_dropout)(x, n, x, at)), TRY("key_split", (situ_key_split)(n, 2, NULL, at)),
        TRY("fold_in", (situ_fold_in)(n, x, at)), TRY("random_bits", (situ_random_bits)(n, SHAPE(1), NULL, at)),
        TRY("uniform", (situ_uniform)(n, SHAPE(1), NULL, at)), TRY("normal", (situ_normal)(n, SHAPE(1), NULL, at)),
        TRY("gumbel", (situ_gumbel)(n, SHAPE(1), NULL, at)), TRY("randint", (situ_randint)(n, SHAPE(1), 0, 1, NULL, at)),
        TRY("bernoulli", (situ_bernoulli)(n, x, SHAPE(2), NULL, at)), TRY("permutation", (situ_permutation)(n, 2, NULL, at)),
        TRY("categorical", (situ_categorical)(n, x, NULL, at)), TRY("custom_call", (situ_custom_call)(NULL, TENSORS(x), NULL, 0, at)),
        TRY("custom_vjp", (situ_custom_vjp)(n, TENSORS(x), clipped, NULL, at));
    /* clang-format on */
    CHECK_FAILS(SITU_BAD_ARGUMENT, (situ_split)(n, 2, out, NULL, at));
    CHECK_FAILS(SITU_BAD_ARGUMENT, (situ_key_split_into)(n, 2, out, NULL, at));
    situ_tensor *poisoned = situ_exp(n);
    situ_error_take(NULL);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sum(poisoned));
}
