/* Compositions, networks, training, data, pictures and traces, while each of their allocations fails. */
#include <situ.h>

#include <situ/custom.h>

#include "base/error.h"
#include "support/each_allocation.h"
#include "support/sim_devices.h"
#include "support/training.h"
#include "train/svg.h"
#include "values.h"

/* ---- compositions: values and gradients -------------------------------------------------------------------------- */

typedef struct inputs { situ_tensor *x, *image, *row, *labels, *square, *key; } inputs;

static inputs inputs_of(situ_dtype dtype, situ_device d)
{
    inputs in = {.labels = situ_from_host(((int64_t[]){0, 2, 1, 2}), SHAPE(4), .dtype = SITU_I64, .device = d),
                 .key = situ_key(3, .device = d)};
    in.x = situ_cast(situ_reshape(situ_sin(situ_arange(0, 12, 1, .dtype = SITU_F32, .device = d)), SHAPE(4, 3)), dtype);
    in.image = situ_cast(situ_reshape(situ_cos(situ_arange(0, 64, 1, .dtype = SITU_F32, .device = d)), SHAPE(2, 2, 4, 4)), dtype);
    in.row = situ_cast(situ_add(situ_arange(0, 3, 1, .dtype = SITU_F32, .device = d), 0.5), dtype);
    in.square = situ_add(situ_matmul(situ_transpose(in.x), in.x), situ_eye(3, .dtype = dtype, .device = d));
    return in;
}

#define COMPOSITIONS(C) \
    C(batch_norm, situ_batch_norm(in.x, in.row, in.row)) C(layer_norm, situ_layer_norm(in.x, in.row, in.row)) \
    C(cross_entropy, situ_cross_entropy(in.x, in.labels)) \
    C(loss_sums, situ_cross_entropy(in.x, in.labels, .reduction = SITU_SUM)) C(mse, situ_mse(in.x, situ_mul(in.x, 2))) \
    C(accuracy, situ_accuracy(in.x, in.labels)) C(dropout, situ_dropout(in.x, in.key, 0.5)) C(gelu, situ_gelu(in.x)) \
    C(silu, situ_silu(in.x)) C(mish, situ_mish(in.x)) C(leaky_relu, situ_leaky_relu(in.x, 0.1)) C(elu, situ_elu(in.x, 1)) \
    C(softmax, situ_softmax(in.x)) C(log_softmax, situ_log_softmax(in.x)) C(var, situ_var(in.x, .axes = AXES(0))) \
    C(std, situ_std(in.x)) C(logsumexp, situ_logsumexp(in.x, .axes = AXES(1))) C(norm, situ_norm(in.x)) \
    C(matrix_norm, situ_matrix_norm(in.square)) C(conv2d, situ_conv2d(in.image, situ_slice(in.image, .start = SHAPE(0, 0, 0, 0), .stop = SHAPE(2, 2, 3, 3)), .padding = SHAPE(1, 1))) \
    C(max_pool, situ_max_pool2d(in.image, SHAPE(2, 2))) C(avg_pool, situ_avg_pool2d(in.image, SHAPE(2, 2), .padding = SHAPE(1, 1))) \
    C(embedding, situ_embedding(in.x, in.labels)) C(attention, situ_self_attention(situ_expand_dims(in.square, 0), 1)) \
    C(take, situ_take(in.x, in.labels, .axis = 0)) C(sort, situ_sort(in.x)) C(argsort, situ_argsort(in.x)) C(cumsum, situ_cumsum(in.x)) \
    C(where, situ_where(situ_greater(in.x, 0), in.x, situ_negative(in.x))) C(concat, situ_concat(TENSORS(in.x, in.x), .axis = 0)) \
    C(stack, situ_stack(TENSORS(in.x, in.x), .axis = 1)) C(one_hot, situ_one_hot(in.labels, 3)) C(all, situ_all(situ_greater(in.x, -5))) \
    C(normal, situ_mul(in.x, situ_cast(situ_normal(in.key, SHAPE(4, 3)), situ_dtype_of(in.x))))

