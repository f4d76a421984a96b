/* Calls of situ/trace.h. Made by scripts/generate.py from include/situ/trace.h: change that. */
#ifndef SITU_CALL_TRACE_H
#define SITU_CALL_TRACE_H

#ifdef SITU_LINES_ /* the line of the call */
#define situ_trace_start(...) SITU_AT_(situ_trace_start, __VA_ARGS__)
#define situ_trace_save(...) SITU_AT_(situ_trace_save, __VA_ARGS__)
#endif

#endif
