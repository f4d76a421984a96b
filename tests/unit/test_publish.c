/* While one thread changes many variables, another thread reads either all old or all new values. */
#include <situ.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/sim_devices.h"
#include "values.h"

enum { READERS = 2, LAYERS = 16, VERSIONS = 400 };

/* In version v all variables are v, so their sum tells whether they are of one version. */
typedef struct shared {
    situ_module *net, *next;
    situ_tensor *variable[LAYERS];
    situ_device device;
    char path[2][64];
    void (*publish)(struct shared *s, int version);
    bool (*look)(const struct shared *s); /* true: a version was whole */
    _Atomic bool stop;
    _Atomic int64_t looks, torn;
} shared;

static void *read_on(void *argument)
{
    shared *s = argument;
    while (!s->stop || !s->looks)
        IN_SCOPE {
            bool whole = s->look(s);
            s->looks++;
            s->torn += !whole;
        }
    CHECK_OK();
    return NULL;
}

static void beside_readers(shared *s)
{
    pthread_t reader[READERS];
    for (int i = 0; i < READERS; i++) pthread_create(&reader[i], NULL, read_on, s);
    for (int v = 1; v <= VERSIONS; v++)
        IN_SCOPE s->publish(s, v);
    s->stop = true;
    for (int i = 0; i < READERS; i++) pthread_join(reader[i], NULL);
    CHECK_EQ(s->torn, 0);
    CHECK_OK();
}

/* ---- networks -------------------------------------------------------------------------------------------------------------- */

static situ_module *make_network(situ_device d)
{
    situ_module *net = situ_sequential();
    for (int i = 0; i < LAYERS; i++) situ_sequential_add(net, situ_linear_layer(1));
    IN_SCOPE {
        situ_tensor *x = situ_zeros(SHAPE(1, 1), .device = d);
        situ_eval(TENSORS(situ_module_call(net, x)));
    }
    return net;
}

/* Weights 1 and biases v: 0 becomes LAYERS * v. */
static void set_network(situ_module *net, int version)
{
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        bool bias = situ_ndim(p) == 1;
        CHECK_EQ(situ_assign(p, situ_full_like(p, bias ? version : 1)), 0);
    }
}

static bool call_network(const shared *s)
{
    double y = situ_item(situ_module_call(s->net, situ_zeros(SHAPE(1, 1), .device = s->device)));
    return y == LAYERS * (double)(int64_t)(y / LAYERS);
}

static void publish_network(shared *s, int version)
{
    set_network(s->next, version);
    CHECK_EQ(situ_module_publish(s->net, s->next), 0);
}

static void load_network(shared *s, int version) { CHECK_EQ(situ_module_load(s->net, s->path[version % 2]), 2 * LAYERS); }

static void assign_network(shared *s, int version)
{
    set_network(s->net, version);
    CHECK_EQ(situ_eval(TENSORS_OF(NULL, 0)), 0);
}

static void serve(shared *s, void (*publish)(shared *s, int version))
{
    *s = (shared){.device = s->device, .publish = publish, .look = call_network};
    s->net = make_network(s->device);
    IN_SCOPE assign_network(s, 0);
    CHECK((s->next = situ_module_clone(s->net)) != NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(s->path[i], sizeof s->path[i], "/tmp/situ-publish-%d-%d.safetensors", (int)getpid(), i);
        IN_SCOPE {
            set_network(s->next, i + 5);
            CHECK_EQ(situ_module_save(s->next, s->path[i]), 0);
        }
    }
    beside_readers(s);
    for (int i = 0; i < 2; i++) unlink(s->path[i]);
    situ_module_free(s->net);
    situ_module_free(s->next);
}

TEST(publish_a_network_while_others_call_it)
{
    situ_device gpu = sim_device(0), device[2] = {situ_cpu(), gpu};
    for (int i = 0; i < 2; i++) {
        shared s = {.device = device[i]};
        serve(&s, publish_network);
        serve(&s, assign_network);
    }
}

