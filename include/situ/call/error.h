/* Calls of situ/error.h. Made by scripts/generate.py from include/situ/error.h: change that. */
#ifndef SITU_CALL_ERROR_H
#define SITU_CALL_ERROR_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#endif
