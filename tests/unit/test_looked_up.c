/* Tables that are only used by lookups: the time and memory of a step depend on the rows looked up, with the bits of a
 * step on the whole table. And scattering into a variable writes in place, after everything that may fail. */
#include "test.h"

#include <math.h>
#include <string.h>

#include <situ.h>

#include "nn/module.h"
#include "support/sim_devices.h"

enum { ROWS = 200, WIDTH = 5, LOOKED_UP = 12, STEPS = 4 };

typedef situ_optimizer *maker(situ_module *net, bool lazy, double clip_value);
static situ_optimizer *sgd(situ_module *net, bool lazy, double c) { return situ_sgd(net, .lr = 0.3, .lazy_rows = lazy, .clip_value = c); }
static situ_optimizer *adagrad(situ_module *net, bool lazy, double c)
{
    return situ_adagrad(net, .lr = 0.3, .lr_decay = 0.1, .initial = 0.5, .lazy_rows = lazy, .clip_value = c);
}
static situ_optimizer *momentum(situ_module *net, bool lazy, double c)
{
    return situ_sgd(net, .lr = 0.3, .momentum = 0.9, .nesterov = true, .weight_decay = 0.01, .lazy_rows = lazy, .clip_value = c);
}
static situ_optimizer *adam(situ_module *net, bool lazy, double c) { return situ_adam(net, .lr = 0.1, .lazy_rows = lazy, .clip_value = c); }
static situ_optimizer *adamw(situ_module *net, bool lazy, double c)
{
    return situ_adamw(net, .lr = 0.1, .weight_decay = 0.1, .lazy_rows = lazy, .clip_value = c);
}
static situ_optimizer *rmsprop(situ_module *net, bool lazy, double c)
{
    return situ_rmsprop(net, .lr = 0.1, .momentum = 0.5, .centered = true, .lazy_rows = lazy, .clip_value = c);
}
static const struct rule {
    const char *name;
    maker *make;
} rules[] = {{"sgd", sgd}, {"adagrad", adagrad}, {"momentum", momentum}, {"adam", adam}, {"adamw", adamw}, {"rmsprop", rmsprop}};
enum { RULES = sizeof rules / sizeof *rules, WHOLE = 2 /* of them leave what has no gradient */ };

/* Rows of step i: several alike, some counted from the end. */
static int64_t row_of(int i, int k) { return k % 3 ? (37 * i + 11 * (k / 4)) % ROWS : -1 - (k / 5 + 13 * i) % ROWS; }
static bool is_looked_up(int i, int64_t row)
{
    bool any = false;
    for (int k = 0; k < LOOKED_UP; k++) any |= (row_of(i, k) + ROWS) % ROWS == row;
    return any;
}

/* self: the table, a variable of the run's dtype. */
static situ_tensor *forward(situ_module *m, situ_tensor *x, void *self)
{
    (void)m;
    return situ_take(self, x);
}
static const situ_module_kind table_kind = {.name = "table", .forward = forward};

/* The loss from so many lookups of the same table. */
static situ_tensor *loss_of(situ_module *net, int i, int lookups, situ_device d)
{
    int64_t index[LOOKED_UP];
    situ_tensor *sum = NULL;
    for (int k = 0; k < LOOKED_UP; k++) index[k] = row_of(i, k);
    for (int at = 0, part = LOOKED_UP / lookups; at < LOOKED_UP; at += part) {
        situ_tensor *rows = situ_module_call(net, situ_to(situ_from_host(index + at, SHAPE(part)), d));
        situ_tensor *by = situ_cast(situ_arange(1 + at, 1 + at + part, 1, .device = d), situ_dtype_of(rows));
        situ_tensor *one = situ_sum(situ_mul(situ_sin(rows), situ_expand_dims(situ_mul(by, 0.37), 1)));
        sum = sum ? situ_add(sum, one) : one;
    }
    return sum;
}

typedef struct run {
    int lookups;
    bool lazy;
    double clip_value; /* of a size that no gradient has: then it is whole, and the same */
    situ_dtype dtype;
    situ_device device;
} run;

static situ_module *table_of(const run *r)
{
    situ_tensor *first = situ_uniform(situ_to(situ_key(3), r->device), SHAPE(ROWS, WIDTH), .low = -1, .high = 1);
    situ_tensor *table = situ_variable(situ_cast(first, r->dtype), .name = "weight");
    situ_module *net = situ_module_custom(&table_kind, table);
    situ_module_own(net, "weight", table);
    if (r->device.kind != SITU_CPU) situ_module_to(net, r->device);
    return net;
}

