/* An optimizer of one's own, by the public headers alone: Lion (X. Chen et al., Symbolic Discovery of Optimization Algorithms,
 * 2023), which steps by the sign of a direction. Trained on two GPUs where there are (SITU_SIM_GPUS=2), with clipped gradients. */
#include <situ.h>

typedef struct lion_options {
    double lr, beta1, beta2, weight_decay, clip_norm;
} lion_options;

static int one(const void *options)
{
    (void)options;
    return 1;
}

/* p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g. */
static situ_tensor *lion(situ_optimizer_update *u)
{
    const lion_options *o = u->options;
    situ_tensor *m = u->slot[0];
    situ_tensor *step = situ_sign(situ_add(situ_mul(m, o->beta1), situ_mul(u->g, 1 - o->beta1)));
    u->next[0] = situ_add(situ_mul(m, o->beta2), situ_mul(u->g, 1 - o->beta2));
    return situ_sub(situ_mul(u->p, 1 - o->lr * o->weight_decay), situ_mul(step, o->lr));
}

static const situ_optimizer_rule rule = {
    .name = "lion", .slots = one, .update = lion,
    SITU_HYPERS(lion_options, SITU_HYPER(lion_options, lr, 3e-3, 0, 1, "how far a step goes"),
                SITU_HYPER(lion_options, beta1, 0.9, 0, 1, "how much the direction weighs in a step", .open = true),
                SITU_HYPER(lion_options, beta2, 0.99, 0, 1, "how slowly the direction moves", .open = true),
                SITU_HYPER(lion_options, weight_decay, 0.1, 0, 100, "how strongly parameters are drawn to 0"),
                SITU_HYPER(lion_options, clip_norm, 1, 0, 1e9, "largest global norm of the gradients, 0: any"))};

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *opt = situ_optimizer_custom(net, &rule, NULL); /* its defaults; or &(lion_options){...} */
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 10, .num_gpus = 2, .cosine = true);

    situ_trainer_fit(trainer, net, opt, train, held_out);
    situ_trainer_save_hyperparameters(trainer, opt, stdout);
    printf("held-out accuracy: %.2f %%\n", 100 * situ_trainer_accuracy(trainer));
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());

    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return situ_failed();
}
