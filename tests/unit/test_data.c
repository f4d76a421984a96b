/* Data sets, splits, IDX folders and loaders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <situ.h>

#include "test.h"

/* Row i has features i, i + 0.5 and label i mod 3. */
static situ_dataset *numbered(int64_t rows)
{
    float *x = malloc((size_t)rows * 2 * sizeof *x + 1);
    int32_t *y = malloc((size_t)rows * sizeof *y + 1);
    for (int64_t i = 0; i < rows; i++) {
        x[2 * i] = (float)i;
        x[2 * i + 1] = (float)i + 0.5f;
        y[i] = (int32_t)(i % 3);
    }
    situ_dataset *data = situ_dataset_new(x, SHAPE(rows, 2), y, 3, "numbered");
    free(x);
    free(y);
    return data;
}

TEST(the_digits)
{
    situ_dataset *digits = situ_digits();
    CHECK_EQ(situ_dataset_count(digits), 1797);
    CHECK_EQ(situ_dataset_classes(digits), 10);
    CHECK_EQ(situ_dataset_shape(digits).dim[1], 8);
    double most = 0, least = 1;
    for (int i = 0; i < 1797 * 64; i++) {
        most = fmax(most, situ_dataset_features(digits)[i]);
        least = fmin(least, situ_dataset_features(digits)[i]);
    }
    CHECK(least == 0 && most == 1);
    situ_dataset_free(digits);
}

TEST(a_stratified_split_holds_out_the_same_share_of_each_label)
{
    situ_dataset *digits = situ_digits(), *train, *held_out, *again, *other;
    CHECK_EQ(situ_dataset_split(digits, 3, &train, &held_out, .share = 0.2, .stratified = true), 0);
    int all[10] = {0}, held[10] = {0};
    for (int i = 0; i < 1797; i++) all[situ_dataset_labels(digits)[i]]++;
    for (int i = 0; i < situ_dataset_count(held_out); i++) held[situ_dataset_labels(held_out)[i]]++;
    for (int c = 0; c < 10; c++) CHECK_EQ(held[c], lround(0.2 * all[c]));
    CHECK_EQ(situ_dataset_count(train) + situ_dataset_count(held_out), 1797);
    size_t bytes = (size_t)situ_dataset_count(held_out) * 64 * sizeof(float);
    situ_dataset_free(train);
    situ_dataset_split(digits, 3, &train, &again, .stratified = true);
    CHECK(!memcmp(situ_dataset_features(held_out), situ_dataset_features(again), bytes));
    situ_dataset_free(train);
    situ_dataset_split(digits, 4, &train, &other, .stratified = true);
    CHECK(memcmp(situ_dataset_features(held_out), situ_dataset_features(other), bytes));
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(again);
    situ_dataset_free(other);
    situ_dataset_free(digits);
}

TEST(a_split_by_count_keeps_every_row_once)
{
    situ_dataset *data = numbered(100), *train, *held_out;
    CHECK_EQ(situ_dataset_split(data, 0, &train, &held_out, .count = 30), 0);
    CHECK_EQ(situ_dataset_count(held_out), 30);
    int seen[100] = {0};
    for (int i = 0; i < 100; i++) {
        const situ_dataset *part = i < 30 ? held_out : train;
        int row = (int)situ_dataset_features(part)[2 * (i < 30 ? i : i - 30)];
        seen[row]++;
        CHECK_EQ(situ_dataset_labels(part)[i < 30 ? i : i - 30], row % 3);
    }
    for (int i = 0; i < 100; i++) CHECK_EQ(seen[i], 1);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    CHECK_FAILS(SITU_BAD_OPTION, situ_dataset_split(data, 0, &train, &held_out, .count = 101));
    CHECK_FAILS(SITU_BAD_OPTION, situ_dataset_split(data, 0, &train, &held_out, .share = 2));
    situ_dataset_free(data);
}

TEST(a_stratified_split_by_count_is_exact)
{
    for (int64_t count = 1; count < 60; count += 7) {
        situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
        int64_t of[10] = {0}, least = count, most = 0;
        CHECK_EQ(situ_dataset_split(digits, 3, &train, &held_out, .count = count, .stratified = true), 0);
        CHECK_EQ(situ_dataset_count(held_out), count);
        for (int64_t i = 0; i < situ_dataset_count(held_out); i++) of[situ_dataset_labels(held_out)[i]]++;
        for (int c = 0; c < 10; c++) least = of[c] < least ? of[c] : least, most = of[c] > most ? of[c] : most;
        CHECK(most - least <= 2); /* labels are nearly as many */
        situ_dataset_free(train);
        situ_dataset_free(held_out);
        situ_dataset_free(digits);
    }
}

