/* Optimizers by a user's rule: the same bits as ours on any devices, errors, settings; several variables assigned at
 * once. */
#include <math.h>
#include <string.h>

#include <situ.h>

#include "device/device.h"
#include "test.h"

/* SGD with momentum, written by the public headers alone, with the options of situ_sgd. */
static int one(const void *options)
{
    (void)options;
    return 1;
}
static situ_tensor *own_sgd(situ_optimizer_update *u)
{
    const situ_sgd_options *o = u->options;
    u->next[0] = situ_add(situ_mul(u->slot[0], o->momentum), u->g);
    return situ_sub(u->p, situ_mul(u->next[0], o->lr));
}
static const situ_optimizer_rule own_rule = {
    .name = "own", .slots = one, .update = own_sgd, SITU_HYPERS(situ_sgd_options, SITU_SGD_HYPER)};

static situ_module *small(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(5, .in = 3), situ_tanh_layer(), situ_linear_layer(2, .in = 5));
    situ_module_init(net, situ_key(7));
    return net;
}

/* Weights after five steps on the CPU or on that many GPUs; the loader's part of device i is row i, i + n, .... */
static void trained(bool own, int gpus, float *out, int64_t *steps)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = small();
    situ_optimizer *opt = own ? situ_optimizer_custom(net, &own_rule,
                                    &(situ_sgd_options){.lr = 0.1, .momentum = 0.9, .clip_norm = 0.5}) :
                                situ_sgd(net, .lr = 0.1, .momentum = 0.9, .clip_norm = 0.5);
    situ_device device[2] = {gpus ? situ_gpu(0) : situ_cpu(), gpus > 1 ? situ_gpu(1) : situ_cpu()};
    int n = gpus > 1 ? gpus : 1;
    if (n > 1) situ_module_mirror(net, device, n);
    else situ_module_to(net, device[0]);
    for (int step = 0; step < 5; step++) {
        if (step == 3) situ_optimizer_set_lr(opt, 0.05);
        situ_tensor *x = situ_normal(situ_key(step), SHAPE(4, 3)), *loss[2];
        for (int i = 0; i < n; i++) {
            situ_tensor *part = situ_to(situ_slice(x, .start = SHAPE(4 / n * i, 0), .stop = SHAPE(4 / n * (i + 1), 3)), device[i]);
            loss[i] = situ_mean(situ_square(situ_module_call(net, part)));
        }
        situ_optimizer_step_n(opt, TENSORS_OF(loss, n), NULL);
    }
    int64_t at = 0;
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        situ_read(situ_to(p, situ_cpu()), out + at, 4 * (size_t)situ_count(p));
        at += situ_count(p);
    }
    *steps = situ_optimizer_steps(opt);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_scope_close(scope);
}

TEST(a_users_rule_gives_the_bits_of_ours)
{
    int most = situ_num_gpus() < 2 ? situ_num_gpus() : 2;
    for (int gpus = 0; gpus <= most; gpus++) {
        float a[64] = {0}, b[64] = {1};
        int64_t n, m;
        trained(false, gpus, a, &n);
        trained(true, gpus, b, &m);
        if (!CHECK_OK() || !CHECK_EQ(n, 5) || !CHECK_EQ(m, 5)) return;
        CHECK(!memcmp(a, b, 32 * 4));
        CHECK(isfinite(b[31]) && b[0] != b[1]);
    }
}

/* ---- first values, slots that stay, settings -------------------------------------------------------------------------- */

typedef struct count_options {
    double lr;
    int64_t every;
} count_options;

static int two(const void *options) { return ((const count_options *)options)->every > 0 ? 2 : 9; }
static situ_tensor *begins(situ_tensor *p, int slot, const void *options)
{
    (void)options;
    return slot ? situ_full(SHAPE(), 10.0f) : situ_full_like(p, 3.0f);
}
/* The parameter becomes what its slots are: 3, then 4, 5, ...; the other one stays 10. */
static situ_tensor *copies(situ_optimizer_update *u)
{
    u->next[0] = situ_add(u->slot[0], 1);
    return situ_add(situ_mul(u->slot[0], u->slot[1]), situ_mul(situ_mul(u->g, 0), 1));
}
static const char *odd(const void *options) { return ((const count_options *)options)->every == 13 ? "13 brings bad luck" : NULL; }
static const situ_optimizer_rule count_rule = {.name = "count", .slots = two, .first = begins, .update = copies, .wrong = odd,
    SITU_HYPERS(count_options, SITU_HYPER(count_options, lr, 0.5, 0, 1, "a rate"),
                SITU_HYPER(count_options, every, 2, 1, 100, "a number"))};

