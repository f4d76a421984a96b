/* Plans: reused by structure, and the same bits however they are cut, wherever and with how many threads they run. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "base/memory.h"
#include "support/sim_devices.h"
#include "values.h"

static int times_in(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; text && (at = strstr(at, word)); at += strlen(word)) n++;
    return n;
}

/* ---- structure and arguments ------------------------------------------------------------------------------------- */

static int64_t plans_made(void) { return situ_plans().made; }

TEST(numbers_slice_starts_and_keys_are_arguments)
{
    situ_tensor *data = NULL, *key = NULL;
    IN_SCOPE {
        data = situ_keep(situ_reshape(situ_arange(0, 6000, 1, .dtype = SITU_F32), SHAPE(1000, 6)));
        key = situ_keep(situ_key(5));
    }
    int64_t made = 0;
    double sum = 0;
    for (int i = 0; i < 50; i++) {
        IN_SCOPE {
            situ_tensor *rows = situ_slice(data, .start = SHAPE(i * 7), .stop = SHAPE(i * 7 + 10));
            situ_tensor *noise = situ_uniform(situ_fold_in(key, i), SHAPE(10, 6));
            situ_tensor *y = situ_mul(situ_add(rows, 0.25 * i), situ_sub(noise, i));
            sum += situ_item(situ_sum(y));
        }
        if (i == 1) made = plans_made();
    }
    CHECK_EQ(plans_made(), made);
    CHECK(sum != 0);
    situ_release(data);
    situ_release(key);
}

TEST_IN_SCOPE(shapes_dtypes_axes_and_devices_are_structure)
{
    situ_tensor *x = situ_ones(SHAPE(4, 5)), *y = situ_ones(SHAPE(4, 5), .dtype = SITU_F64), *z = situ_ones(SHAPE(5, 4));
    int64_t before = plans_made();
    situ_item(situ_sum(situ_max(situ_add(x, 1), .axes = AXES(0))));
    situ_item(situ_sum(situ_max(situ_add(x, 1), .axes = AXES(1))));
    situ_item(situ_sum(situ_max(situ_add(y, 1), .axes = AXES(0))));
    situ_item(situ_sum(situ_max(situ_add(z, 1), .axes = AXES(0))));
    situ_item(situ_sum(situ_max(situ_add(situ_to(x, sim_device(0)), 1), .axes = AXES(0))));
    CHECK_EQ(plans_made() - before, 5);
    situ_item(situ_sum(situ_max(situ_add(x, 2), .axes = AXES(1))));
    CHECK_EQ(plans_made() - before, 5);
}

/* Everything together: a resident data set, a schedule, clipping, dropout, momentum. */
static void many_steps(situ_device d, int steps)
{
    situ_tensor *w[2] = {NULL}, *m[2] = {NULL}, *data = NULL, *label = NULL;
    IN_SCOPE {
        data = situ_keep(situ_uniform(situ_key(1, .device = d), SHAPE(500, 12)));
        label = situ_keep(situ_remainder(situ_arange(0, 500, 1, .device = d), 3));
        w[0] = situ_variable(situ_normal(situ_key(2, .device = d), SHAPE(12, 8)));
        w[1] = situ_variable(situ_normal(situ_key(3, .device = d), SHAPE(8, 3)));
        for (int i = 0; i < 2; i++) m[i] = situ_variable(situ_zeros_like(w[i]));
    }
    situ_wait(NULL);
    int64_t made = plans_made();
    for (int step = 0; step < steps; step++)
        IN_SCOPE {
            int start = step * 20 % 480;
            situ_tensor *x = situ_slice(data, .start = SHAPE(start), .stop = SHAPE(start + 20));
            situ_tensor *y = situ_slice(label, .start = SHAPE(start), .stop = SHAPE(start + 20)), *g[2];
            situ_tensor *hidden = situ_dropout(situ_relu(situ_matmul(x, w[0])), situ_fold_in(situ_key(9, .device = d), step), 0.1);
            situ_tensor *loss = situ_cross_entropy(situ_matmul(hidden, w[1]), y);
            CHECK_EQ(situ_grad(loss, TENSORS_OF(w, 2), g), 0);
            situ_tensor *norm = situ_sqrt(situ_add(situ_sum(situ_square(g[0])), situ_sum(situ_square(g[1]))));
            situ_tensor *scale = situ_minimum(1.0, situ_div(0.5, norm));
            for (int i = 0; i < 2; i++) {
                CHECK_EQ(situ_assign(m[i], situ_add(situ_mul(m[i], 0.9), situ_mul(g[i], scale))), 0);
                CHECK_EQ(situ_assign(w[i], situ_sub(w[i], situ_mul(m[i], 0.1 / (1 + step)))), 0);
            }
            if (step % 100 == 99) CHECK(situ_item(loss) > 0);
        }
    CHECK_EQ(situ_wait(NULL), 0);
    CHECK(plans_made() - made <= 4);
    for (int i = 0; i < 2; i++) {
        situ_release(w[i]);
        situ_release(m[i]);
    }
    situ_release(data);
    situ_release(label);
    CHECK_OK();
}

