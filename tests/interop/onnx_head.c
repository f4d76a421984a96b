/* A classifier from a file of ONNX, whose head goes on training: tests/interop/onnx_magika.py runs it.
 * usage: onnx_head MODEL FEATURES LABELS ROWS RESULTS HEAD...     FEATURES: i32 [ROWS, 2048]; LABELS: i32 [ROWS]; HEAD: words for the
 * parameters that learn. Writes the probabilities of all rows as f32, trains an epoch, prints the loss before and
 * after, the seconds of a step, and which parameters have changed. */
#include <situ.h>
#include <situ/onnx.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LENGTH = 2048, BATCH = 16, ROWS = 1024, MOST = 64 };

static int32_t feature[ROWS * LENGTH], label[ROWS];

static situ_tensor *probabilities(situ_module *net, int64_t first)
{
    return situ_module_call(net, situ_from_host(feature + first * LENGTH, SHAPE(BATCH, LENGTH), .dtype = SITU_I32));
}

static situ_tensor *loss_of(situ_module *net, int64_t first)
{
    situ_tensor *p = probabilities(net, first), *at = situ_from_host(label + first, SHAPE(BATCH, 1), .dtype = SITU_I32);
    return situ_negative(situ_mean(situ_log(situ_maximum(situ_gather(p, at), 1e-30))));
}

static double mean_loss(situ_module *net, int64_t rows)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i += BATCH) {
        situ_scope *scope = situ_scope_open();
        bool before = situ_no_grad(true);
        sum += situ_item(loss_of(net, i));
        situ_no_grad(before);
        situ_scope_close(scope);
    }
    return sum * BATCH / (double)rows;
}

/* A sum that says whether a parameter has changed. */
static double print_of(situ_module *net, int i)
{
    situ_scope *scope = situ_scope_open();
    double sum = situ_item(situ_sum(situ_mul(situ_cast(situ_module_parameter(net, i), SITU_F64), 1.25)));
    situ_scope_close(scope);
    return sum;
}

int main(int argc, char **argv)
{
    int64_t rows = argc > 6 ? atoi(argv[4]) / BATCH * BATCH : 0;
    FILE *in[2] = {rows > 0 && rows <= ROWS ? fopen(argv[2], "rb") : NULL, rows > 0 ? fopen(argv[3], "rb") : NULL};
    if (!in[0] || !in[1]) return fprintf(stderr, "usage: onnx_head MODEL FEATURES LABELS ROWS RESULTS HEAD...\n"), 2;
    if (fread(feature, 4 * LENGTH, (size_t)rows, in[0]) != (size_t)rows || fread(label, 4, (size_t)rows, in[1]) != (size_t)rows) return 2;
    fclose(in[0]), fclose(in[1]);
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_onnx_load(argv[1]);
    FILE *out = fopen(argv[5], "wb");
    for (int64_t i = 0; i < rows && out && !situ_failed(); i += BATCH) {
        situ_scope *turn = situ_scope_open();
        bool before = situ_no_grad(true);
        situ_tensor *p = probabilities(net, i);
        size_t size = (size_t)situ_count(p);
        float *value = malloc(4 * size);
        if (!situ_read(p, value, 4 * size)) fwrite(value, 4, size, out);
        free(value);
        situ_no_grad(before);
        situ_scope_close(turn);
    }
    if (!out || fclose(out)) return 1;
    double before = mean_loss(net, rows), was[MOST];
    int count = situ_module_count(net) < MOST ? situ_module_count(net) : MOST;
    for (int i = 0; i < count; i++) was[i] = print_of(net, i);
    situ_optimizer *adam = situ_adam(net, .lr = 0);
    for (int i = 6; i < argc; i++) situ_optimizer_set(adam, argv[i], "lr", 3e-3);
    struct timespec begun, ended;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int64_t i = 0; i < rows && !situ_failed(); i += BATCH) {
        situ_scope *turn = situ_scope_open();
        situ_optimizer_step(adam, loss_of(net, i));
        situ_scope_close(turn);
    }
    double after = mean_loss(net, rows);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec);
    printf("%.6g %.6g %.4f", before, after, seconds * BATCH / (double)rows);
    for (int i = 0; i < count; i++)
        if (print_of(net, i) != was[i]) printf(" %s", situ_module_name(net, i));
    printf("\n");
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_scope_close(scope);
    return situ_failed();
}