#define FACTORS(C) \
    C(det, situ_det(in.square)) C(inv, situ_inv(in.square)) C(cholesky, situ_cholesky(in.square)) \
    C(solve, situ_solve(in.square, situ_transpose(in.x))) C(pinv, situ_pinv(in.x)) C(rank, situ_matrix_rank(in.x)) \
    C(power, situ_matrix_power(in.square, 3)) C(svdvals, situ_svd(in.x)) C(fft, situ_abs(situ_fft(in.x))) \
    C(long_fft, situ_abs(situ_fft(situ_reshape(in.x, SHAPE(-1)), .n = 300))) \
    C(large_inv, situ_inv(situ_add(situ_pad(in.square, SHAPE(0, 0), SHAPE(47, 47)), situ_eye(50, .dtype = situ_dtype_of(in.x), .device = situ_device_of(in.x)))))

typedef struct composition { const char *name; situ_tensor *(*make)(inputs in); situ_dtype dtype; bool gpu; } composition;

#define FUNCTION(name, value) static situ_tensor *make_##name(inputs in) { return value; }
COMPOSITIONS(FUNCTION)
FACTORS(FUNCTION)

static void run_composition(outcome *o, const void *data)
{
    const composition *c = data;
    situ_device d = c->gpu ? sim_device(0) : situ_cpu();
    inputs in = inputs_of(c->dtype, d);
    situ_tensor *v = situ_variable(in.x), *picture = situ_variable(in.image), *wrt[2] = {v, picture}, *grad[2];
    in.x = v;
    in.image = picture;
    in.square = situ_add(situ_matmul(situ_transpose(v), v), situ_eye(3, .dtype = c->dtype, .device = d));
    situ_tensor *y = c->make(in);
    outcome_add(o, y);
    if (!situ_failed() && (situ_dtype_of(y) == SITU_F32 || situ_dtype_of(y) == SITU_F64 || situ_dtype_of(y) == SITU_F16)) {
        if (!situ_grad(situ_sum(y), TENSORS_OF(wrt, 2), grad)) outcome_add(o, grad[0]), outcome_add(o, grad[1]);
    }
    situ_release(v);
    situ_release(picture);
}

static void compositions(situ_dtype dtype, bool factors, bool gpu)
{
#define ROW(name, value) {#name, make_##name, dtype, gpu},
    const composition usual[] = {COMPOSITIONS(ROW)}, more[] = {FACTORS(ROW)}, *all = factors ? more : usual;
    int count = factors ? (int)(sizeof more / sizeof *more) : (int)(sizeof usual / sizeof *usual);
    for (int i = 0; i < count; i++) {
        program p = {.name = all[i].name, .run = run_composition, .data = &all[i]};
        each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
        each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
    }
    CHECK_OK();
}

TEST(compositions_of_f32) { compositions(SITU_F32, false, false); }
TEST(compositions_of_f16) { compositions(SITU_F16, false, false); }
TEST(compositions_on_a_gpu) { compositions(SITU_F32, false, true); }
TEST(factorizations) { compositions(SITU_F64, true, false); }

static void run_transform(outcome *o, const void *data)
{
    (void)data;
    outcome_add(o, situ_real(situ_fft(situ_full(SHAPE(300), 1.5))));
}

static int tries;
static void run_three(outcome *o, const void *data)
{
    (void)o, (void)data;
    tries++;
    for (int i = 0; i < 3; i++) {
        void *block = situ_malloc(8);
        if (!block) situ_fail(SITU_NO_MEMORY, NULL, "no memory for block %d", i);
        situ_free(block);
    }
}

/* With three allocations each fails once, and the loop also has runs in which none fails. */
TEST(each_allocation_is_tried)
{
    program p = {.name = "three", .run = run_three};
    tries = 0;
    each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
    CHECK_EQ(tries, 3 + 2 * 4);
}

/* A long transform needs tables: each allocation may fail, and none is freed twice. */
TEST(each_table_of_a_transform)
{
    program p = {.name = "transform", .run = run_transform};
    outcome usual = run_failing(&p, situ_test_fail_alloc, 0);
    for (int64_t n = 1; n == 1 || situ_test_fail_struck(); n++) {
        outcome o = run_failing(&p, situ_test_fail_alloc, n);
        if (!CHECK(says_no_memory(&o) || same_outcome(&o, &usual))) printf("  allocation %lld: %d %s\n", (long long)n, o.code, o.text);
    }
}

/* ---- networks, optimizers, data, training ------------------------------------------------------------------------ */

static situ_module *small_network(void)
{
    situ_module *inner = situ_sequential(situ_linear_layer(5), situ_batch_norm_layer(), situ_relu_layer(), situ_dropout_layer(0.5));
    return situ_sequential(situ_flatten_layer(), inner, situ_layer_norm_layer(), situ_linear_layer(3));
}

