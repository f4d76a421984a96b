/* Gathers the rows of coming batches on threads, while the caller works on the present one. */
#ifndef SITU_DATA_PREFETCH_H
#define SITU_DATA_PREFETCH_H

#include "data/dataset.h"

typedef struct situ_prefetch situ_prefetch;

/* A batch that was gathered: rows one after the other. */
typedef struct situ_gathered_rows {
    char *field[SITU_FIELDS];
    int64_t rows, length; /* length: that ragged rows are padded to */
} situ_gathered_rows;

/* What is asked of it, until the next start. */
typedef struct situ_data_pass {
    const int64_t *order; /* NULL: of a stream */
    int64_t count;        /* rows, INT64_MAX of a stream */
    int64_t key, epoch, multiple;
} situ_data_pass;

/* A field as batches have it: its dtype, the shape of a row and its bytes. */
situ_column situ_gathered(const situ_dataset *data, int field);

/* Batches of up to `batch` rows of data; NULL with an error. */
situ_prefetch *situ_prefetch_new(const situ_dataset *data, int64_t batch, int64_t multiple, int workers);
void situ_prefetch_free(situ_prefetch *p);
/* Stops the threads: what they gathered is lost. */
void situ_prefetch_halt(situ_prefetch *p);
/* From now on: the batches of this pass from number `first` on; its order stays valid until the next start or free. */
int situ_prefetch_start(situ_prefetch *p, const situ_data_pass *pass, int64_t first);
/* Releases the previous batch and waits for the next. NULL at the end and on an error. */
const situ_gathered_rows *situ_prefetch_next(situ_prefetch *p);

#endif
