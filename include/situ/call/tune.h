/* Calls of situ/tune.h. Made by scripts/generate.py from include/situ/tune.h: change that. */
#ifndef SITU_CALL_TUNE_H
#define SITU_CALL_TUNE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_TUNE_DEFAULTS (.seconds = 0.1,)

#ifndef __cplusplus
#define situ_tune(...) situ_tune_(__VA_ARGS__, )
#define situ_tune_(path, ...) \
    SITU_OPTIONS_(situ_tune_options, SITU_TUNE_DEFAULTS, situ_tune, ((path),), \
    "situ_tune(path, .sizes = ..., .count = ..., .seconds = ..., ...)", __VA_ARGS__)
#endif

#endif