/* The table after each step, in f64. */
static void train(const struct rule *rule, const run *r, double out[STEPS + 1][ROWS * WIDTH])
{
    situ_module *net = table_of(r);
    situ_optimizer *opt = rule->make(net, r->lazy, r->clip_value);
    situ_tensor *table = situ_module_find(net, "weight");
    for (int i = 0; i <= STEPS; i++) {
        situ_scope *scope = situ_scope_open();
        if (i) CHECK_EQ(situ_optimizer_step(opt, loss_of(net, i, r->lookups, r->device)), 0);
        situ_read(situ_cast(table, SITU_F64), out[i], sizeof out[i]);
        situ_scope_close(scope);
    }
    CHECK_OK();
    situ_optimizer_free(opt);
    situ_module_free(net);
}

static double left[STEPS + 1][ROWS * WIDTH], right[STEPS + 1][ROWS * WIDTH];

TEST(rows_have_the_bits_of_the_whole_table)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    for (int rule = 0; rule < WHOLE; rule++)
        for (int d = 0; d < 4; d++)
            for (int lookups = 1; lookups < 4; lookups += 2)
                for (int place = 0; place < 2; place++) {
                    run r = {lookups, false, 0, dtypes[d], place ? sim_device(0) : situ_cpu()}, whole = r;
                    whole.clip_value = 1e4;
                    train(&rules[rule], &r, left);
                    train(&rules[rule], &whole, right);
                    if (!CHECK(!memcmp(left, right, sizeof left)))
                        printf("  %s, %s, %d lookups, device %d\n", rules[rule].name, situ_dtype_name(dtypes[d]), lookups, place);
                }
}

/* Rows that were looked up get what the rule on the whole table gives; a clipped gradient uses the whole table. */
TEST(lazy_rows_change_and_the_others_stay)
{
    for (int rule = 0; rule < RULES; rule++)
        for (int lookups = 1; lookups < 4; lookups += 2)
            for (int place = 0; place < 2; place++) {
                run r = {lookups, true, 0, SITU_F32, place ? sim_device(0) : situ_cpu()}, clipped = r, whole = r;
                clipped.clip_value = 1e4;
                whole.lazy = false;
                train(&rules[rule], &r, left);
                train(&rules[rule], &clipped, right);
                CHECK(!memcmp(left, right, sizeof left));
                train(&rules[rule], &whole, right);
                for (int i = 1; i <= STEPS; i++)
                    for (int row = 0; row < ROWS; row++) {
                        const double *now = left[i] + row * WIDTH, *before = left[i - 1] + row * WIDTH;
                        bool same = !memcmp(now, before, WIDTH * sizeof *now);
                        if (!CHECK(same == !is_looked_up(i, row))) printf("  %s, step %d, row %d\n", rules[rule].name, i, row);
                        if (i > 1 || !is_looked_up(i, row)) continue;
                        CHECK(!memcmp(now, right[i] + row * WIDTH, WIDTH * sizeof *now));
                    }
            }
}

/* Adam's formula in double precision for each row: m and v keep their values where nothing was looked up; t counts all
 * steps. */
TEST(lazy_adam_is_its_formula)
{
    static double m[ROWS * WIDTH], v[ROWS * WIDTH], p[ROWS * WIDTH];
    run r = {1, true, 0, SITU_F64, situ_cpu()};
    train(&rules[3], &r, left);
    memcpy(p, left[0], sizeof p);
    for (int i = 1; i <= STEPS; i++) {
        for (int at = 0; at < ROWS * WIDTH; at++) {
            double g = 0;
            if (!is_looked_up(i, at / WIDTH)) continue;
            for (int k = 0; k < LOOKED_UP; k++)
                if ((row_of(i, k) + ROWS) % ROWS == at / WIDTH) g += cos(p[at]) * 0.37 * (k + 1);
            m[at] = 0.9 * m[at] + 0.1 * g;
            v[at] = 0.999 * v[at] + 0.001 * g * g;
            p[at] -= 0.1 / (1 - pow(0.9, i)) * m[at] / (sqrt(v[at] / (1 - pow(0.999, i))) + 1e-8);
        }
        for (int at = 0; at < ROWS * WIDTH; at++) CHECK_NEAR(left[i][at], p[at], 1e-12);
    }
}

