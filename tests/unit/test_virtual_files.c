/* Files that are no files: what is written to a program's function is what a file gets; what is read from memory or from a function is
 * what a file gives, and what is wrong in it is the same error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <situ.h>

#include "support/files.h"
#include "test.h"

/* ---- a writer and a reader ------------------------------------------------------------------------------------------------------- */

typedef struct bytes {
    char *at;
    int64_t size, most; /* most: what the writer accepts, 0: all */
    int64_t read;       /* how much the reader has given */
    int64_t fails;      /* after how many bytes it fails, 0: never */
    int released;
} bytes;

static int take(void *self, const void *from, int64_t size)
{
    bytes *b = self;
    if (b->most && b->size + size > b->most) return 1;
    b->at = realloc(b->at, (size_t)(b->size + size) + 1);
    memcpy(b->at + b->size, from, (size_t)size);
    b->size += size;
    return 0;
}

/* By pieces of a prime number of bytes. */
static int64_t give(void *self, void *to, int64_t size)
{
    bytes *b = self;
    if (b->fails && b->read >= b->fails) return -1;
    int64_t n = b->size - b->read < size ? b->size - b->read : size;
    n = n < 61 ? n : 61;
    memcpy(to, b->at + b->read, (size_t)n);
    b->read += n;
    return n;
}

static void released(void *self) { ((bytes *)self)->released++; }

static bytes file_bytes(const char *path)
{
    bytes b = {.at = NULL};
    char piece[4096];
    FILE *f = fopen(path, "rb");
    CHECK(f);
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f));) take(&b, piece, (int64_t)n);
    if (f) fclose(f);
    return b;
}

/* ---- each kind of file ----------------------------------------------------------------------------------------------------------- */

static situ_module *network(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(5), situ_relu_layer(), situ_linear_layer(2));
    situ_module_call(net, situ_uniform(situ_key(3), SHAPE(2, 3)));
    return net;
}

static int save_module(const char *path)
{
    situ_module *net = network();
    int rc = situ_module_save(net, path, .metadata = "made=here");
    situ_module_free(net);
    return rc;
}

static int save_checkpoint(const char *path)
{
    situ_module *net = network();
    situ_optimizer *adam = situ_adam(net);
    situ_optimizer_step(adam, situ_mean(situ_square(situ_module_call(net, situ_uniform(situ_key(4), SHAPE(2, 3))))));
    int rc = situ_checkpoint_save(path, net, adam, NULL);
    situ_optimizer_free(adam);
    situ_module_free(net);
    return rc;
}

static int save_onnx(const char *path)
{
    situ_module *net = network();
    int rc = situ_onnx_save(net, path, TENSORS(situ_uniform(situ_key(5), SHAPE(2, 3))));
    situ_module_free(net);
    return rc;
}

static int save_tensors(const char *path)
{
    return situ_save(path, TENSORS(situ_uniform(situ_key(6), SHAPE(3, 4)), situ_cast(situ_uniform(situ_key(7), SHAPE(7)), SITU_F16)), .names = "a,b");
}

static int save_tensor(const char *path) { return situ_save(path, TENSORS(situ_uniform(situ_key(6), SHAPE(3, 4)))); }

/* A GGUF file of one tensor, as its specification lays it out. */
static int save_gguf(const char *path)
{
    char all[64 + 12] = "GGUF\3";
    all[8] = 1;                     /* tensor, and no metadata */
    all[24] = 1, all[32] = 'w';     /* its name */
    all[33] = 1, all[37] = 3;       /* one axis, of 3; type 0 at offset 0 */
    memcpy(all + 64, (float[]){1, 2, 3}, 12);
    write_file(path, all, 64 + 12);
    return 0;
}

/* Reads all of it; the sum of its values by a weight for each place, or the message. */
static const char *told(double sum)
{
    static char text[64];
    static situ_error error;
    snprintf(text, sizeof text, "%.17g", sum);
    return situ_error_take(&error) ? error.message : text;
}

static double weighed(situ_tensor *t, double before)
{
    situ_tensor *flat = situ_cast(situ_reshape(t, SHAPE(-1)), SITU_F64);
    return situ_failed() ? before : 2 * before + situ_item(situ_sum(situ_mul(flat, situ_arange(0, (double)situ_count(flat), 1))));
}

static const char *load_archive(const char *path)
{
    double sum = 0;
    situ_archive *a = situ_archive_open(path);
    for (int64_t i = 0; i < situ_archive_count(a); i++) sum = weighed(situ_archive_get(a, situ_archive_name(a, i)), sum);
    situ_archive_close(a);
    return told(sum);
}

static double output(situ_module *net) { return situ_failed() ? 0 : weighed(situ_module_call(net, situ_uniform(situ_key(8), SHAPE(2, 3))), 0); }

