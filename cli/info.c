/* situ info: what is in a file of tensors. */
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
            "is used, and lists its tensors in the order of the file: name, dtype, shape and bytes; then its metadata and sums.\n",
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

/* Names are the file's: what is no visible character is shown as ?. */
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

static int run(int argc, char **argv)
{
    const char *value;
    int rest, got = cli_next_option(&cli_info, argc, argv, &value, &rest);
    if (got != -1) return got == -3 ? EXIT_DONE : EXIT_USAGE;
    if (argc - rest != 1) {
        fprintf(stderr, "situ info: name one file; `situ info --help` tells more\n");
        return EXIT_USAGE;
    }
    situ_archive *a = situ_archive_open(argv[rest]);
    if (!a) return cli_fail("info");
    int status = print_all(a);
    situ_archive_close(a);
    return status;
}
