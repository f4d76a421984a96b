/* What SITU_DEBUG=hints tells: mistakes that are no errors, each beside the same done right (hints.sh). A case is
 * MISTAKE(name) or RIGHT(name); hints.sh finds the line to be named by the words "here". */
#include <math.h>
#include <pthread.h>
#include <situ.h>
#include <string.h>

static situ_tensor *scores(void) { return situ_normal(situ_key(0), SHAPE(4, 3)); }
static situ_tensor *labels(void) { return situ_from_host(((int64_t[]){0, 1, 2, 0}), SHAPE(4)); }
static situ_tensor *halves(void) { return situ_full(SHAPE(4, 3), 0.5); }

#define MISTAKE(name) static void mistake_##name(void)
#define RIGHT(name) static void right_##name(void)

MISTAKE(softmax) { situ_item(situ_cross_entropy(situ_softmax(scores()), labels())); } /* here */
RIGHT(softmax) { situ_item(situ_cross_entropy(scores(), labels())); }
MISTAKE(softmax_of_another_shape)
{
    situ_tensor *p = situ_reshape(situ_softmax(scores()), SHAPE(2, 2, 3));
    situ_item(situ_cross_entropy(situ_cast(p, SITU_F64), situ_reshape(labels(), SHAPE(2, 2)))); /* here */
}
RIGHT(softmax_of_another_shape) { situ_item(situ_cross_entropy(situ_log_softmax(scores()), labels())); } /* the same twice */
MISTAKE(softmax_computed_before)
{
    situ_tensor *p = situ_softmax(scores());
    situ_wait(p);
    situ_item(situ_cross_entropy(p, labels())); /* here */
}
RIGHT(softmax_computed_before) { situ_item(situ_cross_entropy(situ_mul(situ_softmax(scores()), 10), labels())); } /* temperature */
MISTAKE(sigmoid) { situ_item(situ_binary_cross_entropy_with_logits(situ_sigmoid(scores()), halves())); } /* here */
RIGHT(sigmoid) { situ_item(situ_binary_cross_entropy(situ_sigmoid(scores()), halves())); }
MISTAKE(nll) { situ_item(situ_nll_loss(situ_softmax(scores()), labels())); } /* here */
RIGHT(nll) { situ_item(situ_nll_loss(situ_log_softmax(scores()), labels())); }
MISTAKE(kl) { situ_item(situ_kl_div(situ_softmax(scores()), halves())); } /* here */
RIGHT(kl) { situ_item(situ_kl_div(situ_log_softmax(scores()), halves())); }
MISTAKE(ctc) { situ_item(situ_ctc_loss(situ_softmax(situ_normal(situ_key(0), SHAPE(1, 5, 3))), situ_ones(SHAPE(1, 2), .dtype = SITU_I64))); } /* here */
RIGHT(ctc) { situ_item(situ_ctc_loss(situ_log_softmax(situ_normal(situ_key(0), SHAPE(1, 5, 3))), situ_ones(SHAPE(1, 2), .dtype = SITU_I64))); }

static situ_dataset *first_rows(const situ_dataset *data, int64_t count)
{
    int64_t row[100];
    for (int i = 0; i < 100; i++) row[i] = i;
    return situ_dataset_select(data, row, count);
}

/* A training by the trainer, of a network with this at its end. */
static void train(situ_module *last, int gpus, int64_t held_rows, situ_loss_fn loss)
{
    situ_dataset *all = situ_digits(), *train, *held_out;
    situ_dataset_split(all, 0, &train, &held_out);
    situ_dataset *some = first_rows(train, 100), *held = first_rows(held_out, held_rows);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10), last);
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    situ_trainer *t = situ_trainer_new(.max_epochs = 1, .num_gpus = gpus, .loss = loss); /* here: trainer */
    situ_trainer_fit(t, net, opt, some, held); /* here: fit */
    situ_trainer_free(t);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_dataset_free(some);
    situ_dataset_free(held);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(all);
}
MISTAKE(softmax_layer) { train(situ_softmax_layer(-1), 0, 20, NULL); }
RIGHT(softmax_layer) { train(situ_relu_layer(), 0, 20, NULL); }
MISTAKE(no_gpu) { train(situ_relu_layer(), 1, 20, NULL); }
RIGHT(no_gpu) { train(situ_relu_layer(), 0, 20, NULL); }
MISTAKE(no_held_out) { train(situ_relu_layer(), 0, 0, NULL); }

MISTAKE(no_rows)
{
    situ_dataset *all = situ_digits(), *none = first_rows(all, 0);
    situ_loader *loader = situ_loader_new(none, .batch = 8); /* here */
    while (situ_loader_next(loader) > 0) {}
    situ_loader_free(loader);
    situ_dataset_free(none);
    situ_dataset_free(all);
}
RIGHT(no_rows)
{
    situ_dataset *all = situ_digits(), *few = first_rows(all, 3);
    situ_loader *loader = situ_loader_new(few, .batch = 8);
    while (situ_loader_next(loader) > 0) {}
    situ_loader_free(loader);
    situ_dataset_free(few);
    situ_dataset_free(all);
}

