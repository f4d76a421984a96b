/* Softmax regression on handwritten digits, with images that are turned on their way into a batch, and the best of its epochs. */
#include <signal.h>
#include <situ.h>

static situ_trainer *trainer;

/* Ctrl-C ends the training after its step: what follows in main is done. */
static void stop(int number)
{
    (void)number;
    situ_trainer_stop(trainer);
}

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_dataset_augment(train, .rotate = 10, .brightness = 0.1);

    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    trainer = situ_trainer_new(.max_epochs = 20, .batch = 64, .workers = 2, .patience = 5, .keep_best = true,
        .monitor = "validation accuracy", .maximize = true);
    signal(SIGINT, stop);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    double accuracy = situ_trainer_evaluate(trainer, net, held_out);
    printf("best of epochs 1 to %d was %d: accuracy %.2f %%; ended by %s\n", situ_trainer_epochs(trainer), situ_trainer_best(trainer),
        100 * accuracy, situ_trainer_ended(trainer));

    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(accuracy > 0.9);
}
