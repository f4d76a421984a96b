/* Gathers the rows of coming batches on a thread, while the caller works on the present one. */
#ifndef SITU_DATA_PREFETCH_H
#define SITU_DATA_PREFETCH_H

#include "data/dataset.h"

typedef struct situ_prefetch situ_prefetch;

/* Batches of up to `batch` rows of data; NULL with an error. */
situ_prefetch *situ_prefetch_new(const situ_dataset *data, int64_t batch);
void situ_prefetch_free(situ_prefetch *p);
/* Stops the thread: what it gathered is lost. */
void situ_prefetch_halt(situ_prefetch *p);
/* From now on: the batches of rows order[0..count-1], which stay valid until the next start or free. */
int situ_prefetch_start(situ_prefetch *p, const int64_t *order, int64_t count);
/* Releases the previous batch and waits for the next. Returns its row count, 0 at the end and on an error. */
int64_t situ_prefetch_next(situ_prefetch *p, const float **x, const int32_t **y);

#endif
