/* Cumulative sums in their documented order: strips of a block in order, blocks by subtrees (include/situ/reduce.h). */
#ifndef SITU_OP_SCAN_SUM_H
#define SITU_OP_SCAN_SUM_H

#include "op/host.h"

enum { SITU_SCAN_STRIP = 64, SITU_SCAN_BLOCK = 1024 };

size_t situ_scan_sum_workspace(const situ_call_desc *c);
void situ_scan_sum(const situ_call_desc *c, char *const *address, const situ_host *h);

#endif
