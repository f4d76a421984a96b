/* Batch-invariant results: a row's bits, alone and among others, at any place, with any number of threads. Cases are drawn; with
 * SITU_INVARIANCE in the environment so many of them (tests/release/invariance.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/isa.h"

#include "test.h"

enum { ROWS = 64, MOST_BYTES = 1 << 26, USUAL_CASES = 40 };

static const int batches[] = {1, 2, 3, 8, 9, 32, 64};
enum { BATCHES = sizeof batches / sizeof *batches };

/* Numbers that follow from a case's number. */
static uint64_t state;
static int64_t drawn(int64_t low, int64_t high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}
static int64_t one_of(const int64_t *values, int count) { return values[drawn(0, count - 1)]; }
#define ONE_OF(...) one_of((const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static situ_tensor *values(int key, situ_shape shape, situ_dtype d)
{
    return situ_cast(situ_normal(situ_key(key), shape), d);
}

/* A case: x has ROWS rows along its first axis; `run` computes a result with as many. */
typedef struct trial {
    const char *name;
    situ_tensor *x, *w, *v;
    situ_module *net;
    int64_t a, b;
    situ_tensor *(*run)(const struct trial *t, situ_tensor *x);
} trial;

static situ_tensor *by_matrix(const trial *t, situ_tensor *x) { return situ_matmul(x, t->w); }
static situ_tensor *by_transpose(const trial *t, situ_tensor *x) { return situ_matmul(x, situ_transpose(t->w)); }
static situ_tensor *turned(const trial *t, situ_tensor *x)
{
    situ_tensor *columns = situ_add(situ_transpose(x), situ_zeros(SHAPE(1, 1), .dtype = situ_dtype_of(x))); /* stored by columns */
    return situ_matmul(situ_transpose(columns), t->a ? t->w : situ_transpose(t->w));
}
static situ_tensor *convolved(const trial *t, situ_tensor *x)
{
    if (t->a == 1) return situ_conv1d(x, t->w, .padding = 1);
    if (t->a == 3) return situ_conv_transpose2d(x, t->w, .stride = SHAPE(2));
    return situ_conv2d(x, t->w, .padding = 1, .stride = SHAPE(t->b));
}
static situ_tensor *attended(const trial *t, situ_tensor *x)
{
    if (t->a) return situ_self_attention(x, 2, .causal = t->b != 0);
    return situ_attention(x, situ_mul(x, 0.5), situ_add(x, 1), .causal = t->b != 0);
}
static situ_tensor *both_batched(const trial *t, situ_tensor *x)
{
    (void)t;
    return situ_matmul(x, situ_matrix_transpose(situ_mul(x, 0.25)));
}
static situ_tensor *quantised(const trial *t, situ_tensor *x) { return situ_quantised_linear(x, t->w, (situ_block_type)t->a); }
static situ_tensor *reduced(const trial *t, situ_tensor *x)
{
    switch (t->a) {
    case 0: return situ_softmax(x);
    case 1: return situ_sum(x, .axes = AXES(1));
    case 2: return situ_mean(x, .axes = AXES(-1));
    case 3: return situ_logsumexp(x, .axes = AXES(-1));
    case 4: return situ_cumsum(x, .axis = 1);
    default: return situ_var(x, .axes = AXES(1, 2));
    }
}
static situ_tensor *called(const trial *t, situ_tensor *x) { return situ_module_call(t->net, x); }

static situ_module *network(int kind, int64_t width)
{
    switch (kind) {
    case 0:
        return situ_sequential(situ_linear_layer(width), situ_gelu_layer(), situ_layer_norm_layer(), situ_linear_layer(width / 2 + 1),
            situ_rms_norm_layer(), situ_softmax_layer(-1));
    case 1: return situ_sequential(situ_gru_layer(width / 2), situ_linear_layer(5));
    case 2: return situ_sequential(situ_lstm_layer(width), situ_linear_layer(7));
    case 3: return situ_transformer_encoder_layer(width / 8 * 8, 4, .hidden = 48);
    case 4:
        return situ_sequential(situ_conv2d_layer(8, SHAPE(3)), situ_batch_norm_layer(), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)),
            situ_conv2d_layer(12, SHAPE(3)), situ_group_norm_layer(4), situ_avg_pool2d_layer(SHAPE(2)), situ_flatten_layer(),
            situ_linear_layer(width));
    default: return situ_sequential(situ_rnn_layer(width), situ_multihead_attention_layer(width, 2), situ_swiglu_layer(width));
    }
}

