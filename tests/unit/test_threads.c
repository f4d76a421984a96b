/* Several threads record and compute at once; what is stored, kept or a variable may be shared for reading. */
#include <situ.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "support/settled.h"
#include "support/sim_devices.h"
#include "values.h"

enum { THREADS = 4 };

typedef struct shared {
    situ_tensor *kept, *view, *temporary, *variable, *pending, *pending_variable;
    situ_device device;
    pthread_barrier_t barrier;
    _Atomic int next;
    _Atomic bool stop;
    double result[THREADS];
} shared;

static void in_threads(void *(*work)(void *), shared *s)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&s->barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, s);
    pthread_barrier_wait(&s->barrier);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&s->barrier);
}

/* ---- each its own ---------------------------------------------------------------------------------------------- */

static void *train_alone(void *argument)
{
    shared *s = argument;
    int self = s->next++;
    situ_device d = self % 2 ? s->device : situ_cpu();
    pthread_barrier_wait(&s->barrier);
    situ_tensor *w = NULL;
    IN_SCOPE w = situ_variable(situ_normal(situ_key(3, .device = d), SHAPE(20, 4)));
    for (int i = 0; i < 30; i++)
        IN_SCOPE {
            situ_tensor *x = situ_uniform(situ_fold_in(situ_key(1, .device = d), i), SHAPE(16, 20)), *g;
            situ_tensor *y = situ_remainder(situ_arange(0, 16, 1, .device = d), 4);
            situ_tensor *loss = situ_cross_entropy(situ_mul(situ_matmul(x, w), situ_gelu(situ_matmul(x, w))), y);
            CHECK_EQ(situ_grad(loss, TENSORS(w), &g), 0);
            CHECK_EQ(situ_assign(w, situ_sub(w, situ_mul(g, 0.5))), 0);
            if (i % 7 == 0) CHECK(situ_item(loss) > 0);
        }
    IN_SCOPE s->result[self] = situ_item(situ_sum(situ_abs(w)));
    situ_release(w);
    CHECK_OK();
    return NULL;
}

TEST(threads_train_at_once_and_get_the_same_bits)
{
    shared s = {.device = sim_device(0)};
    in_threads(train_alone, &s);
    for (int i = 1; i < THREADS; i++) CHECK(s.result[i] == s.result[0] && s.result[0] > 0);
}

/* ---- shared for reading ---------------------------------------------------------------------------------------- */

static void *read_shared(void *argument)
{
    shared *s = argument;
    int self = s->next++;
    pthread_barrier_wait(&s->barrier);
    double sum = 0;
    for (int i = 0; i < 50; i++)
        IN_SCOPE {
            situ_tensor *a = situ_add(situ_mul(s->kept, i), s->variable), *b = situ_sum(situ_matmul(s->view, a));
            situ_tensor *c = situ_sum(situ_add(s->temporary, s->kept)), *own = situ_keep(s->variable), *again = situ_keep(s->kept);
            sum += situ_item(situ_add(b, c)) + situ_item(situ_sum(situ_sub(own, again)));
            situ_release(own);
            situ_release(again);
            CHECK(situ_ndim(s->kept) == 2 && strlen(situ_state(s->temporary)) > 0);
        }
    s->result[self] = sum;
    CHECK_OK();
    return NULL;
}

TEST(stored_and_kept_tensors_and_variables_are_shared)
{
    shared s = {.device = situ_cpu()};
    situ_scope *scope = situ_scope_open();
    IN_SCOPE {
        situ_tensor *x = situ_normal(situ_key(1), SHAPE(6, 6));
        s.kept = situ_keep(x);
        s.view = situ_keep(situ_transpose(situ_slice(x, .start = SHAPE(0, 1), .stop = SHAPE(SITU_FULL, 4))));
        s.variable = situ_variable(situ_mul(x, 2));
    }
    s.temporary = situ_add(s.kept, 1);
    CHECK_EQ(situ_eval(TENSORS(s.temporary)), 0);
    in_threads(read_shared, &s);
    for (int i = 1; i < THREADS; i++) CHECK(s.result[i] == s.result[0]);
    situ_scope_close(scope);
    situ_release(s.kept);
    situ_release(s.view);
    situ_release(s.variable);
}

