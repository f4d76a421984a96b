/* Handles that are used after their end: tensors of closed scopes, released tensors and variables, closed scopes. */
#include <situ.h>

#include <pthread.h>
#include <string.h>

#include "base/debug.h"
#include "values.h"

/* Whether the current error's message contains this. */
static bool says(const char *part, const char *file, int line)
{
    situ_error e;
    int code = situ_error_take(&e);
    bool said = code == SITU_BAD_ARGUMENT && strstr(e.message, part);
    if (!said) printf("  %s:%d: \"%s\" does not say \"%s\"\n", file, line, e.message, part);
    return said;
}
#define SAYS(part) CHECK(says((part), __FILE__, __LINE__))
#define LINE_(n) "test_handles.c:" SITU_TEXT(n)

/* ---- tensors of closed scopes ------------------------------------------------------------------------------------ */

TEST(a_tensor_of_a_closed_scope_is_refused_with_both_lines)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(3)), *y = situ_add(x, 1); const char *made = LINE_(__LINE__);
    situ_scope_close(scope); const char *closed = LINE_(__LINE__);
    IN_SCOPE {
        situ_add(situ_ones(SHAPE(3)), y); const char *used = LINE_(__LINE__);
        char text[512];
        snprintf(text, sizeof text, "%s", situ_error_message());
        CHECK(strstr(text, made) && strstr(text, closed) && strstr(text, used));
        SAYS("operand 2");
        situ_print(y);
        SAYS("situ_print");
        CHECK_EQ(situ_ndim(y), 0);
        SAYS("situ_ndim");
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_keep(x), "situ_keep");
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_eval(TENSORS(x, y)), "situ_eval");
        situ_release(y); /* of a temporary does nothing */
    }
}

static situ_tensor *some(int operations)
{
    situ_tensor *x = situ_ones(SHAPE(2, 3)), *y = x;
    for (int i = 0; i < operations; i++) y = i % 3 ? situ_exp(y) : situ_add(situ_mul(y, 2), x);
    return y;
}

/* How often an old handle is not recognised as stale after the same work was done again in other scopes. */
static int passes(int most_later, int *tried)
{
    int passed = 0;
    *tried = 0;
    for (int operations = 0; operations < 300; operations += operations / 8 + 1)
        for (int later = 0; later <= most_later; later++, ++*tried) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *old = some(operations);
            situ_scope_close(scope);
            for (int i = 0; i < later; i++) IN_SCOPE some(operations);
            IN_SCOPE {
                some(operations);
                situ_exp(old);
                passed += !situ_failed();
            }
            situ_error_take(NULL);
        }
    return passed;
}

TEST(it_is_refused_in_the_next_scope_and_nearly_always_later)
{
    int tried;
    CHECK_EQ(passes(0, &tried), 0);
    int passed = passes(9, &tried);
    if (!CHECK(passed * 20 < tried)) printf("  %d of %d\n", passed, tried);
}

TEST(it_is_always_refused_under_the_debug_word)
{
    unsigned before = atomic_load(&situ_debug_words);
    atomic_store(&situ_debug_words, before | SITU_DEBUG_SCOPES | SITU_DEBUG_READ);
    int tried;
    CHECK_EQ(passes(9, &tried), 0);
    situ_tensor *v[1000] = {0};
    for (int round = 0; round < 2; round++) {
        IN_SCOPE
            for (int i = 0; i < 1000; i++) v[i] = situ_variable(situ_ones(SHAPE(3)));
        for (int i = 0; i < 1000; i++) situ_release(v[i]);
    }
    for (int i = 0; i < 1000; i += 99) {
        situ_release(v[i]);
        SAYS("released before");
    }
    atomic_store(&situ_debug_words, before);
}

static void *make_and_end(void *out)
{
    situ_tensor *t = situ_add(situ_ones(SHAPE(3)), 1);
    situ_eval(TENSORS(t));
    *(situ_tensor **)out = t;
    return NULL;
}

TEST(a_tensor_of_a_thread_that_ended_is_refused)
{
    situ_tensor *t = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, make_and_end, &t);
    pthread_join(thread, NULL);
    IN_SCOPE situ_exp(t);
    SAYS("gone");
}

/* ---- scopes -------------------------------------------------------------------------------------------------------- */

TEST(a_scope_is_closed_once)
{
    situ_scope *first = situ_scope_open();
    situ_scope_close(first); const char *closed = LINE_(__LINE__);
    situ_scope_close(first);
    SAYS(closed);
    situ_scope *second = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(2));
    situ_scope_close(first); /* would be the second by its memory */
    SAYS("not open");
    CHECK_STR(situ_state(x), "pending");
    situ_scope_close(second);
}