static void make_network(trial *t)
{
    static const char *const names[] = {"mlp", "gru", "lstm", "encoder", "images", "rnn, attention, swiglu"};
    int kind = (int)drawn(0, 5);
    int64_t width = ONE_OF(8, 24, 40, 128, 264);
    t->name = names[kind];
    t->run = called;
    t->net = network(kind, width);
    t->x = kind == 0 ? values(1, SHAPE(ROWS, width), SITU_F32) :
        kind == 4    ? values(1, SHAPE(ROWS, 3, 14, 14), SITU_F32) :
                       values(1, SHAPE(ROWS, ONE_OF(1, 5, 9), kind == 3 ? width / 8 * 8 : 16), SITU_F32);
    situ_module_init(t->net, situ_key(4));
    if (drawn(0, 1)) situ_module_set_precision(t->net, SITU_BF16);
    situ_module_set_training(t->net, false);
    situ_module_call(t->net, t->x);
    if (kind == 0 && drawn(0, 1)) t->name = "quantised mlp", situ_module_quantise(t->net);
}

/* Products: of each dtype, by matrices in both layouts, of few and many columns. */
static void make_product(trial *t, int kind)
{
    situ_dtype d = (situ_dtype)ONE_OF(SITU_F32, SITU_F32, SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_C64, SITU_I32);
    int64_t k = ONE_OF(1, 7, 33, 63, 64, 127, 128, 200, 256, 257, 300, 513, 1025, 4100), n = ONE_OF(1, 2, 5, 16, 48, 64, 65, 130, 300);
    if (k > 1100) n = n < 65 ? n : 65;
    t->x = values(1, SHAPE(ROWS, k), d);
    if (kind == 0) t->name = "matmul", t->w = values(2, SHAPE(k, n), d), t->run = by_matrix;
    if (kind == 1) t->name = "matmul by a transpose", t->w = values(2, SHAPE(n, k), d), t->run = by_transpose;
    if (kind == 2) {
        t->name = "matmul of columns";
        t->a = drawn(0, 1);
        t->w = values(2, t->a ? SHAPE(k, n) : SHAPE(n, k), d);
        t->run = turned;
    }
    if (kind == 3) {
        t->name = "matmul of matrices";
        t->x = situ_reshape(values(1, SHAPE(ROWS * 3, k), d), SHAPE(ROWS, 3, k));
        t->a = drawn(0, 1);
        t->w = values(2, t->a ? SHAPE(k, n) : SHAPE(n, k), d);
        t->run = t->a ? by_matrix : by_transpose;
    }
    if (kind == 4) {
        t->name = "matmul by halves";
        t->x = values(1, SHAPE(ROWS, k), SITU_F32);
        t->w = values(2, SHAPE(n, k), drawn(0, 1) ? SITU_BF16 : SITU_F16);
        t->run = by_transpose;
    }
    if (kind == 5) {
        t->name = "matmul in each row";
        t->x = values(1, SHAPE(ROWS, 2, ONE_OF(1, 3, 20), ONE_OF(8, 64, 130, 300)), d);
        t->run = both_batched;
    }
    if (kind == 6) {
        t->name = "quantised_linear";
        t->a = drawn(0, 3);
        int64_t width = ONE_OF(32, 64, 128, 160, 512);
        t->x = values(1, SHAPE(ROWS, width), SITU_F32);
        t->w = situ_quantise(values(2, SHAPE(n, width), SITU_F32), (situ_block_type)t->a);
        t->run = quantised;
    }
}

static void make(trial *t, int number)
{
    state = (uint64_t)number * 7919 + 17;
    drawn(0, 1);
    int kind = number % 10;
    situ_dtype d = (situ_dtype)ONE_OF(SITU_F32, SITU_F32, SITU_F64, SITU_F16, SITU_BF16);
    if (kind < 7) {
        make_product(t, kind);
    } else if (kind == 7) {
        t->name = "convolution";
        t->a = drawn(1, 3);
        t->b = drawn(1, 2);
        int64_t in = ONE_OF(1, 3, 16, 64), out = ONE_OF(1, 4, 10, 96), side = ONE_OF(4, 7, 16);
        t->x = values(1, t->a == 1 ? SHAPE(ROWS, in, side * 4) : SHAPE(ROWS, in, side, side), d);
        t->w = values(2, t->a == 1 ? SHAPE(out, in, 3) : t->a == 3 ? SHAPE(in, out, 3, 3) : SHAPE(out, in, 3, 3), d);
        t->run = convolved;
    } else if (kind == 8 && number / 10 % 2) {
        t->name = "attention";
        t->a = drawn(0, 1);
        t->b = drawn(0, 1);
        t->x = values(1, SHAPE(ROWS, ONE_OF(1, 5, 17, 40), ONE_OF(12, 48, 132, 390)), d);
        t->run = attended;
    } else if (kind == 8) {
        t->name = "reduction";
        t->a = drawn(0, 5);
        t->x = values(1, SHAPE(ROWS, ONE_OF(1, 3, 70, 130), ONE_OF(1, 5, 64, 1500)), d);
        t->run = reduced;
    } else make_network(t);
}