TEST(publish_by_a_load_while_others_call_it)
{
    shared s = {.device = situ_cpu()};
    serve(&s, load_network);
}

/* Nothing waits in the thread that loads. */
typedef struct called {
    situ_module *net;
    double y;
} called;

static void *call_once(void *argument)
{
    called *c = argument;
    IN_SCOPE c->y = situ_item(situ_module_call(c->net, situ_zeros(SHAPE(1, 1))));
    return NULL;
}

TEST(publish_is_what_a_load_does)
{
    called seen = {.net = make_network(situ_cpu())};
    char path[64];
    pthread_t reader;
    snprintf(path, sizeof path, "/tmp/situ-publish-%d.safetensors", (int)getpid());
    IN_SCOPE {
        set_network(seen.net, 3);
        CHECK_EQ(situ_module_save(seen.net, path), 0);
        set_network(seen.net, 1);
        CHECK_EQ(situ_eval(TENSORS_OF(NULL, 0)), 0);
        CHECK_EQ(situ_module_load(seen.net, path), 2 * LAYERS);
        pthread_create(&reader, NULL, call_once, &seen);
        pthread_join(reader, NULL);
    }
    CHECK_EQ((int64_t)seen.y, 3 * LAYERS);
    unlink(path);
    situ_module_free(seen.net);
}

/* ---- variables ------------------------------------------------------------------------------------------------------------- */

static void assign_variables(shared *s, int version)
{
    situ_tensor *value[LAYERS];
    for (int i = 0; i < LAYERS; i++) value[i] = situ_full_like(s->variable[i], version);
    CHECK_EQ(situ_assign_all(TENSORS_OF(s->variable, LAYERS), TENSORS_OF(value, LAYERS)), 0);
    CHECK_EQ(situ_eval(TENSORS_OF(NULL, 0)), 0);
}

static bool look_at_snapshot(const shared *s)
{
    situ_tensor *value[LAYERS], *sum = situ_zeros(SHAPE());
    CHECK_EQ(situ_snapshot(TENSORS_OF(s->variable, LAYERS), value), 0);
    for (int i = 1; i < LAYERS; i++) sum = situ_add(sum, situ_abs(situ_sub(value[i], value[0])));
    return situ_item(sum) == 0;
}

static bool look_at_operands(const shared *s) { return situ_item(situ_sub(s->variable[0], s->variable[LAYERS - 1])) == 0; }

static void change_variables(bool (*look)(const shared *s))
{
    shared s = {.publish = assign_variables, .look = look};
    IN_SCOPE for (int i = 0; i < LAYERS; i++) s.variable[i] = situ_variable(situ_zeros(SHAPE()));
    beside_readers(&s);
    for (int i = 0; i < LAYERS; i++) situ_release(s.variable[i]);
}

TEST(publish_a_snapshot_is_of_one_version) { change_variables(look_at_snapshot); }
TEST(publish_operands_of_one_operation_are_of_one_version) { change_variables(look_at_operands); }

TEST(publish_a_snapshot_of_what_this_thread_assigned)
{
    IN_SCOPE {
        situ_tensor *a = situ_variable(situ_zeros(SHAPE())), *out[3] = {a, situ_add(a, 1), a};
        CHECK_EQ(situ_assign(a, situ_add(a, 7)), 0);
        CHECK_EQ(situ_snapshot(TENSORS_OF(out, 3), out), 0);
        CHECK_EQ(situ_assign(a, situ_zeros(SHAPE())), 0);
        CHECK(situ_item(out[0]) == 7 && situ_item(out[1]) == 1 && situ_item(out[2]) == 7 && situ_item(a) == 0);
        CHECK_EQ(situ_snapshot(TENSORS_OF(NULL, 0), NULL), 0);
        situ_release(a);
    }
    CHECK_OK();
}

