/* Calls of situ/runtime.h. Made by scripts/generate.py from include/situ/runtime.h: change that. */
#ifndef SITU_CALL_RUNTIME_H
#define SITU_CALL_RUNTIME_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_set_allocator(...) SITU_AT_AS_IT_IS_(situ_set_allocator, __VA_ARGS__)
#define situ_set_threads(count) SITU_AT_(situ_set_threads, SITU_INTEGER(count))
#define situ_set_thread_pool(...) SITU_AT_AS_IT_IS_(situ_set_thread_pool, __VA_ARGS__)
#define situ_after_fork() SITU_AT_(situ_after_fork, )
#endif

#endif
