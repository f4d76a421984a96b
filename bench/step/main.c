/* A training step of a language model: bench/step full|lora|gpt2 STEPS [MODEL.gguf]. Prints a line for each step: the
 * loss, wall time, CPU time, and the peak of resident memory so far. bench/peers/step.py does the same with PyTorch;
 * bench/steps compares them. */
#include <situ.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { BLOCKS = 12, WIDTH = 768, HEADS = 12, WORDS = 50257, PLACES = 1024, RANK = 8 };

typedef struct work {
    situ_module *net, *table, *place, *block[BLOCKS], *norm;
    int64_t rows, length;
} work;

static double seconds(bool processor)
{
    struct timespec t;
    clock_gettime(processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss >> 10;
}

/* GPT-2 of 124 million parameters (Radford et al. 2019). */
static void make_gpt2(work *w)
{
    w->rows = 4;
    w->length = 64;
    w->table = situ_embedding_layer(WORDS, WIDTH);
    w->place = situ_embedding_layer(PLACES, WIDTH);
    w->norm = situ_layer_norm_layer(.in = WIDTH);
    w->net = situ_sequential(w->table, w->place);
    situ_module_initialize(w->net, "", SITU_INIT_UNIFORM, .gain = 0.035);
    for (int i = 0; i < BLOCKS; i++) {
        w->block[i] =
            situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0, .norm_first = true, .causal = true, .feed = SITU_FEED_GELU);
        situ_sequential_add(w->net, w->block[i]);
    }
    situ_sequential_add(w->net, w->norm);
}

static void make_llama(work *w, const char *path, bool lora)
{
    w->rows = 1;
    w->length = 256;
    w->net = situ_llama_open(path, .keep = lora);
    if (lora) situ_llama_adapt(w->net, RANK);
}

static situ_tensor *scores(const work *w, situ_tensor *tokens)
{
    if (!w->table) return situ_module_call(w->net, tokens);
    situ_tensor *x = situ_add(
        situ_module_call(w->table, tokens), situ_module_call(w->place, situ_arange(0, (double)w->length, 1, .dtype = SITU_I32)));
    for (int i = 0; i < BLOCKS; i++) x = situ_module_call(w->block[i], x);
    return situ_matmul(situ_module_call(w->norm, x), situ_transpose(situ_module_parameter(w->table, 0)));
}

int main(int argc, char **argv)
{
    int steps = argc > 2 ? atoi(argv[2]) : 0;
    const char *name = steps > 0 ? argv[1] : "";
    bool gpt2 = !strcmp(name, "gpt2"), lora = !strcmp(name, "lora");
    if (!gpt2 && (argc < 4 || (!lora && strcmp(name, "full")))) {
        fprintf(stderr, "usage: step full|lora|gpt2 STEPS [MODEL.gguf]; gpt2 needs no file\n");
        return 2;
    }
    work w = {0};
    if (gpt2) make_gpt2(&w);
    else make_llama(&w, argv[3], lora);
    situ_optimizer *adam = w.net ? situ_adamw(w.net, .lr = 1e-5) : NULL;
    int32_t token[256], next[256];
    for (int i = 0; i < 256; i++) token[i] = 1000 + 37 * i % 5000, next[i] = 1000 + 37 * (i + 1) % 5000;
    for (int i = 0; i < steps && !situ_failed(); i++) {
        double begin = seconds(false), processor = seconds(true);
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(token, SHAPE(w.rows, w.length)), *y = situ_from_host(next, SHAPE(w.rows, w.length));
        situ_tensor *loss = situ_cross_entropy(scores(&w, x), y);
        situ_optimizer_step(adam, loss);
        double value = situ_item(loss);
        situ_wait(loss);
        situ_scope_close(scope);
        printf("loss %.6f seconds %.4f processor %.4f MiB %ld\n", value, seconds(false) - begin, seconds(true) - processor, peak());
        fflush(stdout);
    }
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_optimizer_free(adam);
    situ_module_free(w.net);
    return situ_failed();
}
