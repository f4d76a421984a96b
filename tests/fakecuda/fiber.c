/* Runs the blocks of a kernel one after another. The threads of a block are coroutines that switch at barriers. */
#define _GNU_SOURCE
#include "fake.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

enum { THREADS = 1024, STACK = 128 << 10, GUARD = 4096, DYNAMIC = 228 << 10 };

typedef enum lane_state { LANE_READY, LANE_BARRIER, LANE_WARP, LANE_DONE } lane_state;

typedef struct lane {
    void *place; /* where the thread continues */
    lane_state state;
    int line, from;
    unsigned mask;
    unsigned long long value;
} lane;

typedef struct shadow_byte { uint32_t writer, writer_span, reader, reader_span; } shadow_byte;

static struct {
    fake_work *work;
    const fake_kernel *kernel;
    fake_place *place;
    void **parameters;
    fake_toucher toucher;
    uint32_t span;
    int code, current, threads;
    bool plain; /* no thread waits for another: one coroutine runs them all */
    void *main;
    lane lane[THREADS];
    shadow_byte *shared, *dynamic;
} run;

static char *stacks, *dynamic_memory;
static sigjmp_buf escape;
static volatile sig_atomic_t inside;
static struct sigaction before_segv, before_bus;

/* ---------------------------------------------------------------- changing stacks */

static void lane_main(void);

#if defined(__x86_64__)
void fake_switch(void **from, void *to);
__asm__(".text\n.globl fake_switch\n.hidden fake_switch\n.type fake_switch, @function\nfake_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n.size fake_switch, .-fake_switch\n");

static void *new_stack(int i)
{
    void **top = (void **)(stacks + (size_t)(i + 1) * STACK);
    void (*start)(void) = lane_main;
    top -= 2; /* stack alignment as after a call */
    memcpy(top, &start, sizeof start);
    memset(top - 6, 0, 6 * sizeof *top);
    return top - 6;
}
#else
static ucontext_t contexts[THREADS + 1];

static void fake_switch(void **from, void *to)
{
    ucontext_t *here = from == &run.main ? &contexts[THREADS] : &contexts[from == NULL ? 0 : (lane *)from - run.lane];
    *from = here;
    swapcontext(here, to);
}

static void *new_stack(int i)
{
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK + GUARD;
    contexts[i].uc_stack.ss_size = STACK - GUARD;
    contexts[i].uc_link = NULL;
    makecontext(&contexts[i], lane_main, 0);
    return &contexts[i];
}
#endif

static void to_main(void) { fake_switch(&run.lane[run.current].place, run.main); }

static void set_thread(int i)
{
    fake_place *p = run.place;
    unsigned x = p->threads.x, y = p->threads.y, u = (unsigned)i;
    p->thread = (fake_uint3){u % x, u / x % y, u / x / y};
    unsigned long long number = (p->block.z * (unsigned long long)p->blocks.y + p->block.y) * p->blocks.x + p->block.x;
    run.toucher.thread = (uint32_t)(number * (unsigned)run.threads + u) & 0x7fffffffu;
}

static void resume(int i)
{
    run.current = i;
    set_thread(i);
    fake_switch(&run.main, run.lane[i].place);
}

/* Runs threads one after another on this stack; with a stack for each thread, one thread each time it is resumed. */
static void lane_main(void)
{
    for (;;) {
        for (int i = 0; i < (run.plain ? run.threads : 1) && !run.code; i++) {
            if (run.plain) set_thread(i);
            run.kernel->run(run.parameters);
        }
        run.lane[run.current].state = LANE_DONE;
        to_main();
    }
}

/* ---------------------------------------------------------------- what kernels call */

static void stop(int code)
{
    run.code = code;
    to_main();
}

static void on_access(uintptr_t p, size_t n, int write)
{
    if (!fake_set.track) return;
    int code = fake_touch(&run.toucher, p, n, write);
    if (code) stop(code);
}

static void on_atomic(uintptr_t p, size_t n)
{
    fake_toucher t = run.toucher;
    t.thread = FAKE_ATOMIC_THREAD;
    int code = fake_touch(&t, p, n, true);
    if (code) stop(code);
}

static void shared_race(void)
{
    fakecuda_violation("race: two threads of kernel %s touch the same shared memory, one writing, with no barrier between", run.kernel->name);
}