TEST(scopes_closed_in_the_wrong_order_are_told)
{
    situ_scope *outer = situ_scope_open(), *inner = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(2));
    situ_scope_close(outer);
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_exp(x), "gone");
    situ_scope_close(inner);
    SAYS("with the one around it");
}

static void *close_it(void *scope)
{
    situ_ones(SHAPE(1)); /* this thread uses the library */
    situ_scope_close(scope);
    return situ_error_take(NULL) == SITU_BAD_ARGUMENT ? scope : NULL;
}

static void *close_it_first(void *scope)
{
    situ_scope_close(scope); /* its first call of the library */
    return situ_error_take(NULL) == SITU_BAD_ARGUMENT ? scope : NULL;
}

TEST(a_scope_is_closed_by_its_thread)
{
    situ_scope *scope = situ_scope_open();
    pthread_t thread;
    void *refused;
    pthread_create(&thread, NULL, close_it, scope);
    pthread_join(thread, &refused);
    CHECK(refused == scope);
    pthread_create(&thread, NULL, close_it_first, scope);
    pthread_join(thread, &refused);
    CHECK(refused == scope);
    situ_scope_close(scope);
}

/* ---- released handles ---------------------------------------------------------------------------------------------- */

TEST(a_handle_is_released_once)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *kept = situ_keep(situ_ones(SHAPE(3))), *v = situ_variable(situ_ones(SHAPE(3)));
    situ_scope_close(scope);
    situ_release(kept); const char *at = LINE_(__LINE__);
    situ_release(kept);
    SAYS(at);
    situ_release(v);
    situ_release(v);
    SAYS("released before");
    IN_SCOPE {
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_exp(kept), "was released");
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_assign(v, 1), "was released");
        situ_item(v);
        SAYS("was released");
    }
}

TEST(releases_of_many_handles_are_still_told)
{
    situ_tensor *v[40] = {0};
    IN_SCOPE
        for (int i = 0; i < 40; i++) v[i] = i % 2 ? situ_variable(situ_ones(SHAPE(3))) : situ_keep(situ_ones(SHAPE(3)));
    for (int i = 0; i < 40; i++) situ_release(v[i]);
    for (int i = 0; i < 40; i++) {
        situ_release(v[i]);
        SAYS("released before");
    }
}

/* Operations recorded before the release continue, and so do gradients. */
TEST(what_reads_a_released_handle_goes_on)
{
    situ_tensor *kept = NULL;
    IN_SCOPE kept = situ_keep(situ_full(SHAPE(3), 2));
    IN_SCOPE {
        situ_tensor *v = situ_variable(F32(1, 2, 3)), *y = situ_sum(situ_mul(situ_mul(kept, kept), situ_square(v))), *g;
        situ_release(kept);
        situ_grad(y, TENSORS(v), &g);
        IS(g, "[8., 16., 24.] f32[3]");
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_exp(kept), "was released");
        situ_release(v);
        IS(y, "56. f32[]");
    }
}

/* ---- networks, optimizers, data ------------------------------------------------------------------------------------ */

static situ_module *a_network(void) { return situ_sequential(situ_linear_layer(3, .in = 2), situ_relu_layer()); }

TEST(a_network_is_freed_once)
{
    situ_module *net = a_network();
    situ_optimizer *opt = situ_adam(net);
    situ_module_free(net); const char *at = LINE_(__LINE__);
    situ_module_free(net);
    SAYS(at);
    IN_SCOPE {
        situ_module_call(net, situ_ones(SHAPE(1, 2)));
        SAYS("situ_module_call: the network was freed before");
        situ_optimizer_step(opt, situ_mean(situ_ones(SHAPE(2))));
        SAYS("the optimizer's network was freed");
    }
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_parameter(net, 0), "situ_module_parameter");
    CHECK_EQ(situ_module_count(net), 0);
    SAYS("situ_module_count");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_set_training(net, true), "situ_module_set_training");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_adam(net), "was freed");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential_add(net, situ_relu_layer()), "was freed");
    for (int i = 0; i < 200; i++) situ_module_free(situ_relu_layer()); /* the optimizer holds it */
    IN_SCOPE situ_optimizer_step(opt, situ_mean(situ_ones(SHAPE(2))));
    SAYS("the optimizer's network was freed");
    situ_optimizer_free(opt);
    situ_optimizer_free(opt);
    SAYS("the optimizer was freed before");
    CHECK(situ_optimizer_lr(opt) == 0);
    SAYS("situ_optimizer_lr");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_set_lr(opt, 1), "situ_optimizer_set_lr");
}

