/* Gathers the rows of coming batches in threads, while the caller works on the present one. */
#ifndef SITU_DATA_PREFETCH_H
#define SITU_DATA_PREFETCH_H

#include "data/dataset.h"

typedef struct situ_prefetch situ_prefetch;

/* A gathered batch: its rows are consecutive. */
typedef struct situ_gathered_rows {
    char *field[SITU_FIELDS];
    int64_t rows, length; /* length: to which ragged rows are padded */
} situ_gathered_rows;

/* A pass over the data, valid until the next start. */
typedef struct situ_data_pass {
    const int64_t *order; /* order of the rows; NULL: a stream */
    int64_t count;        /* number of rows; INT64_MAX for a stream */
    int64_t key, epoch, multiple;
} situ_data_pass;

/* A field as it is in batches: dtype, shape of a row, bytes. */
situ_column situ_gathered(const situ_dataset *data, int field);

/* Prefetches batches of up to `batch` rows; NULL with an error. */
situ_prefetch *situ_prefetch_new(const situ_dataset *data, int64_t batch, int64_t multiple, int workers);
void situ_prefetch_free(situ_prefetch *p);
/* Stops the threads, and discards what they gathered. */
void situ_prefetch_halt(situ_prefetch *p);
/* Starts this pass at batch number `first`; the pass's order has to stay valid until the next start or free. */
int situ_prefetch_start(situ_prefetch *p, const situ_data_pass *pass, int64_t first);
/* Releases the previous batch and waits for the next one. NULL at the end and on an error. */
const situ_gathered_rows *situ_prefetch_next(situ_prefetch *p);

#endif
