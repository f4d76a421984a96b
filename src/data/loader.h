#ifndef SITU_DATA_LOADER_H
#define SITU_DATA_LOADER_H

#include <situ/data.h>

/* Nanoseconds so far: the caller waited for rows; rows were copied to devices. */
typedef struct situ_loader_times {
    int64_t waited, copied;
} situ_loader_times;
situ_loader_times situ_loader_times_of(const situ_loader *loader);

#endif
