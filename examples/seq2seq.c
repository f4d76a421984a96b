/* A sequence to another one (Sutskever et al., 2014), with attention (Luong et al., 2015): eight digits, written in reverse. */
#include <situ.h>

enum { WIDTH = 64, DIGITS = 10, BEGIN = 10, LENGTH = 8, BATCH = 64, STEPS = 800 };

/* The reader's states speak for each digit of the text; the writer begins with its last one and looks back at all of them. */
typedef struct model {
    situ_module *whole, *table, *reader, *writer, *query, *scores;
} model;

static model make(void)
{
    model m = {.table = situ_embedding_layer(DIGITS + 1, 32), .reader = situ_gru_layer(WIDTH), .writer = situ_gru_layer(WIDTH),
               .query = situ_linear_layer(WIDTH, .bias = false), .scores = situ_linear_layer(DIGITS)};
    m.whole = situ_module_list(SITU_PARTS(m.table, m.reader, m.writer, m.query, m.scores)); /* for the optimizer */
    return m;
}

/* states [batch, length, WIDTH] of the reader, and its last one in *h. */
static situ_tensor *read_in(const model *m, situ_tensor *text, situ_tensor **h)
{
    situ_tensor *out[2];
    situ_module_call_n(m->reader, TENSORS(situ_module_call(m->table, text)), out, 2);
    *h = out[1];
    return out[0];
}

/* Scores of what follows each digit of `before`; *h goes on. */
static situ_tensor *write_on(const model *m, situ_tensor *before, situ_tensor *states, situ_tensor **h)
{
    situ_tensor *out[2];
    situ_module_call_n(m->writer, TENSORS(situ_module_call(m->table, before), *h), out, 2);
    *h = out[1];
    situ_tensor *seen = situ_attention(situ_module_call(m->query, out[0]), states, states);
    return situ_module_call(m->scores, situ_concat(TENSORS(out[0], seen), .axis = 2));
}

static situ_tensor *texts(int64_t seed) { return situ_randint(situ_key(seed), SHAPE(BATCH, LENGTH), 0, DIGITS); }

/* The writer reads what it wrote itself. */
static situ_tensor *translate(const model *m, situ_tensor *text)
{
    situ_tensor *h, *states = read_in(m, text, &h), *said[LENGTH];
    situ_tensor *last = situ_full(SHAPE(BATCH, 1), BEGIN, .dtype = SITU_I64);
    for (int i = 0; i < LENGTH; i++) said[i] = last = situ_argmax(write_on(m, last, states, &h), .axis = -1);
    return situ_concat(TENSORS_OF(said, LENGTH), .axis = 1);
}

int main(void)
{
    model m = make();
    situ_optimizer *adam = situ_adam(m.whole, .lr = 5e-3, .clip_norm = 1);
    situ_schedule_cosine(adam, STEPS);
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *text = texts(step), *wanted = situ_flip(text, .axes = 1), *h;
        situ_tensor *begin = situ_full(SHAPE(BATCH, 1), BEGIN, .dtype = situ_dtype_of(text));
        situ_tensor *before = situ_concat(TENSORS(begin, situ_slice(wanted, .stop = SHAPE(SITU_FULL, LENGTH - 1))), .axis = 1);
        situ_tensor *states = read_in(&m, text, &h);
        situ_tensor *loss = situ_cross_entropy(write_on(&m, before, states, &h), wanted);
        situ_optimizer_step(adam, loss);
        if (step % 200 == 0) printf("step %3d: loss %.4f\n", step, situ_item(loss));
        situ_scope_close(scope);
    }
    situ_scope *scope = situ_scope_open();
    situ_tensor *text = texts(-1), *right = situ_equal(translate(&m, text), situ_flip(text, .axes = 1));
    double share = situ_item(situ_mean(situ_cast(situ_all(right, .axes = 1), SITU_F32)));
    printf("%.1f %% of new sequences come out right\n", 100 * share);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(m.whole);
    return situ_failed() || !(share > 0.9);
}
