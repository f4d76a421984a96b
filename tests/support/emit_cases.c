/* Writes networks as C files, and beside each a program that calls it and compares with the library's bits.
 * usage: emit_cases FOLDER
 * Prints the name of each. The program's exit status: 0: equal. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

typedef struct example {
    const char *name;
    situ_module *(*net)(void);
    situ_layer_fn function; /* if net is NULL */
    situ_tensor *(*input)(void);
} example;

/* ---- networks ------------------------------------------------------------------------------------------------------------ */

static situ_module *mlp(void)
{
    return situ_sequential(situ_flatten_layer(), situ_linear_layer(128), situ_relu_layer(), situ_linear_layer(10));
}
static situ_module *lenet(void)
{
    return situ_sequential(situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)),
        situ_conv2d_layer(16, SHAPE(5)), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)), situ_flatten_layer(),
        situ_linear_layer(120), situ_relu_layer(), situ_linear_layer(84), situ_relu_layer(), situ_linear_layer(10),
        situ_softmax_layer(-1));
}
static situ_module *blocks(void) /* depthwise, strided and dilated convolutions, batch norm, means of windows, a transposed one */
{
    return situ_sequential(situ_conv2d_layer(8, SHAPE(3), .padding = SHAPE(1), .stride = SHAPE(2)), situ_batch_norm_layer(),
        situ_relu_layer(), situ_conv2d_layer(8, SHAPE(3), .padding = SHAPE(1), .groups = 8), situ_gelu_layer(),
        situ_conv2d_layer(12, SHAPE(3), .padding = SHAPE(2), .dilation = SHAPE(2)), situ_avg_pool2d_layer(SHAPE(2)),
        situ_silu_layer(),
        situ_conv_transpose2d_layer(4, SHAPE(3), .stride = SHAPE(2)), situ_group_norm_layer(2));
}
static situ_module *encoder(void)
{
    return situ_sequential(situ_transformer_encoder_layer(32, 4), situ_layer_norm_layer(), situ_linear_layer(7));
}
static situ_module *embedded(void)
{
    return situ_sequential(situ_embedding_layer(19, 24), situ_layer_norm_layer(), situ_linear_layer(48), situ_tanh_layer());
}
static situ_module *gru(void) { return situ_gru_layer(12); }

/* ---- functions -------------------------------------------------------------------------------------------------------------- */

