/* Half precision: products of f16 and bf16 compared with f32; mixed precision; loss scaling and skipped steps. */
#include <math.h>
#include <string.h>

#include <situ.h>

#include "base/isa.h"
#include "support/lenet.h"
#include "support/training.h"
#include "test.h"

#define CHECK_SAYS(code, text) CHECK(strstr(situ_error_message(), text) != NULL), CHECK_CODE(code)

static const situ_dtype halves[] = {SITU_F16, SITU_BF16};

static situ_tensor *drawn(int key, situ_shape shape) { return situ_uniform(situ_key(key), shape, .low = -1, .high = 1); }
static situ_tensor *narrowed(situ_tensor *x, situ_dtype d) { return situ_cast(situ_cast(x, d), SITU_F32); }

static int same_bits(situ_tensor *a, situ_tensor *b)
{
    static char x[1 << 18], y[1 << 18];
    size_t bytes = (size_t)situ_count(a) * situ_dtype_size(situ_dtype_of(a));
    if (situ_count(a) != situ_count(b) || situ_dtype_of(a) != situ_dtype_of(b) || bytes > sizeof x) return 0;
    return !situ_read(a, x, bytes) && !situ_read(b, y, bytes) && !memcmp(x, y, bytes);
}

TEST(products_of_halves_are_those_of_f32_rounded_once)
{
    situ_isa_limit(SITU_ISA_AVX512); /* AMX tiles add in another order (docs/cpu.md) */
    for (int k = 0; k < 2; k++) {
        situ_scope *scope = situ_scope_open();
        situ_dtype d = halves[k];
        static const int64_t sizes[][3] = {{3, 5, 7}, {1, 64, 33}, {70, 1, 40}, {65, 300, 97}, {200, 130, 150}, {4, 0, 3}, {1, 300, 1}, {40, 700, 800}};
        for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            int64_t m = sizes[i][0], n = sizes[i][2], depth = sizes[i][1];
            situ_tensor *a = situ_cast(drawn(i, SHAPE(m, depth)), d), *b = situ_cast(drawn(90 + i, SHAPE(depth, n)), d);
            situ_tensor *wide = situ_matmul(situ_cast(a, SITU_F32), situ_cast(b, SITU_F32));
            CHECK(same_bits(situ_matmul(a, b), situ_cast(wide, d)));
            situ_tensor *turned = situ_matmul(situ_transpose(b), situ_transpose(a));
            CHECK(same_bits(turned, situ_cast(situ_matmul(situ_transpose(situ_cast(b, SITU_F32)), situ_transpose(situ_cast(a, SITU_F32))), d)) || m <= 8 || n <= 8);
        }
        /* repeated, sliced and transposed axes */
        situ_tensor *a = situ_cast(drawn(1, SHAPE(2, 3, 20, 50)), d), *b = situ_cast(drawn(2, SHAPE(3, 50, 30)), d);
        situ_tensor *wide = situ_matmul(situ_cast(a, SITU_F32), situ_cast(b, SITU_F32));
        CHECK(same_bits(situ_matmul(a, b), situ_cast(wide, d)));
        a = situ_slice(a, .start = SHAPE(0, 1, 2, 3), .stop = SHAPE(2, 2, 19, 43), .step = SHAPE(1, 1, 1, 2));
        b = situ_broadcast_to(situ_slice(b, .stop = SHAPE(1, 20, 30)), SHAPE(2, 1, 20, 30));
        wide = situ_matmul(situ_cast(a, SITU_F32), situ_cast(b, SITU_F32));
        CHECK(same_bits(situ_matmul(a, b), situ_cast(wide, d)));
        situ_scope_close(scope);
    }
    situ_isa_limit(SITU_ISA_AMX);
}