static void run_network(outcome *o, const void *data)
{
    int rule = *(const int *)data;
    situ_module *net = small_network();
    situ_optimizer *opt = rule == 0 ? situ_sgd(net, .lr = 0.1, .momentum = 0.9) : rule == 1 ? situ_adam(net) : situ_adamw(net, .clip_norm = 1);
    inputs in = inputs_of(SITU_F32, rule == 2 ? sim_device(0) : situ_cpu());
    for (int i = 0; i < 2; i++) {
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, in.x), in.labels);
        situ_optimizer_step(opt, loss);
        outcome_add(o, loss);
    }
    situ_module_set_training(net, false);
    outcome_add(o, situ_module_call(net, in.x));
    if (!situ_failed()) outcome_add(o, situ_module_find(net, "3.weight"));
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST(networks_and_optimizers)
{
    for (int rule = 0; rule < 3; rule++) {
        program p = {.name = "network", .run = run_network, .data = &rule};
        each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
        each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
    }
}

static void run_images(outcome *o, const void *data)
{
    (void)data;
    inputs in = inputs_of(SITU_F32, situ_cpu());
    situ_module *net = situ_sequential(situ_conv2d_layer(3, SHAPE(3, 3)), situ_max_pool2d_layer(SHAPE(2, 2)), situ_gelu_layer(), situ_flatten_layer(), situ_linear_layer(2));
    outcome_add(o, situ_module_call(net, in.image));
    if (!situ_failed()) situ_module_to(net, sim_device(1));
    if (!situ_failed()) outcome_add(o, situ_module_call(net, situ_to(in.image, sim_device(1))));
    situ_module_free(net);
}

TEST(networks_of_images_that_move)
{
    program p = {.name = "images", .run = run_images};
    each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
    each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
}

static void run_fit(outcome *o, const void *data)
{
    int drawn = *(const int *)data;
    static float feature[24];
    for (int i = 0; i < 24; i++) feature[i] = (float)(i * 5 % 7);
    situ_dataset *all = situ_dataset_new(feature, SHAPE(12, 2), ((int32_t[]){0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0}), 2, "twelve"), *train = NULL, *held_out = NULL;
    if (!situ_failed()) situ_dataset_split(all, 1, &train, &held_out);
    if (!situ_failed()) situ_dataset_standardize(train, train);
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_tanh_layer(), situ_linear_layer(2));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = 4, .plot = drawn == 1 ? test_path("no_memory.svg") : NULL,
        .report = drawn == 2 ? test_path("no_memory.html") : NULL);
    if (!situ_failed()) situ_trainer_fit(trainer, net, opt, train, held_out);
    if (!situ_failed()) o->length += (size_t)snprintf(o->text, 200, "%.9g %.9g", situ_trainer_loss(trainer), situ_trainer_accuracy(trainer));
    free_training(trainer, opt, net, train, held_out, all);
}

TEST(fits)
{
    for (int drawn = 0; drawn < 3; drawn++) {
        program p = {.name = "fit", .run = run_fit, .data = &drawn};
        each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
        each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
    }
}

/* Sharing, replacing and copying parts of this network. */
static situ_module *changing;
static void make_changing(const void *data)
{
    (void)data;
    changing = situ_sequential(situ_linear_layer(3, .in = 3), situ_residual(situ_linear_layer(3, .in = 3)), situ_linear_layer(3, .in = 3));
    situ_module_init(changing, situ_key(3));
    situ_module_share(situ_module_part(changing, "1.0"), situ_module_part(changing, "0"));
    for (int i = 0; i < situ_module_count(changing); i++) situ_module_parameter(changing, i);
}
static void free_changing(const void *data)
{
    (void)data;
    situ_module_free(changing);
}

static void run_clone(outcome *o, const void *data)
{
    (void)data;
    situ_module *copy = situ_module_clone(situ_module_part(changing, "2"));
    CHECK((copy != NULL) == !situ_failed());
    if (!situ_failed()) outcome_add(o, situ_module_call(copy, situ_ones(SHAPE(2, 3))));
    situ_module_free(copy);
}

static void run_share(outcome *o, const void *data)
{
    (void)data;
    situ_module_share(situ_module_part(changing, "2"), situ_module_part(changing, "0"));
    if (!situ_failed()) outcome_add(o, situ_module_call(changing, situ_ones(SHAPE(2, 3))));
}

