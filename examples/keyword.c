/* Which of four words is said? The words are made here: two tones in a row, of any loudness, somewhere in half a second of noise.
 * The network reads spectra of short times: pieces of 256 samples under a window, and the logarithm of their energies. */
#include <situ.h>

enum { RATE = 8000, SAMPLES = 4096, PIECE = 256, HOP = 128, PIECES = (SAMPLES - PIECE) / HOP + 1, BANDS = 64, BATCH = 32, STEPS = 120 };

/* Waves [batch, SAMPLES] of the words `which` [batch, 1]. */
static situ_tensor *say(situ_tensor *which, int64_t seed)
{
    const double turn = 6.283185307179586 / RATE;
    situ_tensor *key[4];
    situ_key_split_into(situ_key(seed), 4, key);
    situ_tensor *low = situ_floor_divide(which, 2), *high = situ_remainder(which, 2); /* up or down, of one of two pitches */
    situ_tensor *pitch = situ_add(situ_mul(situ_uniform(key[0], SHAPE(BATCH, 1)), 100), situ_add(situ_mul(low, 500), 500));
    situ_tensor *second = situ_mul(pitch, situ_add(situ_mul(high, 0.8), 0.6));
    situ_tensor *begin = situ_add(situ_mul(situ_uniform(key[1], SHAPE(BATCH, 1)), 1000), 200);
    situ_tensor *time = situ_sub(situ_arange(0, SAMPLES, 1), begin); /* since the word began: [batch, SAMPLES] */
    situ_tensor *tone = situ_sin(situ_mul(time, situ_mul(situ_where(situ_less(time, 1200), pitch, second), turn)));
    situ_tensor *heard = situ_logical_and(situ_greater_equal(time, 0), situ_less(time, 2400));
    situ_tensor *loud = situ_add(situ_uniform(key[2], SHAPE(BATCH, 1)), 0.3);
    return situ_add(situ_where(heard, situ_mul(tone, loud), 0), situ_mul(situ_normal(key[3], SHAPE(BATCH, SAMPLES)), 0.1));
}

/* [batch, PIECES, BANDS]. */
static situ_tensor *spectra(situ_tensor *wave)
{
    situ_tensor *first = situ_mul(situ_arange(0, PIECES, 1, .dtype = SITU_I64), HOP);
    situ_tensor *place = situ_add(situ_expand_dims(first, 1), situ_arange(0, PIECE, 1, .dtype = SITU_I64));
    situ_tensor *window = situ_square(situ_sin(situ_mul(situ_arange(0, PIECE, 1), 3.141592653589793 / PIECE)));
    situ_tensor *f = situ_rfft(situ_mul(situ_take(wave, place, .axis = 1), window));
    situ_tensor *energy = situ_add(situ_square(situ_real(f)), situ_square(situ_imag(f)));
    return situ_log(situ_add(situ_slice(energy, .stop = SHAPE(SITU_FULL, SITU_FULL, BANDS)), 1e-3));
}

static situ_tensor *words(int64_t seed) { return situ_randint(situ_key(seed), SHAPE(BATCH, 1), 0, 4); }

/* Scores [batch, 4] by what the layer says behind the last piece. */
static situ_tensor *listen(situ_module *norm, situ_module *layer, situ_module *scores, situ_tensor *wave)
{
    situ_tensor *out[2];
    situ_module_call_n(layer, TENSORS(situ_module_call(norm, spectra(wave))), out, 2);
    return situ_module_call(scores, situ_select(out[1], 0, 0));
}

int main(void)
{
    situ_module *norm = situ_layer_norm_layer(), *layer = situ_gru_layer(48), *scores = situ_linear_layer(4);
    situ_module *all = situ_module_list(SITU_PARTS(norm, layer, scores));
    situ_optimizer *adam = situ_adam(all, .lr = 3e-3, .clip_norm = 1);
    double right = 0;
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *which = words(2 * step), *label = situ_reshape(which, SHAPE(BATCH));
        situ_tensor *loss = situ_cross_entropy(listen(norm, layer, scores, say(which, 2 * step + 1)), label);
        situ_optimizer_step(adam, loss);
        if (step % 40 == 0) printf("step %3d: loss %.4f\n", step, situ_item(loss));
        situ_scope_close(scope);
    }
    for (int i = 0; i < 8 && !situ_failed(); i++) { /* 256 words that it never heard */
        situ_scope *scope = situ_scope_open();
        situ_tensor *which = words(100001 + 2 * i), *score = listen(norm, layer, scores, say(which, 100002 + 2 * i));
        right += situ_item(situ_accuracy(score, situ_reshape(which, SHAPE(BATCH)))) / 8;
        situ_scope_close(scope);
    }
    printf("%.1f %% of new words are understood\n", 100 * right);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    situ_optimizer_free(adam);
    situ_module_free(all);
    return situ_failed() || !(right > 0.9);
}