TEST(a_thousand_training_steps_make_at_most_four_plans) { many_steps(situ_cpu(), 1000); }
TEST(a_thousand_asynchronous_training_steps_make_at_most_four_plans) { many_steps(sim_device(0), 1000); }

TEST_IN_SCOPE(explain_says_how_and_runs_nothing)
{
    situ_tensor *x = situ_ones(SHAPE(4, 5)), *y = situ_sum(situ_exp(situ_add(x, 1)));
    char *text = situ_explain(y);
    CHECK(text && strstr(text, "add") && strstr(text, "exp") && strstr(text, "pending"));
    free(text);
    CHECK_STR(situ_state(y), "pending");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_explain(NULL));
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static int pick(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

enum { VALUES = 40 };

/* One more value, computed from the existing ones. */
static situ_tensor *grown(situ_tensor **value, int count)
{
    situ_tensor *a = value[pick(count)], *b = value[pick(count)], *c = value[pick(count)], *d = value[pick(count)], *e = value[pick(count)];
    switch (pick(23)) {
    case 0: return situ_add(a, b);
    case 1: return situ_sub(a, situ_mul(b, 0.5));
    case 2: return situ_mul(a, b);
    case 3: return situ_tanh(a);
    case 4: return situ_exp(situ_minimum(a, 1));
    case 5: return situ_div(a, situ_add(situ_abs(b), 1));
    case 6: return situ_add(a, situ_mean(b, .axes = AXES(-1), .keepdims = true));
    case 7: return situ_sub(a, situ_max(b, .axes = AXES(0), .keepdims = true));
    case 8: return situ_softmax(a, .axis = pick(2));
    case 9: return situ_where(situ_less(a, b), a, situ_negative(b));
    case 10: return situ_flip(a, .axes = AXES(pick(2)));
    case 11: return situ_roll(a, pick(5), .axis = pick(2));
    case 12: return situ_reshape(situ_reshape(a, SHAPE(-1)), situ_shape_of(a));
    case 13: return situ_cast(situ_cast(a, pick(2) ? SITU_F16 : SITU_BF16), SITU_F32);
    case 14: return situ_add(a, situ_sum(b));
    case 15: return situ_gelu(a);
    case 16: return situ_add(a, situ_cumsum(situ_mul(b, 0.125), .axis = pick(2)));
    case 17: return situ_update_slice(a, situ_slice(b, .stop = SHAPE(3, 4)), SHAPE(pick(4), pick(4)));
    case 18: return situ_mul(a, situ_uniform(situ_key(pick(9), .device = situ_device_of(a)), situ_shape_of(a)));
    case 19: return situ_sort(a, .axis = pick(2));
    case 20: return situ_log1p(situ_square(a));
    case 21: return situ_where(situ_less(situ_mul(a, b), situ_sub(c, d)), situ_sub(situ_mul(b, c), situ_mul(d, e)), situ_add(situ_add(a, e), situ_mul(situ_add(b, 1), situ_sub(1, c))));
    default: return situ_add(situ_concat(TENSORS(situ_slice(a, .stop = SHAPE(5)), situ_slice(b, .start = SHAPE(5)))), 0.25);
    }
}

/* A hash of the bits of a random graph's results and of a gradient through it. */
static uint64_t graph_bits(int seed, situ_device d, bool fusing, int shape)
{
    const situ_shape shapes[] = {SHAPE(9, 7), SHAPE(33, 70), SHAPE(8, 2100), SHAPE(300, 129)};
    uint64_t hash = 14695981039346656037u;
    random_state = (uint64_t)seed * 2654435761u + 12345;
    situ_fusing(fusing);
    IN_SCOPE {
        situ_tensor *value[VALUES];
        int count = 3;
        for (int i = 0; i < count; i++) value[i] = situ_normal(situ_key(seed * 10 + i, .device = d), shapes[shape]);
        situ_tensor *first = value[0];
        while (count < VALUES) {
            value[count] = grown(value, count);
            count++;
            if (pick(8) == 0) situ_eval(TENSORS(value[count - 1])); /* cuts the plan elsewhere */
        }
        situ_tensor *g = NULL, *y = situ_sum(situ_mul(value[VALUES - 1], 0.001)), *results[] = {value[VALUES - 1], value[VALUES - 2], value[VALUES / 2], y, NULL};
        if (!situ_grad(y, TENSORS(first), &g)) results[4] = g;
        for (int i = 0; i < 5; i++) {
            size_t bytes = (size_t)situ_count(results[i]) * situ_dtype_size(situ_dtype_of(results[i]));
            unsigned char *data = malloc(bytes + 1);
            if (!CHECK_EQ(situ_read(results[i], data, bytes), 0)) situ_error_take(NULL), bytes = 0;
            for (size_t k = 0; k + 4 <= bytes; k += 4) {
                uint32_t word;
                memcpy(&word, data + k, 4);
                if ((word & 0x7fffffff) > 0x7f800000) word = 0x7fc00000; /* NaN payloads are not compared */
                hash = (hash ^ word) * 1099511628211u;
            }
            free(data);
        }
    }
    situ_fusing(true);
    return hash;
}

TEST(fused_or_not_here_or_there_with_one_thread_or_two)
{
    int differ = 0, threads = situ_threads();
    for (int seed = 0; seed < 48; seed++) {
        int shape = seed % 4;
        situ_set_threads(1);
        uint64_t one = graph_bits(seed, situ_cpu(), true, shape), apart = graph_bits(seed, situ_cpu(), false, shape);
        situ_set_threads(2);
        uint64_t two = graph_bits(seed, situ_cpu(), true, shape), far = graph_bits(seed, sim_device(0), true, shape);
        if (one == apart && one == two && one == far) continue;
        printf("  graph %d: apart %d, two threads %d, simulated %d\n", seed, one != apart, one != two, one != far);
        differ++;
    }
    situ_set_threads(threads);
    CHECK_EQ(differ, 0);
}

/* ---- small steps side by side ---------------------------------------------------------------------------------------- */

enum { PRODUCTS = 60 };

/* Norms of products, some of which are read by the next one. */
static void norms_of_products(float *norm)
{
    IN_SCOPE {
        situ_tensor *list[PRODUCTS], *a = situ_uniform(situ_key(0), SHAPE(PRODUCTS, 100, 100)), *b = situ_uniform(situ_key(1), SHAPE(100, 100)), *last = b;
        situ_eval(TENSORS(a, b));
        for (int i = 0; i < PRODUCTS; i++) {
            situ_tensor *y = situ_matmul(situ_squeeze(situ_slice(a, .start = SHAPE(i), .stop = SHAPE(i + 1))), i % 7 ? b : last);
            if (i % 7 == 3) last = situ_mul(y, 0.01);
            list[i] = situ_sqrt(situ_sum(situ_square(y)));
        }
        situ_read(situ_stack(TENSORS_OF(list, PRODUCTS)), norm, PRODUCTS * sizeof *norm);
    }
}

TEST(small_steps_in_lanes_give_the_same_bits)
{
    float alone[PRODUCTS], beside[PRODUCTS], apart[PRODUCTS];
    situ_set_threads(1);
    norms_of_products(alone);
    situ_set_threads(2);
    for (int i = 0; i < 20; i++) {
        norms_of_products(beside);
        CHECK(!memcmp(alone, beside, sizeof alone));
    }
    bool before = situ_fusing(false);
    norms_of_products(apart);
    situ_fusing(before);
    situ_set_threads(0);
    CHECK(!memcmp(alone, apart, sizeof alone));
    CHECK(alone[0] > 0);
}

/* ---- a group that goes with the product before it --------------------------------------------------------------------- */

static situ_tensor *layer(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)a, situ_relu(situ_add(c, row)); }
static situ_tensor *norm(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)row, (void)a, situ_norm(c); }
static situ_tensor *total(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)a, situ_sum(situ_mul(c, row)); }
static situ_tensor *largest(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)row, (void)a, situ_max(c); }
static situ_tensor *reshaped(situ_tensor *c, situ_tensor *row, situ_tensor *a)
{
    return (void)row, (void)a, situ_exp(situ_reshape(c, SHAPE(situ_dim(c, 0) * situ_dim(c, 1))));
}
/* Reads an operand of the product and has two results. */
static situ_tensor *kept;
static situ_tensor *residual(situ_tensor *c, situ_tensor *row, situ_tensor *a)
{
    (void)row;
    situ_tensor *y = situ_add(situ_mean(a, .axes = AXES(1), .keepdims = true), c);
    return situ_sum(kept = situ_keep(situ_square(y)));
}
/* The second product's operand is not needed afterwards, but its memory must not be reused for the group yet. */
static situ_tensor *deep(situ_tensor *c, situ_tensor *row, situ_tensor *a)
{
    situ_tensor *h = layer(situ_mul(c, 0.01), row, a), *d = layer(situ_matmul(situ_dim(h, 0) == situ_dim(h, 1) ? h : situ_transpose(h), h), row, a);
    return situ_matmul(d, d);
}
/* Not element by element. */
static situ_tensor *crosswise(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)a, situ_add(situ_transpose(c), situ_sum(row)); }
static situ_tensor *by_rows(situ_tensor *c, situ_tensor *row, situ_tensor *a) { return (void)row, (void)a, situ_sum(situ_square(c), .axes = AXES(1)); }

