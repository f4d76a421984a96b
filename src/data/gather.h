/* Copies the rows of one batch: padded, changed, or made by a function. */
#ifndef SITU_DATA_GATHER_H
#define SITU_DATA_GATHER_H

#include "data/prefetch.h"

/* What came of it: 0; 1: a stream has ended, slot->rows are left; a negative number: a function gave it for row `bad`. */
int situ_data_gather(const situ_dataset *data, const situ_data_pass *pass, int64_t first, int64_t rows, situ_gathered_rows *slot,
    float *scratch, int64_t *bad);
/* Bytes of a field in a slot of so many rows. */
size_t situ_slot_bytes(const situ_dataset *data, int field, int64_t rows, int64_t multiple);

#endif