TEST(a_part_that_was_freed_is_no_part)
{
    situ_module *part = situ_relu_layer();
    situ_module_free(part);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential(part), "was freed");
}

TEST(data_trainers_and_loaders_are_freed_once)
{
    situ_dataset *data = situ_digits();
    situ_loader *loader = situ_loader_new(data, .batch = 100);
    situ_dataset_free(data);
    CHECK_EQ(situ_loader_next(loader), 100); /* it has what it needs */
    situ_dataset_free(data);
    SAYS("the data set was freed before");
    CHECK_EQ(situ_dataset_count(data), 0);
    SAYS("situ_dataset_count");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_new(data), "situ_loader_new");
    situ_loader_free(loader);
    situ_loader_free(loader);
    SAYS("the loader was freed before");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_loader_next(loader), "situ_loader_next");
    situ_trainer *trainer = situ_trainer_new();
    situ_trainer_free(trainer);
    situ_trainer_free(trainer);
    SAYS("the trainer was freed before");
    CHECK(situ_trainer_loss(trainer) != situ_trainer_loss(trainer));
    SAYS("situ_trainer_loss");
    situ_module *net = a_network();
    situ_optimizer *opt = situ_sgd(net);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, opt, data, NULL), "situ_trainer_fit: the trainer was freed");
    situ_optimizer_free(opt);
    situ_module_free(net);
}

/* ---- tensors in options ------------------------------------------------------------------------------------------ */

static situ_tensor *ended(int64_t n)
{
    situ_tensor *w = situ_variable(situ_ones(SHAPE(n)));
    situ_eval(TENSORS(w));
    situ_release(w);
    return w;
}

TEST_IN_SCOPE(tensors_in_options_are_looked_at_as_operands_are)
{
    situ_tensor *x = situ_ones(SHAPE(2, 3)), *labels = situ_zeros(SHAPE(2), .dtype = SITU_I64);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_cross_entropy(x, labels, .weights = ended(3)), "cross_entropy: .weights was released");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_nll_loss(x, labels, .ignored = ended(1)), "nll_loss: .ignored was released");
    situ_binary_cross_entropy(x, x, .weights = ended(3));
    SAYS("binary_cross_entropy: .weights was released");
    situ_binary_cross_entropy_with_logits(x, x, .pos_weights = ended(3));
    SAYS("binary_cross_entropy_with_logits: .pos_weights was released");
    situ_ctc_loss(situ_ones(SHAPE(2, 4, 3)), situ_ones(SHAPE(2, 1), .dtype = SITU_I64), .input_lengths = ended(2));
    SAYS("ctc_loss: .input_lengths was released");
    situ_tensor *one = situ_ones(SHAPE(3));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_batch_norm(x, one, one, .mean = ended(3)), "batch_norm: .mean was released");
#define REFUSED(part) (CHECK(strstr(situ_error_message(), part)), CHECK_CODE(SITU_BAD_DTYPE))
    situ_tensor *imaginary = situ_complex(one, one); /* a loss would be complex, too */
    situ_cross_entropy(x, labels, .weights = imaginary);
    REFUSED("cross_entropy: .weights is c64; a loss is real: write situ_real or situ_abs of it");
    situ_nll_loss(x, labels, .weights = imaginary);
    REFUSED("nll_loss: .weights is c64");
    situ_binary_cross_entropy(x, x, .weights = imaginary);
    REFUSED("binary_cross_entropy: .weights is c64");
    situ_binary_cross_entropy_with_logits(x, x, .weights = imaginary);
    REFUSED("binary_cross_entropy_with_logits: .weights is c64");
    situ_binary_cross_entropy_with_logits(x, x, .pos_weights = imaginary);
    REFUSED("binary_cross_entropy_with_logits: .pos_weights is c64");
    if (situ_num_gpus() < 1) situ_sim_gpus(1);
    situ_cross_entropy(x, labels, .weights = situ_ones(SHAPE(3), .device = situ_gpu(0)));
    CHECK(strstr(situ_error_message(), "cross_entropy: its operands live on different devices: logits") &&
        strstr(situ_error_message(), "and weights"));
    CHECK_CODE(SITU_BAD_DEVICE);
}
