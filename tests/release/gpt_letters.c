/* What a small GPT reaches on a text: the mean loss in nats a letter of its last tenth, which it is not trained on.
 * usage: gpt_letters FILE KEY BATCH STEPS     4 blocks of 128, 4 heads, 64 letters; AdamW, 100 steps of warm-up, then a cosine */
#include <situ.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 128, HEADS = 4, BLOCKS = 4, LETTERS = 128, LENGTH = 64 };

static int32_t letter[1 << 22];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double held_out(situ_module *net, situ_loader *loader)
{
    double sum = 0, rows = 0;
    situ_module_set_training(net, false);
    situ_loader_start(loader, 0);
    while (situ_loader_next(loader) > 0) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *text, *next;
        situ_loader_batch(loader, &text, &next);
        double count = (double)situ_shape_of(text).dim[0];
        sum += count * situ_item(situ_cross_entropy(situ_module_call(net, text), next));
        rows += count;
        situ_scope_close(turn);
    }
    situ_module_set_training(net, true);
    return sum / rows;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 5 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: gpt_letters FILE KEY BATCH STEPS\n"), 2;
    int64_t n = 0;
    for (int c; n < 1 << 22 && (c = getc(file)) != EOF;) letter[n++] = c & 127;
    fclose(file);
    int key = atoi(argv[2]), batch = atoi(argv[3]), steps = atoi(argv[4]), step = 0;
    int64_t trained = n * 9 / 10;
    situ_scope *scope = situ_scope_open();
    situ_dataset *train = situ_window_dataset(situ_from_host(letter, SHAPE(trained), .dtype = SITU_I32), LENGTH, .stride = 1);
    situ_dataset *rest = situ_window_dataset(situ_from_host(letter + trained, SHAPE(n - trained), .dtype = SITU_I32), LENGTH);
    situ_loader *loader = situ_loader_new(train, .batch = batch, .shuffle = true, .drop_last = true, .key = key);
    situ_loader *judge = situ_loader_new(rest, .batch = 64);
    situ_module *net = situ_sequential(situ_embedding_layer(LETTERS, WIDTH));
    for (int i = 0; i < BLOCKS; i++)
        situ_sequential_add(net, situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0, .norm_first = true, .causal = true,
                                                                .feed = SITU_FEED_GELU, .rotary = 10000));
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_linear_layer(LETTERS));
    situ_module_init(net, situ_key(key));
    situ_optimizer *adam = situ_adamw(net, .lr = 3e-3, .beta2 = 0.99, .weight_decay = 0.1, .clip_norm = 1);
    situ_schedule_warmup(adam, 100, 0);
    situ_schedule_cosine(adam, steps, .least = 0.03);
    double begun = now();
    for (int pass = 0; step < steps && !situ_failed(); pass++) {
        situ_loader_start(loader, pass);
        while (step < steps && situ_loader_next(loader) > 0) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *text, *next;
            situ_loader_batch(loader, &text, &next);
            situ_tensor *loss = situ_cross_entropy(situ_module_call(net, text), next);
            situ_optimizer_step(adam, loss);
            if (++step % 500 == 0 || step == steps) {
                double trains = situ_item(loss), spent = now() - begun;
                printf("step %d: %.4f nats, held out %.4f, %.1f s\n", step, trains, held_out(net, judge), spent);
                fflush(stdout);
            }
            situ_scope_close(turn);
        }
    }
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    return situ_failed();
}
