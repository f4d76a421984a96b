/* Calls of situ/dtype.h. Made by scripts/generate.py from include/situ/dtype.h: change that. */
#ifndef SITU_CALL_DTYPE_H
#define SITU_CALL_DTYPE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_dtype_parse(...) SITU_AT_AS_IT_IS_(situ_dtype_parse, __VA_ARGS__)
#endif

#endif
