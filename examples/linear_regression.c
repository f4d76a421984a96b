/* Linear regression: the weights of y = X w + b + noise are found again, by the trainer and by a loop of one's own. */
#include <situ.h>

static situ_tensor *squares(situ_tensor *prediction, situ_tensor *target) { return situ_mse(prediction, target); }

int main(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(1000, 2)), *noise = situ_mul(situ_normal(situ_key(1), SHAPE(1000, 1)), 0.01);
    situ_tensor *y = situ_add(situ_add(situ_matmul(x, situ_from_host(((float[]){2, -3.4f}), SHAPE(2, 1))), 4.2), noise);
    situ_dataset *data = situ_tensor_dataset(TENSORS(x, y), .name = "a line"), *train = NULL, *held_out = NULL;
    situ_dataset_split(data, 0, &train, &held_out);

    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 3, .batch = 32, .loss = squares, .progress = stdout);
    situ_trainer_fit(trainer, net, sgd, train, held_out);
    situ_print(situ_module_find(net, "0.weight")); /* about 2 and -3.4 */
    situ_print(situ_module_find(net, "0.bias"));   /* about 4.2        */

    /* the same from scratch: variables, a gradient, an update */
    situ_tensor *w = situ_variable(situ_zeros(SHAPE(2, 1))), *b = situ_variable(situ_zeros(SHAPE())), *gradient[2];
    situ_loader *loader = situ_loader_new(train, .batch = 32, .shuffle = true);
    for (int epoch = 0; epoch < 3; epoch++) {
        situ_loader_start(loader, epoch);
        while (situ_loader_next(loader) > 0) {
            situ_scope *step = situ_scope_open();
            situ_tensor *features, *target;
            situ_loader_batch(loader, &features, &target);
            situ_tensor *loss = situ_mean(situ_square(situ_sub(situ_add(situ_matmul(features, w), b), target)));
            situ_grad(loss, TENSORS(w, b), gradient);
            situ_assign(w, situ_sub(w, situ_mul(gradient[0], 0.1)));
            situ_assign(b, situ_sub(b, situ_mul(gradient[1], 0.1)));
            situ_scope_close(step);
        }
    }
    situ_print(w);
    situ_print(b);
    double error = situ_trainer_validation_loss(trainer);

    situ_loader_free(loader);
    situ_release(w);
    situ_release(b);
    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(data);
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(error < 1e-3);
}
