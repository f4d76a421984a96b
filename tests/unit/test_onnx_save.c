/* Networks written as ONNX files and read back; what is refused. tests/release/onnx_out.sh runs the files with
 * onnxruntime. */
#include <dirent.h>
#include <math.h>
#include <situ.h>
#include <situ/onnx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "support/each_allocation.h"

/* Saves net, reads it back, and compares results for batches of other sizes. */
static void goes_round(situ_module *net, situ_tensor *x, double tolerance)
{
    situ_scope *scope = situ_scope_open();
    const char *path = test_path("net.onnx");
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(x)), 0);
    CHECK_OK();
    situ_module_set_training(net, false);
    situ_module *back = situ_onnx_load(path);
    CHECK_OK();
    static const int64_t sizes[] = {1, 2, 7};
    for (int i = 0; i < 3 && back; i++) {
        situ_tensor *rows = situ_take(x, situ_remainder(situ_arange(0, sizes[i], 1), situ_dim(x, 0)));
        situ_tensor *a = situ_module_call(net, rows), *b = situ_module_call(back, rows);
        CHECK_EQ(situ_dim(b, 0), situ_dim(a, 0));
        double off = situ_item(situ_max(situ_abs(situ_sub(a, b)))), most = situ_item(situ_max(situ_abs(a)));
        CHECK_NEAR(off / most, 0, tolerance);
        CHECK_OK();
    }
    situ_module_free(back);
    situ_module_free(net);
    situ_scope_close(scope);
}

static situ_tensor *images(int64_t channels, int64_t size)
{
    return situ_normal(situ_key(3), SHAPE(3, channels, size, size));
}

TEST(perceptron_with_dropout)
{
    situ_module *net = situ_sequential(
        situ_flatten_layer(), situ_linear_layer(16), situ_relu_layer(), situ_dropout_layer(0.5), situ_linear_layer(5));
    goes_round(net, images(2, 4), 1e-6);
}

TEST(convolutions_pools_and_norms)
{
    situ_module *net = situ_sequential(situ_conv2d_layer(8, SHAPE(3), .padding = 1), situ_batch_norm_layer(), situ_relu_layer(),
        situ_max_pool2d_layer(SHAPE(2)), situ_residual(situ_conv2d_layer(8, SHAPE(3), .padding = 1, .groups = 2)),
        situ_avg_pool2d_layer(SHAPE(2)), situ_conv_transpose2d_layer(4, SHAPE(3), .stride = 2), situ_flatten_layer(), situ_linear_layer(3));
    goes_round(net, images(3, 8), 1e-5);
}

TEST(attention_and_recurrence)
{
    situ_tensor *x = situ_normal(situ_key(4), SHAPE(2, 6, 8));
    goes_round(situ_transformer_encoder_layer(8, 2, .causal = true), x, 1e-5);
    goes_round(situ_gru_layer(5), x, 1e-5);
}

/* A network read from a file is written again after a training step. */
TEST(what_was_read_is_written_again)
{
    situ_scope *scope = situ_scope_open();
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("first.onnx"));
    situ_module *net = situ_sequential(situ_conv2d_layer(4, SHAPE(3)), situ_batch_norm_layer(), situ_relu_layer(), situ_flatten_layer(),
        situ_linear_layer(6), situ_layer_norm_layer());
    situ_tensor *x = images(2, 5);
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(x)), 0);
    situ_module_free(net);
    situ_module *back = situ_onnx_load(path);
    situ_optimizer *sgd = situ_sgd(back, .lr = 0.1);
    CHECK(situ_optimizer_step(sgd, situ_mean(situ_square(situ_module_call(back, x)))) >= 0);
    situ_optimizer_free(sgd);
    goes_round(back, x, 1e-5);
    situ_scope_close(scope);
    CHECK_OK();
}

/* Every elementwise function that has a counterpart, through a function layer. */
typedef struct element {
    situ_tensor *(*one)(situ_tensor *, situ_site);
    double lo, hi;
} element;

static situ_tensor *apply_one(situ_tensor *x, void *self) { return ((const element *)self)->one(x, "here:1"); }