static void run_replace(outcome *o, const void *data)
{
    (void)data;
    situ_module *old = situ_module_replace(changing, "0", situ_linear_layer(3, .in = 3));
    if (!situ_failed()) outcome_add(o, situ_module_call(changing, situ_ones(SHAPE(2, 3))));
    if (!situ_failed()) outcome_add(o, situ_module_call(old, situ_ones(SHAPE(2, 3))));
    situ_module_free(old);
}

static void run_summary(outcome *o, const void *data)
{
    FILE *file = fopen("/dev/null", "w");
    (void)data;
    situ_module_summary(changing, TENSORS(situ_ones(SHAPE(2, 3))), .file = file);
    if (file) fclose(file);
    if (!situ_failed()) outcome_add(o, situ_module_call(changing, situ_ones(SHAPE(2, 3))));
}

static void run_initialize(outcome *o, const void *data)
{
    (void)data;
    situ_module_initialize(changing, "weight", SITU_INIT_ORTHOGONAL);
    if (!situ_failed()) outcome_add(o, situ_module_call(changing, situ_ones(SHAPE(2, 3))));
}

static void run_quantise(outcome *o, const void *data)
{
    (void)data;
    situ_module_quantise(changing);
    if (!situ_failed()) outcome_add(o, situ_module_call(changing, situ_ones(SHAPE(2, 3))));
}

TEST(networks_that_change)
{
    static void (*const run[])(outcome *, const void *) = {run_clone, run_share, run_replace, run_summary, run_initialize, run_quantise};
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        program p = {.name = "changes", .run = run[i], .before = make_changing, .after = free_changing};
        each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
        each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
    }
}

static void run_sequences(outcome *o, const void *data)
{
    inputs in = inputs_of(SITU_F32, situ_cpu());
    situ_tensor *x = situ_reshape(situ_concat(TENSORS(in.x, in.x), .axis = 1), SHAPE(2, 3, 4)), *out[3], *d;
    situ_tensor *lengths = situ_from_host(((int32_t[]){3, 1}), SHAPE(2)), *k = situ_zeros(SHAPE(2, 2, 4, 2));
    (void)data;
    situ_module *lstm = situ_lstm_layer(3, .layers = 2, .bidirectional = true, .dropout = 0.5);
    situ_module *block = situ_transformer_encoder_layer(4, 2, .feed = SITU_FEED_SWIGLU, .causal = true, .rotary = 100, .rms = true);
    if (!situ_failed() && situ_module_call_n(lstm, TENSORS(x, NULL, NULL, lengths), out, 3) > 0) {
        for (int i = 0; i < 3; i++) outcome_add(o, out[i]);
        if (!situ_failed()) situ_grad(situ_sum(situ_square(out[0])), TENSORS(situ_module_parameter(lstm, 0)), &d);
        if (!situ_failed()) outcome_add(o, d);
    }
    situ_tensor *at = situ_full(SHAPE(), 0, .dtype = SITU_I32);
    if (!situ_failed() && situ_module_call_n(block, TENSORS(x, NULL, lengths, k, k, at), out, 3) > 0)
        for (int i = 0; i < 3; i++) outcome_add(o, out[i]);
    situ_module_free(lstm);
    situ_module_free(block);
}

TEST(layers_of_sequences)
{
    program p = {.name = "sequences", .run = run_sequences};
    each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
    each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
}

/* ---- pictures, traces, texts ------------------------------------------------------------------------------------- */

static void run_rest(outcome *o, const void *data)
{
    (void)data;
    situ_tensor *x = situ_arange(0, 6, 1, .dtype = SITU_F32), *key = situ_key(2);
    situ_profile_start(100);
    outcome_add(o, situ_matmul(situ_reshape(x, SHAPE(2, 3)), situ_reshape(x, SHAPE(3, 2))));
    if (!situ_failed()) situ_profile_save(test_path("no_memory.json"));
    situ_profile_stop();
    double at[] = {1, 2, 3};
    situ_series s = {.name = "a", .x = at, .y = at, .count = 3};
    if (!situ_failed()) situ_svg_curves(test_path("no_memory_curve.svg"), "title", "x", 1, &s);
    situ_dataset *digits = situ_failed() ? NULL : situ_digits();
    if (digits) o->length += (size_t)snprintf(o->text + o->length, 40, "%lld", (long long)situ_dataset_count(digits));
    situ_dataset_free(digits);
    outcome_add(o, situ_permutation(key, 6));
}

TEST(traces_pictures_and_data)
{
    program p = {.name = "trace", .run = run_rest};
    each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
    each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
}