static const struct { situ_tensor *(*make)(situ_tensor *c, situ_tensor *row, situ_tensor *a); bool follows; } followers[] = {
    {layer, true}, {norm, true}, {total, true}, {largest, true}, {reshaped, true}, {residual, true}, {deep, true}, {crosswise, false}, {by_rows, false}};
enum { FOLLOWERS = sizeof followers / sizeof *followers, MOST_FOLLOWING = 1 << 16 };
static const struct { int64_t m, k, n; bool turned; situ_dtype dtype; } following[] = {
    {100, 100, 100, false, SITU_F32}, {64, 128, 128, false, SITU_F32}, {101, 71, 93, false, SITU_F32}, {100, 100, 100, true, SITU_F32},
    {300, 4000, 1, false, SITU_F32},  {9, 700, 111, false, SITU_F32},  {110, 90, 128, false, SITU_F64}, {4000, 20, 15, false, SITU_F32}};

/* Compares the bytes of both programs; whether the group became the product's post-op. */
static bool run_follower(int f, int p, char *bytes, size_t *size)
{
    bool follows = false;
    IN_SCOPE {
        int64_t m = following[p].m, k = following[p].k, n = following[p].n;
        situ_tensor *a = situ_uniform(situ_key(1), SHAPE(m, k), .dtype = following[p].dtype);
        situ_tensor *b = situ_uniform(situ_key(2), following[p].turned ? SHAPE(n, k) : SHAPE(k, n), .dtype = following[p].dtype);
        situ_tensor *row = situ_uniform(situ_key(3), SHAPE(n), .dtype = following[p].dtype, .low = -30);
        situ_eval(TENSORS(a, b, row));
        situ_tensor *y = followers[f].make(situ_matmul(a, following[p].turned ? situ_transpose(b) : b), row, a);
        char *text = situ_explain(y);
        follows = text && strstr(text, "matmul |");
        free(text);
        *size = (size_t)situ_count(y) * situ_dtype_size(following[p].dtype);
        situ_read(y, bytes, *size);
    }
    situ_release(kept);
    kept = NULL;
    return follows;
}

