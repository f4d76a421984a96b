/* Calls of situ/error.h. Made by scripts/generate.py from include/situ/error.h: change that. */
#ifndef SITU_CALL_ERROR_H
#define SITU_CALL_ERROR_H

#endif
