/* A training loop of one's own: variables, a gradient, assignments. No module, no optimizer, no trainer.
 *
 * Each turn records forward, backward and update; all of it is one plan, made in the first turn and reused. */
#include <situ.h>

enum { HIDDEN = 64, BATCH = 64, EPOCHS = 15 };

/* weight[in, out] starts normal with deviation 1/sqrt(in). */
static situ_tensor *weight(situ_tensor *key, int64_t in, int64_t out)
{
    situ_tensor *start = situ_div(situ_normal(key, SHAPE(in, out)), situ_sqrt(situ_full(SHAPE(), (double)in)));
    return situ_variable(start);
}

static situ_tensor *predict(situ_tensor *const p[4], situ_tensor *images)
{
    situ_tensor *x = situ_reshape(images, SHAPE(-1, 64));
    situ_tensor *hidden = situ_relu(situ_add(situ_matmul(x, p[0]), p[1]));
    return situ_add(situ_matmul(hidden, p[2]), p[3]);
}

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_loader *loader = situ_loader_new(train, .batch = BATCH, .shuffle = true, .drop_last = true);
    situ_loader *test = situ_loader_new(held_out, .batch = situ_dataset_count(held_out));

    situ_scope *scope = situ_scope_open();
    situ_tensor *key[2];
    situ_key_split_into(situ_key(0), 2, key);
    situ_tensor *p[4] = {weight(key[0], 64, HIDDEN), situ_variable(situ_zeros(SHAPE(HIDDEN))),
                         weight(key[1], HIDDEN, 10), situ_variable(situ_zeros(SHAPE(10)))};
    situ_tensor *total = situ_variable(situ_zeros(SHAPE()), .trainable = false); /* the loss, summed where it is made */

    for (int epoch = 0; epoch < EPOCHS && !situ_failed(); epoch++) {
        situ_assign(total, 0.0f);
        situ_loader_start(loader, epoch);
        while (situ_loader_next(loader) > 0) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *images, *labels, *g[4];
            situ_loader_batch(loader, &images, &labels);
            situ_tensor *loss = situ_cross_entropy(predict(p, images), labels);
            situ_grad(loss, TENSORS_OF(p, 4), g);
            for (int i = 0; i < 4; i++) situ_assign(p[i], situ_sub(p[i], situ_mul(g[i], 0.5)));
            situ_assign(total, situ_add(total, loss));
            situ_scope_close(turn); /* starts the turn's work and goes on */
        }
        printf("epoch %2d: loss %.4f\n", epoch + 1, situ_item(total) / (double)situ_loader_batches(loader));
    }

    situ_tensor *images, *labels;
    situ_loader_start(test, 0);
    if (situ_loader_next(test) > 0 && !situ_loader_batch(test, &images, &labels))
        printf("held-out accuracy: %.2f %%\n", 100 * situ_item(situ_accuracy(predict(p, images), labels)));
    situ_plan_counters plans = situ_plans();
    printf("%lld plans made, reused %lld times\n", (long long)plans.made, (long long)plans.reused);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());

    for (int i = 0; i < 4; i++) situ_release(p[i]);
    situ_release(total);
    situ_scope_close(scope);
    situ_loader_free(loader);
    situ_loader_free(test);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return situ_failed();
}
