/* Why a value never came: one message, shared by all that it spoiled. */
#ifndef SITU_GRAPH_FAILURE_H
#define SITU_GRAPH_FAILURE_H

#include <situ/error.h>

typedef struct situ_failure situ_failure;

/* Keeps a message for good (equal ones once); NULL only when memory is gone. */
situ_failure *situ_failure_make(int code, const char *message);
/* Raises it in this thread; returns the negative code. NULL raises SITU_NO_MEMORY. */
int situ_failure_raise(const situ_failure *f);

#endif
