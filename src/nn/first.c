/* The first call of a network creates its parameters: one thread does this, and others that call meanwhile wait. They
 * then find values that are at least enqueued. */
#include <stdatomic.h>

#include "base/runtime.h"
#include "graph/owned.h"
#include "nn/module.h"
#include "os/lock.h"
#include "os/thread.h"
#include "run/enqueue.h"

SITU_LOCK(lock);
static _Atomic uint64_t builder; /* the thread that holds the lock */

static void after_fork(void) { atomic_store(&builder, 0); }

/* False for a language with a global lock that it may release while a network is called; that lock orders its threads. */
static bool take_lock(void)
{
    situ_thread *th = situ_thread_get();
    if (!th || situ_owned_recording(th) || atomic_load(&builder) == th->id) return false;
    situ_mutex_lock(&lock);
    atomic_store(&builder, th->id);
    situ_at_fork_reset(after_fork);
    return true;
}

static void give_lock(void)
{
    atomic_store(&builder, 0);
    situ_mutex_unlock(&lock);
}

bool situ_first_open(situ_module *root)
{
    if (situ_built(root) || !take_lock()) return false;
    if (!situ_built(root)) return true;
    give_lock(); /* another thread made the first call */
    return false;
}

static int start_values(const situ_module *root, const situ_parameter *p, situ_site site)
{
    for (int i = 0; p->made && i < root->devices; i++)
        if (situ_store_first_values(p->copy[i], site)) return -situ_error_code;
    return 0;
}

void situ_first_close(situ_module *root, situ_site site)
{
    situ_error error = {.code = situ_error_code};
    if (error.code) situ_error_take(&error); /* what was created before the failure exists all the same */
    int rc = situ_module_number(root);
    for (int k = 0; k < root->total && !rc; k++) rc = start_values(root, root->all[k], site);
    if (error.code && rc) situ_error_take(NULL);
    if (error.code) situ_fail_again(error.code, error.message);
    else if (!rc) __atomic_store_n(&root->built, true, __ATOMIC_RELEASE);
    give_lock();
}

int situ_first_use(situ_parameter *p, const situ_parameter *wanted, situ_site site)
{
    situ_module *root = situ_module_root(p->owner);
    if (situ_module_number(root)) return -situ_error_code; /* a forward function may declare more parameters */
    bool late = take_lock();
    int rc = 0;
    if (!p->made) {
        if (!p->known) p->shape = wanted->shape;
        p->bound = wanted->bound;
        p->value = wanted->value;
        p->deviation = wanted->deviation;
        p->fixed = wanted->fixed;
        rc = situ_parameter_make(p, site);
        if (!rc && late) rc = start_values(root, p, site);
    }
    if (late) give_lock();
    return rc;
}
