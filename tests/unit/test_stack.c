/* A thread that calls the library needs 48 KB of stack, including thread-local memory (docs/plugins.md). Each kind of
 * work runs on a large stack filled with a pattern, so that its use is measured; then all of them run in threads with
 * exactly that much. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cli/samples.h"
#include "support/files.h"
#include "support/sim_devices.h"
#include "tensor/dtype.h"
#include "test.h"

enum { PROMISED = 48 << 10, LARGE = 1 << 20, PAINT = 0xa5 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static char path[3][512]; /* of files that the works write and read */
static situ_device device;

/* ---- the works: each leaves no error --------------------------------------------------------------------------------------------- */

static situ_tensor *numbers(situ_shape shape) { return situ_uniform(situ_key(1, .device = device), shape, .low = 0.5, .high = 2); }

static void print_and_explain(void)
{
    situ_tensor *x = numbers(SHAPE(40, 50));
    free(situ_text(x));
    free(situ_explain(situ_mul(situ_sum(situ_exp(x)), 2)));
}

/* An error with operands and its message, and an error at the memory limit. */
static void errors(void)
{
    situ_error e;
    situ_add(numbers(SHAPE(2, 3)), numbers(SHAPE(4)));
    situ_error_take(&e);
    situ_eval(TENSORS(situ_take(numbers(SHAPE(3)), situ_full(SHAPE(2), 7, .dtype = SITU_I64, .device = device))));
    situ_error_take(&e);
    situ_eval(TENSORS(situ_zeros(SHAPE(1 << 20, 1 << 20, 1 << 10), .device = device)));
    situ_error_take(&e);
}

static void large_products(void)
{
    situ_tensor *a = numbers(SHAPE(300, 200)), *b = numbers(SHAPE(200, 400)), *h = situ_cast(a, SITU_F16);
    situ_eval(TENSORS(situ_matmul(a, b), situ_matmul(h, situ_cast(b, SITU_F16)), situ_matmul(situ_cast(a, SITU_F64), situ_cast(b, SITU_F64)),
        situ_matmul(situ_cast(a, SITU_I32), situ_cast(b, SITU_I32)), situ_einsum("ij,jk->ki", TENSORS(a, b))));
}

static void large_images(void)
{
    situ_tensor *x = numbers(SHAPE(4, 16, 32, 32)), *w = numbers(SHAPE(32, 16, 3, 3)), *wide = numbers(SHAPE(16, 16, 7, 7));
    situ_tensor *y = situ_conv2d(x, w, .padding = SHAPE(1, 1)), *z = situ_conv2d(x, wide, .stride = SHAPE(2, 2)), *gradient[2];
    situ_grad(situ_add(situ_sum(situ_square(y)), situ_sum(z)), TENSORS(x, w), gradient);
    situ_eval(TENSORS(y, z, gradient[0], gradient[1], situ_max_pool2d(x, SHAPE(2, 2)), situ_interpolate(x, SHAPE(50, 60))));
}

static void large_orders(void)
{
    situ_tensor *x = numbers(SHAPE(100000)), *wide = numbers(SHAPE(300, 700));
    situ_eval(TENSORS(situ_sort(x), situ_argsort(x), situ_sort(wide, .axis = 0), situ_topk(wide, 5), situ_cumsum(x), situ_median(wide), situ_unique(situ_cast(x, SITU_I32)),
        situ_nonzero(situ_greater(x, 1)), situ_permutation(situ_key(3, .device = device), 5000), situ_histogram(x, 10)));
}

static void large_algebra(void)
{
    situ_tensor *a = situ_add(situ_matmul(numbers(SHAPE(90, 90)), numbers(SHAPE(90, 90))), situ_mul(situ_eye(90, .device = device), 300));
    situ_tensor *even = situ_add(a, situ_transpose(a));
    situ_tensor *r, *u, *v, *w, *q = situ_qr(a, .r = &r), *s = situ_svd(a, .u = &u, .vh = &v), *l = situ_eigh(even, .vectors = &w);
    situ_eval(TENSORS(q, r, u, s, v, l, w, situ_inv(a), situ_det(a), situ_solve(a, numbers(SHAPE(90, 3))), situ_cholesky(situ_matmul(a, situ_transpose(a))),
        situ_real(situ_fft(numbers(SHAPE(60, 1000)))), situ_real(situ_fft(numbers(SHAPE(7, 1009))))));
}

