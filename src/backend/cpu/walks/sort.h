/* For impls.c: calls of sort. */
#ifndef SITU_CPU_SORT_H
#define SITU_CPU_SORT_H

#include "op/order.h"

bool situ_sort_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_sort_run(const situ_call_desc *call, char *const *address, const situ_host *h);

#endif
