/* What situ/session.h promises: over 10,000 runs no allocation, no mutex and no call of the system, alone and while another thread
 * publishes 1,000 versions of the weights, each run sees one of them whole, and at most 16 KB of stack are used. The functions of the C
 * library are replaced by ones that count; calls of the system are trapped by Linux. Prints PASS or FAIL for each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <situ.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

enum { RUNS = 10000, VERSIONS = 1000, STACK = 1 << 20, PROMISED = 16 << 10, PAINT = 0xa5 };

/* ---- counting ------------------------------------------------------------------------------------------------------------------- */

static __thread bool counted; /* in this thread, now */
static __thread volatile char trap; /* calls of the system raise SIGSYS if it is 1 */
static _Atomic long allocations, locks, calls;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void note(_Atomic long *what)
{
    if (counted) (*what)++;
}

void *malloc(size_t n) { return note(&allocations), __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return note(&allocations), __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return note(&allocations), __libc_realloc(p, n); }
void *aligned_alloc(size_t to, size_t n) { return note(&allocations), __libc_memalign(to, n); }
void *memalign(size_t to, size_t n) { return note(&allocations), __libc_memalign(to, n); }
int posix_memalign(void **p, size_t to, size_t n)
{
    note(&allocations);
    *p = __libc_memalign(to, n);
    return *p ? 0 : ENOMEM;
}
void free(void *p)
{
    note(&allocations);
    __libc_free(p);
}

#define COUNTED_LOCK(name, type) \
    int name(type *x) \
    { \
        static int (*real)(type *); \
        if (!real) real = (int (*)(type *))dlsym(RTLD_NEXT, #name); \
        note(&locks); \
        return real(x); \
    }
COUNTED_LOCK(pthread_mutex_lock, pthread_mutex_t)
COUNTED_LOCK(pthread_mutex_trylock, pthread_mutex_t)
COUNTED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
COUNTED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
COUNTED_LOCK(pthread_spin_lock, pthread_spinlock_t)
COUNTED_LOCK(pthread_cond_signal, pthread_cond_t)
COUNTED_LOCK(pthread_cond_broadcast, pthread_cond_t)

static void on_call(int number)
{
    (void)number;
    trap = 0; /* or the return from this handler is one more */
    calls++;
}

static bool can_trap;

static void count(bool on)
{
    if (on) counted = true, trap = (char)can_trap;
    else trap = 0, counted = false;
}

/* Whether the counters count: an allocation, a lock, a call of the system. */
static bool counters_count(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    count(true);
    void *volatile p = malloc(10);
    pthread_mutex_lock(&lock);
    if (can_trap) (void)!write(-1, "", 0);
    count(false);
    free(p);
    bool all = allocations == 1 && locks == 1 && calls == can_trap;
    allocations = locks = calls = 0;
    return all;
}

/* ---- the networks --------------------------------------------------------------------------------------------------------------- */

/* Two layers of 32 units, all weights and biases of version v are v: x of ones gives 32 v and v more, and again. */
static situ_module *two_layers(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(32));
    situ_scope *scope = situ_scope_open();
    situ_module_call(net, situ_ones(SHAPE(1, 32)));
    situ_module_initialize(net, "", SITU_INIT_CONSTANT, .value = 1);
    situ_scope_close(scope);
    return net;
}

static float of_version(float v) { return 32 * v * (32 * v + v) + v; }

static void assign_all(situ_module *net, float v)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *variable[4], *value[4];
    for (int i = 0; i < 4; i++) {
        variable[i] = situ_module_parameter(net, i);
        value[i] = situ_full_like(variable[i], v);
    }
    situ_assign_all(TENSORS_OF(variable, 4), TENSORS_OF(value, 4));
    situ_eval(TENSORS_OF(variable, 4));
    situ_scope_close(scope);
}

static _Atomic int published;

static void *publish(void *net)
{
    for (int v = 2; v <= VERSIONS + 1; v++) {
        assign_all(net, (float)v);
        published = v;
    }
    return NULL;
}

/* ---- the runs ------------------------------------------------------------------------------------------------------------------- */

typedef struct job {
    situ_session *session;
    bool of_versions; /* the results are those of a version */
    bool beside;      /* go on until all versions are published */
    long runs, torn, failed, back, seen;
    size_t stack;
} job;

/* The number of a version, 0: of none. */
static int version_of(const float *y)
{
    for (int i = 1; i < 32; i++)
        if (y[i] != y[0]) return 0;
    for (int v = 1; v <= VERSIONS + 1; v++)
        if (of_version((float)v) == y[0]) return v;
    return 0;
}

static size_t unpainted(const unsigned char *low, const unsigned char *here)
{
    const unsigned char *at = low;
    while (at < here && *at == PAINT) at++;
    return (size_t)(here - at);
}

static void look(job *j, int *last)
{
    const float *y = situ_session_result(j->session, 0);
    int v = version_of(y);
    j->torn += !v;
    j->back += v && v < *last;
    j->seen += v > *last;
    *last = v > *last ? v : *last;
}

