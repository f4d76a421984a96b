/* The runtime: memory, threads and the end of the library's life. All of it is optional; the library starts by itself.
 *
 *     situ_set_threads(4);            // at most four threads, the caller's included
 *     printf("%d\n", situ_threads()); // 4
 *     situ_shutdown();                // joins the threads, gives cached memory back
 *
 * Threads. Every thread may use the library at any time; scopes, pending values and errors are each thread's own.
 *
 * - Kept tensors and variables that have their values may be read, printed and used as operands by any thread at once; so may
 *   a temporary that is stored, while its scope is open. What is pending in another thread is an error: evaluate it there.
 * - A variable is given its next value by one thread at a time. Other threads see whole versions: the one that was current when
 *   they recorded their operation.
 * - A handle is released once, by one thread. Keys are values and may be shared.
 * - A module whose parameters exist may be called by several threads; its first call, training and changes to it are one
 *   thread's at a time. Optimizers, trainers, loaders and data sets under construction are one thread's at a time.
 * - A thread's work does not wait for another's, but for what it reads or overwrites of it.
 *
 * Run-ahead. What is started runs while the program goes on, up to a bound for each thread and device: 8 launches, less where
 * they take long, and results and new operands of a quarter of what tensors use otherwise. Who would start more waits first
 * (the ledger's reason: ahead; no guard counts it). So a loop that reads nothing takes no more memory than one that reads.
 */
#ifndef SITU_RUNTIME_H
#define SITU_RUNTIME_H

#include <situ/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An allocator of the host program, with the semantics of libc's malloc, realloc and free (16-byte aligned blocks). allocate and
 * resize return NULL when out of memory. All three may be called from any thread. */
typedef struct situ_allocator {
    void *self;
    void *(*allocate)(void *self, size_t size);
    void *(*resize)(void *self, void *block, size_t size);
    void (*release)(void *self, void *block);
} situ_allocator;

/* Uses *allocator (copied) for the library's host memory; NULL: libc's. Only allowed while the library holds no memory, so before
 * its first use; later it is an error. */
SITU_API SITU_TOLD int situ_set_allocator(const situ_allocator *allocator);

/* The number of threads that share the work of one CPU operation, the caller's included; 0: automatic (the CPUs
 * that affinity and the control group allow, or the environment's SITU_THREADS; text that is no number there makes the
 * first use of the CPU an error). 0..1024. Where other processes want the same cores, threads that share an operation,
 * the caller's included, may be moved among the cores that they are allowed to use (those that they are allowed then:
 * CPUs that the process gets later are not used by a thread that was moved), unless the environment has
 * SITU_MOVE_THREADS=0 when the threads start. */
SITU_API SITU_TOLD int situ_set_threads(int count);
/* The present number, at least 1. */
SITU_API int situ_threads(void);

/* Threads of the host program: run() calls task(context, i) once for each i of 0..count-1, in any thread and order, and returns
 * when all calls have returned. It may be called from several threads at once. */
typedef struct situ_thread_pool_hooks {
    void *self;
    void (*run)(void *self, void (*task)(void *context, int64_t index), void *context, int64_t count);
} situ_thread_pool_hooks;

/* Gives the library's parallel work to *hooks (copied); NULL: to the library's own threads again. Takes effect with the next
 * parallel work; the hooks must stay valid until work that has begun is finished. */
SITU_API SITU_TOLD int situ_set_thread_pool(const situ_thread_pool_hooks *hooks);

/* In a forked child, after the library was used: discards what did not survive the fork (threads), so that the library can be used
 * again. Without it every call in the child is an error. Returns 0. */
SITU_API SITU_TOLD int situ_after_fork(void);

/* Joins the library's threads and frees its caches. No other call may be under way; a later call starts the library again. */
SITU_API void situ_shutdown(void);

#ifdef __cplusplus
}
#endif

#include <situ/call/runtime.h>

#endif