/* Gradients that are scaled by a power of 2 and back, and those of several losses, have the rows of all lookups. */
TEST(scaled_losses_and_several_ones)
{
    run r = {1, true, 0, SITU_F32, situ_cpu()};
    for (int rule = 0; rule < RULES; rule++) {
        train(&rules[rule], &r, left);
        situ_module *nets[2] = {table_of(&r), table_of(&r)};
        for (int n = 0; n < 2; n++) {
            situ_optimizer *opt = rules[rule].make(nets[n], true, 0);
            situ_tensor *table = situ_module_find(nets[n], "weight");
            if (!n) situ_optimizer_set_loss_scale(opt, 1024);
            for (int i = 1; i <= STEPS; i++) {
                situ_tensor *loss[2] = {loss_of(nets[n], i, 1, situ_cpu()), loss_of(nets[n], i + 1, 1, situ_cpu())};
                situ_read(situ_cast(table, SITU_F64), right[0], sizeof right[0]);
                CHECK_EQ(situ_optimizer_step_n(opt, TENSORS_OF(loss, n + 1), NULL), 0);
                situ_read(situ_cast(table, SITU_F64), right[1], sizeof right[1]);
                if (!n) CHECK(!memcmp(right[1], left[i], sizeof left[i]));
                for (int row = 0; n && row < ROWS; row++) {
                    bool same = !memcmp(right[0] + row * WIDTH, right[1] + row * WIDTH, WIDTH * sizeof *right[0]);
                    CHECK(same == !(is_looked_up(i, row) || is_looked_up(i + 1, row)));
                }
            }
            situ_optimizer_free(opt);
            situ_module_free(nets[n]);
        }
    }
    CHECK_OK();
}