/* With AMX, if available: an f16 number is split into two bf16 numbers, and products are added in f32. */
TEST(products_of_f16_have_the_digits_of_f32)
{
    static const int64_t sizes[][3] = {{128, 300, 97}, {70, 64, 400}, {33, 2000, 40}};
    for (int i = 0; i < 3; i++) {
        situ_scope *scope = situ_scope_open();
        int64_t m = sizes[i][0], depth = sizes[i][1], n = sizes[i][2];
        situ_tensor *a = narrowed(situ_mul(drawn(i, SHAPE(m, depth)), situ_exp(situ_mul(drawn(8, SHAPE(m, depth)), 4))), SITU_F16);
        situ_tensor *b = narrowed(drawn(9 + i, SHAPE(depth, n)), SITU_F16), *wide = situ_cast(a, SITU_F64), *by = situ_cast(b, SITU_F64);
        situ_tensor *exact = situ_matmul(wide, by), *most = situ_matmul(situ_abs(wide), situ_abs(by));
        situ_precision(SITU_F16);
        situ_tensor *y = situ_matmul(a, b);
        situ_precision(SITU_F32);
        situ_tensor *error = situ_div(situ_abs(situ_sub(situ_cast(y, SITU_F64), exact)), most);
        CHECK(situ_item(situ_max(error)) < 4e-7);
        situ_tensor *half = situ_matmul(situ_cast(a, SITU_F16), situ_transpose(situ_cast(situ_transpose(b), SITU_F16)));
        CHECK(situ_item(situ_all(situ_less_equal(situ_abs(situ_sub(situ_cast(half, SITU_F64), exact)), situ_add(situ_mul(situ_abs(exact), 1.001 / 2048), situ_mul(most, 4e-7))))) == 1);
        /* infinities and NaN as in f32 */
        double bad[] = {INFINITY, -INFINITY, NAN};
        situ_tensor *odd = situ_where(situ_equal(situ_arange(0, (double)depth, 1), 7), bad[i], a);
        situ_precision(SITU_F16);
        y = situ_matmul(odd, b);
        situ_precision(SITU_F32);
        CHECK(same_bits(y, situ_matmul(odd, b)));
        situ_scope_close(scope);
    }
}

TEST(sums_of_halves_do_not_stop_where_one_more_is_lost)
{
    for (int k = 0; k < 2; k++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *ones = situ_ones(SHAPE(1024, 1024), .dtype = halves[k]), *y = situ_matmul(ones, ones);
        CHECK(situ_item(situ_min(y)) == 1024 && situ_item(situ_max(y)) == 1024);
        CHECK(situ_item(situ_sum(situ_cast(situ_ones(SHAPE(20000)), halves[k]))) >= 19900);
        situ_scope_close(scope);
    }
}

TEST(few_rows_by_turned_halves_are_near_the_exact_product)
{
    for (int k = 0; k < 2; k++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_cast(drawn(1, SHAPE(2, 512)), halves[k]), *w = situ_cast(drawn(2, SHAPE(600, 512)), halves[k]);
        situ_tensor *y = situ_matmul(x, situ_transpose(w));
        situ_tensor *exact = situ_matmul(situ_cast(x, SITU_F64), situ_transpose(situ_cast(w, SITU_F64)));
        CHECK_EQ(situ_dtype_of(y), halves[k]);
        CHECK(situ_item(situ_max(situ_abs(situ_sub(situ_cast(y, SITU_F64), exact)))) < (k ? 0.1 : 0.012));
        situ_scope_close(scope);
    }
}

/* The gradients of sum(weights y) by two operands. */
static void gradients_of(situ_tensor *y, situ_tensor *a, situ_tensor *b, situ_tensor **out)
{
    situ_tensor *weights = situ_normal(situ_key(7), situ_shape_of(y));
    situ_grad(situ_sum(situ_mul(y, weights)), TENSORS(a, b), out);
}