/* Functions of many operations, whose kernels are the largest. */
static void large_groups(void)
{
    situ_tensor *x = numbers(SHAPE(300, 300)), *y = x, *many[12], *sum = situ_zeros_like(x);
    for (int i = 0; i < 200; i++) y = situ_fma(y, situ_sin(x), 1.0 / (i + 2));
    for (int i = 0; i < 12; i++) sum = situ_add(sum, situ_mul(many[i] = situ_add(x, i), situ_exp(situ_negative(x))));
    for (int i = 0; i < 12; i++) sum = situ_sub(sum, situ_tanh(many[i]));
    situ_eval(TENSORS(y, sum, situ_softmax(x), situ_layer_norm(x, situ_ones(SHAPE(300), .device = device), situ_zeros(SHAPE(300), .device = device)), situ_normal(situ_key(2, .device = device), SHAPE(100, 1000), .dtype = SITU_F64)));
}

static void train(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(32), situ_batch_norm_layer(), situ_gelu_layer(), situ_dropout_layer(0.1), situ_linear_layer(10));
    situ_optimizer *adam = situ_adamw(net, .lr = 0.01);
    situ_tensor *labels = situ_cast(situ_mul(situ_uniform(situ_key(5, .device = device), SHAPE(20)), 9), SITU_I64);
    for (int i = 0; i < 3; i++) {
        situ_scope *scope = situ_scope_open();
        situ_optimizer_step(adam, situ_cross_entropy(situ_module_call(net, numbers(SHAPE(20, 16))), labels));
        situ_scope_close(scope);
    }
    situ_module_save(net, path[0]);
    situ_module_load(net, path[0]);
    situ_optimizer_free(adam);
    situ_module_free(net);
}

static void sequences(void)
{
    situ_module *lstm = situ_lstm_layer(16), *block = situ_transformer_encoder_layer(16, 4);
    situ_tensor *x = numbers(SHAPE(3, 12, 16)), *y = situ_module_call(lstm, x), *z = situ_module_call(block, x);
    situ_tensor *loss = situ_add(situ_mean(situ_square(y)), situ_mean(z));
    situ_optimizer *sgd = situ_sgd(lstm, .lr = 0.1, .momentum = 0.9);
    situ_optimizer_step(sgd, loss);
    situ_optimizer_free(sgd);
    situ_module_free(lstm);
    situ_module_free(block);
}

static void fit(void)
{
    situ_dataset *digits = situ_digits(), *few, *rest;
    situ_dataset_split(digits, 0, &few, &rest, .count = 200);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(20), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .report = path[1], .device = device);
    situ_trainer_fit(trainer, net, adam, few, few);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(few);
    situ_dataset_free(rest);
    situ_dataset_free(digits);
}

static void onnx(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(8), situ_relu_layer(), situ_linear_layer(3));
    situ_tensor *x = situ_ones(SHAPE(2, 5));
    situ_eval(TENSORS(situ_module_call(net, x)));
    situ_onnx_save(net, path[2], TENSORS(x));
    situ_module *loaded = situ_onnx_load(path[2]);
    situ_eval(TENSORS(situ_module_call(loaded, x)));
    situ_module_free(loaded);
    situ_module_free(net);
}

static void read_tables(void)
{
    static const char text[] = "a,b,c\n1,2.5,x\n2,3.5,y\n3,1e-3,x\n";
    char file[600];
    snprintf(file, sizeof file, "%.500s.csv", path[2]);
    FILE *f = fopen(file, "w");
    if (!f) return;
    fputs(text, f);
    fclose(f);
    situ_dataset_free(situ_csv(file));
    situ_dataset_free(situ_text_dataset(file, 4));
}

