/* Data sets of any inputs and targets: several dtypes, rows of different lengths, windows, functions, transforms, and
 * orders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "test.h"

enum { ROWS = 60 };

/* x[i] = (i, 2 i), id[i] = i, label[i] = i % 3. */
static situ_dataset *mixed(void)
{
    situ_scope *scope = situ_scope_open();
    double x[ROWS][2];
    int64_t id[ROWS];
    uint8_t label[ROWS];
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = i;
        x[i][1] = 2 * i;
        id[i] = i;
        label[i] = (uint8_t)(i % 3);
    }
    situ_tensor *all[] = {situ_from_host(x, SHAPE(ROWS, 2)), situ_from_host(id, SHAPE(ROWS)), situ_from_host(label, SHAPE(ROWS)),
        situ_from_host(x, SHAPE(ROWS, 2), .dtype = SITU_F64)};
    situ_dataset *data = situ_tensor_dataset(TENSORS(all[0], all[1], all[2], all[3]), .targets = 2, .names = "x, id,label", .name = "mixed");
    situ_scope_close(scope);
    return data;
}

TEST(a_set_keeps_names_and_dtypes_of_all_its_inputs_and_targets)
{
    situ_dataset *data = mixed();
    situ_field field[SITU_FIELDS];
    CHECK_EQ(situ_dataset_fields(data, field, SITU_FIELDS), 4);
    CHECK(!strcmp(field[0].name, "x") && !strcmp(field[1].name, "id") && !strcmp(field[2].name, "label") && !strcmp(field[3].name, "target1"));
    CHECK(field[0].dtype == SITU_F64 && field[1].dtype == SITU_I64 && field[2].dtype == SITU_I32 && field[3].dtype == SITU_F64);
    CHECK(!field[1].target && field[2].target);
    CHECK_EQ(situ_dataset_classes(data), 3);
    for (int resident = 0; resident < 2; resident++) {
        situ_loader *loader = situ_loader_new(data, .batch = 16, .shuffle = true, .resident = resident, .workers = 3);
        int64_t rows, seen = 0;
        while ((rows = situ_loader_next(loader)) > 0) {
            situ_scope *scope = situ_scope_open();
            situ_batch b;
            double x[16][2], y[16][2];
            int64_t id[16];
            int32_t label[16];
            CHECK_EQ(situ_loader_get(loader, &b), 0);
            CHECK(b.fields == 4 && b.inputs == 2 && b.rows == rows && b.of == rows && !b.first);
            situ_read(b.field[0], x, (size_t)rows * 16);
            situ_read(b.field[1], id, (size_t)rows * 8);
            situ_read(b.field[2], label, (size_t)rows * 4);
            situ_read(b.field[3], y, (size_t)rows * 16);
            for (int64_t i = 0; i < rows; i++) {
                CHECK(x[i][0] == (double)id[i] && x[i][1] == 2 * x[i][0] && y[i][1] == x[i][1] && label[i] == id[i] % 3);
                seen += 1 + id[i];
            }
            situ_scope_close(scope);
        }
        CHECK_EQ(seen, ROWS * (ROWS + 1) / 2);
        situ_tensor *a, *b;
        situ_loader_start(loader, 1);
        situ_loader_next(loader);
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_batch(loader, &a, &b), "2 inputs and 2 targets");
        situ_loader_free(loader);
    }
    situ_dataset_free(data);
}

TEST(each_row_is_held_out_once_over_all_folds)
{
    situ_dataset *data = mixed();
    for (int stratified = 0; stratified < 2; stratified++) {
        int seen[ROWS] = {0};
        for (int fold = 0; fold < 7; fold++) {
            situ_dataset *train, *held_out;
            situ_field field[SITU_FIELDS];
            int of[3] = {0};
            CHECK_EQ(situ_dataset_fold(data, 5, fold, 7, &train, &held_out, .stratified = stratified), 0);
            CHECK_EQ(situ_dataset_count(train) + situ_dataset_count(held_out), ROWS);
            situ_dataset_fields(held_out, field, SITU_FIELDS);
            for (int64_t i = 0; i < situ_dataset_count(held_out); i++) {
                seen[((const int64_t *)field[1].data)[i]]++;
                of[((const int32_t *)field[2].data)[i]]++;
            }
            for (int k = 0; k < 3 && stratified; k++) CHECK(of[k] == 2 || of[k] == 3); /* 20 of each in 7 */
            situ_dataset_free(train);
            situ_dataset_free(held_out);
        }
        for (int i = 0; i < ROWS; i++) CHECK_EQ(seen[i], 1);
    }
    situ_dataset *a, *b;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_fold(data, 0, 7, 7, &a, &b), "fold 7 of 7");
    situ_dataset_free(data);
}

