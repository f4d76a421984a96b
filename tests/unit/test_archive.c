/* Files of tensors: safetensors written and read, networks to files and back, broken and hostile files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/files.h"
#include "file/json.h"
#include "test.h"

/* What the package safetensors 0.6 for Python writes for {"a": f32 [[1.5, -2]], "b": u8 [1, 2, 3]} with metadata
 * {"format": "pt"}. */
static const char golden[] = "\x90\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
                             "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]}}    \x00\x00\xc0?\x00\x00\x00\xc0\x01\x02\x03";
enum { GOLDEN = sizeof golden - 1 };

static size_t read_file(const char *path, char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

/* Opens a file with this header and so many bytes of values; returns the error's message, or "" if it opens. */
static const char *opened(const char *header, size_t values)
{
    static situ_error error;
    error = (situ_error){.code = 0};
    const char *path = test_path("hostile.safetensors");
    size_t n = strlen(header);
    char *bytes = calloc(1, 8 + n + values);
    for (int i = 0; i < 8; i++) bytes[i] = (char)(n >> 8 * i);
    memcpy(bytes + 8, header, n);
    write_file(path, bytes, 8 + n + values);
    free(bytes);
    situ_archive *a = situ_archive_open(path);
    situ_error_take(&error);
    CHECK((a == NULL) == (error.code != 0));
    situ_archive_close(a);
    return error.code ? error.message : "";
}

#define REFUSED(header, values, words) CHECK(strstr(opened(header, values), words))

TEST_IN_SCOPE(writes_the_bytes_that_the_package_writes)
{
    char bytes[512];
    const char *path = test_path("golden.safetensors");
    situ_tensor *a = situ_from_host(((float[]){1.5f, -2}), SHAPE(1, 2)), *b = situ_from_host(((uint8_t[]){1, 2, 3}), SHAPE(3));
    CHECK_EQ(situ_save(path, TENSORS(b, a), .names = "b,a", .metadata = "format=pt\n"), 0);
    CHECK_EQ(read_file(path, bytes, sizeof bytes), GOLDEN);
    CHECK(!memcmp(bytes, golden, GOLDEN));
    situ_archive *file = situ_archive_open(path);
    CHECK_EQ(situ_archive_count(file), 2);
    CHECK_STR(situ_archive_name(file, 1), "b");
    CHECK_STR(situ_archive_type(file, 0), "F32");
    CHECK_EQ(situ_archive_bytes(file, 0), 8);
    CHECK_EQ(situ_archive_shape(file, 0).ndim, 2);
    CHECK_STR(situ_archive_metadata_key(file, 0), "format");
    CHECK_STR(situ_archive_metadata(file, "format"), "pt");
    CHECK(!situ_archive_metadata(file, "other") && !situ_archive_metadata_key(file, 1));
    situ_tensor *x = situ_archive_get(file, "a"), *y = situ_archive_get(file, "b", .dtype = SITU_I32);
    situ_archive_close(file);
    remove(path); /* mapped pages stay valid */
    CHECK_NEAR(situ_item(situ_sum(situ_abs(x))), 3.5, 0);
    CHECK_EQ(situ_item_int(situ_sum(y)), 6);
}

TEST_IN_SCOPE(every_dtype_and_shape_comes_back)
{
    static const situ_dtype dtypes[] = {SITU_BOOL, SITU_U8, SITU_U16, SITU_U32, SITU_U64, SITU_I8, SITU_I16, SITU_I32, SITU_I64, SITU_F16, SITU_BF16,
        SITU_F32, SITU_F64, SITU_C64};
    const situ_shape shapes[] = {{.ndim = 0}, SHAPE(0), SHAPE(3, 0, 2), SHAPE(5), SHAPE(1, 2, 1, 3, 1, 2, 1, 2)};
    const char *path = test_path("dtypes.safetensors");
    enum { KINDS = sizeof dtypes / sizeof *dtypes, ALL = KINDS * 5 };
    situ_tensor *t[ALL];
    for (int i = 0; i < ALL; i++) {
        situ_tensor *x = situ_sub(situ_uniform(situ_key(i), shapes[i % 5], .low = 0, .high = 90), 0);
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        t[i] = situ_name(situ_cast(x, dtypes[i / 5]), name);
    }
    CHECK_EQ(situ_save(path, TENSORS_OF(t, ALL)), 0);
    situ_archive *file = situ_archive_open(path);
    for (int i = 0; i < ALL && file; i++) {
        char name[16], a[256], b[256];
        snprintf(name, sizeof name, "t%d", i);
        situ_tensor *x = situ_archive_get(file, name, .copy = i % 2);
        size_t size = (size_t)situ_count(x) * situ_dtype_size(dtypes[i / 5]);
        CHECK_EQ(situ_dtype_of(x), dtypes[i / 5]);
        CHECK_EQ(situ_ndim(x), shapes[i % 5].ndim);
        CHECK_EQ((situ_read)(x, a, size, "test"), 0);
        CHECK_EQ((situ_read)(t[i], b, size, "test"), 0);
        CHECK(!memcmp(a, b, size));
    }
    situ_archive_close(file);
}

TEST(a_cut_or_changed_file_is_refused_or_whole)
{
    const char *path = test_path("cut.safetensors");
    char bytes[GOLDEN];
    for (size_t n = 0; n < GOLDEN; n++) {
        write_file(path, golden, n);
        situ_archive *a = situ_archive_open(path);
        CHECK(!a && situ_failed() == SITU_BAD_FORMAT);
        situ_error_take(NULL);
    }
    for (size_t i = 0; i < GOLDEN - 11; i++)
        for (int flip = 1; flip < 256; flip += i < 8 ? 1 : 13) {
            memcpy(bytes, golden, GOLDEN);
            bytes[i] = (char)(bytes[i] ^ flip);
            write_file(path, bytes, GOLDEN);
            situ_archive *a = situ_archive_open(path);
            CHECK(a || situ_failed() == SITU_BAD_FORMAT);
            situ_error_take(NULL);
            for (int64_t k = 0; k < situ_archive_count(a); k++) {
                situ_scope *scope = situ_scope_open();
                situ_tensor *t = situ_archive_get(a, situ_archive_name(a, k));
                if (!situ_failed()) situ_wait(t);
                situ_error_take(NULL);
                situ_scope_close(scope);
            }
            situ_archive_close(a);
        }
}

#define ONE(name, dtype, shape, begin, end) "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

static const char *json_fault(const char *text, size_t size)
{
    static situ_json j;
    j = situ_json_of(text, size);
    situ_json_skip(&j);
    return situ_json_end(&j) ? "" : j.error;
}
#define JSON(text) json_fault(text, sizeof text - 1)

TEST(json_is_whole_and_says_each_thing_once)
{
    CHECK_STR(JSON(" {\"a\": [1, -2.5e+3, {\"a\": 0}, {}, [], \"\\u0000\"], \"b\": {\"a\": null}, \"\": true, \"A\": false} \n"), "");
    CHECK(strstr(JSON("{\"a\": 1}\0, {\"b\": 2}"), "something follows"));
    CHECK(strstr(JSON("{}\0"), "something follows"));
    CHECK(strstr(JSON("[1] 2"), "something follows"));
    CHECK(strstr(JSON("{\"a\": 1, \"b\": 2, \"a\": 1}"), "\"a\" is there twice"));
    CHECK(strstr(JSON("[{\"b\": {\"long name\": 1, \"long name\": 2}}]"), "\"long name\" is there twice"));
    CHECK(strstr(JSON("{\"a\\u0062\": 1, \"ab\": 2}"), "is there twice"));
    static const char *const wrong[] = {"{\"a\": 1]", "[1, 2}", "[1,]", "{\"a\": 1,}", "[,1]", "{\"a\" 1}", "{\"a\": }", "[1 2]", "{1: 2}", "[tru]",
        "[nulll]", "[01]", "[1.]", "[.5]", "[1e]", "[-]", "[+1]", "[\"a]", "[", "", "]", "[1]]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!CHECK(*json_fault(wrong[i], strlen(wrong[i])))) printf("  %s\n", wrong[i]);
    char deep[200];
    for (int n = 64; n < 66; n++) {
        memset(deep, '[', (size_t)n), memset(deep + n, ']', (size_t)n);
        CHECK((*json_fault(deep, 2 * (size_t)n) == 0) == (n == 64));
    }
}

TEST(hostile_headers_are_refused)
{
    REFUSED("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}," ONE("x", "F32", "[]", "0", "4") "}", 4, "\"k\" is there twice");
    CHECK_STR(opened("{}", 0), "");
    CHECK_STR(opened("{" ONE("x", "F32", "[]", "0", "4") "}  ", 4), "");
    CHECK_STR(opened("{" ONE("x", "F8_E4M3", "[3]", "0", "3") "}", 3), "");
    REFUSED("{}", 1, "1 bytes follow the last tensor's");
    REFUSED("{" ONE("x", "F32", "[2]", "0", "4") "}", 4, "\"x\" has bytes 0 to 4, which does not match its shape");
    REFUSED("{" ONE("x", "F32", "[1]", "0", "4") "," ONE("y", "F32", "[1]", "0", "4") "}", 4, "\"y\" overlap others or follow a hole");
    REFUSED("{" ONE("x", "F32", "[1]", "0", "4") "," ONE("y", "F32", "[1]", "8", "12") "}", 12, "follow a hole");
    REFUSED("{" ONE("x", "F32", "[2]", "0", "8") "}", 4, "go beyond the end");
    REFUSED("{" ONE("x", "F32", "[1]", "0", "4") "," ONE("x", "F32", "[1]", "4", "8") "}", 8, "\"x\" is there twice");
    REFUSED("{" ONE("x", "F32", "[4611686018427387904,4611686018427387904]", "0", "4") "}", 4, "does not match its shape");
    REFUSED("{" ONE("x", "F32", "[99999999999999999999]", "0", "4") "}", 4, "beyond 2^63");
    REFUSED("{" ONE("x", "F32", "[-1]", "0", "4") "}", 4, "a whole number");
    REFUSED("{" ONE("x", "F32", "[1.0]", "0", "4") "}", 4, "a whole number");
    REFUSED("{" ONE("x", "F32", "[1,1,1,1,1,1,1,1,1]", "0", "4") "}", 4, "more than 8 dimensions");
    REFUSED("{" ONE("x", "F9", "[1]", "0", "4") "}", 4, "unknown dtype \"F9\"");
    REFUSED("{" ONE("x", "F4", "[3]", "0", "1") "}", 1, "does not match its shape");
    REFUSED("{" ONE("x\\u0000y", "F32", "[1]", "0", "4") "}", 4, "NUL");
    REFUSED("{" ONE("x\xff", "F32", "[1]", "0", "4") "}", 4, "not UTF-8");
    REFUSED("{\"x\":[[[[[[", 0, "an object is expected");
    REFUSED("{\"x\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "lacks dtype, shape or data_offsets");
    REFUSED("{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "a key twice");
    REFUSED("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4, "data_offsets are not two");
    REFUSED("{\"__metadata__\":{\"a\":1}}", 0, "a text is expected");
    REFUSED("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice");
    CHECK(*opened("{\"__metadata__\":nul}", 0));
    REFUSED("{\"__metadata__\":null,\"__metadata__\":{}}", 0, "twice");
    CHECK_STR(opened("{\"__metadata__\":null," ONE("x", "F32", "[2]", "0", "8") "}", 8), ""); /* as the format's own reader */
    REFUSED("{} {}", 0, "something follows the end");
    REFUSED(" {}", 0, "no file of tensors that is known");
    REFUSED("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},}", 4, "a text is expected");
    char huge[8] = "\xff\xff\xff\xff\xff\xff\xff\x00";
    write_file(test_path("huge.safetensors"), huge, 8);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_archive_open(test_path("huge.safetensors")), "more than 100 MB");
    CHECK_FAILS(SITU_IO, situ_archive_open(test_path("none.safetensors")));
}

TEST_IN_SCOPE(shards_are_read_as_one)
{
    const char *index = "{\"metadata\":{\"total_size\":12},\"weight_map\":{\"x\":\"one.safetensors\",\"y\":\"two.safetensors\"}}";
    CHECK_EQ(situ_save(test_path("one.safetensors"), TENSORS(situ_full(SHAPE(2), 3.0)), .names = "x"), 0);
    CHECK_EQ(situ_save(test_path("two.safetensors"), TENSORS(situ_full(SHAPE(1), 4.0)), .names = "y"), 0);
    const char *path = test_path("all.safetensors.index.json");
    write_file(path, index, strlen(index));
    situ_archive *a = situ_archive_open(path);
    CHECK_EQ(situ_archive_count(a), 2);
    CHECK_NEAR(situ_item(situ_add(situ_sum(situ_archive_get(a, "x")), situ_sum(situ_archive_get(a, "y")))), 10, 0);
    situ_archive_close(a);
    const char *away = "{\"weight_map\":{\"x\":\"../one.safetensors\"}}", *wrong = "{\"weight_map\":{\"z\":\"one.safetensors\"}}", *none = "{\"x\":1}";
    write_file(path, away, strlen(away));
    CHECK_FAILS(SITU_BAD_FORMAT, situ_archive_open(path), "does not lie beside the index");
    write_file(path, wrong, strlen(wrong));
    CHECK_FAILS(SITU_BAD_FORMAT, situ_archive_open(path), "\"z\" is not in one.safetensors");
    write_file(path, none, strlen(none));
    CHECK_FAILS(SITU_BAD_FORMAT, situ_archive_open(path), "weight_map");
}

/* ---- networks ---------------------------------------------------------------------------------------------------------------- */

static situ_module *network(void)
{
    return situ_sequential(situ_linear_layer(4), situ_batch_norm_layer(), situ_relu_layer(), situ_linear_layer(2));
}

static double step(situ_module *net, situ_optimizer *o, situ_tensor *x)
{
    situ_tensor *loss = situ_mean(situ_square(situ_module_call(net, x)));
    double value = situ_item(loss);
    situ_optimizer_step(o, loss);
    return value;
}

TEST_IN_SCOPE(a_network_comes_back_and_trains_on_alike)
{
    const char *path = test_path("net.safetensors");
    situ_tensor *x = situ_normal(situ_key(5), SHAPE(8, 3));
    situ_module *net = network(), *other = network();
    situ_module_init(net, situ_key(1));
    situ_optimizer *o = situ_sgd(net, .lr = 0.1), *p = situ_sgd(other, .lr = 0.1);
    step(net, o, x);
    CHECK_EQ(situ_module_save(net, path, .metadata = "made by=a test"), 0);
    CHECK_EQ(situ_module_load(other, path), situ_module_count(net));
    CHECK_EQ(situ_dim(situ_module_parameter(other, 0), 1), 3); /* before any call */
    for (int i = 0; i < 3; i++) {
        CHECK(step(net, o, x) == step(other, p, x));
        CHECK(situ_module_trainable(other, 0) && !situ_module_trainable(other, 4));
    }
    for (int i = 0; i < situ_module_count(net); i++)
        CHECK(situ_item(situ_all(situ_equal(situ_module_parameter(net, i), situ_module_parameter(other, i)))) == 1);
    CHECK_EQ(situ_module_load(net, path), situ_module_count(net)); /* the file is unchanged */
    CHECK(situ_item(situ_all(situ_equal(situ_module_parameter(net, 0), situ_module_parameter(other, 0)))) == 0);
    situ_optimizer_free(o);
    situ_optimizer_free(p);
    situ_module_free(net);
    situ_module_free(other);
}

TEST_IN_SCOPE(loading_says_what_does_not_fit_and_changes_nothing)
{
    const char *path = test_path("other.safetensors");
    situ_tensor *w = situ_full(SHAPE(2, 3), 7.0), *b = situ_full(SHAPE(2), 8.0);
    situ_module *net = situ_sequential(situ_linear_layer(2, .in = 3), situ_linear_layer(2, .in = 2));
    situ_save(path, TENSORS(w, b, b), .names = "0.weight,0.bias,extra");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, path), "it lacks 1.weight, 1.bias; the network has no extra");
    CHECK_EQ(situ_module_load(net, path, .strict = false), 2);
    CHECK_NEAR(situ_item(situ_sum(situ_module_find(net, "0.weight"))), 42, 0);
    situ_save(path, TENSORS(b, b), .names = "0.weight,0.bias");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, path, .strict = false), "network: 0.weight is [2] there and [2,3] here");
    situ_save(path, TENSORS(situ_full(SHAPE(2, 3), 1, .dtype = SITU_I32), b), .names = "0.weight,0.bias");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, path, .strict = false), "no floats are in 0.weight");
    situ_save(path, TENSORS(situ_full(SHAPE(2, 3), 9, .dtype = SITU_BF16), b, situ_full(SHAPE(2, 2), 1.0), b),
        .names = "model.first.kernel,model.first.bias,model.1.kernel,model.1.bias");
    CHECK_EQ(situ_module_load(net, path, .rename = "^model.= kernel=weight first=0"), 4);
    CHECK_NEAR(situ_item(situ_sum(situ_module_find(net, "0.weight"))), 54, 0);
    CHECK_FAILS(SITU_BAD_OPTION, situ_module_load(net, path, .rename = "model"), "its rules are old=new");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, path, .strict = false), "it lacks 0.weight"); /* no name matches */
    situ_module_free(net);
}