TEST(the_end_of_an_epoch_and_of_a_batch)
{
    for (int resident = 0; resident < 2; resident++) {
        situ_dataset *digits = situ_digits();
        situ_loader *loader = situ_loader_new(digits, .batch = 1000, .resident = resident);
        CHECK_EQ(situ_loader_start(loader, 2), 0);
        CHECK_EQ(situ_loader_next(loader), 1000);
        situ_scope *scope = situ_scope_open();
        situ_tensor *x, *y;
        CHECK_FAILS(SITU_BAD_INDEX, situ_loader_part(loader, situ_cpu(), INT64_MAX, 1, &x, &y));
        CHECK_FAILS(SITU_BAD_INDEX, situ_loader_part(loader, situ_cpu(), 1, INT64_MAX, &x, &y));
        CHECK_EQ(situ_loader_part(loader, situ_cpu(), 999, 1, &x, &y), 0);
        situ_scope_close(scope);
        CHECK_EQ(situ_loader_next(loader), 797);
        for (int i = 0; i < 3; i++) CHECK_EQ(situ_loader_next(loader), 0);
        CHECK_EQ(situ_loader_start(loader, 3), 0);
        CHECK_EQ(situ_loader_next(loader), 1000);
        situ_loader_free(loader);
        situ_dataset_free(digits);
    }
}

TEST(standardizing)
{
    situ_dataset *data = numbered(50);
    CHECK_EQ(situ_dataset_standardize(data, data), 0);
    double mean = 0, square = 0;
    for (int i = 0; i < 50; i++) {
        double x = situ_dataset_features(data)[2 * i];
        mean += x / 50;
        square += x * x / 50;
    }
    CHECK_NEAR(mean, 0, 1e-6);
    CHECK_NEAR(square, 1, 1e-5);
    situ_dataset_free(data);
}

TEST(bad_data_is_refused)
{
    float x[4] = {0};
    int32_t y[2] = {0, 5};
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_new(x, SHAPE(2, 2), y, 3, "bad"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_new(NULL, SHAPE(2, 2), y, 6, "bad"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_new(x, SHAPE(), y, 6, "bad"));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_dataset_new(x, SHAPE(1ll << 40, 1ll << 40), y, 6, "bad"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_new(NULL));
    situ_dataset *data = numbered(4);
    CHECK_FAILS(SITU_BAD_OPTION, situ_loader_new(data, .batch = 0));
    CHECK_FAILS(SITU_BAD_INDEX, situ_dataset_select(data, (int64_t[]){4}, 1));
    situ_dataset_free(data);
}

/* ---- IDX folders ---- */

static void write_idx(const char *folder, const char *name, int ndim, const int *dim, int values)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL)) return;
    fwrite((uint8_t[]){0, 0, 8, (uint8_t)ndim}, 1, 4, f);
    for (int i = 0; i < ndim; i++) fwrite((uint8_t[]){0, 0, (uint8_t)(dim[i] >> 8), (uint8_t)dim[i]}, 1, 4, f);
    for (int i = 0; i < values; i++) putc(i % 7, f);
    fclose(f);
}

TEST(idx_folders)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", test_path("idx"));
    CHECK_FAILS(SITU_IO, situ_idx_folder(folder, NULL)); /* not there */
    mkdir(folder, 0700);
    CHECK_FAILS(SITU_IO, situ_idx_folder(folder, NULL)); /* empty */
    write_idx(folder, "t10k-images-idx3-ubyte", 3, (int[]){5, 2, 3}, 30);
    CHECK_FAILS(SITU_IO, situ_idx_folder(folder, NULL)); /* no labels */
    CHECK(!situ_idx_folder_has(folder, NULL));
    write_idx(folder, "t10k-labels-idx1-ubyte", 1, (int[]){5}, 5);
    CHECK(situ_idx_folder_has(folder, NULL));
    CHECK(situ_idx_folder_has(folder, "t10k"));
    CHECK(!situ_idx_folder_has(folder, "train"));
    situ_dataset *data = situ_idx_folder(folder, NULL);
    CHECK_EQ(situ_dataset_count(data), 5);
    CHECK_EQ(situ_dataset_shape(data).dim[2], 3);
    CHECK_EQ(situ_dataset_classes(data), 5);
    if (CHECK(data != NULL)) CHECK_NEAR(situ_dataset_features(data)[6], 6 / 255.0, 1e-7);
    situ_dataset_free(data);
    write_idx(folder, "t10k-labels-idx1-ubyte", 1, (int[]){4}, 4); /* one label is missing */
    CHECK_FAILS(SITU_BAD_FORMAT, situ_idx_folder(folder, NULL));
    write_idx(folder, "t10k-labels-idx1-ubyte", 1, (int[]){5}, 4); /* the file ends early */
    CHECK_FAILS(SITU_BAD_FORMAT, situ_idx_folder(folder, NULL));
}

/* ---- loaders ---- */

/* Reads a whole epoch: the rows in their order, and how many batches there were. */
static int epoch_rows(situ_loader *loader, int64_t epoch, float *first_features)
{
    int64_t rows, at = 0;
    int batches = 0;
    CHECK_EQ(situ_loader_start(loader, epoch), 0);
    while ((rows = situ_loader_next(loader)) > 0) {
        float x[200];
        int32_t y[100];
        situ_scope *scope = situ_scope_open();
        situ_tensor *features, *labels;
        situ_loader_batch(loader, &features, &labels);
        CHECK_EQ(situ_dim(features, 0), rows);
        situ_read(features, x, (size_t)rows * 2 * sizeof *x);
        situ_read(labels, y, (size_t)rows * sizeof *y);
        for (int64_t i = 0; i < rows; i++) {
            CHECK(x[2 * i + 1] == x[2 * i] + 0.5f);
            CHECK_EQ(y[i], (int)x[2 * i] % 3);
            first_features[at++] = x[2 * i];
        }
        situ_scope_close(scope);
        batches++;
    }
    return batches;
}