static void *refuse_pending(void *argument)
{
    shared *s = argument;
    pthread_barrier_wait(&s->barrier);
    IN_SCOPE {
        CHECK_STR(situ_state(situ_add(s->pending, 1)), "poisoned");
        CHECK(strstr(situ_error_message(), "belongs to another thread; call situ_eval"));
        CHECK_CODE(SITU_BAD_ARGUMENT);
        CHECK_STR(situ_state(situ_add(s->temporary, 1)), "poisoned");
        CHECK_CODE(SITU_BAD_ARGUMENT);
        CHECK_STR(situ_state(situ_keep(s->temporary)), "poisoned");
        CHECK_CODE(SITU_BAD_ARGUMENT);
        CHECK_STR(situ_state(situ_name(s->temporary, "t")), "poisoned");
        CHECK(strstr(situ_error_message(), "a temporary of another thread"));
        CHECK_CODE(SITU_BAD_ARGUMENT);
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_eval(TENSORS(s->pending)));
        CHECK_STR(situ_state(situ_add(s->pending_variable, 1)), "poisoned");
        CHECK(strstr(situ_error_message(), "pending in another thread"));
        CHECK_CODE(SITU_BAD_ARGUMENT);
        IS(situ_add(s->variable, 0), "[1.] f32[1]"); /* what is assigned there is not yet seen here */
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_assign(s->variable, F32(5)), "another thread has assigned");
    }
    return NULL;
}

TEST(pending_tensors_of_another_thread_are_refused)
{
    shared s = {.device = situ_cpu()};
    IN_SCOPE s.variable = situ_variable(F32(1));
    IN_SCOPE {
        s.temporary = situ_add(F32(1), 1);
        s.pending = situ_keep(situ_add(s.temporary, 1));
        s.pending_variable = situ_variable(F32(3));
        CHECK_EQ(situ_assign(s.variable, situ_add(s.variable, 1)), 0);
        in_threads(refuse_pending, &s);
        IS(s.variable, "[2.] f32[1]");
        IS(s.pending, "[3.] f32[1]");
        situ_release(s.pending);
        situ_release(s.variable);
        situ_release(s.pending_variable);
    }
}

/* ---- handles go from thread to thread --------------------------------------------------------------------------- */

static void *take_over(void *argument)
{
    shared *s = argument;
    bool first = s->next++ == 0;
    pthread_barrier_wait(&s->barrier);
    if (!first) return NULL;
    IN_SCOPE {
        situ_tensor *y = situ_add(s->kept, 1);
        situ_release(s->kept); /* while its scope is open in the other thread */
        IS(y, "[3.] f32[1]");
        CHECK_EQ(situ_assign(s->variable, situ_add(s->variable, 1)), 0);
        IS(s->variable, "[8.] f32[1]");
        situ_release(s->variable);
    }
    CHECK_OK();
    return NULL;
}

TEST(another_thread_may_release_a_handle)
{
    int64_t buffers = settled_buffers();
    shared s = {.device = situ_cpu()};
    IN_SCOPE {
        s.kept = situ_keep(situ_add(F32(1), 1));
        s.variable = situ_variable(F32(7));
        CHECK_EQ(situ_eval(TENSORS(s.kept, s.variable)), 0);
        in_threads(take_over, &s);
    }
    CHECK_EQ(situ_test_live_buffers(), buffers);
}

static void *keep_and_leave(void *argument)
{
    shared *s = argument;
    bool first = s->next++ == 0;
    pthread_barrier_wait(&s->barrier);
    if (!first) return NULL;
    situ_tensor *x = situ_ones(SHAPE(3), .device = s->device); /* no scope but the thread's */
    s->kept = situ_keep(situ_add(x, 1));
    s->variable = situ_variable(situ_add(x, 2));
    return NULL; /* everything pending: it is computed as the thread ends */
}