static const char *load_module(const char *path)
{
    situ_module *net = situ_sequential(situ_linear_layer(5), situ_relu_layer(), situ_linear_layer(2));
    situ_module_load(net, path);
    double sum = output(net);
    situ_module_free(net);
    return told(sum);
}

static const char *load_checkpoint(const char *path)
{
    situ_module *net = situ_sequential(situ_linear_layer(5), situ_relu_layer(), situ_linear_layer(2));
    situ_optimizer *adam = situ_adam(net);
    situ_checkpoint_load(path, net, adam, NULL);
    double sum = output(net);
    situ_optimizer_free(adam);
    situ_module_free(net);
    return told(sum);
}

static const char *load_onnx(const char *path)
{
    situ_module *net = situ_onnx_load(path);
    double sum = output(net);
    situ_module_free(net);
    return told(sum);
}

static const struct {
    const char *name;
    int (*save)(const char *path);
    const char *(*load)(const char *path);
    bool handmade; /* not by a writer of the library */
} kinds[] = {{"net.safetensors", save_module, load_module, false}, {"both.npz", save_tensors, load_archive, false},
    {"both.safetensors", save_tensors, load_archive, false}, {"one.npy", save_tensor, load_archive, false}, {"net.onnx", save_onnx, load_onnx, false},
    {"run.safetensors", save_checkpoint, load_checkpoint, false}, {"one.gguf", save_gguf, load_archive, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The bytes of kind k, as a file has them. */
static bytes saved(int k)
{
    const char *path = test_path(kinds[k].name);
    CHECK_EQ(kinds[k].save(path), 0);
    return file_bytes(path);
}

TEST_IN_SCOPE(a_writer_gets_what_a_file_gets)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].handmade) continue;
        bytes file = saved(k), b = {.at = NULL};
        situ_virtual_file *f = situ_virtual_file_open(kinds[k].name, .write = take, .release = released, .self = &b);
        CHECK_EQ(kinds[k].save(situ_virtual_file_path(f)), 0);
        CHECK_EQ(b.size, file.size);
        CHECK(b.size == file.size && !memcmp(b.at, file.at, (size_t)b.size));
        CHECK_EQ(b.released, 0);
        situ_virtual_file_close(f);
        CHECK_EQ(b.released, 1);
        CHECK_OK();
        free(b.at);
        free(file.at);
    }
}

/* What the loader says of a virtual file, with the path of the file at `real` instead of its own. */
static const char *said(int k, situ_virtual_file *f, const char *real)
{
    static char text[2048];
    const char *path = situ_virtual_file_path(f), *message = kinds[k].load(path);
    size_t used = 0, size = strlen(path);
    for (const char *at = message; *at && used + strlen(real) + 2 < sizeof text;)
        if (!strncmp(at, path, size)) used += (size_t)snprintf(text + used, sizeof text - used, "%s", real), at += size;
        else text[used++] = *at++;
    text[used] = 0;
    return text;
}

/* The three ways to read bytes all say what a file of them does. */
static void check_reads(int k, const char *at, int64_t size)
{
    const char *real = file_of(kinds[k].name, at, (size_t)size);
    char whole[1024];
    snprintf(whole, sizeof whole, "%s", kinds[k].load(real));
    for (int way = 0; way < 3; way++) {
        bytes b = {.at = (char *)(uintptr_t)at, .size = size};
        situ_virtual_file *f = way == 2 ? situ_virtual_file_open(kinds[k].name, .read = give, .release = released, .self = &b) :
                                          situ_virtual_file_open(kinds[k].name, .bytes = at, .bytes_size = size, .borrow = way == 1,
                                              .release = released, .self = &b);
        CHECK_STR(said(k, f, real), whole);
        situ_virtual_file_close(f);
        CHECK_OK();
        if (way != 1) CHECK_EQ(b.released, 1);
    }
}

TEST_IN_SCOPE(memory_and_a_reader_give_what_a_file_gives)
{
    for (int k = 0; k < KINDS; k++) {
        bytes file = saved(k);
        check_reads(k, file.at, file.size);
        for (int64_t cut = 0; cut < file.size; cut += cut < 16 ? 1 : 1 + file.size / 11) check_reads(k, file.at, cut);
        static const char foreign[] = "PK\3\4 but this is no such file, it is some text instead";
        check_reads(k, foreign, sizeof foreign - 1);
        for (int i = 0; i < 12; i++) {
            char *at = file.at + i * (file.size / 12);
            *at = (char)~*at;
            check_reads(k, file.at, file.size);
            *at = (char)~*at;
        }
        free(file.at);
    }
}

/* ---- borrowed bytes --------------------------------------------------------------------------------------------------------------- */