/* How many batches have a row whose bits are not those that it has among all rows. */
static int differing(const trial *t, char *all, char *some)
{
    int found = 0;
    situ_set_threads(1);
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = t->run(t, t->x);
    size_t row = (size_t)situ_count(y) / ROWS * situ_dtype_size(situ_dtype_of(y));
    bool fits = CHECK(row * ROWS <= MOST_BYTES && !situ_read(y, all, row * ROWS));
    situ_scope_close(scope);
    situ_set_threads(3);
    for (int i = 0; i < BATCHES && fits; i++) {
        int64_t n = batches[i], first = drawn(0, ROWS - n);
        scope = situ_scope_open();
        situ_shape start = SHAPE(first), stop = SHAPE(first + n);
        for (int k = 1; k < situ_ndim(t->x); k++) start.dim[start.ndim++] = 0, stop.dim[stop.ndim++] = SITU_FULL;
        y = t->run(t, situ_slice(t->x, .start = start, .stop = stop));
        bool read = CHECK_EQ(situ_count(y), (int64_t)(row * (size_t)n / situ_dtype_size(situ_dtype_of(y)))) && !situ_read(y, some, row * (size_t)n);
        found += read && memcmp(some, all + (size_t)first * row, row * (size_t)n) != 0;
        situ_scope_close(scope);
    }
    return found;
}

/* The number of cases that differ. */
static int cases_that_differ(int cases, bool policy, bool tell)
{
    char *all = malloc(MOST_BYTES), *some = malloc(MOST_BYTES);
    int found = 0;
    bool before = situ_batch_invariant(policy);
    for (int i = 0; i < cases; i++) {
        trial t = {.name = ""};
        situ_scope *scope = situ_scope_open();
        make(&t, i);
        situ_tensor *x = situ_keep(t.x);
        t.x = x;
        int n = situ_failed() ? 0 : differing(&t, all, some);
        if (n && tell) {
            printf("case %d, %s, %s x = [", i, t.name, situ_dtype_name(situ_dtype_of(t.x)));
            for (int k = 0; k < situ_ndim(t.x); k++) printf("%s%lld", k ? ", " : "", (long long)situ_shape_of(t.x).dim[k]);
            printf("]: %d of %d batches differ\n", n, BATCHES);
        }
        if (!CHECK_OK()) printf("case %d, %s\n", i, t.name);
        found += n > 0;
        situ_release(x);
        situ_module_free(t.net);
        situ_scope_close(scope);
    }
    situ_batch_invariant(before);
    situ_set_threads(0);
    free(all);
    free(some);
    return found;
}

/* ---- the policy ----------------------------------------------------------------------------------------------------------- */

static int cases_asked(void)
{
    const char *text = getenv("SITU_INVARIANCE");
    return text ? atoi(text) : USUAL_CASES;
}

TEST(a_row_has_the_same_bits_in_every_batch)
{
    static const situ_isa sets[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AMX};
    for (int i = getenv("SITU_INVARIANCE") ? 0 : 2; i < 3; i++) {
        situ_isa_limit(sets[i]);
        CHECK_EQ(cases_that_differ(cases_asked(), true, true), 0);
    }
    situ_isa_limit(SITU_ISA_AMX);
}

/* Otherwise the test above would show nothing. */
TEST(without_the_policy_some_rows_differ) { CHECK(cases_that_differ(cases_asked(), false, false) >= cases_asked() / 20); }

static int same_bits(situ_tensor *a, situ_tensor *b)
{
    static char x[1 << 18], y[1 << 18];
    size_t bytes = (size_t)situ_count(a) * situ_dtype_size(situ_dtype_of(a));
    return situ_count(a) == situ_count(b) && bytes <= sizeof x && !situ_read(a, x, bytes) && !situ_read(b, y, bytes) &&
        !memcmp(x, y, bytes);
}