TEST_IN_SCOPE(shorter_rows_are_padded_to_the_longest_of_their_batch)
{
    float value[ROWS * (ROWS + 1) / 2];
    int16_t length[ROWS];
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        length[i] = (int16_t)i;
        for (int k = 0; k < i; k++) value[n++] = (float)i;
    }
    situ_dataset *data = situ_ragged_dataset(situ_from_host(value, SHAPE(n)), situ_from_host(length, SHAPE(ROWS)),
        TENSORS(situ_from_host(length, SHAPE(ROWS), .dtype = SITU_I16)), .fill = -1);
    int64_t cells[2] = {0};
    for (int buckets = 0; buckets < 2; buckets++) {
        situ_loader *loader = situ_loader_new(data, .batch = 8, .shuffle = true, .buckets = buckets, .multiple = 4);
        int seen[ROWS] = {0};
        while (situ_loader_next(loader) > 0) {
            situ_batch b;
            situ_scope *inner = situ_scope_open();
            CHECK_EQ(situ_loader_get(loader, &b), 0);
            int64_t width = situ_dim(b.field[0], 1), longest = 0;
            float *x = malloc((size_t)(b.rows * width) * sizeof *x + 1);
            int32_t l[8];
            situ_read(b.field[0], x, (size_t)(b.rows * width) * sizeof *x);
            situ_read(b.field[1], l, (size_t)b.rows * sizeof *l);
            for (int64_t i = 0; i < b.rows; i++) {
                seen[l[i]]++;
                longest = l[i] > longest ? l[i] : longest;
                for (int64_t k = 0; k < width; k++) CHECK(x[i * width + k] == (k < l[i] ? (float)l[i] : -1));
            }
            CHECK_EQ(width, (longest + 3) / 4 * 4);
            cells[buckets] += b.rows * width;
            free(x);
            situ_scope_close(inner);
        }
        for (int i = 0; i < ROWS; i++) CHECK_EQ(seen[i], 1);
        situ_loader_free(loader);
    }
    CHECK(cells[1] * 10 < cells[0] * 7); /* rows of one length lie together */
    situ_dataset *part = situ_dataset_select(data, ((const int64_t[]){5, 0, 3}), 3);
    situ_loader *loader = situ_loader_new(part);
    situ_batch b;
    float three[3][5];
    situ_loader_next(loader);
    situ_loader_get(loader, &b);
    CHECK(!situ_read(b.field[0], three, sizeof three) && three[0][4] == 5 && three[1][0] == -1 && three[2][2] == 3 && three[2][3] == -1);
    situ_loader_free(loader);
    situ_dataset_free(part);
    situ_dataset_free(data);
    length[0] = 1;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_ragged_dataset(situ_from_host(value, SHAPE(n)), situ_from_host(length, SHAPE(ROWS)), TENSORS_OF(NULL, 0)),
                "row 59 has length 59, where 58");
}

TEST_IN_SCOPE(windows_of_a_sequence_come_with_the_next_elements)
{
    situ_dataset *data = situ_window_dataset(situ_arange(0, 100, 1, .dtype = SITU_I32), 10, .stride = 3);
    CHECK_EQ(situ_dataset_count(data), 30); /* the last one begins at 87 and its target ends with 97 */
    situ_loader *loader = situ_loader_new(data, .batch = 30, .shuffle = true);
    situ_tensor *x, *y;
    int32_t in[30][10], out[30][10];
    situ_loader_next(loader);
    CHECK_EQ(situ_loader_batch(loader, &x, &y), 0);
    situ_read(x, in, sizeof in);
    situ_read(y, out, sizeof out);
    for (int i = 0; i < 30; i++)
        for (int k = 0; k < 10; k++) CHECK(in[i][k] == in[i][0] + k && in[i][0] % 3 == 0 && out[i][k] == in[i][k] + 1);
    situ_loader_free(loader);
    situ_dataset_free(data);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_window_dataset(situ_zeros(SHAPE(10)), 10));
}

static int count_up(void *self, int64_t row, void *const *fields)
{
    *(float *)fields[0] = (float)row;
    *(int64_t *)fields[1] = -row;
    return row == *(int64_t *)self ? 1 : row == 1000 ? -7 : 0;
}

