/* situ emit: writes a network as one C file. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { OUTPUT, INPUT, NAME, MOST_INPUTS = 16 };

static const cli_option options[] = {
    [OUTPUT] = {"output", "FILE", "the C file to write; the header is written beside it", 'o'},
    [INPUT] = {"input", "SHAPE", "shape of an input, such as 1,3,32,32 or i64[1,16]; once for each input, in order", 'i'},
    [NAME] = {"name", "NAME", "what names in the file begin with, instead of the file's name", 0},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_emit = {
    .name = "emit",
    .summary = "writes a network as one C file that needs no library, with the same bits",
    .usage = "emit net.onnx -o net.c --input SHAPE...",
    .text =
        "Reads a network (ONNX) and writes what it computes for inputs of these shapes as C99: no memory is allocated, weights\n"
        "are constants, and all else lies in a struct that the caller places. docs/emit.md lists the operations; one that\n"
        "cannot be written is an error, and no file is touched.\n",
    .options = options,
    .run = run,
};

/* "1,3,32,32" or "i64[1,16]" as a tensor of zeros; NULL: not understood, or an error. */
static situ_tensor *zeros_of(const char *text)
{
    situ_dtype dtype = SITU_F32;
    situ_shape shape = {.ndim = 0};
    const char *open = strchr(text, '[');
    if (open) {
        char name[16];
        if (open - text >= (int)sizeof name) return NULL;
        snprintf(name, sizeof name, "%.*s", (int)(open - text), text);
        if (situ_dtype_parse(name, &dtype)) return NULL;
        text = open + 1;
    }
    while (*text && *text != ']') {
        char *end;
        long long n = strtoll(text, &end, 10);
        if (end == text || n < 1 || shape.ndim == SITU_MAX_DIMS) return NULL;
        shape.dim[shape.ndim++] = n;
        text = *end == ',' ? end + 1 : end;
        if (end == text && *end && *end != ']') return NULL;
    }
    return situ_zeros(shape, .dtype = dtype);
}

static int write_file(const char *from, const char *to, const char *name, const char *const *shape, int shapes)
{
    situ_tensor *in[MOST_INPUTS];
    situ_module *net = situ_onnx_load(from, .device = situ_cpu(), .trainable = false);
    if (!net) return cli_fail("emit");
    int inputs = 0, status = EXIT_DONE;
    while (situ_onnx_input(net, inputs)) inputs++;
    if (inputs != shapes) {
        fprintf(stderr,
            "situ emit: %s has %d input%s (`situ info` lists them), and %d shape%s given; --input SHAPE once for each\n", from,
            inputs, inputs == 1 ? "" : "s", shapes, shapes == 1 ? " is" : "s are");
        situ_module_free(net);
        return EXIT_USAGE;
    }
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < shapes && status == EXIT_DONE; i++) {
        if ((in[i] = zeros_of(shape[i])) && !situ_failed()) continue;
        if (!situ_failed())
            fprintf(stderr, "situ emit: --input %s; write sizes with commas, such as 1,3,32,32 or i64[1,16]\n", shape[i]);
        status = situ_failed() ? cli_fail("emit") : EXIT_USAGE;
    }
    if (status == EXIT_DONE && situ_emit(net, to, TENSORS_OF(in, shapes), .name = name)) status = cli_fail("emit");
    situ_scope_close(scope);
    situ_module_free(net);
    return status;
}

static int run(int argc, char **argv)
{
    const char *value, *output = NULL, *name = NULL, *shape[MOST_INPUTS];
    int rest, got, shapes = 0;
    while ((got = cli_next_option(&cli_emit, argc, argv, &value, &rest)) >= 0) {
        if (got == OUTPUT) output = value;
        else if (got == NAME) name = value;
        else if (shapes < MOST_INPUTS) shape[shapes++] = value;
    }
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    if (!output || argc - rest != 1) {
        fprintf(stderr, "situ emit: %s; `situ emit --help` shows how\n",
            output ? "which network? name one file" : "where to? -o FILE says which file to write");
        return EXIT_USAGE;
    }
    return write_file(argv[rest], output, name, shape, shapes);
}
