/* LeNet and a small GPT trained on PJRT devices, beside the CPU: the same losses and accuracy, and in deterministic
 * mode the same weights on one device and on two. SITU_GPUS=pjrt makes the devices those of a trainer:
 * tests/checks/pjrt.sh does that. */
#include <situ.h>
#include <stdlib.h>
#include <string.h>

#include "support/lenet.h"
#include "support/training.h"
#include "test.h"

static void need_two(void)
{
    const char *gpus = getenv("SITU_GPUS");
    if (!gpus || strcmp(gpus, "pjrt")) SKIP("a part of tests/checks/pjrt.sh, with SITU_GPUS=pjrt");
    if (situ_num_gpus() < 2) SKIP("there are no two PJRT devices");
}

/* What a training came to, and the bits of all weights on the first device. */
typedef struct outcome {
    double loss, accuracy;
    float weight[1 << 16];
    int64_t count;
} outcome;

static void keep_weights(situ_module *net, situ_device d, outcome *o)
{
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *w = situ_module_copy(net, i, d);
        int64_t n = situ_count(w);
        if (!CHECK(o->count + n <= 1 << 16)) return;
        CHECK_EQ(situ_read(w, o->weight + o->count, (size_t)n * sizeof *o->weight), 0);
        o->count += n;
    }
}

/* Trains what these make: on the CPU (0) or on so many devices. */
static void train(situ_module *(*network)(void), situ_dataset *(*data)(void), situ_loss_fn loss, int gpus, outcome *o)
{
    memset(o, 0, sizeof *o);
    situ_scope *scope = situ_scope_open();
    situ_dataset *all = data(), *train = NULL, *held_out = NULL;
    situ_dataset_split(all, 0, &train, &held_out);
    situ_module *net = network();
    situ_module_init(net, situ_key(1));
    situ_optimizer *adam = situ_adam(net, .lr = 4e-3);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .num_gpus = gpus, .batch = 32, .deterministic = true, .loss = loss, .epoch_batches = 20);
    CHECK_EQ(situ_trainer_fit(trainer, net, adam, train, held_out), 0);
    o->loss = situ_trainer_loss(trainer);
    o->accuracy = loss ? 0 : situ_trainer_accuracy(trainer);
    keep_weights(net, gpus ? situ_gpu(0) : situ_cpu(), o);
    free_training(trainer, adam, net, train, held_out, all);
    situ_scope_close(scope);
    CHECK_OK();
}

static void compare(situ_module *(*network)(void), situ_dataset *(*data)(void), situ_loss_fn loss)
{
    static outcome cpu, one, two;
    need_two();
    train(network, data, loss, 0, &cpu);
    train(network, data, loss, 1, &one);
    train(network, data, loss, 2, &two);
    printf("  loss %.9g on the CPU, %.9g and %.9g; accuracy %.4f, %.4f, %.4f\n", cpu.loss, one.loss, two.loss, cpu.accuracy, one.accuracy,
           two.accuracy);
    CHECK(cpu.count > 0 && one.count == cpu.count && two.count == cpu.count);
    CHECK(!memcmp(one.weight, two.weight, (size_t)one.count * sizeof *one.weight));
    CHECK_NEAR(one.loss, cpu.loss, 2e-3 * cpu.loss);
    CHECK_NEAR(one.accuracy, cpu.accuracy, 0.01);
}

/* ---- LeNet on the digits ---- */

static situ_dataset *digits(void) { return situ_digits(); }

TEST(lenet_is_as_on_the_cpu) { compare(lenet, digits, NULL); }

/* ---- a GPT on a verse ---- */

enum { WIDTH = 32, LETTERS = 128, LENGTH = 32 };

static situ_module *gpt(void)
{
    return situ_sequential(situ_embedding_layer(LETTERS, WIDTH),
                           situ_transformer_encoder_layer(WIDTH, 2, .dropout = 0, .norm_first = true, .causal = true, .feed = SITU_FEED_GELU, .rotary = 10000),
                           situ_layer_norm_layer(), situ_linear_layer(LETTERS));
}

static situ_dataset *verse(void)
{
    static const char text[] = "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n";
    static int32_t letter[2000];
    for (int i = 0; i < 2000; i++) letter[i] = text[i % (int)(sizeof text - 1)];
    return situ_window_dataset(situ_from_host(letter, SHAPE(2000), .dtype = SITU_I32), LENGTH, .stride = 1);
}

static situ_tensor *of_letters(situ_tensor *prediction, situ_tensor *target) { return situ_cross_entropy(prediction, target); }

TEST(a_gpt_is_as_on_the_cpu) { compare(gpt, verse, of_letters); }
