/* How long a call of a loaded network takes: bench/engines NET.onnx SHAPE THREADS SECONDS (a shape such as 1,3,224,224). Prints the
 * seconds to load and of the first call; then answers each line on its input by the median time of the ordinary call in ms within
 * SECONDS, and "output" by the first numbers of the result. So another program can let other engines take turns (peers.py). */
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"

static float *out;
static int64_t out_size;

static int call(situ_module *net, situ_tensor *x)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_module_call(net, x);
    if (!out) out_size = situ_count(y), out = malloc((size_t)out_size * 4);
    int failed = situ_read(y, out, (size_t)out_size * 4);
    situ_scope_close(scope);
    return failed;
}

static situ_module *net;
static situ_tensor *x;

static int load(const char *path, char *sizes)
{
    situ_shape shape = {0};
    int64_t n = 1;
    for (char *part = strtok(sizes, ","); part && shape.ndim < SITU_MAX_DIMS; part = strtok(NULL, ",")) shape.dim[shape.ndim++] = atoll(part);
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *numbers = malloc((size_t)n * sizeof *numbers);
    for (int64_t i = 0; numbers && i < n; i++) numbers[i] = (float)(i * 2654435761u % 1000003) / 500001.5f - 1;
    net = situ_onnx_load(path);
    x = situ_keep(situ_from_host(numbers, shape));
    free(numbers);
    return -situ_failed();
}

static double median_of(double seconds)
{
    static double times[1 << 16];
    int count = 0;
    for (double begin = now(), t = begin; (!count || t - begin < seconds) && count < 1 << 16;) {
        call(net, x);
        double end = now();
        times[count++] = (end - t) * 1e3;
        t = end;
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

int main(int argc, char **argv)
{
    if (argc != 5) return fprintf(stderr, "usage: engines NET.onnx 1,3,224,224 THREADS SECONDS\n"), 2;
    situ_set_threads(atoi(argv[3]));
    double start = now();
    int failed = load(argv[1], argv[2]);
    double loaded = now();
    if (failed || call(net, x)) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    printf("%.3f %.3f\n", loaded - start, now() - loaded);
    fflush(stdout);
    for (char line[64]; fgets(line, sizeof line, stdin); fflush(stdout))
        if (strncmp(line, "output", 6)) printf("%.5f\n", median_of(atof(argv[4])));
        else
            for (int64_t i = 0; i < out_size && i < 1000; i++) printf("%.9g%c", (double)out[i], i + 1 < out_size && i < 999 ? ' ' : '\n');
    return 0;
}
