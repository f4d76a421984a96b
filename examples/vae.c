/* A variational autoencoder (Kingma and Welling, 2013) on the digits that come with the library: 64 pixels through 8 numbers. */
#include <situ.h>

enum { LATENT = 8, EPOCHS = 60 };

/* A picture of 8 x 8 in characters. */
static void draw(const float *pixels)
{
    for (int y = 0; y < 8; y++, putchar('\n'))
        for (int x = 0; x < 8; x++) {
            float p = pixels[8 * y + x];
            putchar(" .:-=+*#%@"[(int)(9.99f * (p < 0 ? 0 : p > 1 ? 1 : p))]);
        }
}

int main(void)
{
    situ_dataset *digits = situ_digits();
    situ_loader *loader = situ_loader_new(digits, .batch = 64, .shuffle = true, .drop_last = true);
    situ_module *encoder = situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(2 * LATENT));
    situ_module *decoder = situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(64));
    situ_module *both = situ_sequential(encoder, decoder); /* for the optimizer: the parts are called one by one */
    situ_optimizer *adam = situ_adam(both, .lr = 3e-3);
    situ_tensor *total = situ_variable(situ_zeros(SHAPE()), .trainable = false);
    int64_t step = 0;

    for (int epoch = 1; epoch <= EPOCHS && !situ_failed(); epoch++) {
        situ_assign(total, 0);
        situ_loader_start(loader, epoch);
        while (situ_loader_next(loader) > 0) {
            situ_scope *turn = situ_scope_open();
            situ_tensor *images, *labels;
            situ_loader_batch(loader, &images, &labels);
            situ_tensor *x = situ_reshape(images, SHAPE(-1, 64)); /* pixels are 0 to 1 */
            situ_tensor *code = situ_module_call(encoder, x);
            situ_tensor *mean = situ_slice(code, .stop = SHAPE(SITU_FULL, LATENT)),
                        *logvar = situ_slice(code, .start = SHAPE(0, LATENT));
            situ_tensor *noise = situ_normal(situ_key(step++), situ_shape_of(mean));
            situ_tensor *z = situ_add(mean, situ_mul(situ_exp(situ_mul(logvar, 0.5)), noise));
            situ_tensor *score = situ_module_call(decoder, z);
            /* over the pixels of an image; and how far its codes are from a normal distribution */
            situ_tensor *missed = situ_sum(situ_binary_cross_entropy_with_logits(score, x, .reduction = SITU_NONE), .axes = 1);
            situ_tensor *apart = situ_sum(situ_sub(situ_add(situ_square(mean), situ_exp(logvar)), situ_add(logvar, 1)), .axes = 1);
            situ_tensor *loss = situ_mean(situ_add(missed, situ_mul(apart, 0.5)));
            situ_optimizer_step(adam, loss);
            situ_assign(total, situ_add(total, loss));
            situ_scope_close(turn);
        }
        if (epoch % 20 == 0) printf("epoch %d: loss %.2f\n", epoch, situ_item(total) / (double)situ_loader_batches(loader));
    }

    situ_scope *scope = situ_scope_open();
    float pixels[2][64];
    situ_read(situ_sigmoid(situ_module_call(decoder, situ_normal(situ_key(99), SHAPE(2, LATENT)))), pixels, sizeof pixels);
    for (int i = 0; i < 2; i++) printf("a digit that nobody wrote:\n"), draw(pixels[i]);
    situ_scope_close(scope);
    situ_release(total);
    situ_optimizer_free(adam);
    situ_module_free(both);
    situ_loader_free(loader);
    situ_dataset_free(digits);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