TEST(a_policy_rounds_the_operands_of_products_and_of_their_gradients)
{
    for (int k = 0; k < 2; k++) {
        situ_scope *scope = situ_scope_open();
        situ_dtype d = halves[k];
        situ_tensor *x = drawn(1, SHAPE(20, 30)), *w = drawn(2, SHAPE(30, 40)), *g[2];
        CHECK_EQ(situ_precision(d), SITU_F32);
        situ_tensor *y = situ_matmul(x, w);
        gradients_of(y, x, w, g);
        CHECK_EQ(situ_precision(SITU_F32), d);
        situ_tensor *xr = narrowed(x, d), *wr = narrowed(w, d), *by = narrowed(situ_normal(situ_key(7), SHAPE(20, 40)), d);
        CHECK_EQ(situ_dtype_of(y), SITU_F32);
        CHECK(same_bits(y, situ_matmul(xr, wr)));
        CHECK(same_bits(g[0], situ_matmul(by, situ_transpose(wr))));
        CHECK(same_bits(g[1], situ_matmul(situ_transpose(xr), by)));
        CHECK(!same_bits(y, situ_matmul(x, w)));
        /* images; a gradient recorded later, outside of the policy; a gradient of the gradient */
        situ_tensor *image = drawn(3, SHAPE(2, 3, 9, 9)), *kernel = drawn(4, SHAPE(4, 3, 3, 3)), *twice[2];
        situ_precision(d);
        y = situ_conv2d(image, kernel, .padding = 1);
        situ_precision(SITU_F32);
        gradients_of(y, image, kernel, g);
        situ_tensor *own[2], *ir = narrowed(image, d), *kr = narrowed(kernel, d);
        situ_tensor *z = situ_conv2d(ir, kr, .padding = 1);
        by = narrowed(situ_normal(situ_key(7), situ_shape_of(y)), d);
        situ_pullback(z, by, TENSORS(ir, kr), own);
        CHECK(same_bits(y, z) && same_bits(g[0], own[0]) && same_bits(g[1], own[1]));
        CHECK_EQ(situ_grad(situ_sum(situ_square(g[0])), TENSORS(kernel, image), twice), 0);
        CHECK(situ_item(situ_max(situ_abs(twice[0]))) > 0);
        /* a product recorded before keeps its precision in the gradient */
        y = situ_matmul(x, w);
        situ_precision(d);
        gradients_of(y, x, w, g);
        situ_precision(SITU_F32);
        CHECK(same_bits(g[0], situ_matmul(situ_normal(situ_key(7), SHAPE(20, 40)), situ_transpose(w))));
        situ_scope_close(scope);
    }
}

TEST_IN_SCOPE(what_is_no_product_stays_f32_under_a_policy)
{
    situ_tensor *a = situ_add(drawn(1, SHAPE(12, 12)), situ_mul(situ_eye(12), 5)), *b = drawn(2, SHAPE(12, 3));
    situ_tensor *plain[] = {situ_solve(a, b), situ_pinv(a), situ_matrix_power(a, 3), situ_lstsq(a, b), situ_softmax(a)};
    situ_tensor *qkv = drawn(3, SHAPE(2, 10, 24));
    situ_precision(SITU_BF16);
    situ_tensor *under[] = {situ_solve(a, b), situ_pinv(a), situ_matrix_power(a, 3), situ_lstsq(a, b), situ_softmax(a)};
    situ_tensor *attended = situ_self_attention(qkv, 2), *doubles = situ_matmul(situ_cast(a, SITU_F64), situ_cast(a, SITU_F64));
    situ_tensor *einsum = situ_einsum("ij,jk->ik", TENSORS(a, b));
    situ_precision(SITU_F32);
    for (int i = 0; i < 5; i++) CHECK(same_bits(plain[i], under[i]));
    CHECK(same_bits(attended, situ_self_attention(narrowed(qkv, SITU_BF16), 2)));
    CHECK(same_bits(doubles, situ_matmul(situ_cast(a, SITU_F64), situ_cast(a, SITU_F64))));
    CHECK(same_bits(einsum, situ_matmul(narrowed(a, SITU_BF16), narrowed(b, SITU_BF16))));
}

TEST_IN_SCOPE(a_network_has_a_precision_of_its_own)
{
    situ_module *first = situ_linear_layer(16), *second = situ_linear_layer(8), *net = situ_sequential(first, second);
    situ_tensor *x = drawn(1, SHAPE(5, 12)), *plain = situ_module_call(net, x);
    CHECK_EQ(situ_module_set_precision(net, SITU_BF16), 0);
    situ_tensor *low = situ_module_call(net, x);
    situ_precision(SITU_BF16);
    CHECK_EQ(situ_module_set_precision(net, SITU_F32), 0);
    CHECK(same_bits(situ_module_call(net, x), plain));
    situ_precision(SITU_F32);
    CHECK(!same_bits(low, plain));
    CHECK_EQ(situ_module_set_precision(net, SITU_BF16), 0);
    CHECK_EQ(situ_module_set_precision(first, SITU_F32), 0);
    CHECK_EQ(situ_module_set_precision(second, SITU_F32), 0);
    CHECK(same_bits(situ_module_call(net, x), plain));
    CHECK(situ_module_set_precision(net, SITU_F64) < 0);
    CHECK_SAYS(SITU_BAD_DTYPE, "situ_module_set_precision: the precision is f64; it may be SITU_BF16, SITU_F16 or SITU_F32");
    CHECK_EQ(situ_precision(SITU_I8), SITU_F32);
    CHECK_SAYS(SITU_BAD_DTYPE, "situ_precision: the precision is i8; it may be SITU_BF16, SITU_F16 or SITU_F32");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_set_precision(NULL, SITU_F16));
    situ_module_free(net);
}