TEST(what_a_thread_kept_outlives_it)
{
    for (int i = 0; i < 2; i++) {
        shared s = {.device = i ? sim_device(0) : situ_cpu()};
        in_threads(keep_and_leave, &s);
        IN_SCOPE {
            IS(s.kept, "[2., 2., 2.] f32[3]");
            IS(s.variable, "[3., 3., 3.] f32[3]");
        }
        situ_release(s.kept);
        situ_release(s.variable);
    }
}

/* ---- while one thread writes ------------------------------------------------------------------------------------- */

static void *watch(void *argument)
{
    shared *s = argument;
    pthread_barrier_wait(&s->barrier);
    float last = 0;
    while (!s->stop)
        IN_SCOPE {
            float value[2000];
            if (!CHECK_EQ(situ_read(situ_add(s->variable, 0), value, sizeof value), 0)) break;
            bool whole = true;
            for (int i = 1; i < 2000; i++) whole &= value[i] == value[0]; /* never half a step */
            CHECK(whole && value[0] >= last);
            last = value[0];
        }
    situ_error_take(NULL);
    return NULL;
}

static void written_while_read(situ_device d)
{
    shared s = {.device = d};
    IN_SCOPE s.variable = situ_variable(situ_zeros(SHAPE(2000), .device = d));
    situ_wait(NULL);
    pthread_t thread[THREADS];
    pthread_barrier_init(&s.barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, watch, &s);
    pthread_barrier_wait(&s.barrier);
    for (int i = 0; i < 300; i++) IN_SCOPE CHECK_EQ(situ_assign(s.variable, situ_add(s.variable, 1)), 0);
    CHECK_EQ(situ_wait(NULL), 0);
    s.stop = true;
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&s.barrier);
    IN_SCOPE CHECK_NEAR(situ_item(situ_select(s.variable, 0, 1999)), 300, 0);
    situ_release(s.variable);
    CHECK_OK();
}

TEST(a_variable_is_read_while_another_thread_writes_it_on_the_cpu) { written_while_read(situ_cpu()); }
TEST(a_variable_is_read_while_another_thread_writes_it_on_a_gpu) { written_while_read(sim_device(1)); }

static void *fail_alone(void *argument)
{
    shared *s = argument;
    int self = s->next++;
    pthread_barrier_wait(&s->barrier);
    for (int i = 0; i < 40; i++)
        IN_SCOPE {
            situ_tensor *x = F32(1, 2, 3), *y = situ_sum(situ_take(x, I64(0, self % 2 ? 2 : 9)));
            double found = situ_item(y);
            if (self % 2) {
                CHECK(found == 4);
                CHECK_OK();
            } else {
                CHECK(found != found);
                CHECK_CODE(SITU_BAD_INDEX);
            }
        }
    CHECK_EQ(situ_wait(NULL), 0);
    return NULL;
}

TEST(errors_stay_in_their_thread)
{
    shared s = {.device = situ_cpu()};
    in_threads(fail_alone, &s);
}

static void *multi_device(void *argument)
{
    shared *s = argument;
    int self = s->next++;
    situ_device d[3] = {sim_device(self % 3), sim_device((self + 1) % 3), situ_cpu()};
    pthread_barrier_wait(&s->barrier);
    double sum = 0;
    for (int i = 0; i < 30; i++)
        IN_SCOPE {
            situ_tensor *x = situ_full(SHAPE(50), i + 0.5, .device = d[i % 3]), *y = situ_to(situ_square(x), d[(i + 1) % 3]);
            situ_tensor *z = situ_to(situ_add(y, 1), d[(i + 2) % 3]), *w = situ_add(situ_to(z, d[i % 3]), x);
            sum += situ_item(situ_sum(w));
        }
    s->result[self] = sum;
    CHECK_OK();
    return NULL;
}

