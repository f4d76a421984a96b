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

/* ---- trainings ------------------------------------------------------------------------------------------------------------- */

typedef struct lesson {
    const char *name;
    situ_module *(*net)(void);
    situ_optimizer *(*optimizer)(situ_module *net);
    situ_tensor *(*input)(void);
    situ_tensor *(*target)(int64_t rows);
    situ_loss_fn loss;
    int before; /* steps in the library, before the file is written */
} lesson;

static situ_module *dropped(void)
{
    return situ_sequential(situ_flatten_layer(), situ_linear_layer(40), situ_batch_norm_layer(), situ_relu_layer(),
        situ_dropout_layer(0.3), situ_linear_layer(10));
}
static situ_module *small_lenet(void)
{
    return situ_sequential(situ_conv2d_layer(4, SHAPE(5), .padding = SHAPE(2)), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)),
        situ_conv2d_layer(6, SHAPE(5), .stride = SHAPE(2)), situ_relu_layer(), situ_avg_pool2d_layer(SHAPE(2)), situ_flatten_layer(),
        situ_linear_layer(20), situ_tanh_layer(), situ_linear_layer(10));
}
static situ_module *transformer(void)
{
    return situ_sequential(situ_transformer_encoder_layer(32, 4, .dropout = 0.1), situ_layer_norm_layer(), situ_linear_layer(10));
}
static situ_module *words_net(void)
{
    return situ_sequential(situ_embedding_layer(19, 24), situ_layer_norm_layer(), situ_linear_layer(10));
}
static situ_module *grouped(void)
{
    return situ_sequential(situ_conv2d_layer(8, SHAPE(3), .padding = SHAPE(1), .groups = 1), situ_batch_norm_layer(),
        situ_relu_layer(), situ_conv2d_layer(8, SHAPE(3), .padding = SHAPE(1), .groups = 8), situ_group_norm_layer(2),
        situ_silu_layer(), situ_flatten_layer(), situ_linear_layer(10));
}

static situ_optimizer *sgd(situ_module *net) { return situ_sgd(net, .lr = 0.1); }
static situ_optimizer *momentum(situ_module *net)
{
    return situ_sgd(net, .lr = 0.05, .momentum = 0.9, .dampening = 0.1, .weight_decay = 1e-3, .clip_norm = 0.5);
}
static situ_optimizer *nesterov(situ_module *net) { return situ_sgd(net, .lr = 0.05, .momentum = 0.9, .nesterov = true); }
static situ_optimizer *adam(situ_module *net) { return situ_adam(net, .lr = 1e-2, .clip_value = 0.1); }
static situ_optimizer *adamw(situ_module *net) { return situ_adamw(net, .lr = 3e-3, .clip_norm = 1); }
static situ_optimizer *rmsprop(situ_module *net) { return situ_rmsprop(net, .momentum = 0.5, .centered = true); }
static situ_optimizer *adagrad(situ_module *net) { return situ_adagrad(net, .lr_decay = 0.1); }
static situ_optimizer *adadelta(situ_module *net) { return situ_adadelta(net); }
static situ_optimizer *adamax(situ_module *net) { return situ_adamax(net); }
static situ_optimizer *nadam(situ_module *net) { return situ_nadam(net, .decoupled = true, .weight_decay = 0.1); }
static situ_optimizer *radam(situ_module *net) { return situ_radam(net, .weight_decay = 0.1); }
static situ_optimizer *lion(situ_module *net) { return situ_lion(net, .weight_decay = 0.1); }
static situ_optimizer *lamb(situ_module *net) { return situ_lamb(net, .weight_decay = 0.1); }
static situ_optimizer *adafactor(situ_module *net) { return situ_adafactor(net); }
static situ_optimizer *muon(situ_module *net) { return situ_muon(net); }
static situ_optimizer *averaged(situ_module *net)
{
    situ_optimizer *opt = situ_adam(net);
    situ_optimizer_set_average(opt, 0.9);
    return opt;
}

static situ_tensor *classes(int64_t rows) { return situ_remainder(situ_arange(0, (double)rows, 1, .dtype = SITU_I64), 10); }
static situ_tensor *places(int64_t rows) { return situ_reshape(classes(rows * 11), SHAPE(rows, 11)); }
static situ_tensor *vectors(int64_t rows) { return situ_normal(situ_key(11), SHAPE(rows, 10)); }
static situ_tensor *squares(situ_tensor *prediction, situ_tensor *target)
{
    return situ_mean(situ_square(situ_sub(prediction, target)));
}
static situ_tensor *of_places(situ_tensor *prediction, situ_tensor *target)
{
    return situ_cross_entropy(situ_reshape(prediction, SHAPE(-1, 10)), situ_reshape(target, SHAPE(-1)));
}
static situ_tensor *digits(void) { return situ_uniform(situ_key(3), SHAPE(5, 1, 28, 28)); }
static situ_tensor *pixels(void) { return situ_uniform(situ_key(3), SHAPE(5, 1, 12, 12)); }

