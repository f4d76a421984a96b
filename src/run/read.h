#ifndef SITU_RUN_READ_H
#define SITU_RUN_READ_H

#include <situ/ledger.h>
#include <situ/tensor.h>

#include "device/device.h"

/* situ_from_host, recorded in the ledger with this reason. */
situ_tensor *situ_move_from_host(
    const void *data, situ_shape shape, const situ_from_host_options *options, situ_reason reason, situ_site site);
/* Downloads all elements to host memory of exactly their size; recorded in the ledger with this reason. */
int situ_fetch(situ_tensor *t, void *out, size_t bytes, situ_reason reason, situ_site site);

/* Waits for a buffer's contents and copies `bytes` bytes from `from` to host memory; both go to the ledger. */
int situ_download(situ_buffer *b, const char *from, void *out, size_t bytes, situ_reason reason, situ_site site);

/* A contiguous node with the same values; NULL with an error. */
situ_tensor *situ_contiguous(situ_tensor *t, situ_site site);

#endif
