/* A CUDA driver without a card, for tests: build/fakecuda/libcuda.so.1, libnvrtc.so, libnvidia-ml.so,
 * libcublasLt.so and libcudnn.so.
 *
 * Kernels are compiled by the machine's C++ compiler and run on the CPU, each thread of a block as a coroutine.
 * Streams are queues whose work is done late and in an order drawn from a seed, device memory traps when the host
 * touches it, and every call, access and wait is checked against the driver's rules. What breaks a rule is a
 * violation: it is written to FAKECUDA_REPORT (or stderr), kept, and counted. Unless the rule says otherwise, the call
 * goes on as the driver's would.
 *
 *     SITU_LIBCUDA=build/fakecuda/libcuda.so.1 SITU_NVRTC=build/fakecuda/libnvrtc.so \
 *     SITU_NVML=build/fakecuda/libnvidia-ml.so SITU_CUBLASLT=build/fakecuda/libcublasLt.so \
 *     SITU_CUDNN=build/fakecuda/libcudnn.so FAKECUDA_DEVICES=2 FAKECUDA_CACHE=build/fakecuda/cache program
 *
 * Environment, read by fakecuda_reset and by a cuInit when nothing lives:
 *   FAKECUDA_DEVICES     number of devices (1)             FAKECUDA_MEMORY   MiB of each (1024)
 *   FAKECUDA_CAPABILITY  8.0 (one for all, or 8.0,9.0)     FAKECUDA_DRIVER   version that the driver says (12040)
 *   FAKECUDA_ORDER       random (work is done at once, later, or when it has to be), lazy (when it has to be), eager
 *   FAKECUDA_SEED        of that order (1)                 FAKECUDA_TRACK    0: who touched what is not followed
 *   FAKECUDA_FAIL        function:nth:code[,...]           FAKECUDA_PEERS    0: no peer access
 *   FAKECUDA_REPORT      file for violations               FAKECUDA_CACHE    folder of compiled kernels
 *   FAKECUDA_CUBLASLT    version that it says (120405) FAKECUDA_CUDNN    version that it says (90100)
 *   FAKECUDA_CUDNN_ENGINES  those that it offers, by number (012345678): cudnn.c
 *   FAKECUDA_CXX         compiler (c++, g++ or clang++)    FAKECUDA_LOG      file with a line for each call
 *
 * In FAKECUDA_FAIL and fakecuda_fail the function is a name of the API, "*" (any), "kernel" (the execution of a
 * kernel: the code becomes its context's sticky error) or "copy" (that of a copy). */
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <stddef.h>

/* Number of rules broken since the last reset; `text` (may be NULL) gets their messages, a line each, as far as they
 * fit. */
int fakecuda_violations(char *text, size_t size);
/* Number of objects created and not destroyed, a line each in `text`. Pending work counts. */
int fakecuda_live(char *text, size_t size);
/* Makes the nth call from now on (1: the next) of a function return this code without doing anything. Code 0 cancels. */
void fakecuda_fail(const char *function, int nth, int code);
/* Calls of a function since the last reset; "*": all; "kernel", "copy": executed ones; "wait": calls that waited;
 * "pageable": asynchronous copies from or to memory that is not pinned. */
long fakecuda_calls(const char *function);
/* Bytes copied: "HtoD", "DtoH", "DtoD" (inside a device) or "PtoP" (between two). */
long long fakecuda_bytes(const char *direction);
/* Forgets violations, counts and requested failures; reads the environment again; clears sticky errors. */
void fakecuda_reset(void);
/* 0 random, 1 lazy, 2 eager. */
void fakecuda_order(int order, unsigned seed);

/* For the other fake libraries. */
enum { FAKECUDA_RANGES = 24 };
typedef struct fakecuda_range { size_t address, bytes; int write; } fakecuda_range;
/* Work of a library in stream order: runs function(user), which accesses these ranges (at most FAKECUDA_RANGES), then
 * frees user. Returns the driver's code; if that is not 0, the caller keeps user. */
int fakecuda_call(void *stream, const char *name, void (*function)(void *user), void *user, const fakecuda_range *range, int ranges);
/* Whether a context is current in this thread. */
int fakecuda_current(void);
int fakecuda_compile(const char *text, char *log, size_t size);
int fakecuda_enter(const char *function);
void fakecuda_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fakecuda_find_uuid(const char *uuid);
void fakecuda_memory(int device, unsigned long long *total, unsigned long long *used);

#endif
