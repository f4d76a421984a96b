/* An autoencoder: digits of 64 pixels pass through 8 numbers and come out again. The input is the target, so that the step is ours. */
#include <situ.h>

static situ_tensor *step(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self)
{
    (void)trainer, (void)self;
    situ_tensor *pixels = situ_reshape(batch->field[0], SHAPE(batch->rows, 64));
    return situ_mse(situ_module_call(net, pixels, .first = batch->first, .of = batch->of), pixels);
}

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out);
    situ_module *net = situ_sequential(situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(8), situ_linear_layer(32),
        situ_relu_layer(), situ_linear_layer(64), situ_sigmoid_layer());
    situ_optimizer *adam = situ_adam(net, .lr = 0.005);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 15, .batch = 32, .step = step, .cosine = true, .progress = stdout);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    double error = situ_trainer_validation_loss(trainer);

    situ_scope *scope = situ_scope_open();
    situ_tensor *one = situ_from_host(situ_dataset_features(held_out), SHAPE(1, 64));
    situ_print(situ_round(situ_mul(situ_reshape(one, SHAPE(8, 8)), 9)));
    situ_print(situ_round(situ_mul(situ_reshape(situ_module_call(net, one), SHAPE(8, 8)), 9)));
    situ_scope_close(scope);

    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(error < 0.04);
}
