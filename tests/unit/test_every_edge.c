/* The rule of docs/gradients.md for every function and activation: where the value is NaN so is the gradient, where
 * the function is flat it is 0, and it is never NaN where the value is a number. The functions are those of
 * cli/samples.h. */
#include <math.h>
#include <situ.h>

#include "../../cli/samples.h"
#include "test.h"
#include "values.h"

static bool among(const char *name, const char *names)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(names, word);
}

/* Functions whose gradient does not depend on the operand's value, or that only move elements. */
static const char linear[] = " positive negative leaky_relu elu selu celu hardshrink threshold identity prelu sum mean cumsum trace einsum ";
/* Steps, whose gradient is 0 everywhere. */
static const char steps[] = " sign floor ceil round trunc ";

/* Outside of their domain the value is NaN and the gradient follows the formula, so that a branch that is not taken has
 * gradient 0. */
static const char formula[] = " log log2 log10 log1p atanh ";

static const double points[] = {-INFINITY, -1e300, -700, -20, -3, -1.5, -1, -0.5, -1e-300, 0, 1e-300, 0.25, 0.5, 1, 1.5, 3, 6, 20, 700, 1e300, INFINITY, NAN};
enum { POINTS = sizeof points / sizeof *points };

static void wrong(const char *name, const char *what, double x, double y, double g)
{
    char text[160];
    snprintf(text, sizeof text, "%s at %g is %g, its gradient %g: %s", name, x, y, g, what);
    CHECK_STR(text, "as the rule has it");
}

static void values_of(situ_tensor *t, double *out, int n)
{
    for (int i = 0; i < n; i++) out[i] = NAN;
    situ_read(situ_cast(t, SITU_F64), out, 8 * (size_t)n);
}

typedef situ_tensor *(*unary)(const void *self, situ_tensor *x);

static void check(const char *name, unary f, const void *self)
{
    static double x[3][POINTS], y[3][POINTS], g[POINTS];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < POINTS; i++) x[k][i] = isfinite(points[i]) ? points[i] + (k - 1) * 1e-6 * fmax(1e-3, fabs(points[i])) : points[i];
    situ_tensor *gradient = NULL;
    for (int k = 2; k >= 0; k--) {
        situ_tensor *t = situ_from_host(x[k], SHAPE(POINTS), .dtype = SITU_F64), *made = f(self, t);
        if (situ_count(made) != POINTS || situ_dtype_of(made) != SITU_F64) {
            situ_error_take(NULL);
            return;
        }
        values_of(made, y[k], POINTS);
        if (k == 1) situ_grad(situ_sum(made), TENSORS(t), &gradient), values_of(gradient, g, POINTS);
        if (k == 1 && situ_failed()) {
            situ_error_take(NULL);
            return; /* it has no gradient */
        }
    }
    for (int i = 0; i < POINTS; i++) {
        double left = (y[1][i] - y[0][i]) / (x[1][i] - x[0][i]), right = (y[2][i] - y[1][i]) / (x[2][i] - x[1][i]);
        bool exempt = among(name, linear) || among(name, steps), sized = (fabs(points[i]) >= 1e-3 && fabs(points[i]) < 1e6) || points[i] == 0;
        if (isnan(y[1][i]) && !isnan(g[i]) && !(exempt && isnan(points[i])) && !(among(name, formula) && !isnan(points[i])) && !(g[i] == 0 && left == 0)) wrong(name, "the value is NaN", points[i], y[1][i], g[i]);
        if (!isnan(y[1][i]) && isnan(g[i])) wrong(name, "the value is a number", points[i], y[1][i], g[i]);
        if (isfinite(points[i]) && left == 0 && right == 0 && y[0][i] == y[2][i] && !(fabs(g[i]) <= 1e-9)) wrong(name, "it is flat", points[i], y[1][i], g[i]);
        if (sized && !among(name, steps) && fabs(left) < 1e3 && fabs(right) < 1e3 && fabs(left - right) < 1e-4 * (1 + fabs(left)) && !(fabs(g[i] - left) <= 1e-3 * (1 + fabs(left))))
            wrong(name, "it is smooth", points[i], y[1][i], g[i]);
    }
}

static situ_tensor *by_row(const void *self, situ_tensor *x) { return ((const sample *)self)->call(&x, situ_cpu()); }
static situ_tensor *by_layer(const void *self, situ_tensor *x)
{
    situ_module *m = *(situ_module *const *)self;
    return situ_module_call(m, x);
}

