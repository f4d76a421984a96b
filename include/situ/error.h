/* Errors: the first one of a thread sticks until it is taken.
 *
 * While an error sticks, calls that build tensors return a poisoned tensor that is safe to pass on, actions
 * (eval, read, step, ...) return its negative code so that loops end, and close, free and keep go on working.
 *
 *     if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
 */
#ifndef SITU_ERROR_H
#define SITU_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <situ/macros.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call site in the user's source, "file.c:12": a string that lives as long as the process. */
typedef const char *situ_site;

/* Error codes; functions return them negated. The hundreds digit tells the kind of cause. */
typedef enum situ_code {
    SITU_OK = 0,
    SITU_NO_MEMORY = 101,     /* the machine is out of memory                          */
    SITU_NO_LIBRARY = 102,    /* a library that is opened at run time was not found    */
    SITU_FORKED = 103,        /* the process was forked after the library was used     */
    SITU_NO_THREAD = 104,     /* a thread could not be started                         */
    SITU_BAD_ARGUMENT = 201,  /* NULL, an unknown name, a value out of range           */
    SITU_BAD_SHAPE = 202,     /* shapes that do not fit                                */
    SITU_BAD_DTYPE = 203,     /* a dtype that the operation does not support */
    SITU_BAD_DEVICE = 204,    /* operands on several devices                           */
    SITU_BAD_INDEX = 205,     /* an index out of range, found while computing          */
    SITU_BAD_OPTION = 206,    /* an option without its name, or out of its range       */
    SITU_OVERWRITTEN = 207,   /* a dropped tensor that needs an overwritten value of a variable */
    SITU_BUDGET = 208,        /* a guard forbids this copy or wait                     */
    SITU_SINGULAR = 209,      /* a matrix that is singular or not positive definite    */
    SITU_BAD_NUMBER = 210,    /* a number that does not fit into the dtype */
    SITU_NAN = 211,           /* a NaN was made while a guard forbids it */
    SITU_MISMATCH = 212,      /* the ranks of a group make different calls */
    SITU_UNSUPPORTED = 301,   /* a valid request that is not implemented */
    SITU_NO_GRADIENT = 302,   /* a gradient through an operation that has none         */
    SITU_NO_DEVICE = 401,     /* the device does not exist; the message says why       */
    SITU_DEVICE_MEMORY = 402, /* the device's memory limit is reached                  */
    SITU_DEVICE_LOST = 403,   /* the device stopped answering                          */
    SITU_RANK_LOST = 404,     /* another rank of the group ended or does not answer    */
    SITU_IO = 501,            /* a file or a stream could not be read or written */
    SITU_BAD_FORMAT = 502     /* a file with an invalid or unknown format */
} situ_code;

typedef struct situ_error {
    int code;           /* a situ_code, 0: no error               */
    char message[4096]; /* what is wrong, where, and how to fix it, in UTF-8 */
} situ_error;

/* The code of this thread's error, 0 if there is none. */
SITU_API int situ_failed(void);
/* The message of this thread's error, "" if there is none; valid until the error is taken. */
SITU_API const char *situ_error_message(void);
/* Copies the thread's error to *out (if not NULL), clears it and returns its code. */
SITU_API int situ_error_take(situ_error *out);
/* Raises an error of the program in this thread, unless one is pending already; returns -code. */
SITU_API int situ_error_raise(int code, const char *format, ...) SITU_PRINTF(2, 3);
/* Tells the next function of this thread that has no call-site parameter where it is called from; used by the macros of such
 * functions. */
SITU_API void situ_called_at(situ_site site);
/* The name of a code, such as "bad shape". */
SITU_API const char *situ_code_name(int code);
/* A permanent copy of a text, for bindings that make call sites. */
SITU_API situ_site situ_site_intern(const char *text);

#ifdef __cplusplus
}
#endif

#include <situ/call/error.h>

#endif