TEST(a_group_that_goes_with_a_product_keeps_the_bits)
{
    static char apart[8 * MOST_FOLLOWING], together[8 * MOST_FOLLOWING];
    for (int p = 0; p < (int)(sizeof following / sizeof *following); p++)
        for (int f = 0; f < FOLLOWERS; f++) {
            size_t bytes, same;
            bool before = situ_fusing(false);
            CHECK(!run_follower(f, p, apart, &bytes));
            situ_fusing(before);
            for (int threads = 1; threads <= 3; threads++) {
                situ_set_threads(threads);
                bool follows = run_follower(f, p, together, &same);
                CHECK(p ? !follows || followers[f].follows : follows == followers[f].follows);
                CHECK(same == bytes && !memcmp(apart, together, bytes));
            }
            situ_set_threads(0);
        }
}

/* The group's results must not go where the product still reads. */
TEST(a_group_does_not_go_with_a_product_of_the_variable_that_it_writes)
{
    float apart[100 * 100], together[100 * 100];
    for (int fused = 0; fused < 2; fused++) {
        bool before = situ_fusing(fused);
        situ_tensor *w = NULL;
        IN_SCOPE { w = situ_variable(situ_uniform(situ_key(4), SHAPE(100, 100))); }
        for (int i = 0; i < 50; i++)
            IN_SCOPE { situ_assign(w, situ_mul(situ_add(situ_matmul(w, w), 1), 0.005)); }
        CHECK_EQ(situ_read(w, fused ? together : apart, sizeof apart), 0);
        situ_release(w);
        situ_fusing(before);
    }
    CHECK(!memcmp(apart, together, sizeof apart));
    CHECK(apart[0] > 0 && apart[0] < 1);
}

