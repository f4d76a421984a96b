/* H2: a model from scratch: what it keeps itself moves to the trainer's device, and is mirrored on several (set_scratch_params_device). */
#include "chapter.h"

enum { PIXELS = 64, CLASSES = 10 };

static situ_tensor *forward(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *w = situ_module_use(m, 0, x, SHAPE(PIXELS, CLASSES), .deviation = 0.01), *b = situ_module_use(m, 1, x, SHAPE(CLASSES));
    return situ_add(situ_matmul(situ_reshape(x, SHAPE(-1, PIXELS)), w), b);
}

static const situ_module_kind scratch_kind = {.name = "scratch", .forward = forward};

/* Trains one on so many GPUs; the weights afterwards, by which the runs are compared. */
static double train(int gpus, const situ_dataset *data, float *weights, size_t bytes)
{
    situ_module *net = situ_module_custom(&scratch_kind, NULL);
    situ_module_declare(net, "w");
    situ_module_declare(net, "b");
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .num_gpus = gpus, .deterministic = true);
    HOLDS(situ_trainer_fit(trainer, net, sgd, data, NULL) == 0);
    situ_device on[2];
    HOLDS(situ_module_devices(net, on, 2) == gpus);
    HOLDS(situ_device_equal(situ_device_of(situ_module_find(net, "w")), situ_gpu(0)));
    if (gpus > 1) HOLDS(situ_device_equal(situ_device_of(situ_module_copy(net, 0, situ_gpu(1))), situ_gpu(1)));
    situ_read(situ_module_find(net, "w"), weights, bytes);
    double loss = situ_trainer_loss(trainer);
    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    return loss;
}

int row_H2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_dataset *digits = situ_digits();
    static float one[PIXELS * CLASSES], two[PIXELS * CLASSES];
    double alone = train(1, digits, one, sizeof one), shared = train(2, digits, two, sizeof two);
    printf("training loss on one GPU %.7g, on two %.7g; w[20][3] = %.7g and %.7g\n", alone, shared, (double)one[203], (double)two[203]);
    HOLDS(alone == shared && alone < 2); /* 2.3 is chance */
    HOLDS(!memcmp(one, two, sizeof one)); /* bit for bit */
    situ_dataset_free(digits);
    situ_scope_close(scope);
    return row_end();
}
