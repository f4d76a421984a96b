/* Sessions: the bits of the ordinary call, state from run to run, versions while the network changes, and what is refused. That a run
 * allocates nothing, takes no lock and makes no call of the system: tests/checks/session.sh. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/sim_devices.h"
#include "test.h"

/* ---- bits ------------------------------------------------------------------------------------------------------------------------- */

/* Both results of a network for the same inputs, several times with others. */
static void same_bits(situ_module *net, situ_list like, const char *name)
{
    situ_session *s = situ_session_open(net, like);
    if (!CHECK(s)) return;
    CHECK_EQ(situ_session_inputs(s), like.count);
    situ_module_set_training(net, false);
    for (int round = 0; round < 4; round++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *in[4], *out[SITU_MODULE_MOST];
        for (int i = 0; i < like.count; i++) {
            situ_shape shape = situ_shape_of(like.tensor[i]);
            situ_dtype dtype = situ_dtype_of(like.tensor[i]);
            in[i] = situ_cast(situ_normal(situ_key(10 * round + i), shape), dtype);
            if (!(dtype == SITU_F32 || dtype == SITU_F64 || dtype == SITU_F16)) in[i] = situ_cast(situ_abs(situ_mul(situ_normal(situ_key(round), shape), 2)), dtype);
            CHECK_EQ(situ_session_input_dtype(s, i), dtype);
            situ_read(in[i], situ_session_input(s, i), (size_t)situ_count(in[i]) * situ_dtype_size(dtype));
        }
        int results = situ_module_call_n(net, TENSORS_OF(in, like.count), out, SITU_MODULE_MOST);
        CHECK_EQ(situ_session_results(s), results);
        CHECK_EQ(situ_session_run(s), 0);
        for (int i = 0; i < results; i++) {
            size_t bytes = (size_t)situ_count(out[i]) * situ_dtype_size(situ_dtype_of(out[i]));
            char *values = malloc(bytes + 1);
            situ_read(out[i], values, bytes);
            situ_shape shape = situ_session_result_shape(s, i), wanted = situ_shape_of(out[i]);
            CHECK(shape.ndim == wanted.ndim && !memcmp(shape.dim, wanted.dim, (size_t)shape.ndim * sizeof *shape.dim));
            CHECK_EQ(situ_session_result_dtype(s, i), situ_dtype_of(out[i]));
            if (!CHECK(!memcmp(values, situ_session_result(s, i), bytes))) printf("  %s: result %d, round %d\n", name, i, round);
            free(values);
        }
        situ_scope_close(scope);
        CHECK_OK();
    }
    situ_session_close(s);
    situ_module_free(net);
}

static situ_tensor *twice(situ_tensor *x, void *self)
{
    (void)self;
    return situ_add(x, x);
}

static situ_tensor *reshaped(situ_tensor *x, void *self)
{
    (void)self;
    return situ_reshape(x, SHAPE(-1));
}

static situ_tensor *itself(situ_tensor *x, void *self)
{
    (void)self;
    return x;
}

static situ_tensor *constant(situ_tensor *x, void *self)
{
    (void)self;
    return situ_ones_like(x);
}

TEST_IN_SCOPE(results_have_the_bits_of_the_call)
{
#define NET(text, net, ...) same_bits(net, TENSORS(__VA_ARGS__), text)
    NET("MLP", situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(64), situ_tanh_layer(), situ_linear_layer(4)), situ_ones(SHAPE(1, 32)));
    NET("rows", situ_sequential(situ_linear_layer(300), situ_gelu_layer(), situ_layer_norm_layer(), situ_softmax_layer(-1)), situ_ones(SHAPE(70, 90)));
    NET("CNN",
        situ_sequential(situ_conv2d_layer(6, SHAPE(3, 3)), situ_batch_norm_layer(), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2, 2)),
            situ_conv2d_layer(8, SHAPE(5, 5)), situ_flatten_layer(), situ_linear_layer(10)),
        situ_ones(SHAPE(2, 3, 16, 16)));
    NET("GRU", situ_gru_layer(20), situ_ones(SHAPE(2, 5, 8)), situ_zeros(SHAPE(1, 2, 20)));
    NET("LSTM", situ_lstm_layer(20, .layers = 2), situ_ones(SHAPE(2, 3, 8)), situ_zeros(SHAPE(2, 2, 20)), situ_zeros(SHAPE(2, 2, 20)));
    NET("block", situ_transformer_encoder_layer(32, 4), situ_ones(SHAPE(2, 9, 32)));
    NET("embedding", situ_sequential(situ_embedding_layer(50, 12), situ_linear_layer(5)), situ_zeros(SHAPE(3, 7), .dtype = SITU_I64));
    NET("f64", situ_sequential(situ_function_layer(twice, NULL), situ_softmax_layer(-1)), situ_ones(SHAPE(5, 33), .dtype = SITU_F64));
    NET("a view", situ_function_layer(reshaped, NULL), situ_ones(SHAPE(5, 33)));
    NET("the input", situ_function_layer(itself, NULL), situ_ones(SHAPE(5, 33)));
    NET("a constant", situ_function_layer(constant, NULL), situ_ones(SHAPE(5, 3)));
    situ_tensor *x = situ_ones(SHAPE(3, 4));
    NET("one tensor twice", situ_bilinear_layer(3), x, x);