/* ---- matrices that repeat ------------------------------------------------------------------------------------------ */

enum { STEPS = 6 };

static bool own_products(void) { return !strncmp(situ_gemm_library(), "own", 3); }

/* The states of a recurrent network, each read from one plan or computed by itself. */
static void recur(situ_tensor *first, situ_tensor *w, bool turned, bool together, char *out, size_t bytes)
{
    IN_SCOPE {
        situ_tensor *h[STEPS], *t = first;
        for (int i = 0; i < STEPS; i++) {
            t = h[i] = situ_tanh(situ_matmul(t, turned ? situ_transpose(w) : w));
            if (!together) situ_wait(t);
        }
        if (together) {
            char *text = situ_explain(t);
            if (own_products()) CHECK_EQ(times_in(text, "packed"), 1);
            free(text);
            situ_eval(TENSORS(h[0], h[1], h[2], h[3], h[4], h[5]));
        }
        for (int i = 0; i < STEPS; i++) situ_read(h[i], out + (size_t)i * bytes, bytes);
    }
}

TEST(a_matrix_that_repeats_is_packed_once)
{
    static const int64_t rows[] = {SITU_GEMM_FEW + 1, 32, 100};
    for (int how = 0; how < 12; how++) {
        int64_t m = rows[how / 4], k = 520;
        situ_dtype dtype = how & 1 ? SITU_F64 : SITU_F32;
        bool turned = how & 2;
        situ_tensor *first = NULL, *w = NULL;
        IN_SCOPE {
            first = situ_keep(situ_uniform(situ_key(1), SHAPE(m, k), .dtype = dtype));
            w = situ_keep(situ_mul(situ_sub(situ_uniform(situ_key(2), SHAPE(k, k), .dtype = dtype), 0.5), 0.3));
            situ_eval(TENSORS(first, w));
        }
        size_t bytes = (size_t)(m * k) * situ_dtype_size(dtype);
        char *one = malloc(STEPS * bytes), *each = malloc(STEPS * bytes);
        recur(first, w, turned, true, one, bytes);
        recur(first, w, turned, false, each, bytes);
        CHECK(!memcmp(one, each, STEPS * bytes));
        free(one);
        free(each);
        situ_release(first);
        situ_release(w);
    }
}

