/* situ info: shows the contents of a file of tensors, or of a model. */
#include <situ.h>

#include <stdio.h>
#include <string.h>

#include "command.h"

static int run(int argc, char **argv);

const cli_command cli_info = {
    .name = "info",
    .summary = "tells what is in a file of tensors: names, dtypes, shapes, bytes, metadata",
    .usage = "info FILE",
    .text = "Checks a file of safetensors (or the index of several, x.safetensors.index.json) or GGUF, as it is checked before it\n"
            "is used, and lists its tensors in the order of the file: name, dtype, shape and bytes; then its metadata and sums.\n"
            "Of a model (x.onnx): its inputs, results, operators and parameters.\n",
    .run = run,
};

static void print_shape(situ_shape shape)
{
    char text[256] = "[";
    size_t used = 1;
    for (int i = 0; i < shape.ndim; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ", %lld" : "%lld", (long long)shape.dim[i]);
    snprintf(text + used, sizeof text - used, "]");
    printf("%-24s", text);
}

/* Prints a name from the file; invisible characters are shown as ?. */
static void print_name(const char *text, int width)
{
    int n = 0;
    for (; *text; text++, n++) putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
    for (; n < width; n++) putchar(' ');
}

static int print_all(const situ_archive *a)
{
    int64_t bytes = 0, numbers = 0, n = situ_archive_count(a);
    int width = 4;
    for (int64_t i = 0; i < n; i++) {
        int length = (int)strlen(situ_archive_name(a, i));
        width = length > width && length <= 60 ? length : width;
    }
    for (int64_t i = 0; i < n; i++) {
        situ_shape shape = situ_archive_shape(a, i);
        int64_t count = 1;
        for (int d = 0; d < shape.ndim; d++) count *= shape.dim[d];
        print_name(situ_archive_name(a, i), width + 2);
        printf("%-8s", situ_archive_type(a, i));
        print_shape(shape);
        printf("%14lld\n", (long long)situ_archive_bytes(a, i));
        bytes += situ_archive_bytes(a, i);
        numbers += count;
    }
    for (int64_t i = 0; i < situ_archive_metadata_count(a); i++) {
        print_name(situ_archive_metadata_key(a, i), 0);
        printf(" = ");
        print_name(situ_archive_metadata(a, situ_archive_metadata_key(a, i)), 0);
        putchar('\n');
    }
    printf("%lld tensors, %lld numbers, %lld bytes\n", (long long)n, (long long)numbers, (long long)bytes);
    return EXIT_DONE;
}

static void print_names(const char *what, const situ_module *net, const char *(*name_of)(const situ_module *, int))
{
    const char *name;
    for (int i = 0; (name = name_of(net, i)); i++) {
        printf("%-10s", what);
        print_name(name, 0);
        putchar('\n');
    }
}

static int print_model(const char *path)
{
    situ_module *net = situ_onnx_load(path, .device = situ_cpu());
    if (!net) return cli_fail("info");
    long long numbers = 0, bytes = 0;
    int n = situ_module_count(net);
    print_names("input", net, situ_onnx_input);
    print_names("result", net, situ_onnx_result);
    printf("%-10s%s\n", "operators", situ_onnx_operators(net));
    for (int i = 0; i < n; i++) {
        situ_tensor *v = situ_module_parameter(net, i);
        long long size = (long long)situ_count(v) * (long long)situ_dtype_size(situ_dtype_of(v));
        print_name(situ_module_name(net, i), 30);
        printf("  %-8s", situ_dtype_name(situ_dtype_of(v)));
        print_shape(situ_shape_of(v));
        printf("%14lld\n", size);
        numbers += (long long)situ_count(v);
        bytes += size;
    }
    printf("%d parameters, %lld numbers, %lld bytes\n", n, numbers, bytes);
    situ_module_free(net);
    return situ_failed() ? cli_fail("info") : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *value;
    int rest, got = cli_next_option(&cli_info, argc, argv, &value, &rest);
    if (got != -1) return got == -3 ? EXIT_DONE : EXIT_USAGE;
    if (argc - rest != 1) {
        fprintf(stderr, "situ info: name one file; `situ info --help` tells more\n");
        return EXIT_USAGE;
    }
    const char *end = strrchr(argv[rest], '.');
    if (end && !strcmp(end, ".onnx")) return print_model(argv[rest]);
    situ_archive *a = situ_archive_open(argv[rest]);
    if (!a) return cli_fail("info");
    int status = print_all(a);
    situ_archive_close(a);
    return status;
}
