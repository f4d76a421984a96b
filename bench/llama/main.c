/* How fast a language model decodes: bench/llama MODEL.gguf [OTHER.gguf]. Rounds alternate between the product of the table of tokens
 * alone, which is as fast as memory is read, and steps of each model (weights as in the file) with a small and a large context. Prints
 * the least time of each, in ms, and the share of the product's bandwidth at which the weights are read. */
#include <situ.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 8, MODELS = 3, PREFILL = 256 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void least(double *best, double time) { *best = *best == 0 || time < *best ? time : *best; }

static double product(situ_tensor *x, situ_tensor *w)
{
    double begin = now();
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_matmul(x, situ_transpose(w));
    situ_wait(y);
    situ_scope_close(scope);
    return now() - begin;
}

static double step(situ_module *m, const int32_t *tokens, int64_t count)
{
    double begin = now();
    situ_scope *scope = situ_scope_open();
    situ_tensor *logits = situ_llama_step(m, situ_from_host(tokens, SHAPE(1, count), .dtype = SITU_I32));
    situ_item_int(situ_argmax(situ_reshape(logits, SHAPE(-1))));
    situ_scope_close(scope);
    return now() - begin;
}

int main(int argc, char **argv)
{
    static int32_t tokens[PREFILL];
    for (int i = 0; i < PREFILL; i++) tokens[i] = 100 + i;
    double table = 0, small[MODELS] = {0}, large[MODELS] = {0}, first[MODELS] = {0}, bytes[MODELS] = {0};
    situ_module *m[MODELS] = {NULL};
    int models = argc - 1 < MODELS ? argc - 1 : MODELS;
    situ_scope *scope = situ_scope_open();
    situ_tensor *w = situ_keep(situ_normal(situ_key(0), SHAPE(49152, 576))), *x = situ_keep(situ_normal(situ_key(1), SHAPE(1, 576)));
    for (int k = 0; k < models && !situ_failed(); k++) {
        situ_archive *a = situ_archive_open(argv[1 + k]);
        for (int64_t i = 0; a && i < situ_archive_count(a); i++) bytes[k] += (double)situ_archive_bytes(a, i);
        situ_archive_close(a);
        m[k] = situ_llama_open(argv[1 + k], .keep = true);
    }
    for (int round = 0; round < ROUNDS && !situ_failed(); round++)
        for (int k = 0; k < models; k++) {
            least(&table, product(x, w));
            situ_llama_begin(m[k], .context = 128);
            step(m[k], tokens, 32);
            for (int i = 0; i < 3; i++) least(&small[k], step(m[k], tokens, 1));
            situ_llama_begin(m[k], .context = 2048);
            step(m[k], tokens, 32);
            for (int i = 0; i < 3; i++) least(&large[k], step(m[k], tokens, 1));
            situ_llama_begin(m[k], .context = 2048);
            if (round % 8 == 0) least(&first[k], step(m[k], tokens, PREFILL));
        }
    double bandwidth = 4.0 * 49152 * 576 / table;
    printf("product 49152 x 576: %.2f ms, %.1f GB/s\n", table, bandwidth / 1e6);
    for (int k = 0; k < models; k++)
        printf("%s: step %.2f ms (%.1f tokens/s, %.2f of the bandwidth), context 2048 %.2f ms (%.2f), prefill of %d %.0f ms\n", argv[1 + k],
            small[k], 1e3 / small[k], bytes[k] / small[k] / bandwidth, large[k], large[k] / small[k], PREFILL, first[k]);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    for (int k = 0; k < models; k++) situ_module_free(m[k]);
    situ_release(w);
    situ_release(x);
    situ_scope_close(scope);
    return situ_failed();
}