#undef NET
}

/* ---- state ------------------------------------------------------------------------------------------------------------------------ */

TEST_IN_SCOPE(states_go_from_run_to_run_and_back_to_their_first_values)
{
    enum { STEPS = 7, IN = 6, UNITS = 11 };
    situ_module *net = situ_lstm_layer(UNITS);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(1, STEPS, IN)), *h = situ_normal(situ_key(2), SHAPE(1, 1, UNITS)),
                *c = situ_normal(situ_key(3), SHAPE(1, 1, UNITS)), *out[3];
    float values[STEPS][IN], whole[STEPS][UNITS];
    CHECK_EQ(situ_module_call_n(net, TENSORS(x, h, c), out, 3), 3);
    situ_read(out[0], whole, sizeof whole);
    situ_read(x, values, sizeof values);
    situ_session *s = situ_session_open(net, TENSORS(situ_zeros(SHAPE(1, 1, IN)), h, c), .state = "1=1,2=2");
    situ_module_free(net); /* the session has what it needs */
    float last[2][UNITS];
    for (int again = 0; again < 2; again++) {
        for (int t = 0; t < STEPS; t++) {
            memcpy(situ_session_input(s, 0), values[t], sizeof values[t]);
            CHECK_EQ(situ_session_run(s), 0);
            const float *y = situ_session_result(s, 0);
            for (int i = 0; i < UNITS; i++) CHECK_NEAR(y[i], whole[t][i], 1e-6);
            memcpy(last[again], y, sizeof last[again]);
        }
        CHECK_EQ(situ_session_reset(s), 0);
    }
    CHECK(!memcmp(last[0], last[1], sizeof last[0]));
    situ_session_close(s);
    CHECK_OK();
}

TEST_IN_SCOPE(a_run_that_fails_leaves_the_state_and_no_error)
{
    situ_module *net = situ_sequential(situ_embedding_layer(5, 2));
    situ_session *s = situ_session_open(net, TENSORS(situ_zeros(SHAPE(3), .dtype = SITU_I32)));
    int32_t *index = situ_session_input(s, 0);
    float before[6];
    memcpy(before, situ_session_result(s, 0), sizeof before);
    index[1] = 5;
    CHECK_EQ(situ_session_run(s), -SITU_BAD_INDEX);
    CHECK_EQ(situ_failed(), 0);
    index[1] = 0;
    CHECK_EQ(situ_session_run(s), 0);
    CHECK(!memcmp(before, situ_session_result(s, 0), sizeof before));
    situ_session_close(s);
    situ_module_free(net);
}

/* ---- versions --------------------------------------------------------------------------------------------------------------------- */

static float run_once(situ_session *s)
{
    CHECK_EQ(situ_session_run(s), 0);
    return *(const float *)situ_session_result(s, 0);
}

TEST_IN_SCOPE(each_way_to_change_values_is_seen_by_the_next_run)
{
    situ_module *net = situ_linear_layer(1), *clone;
    situ_tensor *x = situ_ones(SHAPE(1, 4));
    situ_session *s = situ_session_open(net, TENSORS(x));
    CHECK_EQ(run_once(s), (float)situ_item(situ_module_call(net, x)));
    situ_module_initialize(net, "", SITU_INIT_CONSTANT, .value = 2);
    CHECK_EQ(run_once(s), 10);
    situ_tensor *w = situ_module_parameter(net, 0);
    situ_assign(w, situ_full_like(w, 3));
    CHECK_EQ(run_once(s), 10); /* it is pending */
    situ_eval(TENSORS(w));
    situ_wait(w);
    CHECK_EQ(run_once(s), 14);
    clone = situ_module_clone(net);
    situ_module_initialize(clone, "", SITU_INIT_CONSTANT, .value = 5);
    CHECK_EQ(run_once(s), 14);
    situ_module_publish(net, clone);
    CHECK_EQ(run_once(s), 25);
    const char *path = test_path("session.safetensors");
    situ_module_initialize(clone, "", SITU_INIT_CONSTANT, .value = 7);
    situ_module_save(clone, path);
    CHECK_EQ(situ_module_load(net, path), 2);
    CHECK_EQ(run_once(s), 35);
    situ_optimizer *sgd = situ_sgd(net, .lr = 1);
    situ_optimizer_step(sgd, situ_sum(situ_module_call(net, x)));
    situ_wait(w);
    CHECK_EQ(run_once(s), 4 * 6 + 6);
    situ_optimizer_free(sgd);
    situ_module_free(clone);
    situ_module_free(net);
    CHECK_EQ(run_once(s), 30);
    situ_session_close(s);
    CHECK_OK();
}

