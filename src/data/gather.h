/* Gathers the rows of one batch: copies, pads, augments them, or calls a function that makes them. */
#ifndef SITU_DATA_GATHER_H
#define SITU_DATA_GATHER_H

#include "data/prefetch.h"

/* Returns 0; 1: a stream has ended, and slot->rows are left; or the negative result of a user's function for row
 * `bad`. */
int situ_data_gather(const situ_dataset *data, const situ_data_pass *pass, int64_t first, int64_t rows, situ_gathered_rows *slot,
    float *scratch, int64_t *bad);
/* Bytes of a field in a slot with this many rows. */
size_t situ_slot_bytes(const situ_dataset *data, int field, int64_t rows, int64_t multiple);

#endif
