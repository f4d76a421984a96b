/* Readers of data: CSV, NumPy's files, CIFAR's; good ones and damaged ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ.h>

#include "support/files.h"
#include "test.h"

static const char *text_file(const char *text) { return file_of("table.csv", text, strlen(text)); }

TEST(columns_are_taken_by_name_and_type)
{
    const char *path = text_file("age, city,income,\"the, name\",kind\n"
                                 "31,\"Bonn\",1e3,\"a \"\"b\"\"\",yes\r\n"
                                 "\n"
                                 "45,Aachen,-2.5,c,no\n"
                                 "28,Bonn,0,d,yes");
    situ_dataset *data = situ_csv(path, .inputs = "age,income,city");
    situ_field field[SITU_FIELDS];
    CHECK_EQ(situ_dataset_fields(data, field, SITU_FIELDS), 3);
    CHECK_EQ(situ_dataset_count(data), 3);
    CHECK(field[0].dtype == SITU_F32 && field[0].shape.dim[1] == 2 && !strcmp(field[1].name, "city") && !strcmp(field[2].name, "kind"));
    const float *x = field[0].data;
    const int32_t *city = field[1].data, *kind = situ_dataset_labels(data);
    CHECK(x[0] == 31 && x[1] == 1e3f && x[3] == -2.5f && x[4] == 28);
    CHECK(city[0] == 1 && city[1] == 0 && city[2] == 1);
    CHECK(kind[0] == 1 && kind[1] == 0 && kind[2] == 1);
    CHECK_EQ(situ_dataset_classes(data), 2);
    situ_dataset_free(data);
    data = situ_csv(path, .inputs = "2", .targets = "age");
    CHECK_EQ(situ_dataset_fields(data, field, SITU_FIELDS), 2);
    CHECK(field[1].target && field[1].shape.ndim == 2 && ((const float *)field[1].data)[1] == 45 && !situ_dataset_classes(data));
    situ_dataset_free(data);
    data = situ_csv(text_file("1;2;7\n3;4;9\n5;;7\n"), .header = false, .separator = ";", .categories = "2", .skip_empty = true);
    CHECK(situ_dataset_count(data) == 2 && situ_dataset_features(data)[3] == 4 && situ_dataset_labels(data)[1] == 1);
    situ_dataset_free(data);
}

TEST(tables_that_are_none_are_refused_with_their_line)
{
    const struct {
        const char *text, *inputs, *words;
    } cases[] = {{"a,b\n1,2\n3\n", NULL, "table.csv:3: 1 cells"}, {"a,b\n1,\n", NULL, "an empty cell"}, {"a,b\n", NULL, "there are no rows"},
        {"", NULL, "there are no rows"}, {"a,b\n1,\"2\n", NULL, "a quotation does not end"}, {"a,b\n1,2\n", "c", "there is no column \"c\""},
        {"a,b\n1,2\nx,3\n4,5\n", NULL, "table.csv:3: \"x\" in column \"a\", 2 cells of which are numbers; if they are categories"},
        {"a,b\n1,\"2\"3\n", NULL, "table.csv:2: something follows a quotation"}, {"a,b\n\"x\"\"y\"z,2\n", NULL, "something follows a quotation"},
        {"a,a,b\n1,2,3\n", "a", "two columns are called \"a\""}, {"a,a,b\nx,y,3\n", NULL, "two columns are called \"a\""},
        {"a,b\n1,2\n", "a,a", "the column \"a\" is named twice (.inputs)"}, {"a,b\n1,2\n", "a,0", "\"0\" is named twice"},
        {"a;b\n1;2\n", NULL, "cells may have another .separator"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!situ_csv(text_file(cases[i].text), .inputs = cases[i].inputs));
        if (!CHECK(strstr(situ_error_message(), cases[i].words))) fprintf(stderr, "%s\n", situ_error_message());
        situ_error_take(NULL);
    }
    CHECK_FAILS(SITU_BAD_FORMAT, situ_csv(file_of("zero.csv", "a,b\n1,\0\n", 8)), "zero byte");
    CHECK_FAILS(SITU_BAD_OPTION, situ_csv(text_file("a,b\n1,2\n"), .inputs = "a", .targets = "b,a"),
                "\"a\" is named twice, as an input and as a target");
    situ_dataset *twins = situ_csv(text_file("a,a,b\n1,\"2\" ,3\n")); /* numbers have no names of their own */
    CHECK(twins && situ_dataset_features(twins)[1] == 2);
    situ_dataset_free(twins);
    CHECK_FAILS(SITU_IO, situ_csv("/no/such/file"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_csv(text_file("a\n1\n"), .separator = "ab"));
}

/* A file of NumPy's; returns its size. */
static size_t npy(uint8_t *out, const char *dict, const void *values, size_t bytes)
{
    size_t length = strlen(dict) + 1;
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (uint8_t)length;
    out[9] = 0;
    memcpy(out + 10, dict, length - 1);
    out[9 + length] = '\n';
    memcpy(out + 10 + length, values, bytes);
    return 10 + length + bytes;
}

