/* Work on networks: whole training steps, recorded anew each time. */
#include <situ.h>

#include "bench.h"

static situ_tensor *images, *labels;
static situ_module *net;
static situ_optimizer *sgd;

static int prepare_on(situ_device device)
{
    situ_scope *scope = situ_scope_open();
    images = situ_keep(situ_normal(situ_key(1, .device = device), SHAPE(256, 784)));
    labels = situ_keep(situ_randint(situ_key(2, .device = device), SHAPE(256), 0, 10));
    net = situ_sequential(situ_linear(256), situ_relu_layer(), situ_linear(10));
    sgd = situ_sgd(net, .lr = 0.1);
    situ_eval(images, labels);
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

static int prepare(int64_t n)
{
    (void)n;
    return prepare_on(situ_default_device());
}

/* The null device checks and binds everything and computes nothing: what is left is the way to the launch. */
static int prepare_null(int64_t n)
{
    (void)n;
    return prepare_on(situ_null());
}

static situ_tensor *record_step(void)
{
    situ_tensor *loss = situ_cross_entropy(situ_call(net, images), labels);
    situ_step(sgd, loss);
    return loss;
}

static int train(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_item(record_step());
    situ_scope_close(scope);
    return -situ_failed();
}

static int launch(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_eval(record_step());
    situ_scope_close(scope);
    return -situ_failed();
}

const bench_work bench_networks[] = {
    {"mlp", "a step of 784-256-10, batch 256, SGD, ending in reading the loss", prepare, train, 0},
    {"launch", "the same step from its recording to its launch, on the null device", prepare_null, launch, 0},
    {0},
};