typedef struct server {
    situ_session *session;
    _Atomic bool *stop;
    int torn, runs, older;
} server;

/* Weights and bias of version v are v. */
static void *serve(void *argument)
{
    server *v = argument;
    for (float last = 0; !*v->stop || v->runs < 100; v->runs++) {
        v->torn += situ_session_run(v->session) != 0;
        const float *y = situ_session_result(v->session, 0);
        for (int i = 1; i < 64; i++) v->torn += y[i] != y[0];
        v->torn += (int)y[0] % 65 != 0;
        v->older += y[0] < last;
        last = y[0];
    }
    return NULL;
}

TEST(four_serving_threads_see_whole_versions_in_their_order)
{
    enum { SERVERS = 4, VERSIONS = 300 };
    _Atomic bool stop = false;
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_linear_layer(64);
    situ_tensor *x = situ_ones(SHAPE(1, 64));
    situ_module_call(net, x);
    situ_module_initialize(net, "", SITU_INIT_CONSTANT, .value = 1);
    server v[SERVERS];
    pthread_t thread[SERVERS];
    for (int i = 0; i < SERVERS; i++) v[i] = (server){.session = situ_session_open(net, TENSORS(x)), .stop = &stop};
    for (int i = 0; i < SERVERS; i++) pthread_create(&thread[i], NULL, serve, &v[i]);
    situ_memory m;
    int64_t in_use[2] = {0, 0};
    for (int n = 2; n <= VERSIONS; n++) {
        situ_scope *step = situ_scope_open();
        situ_tensor *w = situ_module_parameter(net, 0), *b = situ_module_parameter(net, 1);
        situ_assign(w, situ_full_like(w, n));
        situ_assign(b, situ_full_like(b, n));
        situ_eval(TENSORS(w));
        situ_scope_close(step);
        if (n == VERSIONS / 2 || n == VERSIONS) situ_wait(w), situ_memory_of(situ_cpu(), &m), in_use[n == VERSIONS] = m.in_use;
    }
    stop = true;
    for (int i = 0; i < SERVERS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < SERVERS; i++) {
        CHECK_EQ(v[i].torn, 0);
        CHECK_EQ(v[i].older, 0);
        CHECK_EQ(run_once(v[i].session), 65 * VERSIONS);
        situ_session_close(v[i].session);
    }
    CHECK(in_use[1] - in_use[0] <= 3 * SERVERS * (64 * 64 + 64) * 4); /* no version is left behind */
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

/* ---- what is refused -------------------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(what_a_session_cannot_do_is_told)
{
    situ_module *net = situ_gru_layer(4);
    situ_tensor *x = situ_ones(SHAPE(1, 1, 3)), *h = situ_zeros(SHAPE(1, 1, 4));
    CHECK(!situ_session_open(NULL, TENSORS(x)));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK(!situ_session_open(net, TENSORS_OF(NULL, 0)));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    static const char *const wrong[] = {"1", "1=", "=1", "x=y", "1=1=1", "1=1;", "7=1", "1=7", "0=0", "1=1,1=1", "-1=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!situ_session_open(net, TENSORS(x, h), .state = wrong[i]));
        CHECK_CODE(SITU_BAD_OPTION);
    }
    situ_session *s = situ_session_open(net, TENSORS(x, h), .state = "1=1");
    CHECK(!situ_session_input(s, 2) && situ_failed() == SITU_BAD_INDEX);
    situ_error_take(NULL);
    CHECK(!situ_session_result(s, -1) && situ_failed() == SITU_BAD_INDEX);
    situ_error_take(NULL);
    situ_session_close(s);
    CHECK_EQ(situ_session_run(s), -SITU_BAD_ARGUMENT);
    CHECK_EQ(situ_session_run(NULL), -SITU_BAD_ARGUMENT);
    CHECK_EQ(situ_session_reset(s), -SITU_BAD_ARGUMENT);
    CHECK_EQ(situ_failed(), 0);
    situ_module_free(net);
}

TEST_IN_SCOPE(a_network_on_another_device_has_no_session)
{
    situ_module *net = situ_linear_layer(2);
    CHECK(!situ_session_open(net, TENSORS(situ_ones(SHAPE(1, 3), .device = sim_device(0)))));
    CHECK_CODE(SITU_UNSUPPORTED);
    situ_module_free(net);
}