TEST(every_function_of_one_number)
{
    for (const sample *s = samples; s < samples + sample_count; s++)
        if (sample_operands(s) == 1 && s->operand[0].kind.type == REAL_ANY && (!strcmp(s->header, "elementwise") || !strcmp(s->header, "function")))
            IN_SCOPE check(s->name, by_row, s);
}

TEST(every_activation)
{
    struct {
        const char *name;
        situ_module *m;
    } all[] = {{"relu", situ_relu_layer()}, {"sigmoid", situ_sigmoid_layer()}, {"tanh", situ_tanh_layer()}, {"gelu", situ_gelu_layer()}, {"silu", situ_silu_layer()},
        {"mish", situ_mish_layer()}, {"softplus", situ_softplus_layer()}, {"relu6", situ_relu6_layer()}, {"softsign", situ_softsign_layer()},
        {"hardswish", situ_hardswish_layer()}, {"hardsigmoid", situ_hardsigmoid_layer()}, {"selu", situ_selu_layer()}, {"log_sigmoid", situ_log_sigmoid_layer()},
        {"tanhshrink", situ_tanhshrink_layer()}, {"identity", situ_identity_layer()}, {"celu", situ_celu_layer(1.5)}, {"hardshrink", situ_hardshrink_layer(0.5)},
        {"softshrink", situ_softshrink_layer(0.5)}, {"hardtanh", situ_hardtanh_layer(-1, 1.5)}, {"threshold", situ_threshold_layer(0.5, 20)},
        {"leaky_relu", situ_leaky_relu_layer(0.25)}, {"elu", situ_elu_layer(1.5)}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        IN_SCOPE check(all[k].name, by_layer, &all[k].m);
        situ_module_free(all[k].m);
    }
}

/* One NaN among numbers, for functions of many elements; and losses at the ends of their operands' ranges. */
TEST(every_function_of_many_numbers)
{
    static double x[24], y[64], g[24];
    for (const sample *r = samples; r < samples + sample_count; r++) {
        int n = (int)sample_size(&r->operand[0]), bad = 0, of = 0;
        if (sample_operands(r) != 1 || n > 24 || strcmp(r->header, "reduce") || among(r->name, linear)) continue;
        IN_SCOPE {
            for (int i = 0; i < n; i++) x[i] = i == 5 ? NAN : 1 + i % 7;
            situ_tensor *t = situ_from_host(x, r->operand[0].shape, .dtype = SITU_F64), *made = r->call(&t, situ_cpu()), *gradient = NULL;
            if (situ_dtype_of(made) == SITU_F64 && situ_count(made) == 1) {
                values_of(made, y, 1);
                situ_grad(made, TENSORS(t), &gradient);
                if (!situ_failed()) values_of(gradient, g, n), of = n;
                for (int i = 0; i < of; i++) bad += isnan(g[i]);
                if (of && isnan(y[0]) && !bad) wrong(r->name, "the value is NaN", NAN, y[0], g[5]);
            }
            situ_error_take(NULL);
        }
    }
}

TEST(every_loss)
{
    static const double a[] = {0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 3, 2, 0, 1e300, -2};
    static const double b[] = {0, 1, 1, 1, 1, 1, 1, 1, INFINITY, -INFINITY, 1, 1};
    enum { N = sizeof a / sizeof *a };
    double y[N], g[2][N], c[N];
    for (const sample *r = samples; r < samples + sample_count; r++) {
        sample_type second = r->operand[1].kind.type;
        bool each = strlen(r->name) > 5 && !strcmp(r->name + strlen(r->name) - 5, "_each"), pair = sample_operands(r) == 2 && second != INTEGER_INDEX;
        if (!each || !pair) continue;
        IN_SCOPE {
            bool share = !strncmp(r->name, "binary", 6), linear_in_first = !strncmp(r->name, "kl_div", 6);
            for (int i = 0; i < N; i++) c[i] = share ? b[i] > 0 : second == REAL_SIGN ? (i % 2 ? 1 : -1) : b[i];
            situ_tensor *in[] = {situ_from_host(a, SHAPE(N), .dtype = SITU_F64), situ_from_host(c, SHAPE(N), .dtype = SITU_F64)}, *made = r->call(in, situ_cpu()), *out[2];
            values_of(made, y, N);
            CHECK_EQ(situ_grad(situ_sum(made), TENSORS(in[0], in[1]), out), 0);
            values_of(out[0], g[0], N);
            values_of(out[1], g[1], N);
            for (int i = 0; i < N; i++) {
                if (isnan(y[i]) && !isnan(g[0][i]) && !linear_in_first) wrong(r->name, "the value is NaN", a[i], y[i], g[0][i]);
                if (!isnan(y[i]) && isnan(g[0][i])) wrong(r->name, "the value is a number", a[i], y[i], g[0][i]);
            }
        }
    }
}

