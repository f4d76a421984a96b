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