/* ---- the scale of losses ---------------------------------------------------------------------------------------------------- */

enum { INPUTS = 4 };

static situ_module *small_net(situ_tensor *x)
{
    situ_module *net = situ_sequential(situ_linear_layer(8), situ_tanh_layer(), situ_linear_layer(1));
    situ_module_call(net, x);
    return net;
}

static situ_tensor *loss_of(situ_module *net, situ_tensor *x, double by)
{
    return situ_mul(situ_mean(situ_square(situ_module_call(net, x))), by);
}

static void parameters(situ_module *net, float *out)
{
    int n = 0;
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        situ_read(p, out + n, (size_t)situ_count(p) * sizeof *out);
        n += (int)situ_count(p);
    }
}

/* In one step of `steps`, number `bad`, gradients are infinite. */
static void train_with_a_bad_step(int steps, int bad, bool scaled, bool without, float *out, double *scale, int64_t *left_out)
{
    situ_scope *all = situ_scope_open();
    situ_tensor *x = drawn(3, SHAPE(6, INPUTS));
    situ_module *net = small_net(x);
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1, .momentum = 0.9);
    if (scaled) CHECK_EQ(situ_optimizer_set_loss_scale(opt, 1024), 0);
    for (int i = 0; i < steps; i++) {
        if (i == bad && without) continue;
        situ_scope *scope = situ_scope_open();
        CHECK_EQ(situ_optimizer_step(opt, loss_of(net, x, i == bad && scaled ? 1e38 : 1)), 0);
        situ_scope_close(scope);
    }
    parameters(net, out);
    *scale = situ_optimizer_loss_scale(opt);
    *left_out = situ_optimizer_left_out(opt);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_scope_close(all);
}

TEST(an_overflow_leaves_out_exactly_one_step)
{
    float with[64] = {0}, without[64] = {0}, plain[64] = {0};
    double scale;
    int64_t left_out;
    train_with_a_bad_step(9, 4, true, false, with, &scale, &left_out);
    CHECK_EQ(left_out, 1);
    CHECK(scale == 512);
    train_with_a_bad_step(9, 4, true, true, without, &scale, &left_out);
    CHECK_EQ(left_out, 0);
    CHECK(scale == 1024);
    CHECK(!memcmp(with, without, sizeof with));
    train_with_a_bad_step(9, 4, false, true, plain, &scale, &left_out); /* a power of 2 changes no bit */
    CHECK(scale == 0 && left_out == 0);
    CHECK(!memcmp(plain, without, sizeof plain));
}

TEST(a_scale_that_moves_makes_no_plan_and_doubles_after_2000_good_steps)
{
    situ_scope *all = situ_scope_open();
    situ_tensor *x = drawn(3, SHAPE(6, INPUTS));
    situ_module *net = small_net(x);
    situ_optimizer *opt = situ_adam(net, .lr = 1e-4);
    CHECK_EQ(situ_optimizer_set_loss_scale(opt, 65536), 0);
    int64_t made = 0;
    for (int i = 0; i < 2003; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *by = situ_full(SHAPE(), i == 1 || i == 2 ? 1e38 : 1, .dtype = SITU_F32);
        CHECK_EQ(situ_optimizer_step(opt, situ_mul(situ_mean(situ_square(situ_module_call(net, x))), by)), 0);
        situ_scope_close(scope);
        if (i == 2) made = situ_plans().made, CHECK(situ_optimizer_loss_scale(opt) == 16384);
        if (i == 2) made = situ_plans().made;
    }
    CHECK_EQ(situ_plans().made, made);
    CHECK(situ_optimizer_loss_scale(opt) == 32768);
    CHECK_EQ(situ_optimizer_left_out(opt), 2);
    CHECK(situ_optimizer_set_loss_scale(opt, 1000) < 0);
    CHECK_SAYS(SITU_BAD_OPTION, "situ_optimizer_set_loss_scale: a scale of 1000; it is a power of 2 from 2^-14 to 2^30, as 65536, or 0 for none");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_set_loss_scale(NULL, 1024));
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_scope_close(all);
}

