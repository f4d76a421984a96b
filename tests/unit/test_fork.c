/* Forks while other threads are in the library: the child finds every lock free, and works. */
#include <situ.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "os/lock.h"
#include "os/wait.h"
#include "support/child.h"
#include "support/sim_devices.h"
#include "test.h"

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

static _Atomic bool stop;
static _Atomic int taken;

static void nap(long microseconds) { nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL); }

/* ---- the locks themselves ------------------------------------------------------------------------------------------------ */

static pthread_mutex_t *all[256];
static int count, not_free;

static void note(pthread_mutex_t *lock)
{
    if (count < 256) all[count++] = lock;
}

static void must_be_free(pthread_mutex_t *lock)
{
    if (pthread_mutex_trylock(lock)) not_free++;
    else pthread_mutex_unlock(lock);
}

static int look(void)
{
    not_free = 0;
    situ_locks_each(must_be_free);
    return not_free;
}

/* Each lock in turn, for longer than a fork waits for it. */
static void *hold_each(void *unused)
{
    for (int i = 0; i < count && !stop; i++) {
        pthread_mutex_lock(all[i]);
        atomic_store(&taken, i + 1);
        for (int k = 0; k < 20000 && atomic_load(&taken) == i + 1; k++) nap(100);
        pthread_mutex_unlock(all[i]);
    }
    return unused;
}

TEST(a_child_finds_every_lock_free)
{
    pthread_t holder;
    situ_wait(situ_add(situ_ones(SHAPE(3), .device = sim_device(0)), 1)); /* devices have locks of their own */
    count = 0;
    situ_locks_each(note);
    CHECK(count > 15);
    atomic_store(&taken, 0);
    if (!CHECK(!pthread_create(&holder, NULL, hold_each, NULL))) return;
    for (int i = 0; i < count; i++) {
        while (atomic_load(&taken) != i + 1) nap(50);
        if (!CHECK_EQ(status_of_child(look), 0)) printf("  lock %d of %d\n", i, count);
        atomic_store(&taken, 0);
    }
    pthread_join(holder, NULL);
    CHECK_EQ(look(), 0);
}

/* ---- threads at work ------------------------------------------------------------------------------------------------------- */

static void *compute(void *unused)
{
    situ_tensor *v = situ_variable(situ_ones(SHAPE(64)));
    for (int i = 0; !stop; i++) {
        situ_scope *s = situ_scope_open();
        situ_assign(v, situ_add(situ_mul(v, 0.5), i % 7));
        situ_tensor *far = situ_to(situ_sin(v), sim_device(0));
        if (i % 3 == 0) situ_item(situ_sum(far));
        situ_scope_close(s);
    }
    situ_release(v);
    return unused;
}

static void *make_networks(void *unused)
{
    while (!stop) {
        situ_scope *s = situ_scope_open();
        situ_module *net = situ_sequential(situ_linear_layer(4), situ_relu_layer(), situ_linear_layer(2));
        situ_item(situ_sum(situ_module_call(net, situ_ones(SHAPE(2, 3)))));
        situ_module_free(net);
        situ_scope_close(s);
    }
    return unused;
}

static int work_in_child(void)
{
    situ_tensor *early = situ_ones(SHAPE(3));
    if (!early || situ_error_take(NULL) != SITU_FORKED) return 1;
    if (situ_after_fork()) return 2;
    situ_module *net = situ_sequential(situ_linear_layer(4, .in = 3), situ_linear_layer(2));
    situ_tensor *y = situ_module_call(net, situ_ones(SHAPE(2, 3)));
    if (situ_module_count(net) != 4 || !(situ_item(situ_sum(situ_square(y))) >= 0)) return 3;
    if (situ_item(situ_sum(situ_add(situ_arange(0, 100, 1), 1))) != 5050) return 4;
    if (situ_item(situ_sum(situ_ones(SHAPE(50), .device = sim_device(0)))) != 50) return 5;
    char *text = situ_text(situ_ones(SHAPE(2)));
    return !text || situ_failed() ? 6 : 0;
}

TEST(a_child_works_whatever_other_threads_were_doing)
{
#ifdef THREAD_SANITIZER
    SKIP("the thread sanitizer cannot follow new threads in a forked child");
#endif
#ifdef ADDRESS_SANITIZER /* seen in a debugger: a free in the child waits in the sanitizer for a thread of the parent */
    SKIP("the address sanitizer's allocator keeps locks that a thread held at the fork");
#endif
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    stop = false;
    for (int i = 0; i < THREADS; i++)
        if (!CHECK(!pthread_create(&thread[i], NULL, i ? compute : make_networks, NULL))) return;
    for (int i = 0; i < 25; i++) {
        nap(1000 + 137 * i);
        if (!CHECK_EQ(status_of_child(work_in_child), 0)) break;
    }
    stop = true;
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    stop = false;
    CHECK_OK();
}

/* ---- a loader, whose thread is not in the child ---------------------------------------------------------------------------- */

static situ_loader *loader;

static int go_on_loading(void)
{
    if (situ_after_fork()) return 1;
    if (situ_loader_next(loader) != -SITU_FORKED || situ_error_take(NULL) != SITU_FORKED) return 2;
#ifndef THREAD_SANITIZER
    situ_loader_start(loader, 1);
    int rows = 0;
    for (int64_t n; (n = situ_loader_next(loader)) > 0;) rows += (int)n;
    if (rows != 40 || situ_failed()) return 3;
#endif
    situ_loader_free(loader);
    return 0;
}

TEST(a_loader_in_a_child_says_that_its_thread_is_gone_and_begins_anew)
{
    float x[80] = {0};
    int32_t y[40] = {0};
    situ_dataset *data = situ_dataset_new(x, SHAPE(40, 2), y, 2, "zeros");
    loader = situ_loader_new(data, .batch = 8, .resident = false);
    if (!CHECK(loader)) return;
    situ_loader_start(loader, 0);
    CHECK_EQ(situ_loader_next(loader), 8);
    CHECK_EQ(status_of_child(go_on_loading), 0);
    int rows = 8;
    for (int64_t n; (n = situ_loader_next(loader)) > 0;) rows += (int)n;
    CHECK_EQ(rows, 40);
    situ_loader_free(loader);
    situ_dataset_free(data);
    CHECK_OK();
}
