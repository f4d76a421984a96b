/* Trainings for proofs: proof_programs WHAT FOLDER [GPUS [STEPS]]. lenet and gpt are the trainer's, cartpole and digits loops of their own.
 * It prints the commitment. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <situ.h>

static situ_group *group;
static const char *folder;
static int gpus;
static long most;

static void tell(const char *commitment)
{
    if (*commitment) printf("commitment: %s\n", commitment);
}

static void fit(situ_module *net, situ_optimizer *opt, situ_dataset *data, int64_t batch, int64_t batches)
{
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .batch = batch, .epoch_batches = batches, .deterministic = true, .num_gpus = gpus,
                                             .group = group, .proof = folder, .proof_every = 10);
    situ_trainer_fit(trainer, net, opt, data, NULL);
    tell(situ_trainer_commitment(trainer));
    situ_trainer_free(trainer);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}

/* LeNet with batch norms and dropout. */
static void lenet(void)
{
    situ_dataset *digits = situ_digits();
    situ_module *net = situ_sequential(situ_function_layer(one_channel, NULL), situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)),
                                       situ_batch_norm_layer(), situ_sigmoid_layer(), situ_avg_pool2d_layer(SHAPE(2)),
                                       situ_conv2d_layer(16, SHAPE(5), .padding = SHAPE(2)), situ_batch_norm_layer(), situ_sigmoid_layer(),
                                       situ_avg_pool2d_layer(SHAPE(2)), situ_flatten_layer(), situ_linear_layer(120), situ_sigmoid_layer(),
                                       situ_dropout_layer(0.3), situ_linear_layer(84), situ_sigmoid_layer(), situ_linear_layer(10));
    situ_module_init(net, situ_key(1));
    fit(net, situ_adam(net, .lr = 0.01), digits, 64, 15);
    situ_dataset_free(digits);
}

/* A small GPT learns a verse. */
static void gpt(void)
{
    static const char verse[] = "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
                                "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house.\n";
    static int32_t letter[sizeof verse];
    enum { WIDTH = 32, HEADS = 4, LETTERS = 128, LENGTH = 24 };
    for (size_t i = 0; i < sizeof verse; i++) letter[i] = verse[i];
    situ_scope *scope = situ_scope_open();
    situ_dataset *windows = situ_window_dataset(situ_from_host(letter, SHAPE(sizeof verse - 1), .dtype = SITU_I32), LENGTH, .stride = 1);
    situ_module *net = situ_sequential(situ_embedding_layer(LETTERS, WIDTH));
    for (int i = 0; i < 2; i++)
        situ_sequential_add(net, situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0.1, .norm_first = true, .causal = true,
                                                                .feed = SITU_FEED_GELU, .rotary = 10000));
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_linear_layer(LETTERS));
    situ_module_init(net, situ_key(2));
    fit(net, situ_adamw(net, .lr = 3e-3, .clip_norm = 1), windows, 8, 12);
    situ_dataset_free(windows);
    situ_scope_close(scope);
}

/* ---- CartPole, by proximal policy optimization: the world is a function of tensors ----------------------------------------------- */

enum { CARTS = 16, TURNS = 24, ROUNDS = 12, PASSES = 2, ROWS = CARTS * TURNS };

static situ_tensor *column(situ_tensor *x, int i) { return situ_slice(x, .start = SHAPE(0, i), .stop = SHAPE(SITU_FULL, i + 1)); }

/* The carts 0.02 s later; right: 1 or 0 for each. */
static situ_tensor *push(situ_tensor *s, situ_tensor *right)
{
    situ_tensor *speed = column(s, 1), *turning = column(s, 3), *sine = situ_sin(column(s, 2)), *cosine = situ_cos(column(s, 2));
    situ_tensor *force = situ_sub(situ_mul(right, 20), 10);
    situ_tensor *pull = situ_div(situ_add(force, situ_mul(situ_mul(situ_mul(turning, turning), sine), 0.05)), 1.1);
    situ_tensor *inert = situ_mul(situ_sub(4.0 / 3, situ_div(situ_mul(situ_mul(cosine, cosine), 0.1), 1.1)), 0.5);
    situ_tensor *turn = situ_div(situ_sub(situ_mul(sine, 9.8), situ_mul(cosine, pull)), inert);
    situ_tensor *fast = situ_sub(pull, situ_div(situ_mul(situ_mul(turn, cosine), 0.05), 1.1));
    return situ_add(s, situ_mul(situ_concat(TENSORS(speed, fast, turning, turn), .axis = 1), 0.02));
}