/* A repeated product with a packed matrix is recognised as the same. */
TEST(a_product_with_a_packed_matrix_is_found_again)
{
    if (!own_products()) SKIP("products are a library's");
    IN_SCOPE {
        situ_tensor *w = situ_ones(SHAPE(520, 520)), *x[4], *sum = NULL;
        for (int i = 0; i < 4; i++) x[i] = situ_uniform(situ_key(i), SHAPE(20, 520));
        situ_eval(TENSORS(w, x[0], x[1], x[2], x[3]));
        for (int i = 0; i < 8; i++) sum = sum ? situ_add(sum, situ_matmul(x[i % 4], w)) : situ_matmul(x[0], w);
        char *text = situ_explain(sum);
        CHECK_EQ(times_in(text, "matmul"), 4);
        CHECK_EQ(times_in(text, "packed"), 1);
        free(text);
    }
}

TEST(a_small_plan_takes_little_memory)
{
    enum { PLANS = 200 };
    situ_plan_counters before = situ_plans();
    for (int i = 0; i < PLANS; i++) IN_SCOPE situ_item(situ_sum(situ_mul(situ_ones(SHAPE(10000 + i)), 2)));
    situ_plan_counters after = situ_plans();
    CHECK_EQ(after.made - before.made, PLANS);
    CHECK(after.bytes - before.bytes < PLANS * 16384); /* sequences of every length make a plan each */
}

/* Pieces that fill whole cache lines are computed directly in the concatenated result; others are copied. */
TEST(what_is_concatenated_is_whole_wherever_its_pieces_are_made)
{
    enum { N = 64, MANY = 70 };
    IN_SCOPE {
        situ_tensor *x = situ_cast(situ_arange(0, N, 1), SITU_F32), *a = situ_add(x, 1), *b = situ_mul(x, 2), *piece[MANY];
        situ_tensor *turned = situ_transpose(situ_reshape(situ_add(x, 3), SHAPE(8, 8)));
        situ_tensor *y = situ_concat(TENSORS(a, b, a, x, situ_reshape(turned, SHAPE(N)), situ_slice(b, .stop = SHAPE(3)), situ_add(a, b)));
        situ_tensor *z = situ_concat(TENSORS(situ_mul(y, 2), situ_mul(y, 3)));
        double s = N * (N - 1) / 2.0, sum = (s + N) + 2 * s + (s + N) + s + (s + 3 * N) + 6 + (3 * s + N);
        CHECK_EQ(situ_item(situ_sum(z)), 5 * sum);
        IS(situ_slice(y, .start = SHAPE(4 * N), .stop = SHAPE(4 * N + 3)), "[3., 11., 19.] f32[3]");
        CHECK_EQ(situ_item(situ_add(situ_sum(y), situ_add(situ_sum(a), situ_sum(situ_mul(b, a))))),
            sum + (s + N) + 2 * ((N - 1) * N * (2 * N - 1) / 6.0 + s));
        for (int i = 0; i < MANY; i++) piece[i] = i ? situ_add(piece[i - 1], 1) : situ_add(x, 0.5);
        situ_tensor *stack = situ_stack(TENSORS_OF(piece, MANY));
        IS(situ_slice(stack, .start = SHAPE(66, 61), .stop = SHAPE(69)), "[[127.5, 128.5, 129.5],\n [128.5, 129.5, 130.5],\n [129.5, 130.5, 131.5]] f32[3,3]");
        CHECK_EQ(situ_item(situ_sum(situ_mul(stack, stack))) > 0, 1);
    }
}

