/* Which parts this library has: SITU_WITHOUT_... are those that SITU_PARTS in CMakeLists.txt leaves out. */
#include "base/parts.h"

#include "backend/cuda/nccl.h"
#include "device/backend.h"
#include "group/group.h"
#include "run/enqueue.h"

#define BACKEND(name) extern const situ_backend situ_backend_##name;
#include "parts/backends.def"
#undef BACKEND

static const situ_backend *const backends[] = {
#define BACKEND(name) &situ_backend_##name,
#include "parts/backends.def"
#undef BACKEND
    NULL};

const struct situ_linked situ_linked = {
    .backends = backends,
    .scope_flush = situ_scope_enqueue,
    .thread_ends = situ_thread_leaves,
    .error_late = situ_raise_late,
#ifndef SITU_WITHOUT_WORK
    .collectives = &situ_group_collectives,
#endif
#if !defined(SITU_WITHOUT_CUDA) && !defined(SITU_WITHOUT_WORK)
    .cards = &situ_nccl_calls,
#endif
};

#if defined(SITU_WITHOUT_WORK) && !defined(SITU_WITHOUT_TRAIN)
#include "parts/alone.inc"
#endif