TEST(publish_gradients_pass_a_snapshot)
{
    IN_SCOPE {
        situ_tensor *v = situ_variable(situ_full(SHAPE(), 3.0)), *out[1], *g;
        CHECK_EQ(situ_snapshot(TENSORS(v), out), 0);
        CHECK_EQ(situ_grad(situ_square(out[0]), TENSORS(v), &g), 0);
        CHECK(situ_item(g) == 6);
        situ_release(v);
    }
    CHECK_OK();
}

/* ---- within a call --------------------------------------------------------------------------------------------------------- */

typedef struct counting {
    double first, second;
} counting;

/* If a forward function assigns a variable, it reads the new value from then on, even after it was computed. */
static situ_tensor *count_calls(situ_module *m, situ_tensor *x, void *self)
{
    counting *c = self;
    (void)m;
    situ_tensor *part = situ_module_use(m, 0, x, SHAPE(), .fixed = true);
    situ_assign(part, situ_add(part, 1));
    c->first = situ_item(part);
    situ_assign(part, situ_add(part, 1));
    situ_eval(TENSORS_OF(NULL, 0));
    c->second = situ_item(part);
    return situ_add(x, part);
}

static void *stay(void *argument)
{
    IN_SCOPE situ_eval(TENSORS(situ_zeros(SHAPE()))); /* a second thread that uses the library */
    pthread_barrier_wait(argument);
    pthread_barrier_wait(argument);
    return NULL;
}

TEST(publish_a_call_reads_what_it_assigned)
{
    counting c = {0};
    situ_module_kind kind = {.name = "counter", .forward = count_calls};
    situ_module *net = situ_module_custom(&kind, &c);
    pthread_t other;
    pthread_barrier_t barrier;
    situ_module_declare(net, "calls");
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, stay, &barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        IN_SCOPE {
            double y = situ_item(situ_module_call(net, situ_zeros(SHAPE())));
            CHECK(c.first == 2 * i + 1 && c.second == 2 * i + 2 && y == 2 * i + 2);
        }
    pthread_barrier_wait(&barrier);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&barrier);
    situ_module_free(net);
    CHECK_OK();
}

/* ---- mistakes -------------------------------------------------------------------------------------------------------------- */

static void check_refused(int rc, const char *message)
{
    situ_error e;
    CHECK(rc < 0);
    situ_error_take(&e);
    CHECK(strstr(e.message, message) != NULL);
}

TEST(publish_before_the_first_call)
{
    situ_module *net = situ_linear_layer(2, .in = 3), *twin = situ_module_clone(net);
    IN_SCOPE {
        CHECK_EQ(situ_assign(situ_module_parameter(twin, 0), situ_ones(SHAPE(2, 3))), 0);
        CHECK_EQ(situ_module_publish(net, twin), 0);
        CHECK(situ_item(situ_sum(situ_module_parameter(net, 0))) == 6);
    }
    situ_module_free(net);
    situ_module_free(twin);
}

TEST(publish_refuses_what_does_not_match)
{
    situ_module *net = make_network(situ_cpu()), *clone = situ_module_clone(net), *other = situ_sequential(situ_linear_layer(2));
    situ_module *unmade = situ_sequential();
    for (int i = 0; i < LAYERS; i++) situ_sequential_add(unmade, situ_linear_layer(1));
    check_refused(situ_module_publish(net, NULL), "situ_module_publish: the network is NULL");
    check_refused(situ_module_publish(net, other),
        "situ_module_publish: one network has 32 parameters, the other 2; make one by situ_module_clone of the other");
    check_refused(situ_module_publish(net, unmade),
        "situ_module_publish: 0.weight of the second network has no value yet; call it once, or load it");
    CHECK_EQ(situ_module_publish(net, clone), 0);
    CHECK_EQ(situ_module_publish(net, net), 0);
    CHECK_EQ(situ_module_publish(situ_module_part(net, "3"), situ_module_part(clone, "5")), 0);
    situ_module_free(net);
    situ_module_free(clone);
    situ_module_free(other);
    situ_module_free(unmade);
    CHECK_OK();
}
