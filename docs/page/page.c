/* The WebAssembly in the page: trains as `situ train --quiet --epochs N --deterministic --hash` does, and names a drawn digit. The page calls
 * train, and later read; the module calls show when an epoch is over. */
#include <situ.h>

#include <stdlib.h>

#include "base/sha256.h"
#include "train/svg.h"

#define EXPORT(name) __attribute__((export_name(name)))
enum { CURVES = 8, PIXELS = 64, CLASSES = 10 };

/* The curves as a picture, the epochs so far, and the accuracy on held-out data. */
__attribute__((import_module("page"), import_name("show"))) void show(const char *svg, size_t size, int epochs, double accuracy);

static situ_module *net;
static float pixels[PIXELS], scores[CLASSES];
static char hash[SITU_SHA256_TEXT];

static int draw(situ_trainer *trainer, void *epochs)
{
    situ_curve curve[CURVES];
    situ_series series[CURVES];
    int n = situ_trainer_curves(trainer, curve, CURVES);
    for (int i = 0; i < n; i++) series[i] = (situ_series){curve[i].name, curve[i].x, curve[i].y, curve[i].count};
    char *svg = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&svg, &size);
    if (!file) return -1;
    situ_svg_write(file, NULL, "epoch", *(int *)epochs, n, series);
    fclose(file);
    show(svg, size, situ_trainer_epochs(trainer), situ_trainer_accuracy(trainer));
    free(svg);
    return 0;
}

static int take_hash(void)
{
    situ_sha256 h;
    situ_sha256_start(&h);
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        size_t bytes = (size_t)situ_count(p) * sizeof(float);
        void *data = malloc(bytes);
        if (!data || situ_read(p, data, bytes)) return 1;
        situ_sha256_add(&h, data, bytes);
        free(data);
    }
    situ_sha256_end(&h, hash);
    return 0;
}

/* Returns the SHA-256 of the weights; NULL on an error. */
EXPORT("train") const char *train(int epochs)
{
    situ_dataset *digits = situ_digits(), *rows = NULL, *held_out = NULL;
    if (situ_dataset_split(digits, 0, &rows, &held_out, .share = 0.2, .stratified = true)) return NULL;
    situ_module_free(net);
    net = situ_sequential(
        situ_flatten_layer(), situ_linear_layer(256), situ_relu_layer(), situ_dropout_layer(0.4), situ_linear_layer(CLASSES));
    situ_module_init(net, situ_fold_in(situ_key(0), -1));
    situ_optimizer *adam = situ_adam(net, .lr = 0.005);
    situ_trainer *trainer = situ_trainer_new(
        .max_epochs = epochs, .batch = 32, .deterministic = true, .cosine = true, .on_epoch = draw, .self = &epochs);
    int rc = situ_trainer_fit(trainer, net, adam, rows, held_out) || take_hash();
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_dataset_free(rows);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return rc ? NULL : hash;
}

/* Where the page writes 8 by 8 pixels from 0 to 1. */
EXPORT("image") float *image(void) { return pixels; }

/* How sure the network is of each digit; NULL on an error. */
EXPORT("read") const float *read_digit(void)
{
    situ_scope *scope = situ_scope_open();
    situ_module_set_training(net, false);
    situ_tensor *x = situ_from_host(pixels, SHAPE(1, 8, 8));
    int rc = situ_read(situ_softmax(situ_module_call(net, x)), scores, sizeof scores);
    situ_scope_close(scope);
    return rc ? NULL : scores;
}

EXPORT("reason") const char *reason(void) { return situ_error_message(); }