typedef situ_module *(*corner_layer)(void);

/* At a corner, the slope is that of the less steep side, as in PyTorch. */
TEST(corners)
{
    static const struct {
        const char *name;
        corner_layer make;
        double x, slope;
    } all[] = {{"relu6", situ_relu6_layer, 0, 0}, {"relu6", situ_relu6_layer, 6, 0}, {"hardswish", situ_hardswish_layer, -3, 0}, {"hardswish", situ_hardswish_layer, 3, 1},
        {"hardsigmoid", situ_hardsigmoid_layer, -3, 0}, {"hardsigmoid", situ_hardsigmoid_layer, 3, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        situ_module *m = all[k].make();
        IN_SCOPE {
            situ_tensor *x = situ_full(SHAPE(1), all[k].x), *g;
            CHECK_EQ(situ_grad(situ_sum(situ_module_call(m, x)), TENSORS(x), &g), 0);
            CHECK(situ_item(g) == all[k].slope);
        }
        situ_module_free(m);
    }
    situ_module *bounded = situ_hardtanh_layer(-1, 1.5), *soft = situ_softshrink_layer(0.5);
    IN_SCOPE {
        situ_tensor *x = F32(-1, 1.5, 0.5, -0.5), *g;
        situ_grad(situ_sum(situ_module_call(bounded, x)), TENSORS(x), &g);
        IS(g, "[0., 0., 1., 1.] f32[4]");
        situ_grad(situ_sum(situ_module_call(soft, x)), TENSORS(x), &g);
        IS(g, "[1., 1., 0., 0.] f32[4]");
    }
    situ_module_free(bounded);
    situ_module_free(soft);
}

/* e^x of expm1 and what is made of it keeps its digits where the value is near -1. */
TEST(exponentials_keep_their_digits)
{
    situ_module *all[] = {situ_elu_layer(1), situ_celu_layer(2), situ_selu_layer()};
    for (int k = 0; k < 3; k++) {
        IN_SCOPE {
            situ_tensor *x = F32(-1, -2.5, -8, -16, -17.5, -40), *wide = situ_cast(x, SITU_F64), *g, *h;
            situ_grad(situ_sum(situ_module_call(all[k], x)), TENSORS(x), &g);
            situ_grad(situ_sum(situ_module_call(all[k], wide)), TENSORS(wide), &h);
            CHECK(situ_item(situ_max(situ_abs(situ_sub(situ_div(situ_cast(g, SITU_F64), h), 1)))) < 2e-6);
        }
        situ_module_free(all[k]);
    }
}

TEST_IN_SCOPE(norms_and_inverses)
{
    situ_tensor *x = F64(0, 0, 0), *g, *h;
    CHECK_EQ(situ_grad(situ_global_norm(TENSORS(x)), TENSORS(x), &g), 0);
    IS(g, "[0., 0., 0.] f64[3]");
    x = F64(1, 3, 2);
    CHECK_EQ(situ_grad(situ_add(situ_median(x), situ_quantile(x, 0.75)), TENSORS(x), &g), 0);
    IS(g, "[0., 0.5, 1.5] f64[3]");
    /* of values 3, 1 and 0.5 the last is left out: the gradient is that of differences */
    double u[9] = {2, 0.3, -0.1, 0.2, 1.1, 0.4, 0.5, -0.2, 0.6}, slope[9];
    for (int i = 0; i < 9; i++) {
        double value[2];
        for (int k = 0; k < 2; k++) {
            double v[9];
            memcpy(v, u, sizeof v);
            v[i] += (k - 0.5) * 1e-5;
            value[k] = situ_item(situ_sum(situ_square(situ_pinv(situ_from_host(v, SHAPE(3, 3), .dtype = SITU_F64), .rtol = 0.4))));
        }
        slope[i] = (value[1] - value[0]) / 1e-5;
    }
    x = situ_from_host(u, SHAPE(3, 3), .dtype = SITU_F64);
    h = situ_from_host(slope, SHAPE(3, 3), .dtype = SITU_F64);
    CHECK_EQ((int)situ_item_int(situ_matrix_rank(x, .rtol = 0.4)), 2);
    CHECK_EQ(situ_grad(situ_sum(situ_square(situ_pinv(x, .rtol = 0.4))), TENSORS(x), &g), 0);
    CHECK(situ_item(situ_max(situ_abs(situ_sub(g, h)))) < 1e-6);
}
