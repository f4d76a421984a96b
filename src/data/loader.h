#ifndef SITU_DATA_LOADER_H
#define SITU_DATA_LOADER_H

#include <situ/data.h>

/* Nanoseconds so far: the caller waited for rows; rows were copied to devices. */
typedef struct situ_loader_times {
    int64_t waited, copied;
} situ_loader_times;
situ_loader_times situ_loader_times_of(const situ_loader *loader);

/* Where it is: an epoch, batches of it so far, and rows of a stream in all epochs. */
typedef struct situ_loader_place {
    int64_t epoch, batches, rows;
    bool ended;
} situ_loader_place;
situ_loader_place situ_loader_place_of(const situ_loader *loader);
/* Begins the epoch there: the next batch is the one after these. 0 or a negative code. */
int situ_loader_go(situ_loader *loader, const situ_loader_place *place);
const situ_loader_options *situ_loader_options_of(const situ_loader *loader, const situ_dataset **data);

#endif
