#include "device/virtual.h"

#include "device/thread.h"
#include "os/thread.h"
#include "os/wait.h"

situ_host_costs situ_host_cost;
/* The clock of the thread that came first: other threads begin there. */
static _Atomic double first;

situ_host_thread *situ_host_record(void)
{
    static situ_host_thread none; /* without memory: its figures mean nothing */
    situ_device_thread *t = situ_thread_self();
    return t ? &t->host : &none;
}

/* ---- real time: only host threads sleep, until their clocks are due; devices are done before ------------------------ */

static const double shortest = 1e-3; /* shorter sleeps are put off: the debt stays in `origin` ... */
static const double slack = 10e-3;   /* ... as does what a sleep took too long, which the next ones make up for */

static void align(double stretch) { situ_host_self.origin = situ_seconds() - stretch * situ_virtual; }

/* The thread's clock is at `from` no more but at situ_virtual: sleeps until that is due. */
static void pace(double from)
{
    double k = atomic_load_explicit(&situ_host_cost.stretch, memory_order_relaxed);
    if (!(k > 0)) return;
    double debt = situ_host_self.origin + k * situ_virtual - situ_seconds(), piece = situ_virtual - from;
    if (debt >= shortest) situ_sleep((int64_t)(debt * 1e9));
    bool adapts = atomic_load(&situ_host_cost.adapts);
    if (debt >= (adapts ? 0 : -slack)) return;
    situ_host_self.late -= debt;
    if (adapts && -debt > .1 * k * piece && piece > 1e-5) atomic_store(&situ_host_cost.stretch, k = k - 1.1 * debt / piece);
    align(k);
}

static void begin(void)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    situ_host_self.begun = true;
    situ_host_self.is_first = !atomic_flag_test_and_set(&taken);
    situ_virtual_reach(first);
    align(situ_host_cost.stretch);
    if (situ_host_cost.measured) situ_host_skip();
}

static void advance(double to)
{
    double from = situ_virtual;
    situ_virtual_reach(to);
    pace(from);
    if (situ_host_self.is_first) atomic_store_explicit(&first, situ_virtual, memory_order_relaxed);
}

static double ran(void) { return 1e-9 * (double)situ_thread_ran(situ_thread_current()); }

void situ_host_skip(void)
{
    if (situ_host_cost.measured) situ_host_self.ran = ran();
}

void situ_host_work(double seconds)
{
    situ_host_thread *t = &situ_host_self;
    if (!t->begun) begin();
    if (situ_host_cost.measured) {
        double now = ran(), since = now - t->ran;
        t->ran = now;
        seconds = since > 0 ? since : 0;
    }
    t->worked += seconds;
    advance(situ_virtual + seconds);
}

void situ_host_owe(double seconds)
{
    if (!situ_host_self.begun) begin();
    situ_host_self.worked += seconds;
    situ_virtual_reach(situ_virtual + seconds);
}

void situ_host_spend(double seconds)
{
    if (!situ_host_self.begun || situ_host_cost.measured) situ_host_work(0); /* what it did until now */
    situ_host_self.worked += seconds;
    advance(situ_virtual + seconds);
}

void situ_host_wait(double until)
{
    if (situ_host_on() && !situ_host_self.begun) begin();
    if (until <= situ_virtual) return;
    situ_host_self.waited += until - situ_virtual;
    advance(until);
}