TEST(gradients_that_wait_and_averages_know_the_scale)
{
    float weights[2][64] = {{0}};
    for (int bad = 0; bad < 2; bad++) {
        situ_scope *all = situ_scope_open();
        situ_tensor *x = drawn(3, SHAPE(6, INPUTS));
        situ_module *net = small_net(x);
        situ_optimizer *opt = situ_adam(net, .lr = 0.01, .clip_norm = 0.5);
        situ_optimizer_set_loss_scale(opt, 256);
        situ_optimizer_set_accumulation(opt, 2);
        situ_optimizer_set_average(opt, 0.5);
        for (int i = 0; i < 6; i++)
            CHECK_EQ(situ_optimizer_step(opt, loss_of(net, x, bad && i == 2 ? 1e38 : 1)), 0);
        CHECK_EQ(situ_optimizer_left_out(opt), bad);
        CHECK(situ_optimizer_loss_scale(opt) == (bad ? 128 : 256));
        situ_optimizer_swap_average(opt);
        parameters(net, weights[bad]);
        for (int i = 0; i < 49; i++) CHECK(isfinite(weights[bad][i]));
        situ_optimizer_free(opt);
        situ_module_free(net);
        situ_scope_close(all);
    }
    CHECK(memcmp(weights[0], weights[1], sizeof weights[0]));
}

TEST(a_checkpoint_has_the_scale)
{
    const char *path = test_path("precision.safetensors");
    situ_scope *all = situ_scope_open();
    situ_tensor *x = drawn(3, SHAPE(6, INPUTS));
    situ_module *net = small_net(x), *other = small_net(x);
    situ_optimizer *opt = situ_adam(net), *next = situ_adam(other), *none = situ_adam(other);
    situ_optimizer_set_loss_scale(opt, 4096);
    for (int i = 0; i < 3; i++) CHECK_EQ(situ_optimizer_step(opt, loss_of(net, x, i ? 1 : 1e38)), 0);
    CHECK_EQ(situ_checkpoint_save(path, net, opt, NULL), 0);
    situ_optimizer_set_loss_scale(next, 65536);
    CHECK_EQ(situ_optimizer_step(next, loss_of(other, x, 1)), 0);
    CHECK_EQ(situ_checkpoint_load(path, other, next, NULL), 0);
    CHECK(situ_optimizer_loss_scale(next) == 2048);
    CHECK_EQ(situ_optimizer_left_out(next), 1);
    CHECK_EQ(situ_checkpoint_load(path, other, none, NULL), 0);
    CHECK(situ_optimizer_loss_scale(none) == 2048);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(situ_optimizer_step(opt, loss_of(net, x, 1)), 0);
        CHECK_EQ(situ_optimizer_step(next, loss_of(other, x, 1)), 0);
    }
    float a[64] = {0}, b[64] = {0};
    parameters(net, a);
    parameters(other, b);
    CHECK(!memcmp(a, b, sizeof a));
    situ_optimizer_free(opt);
    situ_optimizer_free(next);
    situ_optimizer_free(none);
    situ_module_free(net);
    situ_module_free(other);
    situ_scope_close(all);
}

/* ---- trainings -------------------------------------------------------------------------------------------------------------- */

static double train_digits(situ_dtype precision, int gpus, int epochs, float *weights)
{
    situ_dataset *digits = situ_digits(), *train, *held_out;
    CHECK_EQ(situ_dataset_split(digits, 0, &train, &held_out, .stratified = true), 0);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    situ_module_init(net, situ_key(1));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = epochs, .num_gpus = gpus, .deterministic = gpus >= 0, .precision = precision, .clip_norm = 5);
    CHECK_EQ(situ_trainer_fit(trainer, net, adam, train, held_out), 0);
    double accuracy = situ_trainer_accuracy(trainer);
    CHECK(situ_optimizer_loss_scale(adam) >= (precision == SITU_F16 ? 1024 : 0));
    CHECK_EQ(situ_precision(SITU_F32), SITU_F32);
    situ_scope *scope = situ_scope_open();
    situ_read(situ_module_parameter(net, 2), weights, 640 * sizeof *weights);
    situ_scope_close(scope);
    free_training(trainer, adam, net, train, held_out, digits);
    return accuracy;
}

