/* Random numbers depend on a key and a position, on nothing else: the same bits on every device and in every run. */
#include <string.h>

#include <situ.h>

int main(void)
{
    if (!situ_num_gpus()) situ_sim_gpus(1);
    situ_scope *scope = situ_scope_open();

    /* A key is used once; for more, it is split. */
    situ_tensor *key[3];
    situ_key_split_into(situ_key(42), 3, key);
    situ_print(situ_normal(key[0], SHAPE(2, 4)));
    situ_print(situ_randint(key[1], SHAPE(10), 0, 6));
    situ_print(situ_permutation(key[2], 8));

    /* A loop folds its step into one key. */
    for (int step = 0; step < 3; step++) printf("step %d: %.7f\n", step, situ_item(situ_uniform(situ_fold_in(situ_key(7), step), SHAPE())));

    float here[1000], there[1000];
    situ_read(situ_normal(situ_key(0), SHAPE(1000)), here, sizeof here);
    situ_read(situ_normal(situ_key(0, .device = situ_gpu(0)), SHAPE(1000)), there, sizeof there);
    printf("cpu(0) and gpu(0) gave %s bits\n", memcmp(here, there, sizeof here) ? "DIFFERENT" : "the same");

    /* Dropout is a mask from a key; bernoulli, categorical and gumbel work alike. */
    situ_print(situ_dropout(situ_ones(SHAPE(8)), situ_key(1), 0.5));
    situ_print(situ_categorical(situ_key(3), situ_log(situ_from_host(((float[]){0.1f, 0.2f, 0.7f}), SHAPE(1, 3)))));
    situ_scope_close(scope);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
