/* How fast a language model goes on with a text: bench/llama FILE.gguf ... [--rounds N] [--ask]
 *
 * Each file's weights stay as they are there. In each round each row has its turn: the product of a table of 49152 x
 * 576 with a vector, whose bandwidth is what memory gives; a step with a context of 128 tokens, one with a context of
 * 2,048 of which few are there, one with 2,048 of which nearly all are there; the first 256 tokens at once. Prints
 * medians of the rounds: times in ms; the share of the product's bandwidth at which a step reads weights; steps of the
 * long contexts over those of the short one; how many times as fast as the first file's. Quotients are taken within a
 * round, as other programs on the machine disturb them less then.
 *
 * With --ask it answers lines on its input, "ROW FILE" (names as below, number of the file), by the time in ms: so
 * another program can let something else have its turns in between (peers.py). */
#include <situ.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_FILES = 8, MOST_ROUNDS = 99, STEPS = 3, FIRST = 256, SHORT = 128, LONG = 2048, BEGIN = 32, NEARLY = LONG - 128 };
enum { PRODUCT, STEP, EMPTY, FULL, PREFILL, ROWS };
static const char *const row_name[] = {"product", "step", "empty", "full", "prefill"};

static struct file {
    const char *path;
    double bytes;
    situ_module *model[ROWS]; /* one for each row, because a model has one key/value cache */
    double time[ROWS][MOST_ROUNDS];
} file[MOST_FILES];
static double product[MOST_ROUNDS];
static situ_tensor *table, *vector;
static int32_t tokens[LONG];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *from, int n)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, from, (size_t)n * sizeof *from);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The median of the rounds' ratios. */
static double quotient(const double *a, const double *b, int n)
{
    double each[MOST_ROUNDS];
    for (int i = 0; i < n; i++) each[i] = a[i] / b[i];
    return median(each, n);
}

static void multiply(void)
{
    situ_scope *scope = situ_scope_open();
    situ_wait(situ_matmul(vector, situ_transpose(table)));
    situ_scope_close(scope);
}

static void step(situ_module *m, int64_t count)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *logits = situ_llama_step(m, situ_from_host(tokens, SHAPE(1, count), .dtype = SITU_I32));
    situ_item_int(situ_argmax(situ_reshape(logits, SHAPE(-1))));
    situ_scope_close(scope);
}

/* Fills the key/value cache until only a few steps fit. */
static void prepare(situ_module *m, int row)
{
    int64_t most = row == STEP ? SHORT : LONG, there = row == FULL ? NEARLY : row == PREFILL ? 0 : BEGIN;
    bool fresh = row == PREFILL || !situ_llama_position(m) || situ_llama_position(m) + STEPS > most;
    if (fresh) situ_llama_begin(m, .context = most);
    while (fresh && situ_llama_position(m) < there && !situ_failed()) step(m, there < FIRST ? there : FIRST - (row == FULL) * 16);
}

static double turn(int row, const struct file *f)
{
    double time[STEPS], begin;
    int n = row == PREFILL ? 1 : STEPS;
    if (row != PRODUCT) prepare(f->model[row], row);
    for (int i = 0; i < n; i++) {
        begin = now();
        if (row == PRODUCT) multiply();
        else step(f->model[row], row == PREFILL ? FIRST : 1);
        time[i] = now() - begin;
    }
    return median(time, n);
}

static void answer(int files)
{
    char line[64], name[16];
    int k;
    while (!situ_failed() && fgets(line, sizeof line, stdin) && sscanf(line, "%15s %d", name, &k) == 2 && k >= 0 && k < files)
        for (int row = 0; row < ROWS; row++)
            if (!strcmp(row_name[row], name)) printf("%.4f\n", turn(row, file + k)), fflush(stdout);
}

static void take_turns(int files, int rounds)
{
    for (int i = 0; i < rounds && !situ_failed(); i++)
        for (int k = -1; k < files; k++)
            for (int row = k < 0 ? PRODUCT : STEP; row < (k < 0 ? STEP : ROWS); row++)
                *(k < 0 ? product + i : file[k].time[row] + i) = turn(row, file + (k < 0 ? 0 : k));
    double bytes = 4.0 * 49152 * 576;
    printf("product 49152 x 576: %.2f ms, %.1f GB/s\n", median(product, rounds), bytes / median(product, rounds) / 1e6);
    printf("%-28s%8s%10s%10s%8s%8s%9s%11s%10s\n", "", "step ms", "tokens/s", "bandwidth", "empty/", "full/", "full ms", "prefill ms", "speed/1st");
    for (int k = 0; k < files; k++) {
        const struct file *f = file + k;
        const char *name = strrchr(f->path, '/') ? strrchr(f->path, '/') + 1 : f->path;
        double ms = median(f->time[STEP], rounds), share = f->bytes / bytes * quotient(product, f->time[STEP], rounds);
        printf("%-28.28s%8.2f%10.1f%10.2f%8.3f%8.3f%9.2f%11.1f%10.2f\n", name, ms, 1e3 / ms, share, quotient(f->time[EMPTY], f->time[STEP], rounds),
            quotient(f->time[FULL], f->time[STEP], rounds), median(f->time[FULL], rounds), median(f->time[PREFILL], rounds),
            quotient(file[0].time[STEP], f->time[STEP], rounds));
    }
}

int main(int argc, char **argv)
{
    int files = 0, rounds = 9;
    bool ask = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounds") && i + 1 < argc) rounds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--ask")) ask = true;
        else if (files < MOST_FILES) file[files++].path = argv[i];
    }
    if (!files || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: bench/llama FILE.gguf ... [--rounds N] [--ask]; 1 to 8 files, 1 to 99 rounds\n");
        return 2;
    }
    for (int i = 0; i < LONG; i++) tokens[i] = 100 + i;
    situ_scope *scope = situ_scope_open();
    table = situ_keep(situ_normal(situ_key(0), SHAPE(49152, 576)));
    vector = situ_keep(situ_normal(situ_key(1), SHAPE(1, 576)));
    for (int k = 0; k < files && !situ_failed(); k++) {
        situ_archive *a = situ_archive_open(file[k].path);
        for (int64_t i = 0; a && i < situ_archive_count(a); i++) file[k].bytes += (double)situ_archive_bytes(a, i);
        situ_archive_close(a);
        for (int row = STEP; row < ROWS; row++) file[k].model[row] = situ_llama_open(file[k].path, .keep = true);
        for (int row = STEP; row < ROWS; row++) turn(row, file + k); /* makes the plans */
    }
    if (ask) answer(files);
    else if (!situ_failed()) take_turns(files, rounds);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    int failed = situ_failed();
    for (int k = 0; k < files; k++)
        for (int row = STEP; row < ROWS; row++) situ_module_free(file[k].model[row]);
    situ_release(table);
    situ_release(vector);
    situ_scope_close(scope);
    return failed;
}