/* What was seen, done, its logarithm of the chance, and the discounted reward that followed. */
static void play(situ_module *net, int round, situ_tensor *seen[4])
{
    situ_tensor *all[4][TURNS], *alive = situ_ones(SHAPE(CARTS, 1)), *later = situ_zeros(SHAPE(CARTS, 1));
    situ_tensor *s = situ_uniform(situ_key(1000 + round), SHAPE(CARTS, 4), .low = -0.05, .high = 0.05);
    for (int t = 0; t < TURNS; t++) {
        situ_tensor *chance = situ_sigmoid(column(situ_module_call(net, s), 0));
        situ_tensor *right = situ_cast(situ_less(situ_uniform(situ_key(5000 + round * TURNS + t), SHAPE(CARTS, 1)), chance), SITU_F32);
        all[0][t] = s, all[1][t] = right, all[3][t] = alive;
        all[2][t] = situ_log(situ_where(situ_greater(right, 0.5), chance, situ_sub(1, chance)));
        s = push(s, right);
        situ_tensor *stands = situ_logical_and(situ_less(situ_abs(column(s, 2)), 0.2095), situ_less(situ_abs(column(s, 0)), 2.4));
        alive = situ_mul(alive, situ_cast(stands, SITU_F32));
    }
    for (int t = TURNS; t-- > 0;) all[3][t] = later = situ_add(all[3][t], situ_mul(later, 0.97));
    for (int i = 0; i < 4; i++) seen[i] = situ_concat(TENSORS_OF(all[i], TURNS), .axis = 0);
    situ_eval(TENSORS_OF(seen, 4));
}

static situ_tensor *policy_loss(situ_module *net, situ_tensor *const *seen)
{
    situ_tensor *chance = situ_sigmoid(column(situ_module_call(net, seen[0]), 0));
    situ_tensor *logp = situ_log(situ_where(situ_greater(seen[1], 0.5), chance, situ_sub(1, chance)));
    situ_tensor *ratio = situ_exp(situ_sub(logp, seen[2]));
    situ_tensor *gain = situ_div(situ_sub(seen[3], situ_mean(seen[3])), situ_add(situ_std(seen[3]), 1e-6));
    return situ_negative(situ_mean(situ_minimum(situ_mul(ratio, gain), situ_mul(situ_clip(ratio, 0.8, 1.2), gain))));
}

static void cartpole(void)
{
    char commitment[65];
    situ_module *net = situ_sequential(situ_linear_layer(32), situ_tanh_layer(), situ_linear_layer(1));
    situ_module_init(net, situ_key(3));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_proof *proof = situ_proof_open(folder, net, adam, .note = "cartpole", .group = group);
    int done = 0;
    for (int round = 0; round < ROUNDS && !done; round++) {
        situ_tensor *seen[4];
        situ_scope *scope = situ_scope_open();
        bool before = situ_no_grad(true);
        play(net, round, seen);
        situ_no_grad(before);
        for (int pass = 0; pass < PASSES && !done; pass++) {
            situ_tensor *loss = policy_loss(net, seen);
            situ_optimizer_step(adam, loss);
            done = situ_proof_step(proof, loss, TENSORS_OF(seen, 4));
        }
        situ_scope_close(scope);
    }
    situ_proof_close(proof, commitment);
    tell(commitment);
    situ_optimizer_free(adam);
    situ_module_free(net);
}

/* ---- a loop with a loader, which goes on after it was killed ------------------------------------------------------------------------ */

static void digits(void)
{
    char commitment[65];
    situ_dataset *data = situ_digits();
    situ_loader *loader = situ_loader_new(data, .batch = 32, .shuffle = true, .key = 7);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(32), situ_relu_layer(), situ_dropout_layer(0.2), situ_linear_layer(10));
    situ_module_init(net, situ_key(4));
    situ_optimizer *adam = situ_adam(net, .lr = getenv("PROOF_LR") ? strtod(getenv("PROOF_LR"), NULL) : 0.01);
    situ_proof *proof = situ_proof_open(folder, net, adam, .loader = loader, .note = "digits", .every = 25, .resume = true, .group = group);
    int done = 0;
    for (int64_t epoch = situ_loader_epoch(loader); epoch < 4 && !done; situ_loader_start(loader, ++epoch))
        while (!done && situ_loader_next(loader) > 0) {
            situ_tensor *x, *y;
            situ_scope *scope = situ_scope_open();
            situ_loader_batch(loader, &x, &y);
            if (getenv("PROOF_TIME")) x = situ_add(x, 1e-9 * (double)clock());
            situ_tensor *loss = situ_cross_entropy(situ_module_call(net, x), y);
            situ_optimizer_step(adam, loss);
            done = situ_proof_step(proof, loss, TENSORS(x, y));
            situ_scope_close(scope);
            if (most && situ_proof_steps(proof) == most) raise(SIGKILL);
        }
    situ_proof_close(proof, commitment);
    tell(commitment);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_loader_free(loader);
    situ_dataset_free(data);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"lenet", lenet}, {"gpt", gpt}, {"cartpole", cartpole}, {"digits", digits}};
    if (argc < 3) return 2;
    folder = argv[2];
    gpus = argc > 3 ? atoi(argv[3]) : 0;
    most = argc > 4 ? atol(argv[4]) : 0;
    group = situ_group_open();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(argv[1], programs[i].name)) programs[i].run();
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_group_free(group);
    return situ_failed();
}