TEST(functions_of_one_number)
{
#define ONE(name, lo, hi) {situ_##name, lo, hi}
    static element all[] = {ONE(negative, -3, 3), ONE(square, -3, 3), ONE(rsqrt, 0.1, 3), ONE(cbrt, -3, 3), ONE(exp2, -3, 3),
        ONE(expm1, -3, 3), ONE(log2, 0.1, 3), ONE(log10, 0.1, 3), ONE(log1p, -0.9, 3), ONE(asinh, -3, 3), ONE(acosh, 1.1, 4),
        ONE(atanh, -0.9, 0.9), ONE(erf, -2, 2), ONE(erfc, -2, 2), ONE(erfinv, -0.99, 0.99), ONE(softplus, -3, 3), ONE(trunc, -3, 3),
        ONE(round, -3, 3), ONE(sign, -3, 3), ONE(silu, -3, 3), ONE(mish, -3, 3)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        goes_round(situ_function_layer(apply_one, &all[i]),
            situ_uniform(situ_key(i), SHAPE(3, 50), .low = all[i].lo, .high = all[i].hi), 1e-6);
}

/* ---- what is written -------------------------------------------------------------------------------------------------------- */

static char *text_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    *size = f && text ? fread(text, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return text;
}

static int times(const char *text, size_t size, const char *word)
{
    int n = 0;
    for (size_t i = 0; i + strlen(word) <= size; i++) n += !memcmp(text + i, word, strlen(word));
    return n;
}

static situ_tensor *tied(situ_tensor *x, void *self)
{
    situ_tensor *table = self;
    return situ_matmul(situ_matmul(x, table), situ_transpose(table));
}

TEST(names_metadata_and_shared_weights)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *table = situ_variable(situ_normal(situ_key(1), SHAPE(4, 64)), .name = "the table/é");
    situ_module *net = situ_function_layer(tied, table);
    const char *path = test_path("tied.onnx");
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(situ_zeros(SHAPE(2, 4))), .input_names = "image", .result_names = "logits",
                 .metadata = "author=nobody\n"),
        0);
    size_t size;
    char *text = text_of(path, &size);
    CHECK(size > 1024 && size < 2048); /* the weight, 1024 bytes, once */
    CHECK_EQ(times(text, size, "\x42\x0cthe table/é"), 1); /* field 8, its name, of 12 bytes */
    CHECK_EQ(times(text, size, "author"), 1);
    CHECK_EQ(times(text, size, "nobody"), 1);
    free(text);
    situ_module *back = situ_onnx_load(path);
    CHECK_STR(situ_onnx_input(back, 0), "image");
    CHECK_STR(situ_onnx_result(back, 0), "logits");
    CHECK_STR(situ_module_name(back, 0), "the table/é");
    situ_module_free(back);
    situ_module_free(net);
    situ_release(table);
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(weights_beside)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_linear_layer(64);
    char path[512], data[520];
    snprintf(path, sizeof path, "%s", test_path("big.onnx"));
    snprintf(data, sizeof data, "%s.data", path);
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(situ_zeros(SHAPE(2, 64))), .external_data = true), 0);
    struct stat model = {0}, values = {0};
    CHECK(!stat(path, &model) && !stat(data, &values));
    CHECK(model.st_size < 1024);
    CHECK_EQ(values.st_size, 64 * 64 * 4 + 64 * 4); /* the first one is whole pages */
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

/* If the model cannot be written, the old weights stay, too, and nothing else is left in the folder. */
TEST(a_model_and_its_weights_change_together)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_linear_layer(4);
    char folder[512], path[600], data[610], text[8] = "";
    snprintf(folder, sizeof folder, "%s", test_path("pair"));
    snprintf(path, sizeof path, "%s/net.onnx", folder);
    snprintf(data, sizeof data, "%s.data", path);
    CHECK(!mkdir(folder, 0700) && !mkdir(path, 0700));
    FILE *file = fopen(data, "w");
    if (CHECK(file)) fputs("before", file), fclose(file);
    CHECK(situ_onnx_save(net, path, TENSORS(situ_zeros(SHAPE(2, 3))), .external_data = true) < 0);
    CHECK_CODE(SITU_IO);
    if ((file = fopen(data, "r"))) CHECK(fgets(text, sizeof text, file)), fclose(file);
    CHECK_STR(text, "before");
    rmdir(path);
    for (int i = 0; i < 2; i++) { /* anew, and over it */
        situ_tensor *x = situ_normal(situ_key(i + 3), SHAPE(2, 3)), *y = situ_module_call(net, x);
        CHECK_EQ(situ_onnx_save(net, path, TENSORS(x), .external_data = true), 0);
        situ_module *back = situ_onnx_load(path);
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(back, x), y)))), 0, 1e-6);
        situ_module_free(back);
        situ_module_init(net, situ_key(7));
    }
    int names = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) names += e->d_name[0] != '.';
    if (d) closedir(d);
    CHECK_EQ(names, 2);
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