static situ_tensor *first_row(situ_tensor *x) { return situ_slice(x, .stop = SHAPE(1, SITU_FULL)); }

TEST_IN_SCOPE(the_policy_is_that_of_the_recording)
{
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(32, 600)), *w = situ_normal(situ_key(2), SHAPE(90, 600)), *g, *h;
    situ_tensor *plain = situ_matmul(x, situ_transpose(w));
    CHECK_EQ(situ_batch_invariant(true), false);
    situ_tensor *y = situ_matmul(x, situ_transpose(w)), *one = situ_matmul(first_row(x), situ_transpose(w));
    CHECK_EQ(situ_batch_invariant(false), true);
    CHECK(same_bits(first_row(y), one)); /* read outside */
    CHECK(!same_bits(first_row(plain), one));
    CHECK(same_bits(plain, situ_matmul(x, situ_transpose(w)))); /* each has a plan of its own */
    /* gradients have it as well */
    situ_grad(situ_sum(situ_square(y)), TENSORS(x), &g);
    situ_grad(situ_sum(situ_square(one)), TENSORS(x), &h);
    CHECK(same_bits(first_row(g), first_row(h)));
}

TEST_IN_SCOPE(a_network_has_the_policy_by_itself)
{
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(32, 600));
    situ_module *part = situ_linear_layer(90), *net = situ_sequential(part, situ_relu_layer());
    situ_module_init(net, situ_key(3));
    CHECK(!same_bits(first_row(situ_module_call(net, x)), situ_module_call(net, first_row(x))));
    CHECK_EQ(situ_module_set_batch_invariant(part, true), 0);
    CHECK(same_bits(first_row(situ_module_call(net, x)), situ_module_call(net, first_row(x))));
    situ_module *copy = situ_module_clone(net);
    CHECK(same_bits(situ_module_call(copy, x), situ_module_call(net, x)));
    CHECK(same_bits(first_row(situ_module_call(copy, x)), situ_module_call(copy, first_row(x))));
    CHECK_EQ(situ_batch_invariant(false), false);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_set_batch_invariant(NULL, true), "the network is NULL");
    situ_module_free(copy);
    situ_module_free(net);
}

/* ---- texts side by side ------------------------------------------------------------------------------------------------------ */

enum { TEXTS = 16, PROMPT = 20, NEW = 12, VOCABULARY = 70 };

/* Continues `count` texts from `first` on, each by its likeliest tokens; their logits go to out. */
static void generate(situ_module *m, int first, int count, float (*out)[TEXTS][VOCABULARY])
{
    int32_t token[TEXTS][PROMPT];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < PROMPT; k++) token[i][k] = (int32_t)(((first + i) * 31 + k * k * 7 + k) % VOCABULARY);
    CHECK_EQ(situ_llama_begin(m, .batch = count, .context = PROMPT + NEW), 0);
    situ_tensor *next = situ_from_host(token, SHAPE(count, PROMPT), .dtype = SITU_I32);
    for (int i = 0; i < NEW; i++) {
        situ_tensor *logits = situ_llama_step(m, next);
        CHECK_EQ(situ_read(logits, out[i][first], (size_t)count * sizeof out[0][0]), 0);
        next = situ_cast(situ_reshape(situ_argmax(logits, .axis = -1), SHAPE(count, 1)), SITU_I32);
    }
}

TEST_IN_SCOPE(texts_side_by_side_have_the_logits_that_each_has_alone)
{
    static float alone[NEW][TEXTS][VOCABULARY], five[NEW][TEXTS][VOCABULARY], all[NEW][TEXTS][VOCABULARY];
    for (int halves = 0; halves < 2; halves++) {
        situ_module *m = situ_llama(.layers = 2, .width = 160, .heads = 4, .kv_heads = 2, .hidden = 200, .vocabulary = VOCABULARY);
        situ_module_init(m, situ_key(7));
        if (halves) situ_module_set_precision(m, SITU_BF16);
        situ_module_set_batch_invariant(m, true);
        generate(m, 0, TEXTS, all);
        for (int i = 0; i < TEXTS; i++) generate(m, i, 1, alone);
        for (int i = 0; i < 15; i += 5) generate(m, i, 5, five);
        generate(m, 15, 1, five);
        CHECK(!memcmp(alone, all, sizeof all) && !memcmp(five, all, sizeof all));
        situ_module_set_batch_invariant(m, false);
        generate(m, 0, 1, alone);
        CHECK(memcmp(alone, all, sizeof all) != 0);
        situ_module_free(m);
    }
}