TEST(a_stream_goes_on_where_the_last_pass_was)
{
    int64_t end = 100;
    const situ_field field[] = {{.name = "x", .dtype = SITU_F32}, {.name = "y", .dtype = SITU_I64, .target = true}};
    situ_dataset *data = situ_callback_dataset(-1, field, 2, count_up, &end, "counting");
    situ_loader *loader = situ_loader_new(data, .batch = 8, .batches = 5, .workers = 4);
    CHECK_EQ(situ_loader_batches(loader), 5);
    int64_t rows = 0, passes = 0;
    for (int64_t n; passes < 2; passes++, situ_loader_start(loader, passes))
        while ((n = situ_loader_next(loader)) > 0) rows += n;
    CHECK_EQ(rows, 80);
    for (int64_t n; (n = situ_loader_next(loader)) > 0;) rows += n;
    CHECK_EQ(rows, 100); /* 8, 8, 4 */
    situ_loader_free(loader);
    CHECK_FAILS(SITU_BAD_OPTION, situ_loader_new(data, .shuffle = true));
    situ_dataset *a, *b;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_split(data, 0, &a, &b));
    situ_dataset_free(data);
    end = -1;
    data = situ_callback_dataset(2000, field, 2, count_up, &end, "failing");
    loader = situ_loader_new(data, .batch = 100, .workers = 2);
    for (rows = 0; situ_loader_next(loader) > 0;) rows += 100;
    CHECK_EQ(rows, 1000);
    CHECK(strstr(situ_error_message(), "gave -7 for row 1000"));
    situ_error_take(NULL);
    situ_loader_free(loader);
    situ_dataset_free(data);
}

static void twice(void *self, uint64_t key, float *row, int64_t count)
{
    (void)key;
    for (int64_t i = 0; i < count; i++) row[i] *= *(float *)self;
}

/* All values of an epoch. */
static void epoch_of(const situ_dataset *data, int workers, int64_t key, int64_t epoch, float *out)
{
    situ_loader *loader = situ_loader_new(data, .batch = 500, .workers = workers, .key = key);
    situ_loader_start(loader, epoch);
    for (int64_t n; (n = situ_loader_next(loader)) > 0;) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x, *y;
        situ_loader_batch(loader, &x, &y);
        situ_read(x, out, (size_t)n * 64 * sizeof *out);
        out += n * 64;
        situ_scope_close(scope);
    }
    situ_loader_free(loader);
}

TEST(transforms_depend_on_key_epoch_and_row_alone)
{
    enum { VALUES = 1797 * 64 };
    situ_dataset *data = situ_digits();
    float *x[4], factor = 2;
    for (int i = 0; i < 4; i++) x[i] = malloc(VALUES * sizeof(float));
    CHECK_EQ(situ_dataset_augment(data, .crop = 2, .flip = 0.5, .rotate = 20, .brightness = 0.1, .contrast = 0.2), 0);
    epoch_of(data, 1, 3, 0, x[0]);
    epoch_of(data, 4, 3, 0, x[1]);
    CHECK(!memcmp(x[0], x[1], VALUES * sizeof(float)));
    epoch_of(data, 4, 3, 1, x[1]);
    epoch_of(data, 4, 4, 0, x[2]);
    CHECK(memcmp(x[0], x[1], VALUES * sizeof(float)) && memcmp(x[0], x[2], VALUES * sizeof(float)));
    CHECK_EQ(situ_dataset_map(data, twice, &factor), 0);
    epoch_of(data, 2, 3, 0, x[3]);
    int same = 0;
    for (int i = 0; i < VALUES; i++) same += x[3][i] == 2 * x[0][i];
    CHECK_EQ(same, VALUES);
    situ_dataset_free(data);
    data = situ_digits();
    CHECK_EQ(situ_dataset_augment(data, .flip = 1), 0);
    epoch_of(data, 2, 0, 0, x[0]);
    same = 0;
    for (int i = 0; i < VALUES; i++) same += x[0][i] == situ_dataset_features(data)[i / 8 * 8 + 7 - i % 8];
    CHECK_EQ(same, VALUES);
    CHECK_FAILS(SITU_BAD_OPTION, situ_dataset_augment(data, .flip = 2));
    situ_dataset_free(data);
    for (int i = 0; i < 4; i++) free(x[i]);
    data = mixed();
    CHECK_FAILS(SITU_BAD_DTYPE, situ_dataset_augment(data, .mean = 1), "f64");
    situ_dataset_free(data);
}

