/* Functions whose intermediate values could underflow or overflow although the result does not: scaled operands give
 * scaled results. */
#include <float.h>
#include <math.h>
#include <situ/create.h>
#include <situ/grad.h>
#include <situ/models.h>
#include <situ/network.h>
#include <situ/nn.h>

#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

static void near(situ_tensor *got, situ_tensor *want, double off, const char *what, double power)
{
    char text[128];
    double apart = situ_item(situ_max(situ_abs(situ_sub(situ_cast(situ_to(got, situ_cpu()), SITU_F64), situ_cast(situ_to(want, situ_cpu()), SITU_F64)))));
    snprintf(text, sizeof text, "%s of numbers times %g: %g apart", what, power, apart);
    if (!(apart <= off)) CHECK_STR(situ_failed() ? situ_error_message() : text, "as near as it should be");
    situ_error_take(NULL);
}

typedef situ_tensor *(*function)(situ_tensor *x);
static situ_tensor *layer_of(situ_module *m, situ_tensor *x)
{
    situ_tensor *y = situ_module_call(m, x);
    situ_eval(TENSORS(y));
    situ_module_free(m);
    return y;
}
static situ_tensor *ones(situ_tensor *x, int axis) { return situ_ones(SHAPE(situ_dim(x, axis)), .dtype = situ_dtype_of(x), .device = situ_device_of(x)); }
static situ_tensor *zeros(situ_tensor *x, int axis) { return situ_mul(ones(x, axis), 0); }
static situ_tensor *rms(situ_tensor *x) { return layer_of(situ_rms_norm_layer(), x); }
static situ_tensor *rms_without_eps(situ_tensor *x) { return layer_of(situ_rms_norm_layer(.eps = 0), x); }
static situ_tensor *layer(situ_tensor *x) { return situ_layer_norm(x, ones(x, 1), zeros(x, 1)); }
static situ_tensor *batch(situ_tensor *x) { return situ_batch_norm(x, ones(x, 1), zeros(x, 1)); }
static situ_tensor *group(situ_tensor *x) { return layer_of(situ_group_norm_layer(2), x); }
static situ_tensor *cosine(situ_tensor *x)
{
    return situ_cosine_embedding_loss(x, situ_flip(x), situ_ones(SHAPE(situ_dim(x, 0)), .dtype = situ_dtype_of(x), .device = situ_device_of(x)), .reduction = SITU_NONE);
}

/* f(x s) = f(x), and likewise for the gradient, for powers of two whose squares overflow. */
TEST(scale_changes_no_norm)
{
    static const struct {
        const char *name;
        function f;
        bool small;
    } all[] = {{"rms norm", rms, false}, {"rms norm without eps", rms_without_eps, true}, {"layer norm", layer, false}, {"batch norm", batch, false},
        {"group norm", group, false}, {"cosine_embedding_loss", cosine, false}};
    for (int wide = 0; wide < 2; wide++)
        for (int on_gpu = 0; on_gpu < 2; on_gpu++)
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                for (int k = 0; k < (all[i].small ? 2 : 1); k++) IN_SCOPE {
                        double power = k ? (wide ? 0x1p-600 : 0x1p-90) : wide ? 0x1p660 : 0x1p100;
                        situ_tensor *x = situ_normal(situ_key(1, .device = on_gpu ? sim_device(0) : situ_cpu()), SHAPE(6, 8), .dtype = wide ? SITU_F64 : SITU_F32);
                        situ_tensor *y = all[i].f(x), *scaled = situ_mul(x, power), *far = all[i].f(scaled), *g[2];
                        near(far, y, 2e-4, all[i].name, power);
                        CHECK_EQ(situ_grad(situ_sum(situ_square(y)), TENSORS(x), &g[0]), 0);
                        CHECK_EQ(situ_grad(situ_sum(situ_square(far)), TENSORS(x), &g[1]), 0);
                        near(situ_mul(g[1], 1), g[0], 3e-3, "gradient", power);
                    }
    CHECK_OK();
}

TEST(deviations_and_lengths_of_any_size)
{
    IN_SCOPE {
        situ_tensor *x = F64(1, 2, 3, 6), *v = F64(3, 4);
        for (int k = 0; k < 3; k++) {
            double power = (double[]){1, 0x1p664, 0x1p-664}[k];
            near(situ_mul(situ_std(situ_mul(x, power)), 1 / power), situ_std(x), 1e-15, "std", power);
            near(situ_mul(situ_norm(situ_mul(v, power)), 1 / power), F64(5), 1e-14, "norm", power);
            near(situ_mul(situ_global_norm(TENSORS(situ_mul(v, power), situ_mul(F64(12), power))), 1 / power), F64(13), 1e-13, "global_norm", power);
        }
        near(situ_global_norm(TENSORS(F64(0x1p-1074, 0), F32(3, 4))), F64(5), 1e-14, "global_norm beside f32", 1);
        near(situ_global_norm(TENSORS(I64(-12), F64(0x1p-600), F32(0, 5))), F64(13), 1e-14, "global_norm beside integers", 1);
    }
    CHECK_OK();
}