static void *run(void *argument)
{
    job *j = argument;
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (can_trap && prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &trap)) can_trap = false;
    j->failed += situ_session_run(j->session) != 0; /* the thread's own memory in the library */
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    volatile unsigned char here = 0;
    unsigned char *from = (unsigned char *)low + 4096, *to = (unsigned char *)&here - 512;
    for (volatile unsigned char *p = from; p < to; p++) *p = PAINT;
    int last = 0;
    for (j->runs = 0; j->runs < RUNS || (j->beside && published <= VERSIONS); j->runs++) {
        count(true);
        int rc = situ_session_run(j->session);
        count(false);
        j->failed += rc != 0;
        if (j->of_versions) look(j, &last);
    }
    j->stack = unpainted(from, to);
    return NULL;
}

static int status;

static void say(bool right, const char *name, const char *what)
{
    printf("%s session %s: %s\n", right ? "PASS" : "FAIL", name, what);
    status |= !right;
}

static void do_job(job *j, const char *name, situ_module *publishes)
{
    char text[200];
    pthread_t runner, publisher;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    allocations = locks = calls = 0;
    pthread_create(&runner, &attributes, run, j);
    if (publishes) pthread_create(&publisher, NULL, publish, publishes);
    pthread_join(runner, NULL);
    if (publishes) pthread_join(publisher, NULL);
    pthread_attr_destroy(&attributes);
    snprintf(text, sizeof text, "%ld runs, %ld failed: %ld allocations, %ld locks, %s%ld calls of the system", j->runs, j->failed, allocations, locks,
        can_trap ? "" : "(not trapped here) ", calls);
    say(!j->failed && !allocations && !locks && !calls, name, text);
    snprintf(text, sizeof text, "%zu bytes of stack, at most %d", j->stack, PROMISED);
    say(j->stack <= PROMISED, name, text);
    if (!j->of_versions) return;
    snprintf(text, sizeof text, "%ld versions seen, %ld times one of two, %ld times an older one", j->seen, j->torn, j->back);
    say(!j->torn && !j->back, name, text);
}

static int64_t in_use(void)
{
    situ_memory m;
    situ_memory_of(situ_cpu(), &m);
    return m.in_use;
}

static void of_one_network(void)
{
    situ_module *net = two_layers();
    situ_scope *scope = situ_scope_open();
    situ_session *s = situ_session_open(net, TENSORS(situ_ones(SHAPE(1, 32))));
    situ_scope_close(scope);
    do_job(&(job){.session = s, .of_versions = true}, "an MLP alone", NULL);
    int64_t before = in_use();
    do_job(&(job){.session = s, .of_versions = true, .beside = true}, "an MLP beside a publisher", net);
    situ_session_run(s);
    const float *y = situ_session_result(s, 0);
    say(version_of(y) == VERSIONS + 1, "an MLP beside a publisher", "the last version is seen");
    int64_t more = in_use() - before, once = 4 * (32 * 32 + 32) * 2 * 4;
    say(more <= once, "an MLP beside a publisher", "no more than three versions are in memory");
    situ_session_close(s);
    situ_module_free(net);
}

static void of_a_state(void)
{
    situ_module *net = situ_gru_layer(24);
    situ_scope *scope = situ_scope_open();
    situ_session *s = situ_session_open(net, TENSORS(situ_uniform(situ_key(1), SHAPE(1, 1, 16)), situ_zeros(SHAPE(1, 1, 24))), .state = "1=1");
    situ_scope_close(scope);
    do_job(&(job){.session = s}, "a step of a GRU", NULL);
    situ_session_close(s);
    situ_module_free(net);
}

static void of_images(void)
{
    situ_module *net = situ_sequential(situ_conv2d_layer(6, SHAPE(5, 5)), situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2, 2)), situ_flatten_layer(), situ_linear_layer(10),
        situ_softmax_layer(-1));
    situ_scope *scope = situ_scope_open();
    situ_session *s = situ_session_open(net, TENSORS(situ_uniform(situ_key(1), SHAPE(1, 1, 28, 28))));
    situ_scope_close(scope);
    do_job(&(job){.session = s}, "a CNN", NULL);
    situ_session_close(s);
    situ_module_free(net);
}

static void of_attention(void)
{
    situ_module *net = situ_transformer_encoder_layer(32, 4, .hidden = 64);
    situ_scope *scope = situ_scope_open();
    situ_session *s = situ_session_open(net, TENSORS(situ_uniform(situ_key(1), SHAPE(1, 12, 32))));
    situ_scope_close(scope);
    do_job(&(job){.session = s}, "a block of a Transformer", NULL);
    situ_session_close(s);
    situ_module_free(net);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_call, .sa_flags = SA_NODEFER};
    can_trap = !prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &trap) && !sigaction(SIGSYS, &action, NULL);
    if (!can_trap) printf("SKIP session: this kernel traps no calls of the system\n");
    say(counters_count(), "counters", "an allocation, a lock and a call are counted");
    of_one_network();
    of_a_state();
    of_images();
    of_attention();
    say(!situ_failed(), "errors", situ_failed() ? situ_error_message() : "none");
    return status;
}