TEST(digits_end_as_well_in_halves)
{
    float weights[640];
    double f32 = train_digits(SITU_F32, 0, 8, weights), bf16 = train_digits(SITU_BF16, 0, 8, weights), f16 = train_digits(SITU_F16, 0, 8, weights);
    printf("accuracy: f32 %.4f, bf16 %.4f, f16 %.4f\n", f32, bf16, f16);
    CHECK(f32 > 0.94 && bf16 > f32 - 0.006 && f16 > f32 - 0.006); /* two of 360 rows */
}

TEST(halves_give_the_same_weights_on_any_number_of_gpus)
{
    if (situ_num_gpus() < 4) situ_sim_gpus(4);
    for (int k = 0; k < 2; k++) {
        float one[640], other[640];
        train_digits(halves[k], 0, 1, one);
        for (int gpus = 1; gpus <= 4; gpus *= 2) {
            train_digits(halves[k], gpus, 1, other);
            CHECK(!memcmp(one, other, sizeof one));
        }
    }
}

TEST(a_trainer_refuses_a_precision_that_is_none)
{
    CHECK(!situ_trainer_new(.precision = SITU_I32));
    CHECK_SAYS(SITU_BAD_DTYPE, "situ_trainer_new: the precision is i32; it may be SITU_BF16, SITU_F16 or SITU_F32");
}

/* ---- LeNet on digits, a GPT on letters ---------------------------------------------------------------------------------------- */

enum { WIDTH = 32, LETTERS = 128, LENGTH = 32, MOST_WEIGHTS = 60000 };

static situ_module *gpt(void)
{
    return situ_sequential(situ_embedding_layer(LETTERS, WIDTH),
                           situ_transformer_encoder_layer(WIDTH, 2, .dropout = 0, .norm_first = true, .causal = true, .feed = SITU_FEED_GELU, .rotary = 10000),
                           situ_layer_norm_layer(), situ_linear_layer(LETTERS));
}

static situ_dataset *some_digits(void)
{
    situ_dataset *digits = situ_digits(), *most = NULL, *some = NULL;
    situ_dataset_split(digits, 0, &most, &some, .stratified = true);
    situ_dataset_free(most);
    situ_dataset_free(digits);
    return some;
}

static situ_dataset *verse(void)
{
    static const char text[] = "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n";
    static int32_t letter[320];
    for (int i = 0; i < 320; i++) letter[i] = text[i % (int)(sizeof text - 1)];
    return situ_window_dataset(situ_from_host(letter, SHAPE(320), .dtype = SITU_I32), LENGTH, .stride = 2);
}

static situ_tensor *of_letters(situ_tensor *prediction, situ_tensor *target) { return situ_cross_entropy(prediction, target); }

typedef struct subject {
    situ_module *(*network)(void);
    situ_dataset *(*data)(void);
    situ_loss_fn loss;
} subject;
static const subject subjects[] = {{lenet, some_digits, NULL}, {gpt, verse, of_letters}};

static int64_t all_weights(situ_module *net, float *out)
{
    int64_t n = 0;
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        int64_t count = situ_count(p);
        if (CHECK(n + count <= MOST_WEIGHTS)) CHECK_EQ(situ_read(p, out + n, (size_t)count * sizeof *out), 0);
        n += count;
    }
    situ_scope_close(scope);
    return n;
}

static int64_t train_subject(const subject *s, situ_dtype precision, int gpus, float *out)
{
    situ_scope *scope = situ_scope_open();
    situ_dataset *rows = s->data();
    situ_module *net = s->network();
    situ_optimizer *adam = situ_adam(net, .lr = 0.004);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1, .batch = 64, .num_gpus = gpus, .deterministic = true, .precision = precision, .loss = s->loss);
    CHECK_EQ(situ_trainer_fit(trainer, net, adam, rows, NULL), 0);
    int64_t n = all_weights(net, out);
    free_training(trainer, adam, net, rows);
    situ_scope_close(scope);
    return n;
}

TEST(lenet_and_a_gpt_in_halves_are_the_same_on_any_number_of_gpus)
{
    static float one[MOST_WEIGHTS], other[MOST_WEIGHTS];
    if (situ_num_gpus() < 4) situ_sim_gpus(4);
    for (int i = 0; i < 4; i++) {
        int64_t n = train_subject(&subjects[i / 2], halves[i % 2], 0, one);
        for (int gpus = 1; gpus <= 4; gpus *= 2) {
            CHECK_EQ(train_subject(&subjects[i / 2], halves[i % 2], gpus, other), n);
            CHECK(!memcmp(one, other, (size_t)n * sizeof *one));
        }
    }
}