TEST(arrays_of_numpy_are_read_in_any_order_of_bytes_and_axes)
{
    uint8_t file[512];
    const uint8_t big[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    size_t size = npy(file, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", big, sizeof big);
    situ_dataset *data = situ_numpy(file_of("a.npy", file, size));
    situ_field field;
    CHECK_EQ(situ_dataset_fields(data, &field, 1), 1);
    const int16_t *x = field.data;
    CHECK(field.dtype == SITU_I16 && situ_dataset_count(data) == 2 && x[0] == 1 && x[1] == 3 && x[2] == 5 && x[3] == 2 && x[5] == 6);
    situ_dataset_free(data);
    const double values[4] = {1.5, -2, 3, 4};
    for (int f64 = 0; f64 < 2; f64++) {
        size = npy(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", values, sizeof values);
        data = situ_numpy(file_of("a.npy", file, size), .f64 = f64);
        situ_dataset_fields(data, &field, 1);
        CHECK(field.dtype == (f64 ? SITU_F64 : SITU_F32) && (f64 ? ((const double *)field.data)[0] == 1.5 : ((const float *)field.data)[0] == 1.5f));
        situ_dataset_free(data);
    }
    const char *const bad[] = {"{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }", "{'descr': '|O', 'fortran_order': False, 'shape': (4,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-4,), }", "{'shape': (4,), }", "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size = npy(file, bad[i], values, sizeof values);
        CHECK_FAILS(SITU_BAD_FORMAT, situ_numpy(file_of("a.npy", file, size)));
    }
    CHECK_FAILS(SITU_BAD_FORMAT, situ_numpy(file_of("a.npy", "PK\5\6", 4)));
}

TEST(pixels_of_cifar_are_bytes_until_a_batch_needs_them)
{
    enum { ROW = 3073, ROWS = 3 };
    static uint8_t file[ROW * ROWS];
    for (int i = 0; i < ROWS; i++) {
        file[i * ROW] = (uint8_t)(i + 4);
        for (int k = 1; k < ROW; k++) file[i * ROW + k] = (uint8_t)(k + i);
    }
    char folder[256];
    snprintf(folder, sizeof folder, "%s", test_path("cifar"));
    mkdir(folder, 0700);
    char path[300];
    snprintf(path, sizeof path, "%s/data_batch_1.bin", folder);
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return;
    fwrite(file, 1, sizeof file, f);
    fclose(f);
    situ_dataset *data = situ_cifar(folder);
    CHECK(situ_dataset_count(data) == ROWS && situ_dataset_classes(data) == 10 && situ_dataset_labels(data)[2] == 6);
    float first[ROW - 1] = {0};
    for (int resident = 0; resident < 2; resident++) {
        situ_scope *scope = situ_scope_open();
        situ_loader *loader = situ_loader_new(data, .batch = 2, .resident = resident);
        situ_tensor *x, *y;
        CHECK_EQ(situ_loader_next(loader), 2);
        situ_loader_batch(loader, &x, &y);
        CHECK(situ_ndim(x) == 4 && situ_dim(x, 1) == 3);
        situ_read(situ_slice(x, .start = SHAPE(1)), first, sizeof first);
        for (int k = 0; k < ROW - 1; k++) CHECK(first[k] == (float)(uint8_t)(k + 2) / 255);
        situ_loader_free(loader);
        situ_scope_close(scope);
    }
    situ_dataset_free(data);
    CHECK_FAILS(SITU_IO, situ_cifar(folder, .test = true), "neither test_batch.bin nor test.bin");
    if (!truncate(path, 100)) CHECK(!situ_cifar(folder));
    CHECK(strstr(situ_error_message(), "100 bytes are no whole rows"));
    situ_error_take(NULL);
}

TEST_IN_SCOPE(a_text_is_windows_of_the_numbers_of_its_tokens)
{
    const char *path = text_file("the cat\xc3\xa9 saw the dog.");
    situ_dataset *data = situ_text_dataset(path, 4, .stride = 1);
    CHECK_EQ(situ_dataset_count(data), 17); /* 21 characters */
    CHECK_EQ(situ_dataset_classes(data), 13);
    CHECK(!strcmp(situ_dataset_token(data, 0), " ") && !strcmp(situ_dataset_token(data, 12), "\xc3\xa9") && !situ_dataset_token(data, 13));
    int32_t id[8], x[17][4];
    CHECK_EQ(situ_dataset_encode(data, "the cat\xc3\xa9", id, 8), 8);
    situ_loader *loader = situ_loader_new(data);
    situ_tensor *in, *out;
    situ_loader_next(loader);
    situ_loader_batch(loader, &in, &out);
    situ_read(out, x, sizeof x);
    CHECK(!memcmp(x[3], id + 4, sizeof x[3]));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_encode(data, "z", id, 8), "\"z\" is not in the vocabulary");
    situ_loader_free(loader);
    situ_dataset_free(data);
    data = situ_text_dataset(path, 2, .words = true, .most = 3);
    CHECK(situ_dataset_classes(data) == 3 && !*situ_dataset_token(data, 0) && !strcmp(situ_dataset_token(data, 2), "the"));
    CHECK_EQ(situ_dataset_encode(data, "the whale, the", id, 8), 4);
    CHECK(id[0] == 2 && id[1] == 0 && id[2] == 0 && id[3] == 2);
    situ_dataset_free(data);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 30), "one more than a window");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 3, .most = 1));
}
