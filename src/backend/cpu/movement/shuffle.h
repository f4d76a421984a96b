/* Permutations that need only the memory of their result and half of that again. */
#ifndef SITU_CPU_SHUFFLE_H
#define SITU_CPU_SHUFFLE_H

#include "graph/op.h"

/* Listed in implementations.c: calls of permutation with 64-bit integers. */
bool situ_shuffle_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_shuffle_run(const situ_call_desc *call, char *const *address, const situ_host *h);

#endif
