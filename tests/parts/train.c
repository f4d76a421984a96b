/* The trainer, loaders and checkpoints, without groups of processes. What `situ train --quiet --epochs 3 --deterministic --hash` trains:
 * prints the SHA-256 of the weights. With an argument, the name of a
 * folder, it trains in two pieces, by way of a checkpoint there. */
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sha256.h"

static int hash(situ_module *net)
{
    situ_sha256 h;
    char text[SITU_SHA256_TEXT];
    situ_sha256_start(&h);
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        size_t bytes = (size_t)situ_count(p) * sizeof(float);
        void *data = malloc(bytes);
        if (!data || situ_read(p, data, bytes)) return 1;
        situ_sha256_add(&h, data, bytes);
        free(data);
    }
    situ_sha256_end(&h, text);
    puts(text);
    return 0;
}

static int after_epoch(situ_trainer *trainer, void *last) { return situ_trainer_epochs(trainer) == *(int *)last; }

/* Trains until this many epochs of three are over. */
static int train(int epochs, const char *folder)
{
    situ_dataset *digits = situ_digits(), *train, *held_out;
    if (situ_dataset_split(digits, 0, &train, &held_out, .share = 0.2, .stratified = true)) return 1;
    situ_module *net = situ_sequential(
        situ_flatten_layer(), situ_linear_layer(256), situ_relu_layer(), situ_dropout_layer(0.4), situ_linear_layer(10));
    situ_module_init(net, situ_fold_in(situ_key(0), -1));
    situ_optimizer *adam = situ_adam(net, .lr = 0.005);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 3, .batch = 32, .deterministic = true, .cosine = true,
        .on_epoch = after_epoch, .self = &epochs, .checkpoint = folder, .resume = folder != NULL);
    int rc = situ_trainer_fit(trainer, net, adam, train, held_out) || (epochs == 3 && hash(net));
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return rc;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL;
    if ((folder && train(1, folder)) || train(3, folder)) {
        fprintf(stderr, "%s\n", situ_error_message());
        return 1;
    }
    return situ_failed() ? 2 : 0;
}