TEST(both_kinds_of_loader_give_the_same_batches)
{
    situ_dataset *data = numbered(100);
    float resident[100], fetched[100], next[100];
    situ_loader *a = situ_loader_new(data, .batch = 32, .shuffle = true, .key = 7);
    situ_loader *b = situ_loader_new(data, .batch = 32, .shuffle = true, .key = 7, .resident = false);
    CHECK_EQ(situ_loader_batches(a), 4);
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        CHECK_EQ(epoch_rows(a, epoch, resident), 4);
        CHECK_EQ(epoch_rows(b, epoch, fetched), 4);
        CHECK(!memcmp(resident, fetched, sizeof resident));
        if (epoch) CHECK(memcmp(resident, next, sizeof resident));
        memcpy(next, resident, sizeof next);
        int seen[100] = {0};
        for (int i = 0; i < 100; i++) seen[(int)resident[i]]++;
        for (int i = 0; i < 100; i++) CHECK_EQ(seen[i], 1);
    }
    situ_loader_start(b, 0); /* stops in the middle of an epoch */
    situ_loader_next(b);
    situ_loader_free(a);
    situ_loader_free(b);
    situ_dataset_free(data);
}

TEST(without_shuffling_rows_come_in_order)
{
    situ_dataset *data = numbered(10);
    float order[100];
    for (int kind = 0; kind < 2; kind++) {
        situ_loader *loader = situ_loader_new(data, .batch = 4, .drop_last = true, .resident = kind);
        CHECK_EQ(epoch_rows(loader, 0, order), 2);
        for (int i = 0; i < 8; i++) CHECK(order[i] == i);
        CHECK_EQ(epoch_rows(loader, 1, order), 2);
        situ_tensor *x, *y;
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_batch(loader, &x, &y)); /* the epoch is over */
        situ_loader_free(loader);
        CHECK(!situ_loader_new(data, .batch = 11, .drop_last = true, .resident = kind)); /* no batch would be left */
        CHECK_CODE(SITU_BAD_OPTION);
        loader = situ_loader_new(data, .batch = 10, .drop_last = true, .resident = kind);
        CHECK_EQ(epoch_rows(loader, 0, order), 1);
        situ_loader_free(loader);
    }
    situ_dataset_free(data);
}

TEST(resident_batches_move_nothing)
{
    if (situ_num_gpus() < 1) SKIP("set SITU_SIM_GPUS=1");
    situ_dataset *data = numbered(100);
    situ_loader *loader = situ_loader_new(data, .batch = 10, .shuffle = true, .device = situ_gpu(0));
    situ_scope *scope = situ_scope_open();
    situ_tensor *sum = situ_zeros(SHAPE(), .device = situ_gpu(0)), *x, *y;
    situ_loader_start(loader, 0);
    situ_loader_next(loader);
    situ_loader_batch(loader, &x, &y);
    situ_ledger_totals before = situ_ledger_sum();
    do {
        situ_loader_batch(loader, &x, &y);
        sum = situ_add(sum, situ_sum(situ_select(x, 1, 0)));
    } while (situ_loader_next(loader) > 0);
    situ_loader_start(loader, 1);
    while (situ_loader_next(loader) > 0) situ_loader_batch(loader, &x, &y);
    situ_ledger_totals after = situ_ledger_sum();
    CHECK_EQ(after.upload_count, before.upload_count);
    CHECK_EQ(after.download_count, before.download_count);
    CHECK(situ_item(sum) == 4950);
    situ_scope_close(scope);
    situ_loader_free(loader);
    situ_dataset_free(data);
}

TEST(prefetched_batches_are_in_the_ledger)
{
    if (situ_num_gpus() < 1) SKIP("set SITU_SIM_GPUS=1");
    situ_dataset *data = numbered(20);
    situ_loader *loader = situ_loader_new(data, .batch = 10, .resident = false, .device = situ_gpu(0));
    situ_ledger_entry entry[8];
    situ_ledger_record(8);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x, *y;
    while (situ_loader_next(loader) > 0) situ_loader_batch(loader, &x, &y);
    situ_scope_close(scope);
    int n = situ_ledger_list(entry, 8);
    CHECK_EQ(n, 4);
    for (int i = 0; i < n; i++) {
        CHECK(entry[i].reason == SITU_REASON_PREFETCH && entry[i].transfer == SITU_TRANSFER_UPLOAD);
        CHECK_EQ(entry[i].bytes, i % 2 ? 40 : 80);
        CHECK(strstr(entry[i].site, "test_data.c"));
    }
    situ_ledger_record(0);
    situ_loader_free(loader);
    situ_dataset_free(data);
}
