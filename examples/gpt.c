/* A GPT (Radford et al., 2018) learns a verse, or a file, and writes on with a cache of keys and values: gpt [FILE [STEPS]] */
#include <situ.h>
#include <stdlib.h>

enum { WIDTH = 64, HEADS = 4, BLOCKS = 2, LETTERS = 128, LENGTH = 64, BATCH = 8, MOST = LENGTH };

static const char verse[] =
    "This is the house that Jack built.\nThis is the malt that lay in the house that Jack built.\n"
    "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that Jack built.\n";

typedef struct gpt {
    situ_module *net, *table, *block[BLOCKS], *norm, *scores;
} gpt;

static gpt make(void)
{
    gpt g = {.table = situ_embedding_layer(LETTERS, WIDTH), .norm = situ_layer_norm_layer(), .scores = situ_linear_layer(LETTERS)};
    g.net = situ_sequential(g.table);
    for (int i = 0; i < BLOCKS; i++) {
        g.block[i] = situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0, .norm_first = true, .causal = true,
                                                    .feed = SITU_FEED_GELU, .rotary = 10000);
        situ_sequential_add(g.net, g.block[i]);
    }
    situ_sequential_add(g.net, g.norm);
    situ_sequential_add(g.net, g.scores);
    return g;
}

/* The text's letters, [n] i32. */
static situ_tensor *letters_of(const char *path)
{
    static int32_t letter[1 << 21], n = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (path && !file) perror(path), exit(1);
    for (; !file && verse[n]; n++) letter[n] = verse[n];
    for (int c; file && n < 1 << 21 && (c = getc(file)) != EOF;) letter[n++] = c & 127;
    if (file) fclose(file);
    return situ_from_host(letter, SHAPE(n), .dtype = SITU_I32);
}

/* Writes MOST letters; one call for each: k and v of every block are variables that it puts the new ones in. */
static void speak(const gpt *g)
{
    situ_tensor *cache[BLOCKS][2], *letter = situ_variable(situ_full(SHAPE(1, 1), 'T', .dtype = SITU_I64), .trainable = false);
    for (int i = 0; i < 2 * BLOCKS; i++)
        cache[i / 2][i % 2] = situ_variable(situ_zeros(SHAPE(1, HEADS, MOST, WIDTH / HEADS)), .trainable = false);
    putchar('T');
    for (int at = 0; at < MOST && !situ_failed(); at++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *x = situ_module_call(g->table, letter), *out[3];
        for (int i = 0; i < BLOCKS; i++) {
            situ_tensor *position = situ_from_host(&(int32_t){at}, SHAPE(), .dtype = SITU_I32);
            situ_module_call_n(g->block[i], TENSORS(x, NULL, NULL, cache[i][0], cache[i][1], position), out, 3);
            x = out[0];
            for (int k = 0; k < 2; k++) situ_assign(cache[i][k], out[1 + k]);
        }
        situ_tensor *scores = situ_module_call(g->scores, situ_module_call(g->norm, x));
        situ_assign(letter, situ_categorical(situ_key(at), situ_mul(scores, 2))); /* at temperature 1/2 */
        putchar((int)situ_item_int(letter));
        situ_scope_close(turn);
    }
    puts("");
    situ_release(letter);
    for (int i = 0; i < 2 * BLOCKS; i++) situ_release(cache[i / 2][i % 2]);
}

int main(int argc, char **argv)
{
    int steps = argc > 2 ? atoi(argv[2]) : argc > 1 ? 2000 : 300, step = 0;
    situ_scope *scope = situ_scope_open();
    situ_dataset *windows = situ_window_dataset(letters_of(argc > 1 ? argv[1] : NULL), LENGTH, .stride = 1);
    situ_loader *loader = situ_loader_new(windows, .batch = BATCH, .shuffle = true, .drop_last = true);
    gpt g = make();
    situ_optimizer *adam = situ_adamw(g.net, .lr = 3e-3, .clip_norm = 1);
    situ_schedule_cosine(adam, steps);
    double last = 0;
    for (int pass = 0; step < steps && !situ_failed(); pass++) {
        situ_loader_start(loader, pass);
        while (step < steps && situ_loader_next(loader) > 0) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *text, *next;
            situ_loader_batch(loader, &text, &next);
            situ_tensor *loss = situ_cross_entropy(situ_module_call(g.net, text), next);
            situ_optimizer_step(adam, loss);
            if (++step % 100 == 0) printf("step %4d: %.3f nats a letter\n", step, last = situ_item(loss));
            situ_scope_close(turn);
        }
    }
    situ_module_set_training(g.net, false);
    speak(&g);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(g.net);
    situ_loader_free(loader);
    situ_dataset_free(windows);
    return situ_failed() || !(last < 2.5);
}