static const struct {
    const char *name;
    void (*run)(void);
    bool host; /* not on other devices */
} works[] = {{"printing", print_and_explain, false}, {"errors", errors, false}, {"products", large_products, false}, {"images", large_images, false},
    {"orders", large_orders, false}, {"algebra", large_algebra, false}, {"groups", large_groups, false}, {"a training step", train, false},
    {"sequences", sequences, false}, {"a trainer", fit, false}, {"ONNX", onnx, true}, {"tables", read_tables, true}};
enum { WORKS = sizeof works / sizeof *works };

/* ---- running them ---------------------------------------------------------------------------------------------------------------- */

/* A sample and its gradient. */
static void call_sample(const sample *s)
{
    situ_tensor *in[SAMPLE_OPERANDS] = {NULL}, *gradient;
    for (int k = 0; k < sample_operands(s); k++) {
        const sample_operand *o = &s->operand[k];
        situ_dtype d = sample_dtype(o, SITU_F32);
        situ_tensor *x = situ_full(o->shape, situ_dtype_is_float(d) ? 0.25 : 1, .dtype = d, .device = device);
        in[k] = o->kind.type == RANDOM_KEY ? situ_key(1, .device = device) : sample_given(s, k, x);
    }
    situ_tensor *y = s->call(in, device);
    situ_eval(TENSORS(y));
    bool real = s->operand[0].name && s->operand[0].kind.type < REAL_COMPLEX;
    if (real && !situ_failed() && situ_dtype_of(y) == SITU_F32 && !situ_grad(situ_sum(y), TENSORS_OF(in, 1), &gradient)) situ_eval(TENSORS(gradient));
}

static const char *name_of(int k) { return k < WORKS ? works[k].name : samples[k - WORKS].name; }

static bool fits_device(int k) { return k >= WORKS || !works[k].host || device.kind == SITU_CPU; }

static void *run(void *which)
{
    int k = *(const int *)which;
    situ_scope *scope = situ_scope_open();
    if (k < WORKS) works[k].run();
    else call_sample(&samples[k - WORKS]);
    situ_scope_close(scope);
    situ_error e;
    if (situ_error_take(&e) && k < WORKS) {
        printf("  %s: %s\n", name_of(k), e.message);
        CHECK(!"an error");
    }
    return NULL;
}

static void run_in_thread(void *stack, size_t size, int k)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (stack) pthread_attr_setstack(&attributes, stack, size);
    else pthread_attr_setstacksize(&attributes, size);
    if (CHECK(!pthread_create(&thread, &attributes, run, &k))) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void set_paths(void)
{
    static const char *const name[3] = {"net.safetensors", "report.html", "net.onnx"};
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s", test_path(name[i]));
}

/* Measures the depth of each work in its own thread; the first run also compiles kernels. */
static void measure(situ_device d)
{
    if (SANITIZED) SKIP("sanitizers take stack of their own");
    char *stack = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(stack != MAP_FAILED)) return;
    device = d;
    set_paths();
    const char *deepest = "";
    size_t most = 0;
    for (int k = 0; k < WORKS + sample_count; k++) {
        if (!fits_device(k)) continue;
        memset(stack, PAINT, LARGE);
        run_in_thread(stack, LARGE, k);
        size_t left = 0;
        while (left < LARGE && (unsigned char)stack[left] == PAINT) left++;
        size_t used = LARGE - left;
        if (!CHECK(used <= PROMISED)) printf("  %s: %zu bytes of stack\n", name_of(k), used);
        if (used > most) most = used, deepest = name_of(k);
    }
    if (getenv("SITU_TEST_STACK")) printf("  %zu bytes at most, by %s\n", most, deepest);
    munmap(stack, LARGE);
}

TEST(each_work_on_the_cpu_takes_48_kb) { measure(situ_cpu()); }
TEST(each_work_on_a_simulated_gpu_takes_48_kb) { measure(sim_device(0)); }

/* Everything in threads with only that much stack, followed by a guard page. */
TEST(threads_with_48_kb_work)
{
    if (SANITIZED) SKIP("sanitizers take stack of their own");
    set_paths();
    for (int gpu = 0; gpu < 2; gpu++) {
        device = gpu ? sim_device(0) : situ_cpu();
        for (int k = 0; k < WORKS + sample_count; k++)
            if (fits_device(k)) run_in_thread(NULL, PROMISED, k);
    }
}