/* A table that the loss did not read has no rows to change, even with rules that would move it otherwise. */
TEST(a_table_that_was_not_read_stays)
{
    for (int rule = 0; rule < RULES; rule++) {
        situ_module *net = situ_module_custom(&table_kind, NULL);
        situ_tensor *table[2];
        for (int i = 0; i < 2; i++) {
            table[i] = situ_variable(situ_uniform(situ_key(i), SHAPE(ROWS, WIDTH)));
            situ_module_own(net, i ? "second" : "first", table[i]);
        }
        situ_optimizer *opt = rules[rule].make(net, rule >= WHOLE, 0);
        for (int i = 0; i < 3; i++) {
            situ_read(situ_cast(table[1], SITU_F64), left[0], sizeof left[0]);
            situ_tensor *rows = situ_take(table[0], situ_values(1, 2)), *more = situ_take(table[1], situ_values(3));
            situ_tensor *loss = situ_sum(situ_square(rows));
            CHECK_EQ(situ_optimizer_step(opt, i ? loss : situ_add(loss, situ_sum(situ_square(more)))), 0);
            situ_read(situ_cast(table[1], SITU_F64), left[1], sizeof left[1]);
            CHECK(i ? !memcmp(left[0], left[1], sizeof left[0]) : memcmp(left[0], left[1], sizeof left[0]));
        }
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    CHECK_OK();
}

/* ---- cost ------------------------------------------------------------------------------------------------------------------------ */

enum { MANY = 100000, WIDE = 16 };

TEST(a_step_takes_no_memory_by_the_table)
{
    for (int rule = 0; rule < RULES; rule++) {
        situ_module *net = situ_sequential(situ_embedding_layer(MANY, WIDE));
        situ_optimizer *opt = rules[rule].make(net, rule >= WHOLE, 0);
        situ_memory m;
        int64_t before = 0;
        for (int i = 0; i < 4; i++) {
            situ_scope *scope = situ_scope_open();
            situ_optimizer_step(opt, loss_of(net, i, 1, situ_cpu()));
            situ_scope_close(scope);
            situ_wait(NULL);
            situ_memory_of(situ_cpu(), &m);
            if (i == 2) before = m.in_use, situ_memory_reset_peak(situ_cpu());
        }
        if (!CHECK(m.peak - before < MANY * WIDE / 2)) printf("  %s: %lld bytes\n", rules[rule].name, (long long)(m.peak - before));
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    CHECK_OK();
}

/* ---- what is refused, what fails ------------------------------------------------------------------------------------------------- */

TEST(a_wrong_row_changes_nothing)
{
    for (int rule = 0; rule < RULES; rule++) {
        run r = {1, rule >= WHOLE, 0, SITU_F32, situ_cpu()};
        situ_module *net = table_of(&r);
        situ_optimizer *opt = rules[rule].make(net, r.lazy, 0);
        situ_tensor *table = situ_module_find(net, "weight");
        situ_optimizer_step(opt, loss_of(net, 1, 1, situ_cpu()));
        situ_read(situ_cast(table, SITU_F64), left[0], sizeof left[0]);
        situ_tensor *bad = situ_module_call(net, situ_values(1, 2, ROWS));
        situ_optimizer_step(opt, situ_sum(bad));
        CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
        situ_read(situ_cast(table, SITU_F64), left[1], sizeof left[1]);
        CHECK(!memcmp(left[0], left[1], sizeof left[0]));
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    CHECK_OK();
}

TEST(a_snapshot_keeps_the_rows_that_it_saw)
{
    run r = {1, false, 0, SITU_F32, situ_cpu()};
    situ_module *net = table_of(&r);
    situ_optimizer *opt = situ_sgd(net, .lr = 0.3);
    situ_tensor *table = situ_module_find(net, "weight"), *old;
    situ_read(situ_cast(table, SITU_F64), left[0], sizeof left[0]);
    CHECK_EQ(situ_snapshot(TENSORS(table), &old), 0);
    situ_optimizer_step(opt, loss_of(net, 1, 1, situ_cpu()));
    situ_wait(NULL);
    situ_read(situ_cast(old, SITU_F64), right[0], sizeof right[0]);
    situ_read(situ_cast(table, SITU_F64), right[1], sizeof right[1]);
    CHECK(!memcmp(left[0], right[0], sizeof left[0]));
    CHECK(memcmp(left[0], right[1], sizeof left[0]));
    situ_optimizer_free(opt);
    situ_module_free(net);
    CHECK_OK();
}

TEST(lazy_rows_are_not_for_accumulated_gradients)
{
    run r = {1, true, 0, SITU_F32, situ_cpu()};
    situ_module *net = table_of(&r);
    situ_optimizer *opt = situ_adam(net, .lazy_rows = true);
    situ_optimizer_set_accumulation(opt, 2);
    situ_optimizer_step(opt, loss_of(net, 1, 1, situ_cpu()));
    CHECK_FAILS(SITU_BAD_OPTION, situ_optimizer_step(opt, loss_of(net, 1, 1, situ_cpu())));
    situ_optimizer_set(opt, NULL, "lazy_rows", 0);
    CHECK_EQ(situ_optimizer_step(opt, loss_of(net, 1, 1, situ_cpu())), 0);
    situ_optimizer_free(opt);
    situ_module_free(net);
    CHECK_OK();
}

/* ---- into a variable ------------------------------------------------------------------------------------------------------------- */

static situ_tensor *write(int way, situ_tensor *x, situ_tensor *index, situ_tensor *value)
{
    situ_tensor *each = situ_broadcast_to(situ_expand_dims(index, 1), situ_shape_of(value));
    return way == 0 ? situ_index_add(x, index, value) : way == 1 ? situ_scatter(x, each, value, .axis = 0) : situ_scatter_add(x, each, value, .axis = 0);
}

TEST(what_is_scattered_into_a_variable_is_written_where_it_lies)
{
    static float got[MANY * WIDE], want[MANY * WIDE];
    for (int way = 0; way < 3; way++)
        for (int i = 0; i < 3; i++) {
            situ_tensor *v = situ_variable(situ_normal(situ_key(i), SHAPE(MANY, WIDE)));
            situ_read(v, want, sizeof want);
            situ_tensor *index = situ_from_host(((int64_t[]){5, -1, 5, MANY - 2}), SHAPE(4)), *value = situ_normal(situ_key(7), SHAPE(4, WIDE));
            situ_eval(TENSORS(index, value));
            situ_read(write(way, situ_from_host(want, SHAPE(MANY, WIDE)), index, value), want, sizeof want);
            situ_memory m;
            situ_wait(NULL);
            situ_memory_of(situ_cpu(), &m);
            int64_t before = m.in_use;
            situ_memory_reset_peak(situ_cpu());
            situ_assign(v, write(way, v, index, value));
            situ_wait(NULL);
            situ_memory_of(situ_cpu(), &m);
            CHECK(m.peak - before < MANY * WIDE);
            situ_read(v, got, sizeof got);
            CHECK(!memcmp(got, want, sizeof got));
            situ_tensor *wrong = situ_from_host(((int64_t[]){5, 6, MANY, 7}), SHAPE(4));
            situ_assign(v, write(way, v, wrong, value));
            CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
            situ_read(v, got, sizeof got);
            CHECK(!memcmp(got, want, sizeof got));
            situ_release(v);
        }
    CHECK_OK();
}

/* Readers of the old and of the new value in the same plan. */
TEST(who_reads_a_variable_beside_that_sees_one_value)
{
    for (int way = 0; way < 3; way++) {
        situ_tensor *v = situ_variable(situ_arange(0, 40, 1, .dtype = SITU_F32));
        situ_tensor *two = situ_variable(situ_reshape(v, SHAPE(10, 4)));
        situ_tensor *index = situ_from_host(((int64_t[]){1, 3}), SHAPE(2)), *ones = situ_ones(SHAPE(2, 4));
        situ_tensor *old = situ_mul(two, 2), *next = write(way, two, index, ones);
        situ_assign(two, next);
        situ_tensor *later = situ_sum(two), *of_next = situ_sum(next), *of_old = situ_sum(old);
        situ_eval(TENSORS(later, of_next, of_old));
        double want = way == 1 ? 780 - 22 - 54 + 8 : 780 + 8;
        CHECK_EQ(situ_item(later), want);
        CHECK_EQ(situ_item(of_next), want);
        CHECK_EQ(situ_item(of_old), 1560);
        situ_release(two);
        situ_release(v);
    }
    CHECK_OK();
}
