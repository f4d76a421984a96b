#ifndef SITU_DATA_LOADER_H
#define SITU_DATA_LOADER_H

#include <situ/data.h>

/* Nanoseconds so far in which the caller waited for rows, and in which rows were copied to devices. */
typedef struct situ_loader_times {
    int64_t waited, copied;
} situ_loader_times;
situ_loader_times situ_loader_times_of(const situ_loader *loader);

/* A position of the loader: the epoch, its batches so far, and the rows of a stream over all epochs. */
typedef struct situ_loader_position {
    int64_t epoch, batches, rows;
    bool ended;
} situ_loader_position;
situ_loader_position situ_loader_position_of(const situ_loader *loader);
/* Moves to that position: the next batch is the one after it. 0 or a negative code. */
int situ_loader_go(situ_loader *loader, const situ_loader_position *place);
const situ_loader_options *situ_loader_options_of(const situ_loader *loader, const situ_dataset **data);

#endif
