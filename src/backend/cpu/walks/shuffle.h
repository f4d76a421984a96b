/* Permutations, in the memory of their result and half of it. */
#ifndef SITU_CPU_SHUFFLE_H
#define SITU_CPU_SHUFFLE_H

#include "graph/op.h"

/* For impls.c: calls of permutation with integers of 64 bits. */
bool situ_shuffle_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_shuffle_run(const situ_call_desc *call, char *const *address, const situ_host *h);

#endif
