/* situ emit: writes a network as one C file. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "os/plain.h"

enum { OUTPUT, INPUT, NAME, TRAIN, TARGET, SET, MOST_INPUTS = 16 };

static const cli_option options[] = {
    [OUTPUT] = {"output", "FILE", "the C file to write; the header is written beside it", 'o'},
    [INPUT] = {"input", "SHAPE", "shape of an input, such as 1,3,32,32 or i64[1,16]; once for each input, in order", 'i'},
    [NAME] = {"name", "NAME", "what names in the file begin with, instead of the file's name", 0},
    [TRAIN] = {"train", "RULE", "writes its training step, too, by this optimizer: adam, sgd, ...", 0},
    [TARGET] = {"target", "SHAPE", "with --train: shape of the targets of cross entropy, such as i64[16]", 0},
    [SET] = {"set", "NAME=VALUE", "with --train: a hyper-parameter of the optimizer, such as lr=0.01", 0},
    {0},
};

/* Optimizers by name, with the library's defaults. */
#define RULES(X) \
    X(sgd) X(adam) X(adamw) X(adagrad) X(rmsprop) X(adadelta) X(adamax) X(nadam) X(radam) X(lion) X(lamb) X(adafactor) X(muon)
#define MAKE(name) \
    static situ_optimizer *make_##name(situ_module *net) { return situ_##name(net); }
RULES(MAKE)
#define ROW(name) {#name, make_##name},
static const struct {
    const char *name;
    situ_optimizer *(*make)(situ_module *net);
} rules[] = {RULES(ROW)};

/* What the command is asked for. */
typedef struct request {
    const char *from, *to, *name, *train, *target, *shape[MOST_INPUTS], *set[MOST_INPUTS];
    int shapes, sets;
} request;

static int run(int argc, char **argv);

const cli_command cli_emit = {
    .name = "emit",
    .summary = "writes a network as one C file that needs no library, with the same bits",
    .usage = "emit net.onnx -o net.c --input SHAPE...",
    .text =
        "Reads a network (ONNX) and writes what it computes for inputs of these shapes as C99: no memory is allocated, weights\n"
        "are constants, and all else lies in a struct that the caller places. docs/emit.md lists the operations; one that\n"
        "cannot be written is an error, and no file is touched. With --train the file has the training step by cross entropy, "
        "too.\n",
    .options = options,
    .run = run,
};

/* "1,3,32,32" or "i64[1,16]" as a tensor; NULL: not understood, or an error. */
static situ_tensor *example_of(const char *text)
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
    if (dtype != SITU_F32 && dtype != SITU_F64) return situ_zeros(shape, .dtype = dtype);
    return situ_cast(situ_uniform(situ_key(0), shape), dtype); /* the file's own test computes with it */
}

static int usage(const char *what, const char *value, const char *how)
{
    fprintf(stderr, "situ emit: %s %s; %s\n", what, value, how);
    return EXIT_USAGE;
}

static situ_optimizer *optimizer_of(const request *r, situ_module *net)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        situ_optimizer *opt = strcmp(rules[i].name, r->train) ? NULL : rules[i].make(net);
        for (int k = 0; k < r->sets && opt; k++) {
            char name[32], *end;
            const char *equals = strchr(r->set[k], '=');
            double value = equals ? situ_plain_number(equals + 1, &end) : 0;
            if (!equals || equals - r->set[k] >= (int)sizeof name || end == equals + 1 || *end) {
                usage("--set", r->set[k], "write a name and a number, such as lr=0.01");
                return situ_optimizer_free(opt), NULL;
            }
            snprintf(name, sizeof name, "%.*s", (int)(equals - r->set[k]), r->set[k]);
            if (situ_optimizer_set(opt, NULL, name, value)) return situ_optimizer_free(opt), NULL;
        }
        if (opt) return opt;
    }
    if (!situ_failed()) usage("--train", r->train, "the optimizers are sgd, adam, adamw, rmsprop, lion and others of situ/optim.h");
    return NULL;
}

static int write_training(const request *r, situ_module *net, situ_tensor **in)
{
    situ_tensor *target = example_of(r->target ? r->target : "?");
    if (!target && !situ_failed())
        return usage("--target", r->target ? r->target : "is missing", "write its shape, such as i64[16]");
    situ_optimizer *opt = target ? optimizer_of(r, net) : NULL;
    if (!opt) return situ_failed() ? cli_fail("emit") : EXIT_USAGE;
    int rc = situ_emit_train(opt, r->to, TENSORS_OF(in, r->shapes), target, .name = r->name);
    situ_optimizer_free(opt);
    return rc ? cli_fail("emit") : EXIT_DONE;
}

static int write_file(const request *r)
{
    situ_tensor *in[MOST_INPUTS];
    situ_module *net = situ_onnx_load(r->from, .device = situ_cpu(), .trainable = r->train != NULL);
    if (!net) return cli_fail("emit");
    int inputs = 0, status = EXIT_DONE, shapes = r->shapes;
    while (situ_onnx_input(net, inputs)) inputs++;
    if (inputs != shapes) {
        fprintf(stderr,
            "situ emit: %s has %d input%s (`situ info` lists them), and %d shape%s given; --input SHAPE once for each\n", r->from,
            inputs, inputs == 1 ? "" : "s", shapes, shapes == 1 ? " is" : "s are");
        situ_module_free(net);
        return EXIT_USAGE;
    }
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < shapes && status == EXIT_DONE; i++) {
        if ((in[i] = example_of(r->shape[i])) && !situ_failed()) continue;
        status = situ_failed() ? cli_fail("emit") :
                                 usage("--input", r->shape[i], "write sizes with commas, such as 1,3,32,32 or i64[1,16]");
    }
    if (status == EXIT_DONE && r->train) status = write_training(r, net, in);
    else if (status == EXIT_DONE && situ_emit(net, r->to, TENSORS_OF(in, shapes), .name = r->name)) status = cli_fail("emit");
    situ_scope_close(scope);
    situ_module_free(net);
    return status;
}

static int run(int argc, char **argv)
{
    request r = {0};
    const char *value;
    int rest, got;
    while ((got = cli_next_option(&cli_emit, argc, argv, &value, &rest)) >= 0) {
        if (got == OUTPUT) r.to = value;
        else if (got == NAME) r.name = value;
        else if (got == TRAIN) r.train = value;
        else if (got == TARGET) r.target = value;
        else if (got == SET && r.sets < MOST_INPUTS) r.set[r.sets++] = value;
        else if (got == INPUT && r.shapes < MOST_INPUTS) r.shape[r.shapes++] = value;
    }
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    if (!r.to || argc - rest != 1) {
        fprintf(stderr, "situ emit: %s; `situ emit --help` shows how\n",
            r.to ? "which network? name one file" : "where to? -o FILE says which file to write");
        return EXIT_USAGE;
    }
    r.from = argv[rest];
    return write_file(&r);
}
