/* The reason why a value could not be computed: one message, shared by all values that are affected. */
#ifndef SITU_GRAPH_FAILURE_H
#define SITU_GRAPH_FAILURE_H

#include <situ/error.h>

typedef struct situ_failure situ_failure;

/* Stores a message for the life of the process (equal ones once); NULL only if there is no memory. */
situ_failure *situ_failure_make(int code, const char *message);
/* Raises it in this thread; returns the negative code. NULL raises SITU_NO_MEMORY. */
int situ_failure_raise(const situ_failure *f);

#endif