TEST_IN_SCOPE(each_channel_has_its_own_mean_and_deviation)
{
    enum { IMAGES = 5, EACH = 3 * 4 };
    const double mean[] = {0.5, 0.25, 1}, deviation[] = {2, 0.5, 0.25};
    situ_dataset *data = situ_tensor_dataset(TENSORS(situ_uniform(situ_key(1), SHAPE(IMAGES, 3, 2, 2))), .targets = 0);
    CHECK_FAILS(SITU_BAD_OPTION, situ_dataset_augment(data, .channel_mean = mean, .channels = 2),
                "as many as the rows have channels");
    CHECK_FAILS(SITU_BAD_OPTION, situ_dataset_augment(data, .channel_mean = mean), ".channels");
    CHECK(situ_dataset_augment(data, .channel_deviation = (const double[]){1, 0, 1}, .channels = 3) < 0);
    situ_error_take(NULL);
    CHECK_EQ(situ_dataset_augment(data, .channel_mean = mean, .channel_deviation = deviation, .channels = 3), 0);
    situ_loader *loader = situ_loader_new(data, .batch = IMAGES);
    situ_batch batch;
    float got[IMAGES * EACH], raw[IMAGES * EACH];
    CHECK_EQ(situ_loader_next(loader), IMAGES);
    CHECK_EQ(situ_loader_get(loader, &batch), 0);
    situ_read(batch.field[0], got, sizeof got);
    situ_read(situ_uniform(situ_key(1), SHAPE(IMAGES, 3, 2, 2)), raw, sizeof raw);
    for (int i = 0; i < IMAGES * EACH; i++)
        CHECK(fabs(got[i] - (raw[i] - mean[i / 4 % 3]) / deviation[i / 4 % 3]) < 1e-5);
    situ_loader_free(loader);
    situ_dataset_free(data);
}

TEST(rows_are_drawn_by_weights_and_labels_are_spread)
{
    situ_dataset *data = mixed();
    double weight[ROWS] = {0};
    for (int i = 0; i < ROWS; i++) weight[i] = i % 3 == 1 ? 3 : i % 3 == 2 ? 1 : 0;
    int64_t of[3] = {0}, all = 0;
    for (int resident = 0; resident < 2; resident++) {
        situ_loader *loader = situ_loader_new(data, .batch = ROWS, .resident = resident);
        CHECK_EQ(situ_loader_weights(loader, weight, ROWS), 0);
        for (int epoch = 0; epoch < 20; epoch++) {
            situ_scope *scope = situ_scope_open();
            situ_batch b;
            int32_t label[ROWS];
            situ_loader_start(loader, epoch);
            situ_loader_next(loader);
            situ_loader_get(loader, &b);
            situ_read(b.field[2], label, sizeof label);
            for (int i = 0; i < ROWS; i++) of[label[i]]++, all++;
            situ_scope_close(scope);
        }
        weight[0] = -1;
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_weights(loader, weight, ROWS));
        weight[0] = 0;
        situ_loader_free(loader);
    }
    CHECK(!of[0] && fabs((double)of[1] / (double)all - 0.75) < 0.05);
    situ_loader *loader = situ_loader_new(data, .batch = 6, .shuffle = true, .stratified = true);
    while (situ_loader_next(loader) > 0) {
        situ_scope *scope = situ_scope_open();
        situ_batch b;
        int32_t label[6];
        int mine[3] = {0};
        situ_loader_get(loader, &b);
        situ_read(b.field[2], label, sizeof label);
        for (int i = 0; i < 6; i++) mine[label[i]]++;
        CHECK(mine[0] == 2 && mine[1] == 2 && mine[2] == 2);
        situ_scope_close(scope);
    }
    situ_loader_free(loader);
    situ_dataset_free(data);
}

TEST_IN_SCOPE(tensors_that_make_no_set_are_refused)
{
    CHECK_FAILS(SITU_BAD_SHAPE, situ_tensor_dataset(TENSORS(situ_zeros(SHAPE(3, 2)), situ_zeros(SHAPE(4)))),
                "another number of rows");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_tensor_dataset(TENSORS(situ_zeros(SHAPE()))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_tensor_dataset(TENSORS(situ_zeros(SHAPE(3)), situ_zeros(SHAPE(3))), .classes = 3),
                "labels of classes are integers [n]");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_tensor_dataset(TENSORS(situ_zeros(SHAPE(3)), situ_full(SHAPE(3), 4, .dtype = SITU_I32)), .classes = 3),
                "the label of row 0");
    CHECK_FAILS(SITU_BAD_OPTION, situ_tensor_dataset(TENSORS(situ_zeros(SHAPE(3))), .targets = 2));
    situ_dataset *empty = situ_tensor_dataset(TENSORS(situ_zeros(SHAPE(0, 2)), situ_zeros(SHAPE(0))));
    CHECK_EQ(situ_dataset_count(empty), 0);
    situ_loader *loader = situ_loader_new(empty);
    CHECK_EQ(situ_loader_next(loader), 0);
    situ_loader_free(loader);
    situ_dataset_free(empty);
}