TEST(threads_use_several_devices_at_once)
{
    shared s = {.device = situ_cpu()};
    for (int i = 0; i < 3; i++) sim_device(i);
    in_threads(multi_device, &s);
    for (int i = 1; i < THREADS; i++) CHECK(s.result[i] == s.result[0]);
}

/* ---- networks that no thread has called yet --------------------------------------------------------------------------------- */

enum { CALLERS = 4 };

static pthread_barrier_t together;
static situ_module *fresh;

typedef struct caller { pthread_t thread; int width; double result; int code; char message[4096]; } caller;

static void *call_fresh(void *argument)
{
    caller *c = argument;
    pthread_barrier_wait(&together);
    for (int i = 0; i < 3; i++)
        IN_SCOPE c->result = situ_item(situ_sum(situ_module_call(fresh, situ_ones(SHAPE(2, c->width)))));
    situ_error e;
    c->code = situ_error_take(&e);
    if (c->code) snprintf(c->message, sizeof c->message, "%s", e.message);
    return NULL;
}

static void call_net_together(situ_module *net, caller *c, int odd_width)
{
    fresh = net;
    pthread_barrier_init(&together, NULL, CALLERS);
    for (int i = 0; i < CALLERS; i++) {
        c[i] = (caller){.width = i == 1 ? odd_width : 8};
        pthread_create(&c[i].thread, NULL, call_fresh, &c[i]);
    }
    for (int i = 0; i < CALLERS; i++) pthread_join(c[i].thread, NULL);
    pthread_barrier_destroy(&together);
    situ_module_free(net);
}

static void call_together(caller *c, int odd_width)
{
    call_net_together(situ_sequential(situ_linear_layer(16), situ_relu_layer(), situ_linear_layer(16), situ_layer_norm_layer(), situ_linear_layer(4)), c, odd_width);
}

TEST(four_threads_may_be_the_first_to_call_a_network)
{
    caller c[CALLERS];
    for (int turn = 0; turn < 25; turn++) {
        call_together(c, 8);
        for (int i = 0; i < CALLERS; i++) {
            if (!CHECK_EQ(c[i].code, 0)) fprintf(stderr, "  %s\n", c[i].message);
            CHECK(c[i].result == c[0].result && c[0].result != 0);
        }
    }
}

/* Here one thread has asked for some of the parameters before, and read none. */
TEST(parameters_that_were_asked_for_are_there_for_other_threads)
{
    caller c[CALLERS];
    for (int turn = 0; turn < 10; turn++) {
        situ_module *net = situ_sequential(situ_linear_layer(16, .in = 8), situ_relu_layer(), situ_linear_layer(4, .in = 16));
        CHECK(situ_ndim(situ_module_parameter(net, 0)) == 2 && situ_ndim(situ_module_find(net, "2.bias")) == 1);
        call_net_together(net, c, 8);
        for (int i = 0; i < CALLERS; i++)
            if (!CHECK_EQ(c[i].code, 0)) fprintf(stderr, "  %s\n", c[i].message);
    }
}

/* Who comes first decides on the shapes; the others are told. */
TEST(threads_that_call_a_new_network_with_other_shapes_are_told)
{
    caller c[CALLERS];
    for (int turn = 0; turn < 10; turn++) {
        call_together(c, 6);
        int failed = 0;
        for (int i = 0; i < CALLERS; i++) {
            failed += c[i].code != 0;
            if (!c[i].code) continue;
            CHECK_EQ(c[i].code, SITU_BAD_SHAPE);
            CHECK(strstr(c[i].message, "the first input decided on the shape") != NULL);
        }
        CHECK(failed == 1 || failed == CALLERS - 1);
    }
}

/* A first call that goes wrong leaves what it made to the next one. */
TEST(a_first_call_may_fail_and_the_next_one_go_well)
{
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_embedding_layer(4, 3));
    IN_SCOPE {
        situ_module_call(net, situ_ones(SHAPE(2, 8)));
        CHECK(situ_error_take(NULL) != 0);
    }
    IN_SCOPE CHECK(situ_item(situ_sum(situ_square(situ_module_find(net, "0.weight")))) > 0);
    situ_module_free(net);
}

