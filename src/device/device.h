/* Devices inside the library: defaults, opening, memory, and the hooks of the tests. */
#ifndef SITU_DEVICE_DEVICE_H
#define SITU_DEVICE_DEVICE_H

#include "device/backend.h"

enum {
    SITU_DEVICES_EACH = 64, /* devices of one kind at most */
#define ONE(kind, name) +1
    SITU_DEVICE_KINDS = 1 SITU_DEVICE_KINDS_(ONE)
#undef ONE
};

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Replaces an unset device by the thread's default one and gives cpu(i) its one name; 0, or SITU_BAD_DEVICE: strict
 * mode, or a value that is no device. Whether the device exists is asked by situ_dev_open. */
int situ_device_resolve(situ_device *d, situ_site site);

/* ---- the table of devices --------------------------------------------------------------------------------------- */

/* The opened device or NULL; opens nothing. */
situ_dev *situ_dev_opened(situ_device d);
/* What a slot that failed just now in this thread met: ": CUDA_ERROR_..." or "", in a buffer of the thread's. */
const char *situ_dev_why(situ_dev *d);
/* Frees an opened device; its queue is empty, its memory free. Called by the last buffer that outlives a shutdown. */
void situ_dev_destroy(situ_dev *d);

/* ---- memory ----------------------------------------------------------------------------------------------------- */

int situ_pages_new(situ_dev *d);
void situ_pages_free(situ_dev *d);
/* Gives cached blocks back. Afterwards nothing is cached any more: true if no buffer lives, else the last one that
 * dies destroys the device. */
bool situ_pages_close(situ_dev *d);
/* The device's limit in bytes, 0: none; blocks kept for reuse are given back where that helps to keep it. */
void situ_pages_limit(situ_dev *d, int64_t bytes);
/* The k-th buffer from now on this device fails, once; 0: none. */
void situ_pages_fail(situ_dev *d, int64_t k);
/* What tensors use now. */
int64_t situ_pages_in_use(situ_dev *d);
/* The most that they use while it is watched, beside the device's own peak. It may be left a second time, or on a device that was
 * closed meanwhile and opened anew. */
typedef struct situ_peak {
    int64_t bytes;
    struct situ_peak *next;
} situ_peak;
void situ_peak_watch(situ_dev *d, situ_peak *peak);
void situ_peak_leave(situ_dev *d, const situ_peak *peak);
int64_t situ_peak_bytes(situ_dev *d, const situ_peak *peak);
/* The CPU's limit where the process may have so many bytes (0: nobody says) and has so many now. */
int64_t situ_default_limit(int64_t allowed, int64_t resident);
/* Without a limit: from so many bytes on, kept blocks are given back rather than new ones taken beside them. */
void situ_pages_target(situ_dev *d, int64_t bytes);

/* "1.5 GiB", "64 B": a size for people. */
const char *situ_bytes_text(int64_t bytes, char text[24]);
/* Reads "1000000", "512M", "8 GiB" (powers of 1024): false if it is none of these. */
bool situ_bytes_parse(const char *text, int64_t *bytes);

/* For tests: the k-th buffer from now on any device fails, once; k <= 0: none. */
void situ_test_fail_device_alloc(int64_t k);
/* Whether the failure asked for last has struck. */
bool situ_test_fail_device_struck(void);
/* Buffers alive on all devices, borrowed ones included. */
int64_t situ_test_live_buffers(void);

/* ---- ledger ----------------------------------------------------------------------------------------------------- */

/* A number of this thread, from 1. */
uint64_t situ_thread_number(void);

#endif