TEST(borrowed_bytes_are_never_written_and_stay_as_long_as_they_are_used)
{
    situ_scope *scope = situ_scope_open();
    bytes file = saved(0), held = {.at = NULL};
    situ_scope_close(scope);
    size_t size = ((size_t)file.size + 65535) / 65536 * 65536;
    char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, file.at, (size_t)file.size);
    mprotect(page, size, PROT_READ); /* a write ends the test */
    situ_module *net = situ_sequential(situ_linear_layer(5), situ_relu_layer(), situ_linear_layer(2));
    situ_virtual_file *f = situ_virtual_file_open("net", .bytes = page, .bytes_size = file.size, .borrow = true, .release = released, .self = &held);
    scope = situ_scope_open();
    CHECK(situ_module_load(net, situ_virtual_file_path(f)) > 0);
    situ_scope_close(scope);
    situ_virtual_file_close(f);
    CHECK_EQ(held.released, 0);
    situ_optimizer *sgd = situ_sgd(net, .lr = .1);
    for (int i = 0; i < 3; i++) {
        scope = situ_scope_open();
        situ_optimizer_step(sgd, situ_mean(situ_square(situ_module_call(net, situ_uniform(situ_key(i), SHAPE(2, 3))))));
        situ_wait(situ_module_parameter(net, 0));
        situ_scope_close(scope);
    }
    situ_optimizer_free(sgd);
    situ_module_free(net);
    CHECK_OK();
    CHECK_EQ(held.released, 1);
    CHECK(!memcmp(page, file.at, (size_t)file.size));
    munmap(page, size);
    free(file.at);
}

/* ---- what cannot be done ----------------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(a_writer_or_reader_that_cannot_is_an_error_of_the_call)
{
    for (int k = 0; k < KINDS; k++) {
        bytes file = saved(k);
        for (int64_t most = 1; most < file.size && !kinds[k].handmade; most += 1 + file.size / 7) {
            bytes b = {.most = most};
            situ_virtual_file *f = situ_virtual_file_open(kinds[k].name, .write = take, .self = &b);
            CHECK_FAILS(SITU_IO, kinds[k].save(situ_virtual_file_path(f)), "virtual:");
            situ_virtual_file_close(f);
            free(b.at);
        }
        for (int64_t fails = 1; fails < file.size; fails += 1 + file.size / 7) {
            bytes b = file;
            b.fails = fails;
            situ_virtual_file *f = situ_virtual_file_open(kinds[k].name, .read = give, .self = &b);
            CHECK(strstr(kinds[k].load(situ_virtual_file_path(f)), "cannot read virtual:"));
            situ_virtual_file_close(f);
        }
        free(file.at);
    }
}

TEST_IN_SCOPE(a_virtual_file_is_read_or_written_as_it_was_made_for)
{
    bytes b = {.at = (char[]){0}, .size = 0};
    CHECK(!situ_virtual_file_open("a/b", .write = take));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK(!situ_virtual_file_open("a"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK(!situ_virtual_file_open("a", .read = give, .bytes = "b", .bytes_size = 1));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_virtual_file *out = situ_virtual_file_open("out.npy", .write = take, .self = &b);
    CHECK(!situ_archive_open(situ_virtual_file_path(out)));
    CHECK_CODE(SITU_IO);
    situ_virtual_file *in = situ_virtual_file_open("in.npy", .bytes = "", .bytes_size = 0);
    CHECK_FAILS(SITU_IO, save_tensor(situ_virtual_file_path(in)));
    CHECK(!situ_archive_open(situ_virtual_file_path(in)));
    CHECK_CODE(SITU_BAD_FORMAT);
    char path[64];
    snprintf(path, sizeof path, "%s", situ_virtual_file_path(in));
    situ_virtual_file_close(in);
    CHECK(!situ_archive_open(path));
    CHECK_CODE(SITU_IO);
    CHECK_STR(situ_virtual_file_path(in), "");
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_virtual_file_close(out);
    situ_virtual_file_close(NULL);
}

/* What Python's gzip makes of "a,b\n1,2\n3,4\n". */
TEST_IN_SCOPE(packed_bytes_are_unpacked)
{
    static const uint8_t packed[] = {31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 212, 73, 226, 50, 212, 49, 226, 50, 214, 49, 225, 2, 0, 229, 233, 214, 206, 12, 0, 0, 0};
    for (int borrow = 0; borrow < 2; borrow++) {
        situ_virtual_file *f = situ_virtual_file_open("x.csv.gz", .bytes = packed, .bytes_size = sizeof packed, .borrow = borrow);
        situ_dataset *set = situ_csv(situ_virtual_file_path(f));
        CHECK_EQ(situ_dataset_count(set), 2);
        situ_dataset_free(set);
        situ_virtual_file_close(f);
    }
}
