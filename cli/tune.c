/* situ tune: measures which code multiplies matrices fastest on this machine, and writes the tuning file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "command.h"
#include "os/plain.h"

enum { SIZES, SECONDS, OUTPUT, SHOW, PROFILE, MOST_SIZES = 256 };

static const cli_option options[] = {
    [SIZES] = {"sizes", "LIST", "products to measure, as 256x784x256,f64:100x100x100: m x k x n (default: a list of 19)", 's'},
    [SECONDS] = {"seconds", "X", "for each candidate at each size (default 0.1)", 0},
    [OUTPUT] = {"output", "FILE", "write there instead", 'o'},
    [SHOW] = {"show", NULL, "measure nothing: tell which file is used, or why it is not", 0},
    [PROFILE] = {"profile", "FILE", "write what this machine's host and CPU cost, for SITU_SIM_PROFILE, and nothing else", 0},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_tune = {
    .name = "tune",
    .summary = "measures what multiplies matrices fastest on this machine and writes the tuning file",
    .usage = "tune [options]",
    .text = "Times our own kernels and every library that is found (oneDNN, BLIS, OpenBLAS, MKL), each called with one thread\n"
            "inside our pool, at a list of sizes. The choice goes to the file that SITU_TUNING names, else to situ/tuning in\n"
            "XDG_CONFIG_HOME or ~/.config; every program that uses situ reads it at its first product. A product goes by\n"
            "the nearest size, at most a factor of 2 away; others go by the built-in order. A library is chosen where it is\n"
            "5 % faster: our own kernels have the same bits on every machine. SITU_BLAS goes before the file, and\n"
            "SITU_TUNING=/dev/null is no file. Leave the machine alone while it measures (some 10 seconds).\n",
    .options = options,
    .run = run,
};

typedef struct settings {
    situ_tune_size size[MOST_SIZES];
    int32_t sizes;
    double seconds;
    const char *output, *profile;
    bool show;
} settings;

static bool read_sizes(const char *list, settings *s)
{
    char *text = strdup(list), *rest = NULL;
    bool good = text != NULL;
    for (char *word = text ? strtok_r(text, ",", &rest) : NULL; word && good; word = strtok_r(NULL, ",", &rest)) {
        situ_tune_size *size = &s->size[s->sizes];
        long long m, k, n;
        char more;
        bool wide = !strncmp(word, "f64:", 4);
        good = s->sizes < MOST_SIZES &&
            sscanf(word + (wide || !strncmp(word, "f32:", 4) ? 4 : 0), "%lldx%lldx%lld%c", &m, &k, &n, &more) == 3;
        if (good) *size = (situ_tune_size){m, k, n, wide ? SITU_F64 : SITU_F32};
        s->sizes += good;
    }
    if (!good || !s->sizes)
        fprintf(stderr, "situ tune: --sizes takes a list as 256x784x256,f64:100x100x100 of at most %d, not %s\n", MOST_SIZES, list);
    free(text);
    return good && s->sizes;
}

static bool read_option(int which, const char *value, settings *s)
{
    switch (which) {
    case SIZES: return read_sizes(value, s);
    case SECONDS: return cli_read_double("tune", "seconds", value, 0, 3600, &s->seconds);
    case OUTPUT: s->output = value; return true;
    case PROFILE: s->profile = value; return true;
    default: return s->show = true;
    }
}

static void show(void *self, const situ_tune_result *r)
{
    (void)self;
    char size[64];
    snprintf(size, sizeof size, "%s %lldx%lldx%lld", situ_dtype_name(r->size.dtype), (long long)r->size.m, (long long)r->size.k,
        (long long)r->size.n);
    printf("%3d of %d  %-22s", r->at, r->of, size);
    for (int i = 0; i < r->count; i++) situ_plain_print(stdout, "  %s%s %.1f", i == r->chosen ? "*" : "", r->name[i], r->rate[i]);
    printf("\n");
    fflush(stdout);
}

static int run(int argc, char **argv)
{
    settings *s = calloc(1, sizeof *s);
    const char *value;
    int rest, got, status = EXIT_USAGE;
    if (!s) return fprintf(stderr, "situ tune: out of memory\n"), EXIT_FAILED;
    s->seconds = 0.1;
    while ((got = cli_next_option(&cli_tune, argc, argv, &value, &rest)) >= 0)
        if (!read_option(got, value, s)) goto end;
    if (got == -3) status = EXIT_DONE;
    if (got != -1) goto end;
    if (rest < argc) {
        fprintf(stderr, "situ tune: takes no arguments, but got %s\n", argv[rest]);
        goto end;
    }
    if (s->profile && (s->sizes || s->output || s->show)) {
        fprintf(stderr, "situ tune: --profile goes with no other option\n");
        goto end;
    }
    status = s->profile ? cli_tune_profile(s->profile) : EXIT_DONE;
    if (s->profile) goto end;
    if (s->show) {
        puts(situ_tuning());
        goto end;
    }
    printf("GFLOP/s on %d threads, * is chosen\n", situ_threads());
    if (situ_tune(s->output, .sizes = s->sizes ? s->size : NULL, .count = s->sizes, .seconds = s->seconds, .progress = show))
        status = cli_fail("tune");
end:
    free(s);
    return status;
}
