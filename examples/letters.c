/* Text, letter after letter: a recurrent network of one's choice learns a verse, or a file, and writes on.
 * usage: letters [rnn|gru|lstm] [FILE] */
#include <situ.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 128, BATCH = 16, LENGTH = 32, LETTERS = 128, SPOKEN = 120 };

static const char verse[] =
    "This is the house that Jack built.\nThis is the malt that lay in the house that Jack built.\n"
    "This is the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that Jack built.\n";

/* Some of a text as numbers, [n] i32. */
static situ_tensor *letters_of(const char *path)
{
    static int32_t letter[1 << 20];
    int n = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (path && !file) perror(path), exit(1);
    if (file)
        for (int c; n < 1 << 20 && (c = getc(file)) != EOF;) letter[n++] = c & 127;
    else
        for (; verse[n]; n++) letter[n] = verse[n];
    if (file) fclose(file);
    return situ_from_host(letter, SHAPE(n), .dtype = SITU_I32);
}

static situ_module *layer_of(const char *kind)
{
    if (!strcmp(kind, "rnn")) return situ_rnn_layer(WIDTH);
    return !strcmp(kind, "gru") ? situ_gru_layer(WIDTH) : situ_lstm_layer(WIDTH);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "gru";
    int states = !strcmp(kind, "rnn") || !strcmp(kind, "gru") ? 1 : 2, passes = argc > 2 ? 1 : 40;
    situ_scope *scope = situ_scope_open();
    situ_dataset *windows = situ_window_dataset(letters_of(argc > 2 ? argv[2] : NULL), LENGTH, .stride = argc > 2 ? LENGTH : 4);
    situ_scope_close(scope);
    situ_loader *loader = situ_loader_new(windows, .batch = BATCH, .shuffle = true, .drop_last = true);
    situ_module *table = situ_embedding_layer(LETTERS, 32), *layer = layer_of(kind), *scores = situ_linear_layer(LETTERS);
    situ_module *net = situ_sequential(table, layer, scores); /* a sequence hands on y, and forgets the states */
    situ_optimizer *adam = situ_adam(net, .lr = 3e-3, .clip_norm = 1);
    double last = 0;

    for (int pass = 1; pass <= passes && !situ_failed(); pass++) {
        situ_loader_start(loader, pass);
        for (int64_t step = 1; situ_loader_next(loader) > 0; step++) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *text, *next;
            situ_loader_batch(loader, &text, &next);
            situ_tensor *loss = situ_cross_entropy(situ_module_call(net, text), next);
            situ_optimizer_step(adam, loss);
            if (step == situ_loader_batches(loader)) last = situ_item(loss);
            situ_scope_close(turn);
        }
        if (pass == 1 || pass % 10 == 0) printf("%s, pass %d: %.3f nats a letter\n", kind, pass, last);
    }

    /* One letter at a time: a call gives the states behind it, which the next one begins with. */
    situ_tensor *state[2] = {NULL, NULL}, *letter = NULL;
    scope = situ_scope_open();
    letter = situ_keep(situ_full(SHAPE(1, 1), 'T', .dtype = SITU_I64));
    for (int k = 0; k < states; k++) state[k] = situ_keep(situ_zeros(SHAPE(1, 1, WIDTH)));
    situ_scope_close(scope);
    putchar('T');
    for (int i = 0; i < SPOKEN && !situ_failed(); i++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *out[3], *old[3] = {letter, state[0], state[1]};
        situ_module_call_n(layer, TENSORS(situ_module_call(table, letter), state[0], state[1]), out, 3);
        letter = situ_keep(situ_categorical(situ_key(i), situ_mul(situ_module_call(scores, out[0]), 2))); /* at temperature 1/2 */
        for (int k = 0; k < states; k++) state[k] = situ_keep(out[1 + k]);
        putchar((int)situ_item_int(letter));
        for (int k = 0; k <= states; k++) situ_release(old[k]);
        situ_scope_close(turn);
    }
    putchar('\n');
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_release(letter);
    for (int k = 0; k < states; k++) situ_release(state[k]);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_loader_free(loader);
    situ_dataset_free(windows);
    return situ_failed() || !(last < 2.5);
}