/* A loop of steps; `reads`: the loss of each. */
static void loop(double lr, int steps, bool reads)
{
    situ_module *net = situ_sequential(situ_linear_layer(1));
    situ_optimizer *opt = situ_sgd(net, .lr = lr);
    for (int i = 0; i < steps; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_normal(situ_key(i), SHAPE(8, 3));
        situ_tensor *loss = situ_mse(situ_module_call(net, x), situ_ones(SHAPE(8, 1)));
        situ_optimizer_step(opt, loss); /* here: step */
        if (reads) situ_item(loss);
        situ_scope_close(scope);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
}
MISTAKE(nan) { loop(1e6, 40, false); }
RIGHT(nan) { loop(1e-2, 40, true); }

/* The same by gradients and assignments. */
static void descend(double lr)
{
    situ_tensor *w = situ_variable(situ_full(SHAPE(3), 2.0));
    for (int i = 0; i < 40; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *loss = situ_sum(situ_square(situ_square(w))), *g;
        situ_tensor *difference = situ_sub(loss, situ_mul(loss, 0.5));
        situ_grad(difference, TENSORS(w), &g);
        situ_assign(w, situ_sub(w, situ_mul(g, lr)));
        situ_item(difference); /* here: descend */
        situ_scope_close(scope);
    }
    situ_release(w);
}
MISTAKE(nan_of_gradients) { descend(1e6); }
RIGHT(nan_of_gradients) { descend(1e-3); }
RIGHT(nan_of_data) { situ_item(situ_sum(situ_full(SHAPE(3), NAN))); }

static void long_loop(bool scoped)
{
    situ_tensor *w = situ_variable(situ_ones(SHAPE(3)));
    for (int i = 0; i < 20000; i++) {
        situ_scope *scope = scoped ? situ_scope_open() : NULL;
        situ_assign(w, situ_mul(situ_add(situ_sub(w, 1), 1), situ_add(situ_exp(situ_zeros_like(w)), 0))); /* here */
        if (i % 100 == 0) situ_wait(w);
        situ_scope_close(scope);
    }
    situ_release(w);
}
MISTAKE(no_scope) { long_loop(false); }
RIGHT(no_scope) { long_loop(true); }

static pthread_barrier_t turn;
typedef struct stepped {
    situ_module *net;
    situ_optimizer *opt;
} stepped;
static void *step_together(void *of)
{
    const stepped *s = of;
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 4; i++) {
        situ_scope *scope = situ_scope_open();
        pthread_mutex_lock(&one);
        situ_optimizer_step(s->opt, situ_mse(situ_module_call(s->net, situ_ones(SHAPE(8, 3))), situ_ones(SHAPE(8, 1)))); /* here: threads */
        situ_scope_close(scope);
        pthread_mutex_unlock(&one);
        pthread_barrier_wait(&turn);
    }
    return NULL;
}
/* `threads` of them; each with an optimizer of its own, or all with one. */
static void in_threads(int threads, bool own)
{
    pthread_t thread[4];
    stepped s[4];
    pthread_barrier_init(&turn, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        s[i].net = situ_sequential(situ_linear_layer(1));
        s[i].opt = situ_sgd(s[i].net);
    }
    for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, step_together, &s[own ? i : 0]);
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < threads; i++) {
        situ_optimizer_free(s[i].opt);
        situ_module_free(s[i].net);
    }
}
MISTAKE(threads) { in_threads(4, false); }
RIGHT(threads) { in_threads(4, true); }
RIGHT(a_thread_beside_main) { in_threads(1, false); }

MISTAKE(wait_for_what_did_not_start)
{
    situ_tensor *x = situ_ones(SHAPE(3));
    situ_exp(x); /* here */
    situ_wait(NULL);
}
RIGHT(wait_for_what_did_not_start)
{
    situ_tensor *x = situ_ones(SHAPE(3)), *y = situ_keep(situ_exp(x)), *z = situ_exp(y);
    situ_eval(TENSORS(z));
    situ_wait(NULL);
    situ_release(y);
}

MISTAKE(apart)
{
    situ_tensor *x = situ_variable(situ_ones(SHAPE(3))), *y = situ_variable(situ_ones(SHAPE(3))), *g[2];
    situ_grad(situ_sum(situ_square(x)), TENSORS(x, y), g); /* here */
}
MISTAKE(over_the_host)
{
    situ_tensor *x = situ_variable(situ_ones(SHAPE(3))), *g;
    float there[3];
    situ_read(situ_square(x), there, sizeof there);
    situ_grad(situ_sum(situ_from_host(there, SHAPE(3))), TENSORS(x), &g); /* here */
}
RIGHT(apart)
{
    situ_tensor *x = situ_variable(situ_ones(SHAPE(3))), *g[2];
    situ_tensor *y = situ_square(x);
    situ_grad(situ_sum(situ_mul(y, 0)), TENSORS(x, y), g); /* it depends on it, by 0 */
}
RIGHT(part_of_a_network)
{
    situ_module *a = situ_linear_layer(1), *both = situ_sequential(a, situ_linear_layer(2));
    situ_optimizer *opt = situ_sgd(both);
    situ_item(situ_sum(situ_module_call(both, situ_ones(SHAPE(2, 3)))));
    situ_optimizer_step(opt, situ_sum(situ_module_call(a, situ_ones(SHAPE(2, 3)))));
    situ_optimizer_free(opt);
    situ_module_free(both);
}

#define CASE(kind, name) if (!strcmp(argv[1], #kind "_" #name)) kind##_##name();
int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    CASES
    if (situ_failed() && situ_failed() != SITU_NAN) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    return 0;
}
