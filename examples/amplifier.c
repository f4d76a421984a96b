/* A guitar amplifier that an LSTM learns by ear (Wright et al., 2019). The amplifier is a formula here: a filter, a tube that
 * saturates more on one side, and a second filter. The network hears guitar strings before and behind it. */
#include <math.h>
#include <situ.h>
#include <stdlib.h>

enum { RATE = 8000, SAMPLES = 64 * 512, LENGTH = 128, WIDTH = 24, BATCH = 32, PASSES = 10 };

/* Plucked strings (Karplus and Strong, 1983): noise that goes round in a loop of a period, each time a little smoother. */
static void pluck(float *x, unsigned seed)
{
    float loop[256] = {0};
    int period = 64;
    for (int i = 0; i < SAMPLES; i++) {
        if (i % 2000 == 0) {
            period = RATE / (82 + (int)(seed = seed * 1103515245u + 12345u) / 65536 % 100 + 100);
            for (int k = 0; k < period; k++) loop[k] = (float)((seed = seed * 1103515245u + 12345u) >> 16 & 1023) / 512 - 1;
        }
        int at = i % period, next = (i + 1) % period;
        x[i] = loop[at];
        loop[at] = 0.498f * (loop[at] + loop[next]);
    }
}

static void amplify(const float *x, float *y)
{
    float low = 0, out = 0;
    for (int i = 0; i < SAMPLES; i++) {
        low += 0.5f * (x[i] - low);
        float tube = tanhf(3 * low + 0.3f) - tanhf(0.3f);
        y[i] = out += 0.6f * (tube - out);
    }
}

/* [rows, LENGTH, 1]. */
static situ_tensor *pieces(const float *x) { return situ_from_host(x, SHAPE(SAMPLES / LENGTH, LENGTH, 1), .dtype = SITU_F32); }

/* The share of the signal's energy that is missed (Wright et al.). */
static situ_tensor *missed(situ_tensor *said, situ_tensor *y)
{
    return situ_div(situ_sum(situ_square(situ_sub(said, y))), situ_sum(situ_square(y)));
}

int main(void)
{
    static float x[2][SAMPLES], y[2][SAMPLES];
    for (unsigned k = 0; k < 2; k++) pluck(x[k], k + 1), amplify(x[k], y[k]);
    situ_scope *scope = situ_scope_open();
    situ_dataset *heard = situ_tensor_dataset(TENSORS(pieces(x[0]), pieces(y[0])));
    situ_loader *loader = situ_loader_new(heard, .batch = BATCH, .shuffle = true);
    situ_module *net = situ_sequential(situ_lstm_layer(WIDTH), situ_linear_layer(1));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_schedule_cosine(adam, PASSES * situ_loader_batches(loader));
    for (int pass = 1; pass <= PASSES && !situ_failed(); pass++) {
        situ_loader_start(loader, pass);
        while (situ_loader_next(loader) > 0) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *clean, *loud;
            situ_loader_batch(loader, &clean, &loud);
            situ_optimizer_step(adam, missed(situ_module_call(net, clean), loud));
            situ_scope_close(turn);
        }
    }
    double error = situ_item(missed(situ_module_call(net, pieces(x[1])), pieces(y[1])));
    printf("of strings that it never heard %.2f %% of the energy is missed (without an amplifier %.0f %%)\n", 100 * error,
           100 * situ_item(missed(pieces(x[1]), pieces(y[1]))));
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_loader_free(loader);
    situ_dataset_free(heard);
    return situ_failed() || !(error < 0.1);
}
