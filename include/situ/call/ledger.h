/* Calls of situ/ledger.h. Made by scripts/generate.py from include/situ/ledger.h: change that. */
#ifndef SITU_CALL_LEDGER_H
#define SITU_CALL_LEDGER_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_GUARD_DEFAULTS (.to_host = -1, .to_device = -1, .peer = -1, .waits = -1, .bytes = -1,)

#ifndef __cplusplus
#define situ_guard_open(...) \
    SITU_OPTIONS_(situ_guard_options, SITU_GUARD_DEFAULTS, situ_guard_open, (), \
    "situ_guard_open(.to_host = ..., .to_device = ..., .peer = ..., ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_ledger_record(most) SITU_AT_(situ_ledger_record, SITU_INTEGER(most))
#define situ_memory_of(...) SITU_AT_AS_IT_IS_(situ_memory_of, __VA_ARGS__)
#define situ_memory_limit(...) SITU_AT_AS_IT_IS_(situ_memory_limit, __VA_ARGS__)
#define situ_memory_reset_peak(...) SITU_AT_AS_IT_IS_(situ_memory_reset_peak, __VA_ARGS__)
#define situ_memory_trim(...) SITU_AT_AS_IT_IS_(situ_memory_trim, __VA_ARGS__)
#endif

#endif
