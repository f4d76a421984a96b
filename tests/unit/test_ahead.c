/* How far a program may run ahead of its devices; and that no thread waits for work that another thread has started. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>
#include <situ/custom.h>

#include "run/ahead.h"
#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

enum { ROWS = 128, WIDTH = 256, STEPS = 16 };

typedef enum loop { STEP, ASSIGN, KEEP } loop;

/* One iteration of a loop; returns a tensor that could be read. */
static situ_tensor *turn(loop kind, situ_tensor *x, situ_module *net, situ_optimizer *opt, situ_tensor *state, situ_tensor **kept)
{
    situ_tensor *y = NULL;
    if (kind == STEP) {
        y = situ_mean(situ_square(situ_module_call(net, x)));
        CHECK_EQ(situ_optimizer_step(opt, y), 0);
    } else if (kind == ASSIGN) {
        y = situ_matmul(situ_add(situ_mul(state, 0.5), x), situ_matmul(situ_transpose(x), x));
        CHECK_EQ(situ_assign(state, situ_tanh(y)), 0);
    } else { /* the result of each iteration replaces the one before */
        situ_tensor *next = situ_keep(y = situ_tanh(situ_matmul(situ_add(x, *kept), situ_matmul(situ_transpose(x), x))));
        situ_release(*kept);
        *kept = next;
    }
    return y;
}