static const lesson lessons[] = {
    {"train_sgd", mlp, sgd, pixels, classes, NULL, 0},
    {"train_momentum", dropped, momentum, pixels, classes, NULL, 1},
    {"train_adam", dropped, adam, pixels, classes, NULL, 0},
    {"train_lenet", small_lenet, adamw, digits, classes, NULL, 2},
    {"train_transformer", transformer, adamw, sequence, places, of_places, 0},
    {"train_words", words_net, sgd, words, classes, NULL, 0},
    {"train_blocks", grouped, nesterov, colours, vectors, squares, 1},
    {"train_rmsprop", dropped, rmsprop, pixels, classes, NULL, 0},
    {"train_adagrad", dropped, adagrad, pixels, classes, NULL, 0},
    {"train_adadelta", dropped, adadelta, pixels, classes, NULL, 0},
    {"train_adamax", dropped, adamax, pixels, classes, NULL, 0},
    {"train_nadam", dropped, nadam, pixels, classes, NULL, 0},
    {"train_radam", dropped, radam, pixels, classes, NULL, 7},
    {"train_lion", dropped, lion, pixels, classes, NULL, 0},
    {"train_lamb", dropped, lamb, pixels, classes, NULL, 0},
    {"train_adafactor", dropped, adafactor, pixels, classes, NULL, 0},
    {"train_muon", dropped, muon, pixels, classes, NULL, 0},
    {"train_averaged", dropped, averaged, pixels, classes, NULL, 1},
};

/* ---- the program beside ------------------------------------------------------------------------------------------------------ */