/* What is asked for of x = [1, 2, 3, 4, 5, 6, 7, 8] + 0 and of x with elements changed, of which a reader of x must
 * see nothing. */
static situ_tensor *changed_case(int kind, situ_tensor *x)
{
    situ_tensor *i = I64(1, 1, -1), *v = F32(10, 20, 30), *y = situ_scatter_add(x, i, v);
    switch (kind) {
    case 0: return y;
    case 1: return situ_add(y, situ_flip(x));
    case 2: return situ_add(situ_scatter(situ_index_add(y, i, v), i, v), 0);
    case 3: return situ_scatter_add(x, situ_arange(0, 8, 1), x);
    case 4: return situ_scatter_add(x, situ_arange(0, 4, 1), situ_slice(x, .start = SHAPE(4)));
    default: return situ_add(y, situ_scatter(x, i, v));
    }
}

TEST(what_a_scatter_changes_is_as_before_for_its_other_readers)
{
    static const char *const expected[] = {"[1., 32., 3., 4., 5., 6., 7., 38.] f32[8]", "[9., 39., 9., 9., 9., 9., 9., 39.] f32[8]",
        "[1., 20., 3., 4., 5., 6., 7., 30.] f32[8]", "[2., 4., 6., 8., 10., 12., 14., 16.] f32[8]",
        "[6., 8., 10., 12., 5., 6., 7., 8.] f32[8]", "[2., 52., 6., 8., 10., 12., 14., 68.] f32[8]"};
    for (int kind = 0; kind < 6; kind++) {
        IN_SCOPE IS(changed_case(kind, situ_add(F32(1, 2, 3, 4, 5, 6, 7, 8), 0)), expected[kind]);
        IN_SCOPE {
            situ_tensor *x = situ_add(F32(1, 2, 3, 4, 5, 6, 7, 8), 0), *y = changed_case(kind, x);
            CHECK_EQ(situ_eval(TENSORS(x, y)), 0);
            IS(y, expected[kind]);
            IS(x, "[1., 2., 3., 4., 5., 6., 7., 8.] f32[8]");
        }
    }
    enum { N = 64 }; /* pieces that begin at lines of memory are made where they are joined */
    IN_SCOPE {
        situ_tensor *n = situ_cast(situ_arange(0, N, 1), SITU_F32), *a = situ_add(n, 1), *b = situ_add(n, 2);
        situ_tensor *y = situ_index_add(situ_concat(TENSORS(a, b)), I64(0, N), F32(1000, 2000));
        situ_tensor *late = situ_add(situ_sum(situ_mul(y, 2)), situ_sum(situ_mul(a, situ_add(b, situ_sum(y)))));
        double s = N * (N - 1) / 2.0, sum = 2 * s + 3 * N + 3000, squares = (N - 1) * N * (2 * N - 1) / 6.0;
        CHECK_EQ(situ_item(late), 2 * sum + squares + 3 * s + 2 * N + (s + N) * sum);
    }
}

TEST(what_is_scattered_into_is_not_copied)
{
    enum { N = 1 << 20 };
    situ_device d = situ_cpu();
    situ_memory before, after;
    situ_tensor *index = NULL, *x = NULL;
    IN_SCOPE {
        index = situ_keep(I64(5, 7, 5));
        x = situ_keep(situ_add(situ_zeros(SHAPE(N)), 1));
        CHECK_EQ(situ_wait(NULL), 0);
    }
    CHECK_EQ(situ_memory_reset_peak(d), 0);
    CHECK_EQ(situ_memory_of(d, &before), 0);
    IN_SCOPE CHECK_EQ(situ_item(situ_sum(situ_index_add(situ_cumsum(x), index, F32(1, 2, 3)), .dtype = SITU_F64)), N / 2.0 * (N + 1) + 6);
    CHECK_EQ(situ_memory_of(d, &after), 0);
    CHECK(after.peak - before.in_use < 4 * N * 3 / 2);
    situ_release(x), situ_release(index);
}