/* Saving does not affect training: no step is counted, no moment changes. */
TEST(saving_is_no_training)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_batch_norm_layer());
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(6, 3));
    CHECK_EQ(situ_onnx_save(net, test_path("n.onnx"), TENSORS(x)), 0);
    CHECK(situ_module_training(net));
    CHECK_NEAR(situ_item(situ_sum(situ_module_find(net, "1.running_mean"))), 0, 0);
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

static void run_saved(outcome *o, const void *data)
{
    (void)data;
    situ_module *net = situ_sequential(situ_linear_layer(6), situ_gru_layer(6), situ_transformer_encoder_layer(6, 2), situ_layer_norm_layer());
    const char *path = test_path("struck.onnx");
    remove(path);
    situ_onnx_save(net, path, TENSORS(situ_ones(SHAPE(2, 3, 4))), .metadata = "a=b");
    size_t size, sum = 0;
    char *text = text_of(path, &size);
    for (size_t i = 0; text && i < size; i++) sum = 31 * sum + (unsigned char)text[i];
    if (!situ_failed()) o->length += (size_t)snprintf(o->text, sizeof o->text, "%zu bytes, sum %zu", size, sum);
    else CHECK_EQ(size, 0); /* no half file */
    free(text);
    situ_module_free(net);
}

TEST(each_allocation_that_fails)
{
    program p = {.name = "saved", .run = run_saved};
    each_allocation_of(&p, situ_test_fail_alloc, situ_test_fail_struck);
    each_allocation_of(&p, situ_test_fail_device_alloc, situ_test_fail_device_struck);
    CHECK_OK();
}

/* ---- what is refused --------------------------------------------------------------------------------------------------------- */

#define REFUSED(f, code, ...) \
    do { \
        situ_scope *scope_ = situ_scope_open(); \
        situ_module *net_ = situ_function_layer(f, NULL); \
        situ_onnx_save(net_, test_path("no.onnx"), TENSORS(situ_ones(SHAPE(4, 3)))); \
        static const char *const words_[] = {__VA_ARGS__}; \
        for (size_t i_ = 0; i_ < sizeof words_ / sizeof *words_; i_++) \
            if (!CHECK(strstr(situ_error_message(), words_[i_]))) printf("    %s\n", situ_error_message()); \
        CHECK_CODE(code); \
        situ_module_free(net_); \
        situ_scope_close(scope_); \
    } while (0)

static situ_tensor *draws(situ_tensor *x, void *self)
{
    (void)self;
    return situ_add(x, situ_uniform(situ_key(1), situ_shape_of(x)));
}
static situ_tensor *next(situ_tensor *x, void *self)
{
    (void)self;
    return situ_nextafter(x, 3);
}
static situ_tensor *factors(situ_tensor *x, void *self)
{
    (void)self;
    return situ_cholesky(situ_matmul(situ_transpose(x), x));
}
static situ_tensor *imaginary(situ_tensor *x, void *self)
{
    (void)self;
    return situ_real(situ_complex(x, x));
}
static situ_tensor *loops(situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *y = situ_select(x, 0, 0);
    for (int64_t i = 1; i < situ_dim(x, 0); i++) y = situ_add(y, situ_select(x, 0, i));
    return y;
}
static situ_tensor *reads(situ_tensor *x, void *self)
{
    (void)self;
    return situ_mul(x, situ_item(situ_sum(x)) / 7.0);
}
static situ_tensor *bakes(situ_tensor *x, void *self)
{
    (void)self;
    return situ_reshape(x, SHAPE(2, 6));
}
static situ_tensor *squares(situ_tensor *x, void *self)
{
    (void)self;
    return situ_reshape(situ_matmul(x, situ_transpose(x)), SHAPE(situ_dim(x, 0) * situ_dim(x, 0)));
}
static situ_tensor *ignores(situ_tensor *x, void *self)
{
    (void)self;
    (void)x;
    return situ_ones(SHAPE(2));
}