TEST_IN_SCOPE(a_rule_says_what_its_slots_begin_with)
{
    situ_module *net = small();
    situ_optimizer *opt = situ_optimizer_custom(net, &count_rule, NULL);
    situ_hyper h[4];
    CHECK_EQ(situ_optimizer_hyper(opt, h, 4), 2);
    CHECK(h[0].value == 0.5 && h[1].value == 2 && h[1].most == 100);
    CHECK(situ_optimizer_lr(opt) == 0.5 && situ_optimizer_clip_norm(opt) == 0);
    CHECK_STR(situ_optimizer_name(opt), "count");
    CHECK_EQ(situ_optimizer_set_clip_norm(opt, 2), 0);
    CHECK(situ_optimizer_clip_norm(opt) == 2);
    for (int step = 0; step < 3; step++) {
        situ_optimizer_step(opt, situ_mean(situ_module_call(net, situ_ones(SHAPE(2, 3)))));
        CHECK_NEAR(situ_item(situ_mean(situ_module_parameter(net, 0))), 10 * (3 + step), 0);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
}

/* ---- errors ----------------------------------------------------------------------------------------------------------- */

static bool says(const char *words)
{
    situ_error e;
    bool is = situ_error_take(&e) && strstr(e.message, words);
    return test_check(is, __FILE__, __LINE__, words);
}

static situ_tensor *nothing(situ_optimizer_update *u)
{
    (void)u;
    return NULL;
}
static situ_tensor *misfit(situ_optimizer_update *u) { return situ_sum(u->p); }
static situ_tensor *wrong_line(situ_optimizer_update *u) { return situ_matmul(u->p, situ_ones(SHAPE(77, 78))); }

TEST_IN_SCOPE(a_wrong_rule_is_an_error_that_changes_nothing)
{
    situ_module *net = small();
    CHECK(!situ_optimizer_custom(net, NULL, NULL) && says("the rule is NULL"));
    CHECK(!situ_optimizer_custom(NULL, &own_rule, NULL) && says("the network is NULL"));
    static const situ_optimizer_rule empty = {.name = "empty"};
    CHECK(!situ_optimizer_custom(net, &empty, NULL) && says("no update"));
    static const situ_hyper no_rows[1];
    situ_optimizer_rule rule = count_rule;
    rule.hyper = no_rows, rule.hypers = 0;
    CHECK(!situ_optimizer_custom(net, &rule, NULL) && says("no double .lr"));
    CHECK(!situ_optimizer_custom(net, &count_rule, &(count_options){.lr = 2, .every = 2}));
    says(".lr = 2 is out of its range, 0 to 1 (a rate");
    CHECK(!situ_optimizer_custom(net, &count_rule, &(count_options){.lr = 1, .every = 13}) && says("13 brings bad luck"));
    rule = count_rule, rule.hypers = 1;
    CHECK(!situ_optimizer_custom(net, &rule, &(count_options){.lr = 1}) && says("9 slots"));
    situ_tensor *(*const wrong[])(situ_optimizer_update *) = {nothing, misfit, wrong_line};
    const char *const words[] = {"gave no value for 0.weight", "must have the variable's shape", "test_rule.c"};
    double before = situ_item(situ_sum(situ_module_parameter(net, 0)));
    for (int i = 0; i < 3; i++) {
        rule = own_rule, rule.update = wrong[i];
        situ_optimizer *opt = situ_optimizer_custom(net, &rule, NULL);
        if (!CHECK(opt)) continue;
        CHECK(situ_optimizer_step(opt, situ_mean(situ_module_call(net, situ_ones(SHAPE(2, 3))))) < 0);
        says(words[i]);
        CHECK_EQ(situ_optimizer_steps(opt), 0);
        CHECK(situ_item(situ_sum(situ_module_parameter(net, 0))) == before);
        situ_optimizer_free(opt);
    }
    situ_module_free(net);
}

TEST_IN_SCOPE(several_variables_change_together_or_not_at_all)
{
    situ_tensor *v[3] = {situ_variable(situ_full(SHAPE(2), 1.0f)),
                         situ_variable(situ_full(SHAPE(3), 2.0f)), situ_variable(situ_full(SHAPE(), 3.0f))};
    situ_tensor *first[3] = {situ_add(v[0], 10), situ_add(v[1], 10), situ_add(v[0], 10)}; /* the last one's shape is wrong */
    for (int pending = 0; pending < 2; pending++) {
        if (pending) situ_assign(v[0], situ_mul(v[0], 1));
        CHECK(situ_assign_all(TENSORS_OF(v, 3), TENSORS_OF(first, 3)) < 0);
        says("must have the variable's shape");
        CHECK(situ_item(situ_sum(v[0])) == 2 && situ_item(situ_sum(v[1])) == 6 && situ_item(v[2]) == 3);
    }
    situ_tensor *swap[3] = {situ_add(v[0], 1), situ_add(v[1], v[2]), situ_sum(v[0])}; /* all read what was before */
    CHECK_EQ(situ_assign_all(TENSORS_OF(v, 3), TENSORS_OF(swap, 3)), 0);
    CHECK(situ_item(situ_sum(v[0])) == 4 && situ_item(situ_sum(v[1])) == 15 && situ_item(v[2]) == 2);
    CHECK_EQ(situ_assign_all(TENSORS_OF(v, 0), TENSORS_OF(swap, 0)), 0);
    CHECK(situ_assign_all(TENSORS_OF(v, -1), TENSORS_OF(swap, -1)) < 0 && says("negative"));
    CHECK(situ_assign_all(TENSORS_OF(NULL, 1), TENSORS_OF(swap, 1)) < 0 && says("NULL"));
    CHECK(situ_assign_all(TENSORS_OF(swap, 1), TENSORS_OF(swap, 1)) < 0 && says("is no variable"));
    CHECK_OK();
    for (int i = 0; i < 3; i++) situ_release(v[i]);
}
