/* Devices inside of the library: defaults, opening, memory, and hooks for tests. */
#ifndef SITU_DEVICE_DEVICE_H
#define SITU_DEVICE_DEVICE_H

#include "device/backend.h"

enum {
    SITU_DEVICES_EACH = 64, /* largest number of devices of one kind */
#define ONE(kind, name) +1
    SITU_DEVICE_KINDS = 1 SITU_DEVICE_KINDS_(ONE)
#undef ONE
};

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Replaces an unset device by the thread's default and normalises cpu(i); 0, or SITU_BAD_DEVICE in strict mode or for
 * an invalid value. Whether the device exists is checked by situ_dev_open. */
int situ_device_resolve(situ_device *d, situ_site site);

/* ---- the table of devices --------------------------------------------------------------------------------------- */

/* The device if it has been opened, or NULL; opens nothing. */
situ_dev *situ_dev_opened(situ_device d);
/* Describes the last failure of a slot in this thread: ": CUDA_ERROR_..." or "", in a buffer of the thread. */
const char *situ_dev_why(situ_dev *d);
/* Frees an opened device, whose queue is empty and memory free. Called by the last buffer that outlives a shutdown. */
void situ_dev_destroy(situ_dev *d);

/* ---- memory ----------------------------------------------------------------------------------------------------- */

int situ_pages_new(situ_dev *d);
void situ_pages_free(situ_dev *d);
/* Frees cached blocks and ends caching: true if no buffer lives; else the last buffer to be freed destroys the device. */
bool situ_pages_close(situ_dev *d);
/* Sets the device's limit in bytes, 0: none; frees cached blocks if necessary. */
void situ_pages_limit(situ_dev *d, int64_t bytes);
/* Makes the k-th allocation from now on this device fail, once; 0: none. */
void situ_pages_fail(situ_dev *d, int64_t k);
/* Bytes that tensors use now. */
int64_t situ_pages_in_use(situ_dev *d);
/* The largest amount in use while it is observed, apart from the device's own peak. It may be removed twice, also if
 * the device was closed and opened again meanwhile. */
typedef struct situ_peak {
    int64_t bytes;
    struct situ_peak *next;
} situ_peak;
void situ_peak_watch(situ_dev *d, situ_peak *peak);
void situ_peak_leave(situ_dev *d, const situ_peak *peak);
int64_t situ_peak_bytes(situ_dev *d, const situ_peak *peak);
/* The CPU's default limit, if the process may use `allowed` bytes (0: unknown) and uses `resident` now. */
int64_t situ_default_limit(int64_t allowed, int64_t resident);
/* Without a limit: from this many bytes on, cached blocks are freed rather than new ones allocated beside them. */
void situ_pages_target(situ_dev *d, int64_t bytes);

/* A readable size: "1.5 GiB", "64 B". */
const char *situ_bytes_text(int64_t bytes, char text[24]);
/* Parses "1000000", "512M", "8 GiB" (powers of 1024); false if it is none of these. */
bool situ_bytes_parse(const char *text, int64_t *bytes);

/* For tests: makes the k-th allocation from now on any device fail, once; k <= 0: none. */
void situ_test_fail_device_alloc(int64_t k);
/* True if that failure has happened. */
bool situ_test_fail_device_struck(void);
/* Number of live buffers on all devices, borrowed ones included. */
int64_t situ_test_live_buffers(void);

/* ---- ledger ----------------------------------------------------------------------------------------------------- */

/* A number of this thread, from 1. */
uint64_t situ_thread_number(void);

#endif
