/* Linked into every kernel: the functions that the compiler calls at loads and stores (as for a race detector), and the
 * primitives by which threads wait for each other. */
#include "kernel_side.h"

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN fake_place fake_at;
HIDDEN char *fake_dynamic;
static const fake_runtime *runtime;

extern char __start_fake_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_fake_shared[] __attribute__((weak, visibility("hidden")));
extern char __ehdr_start[] HIDDEN, _end[] HIDDEN;

__attribute__((visibility("default"))) void fake_bind(const fake_runtime *r, fake_place **place, char **shared, size_t *bytes);
void fake_bind(const fake_runtime *r, fake_place **place, char **shared, size_t *bytes)
{
    runtime = r;
    fake_dynamic = r->dynamic;
    *place = &fake_at;
    *shared = __start_fake_shared;
    *bytes = (size_t)(__stop_fake_shared - __start_fake_shared);
}

static inline void note(uintptr_t p, size_t n, int write)
{
    if (p - runtime->low < runtime->bytes) {
        runtime->access(p, n, write);
        return;
    }
    uintptr_t shared = (uintptr_t)__start_fake_shared, image = (uintptr_t)__ehdr_start;
    if (p - runtime->stack < runtime->stack_bytes) return;
    if (p - shared < (uintptr_t)__stop_fake_shared - shared) runtime->shared(p - shared, n, write);
    else if (p - image < (uintptr_t)_end - image) return;
    else if (p - (uintptr_t)runtime->dynamic < runtime->dynamic_bytes) runtime->shared(p - (uintptr_t)runtime->dynamic + (1u << 30), n, write);
    else runtime->foreign(p, n, write);
}

/* A struct of two doubles is copied as 16 bytes, but aligned to 8: on the stack and in shared memory it may lie so. */
static inline void aligned(uintptr_t p, size_t n, int write)
{
    int global = p - runtime->low < runtime->bytes;
    if (p % (n == 16 && !global ? 8 : n)) runtime->misaligned(p, n);
    else note(p, n, write);
}

#define ACCESS(n)                                                                       \
    HIDDEN void __tsan_read##n(void *p);                                                \
    HIDDEN void __tsan_write##n(void *p);                                               \
    HIDDEN void __tsan_unaligned_read##n(void *p);                                      \
    HIDDEN void __tsan_unaligned_write##n(void *p);                                     \
    HIDDEN void __tsan_volatile_read##n(void *p);                                       \
    HIDDEN void __tsan_volatile_write##n(void *p);                                      \
    void __tsan_read##n(void *p) { aligned((uintptr_t)p, n, 0); }                       \
    void __tsan_write##n(void *p) { aligned((uintptr_t)p, n, 1); }                      \
    void __tsan_unaligned_read##n(void *p) { note((uintptr_t)p, n, 0); }                \
    void __tsan_unaligned_write##n(void *p) { note((uintptr_t)p, n, 1); }               \
    void __tsan_volatile_read##n(void *p) { aligned((uintptr_t)p, n, 0); }              \
    void __tsan_volatile_write##n(void *p) { aligned((uintptr_t)p, n, 1); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

HIDDEN void __tsan_init(void);
HIDDEN void __tsan_func_entry(void *p);
HIDDEN void __tsan_func_exit(void);
HIDDEN void __tsan_read_range(void *p, size_t n);
HIDDEN void __tsan_write_range(void *p, size_t n);
void __tsan_init(void) {}
void __tsan_func_entry(void *p) { (void)p; }
void __tsan_func_exit(void) {}
void __tsan_read_range(void *p, size_t n) { note((uintptr_t)p, n, 0); }
void __tsan_write_range(void *p, size_t n) { note((uintptr_t)p, n, 1); }

/* Compilers report copies by calling the C library's functions; these are the kernel's own. */
#define COPY(name)                                            \
    HIDDEN void *name(void *to, const void *from, size_t n);  \
    void *name(void *to, const void *from, size_t n)          \
    {                                                         \
        if (n) note((uintptr_t)from, n, 0);                   \
        if (n) note((uintptr_t)to, n, 1);                     \
        return runtime->move(to, from, n);                    \
    }
#define FILL(name)                                            \
    HIDDEN void *name(void *to, int value, size_t n);         \
    void *name(void *to, int value, size_t n)                 \
    {                                                         \
        if (n) note((uintptr_t)to, n, 1);                     \
        return runtime->fill(to, value, n);                   \
    }
COPY(memcpy)
COPY(memmove)
COPY(__tsan_memcpy)
COPY(__tsan_memmove)
FILL(memset)
FILL(__tsan_memset)

HIDDEN void fake_atomic(void *p, size_t n);
HIDDEN void fake_barrier(int line);
HIDDEN unsigned long long fake_exchange(unsigned mask, int line, unsigned long long value, int from);

void fake_atomic(void *p, size_t n)
{
    uintptr_t at = (uintptr_t)p;
    if (at % n) runtime->misaligned(at, n);
    else if (at - runtime->low < runtime->bytes) runtime->atomic(at, n);
}

void fake_barrier(int line) { runtime->barrier(line); }

unsigned long long fake_exchange(unsigned mask, int line, unsigned long long value, int from)
{
    return runtime->exchange(mask, line, value, from);
}