/* Two layers; each weight's gradient is a product that waits for its update. `apart`: the gradients are kept, so that
 * they are computed before all updates. W2 is read by the other gradient. */
static void deep_steps(bool apart, float *w1, float *w2)
{
    enum { WIDE = 600, ROWS = 40 };
    situ_tensor *w[2], *m[2];
    IN_SCOPE for (int k = 0; k < 2; k++)
    {
        w[k] = situ_variable(situ_mul(situ_normal(situ_key((uint64_t)k + 1), SHAPE(WIDE, WIDE)), 0.05));
        m[k] = situ_variable(situ_zeros(SHAPE(WIDE, WIDE)));
    }
    situ_wait(NULL);
    for (int step = 0; step < 3; step++) {
        situ_tensor *held[2] = {NULL, NULL};
        IN_SCOPE {
            situ_tensor *x = situ_normal(situ_key(9), SHAPE(ROWS, WIDE)), *g[2];
            situ_tensor *product = situ_matmul(w[0], w[1]); /* of variables: its gradients read old values */
            situ_tensor *y = situ_matmul(situ_relu(situ_matmul(x, w[0])), w[1]);
            situ_tensor *loss = situ_add(situ_mean(situ_square(y)), situ_mul(situ_mean(product), step ? 0.5 : 0.25));
            CHECK_EQ(situ_grad(loss, TENSORS_OF(w, 2), g), 0);
            for (int k = 0; k < 2; k++) {
                if (apart) held[k] = situ_keep(g[k]);
                situ_tensor *next = situ_add(situ_mul(m[k], 0.9), g[k]);
                CHECK_EQ(situ_assign(m[k], next), 0);
                CHECK_EQ(situ_assign(w[k], situ_sub(w[k], situ_mul(next, 0.1))), 0);
            }
        }
        situ_wait(NULL);
        for (int k = 0; k < 2 && apart; k++) situ_release(held[k]);
    }
    IN_SCOPE {
        CHECK_EQ(situ_read(w[0], w1, WIDE * WIDE * 4), 0);
        CHECK_EQ(situ_read(w[1], w2, WIDE * WIDE * 4), 0);
    }
    for (int k = 0; k < 2; k++) situ_release(w[k]), situ_release(m[k]);
}

TEST(a_gradient_that_waits_for_its_update_has_the_same_bits)
{
    enum { BYTES = 600 * 600 * 4 };
    float *w[4];
    for (int i = 0; i < 4; i++) w[i] = malloc(BYTES);
    for (int threads = 1; threads <= 3; threads++) {
        situ_set_threads(threads);
        deep_steps(false, w[0], w[1]);
        deep_steps(true, w[2], w[3]);
        CHECK(!memcmp(w[0], w[2], BYTES) && !memcmp(w[1], w[3], BYTES));
        CHECK(w[0][0] == w[0][0] && w[0][0] != w[1][0]);
    }
    situ_set_threads(0);
    for (int i = 0; i < 4; i++) free(w[i]);
}

/* Wherever memory runs out while a plan of many steps is made, each of its kernels is freed exactly once. */
TEST(a_plan_that_memory_ends_in_the_middle_of_gives_its_kernels_back)
{
    situ_device device = sim_device(0);
    for (int steps = 1; steps <= 24; steps++) IN_SCOPE {
        situ_tensor *x = situ_full(SHAPE(2, 2), 0.5, .device = device);
        situ_wait(NULL);
        bool more = true;
        for (int64_t n = 1; more; n++) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *y = x;
            for (int i = 0; i < steps; i++) y = situ_matmul(y, situ_full(SHAPE(2, 2), i + n * 1e-3, .device = device));
            situ_test_fail_alloc(n);
            int rc = situ_eval(TENSORS(y));
            more = situ_test_fail_struck();
            situ_test_fail_alloc(-1);
            situ_error_take(NULL);
            CHECK(more ? true : !rc);
            situ_scope_close(scope);
            situ_wait(NULL);
            situ_error_take(NULL);
        }
    }
}