static double lenet_accuracy(situ_dtype precision)
{
    situ_dataset *digits = situ_digits(), *train, *held_out;
    CHECK_EQ(situ_dataset_split(digits, 0, &train, &held_out, .stratified = true), 0);
    situ_module *net = lenet();
    situ_module_init(net, situ_key(3));
    situ_optimizer *adam = situ_adam(net, .lr = 0.004);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 8, .batch = 64, .cosine = true, .precision = precision);
    CHECK_EQ(situ_trainer_fit(trainer, net, adam, train, held_out), 0);
    double accuracy = situ_trainer_accuracy(trainer);
    free_training(trainer, adam, net, train, held_out, digits);
    return accuracy;
}

TEST(lenet_ends_as_well_in_halves)
{
    double f32 = lenet_accuracy(SITU_F32), bf16 = lenet_accuracy(SITU_BF16), f16 = lenet_accuracy(SITU_F16);
    printf("accuracy: f32 %.4f, bf16 %.4f, f16 %.4f\n", f32, bf16, f16);
    CHECK(f32 > 0.92 && bf16 > f32 - 0.012 && f16 > f32 - 0.012); /* four of 360 rows; keys differ by eight */
}

/* Steps in f16, of which one has infinite gradients, or is not made. */
static int64_t steps_of(const subject *s, int bad, bool without, float *out)
{
    situ_scope *scope = situ_scope_open();
    situ_dataset *rows = s->data();
    situ_module *net = s->network();
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.01, .momentum = 0.9); /* which counts no steps */
    situ_loader *loader = situ_loader_new(rows, .batch = 40, .drop_last = true);
    situ_optimizer_set_loss_scale(sgd, 1024);
    int64_t made = 0;
    for (int step = 0; step < 12; situ_scope_close(scope), scope = situ_scope_open(), step++) {
        situ_tensor *x, *target;
        if (step % 3 == 0) situ_loader_start(loader, 0);
        if (!CHECK(situ_loader_next(loader) > 0)) break;
        situ_loader_batch(loader, &x, &target);
        if (step == bad && without) situ_optimizer_set_loss_scale(sgd, 512); /* gradients of f16 below 6e-5 have fewer digits */
        if (step == bad && without) continue;
        situ_precision(SITU_F16);
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, x), target);
        situ_precision(SITU_F32);
        CHECK_EQ(situ_optimizer_step(sgd, situ_mul(loss, situ_full(SHAPE(), step == bad ? 1e38 : 1, .dtype = SITU_F32))), 0);
        CHECK_EQ(situ_optimizer_left_out(sgd), step >= bad && !without);
        if (step == 3) made = situ_plans().made;
    }
    CHECK(without || situ_plans().made == made);
    CHECK(situ_optimizer_loss_scale(sgd) == 512);
    int64_t n = all_weights(net, out);
    situ_loader_free(loader);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(rows);
    situ_scope_close(scope);
    return n;
}

TEST(an_overflow_in_lenet_and_a_gpt_leaves_out_one_step_and_makes_no_plan)
{
    static float with[MOST_WEIGHTS], without[MOST_WEIGHTS];
    for (int i = 0; i < 2; i++) {
        int64_t n = steps_of(&subjects[i], 5, false, with);
        CHECK_EQ(steps_of(&subjects[i], 5, true, without), n);
        CHECK(!memcmp(with, without, (size_t)n * sizeof *with));
    }
}

static situ_tensor *beyond_halves(situ_tensor *prediction, situ_tensor *target)
{
    return situ_mul(situ_cross_entropy(prediction, target), 1e38);
}

/* No scale makes these losses finite: the training ends with an error. */
TEST(a_training_whose_steps_are_all_left_out_ends)
{
    situ_dataset *digits = situ_digits();
    situ_module *net = lenet();
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 20, .batch = 256, .precision = SITU_F16, .loss = beyond_halves);
    CHECK_FAILS(SITU_NAN, situ_trainer_fit(trainer, net, sgd, digits, NULL), "steps changed nothing");
    CHECK(situ_optimizer_left_out(sgd) < 70);
    free_training(trainer, sgd, net, digits);
}