/* ---- everything that may be shared, at once ------------------------------------------------------------------------------------ */

enum { ROUNDS = 150, PLACES = 4 };

static struct {
    situ_tensor *kept, *view, *variable;
    situ_module *net;
    situ_tensor *_Atomic place[PLACES]; /* kept handles on their way from thread to thread */
    _Atomic int started;
    double expected;
} all;

/* A tensor of mine for one of another thread, which is read and released here. */
static void hand_over_one(int i, int round)
{
    situ_tensor *mine = NULL;
    IN_SCOPE {
        mine = situ_keep(situ_add(situ_mul(all.kept, 2), (double)round));
        CHECK_EQ(situ_eval(TENSORS(mine)), 0);
    }
    situ_tensor *theirs = atomic_exchange(&all.place[(i + round) % PLACES], mine);
    if (!theirs) return;
    IN_SCOPE {
        double first = situ_item(situ_slice(theirs, .start = SHAPE(0), .stop = SHAPE(1)));
        CHECK(first >= 2 && first < 2 + ROUNDS);
    }
    situ_release(theirs);
}

static void *share_all(void *nothing)
{
    int i = all.started++;
    float out[8];
    for (int round = 0; round < ROUNDS; round++) {
        IN_SCOPE {
            CHECK_EQ(situ_item(situ_sum(all.kept)), 8.0);
            CHECK_EQ(situ_item(situ_sum(situ_mul(all.view, round))), 4.0 * round);
            CHECK_EQ(situ_read(all.kept, out, sizeof out), 0);
            CHECK(out[7] == 1.0f && situ_count(all.kept) == 8 && situ_dim(all.view, 0) == 4 && *situ_state(all.kept));
            CHECK_EQ(situ_item(situ_sum(situ_module_call(all.net, situ_reshape(all.kept, SHAPE(1, 8))))), all.expected);
            if (i == 0) { /* one thread writes, whole versions are read */
                CHECK_EQ(situ_assign(all.variable, situ_add(all.variable, 1)), 0);
                CHECK_EQ(situ_eval(TENSORS(all.variable)), 0);
            }
            situ_tensor *now = situ_add(all.variable, 0);
            CHECK_EQ(situ_item(situ_sub(situ_max(now), situ_min(now))), 0.0);
            situ_tensor *mine = situ_keep(all.view);
            CHECK_EQ(situ_item(situ_sum(mine)), 4.0);
            situ_release(mine);
        }
        hand_over_one(i, round);
    }
    CHECK_OK();
    return nothing;
}

TEST(kept_tensors_variables_and_networks_are_shared_by_threads)
{
    pthread_t thread[THREADS];
    all.started = 0;
    all.net = situ_sequential(situ_linear_layer(16), situ_relu_layer(), situ_dropout_layer(0.5), situ_linear_layer(4));
    situ_module_set_training(all.net, false);
    IN_SCOPE {
        all.kept = situ_keep(situ_ones(SHAPE(8)));
        all.view = situ_keep(situ_slice(all.kept, .start = SHAPE(2), .stop = SHAPE(6)));
        all.variable = situ_variable(situ_zeros(SHAPE(64)), .trainable = false);
        CHECK_EQ(situ_eval(TENSORS(all.kept, all.view, all.variable)), 0);
        all.expected = situ_item(situ_sum(situ_module_call(all.net, situ_reshape(all.kept, SHAPE(1, 8)))));
    }
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, share_all, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    IN_SCOPE CHECK_EQ(situ_item(situ_max(all.variable)), (double)ROUNDS);
    for (int i = 0; i < PLACES; i++) situ_release(atomic_exchange(&all.place[i], NULL));
    situ_release(all.kept);
    situ_release(all.view);
    situ_release(all.variable);
    situ_module_free(all.net);
}
