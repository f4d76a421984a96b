/* A model with a state, chunk after chunk, as tests/interop/onnx_silero.py asks for it on standard input:
 * usage: onnx_stream MODEL CHUNKS WIDTH RATE     CHUNKS: a file of f32, WIDTH of them a chunk
 *   "write FILE"     all chunks from a state of zeros on: result and state of each, f32
 *   "time COUNT"     so many chunks: prints seconds, of the wall and of this process's processor time */
#include <situ.h>
#include <situ/onnx.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 2, WIDTH = 128 };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The probability of one chunk; the state goes on. */
static double advance(situ_module *net, const float *chunk, int64_t width, situ_tensor *state, situ_tensor *rate)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *out[2];
    situ_module_call_n(net, TENSORS(situ_from_host(chunk, SHAPE(1, width)), state, rate), out, 2);
    situ_assign(state, out[1]);
    double p = situ_item(out[0]);
    situ_scope_close(scope);
    return p;
}

static int write_all(
    const char *path, situ_module *net, const float *chunk, int64_t n, int64_t width, situ_tensor *state, situ_tensor *rate)
{
    static float row[1 + LAYERS * WIDTH];
    FILE *file = fopen(path, "wb");
    situ_assign(state, situ_zeros(SHAPE(LAYERS, 1, WIDTH)));
    for (int64_t i = 0; file && i < n && !situ_failed(); i++) {
        row[0] = (float)advance(net, chunk + i * width, width, state, rate);
        situ_read(state, row + 1, sizeof row - sizeof *row);
        if (fwrite(row, sizeof row, 1, file) != 1) break;
    }
    return file ? fclose(file) : 1;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 5 ? fopen(argv[2], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: onnx_stream MODEL CHUNKS WIDTH RATE\n"), 2;
    static float chunk[1 << 20];
    int64_t width = atoi(argv[3]), n = (int64_t)fread(chunk, sizeof *chunk, 1 << 20, file) / width;
    fclose(file);
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_onnx_load(argv[1]);
    situ_module_set_training(net, false);
    situ_tensor *state = situ_variable(situ_zeros(SHAPE(LAYERS, 1, WIDTH)), .trainable = false);
    situ_tensor *rate = situ_from_host((const int64_t[]){atoi(argv[4])}, SHAPE());
    situ_no_grad(true);
    int64_t parameters = 0;
    for (int i = 0; i < situ_module_count(net); i++) parameters += situ_count(situ_module_parameter(net, i));
    printf("%d parameters of %lld numbers\n", situ_module_count(net), (long long)parameters);
    fflush(stdout);
    char line[512];
    for (int64_t at = 0; fgets(line, sizeof line, stdin) && !situ_failed();) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "write ", 6)) printf("%d\n", write_all(line + 6, net, chunk, n, width, state, rate));
        else {
            double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
            for (int count = atoi(line + 5); count > 0; count--, at++) advance(net, chunk + at % n * width, width, state, rate);
            printf("%.9f %.9f\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
        }
        fflush(stdout);
    }
    situ_module_free(net);
    situ_scope_close(scope);
    return situ_failed();
}