static void write_bytes(FILE *f, const char *name, situ_tensor *x)
{
    size_t size = (size_t)situ_count(x) * situ_dtype_size(situ_dtype_of(x));
    unsigned char *bytes = malloc(size + 1);
    if (!bytes || situ_read(x, bytes, size)) exit(2);
    size_t each = situ_dtype_size(situ_dtype_of(x)); /* as numbers, for machines with the other order of bytes */
    fprintf(f, "static const union { uint%zu_t number[%zu]; unsigned char bytes[%zu]; double align; } %s = {{", 8 * each, size / each, size,
        name);
    for (size_t i = 0; i < size; i += each) {
        uint64_t number = 0;
        for (size_t k = each; k-- > 0;) number = number << 8 | bytes[i + k];
        fprintf(f, "%s0x%llx", i ? "," : "", (unsigned long long)number);
    }
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

static void write_file(FILE *f, const char *name, const char *path)
{
    FILE *from = fopen(path, "rb");
    if (!from) exit(2);
    fprintf(f, "static const unsigned char %s[] = {", name);
    for (int c, n = 0; (c = fgetc(from)) != EOF; n++) fprintf(f, n ? ",%d" : "%d", c);
    fprintf(f, "};\n");
    fclose(from);
}

enum { STEPS = 3 };

/* A program that makes three steps: losses and what was saved are those of the library. Then it loads that into another context, makes
 * a fourth step, whose loss it compares, and tries what changes nothing: indices out of range, a loss that is no number, another file. */
static void write_lesson(FILE *f, const char *name, bool by_index)
{
    fprintf(f,
        "static %s_context context, other;\n"
        "static unsigned char saved[sizeof checkpoint + 64], again[sizeof checkpoint + 64];\n"
        "static union { unsigned char bytes[sizeof input.bytes]; double align; } wrong_input;\n"
        "static union { unsigned char bytes[sizeof target.bytes]; double align; } wrong_target;\n"
        "static union { unsigned char bytes[sizeof output.bytes]; double align; } scores;\n"
        "#define TRAIN(context, x, y) %s_train(context, (const void *)(x).bytes, (const void *)(y).bytes, (void *)loss.bytes)\n",
        name, name);
    fprintf(f,
        "int main(void)\n{\n    union { unsigned char bytes[8]; double align; } loss;\n    size_t n, i;\n"
        "    memset(&context, 0xa5, sizeof context);\n    %s_init(&context);\n"
        "    for (i = 0; i < %d; i++) {\n"
        "        if (TRAIN(&context, input, target)) return 2;\n"
        "        if (memcmp(loss.bytes, losses.bytes + i * sizeof losses.bytes / %d, sizeof losses.bytes / %d))\n"
        "            return printf(\"the loss of step %%d differs\\n\", (int)i), 1;\n    }\n",
        name, STEPS, STEPS + 1, STEPS + 1);
    fprintf(f,
        "    n = %s_save(&context, saved);\n"
        "    if (n != sizeof checkpoint) return printf(\"%%d bytes were saved\\n\", (int)n), 1;\n"
        "    for (i = 0; i < n; i++)\n"
        "        if (saved[i] != checkpoint[i]) return printf(\"what was saved differs at %%d of %%d\\n\", (int)i, (int)n), 1;\n"
        "    memset(&other, 0x5a, sizeof other);\n    %s_init(&other);\n"
        "    if (%s_load(&other, checkpoint, n - 1) != 3 || %s_load(&other, checkpoint, n)) return printf(\"load\\n\"), 1;\n",
        name, name, name, name);
    fprintf(f,
        "    if (%s_run(&other, (const void *)input.bytes, (void *)scores.bytes)) return 2;\n"
        "    if (memcmp(scores.bytes, output.bytes, sizeof scores.bytes)) return printf(\"the result differs\\n\"), 1;\n"
        "    memset(wrong_input.bytes, 0x7f, sizeof wrong_input.bytes);\n    memset(wrong_target.bytes, 0x7f, sizeof wrong_target.bytes);\n",
        name);
    if (by_index)
        fprintf(f, "    if (TRAIN(&other, input, wrong_target) != 1) return printf(\"an index was taken\\n\"), 1;\n");
    fprintf(f,
        "    memset(wrong_input.bytes, 0xff, sizeof wrong_input.bytes);\n"
        "    if (sizeof wrong_input.bytes > 200 && TRAIN(&other, wrong_input, target) != 2) return printf(\"a loss was taken\\n\"), 1;\n"
        "    if (%s_save(&other, again) != n || memcmp(saved, again, n)) return printf(\"a step that failed changed it\\n\"), 1;\n"
        "    if (TRAIN(&other, input, target)) return 2;\n"
        "    if (memcmp(loss.bytes, losses.bytes + %d * sizeof losses.bytes / %d, sizeof losses.bytes / %d))\n"
        "        return printf(\"the loss after loading differs\\n\"), 1;\n    return 0;\n}\n",
        name, STEPS, STEPS + 1, STEPS + 1);
}

static int teach(const lesson *c, const char *folder)
{
    char path[4096];
    situ_module *net = c->net();
    situ_optimizer *opt = c->optimizer(net);
    situ_tensor *x = c->input(), *y = c->target(situ_dim(x, 0)), *loss[STEPS + 1];
    FILE *f = NULL;
    int rc = 0;
    for (int i = -c->before; i <= STEPS && !rc; i++) {
        if (!i) {
            snprintf(path, sizeof path, "%s/%s.c", folder, c->name);
            rc = situ_emit_train(opt, path, TENSORS(x), y, .loss = c->loss);
            if (rc) break;
            snprintf(path, sizeof path, "%s/%s_test.c", folder, c->name);
            if (!(f = fopen(path, "w"))) exit(2);
            fprintf(f, "#include \"%s.h\"\n#include <stdio.h>\n#include <string.h>\n", c->name);
            write_bytes(f, "input", x);
            write_bytes(f, "target", y);
        }
        if (i == STEPS) {
            snprintf(path, sizeof path, "%s/%s.safetensors", folder, c->name);
            rc = situ_checkpoint_save(path, net, opt, NULL);
            write_file(f, "checkpoint", path);
            situ_module_set_training(net, false);
            write_bytes(f, "output", situ_module_call(net, x));
            situ_module_set_training(net, true);
        }
        situ_tensor *scores = situ_module_call(net, x);
        situ_tensor *now = c->loss ? c->loss(scores, y) : situ_cross_entropy(scores, y);
        rc = rc ? rc : situ_optimizer_step(opt, now);
        float *value = malloc(4);
        if (!value || situ_read(now, value, 4)) exit(2);
        if (i >= 0) loss[i] = situ_from_host(value, SHAPE(1));
        free(value);
    }
    if (!rc) {
        write_bytes(f, "losses", situ_concat(TENSORS_OF(loss, STEPS + 1)));
        write_lesson(f, c->name, !c->loss || c->loss == of_places);
        printf("%s\n", c->name);
    } else {
        printf("! %s: %s\n", c->name, situ_error_message());
        situ_error_take(NULL);
    }
    if (f) fclose(f);
    situ_optimizer_free(opt);
    situ_module_free(net);
    return rc;
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
    for (size_t i = 0; argc > 1 && i < sizeof lessons / sizeof *lessons; i++) {
        if (argc > 2 && strcmp(argv[2], lessons[i].name)) continue;
        situ_scope *scope = situ_scope_open();
        teach(&lessons[i], argv[1]);
        situ_scope_close(scope);
    }
    return situ_failed();
}