static void on_shared(size_t offset, size_t n, int write)
{
    bool dynamic = offset >= 1u << 30;
    shadow_byte *s = dynamic ? run.dynamic + (offset - (1u << 30)) : run.shared + offset;
    uint32_t me = run.toucher.thread + 1, span = run.span;
    if (dynamic && offset - (1u << 30) + n > run.work->is.launch.shared) {
        fakecuda_violation("bounds: kernel %s uses %zu bytes of dynamic shared memory, launched with %u", run.kernel->name,
                           offset - (1u << 30) + n, run.work->is.launch.shared);
        stop(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    for (size_t i = 0; i < n; i++, s++) {
        if (s->writer_span == span && s->writer != me) shared_race();
        if (write && s->reader_span == span && s->reader != me) shared_race();
        if (!write && s->writer_span < run.toucher.first_span && !s->writer_span)
            fakecuda_violation("uninitialised: kernel %s reads shared memory that its block has not written", run.kernel->name);
        if (write) s->writer = me, s->writer_span = span;
        else s->reader = s->reader_span == span && s->reader != me ? FAKE_MANY_THREADS : me, s->reader_span = span;
    }
}

static void on_foreign(uintptr_t p, size_t n, int write)
{
    fakecuda_violation("host: kernel %s %s %zu bytes of the host's memory at %p, which is not pinned", run.kernel->name,
                       write ? "writes" : "reads", n, (void *)p);
    stop(CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void on_misaligned(uintptr_t p, size_t n)
{
    fakecuda_violation("bounds: kernel %s touches %zu bytes at an address that is no multiple of it (%zu too far)", run.kernel->name, n, (size_t)(p % n));
    stop(CUDA_ERROR_MISALIGNED_ADDRESS);
}

static void on_barrier(int line)
{
    run.lane[run.current].state = LANE_BARRIER;
    run.lane[run.current].line = line;
    to_main();
}

static unsigned long long on_exchange(unsigned mask, int line, unsigned long long value, int from)
{
    lane *l = &run.lane[run.current];
    l->state = LANE_WARP;
    l->mask = mask;
    l->line = line;
    l->value = value;
    l->from = from;
    to_main();
    return l->value;
}

fake_runtime fake_kernel_runtime = {.access = on_access, .shared = on_shared, .foreign = on_foreign, .misaligned = on_misaligned,
                                    .atomic = on_atomic, .barrier = on_barrier, .move = memmove, .fill = memset, .exchange = on_exchange};

/* ---------------------------------------------------------------- a block */

static void next_span(void) { run.toucher.span = ++run.span; }

/* All lanes of the mask must have arrived, at the same line. */
static bool release_warp(int first)
{
    int count = run.threads - first < 32 ? run.threads - first : 32;
    unsigned long long value[32], votes = 0;
    unsigned there = 0, left = 0, mask = 0;
    int line = -1;
    for (int i = 0; i < count; i++) {
        lane *l = &run.lane[first + i];
        if (l->state == LANE_DONE) left |= 1u << i;
        if (l->state != LANE_WARP) continue;
        if (line < 0) line = l->line, mask = l->mask;
        if (l->line != line || l->mask != mask) continue;
        there |= 1u << i;
        value[i] = l->value;
        if (l->value) votes |= 1u << i;
    }
    unsigned all = count == 32 ? 0xffffffffu : (1u << count) - 1;
    if (line < 0 || (mask & all & ~there & ~left)) return false;
    if (mask & all & left) fakecuda_violation("barrier: lanes of a warp of kernel %s that have returned are asked for their values", run.kernel->name);
    for (int i = 0; i < count; i++) {
        lane *l = &run.lane[first + i];
        if (!(there >> i & 1)) continue;
        l->value = l->from < 0 ? votes : l->from < 32 && (there >> l->from & 1) ? value[l->from] : l->value;
        l->state = LANE_READY;
    }
    next_span(); /* an exchange in a warp orders its lanes; here it counts for the whole block */
    return true;
}

static bool release_barrier(void)
{
    int waiting = 0, left = 0, line = -1;
    bool apart = false;
    for (int i = 0; i < run.threads; i++) {
        lane *l = &run.lane[i];
        if (l->state == LANE_WARP) return false;
        if (l->state == LANE_DONE) left++;
        if (l->state != LANE_BARRIER) continue;
        if (line >= 0 && l->line != line) apart = true;
        line = l->line;
        waiting++;
    }
    if (!waiting) return false;
    if (apart) fakecuda_violation("barrier: threads of a block of kernel %s wait at different barriers", run.kernel->name);
    if (left) fakecuda_violation("barrier: %d threads of a block of kernel %s have returned while %d wait at a barrier", left, run.kernel->name, waiting);
    for (int i = 0; i < run.threads; i++)
        if (run.lane[i].state == LANE_BARRIER) run.lane[i].state = LANE_READY;
    next_span();
    return true;
}

static void run_threads(void)
{
    int n = run.threads, start = (int)fake_random((uint32_t)n), by = fake_random(2) ? 1 : n - 1;
    for (bool more = true; more && !run.code;) {
        for (int k = 0, i = start; k < n && !run.code; k++, i = (i + by) % n)
            if (run.lane[i].state == LANE_READY) resume(i);
        more = false;
        for (int first = 0; first < n; first += 32)
            if (release_warp(first)) more = true;
        if (!more) more = release_barrier();
    }
    for (int i = 0; i < n && !run.code; i++) {
        if (run.lane[i].state == LANE_DONE) continue;
        run.code = fake_refuse(CUDA_ERROR_LAUNCH_FAILED, "barrier: threads of a block of kernel %s wait for lanes that never come", run.kernel->name);
    }
}

static void run_block(CUfunction f)
{
    next_span();
    run.toucher.first_span = run.span;
    if (run.kernel->waits) {
        memset(f->module->shared, 0xa5, f->module->shared_bytes);
        memset(dynamic_memory, 0xa5, run.work->is.launch.shared);
        memset(run.shared, 0, f->module->shared_bytes * sizeof *run.shared);
        memset(run.dynamic, 0, run.work->is.launch.shared * sizeof *run.dynamic);
        for (int i = 0; i < run.threads; i++) run.lane[i].state = LANE_READY;
        run_threads();
    } else {
        resume(0);
    }
}

/* ---------------------------------------------------------------- a kernel */

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context, (void)info;
    if (inside && fake_is_executor()) siglongjmp(escape, 1);
    sigaction(number, number == SIGSEGV ? &before_segv : &before_bus, NULL); /* not our access: let it happen again */
}

void fake_fibers_thread(void)
{
    static char signal_stack[65536];
    stack_t alternate = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    sigaltstack(&alternate, NULL);
}

void fake_fibers_open(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (stacks) return;
    stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
    dynamic_memory = mmap(NULL, DYNAMIC, PROT_READ | PROT_WRITE, flags, -1, 0);
    run.shared = mmap(NULL, DYNAMIC * sizeof *run.shared, PROT_READ | PROT_WRITE, flags, -1, 0);
    run.dynamic = mmap(NULL, DYNAMIC * sizeof *run.dynamic, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stacks == MAP_FAILED || dynamic_memory == MAP_FAILED || run.shared == MAP_FAILED || run.dynamic == MAP_FAILED) abort();
    for (int i = 0; i < THREADS; i++) mprotect(stacks + (size_t)i * STACK, GUARD, PROT_NONE);
    fake_kernel_runtime.stack = (uintptr_t)stacks;
    fake_kernel_runtime.stack_bytes = (size_t)THREADS * STACK;
    fake_kernel_runtime.dynamic = dynamic_memory;
    fake_kernel_runtime.dynamic_bytes = DYNAMIC;
}

static void run_grid(CUfunction f)
{
    fake_launch *l = &run.work->is.launch;
    uint64_t count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], start = fake_random((uint32_t)count);
    bool back = fake_random(2);
    for (uint64_t k = 0; k < count && !run.code; k++) {
        uint64_t b = back ? (start + count - k) % count : (start + k) % count;
        run.place->block = (fake_uint3){(unsigned)(b % l->grid[0]), (unsigned)(b / l->grid[0] % l->grid[1]), (unsigned)(b / l->grid[0] / l->grid[1])};
        run_block(f);
    }
}

int fake_run_kernel(fake_work *w)
{
    static bool have_stacks;
    CUfunction f = w->is.launch.function;
    fake_launch *l = &w->is.launch;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    run.work = w;
    run.kernel = f->kernel;
    run.parameters = l->parameter;
    run.place = f->module->place;
    run.toucher.work = w;
    run.code = 0;
    run.threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    run.plain = !f->kernel->waits;
    *run.place = (fake_place){.threads = {l->block[0], l->block[1], l->block[2]}, .blocks = {l->grid[0], l->grid[1], l->grid[2]}};
    for (int i = 0; i < THREADS && !have_stacks; i++) run.lane[i].place = new_stack(i);
    have_stacks = true;
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    inside = 1;
    if (!sigsetjmp(escape, 1)) run_grid(f);
    else run.code = fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "bounds: kernel %s touches memory that is not there, or its stack is full", run.kernel->name);
    inside = 0;
    sigaction(SIGSEGV, &before_segv, NULL);
    sigaction(SIGBUS, &before_bus, NULL);
    if (run.code) have_stacks = false; /* some threads were stopped in the middle */
    return run.code;
}