TEST(what_has_no_counterpart_is_refused)
{
    REFUSED(draws, SITU_UNSUPPORTED, "test_onnx_save.c:", "no counterpart", "the same numbers");
    REFUSED(next, SITU_UNSUPPORTED, "nextafter", "no counterpart");
    REFUSED(factors, SITU_UNSUPPORTED, "cholesky", "no counterpart");
    REFUSED(imaginary, SITU_UNSUPPORTED, "complex");
    REFUSED(loops, SITU_UNSUPPORTED, "the size of the batch", ".dynamic_batch = false");
    REFUSED(reads, SITU_UNSUPPORTED, "the size of the batch", "a number in the source");
    REFUSED(bakes, SITU_UNSUPPORTED, "a batch of 4, and not one of 5", "15 elements", ".dynamic_batch = false");
    REFUSED(ignores, SITU_BAD_ARGUMENT, "no result depends on an input");
}

/* A dimension that is the square of the batch size is written as -1. */
TEST(sizes_of_any_kind_where_one_is_open)
{
    REFUSED(squares, SITU_UNSUPPORTED, "the size of the batch", "a size that is no multiple");
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_function_layer(bakes, NULL);
    CHECK_EQ(situ_onnx_save(net, test_path("fixed.onnx"), TENSORS(situ_ones(SHAPE(4, 3))), .dynamic_batch = false), 0);
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

/* Numbers that depend on the batch's shape only, not on its values. */
static situ_tensor *centres(situ_tensor *x, void *self)
{
    (void)self;
    return situ_sub(x, situ_item(situ_mean(x)));
}
static situ_tensor *scales(situ_tensor *x, void *self)
{
    (void)self;
    return situ_div(x, situ_item(situ_max(x)));
}
static situ_tensor *copies(situ_tensor *x, void *self)
{
    float value[3] = {0};
    (void)self;
    (void)situ_read(situ_select(x, 0, 0), value, sizeof value);
    return situ_add(x, situ_from_host((const float *)value, SHAPE(3)));
}
static situ_tensor *chooses(situ_tensor *x, void *self)
{
    (void)self;
    return situ_item(situ_max(x)) > 0.9 ? situ_exp(x) : situ_sin(x);
}
static situ_tensor *repeats(situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *y = x;
    for (int64_t i = (int64_t)situ_item(situ_max(x)); i > 0; i--) y = situ_add(y, x);
    return y;
}
static situ_tensor *looks(situ_tensor *x, void *self)
{
    (void)self;
    return situ_item(situ_any(situ_isnan(x))) != 0 ? situ_zeros_like(x) : situ_exp(x);
}

static void refused_either_way(situ_tensor *(*f)(situ_tensor *, void *), situ_tensor *x, const char *why)
{
    situ_module *net = situ_function_layer(f, NULL);
    for (int i = 0; i < 2; i++) {
        situ_onnx_save(net, test_path("no.onnx"), TENSORS(x), .dynamic_batch = !i);
        const char *text = situ_error_message();
        if (!CHECK(strstr(text, why) && strstr(text, "test_onnx_save.c:") && strstr(text, i ? "values of the inputs" : "a value that was read")))
            printf("    %s\n", text);
        CHECK_CODE(SITU_UNSUPPORTED);
    }
    situ_module_free(net);
}

TEST(a_number_that_is_read_is_no_constant)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_uniform(situ_key(7), SHAPE(1, 3)), *even = situ_ones(SHAPE(4, 3));
    situ_tensor *lengths = situ_from_host(((const int32_t[]){2, 5, 4}), SHAPE(3)), *zero = situ_zeros(SHAPE(2), .dtype = SITU_I64);
    refused_either_way(centres, x, "a number in the source");
    refused_either_way(centres, even, "a number in the source");
    refused_either_way(scales, x, "a number in the source");
    refused_either_way(copies, x, "data that follows");
    refused_either_way(chooses, even, "other operations");
    refused_either_way(repeats, lengths, "other operations");
    refused_either_way(repeats, zero, "other operations");
    situ_module *net = situ_function_layer(looks, NULL); /* what is read may say that all is well */
    CHECK_EQ(situ_onnx_save(net, test_path("looks.onnx"), TENSORS(x)), 0);
    CHECK_EQ(situ_onnx_save(net, test_path("looks.onnx"), TENSORS(x), .dynamic_batch = false), 0);
    situ_module_free(net);
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(wrong_use)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(2, 3));
    situ_module *net = situ_linear_layer(2);
    situ_onnx_save(NULL, "x.onnx", TENSORS(x));
    CHECK(strstr(situ_error_message(), "the network is NULL"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_onnx_save(net, NULL, TENSORS(x));
    CHECK(strstr(situ_error_message(), "no file is named"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_onnx_save(net, "/nowhere/at/all.onnx", TENSORS(x));
    CHECK(strstr(situ_error_message(), "/nowhere/at/all.onnx"));
    CHECK_CODE(SITU_IO);
    situ_onnx_save(net, "x.onnx", TENSORS_OF(NULL, 0));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_onnx_save(net, "x.onnx", TENSORS(x), .input_names = "a,b");
    CHECK(strstr(situ_error_message(), ".input_names has not 1 different names"));
    CHECK_CODE(SITU_BAD_OPTION);
    situ_onnx_save(net, test_path("x.onnx"), TENSORS(x), .input_names = "a", .result_names = "a");
    CHECK(strstr(situ_error_message(), ".result_names"));
    CHECK_CODE(SITU_BAD_OPTION);
    situ_onnx_save(net, "x.onnx", TENSORS(x), .batch_axes = AXES(5));
    CHECK(strstr(situ_error_message(), ".batch_axes has 5 for input 0, which has 2 axes"));
    CHECK_CODE(SITU_BAD_OPTION);
    situ_onnx_save(net, "x.onnx", TENSORS(x), .metadata = "no equals sign");
    CHECK(strstr(situ_error_message(), "key=value"));
    CHECK_CODE(SITU_BAD_OPTION);
    situ_onnx_save(net, "x.onnx", TENSORS(situ_ones(SHAPE(0, 3))));
    CHECK(strstr(situ_error_message(), "input 0 has no rows"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_onnx_save(net, "x.onnx", TENSORS(situ_ones(SHAPE(2, 9))));
    CHECK_CODE(SITU_BAD_SHAPE);
    situ_module_free(net);
    situ_scope_close(scope);
}

static situ_tensor *through(situ_tensor *x, void *self) { return situ_module_call(self, x); }

/* A network called inside a function is saved as at inference. */
TEST(a_network_in_a_function_is_saved_as_at_inference)
{
    const char *path = test_path("inside.onnx");
    float mean[2] = {7, 7};
    situ_scope *scope = situ_scope_open();
    situ_module *inner = situ_batch_norm_layer(.in = 2), *net = situ_function_layer(through, inner);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(4, 2));
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(x)), 0);
    CHECK(situ_module_training(inner));
    CHECK(!situ_read(situ_module_find(inner, "running_mean"), mean, sizeof mean) && mean[0] == 0 && mean[1] == 0);
    size_t size;
    char *text = text_of(path, &size);
    CHECK_EQ(times(text, size, "ReduceMean"), 0);
    CHECK_EQ(times(text, size, "ReduceSum"), 0);
    free(text);
    situ_module_free(net);
    situ_module_free(inner);
    situ_scope_close(scope);
}

static situ_tensor *last_three(situ_tensor *x, void *self)
{
    (void)self;
    return situ_slice(x, .start = SHAPE(-3));
}

TEST(the_last_rows_of_a_smaller_batch)
{
    const char *path = test_path("last.onnx");
    float in[2] = {1, 2}, out[2] = {0};
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_function_layer(last_three, NULL);
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(situ_zeros(SHAPE(6, 1)))), 0);
    situ_module *back = situ_onnx_load(path);
    situ_tensor *y = back ? situ_module_call(back, situ_from_host(in, SHAPE(2, 1))) : NULL;
    CHECK(y && situ_dim(y, 0) == 2 && !situ_read(y, out, sizeof out) && out[0] == 1 && out[1] == 2);
    situ_module_free(back);
    situ_module_free(net);
    situ_scope_close(scope);
}
