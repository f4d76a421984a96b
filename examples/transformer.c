/* A Transformer with encoder and decoder (Vaswani et al., 2017) that sorts eight digits. */
#include <situ.h>

enum { WIDTH = 64, HEADS = 4, DIGITS = 10, BEGIN = 10, LENGTH = 8, BATCH = 64, STEPS = 500 };

typedef struct model {
    situ_module *whole, *table, *places, *encoder, *decoder, *scores;
} model;

static model make(void)
{
    model m = {.table = situ_embedding_layer(DIGITS + 1, WIDTH), .places = situ_embedding_layer(LENGTH, WIDTH),
               .encoder = situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0, .norm_first = true),
               .decoder = situ_transformer_decoder_layer(WIDTH, HEADS, .dropout = 0, .norm_first = true),
               .scores = situ_linear_layer(DIGITS)};
    m.whole = situ_module_list(SITU_PARTS(m.table, m.places, m.encoder, m.decoder, m.scores)); /* for the optimizer */
    return m;
}

/* Digits [batch, n] as vectors, and where they are. */
static situ_tensor *vectors(const model *m, situ_tensor *digits)
{
    situ_tensor *place = situ_arange(0, (double)situ_dim(digits, 1), 1, .dtype = SITU_I64);
    return situ_add(situ_module_call(m->table, digits), situ_module_call(m->places, place));
}

/* Scores of what follows each digit of `before`. */
static situ_tensor *write_on(const model *m, situ_tensor *before, situ_tensor *memory)
{
    situ_tensor *y;
    situ_module_call_n(m->decoder, TENSORS(vectors(m, before), memory), &y, 1);
    return situ_module_call(m->scores, y);
}

static situ_tensor *texts(int64_t seed) { return situ_randint(situ_key(seed), SHAPE(BATCH, LENGTH), 0, DIGITS); }
static situ_tensor *begin(void) { return situ_full(SHAPE(BATCH, 1), BEGIN, .dtype = SITU_I64); }

/* The decoder reads what it wrote itself. */
static situ_tensor *translate(const model *m, situ_tensor *text)
{
    situ_tensor *memory = situ_module_call(m->encoder, vectors(m, text)), *said = begin();
    for (int i = 0; i < LENGTH; i++) {
        situ_tensor *all = situ_argmax(write_on(m, said, memory), .axis = -1);
        said = situ_concat(TENSORS(said, situ_slice(all, .start = SHAPE(SITU_FULL, i))), .axis = 1);
    }
    return situ_slice(said, .start = SHAPE(SITU_FULL, 1));
}

int main(void)
{
    model m = make();
    situ_optimizer *adam = situ_adam(m.whole, .lr = 2e-3);
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *text = texts(step), *wanted = situ_cast(situ_sort(text), SITU_I64);
        situ_tensor *before = situ_concat(TENSORS(begin(), situ_slice(wanted, .stop = SHAPE(SITU_FULL, LENGTH - 1))), .axis = 1);
        situ_tensor *memory = situ_module_call(m.encoder, vectors(&m, text));
        situ_tensor *loss = situ_cross_entropy(write_on(&m, before, memory), wanted);
        situ_optimizer_step(adam, loss);
        if (step % 100 == 0) printf("step %3d: loss %.4f\n", step, situ_item(loss));
        situ_scope_close(scope);
    }
    situ_module_set_training(m.whole, false);
    situ_scope *scope = situ_scope_open();
    situ_tensor *text = texts(-1), *right = situ_equal(translate(&m, text), situ_sort(text));
    double share = situ_item(situ_mean(situ_cast(situ_all(right, .axes = 1), SITU_F32)));
    printf("%.1f %% of new sequences come out sorted\n", 100 * share);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(m.whole);
    return situ_failed() || !(share > 0.9);
}
