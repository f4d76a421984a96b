/* A loader with augmentation: an epoch of images of 32 by 32 pixels, cropped, mirrored and normalised by two workers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <situ.h>

#include "bench.h"

enum { IMAGES = 12800, ROW = 1 + 3 * 32 * 32, BATCH = 128 };

static situ_dataset *images;
static situ_loader *loader;

/* A temporary file in CIFAR-10's format, read and removed. */
static situ_dataset *some_images(void)
{
    char folder[] = "/tmp/situ-bench-XXXXXX", path[64];
    if (!mkdtemp(folder)) return NULL;
    snprintf(path, sizeof path, "%s/data_batch_1.bin", folder);
    FILE *f = fopen(path, "w");
    uint32_t bits = 1;
    for (int i = 0; f && i < IMAGES; i++)
        for (int k = 0; k < ROW; k++) {
            bits = bits * 1664525 + 1013904223;
            putc(k ? (int)(bits >> 24) : i % 10, f);
        }
    if (f) fclose(f);
    situ_dataset *data = situ_cifar(folder);
    unlink(path);
    rmdir(folder);
    return data;
}

static int prepare(int64_t n)
{
    (void)n;
    images = some_images();
    situ_dataset_augment(images, .crop = 4, .flip = 0.5, .mean = 0.47, .deviation = 0.25);
    loader = situ_loader_new(images, .batch = BATCH, .shuffle = true, .resident = false, .workers = 2);
    return loader ? 0 : -1;
}

static int epoch(int64_t r)
{
    int64_t seen = 0, rows;
    situ_loader_start(loader, r);
    while ((rows = situ_loader_next(loader)) > 0) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x, *y;
        situ_loader_batch(loader, &x, &y);
        situ_eval(TENSORS(x, y));
        situ_scope_close(scope);
        seen += rows;
    }
    return situ_failed() || seen != IMAGES;
}

const bench_work bench_loader[] = {
    {"loader", "12,800 images of 32 x 32: crop, flip, normalise; batches of 128, two workers; time an image", prepare, epoch, IMAGES},
    {0},
};