/* Peak memory of such a loop on the device, if every iteration is read, or none. */
static int64_t peak_of(situ_device d, loop kind, bool reads)
{
    float *batch = calloc((size_t)ROWS * WIDTH, sizeof *batch);
    situ_module *net = situ_sequential(situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *opt = situ_adam(net);
    situ_tensor *state = NULL, *kept = NULL;
    situ_memory m;
    IN_SCOPE {
        state = situ_variable(situ_zeros(SHAPE(ROWS, WIDTH), .device = d), .trainable = false);
        kept = situ_keep(situ_zeros(SHAPE(ROWS, WIDTH), .device = d));
    }
    for (int i = 0; i < STEPS; i++) {
        if (i == 2) CHECK_EQ(situ_wait(NULL), 0); /* memory has been allocated for the first time */
        if (i == 2) CHECK_EQ(situ_memory_reset_peak(d), 0);
        IN_SCOPE {
            situ_tensor *y = turn(kind, situ_from_host(batch, SHAPE(ROWS, WIDTH), .device = d), net, opt, state, &kept);
            if (reads) situ_item(situ_sum(y));
        }
    }
    CHECK_EQ(situ_memory_of(d, &m), 0);
    CHECK_EQ(situ_wait(NULL), 0);
    CHECK_OK();
    situ_release(kept);
    situ_release(state);
    situ_optimizer_free(opt);
    situ_module_free(net);
    free(batch);
    return m.peak;
}

static void never_reads(situ_device d)
{
    static const char *const names[] = {"steps", "assignments", "kept results"};
    for (loop k = STEP; k <= KEEP; k++) {
        int64_t start = memory_in_use(d), reading = peak_of(d, k, true) - start;
        situ_test_ahead();
        int64_t running = peak_of(d, k, false) - start;
        int ahead = situ_test_ahead();
        if (!CHECK(running <= 1.3 * (double)reading) || !CHECK(ahead <= SITU_MOST_AHEAD))
            fprintf(stderr, "  %s: %lld bytes, %lld with reads, %d ahead\n", names[k], (long long)running, (long long)reading, ahead);
    }
}

TEST(a_loop_that_never_reads_takes_no_more_memory)
{
    never_reads(situ_cpu());
}

TEST(a_loop_that_never_reads_takes_no_more_memory_on_a_gpu) { never_reads(sim_device(0)); }

TEST(a_loop_that_never_reads_takes_no_more_memory_by_opencl)
{
    need_tested(1);
    never_reads(tested_device(0));
}

/* ---- work that does not go on until it is told to --------------------------------------------------------------------- */

static _Atomic int gate, begun;

static int same_shape(situ_custom_shape *c)
{
    c->shape = c->in_shape[0];
    c->dtype = c->in_dtype[0];
    return 0;
}

static int run_held(const situ_custom_run *c)
{
    begun++;
    for (int i = 0; i < 20000 && !gate; i++) usleep(1000);
    memcpy(c->out, c->in[0], 8 * (size_t)c->shape.dim[0]);
    return 0;
}

static const situ_custom *held(void)
{
    static const situ_custom *op;
    if (!op) op = situ_custom_new("held", 1, same_shape, run_held, NULL);
    gate = begun = 0;
    return op;
}

/* Work that is held back, and large enough to go to the queue. */
static situ_tensor *start_held(situ_tensor *x)
{
    situ_tensor *y = situ_custom_call(held(), TENSORS(x), NULL, 0);
    situ_tensor *much = situ_matmul(situ_ones(SHAPE(256, 256)), situ_ones(SHAPE(256, 256)));
    y = situ_add(y, situ_cast(situ_mul(situ_sum(much), 0), SITU_F64));
    CHECK_EQ(situ_eval(TENSORS(y)), 0);
    while (!begun) usleep(100);
    return y;
}

static void *infer(void *argument)
{
    IN_SCOPE {
        situ_tensor *x = situ_mul(situ_ones(SHAPE(256, 256)), 0.25), *y = x; /* larger than what is done inline */
        for (int i = 0; i < 4; i++) y = situ_mul(situ_matmul(x, y), 1.0 / 64);
        *(double *)argument = situ_item(situ_max(y));
    }
    CHECK_OK();
    return NULL;
}

TEST(a_thread_does_not_wait_for_the_work_of_another)
{
    double result = 0;
    pthread_t thread;
    IN_SCOPE {
        situ_tensor *y = start_held(F64(1, 2));
        pthread_create(&thread, NULL, infer, &result);
        pthread_join(thread, NULL);
        CHECK(!gate && result > 0);
        gate = 1;
        IS(y, "[1., 2.] f64[2]");
    }
}

/* ---- ... and waits for what it needs of it ------------------------------------------------------------------------------ */

static void *read_variable(void *argument)
{
    IN_SCOPE IS(situ_add(*(situ_tensor **)argument, 1), "[8., 9.] f64[2]");
    CHECK_OK();
    return NULL;
}

TEST(a_thread_sees_whole_versions_of_a_variable)
{
    situ_tensor *v = NULL;
    pthread_t thread;
    IN_SCOPE v = situ_variable(F64(1, 2), .trainable = false);
    IN_SCOPE CHECK_EQ(situ_wait(v), 0);
    IN_SCOPE {
        CHECK_EQ(situ_assign(v, situ_add(situ_mul(start_held(F64(7, 8)), 1), 0)), 0);
        CHECK_EQ(situ_eval(TENSORS(v)), 0); /* its next value is pending, behind work that is held back */
        pthread_create(&thread, NULL, read_variable, &v);
        usleep(20000);
        gate = 1;
        pthread_join(thread, NULL);
    }
    situ_release(v);
}

static void *overwrite_variable(void *argument)
{
    situ_tensor *v = *(situ_tensor **)argument;
    IN_SCOPE CHECK_EQ(situ_assign(v, situ_mul(v, 100)), 0);
    IN_SCOPE CHECK_EQ(situ_wait(v), 0);
    CHECK_OK();
    return NULL;
}

TEST(a_variable_is_not_overwritten_while_another_thread_reads_it)
{
    situ_tensor *v = NULL, *result = NULL;
    pthread_t thread;
    IN_SCOPE v = situ_variable(F64(1, 2), .trainable = false);
    IN_SCOPE CHECK_EQ(situ_wait(v), 0);
    IN_SCOPE result = situ_keep(situ_add(start_held(F64(7, 8)), 0));
    IN_SCOPE { /* reads v, behind work that is held back; owns nothing of it but a position in the queue */
        situ_tensor *sum = situ_add(result, situ_custom_call(held(), TENSORS(v), NULL, 0));
        situ_release(result);
        result = situ_keep(sum);
    }
    pthread_create(&thread, NULL, overwrite_variable, &v);
    usleep(20000);
    gate = 1;
    pthread_join(thread, NULL);
    IN_SCOPE {
        IS(result, "[8., 10.] f64[2]");
        IS(v, "[100., 200.] f64[2]");
    }
    situ_release(result);
    situ_release(v);
}

/* ---- the same in figures: a trainer beside an inference ------------------------------------------------------------- */

static _Atomic bool stop;

static void *train(void *argument)
{
    situ_module *net = situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    for (int i = 0; i < 2000 && !stop; i++)
        IN_SCOPE CHECK_EQ(situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, situ_uniform(situ_key(1), SHAPE(512, 64)))))), 0);
    CHECK_EQ(situ_wait(NULL), 0);
    *(int64_t *)argument = situ_optimizer_steps(opt);
    situ_optimizer_free(opt);
    situ_module_free(net);
    CHECK_OK();
    return NULL;
}

TEST(threads_that_train_and_infer_go_on_beside_each_other)
{
    pthread_t trainer[2], other;
    int64_t steps[2] = {0, 0};
    double results[8] = {0};
    stop = false;
    for (int i = 0; i < 2; i++) pthread_create(&trainer[i], NULL, train, &steps[i]);
    for (int i = 0; i < 8; i++) {
        pthread_create(&other, NULL, infer, &results[i]);
        pthread_join(other, NULL);
        CHECK(results[i] == results[0] && results[i] > 0);
    }
    stop = true;
    for (int i = 0; i < 2; i++) pthread_join(trainer[i], NULL);
    CHECK(steps[0] > 0 && steps[1] > 0);
}