TEST(lines_between_the_ends_of_a_dtype)
{
    IN_SCOPE {
        IS(situ_linspace(-3e38, 3e38, 5), "[-3e+38, -1.5e+38, 0., 1.5e+38, 3e+38] f32[5]");
        IS(situ_linspace(-1.5e308, 1.5e308, 3, .dtype = SITU_F64), "[-1.5e+308, 0., 1.5e+308] f64[3]");
        IS(situ_linspace(1.5e308, -1.5e308, 2, .dtype = SITU_F64), "[1.5e+308, -1.5e+308] f64[2]");
        IS(situ_arange(-3e38, 3.1e38, 1.5e38), "[-3e+38, -1.5e+38, 0., 1.5e+38, 3e+38] f32[5]");
    }
    CHECK_OK();
}

/* A running sum loses small values: windows of more than 1,024 elements add blocks, smaller ones in order. */
static void mean_of_windows(situ_device device, bool same_bits)
{
    enum { MOST = 4096 };
    static float x[MOST], y, same;
    for (int n = 1024; n <= MOST; n += MOST - 1024) IN_SCOPE {
            float in_order = 0;
            for (int i = 0; i < n; i++) in_order += x[i] = i ? 1 : 0x1p24f;
            situ_tensor *t = situ_to(situ_from_host(x, SHAPE(1, 64, n / 64)), device);
            situ_read(situ_to(situ_avg_pool2d(t, SHAPE(64, n / 64)), situ_cpu()), &y, 4);
            situ_read(situ_avg_pool2d(situ_to(t, situ_cpu()), SHAPE(64, n / 64)), &same, 4);
            CHECK(n == 1024 ? y == in_order / 1024 : y > 4096.7f && y < 4097);
            CHECK(!same_bits || y == same);
        }
    CHECK_OK();
}

TEST(means_of_large_windows)
{
    mean_of_windows(situ_cpu(), true);
    mean_of_windows(sim_device(0), true);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(1, 1, 4128 * 4128));
        CHECK(situ_item(situ_avg_pool1d(x, SHAPE(4128 * 4128))) == 1);
    }
    CHECK_OK();
}

TEST(means_of_large_windows_on_opencl)
{
    need_tested(1);
    mean_of_windows(tested_device(0), !testing_pjrt());
}

TEST(integers_that_f64_does_not_tell_apart)
{
    IN_SCOPE {
        situ_tensor *a = I64(INT64_C(1) << 62, INT64_MIN, 5), *b = I64((INT64_C(1) << 62) + 1, INT64_MAX, 5);
        IS(situ_isclose(a, b, .rtol = 0, .atol = 0), "[false, false, true] bool[3]");
        IS(situ_isclose(a, b, .rtol = 0, .atol = 1), "[true, false, true] bool[3]");
        IS(situ_isclose(situ_cast(a, SITU_U64), situ_cast(b, SITU_U64), .rtol = 0, .atol = 0.5), "[false, false, true] bool[3]");
        IS(situ_isclose(a, 5, .rtol = 0, .atol = 0), "[false, false, true] bool[3]");
        IS(situ_var(I64(1700000001, 1700000003)), "1. f32[]");
        IS(situ_mean(I64(-(INT64_C(1) << 40), 3, INT64_C(1) << 40)), "1. f32[]");
    }
    CHECK_OK();
}

TEST(a_row_without_scores_has_no_token)
{
    IN_SCOPE {
        situ_tensor *rows[] = {F32(1, NAN, 2), F32(-INFINITY, -INFINITY, -INFINITY)};
        CHECK_EQ((int)situ_item_int(situ_sample(F32(1, 3, -INFINITY), situ_key(1), .temperature = 0)), 1);
        for (int i = 0; i < 6; i++) {
            situ_error e;
            int64_t token = situ_item_int(situ_sample(rows[i % 2], situ_key(1), .temperature = i < 2 ? 0 : 1, .top_k = i < 4 ? 0 : 2));
            CHECK(situ_failed() == SITU_BAD_INDEX);
            (void)token;
            situ_error_take(&e);
        }
    }
    CHECK_OK();
}