static situ_tensor *elements(situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *y = situ_add(situ_exp(x), situ_mul(situ_sin(x), situ_tanh(x)));
    y = situ_sub(y, situ_log(situ_add(situ_square(x), 0.5)));
    y = situ_add(y, situ_pow(situ_add(situ_abs(x), 0.1), 1.7));
    y = situ_add(y, situ_erf(situ_atan2(x, 0.3)));
    situ_tensor *whole = situ_cast(situ_cast(situ_mul(x, 9), SITU_I32), SITU_F32);
    return situ_where(situ_less(x, 0), y, situ_add(situ_sqrt(situ_abs(y)), whole));
}
static situ_tensor *halves(situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *h = situ_mul(situ_cast(x, SITU_F16), 1.7), *b = situ_sin(situ_cast(x, SITU_BF16));
    return situ_add(situ_cast(h, SITU_F32), situ_cast(situ_add(b, situ_cast(situ_cast(x, SITU_I8), SITU_BF16)), SITU_F32));
}
static situ_tensor *doubles(situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *d = situ_cast(x, SITU_F64);
    situ_tensor *product = situ_matmul(d, situ_matmul(situ_transpose(d), d)), *far = situ_sin(situ_mul(d, 1e6));
    situ_tensor *sum = situ_add(situ_add(situ_exp(d), far), situ_mul(product, situ_sqrt(situ_abs(situ_sum(d)))));
    return situ_cast(sum, SITU_F32);
}
static situ_tensor *sums(situ_tensor *x, void *self) /* [3, 2500] */
{
    (void)self;
    situ_tensor *rows = situ_sum(x, .axes = AXES(1)), *columns = situ_sum(situ_reshape(x, SHAPE(500, 15)), .axes = AXES(0));
    situ_tensor *all = situ_reshape(situ_max(x), SHAPE(1)), *part = situ_reshape(x, SHAPE(5, 100, 15));
    situ_tensor *middle = situ_reshape(situ_mean(part, .axes = AXES(1)), SHAPE(75));
    situ_tensor *product = situ_reshape(situ_prod(situ_add(1, situ_mul(1e-4, x))), SHAPE(1));
    return situ_concat(TENSORS(rows, columns, all, middle, product), .axis = 0);
}
static situ_tensor *moves(situ_tensor *x, void *self) /* [6, 10] */
{
    (void)self;
    situ_tensor *y = situ_pad(x, SHAPE(1, 2), SHAPE(0, 1), .value = 2.5);
    situ_tensor *z = situ_slice(y, .start = SHAPE(1, 0), .step = SHAPE(2, 3));
    situ_tensor *t = situ_flip(situ_transpose(z)), *s = situ_cumsum(x, .axis = 1);
    situ_tensor *parts[] = {situ_reshape(t, SHAPE(-1)), situ_reshape(s, SHAPE(-1)), situ_reshape(situ_roll(x, 3), SHAPE(-1))};
    return situ_concat(TENSORS_OF(parts, 3), .axis = 0);
}
static situ_tensor *deep(situ_tensor *v, void *self) /* products of all orders; [1000] */
{
    (void)self;
    situ_tensor *one = situ_reshape(situ_slice(v, .stop = SHAPE(400)), SHAPE(400, 1));
    situ_tensor *two = situ_slice(v, .start = SHAPE(400), .stop = SHAPE(900)), *three = situ_slice(v, .start = SHAPE(500));
    situ_tensor *x = situ_reshape(situ_add(situ_mul(one, two), three), SHAPE(40, 5000));
    situ_tensor *a = situ_reshape(situ_slice(x, .stop = SHAPE(SITU_FULL, 4800)), SHAPE(4, 48000));
    situ_tensor *few = situ_slice(x, .stop = SHAPE(3, 300));
    situ_tensor *big = situ_reshape(x, SHAPE(400, 500)), *wide = situ_slice(x, .stop = SHAPE(40, 300));
    situ_tensor *parts[] = {situ_matmul(a, situ_transpose(a)), situ_matmul(few, situ_transpose(wide)),
        situ_matmul(situ_transpose(big), situ_slice(big, .stop = SHAPE(SITU_FULL, 20))),
        situ_matmul(situ_slice(big, .stop = SHAPE(1)), situ_transpose(big)),
        situ_matmul(situ_slice(big, .stop = SHAPE(SITU_FULL, 400)), situ_slice(big, .stop = SHAPE(400, 1))),
        situ_matmul(situ_reshape(x, SHAPE(10, 20, 1000)), situ_reshape(x, SHAPE(10, 1000, 20)))};
    for (int i = 0; i < 6; i++) parts[i] = situ_reshape(parts[i], SHAPE(-1));
    return situ_concat(TENSORS_OF(parts, 6), .axis = 0);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------------ */

static situ_tensor *image(void) { return situ_uniform(situ_key(3), SHAPE(2, 1, 28, 28)); }
static situ_tensor *colours(void) { return situ_normal(situ_key(4), SHAPE(2, 3, 16, 16)); }
static situ_tensor *sequence(void) { return situ_normal(situ_key(5), SHAPE(2, 11, 32)); }
static situ_tensor *words(void) { return situ_remainder(situ_arange(0, 20, 1, .dtype = SITU_I32), 19); }
static situ_tensor *numbers(void) { return situ_mul(situ_normal(situ_key(6), SHAPE(7, 33)), 3); }
static situ_tensor *long_rows(void) { return situ_normal(situ_key(7), SHAPE(3, 2500)); }
static situ_tensor *small(void) { return situ_normal(situ_key(8), SHAPE(6, 10)); }
static situ_tensor *large(void) { return situ_normal(situ_key(9), SHAPE(1000)); }

static const example examples[] = {
    {"mlp", mlp, NULL, image},
    {"lenet", lenet, NULL, image},
    {"blocks", blocks, NULL, colours},
    {"encoder", encoder, NULL, sequence},
    {"embedded", embedded, NULL, words},
    {"gru", gru, NULL, sequence},
    {"elements", NULL, elements, numbers},
    {"halves", NULL, halves, numbers},
    {"doubles", NULL, doubles, small},
    {"sums", NULL, sums, long_rows},
    {"moves", NULL, moves, small},
    {"deep", NULL, deep, large},
};

/* ---- the program beside ------------------------------------------------------------------------------------------------------ */

static void write_bytes(FILE *f, const char *name, situ_tensor *x)
{
    size_t size = (size_t)situ_count(x) * situ_dtype_size(situ_dtype_of(x));
    unsigned char *bytes = malloc(size + 1);
    if (!bytes || situ_read(x, bytes, size)) exit(2);
    fprintf(f, "static const union { unsigned char bytes[%zu]; double align; } %s = {{", size, name);
    for (size_t i = 0; i < size; i++) fprintf(f, i ? ",%d" : "%d", bytes[i]);
    fprintf(f, "}};\n");
    free(bytes);
}

static void write_program(const char *path, const char *name, situ_tensor *x, situ_tensor *const *y, int results)
{
    FILE *f = fopen(path, "w");
    char part[32];
    if (!f) exit(2);
    fprintf(f, "#include \"%s.h\"\n#include <stdio.h>\n#include <string.h>\n", name);
    write_bytes(f, "input", x);
    for (int i = 0; i < results; i++) {
        snprintf(part, sizeof part, "expected_%d", i);
        write_bytes(f, part, y[i]);
        fprintf(f, "static union { unsigned char bytes[sizeof expected_%d.bytes]; double align; } result_%d;\n", i, i);
    }
    fprintf(f, "static %s_context context;\nint main(void)\n{\n", name);
    fprintf(f, "    memset(&context, 0xa5, sizeof context);\n    if (%s_run(&context, (const void *)input.bytes", name);
    for (int i = 0; i < results; i++) fprintf(f, ", (void *)result_%d.bytes", i);
    fprintf(f, ")) return 2;\n");
    for (int i = 0; i < results; i++)
        fprintf(f,
            "    for (size_t i = 0; i < sizeof result_%d.bytes; i += 4)\n"
            "        if (memcmp(result_%d.bytes + i, expected_%d.bytes + i, 4))\n"
            "            return printf(\"result %d differs at %%d\\n\", (int)(i / 4)), 1;\n",
            i, i, i, i);
    fprintf(f, "    return 0;\n}\n");
    fclose(f);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof examples / sizeof *examples; i++) {
        const example *c = &examples[i];
        char path[4096];
        if (argc > 2 && strcmp(argv[2], c->name)) continue;
        situ_scope *scope = situ_scope_open();
        situ_module *net = c->net ? c->net() : situ_function_layer(c->function, NULL);
        situ_tensor *x = c->input(), *y[2];
        situ_module_set_training(net, false);
        int results = situ_module_call_n(net, TENSORS(x), y, 2);
        snprintf(path, sizeof path, "%s/%s.c", argv[1], c->name);
        if (!situ_emit(net, path, TENSORS(x))) {
            snprintf(path, sizeof path, "%s/%s_test.c", argv[1], c->name);
            write_program(path, c->name, x, y, results);
            printf("%s\n", c->name);
            snprintf(path, sizeof path, "%s/%s.onnx", argv[1], c->name);
            if (i == 0 && situ_onnx_save(net, path, TENSORS(x), .dynamic_batch = false)) exit(3);
        } else {
            printf("! %s: %s\n", c->name, situ_error_message());
            situ_error_take(NULL);
        }
        situ_scope_close(scope);
        situ_module_free(net);
    }
    return situ_failed();
}