/* ---- who waits is told ----------------------------------------------------------------------------------------------- */

TEST(waiting_for_a_device_is_in_the_ledger)
{
    situ_ledger_entry list[64];
    situ_device d = sim_device(0);
    CHECK_EQ(situ_sim_configure(d, SITU_SIM(.delay = 0.002)), 0);
    CHECK_EQ(situ_ledger_record(64), 0);
    situ_guard guard = situ_guard_open(.waits = 0); /* not counted as a wait of the program */
    IN_SCOPE {
        situ_tensor *x = situ_zeros(SHAPE(8), .device = d);
        for (int i = 0; i < 3 * SITU_MOST_AHEAD; i++) CHECK_EQ(situ_eval(TENSORS(x = situ_add(x, 1))), 0);
    }
    CHECK_EQ(situ_guard_close(guard), 0);
    int n = situ_ledger_list(list, 64), ahead = 0;
    for (int i = 0; i < n; i++) {
        if (list[i].reason != SITU_REASON_AHEAD) continue;
        ahead++;
        CHECK(list[i].transfer == SITU_TRANSFER_WAIT && list[i].from.kind == SITU_GPU && list[i].site && strstr(list[i].site, "test_ahead.c"));
    }
    CHECK(ahead > 0);
    CHECK_STR(situ_reason_name(SITU_REASON_AHEAD), "ahead");
    CHECK_EQ(situ_ledger_record(0), 0);
    CHECK_EQ(situ_sim_configure(d, SITU_SIM(.delay = -1)), 0);
    CHECK_EQ(situ_wait(NULL), 0);
}

/* ---- situ_trainer_fit ----------------------------------------------------------------------------------------------------------- */

enum { IMAGES = 1024, SIDE = 12, BATCH = 64 };

static situ_module *small_cnn(void)
{
    return situ_sequential(situ_conv2d_layer(8, SHAPE(3, 3)), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2, 2)), situ_flatten_layer(), situ_linear_layer(10));
}

static void fit_images(situ_module *net, situ_optimizer *opt, const float *pixels, const int32_t *labels)
{
    situ_dataset *data = situ_dataset_new(pixels, SHAPE(IMAGES, 1, SIDE, SIDE), labels, 10, "images");
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = BATCH, .num_gpus = 0);
    CHECK_EQ(situ_trainer_fit(trainer, net, opt, data, NULL), 0);
    situ_trainer_free(trainer);
    situ_dataset_free(data);
}

static void read_each_step(situ_module *net, situ_optimizer *opt, const float *pixels, const int32_t *labels)
{
    for (int i = 0; i < IMAGES; i += BATCH)
        IN_SCOPE {
            situ_tensor *x = situ_from_host(pixels + i * SIDE * SIDE, SHAPE(BATCH, 1, SIDE, SIDE));
            situ_tensor *loss = situ_cross_entropy(situ_module_call(net, x), situ_from_host(labels + i, SHAPE(BATCH), .dtype = SITU_I32));
            CHECK_EQ(situ_optimizer_step(opt, loss), 0);
            CHECK(situ_item(loss) > 0);
        }
}

/* A trainer keeps all images on the device, once more in shuffled order; besides, it needs as much memory as a loop
 * that reads each step. */
TEST(fit_takes_no_more_memory_than_a_loop_that_reads)
{
    float *pixels = malloc(sizeof *pixels * IMAGES * SIDE * SIDE);
    int32_t *labels = malloc(sizeof *labels * IMAGES);
    int64_t peak[2], images = (int64_t)IMAGES * (SIDE * SIDE + 1) * 4;
    for (int i = 0; i < IMAGES * SIDE * SIDE; i++) pixels[i] = (float)(i % 17) / 17;
    for (int i = 0; i < IMAGES; i++) labels[i] = i % 10;
    for (int fits = 0; fits < 2; fits++) {
        situ_module *net = small_cnn();
        situ_optimizer *opt = situ_sgd(net, .momentum = 0.9);
        situ_memory m;
        CHECK_EQ(situ_wait(NULL), 0);
        CHECK_EQ(situ_memory_trim(situ_cpu()), 0);
        int64_t start = memory_in_use(situ_cpu());
        CHECK_EQ(situ_memory_reset_peak(situ_cpu()), 0);
        (fits ? fit_images : read_each_step)(net, opt, pixels, labels);
        CHECK_EQ(situ_memory_of(situ_cpu(), &m), 0);
        peak[fits] = m.peak - start;
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    if (!CHECK(peak[1] <= 1.3 * (double)peak[0] + 2 * (double)images))
        fprintf(stderr, "  situ_trainer_fit %lld bytes, a loop %lld, the images %lld\n", (long long)peak[1], (long long)peak[0], (long long)images);
    free(pixels);
    free(labels);
}
