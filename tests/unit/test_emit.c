/* Networks as C files: what is refused, and that nothing is written then. Bits: tests/checks/emit.sh. */
#include "test.h"

#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"

static char *text_of(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = calloc(1, 1 << 20);
    if (text && !fread(text, 1, (1 << 20) - 1, f)) text[0] = 0;
    fclose(f);
    return text;
}

TEST(a_file_and_its_header)
{
    situ_module *net = situ_sequential(situ_linear_layer(3), situ_relu_layer());
    const char *path = test_path("small.c");
    CHECK_EQ(situ_emit(net, path, TENSORS(situ_ones(SHAPE(2, 4)))), 0);
    char *source = text_of(path), *header = text_of(test_path("small.h"));
    CHECK(source && header);
    if (source && header) {
        CHECK(strstr(header, "#define SMALL_WEIGHTS_BYTES 60\n"));
        CHECK(strstr(header, "#define SMALL_INPUT_SHAPE {2, 4}\n"));
        CHECK(strstr(header, "#define SMALL_OUTPUT_COUNT 6 "));
        CHECK(strstr(header, "int small_run(small_context *context, const float *input, float *output);"));
        CHECK(strstr(source, "#include \"small.h\""));
        CHECK(strstr(source, "test_emit.c:")); /* the line of the program */
        CHECK(!strstr(source, "malloc"));
    }
    free(source);
    free(header);
    CHECK_EQ(situ_emit(net, path, TENSORS(situ_ones(SHAPE(2, 4))), .name = "other"), 0);
    header = text_of(test_path("small.h"));
    CHECK(header && strstr(header, "int other_run("));
    free(header);
    situ_module_free(net);
}

static situ_tensor *sorted(situ_tensor *x, void *self)
{
    (void)self;
    return situ_sort(x);
}

static situ_tensor *both(situ_tensor *x, void *self)
{
    (void)self;
    return situ_real(situ_mul(situ_complex(x, x), situ_complex(x, x)));
}

#define REFUSED(code_, net_, path_, words, ...) \
    do { \
        const char *there_ = test_path(path_); \
        CHECK_FAILS(code_, situ_emit(net_, there_, __VA_ARGS__), words); \
        CHECK(!situ_file_exists(there_)); \
    } while (0)

TEST(what_cannot_be_written_is_named)
{
    situ_module *net = situ_function_layer(sorted, NULL), *other = situ_function_layer(both, NULL);
    situ_tensor *x = situ_ones(SHAPE(2, 4));
    REFUSED(SITU_UNSUPPORTED, net, "no.c", "sort at", TENSORS(x));
    REFUSED(SITU_UNSUPPORTED, other, "no.c", "complex numbers", TENSORS(x));
    REFUSED(SITU_BAD_ARGUMENT, other, "no.h", "is no name of a C file", TENSORS(x));
    REFUSED(SITU_BAD_OPTION, other, "7.c", "cannot begin names of C", TENSORS(x));
    REFUSED(SITU_BAD_ARGUMENT, NULL, "no.c", "the network is NULL", TENSORS(x));
    REFUSED(SITU_BAD_ARGUMENT, net, "no.c", "1 to 32 inputs", TENSORS_OF(NULL, 0));
    situ_module_free(net);
    situ_module_free(other);
}

/* ---- a step of training -------------------------------------------------------------------------------------------------------- */

static situ_module *trained(void)
{
    return situ_sequential(situ_linear_layer(6), situ_batch_norm_layer(), situ_dropout_layer(0.5), situ_linear_layer(3));
}
static situ_tensor *rows(void) { return situ_uniform(situ_key(1), SHAPE(4, 5)); }
static situ_tensor *labels(void) { return situ_remainder(situ_arange(0, 4, 1, .dtype = SITU_I64), 3); }

static void step(situ_module *net, situ_optimizer *opt, situ_tensor *x, situ_tensor *y)
{
    situ_optimizer_step(opt, situ_cross_entropy(situ_module_call(net, x), y));
    situ_eval(TENSORS(situ_module_parameter(net, 0)));
}

