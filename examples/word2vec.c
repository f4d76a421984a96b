/* Words as vectors: skip-grams with negative samples (Mikolov et al., 2013). The language is made here: a sentence speaks of one
 * of four subjects, so words of a subject must come out near each other. */
#include <situ.h>

enum { SUBJECTS = 4, WORDS = 32, PER_SUBJECT = WORDS / SUBJECTS, WIDTH = 16, BATCH = 256, NEGATIVE = 5, STEPS = 600 };

int main(void)
{
    situ_module *words = situ_embedding_layer(WORDS, WIDTH), *contexts = situ_embedding_layer(WORDS, WIDTH);
    situ_module *both = situ_module_list(SITU_PARTS(words, contexts));
    situ_optimizer *adam = situ_adam(both, .lr = 0.02);
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *key[4];
        situ_key_split_into(situ_key(step), 4, key);
        /* a word, another one of its sentence, and some that are of any sentence */
        situ_tensor *first = situ_mul(situ_randint(key[0], SHAPE(BATCH, 1), 0, SUBJECTS), PER_SUBJECT);
        situ_tensor *word = situ_add(first, situ_randint(key[1], SHAPE(BATCH, 1), 0, PER_SUBJECT));
        situ_tensor *beside = situ_add(first, situ_randint(key[2], SHAPE(BATCH, 1), 0, PER_SUBJECT));
        situ_tensor *others = situ_randint(key[3], SHAPE(BATCH, NEGATIVE), 0, WORDS);
        situ_tensor *context = situ_module_call(contexts, situ_concat(TENSORS(beside, others), .axis = 1));
        situ_tensor *score = situ_sum(situ_mul(situ_module_call(words, word), context), .axes = -1); /* [batch, 1 + NEGATIVE] */
        situ_tensor *said = situ_concat(TENSORS(situ_ones(SHAPE(BATCH, 1)), situ_zeros(SHAPE(BATCH, NEGATIVE))), .axis = 1);
        situ_tensor *loss = situ_binary_cross_entropy_with_logits(score, said);
        situ_optimizer_step(adam, loss);
        if (step % 200 == 0) printf("step %3d: loss %.4f\n", step, situ_item(loss));
        situ_scope_close(scope);
    }

    situ_scope *scope = situ_scope_open();
    situ_tensor *v = situ_module_find(words, "weight");
    situ_tensor *unit = situ_div(v, situ_sqrt(situ_sum(situ_square(v), .axes = 1, .keepdims = true)));
    situ_tensor *near = situ_sub(situ_matmul(unit, situ_transpose(unit)), situ_mul(situ_eye(WORDS), 2)); /* not itself */
    int64_t nearest[WORDS];
    int right = 0;
    situ_read(situ_argmax(near, .axis = 1), nearest, sizeof nearest);
    for (int i = 0; i < WORDS; i++) right += nearest[i] / PER_SUBJECT == i / PER_SUBJECT;
    printf("%d of %d words have one of their own subject as the nearest\n", right, WORDS);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(both);
    return situ_failed() || right < 28;
}