TEST_IN_SCOPE(a_network_on_a_gpu_is_saved_and_loaded)
{
    if (situ_num_gpus() < 1) SKIP("no GPU, simulated or real");
    const char *path = test_path("gpu.safetensors");
    situ_module *net = network(), *other = network();
    situ_module_to(net, situ_gpu(0));
    situ_module_to(other, situ_gpu(0));
    situ_tensor *x = situ_normal(situ_key(5), SHAPE(8, 3), .device = situ_gpu(0)), *y = situ_module_call(net, x);
    CHECK_EQ(situ_module_save(net, path), 0);
    CHECK_EQ(situ_module_load(other, path), situ_module_count(net));
    situ_module_set_training(net, false);
    situ_module_set_training(other, false);
    CHECK(situ_item(situ_all(situ_equal(situ_module_call(net, x), situ_module_call(other, x)))) == 1);
    (void)y;
    situ_module_free(net);
    situ_module_free(other);
}

TEST_IN_SCOPE(saving_says_what_it_cannot_write)
{
    const char *path = test_path("refused.safetensors");
    situ_tensor *x = situ_ones(SHAPE(2));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(path, TENSORS(x)), "tensor 0 has no name");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(path, TENSORS(x, x), .names = "a,a"), "two tensors are named \"a\"");
    CHECK_FAILS(SITU_BAD_OPTION, situ_save(path, TENSORS(x), .names = "a,b"), "more names than the 1 tensors");
    CHECK_FAILS(SITU_BAD_DTYPE, situ_save(path, TENSORS(situ_cast(x, SITU_C128)), .names = "a"), "no dtype for \"a\"");
    CHECK_FAILS(SITU_BAD_OPTION, situ_save(path, TENSORS(x), .names = "a", .metadata = "no sign"), "key=value");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(path, TENSORS(x), .names = "J\xf6rg"), "is not UTF-8");
    CHECK_FAILS(SITU_BAD_OPTION, situ_save(path, TENSORS(x), .names = "a", .metadata = "by=J\xf6rg"), "not UTF-8");
    CHECK_FAILS(SITU_IO, situ_save("/nowhere/at/all", TENSORS(x), .names = "a"));
    FILE *f = fopen(path, "rb");
    CHECK(!f); /* none of them left a file */
    CHECK_FAILS(SITU_IO, situ_save("/dev/full", TENSORS(situ_ones(SHAPE(100000))), .names = "a"), "No space left");
}