static size_t bytes_of(const char *path, char *to, size_t most)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(to, 1, most, f) : 0;
    if (f) fclose(f);
    return n;
}

/* A written step changes nothing here: the next steps are those of a twin that was not written. */
TEST(writing_a_step_changes_nothing)
{
    static char saved[2][16384];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        situ_module *net = trained();
        situ_optimizer *opt = situ_adam(net, .lr = 0.1, .clip_norm = 1);
        situ_tensor *x = rows(), *y = labels();
        step(net, opt, x, y);
        if (k) CHECK_EQ(situ_emit_train(opt, test_path("step.c"), TENSORS(x), y), 0);
        CHECK_EQ(situ_optimizer_steps(opt), 1);
        step(net, opt, x, y);
        const char *path = test_path("twin.safetensors");
        CHECK_EQ(situ_checkpoint_save(path, net, opt, NULL), 0);
        size[k] = bytes_of(path, saved[k], sizeof saved[k]);
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    CHECK(size[0] > 500 && size[0] == size[1] && !memcmp(saved[0], saved[1], size[0]));
    char *header = text_of(test_path("step.h")), *source = text_of(test_path("step.c"));
    CHECK(header && strstr(header, "int step_train(step_context *context, const float *input, const int64_t *target, float *loss);"));
    CHECK(header && strstr(header, "int step_run(step_context *context, const float *input, float *output);"));
    CHECK(header && strstr(header, "int step_load(step_context *context, const unsigned char *from, size_t bytes);"));
    CHECK(header && strstr(header, "#define STEP_TARGET_SHAPE {4}"));
    CHECK(source && strstr(source, "rate_corrected(a, t)"));
    free(header);
    free(source);
}

static double bumpy(int64_t t, void *user)
{
    (void)user;
    return t % 3 ? 1 : 0.5;
}
static situ_tensor *elementwise_loss(situ_tensor *prediction, situ_tensor *target) { return situ_mul(prediction, situ_expand_dims(target, 1)); }

#define NO_STEP(code_, opt_, words, ...) \
    do { \
        const char *there_ = test_path("no.c"); \
        CHECK_FAILS(code_, situ_emit_train(opt_, there_, TENSORS(x), y, __VA_ARGS__), words); \
        CHECK(!situ_file_exists(there_)); \
    } while (0)

TEST(steps_that_cannot_be_written_are_named)
{
    situ_module *net = trained();
    situ_tensor *x = rows(), *y = labels();
    NO_STEP(SITU_BAD_ARGUMENT, NULL, "the optimizer is NULL", .name = "no");
    situ_optimizer *opt = situ_radam(net);
    NO_STEP(SITU_UNSUPPORTED, opt, "does other operations than later ones", .name = "no");
    for (int i = 0; i < 6; i++) step(net, opt, x, y);
    CHECK_EQ(situ_emit_train(opt, test_path("later.c"), TENSORS(x), y), 0);
    situ_schedule_custom(opt, bumpy, NULL);
    NO_STEP(SITU_UNSUPPORTED, opt, "changes from step to step", .name = "no");
    situ_schedule_constant(opt);
    NO_STEP(SITU_BAD_ARGUMENT, opt, "the loss is no scalar", .loss = elementwise_loss);
    situ_optimizer_set_accumulation(opt, 2);
    NO_STEP(SITU_UNSUPPORTED, opt, "the gradients of 2 calls", .name = "no");
    situ_optimizer_free(opt);
    situ_module_free(net);
    net = situ_sequential(situ_linear_layer(3), situ_function_layer(sorted, NULL));
    opt = situ_sgd(net);
    NO_STEP(SITU_UNSUPPORTED, opt, "sort at", .name = "no");
    CHECK_EQ(situ_optimizer_steps(opt), 0);
    situ_optimizer_free(opt);
    situ_module_free(net);
}
