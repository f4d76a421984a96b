/* The memory of a computed value, for those who read it in place: other libraries (DLPack, Python's buffers) and
 * readers that wait without a lock of their own.
 *
 *     situ_borrow b;
 *     if (situ_borrow_open(t, true, &b, site)) return ...;     // starts the work
 *     ... the language's lock may be given away ...
 *     int rc = situ_borrow_wait(&b, SITU_REASON_READ, site);   // b.data is valid now
 *     situ_borrow_close(&b);
 *
 * While it is open a variable's next value goes to new memory. The memory is not to be written. */
#ifndef SITU_RUN_BORROW_H
#define SITU_RUN_BORROW_H

#include <situ/ledger.h>

#include "graph/node.h"

typedef struct situ_borrow {
    char *data;          /* address of the first element; on the CPU a host address */
    situ_buffer *buffer; /* NULL: closed */
    situ_device device;
    uint8_t dtype, ndim;
    bool contiguous;                                   /* row-major                                               */
    int64_t dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS]; /* strides in elements          */
} situ_borrow;

/* Starts computing t (also a number), in row-major order if `contiguous`; does not wait. 0 or a negative code. */
int situ_borrow_open(situ_tensor *t, bool contiguous, situ_borrow *out, situ_site site);
/* True if t is on the CPU and computed, so that nobody has to wait for it. Negative: it failed, with the error. */
int situ_borrow_is_there(situ_tensor *t, situ_site site);
/* Size of all its elements. */
size_t situ_borrow_bytes(const situ_borrow *b);
/* Waits for the contents; 0, or a negative code with the error that prevented them. Works without the language's lock. */
int situ_borrow_wait(const situ_borrow *b, situ_site site);
/* Waits, and copies all elements (row-major) to host memory of their size; the ledger records it with this reason. */
int situ_borrow_read(const situ_borrow *b, void *out, situ_reason reason, situ_site site);
/* Records in the ledger that its elements were read in place, if the device is the CPU. */
void situ_borrow_note(const situ_borrow *b, situ_reason reason, situ_site site);
void situ_borrow_close(situ_borrow *b);

/* A tensor on user memory of the CPU, shared until release(self) is called, from any thread; strides in elements
 * (NULL: row-major). On an error (poisoned tensor) release is not called. */
situ_tensor *situ_share_host(
    void *data, situ_dtype dtype, situ_shape shape, const int64_t *stride, void (*release)(void *self), void *self, situ_site site);
/* The operation with which a part was taken, with one operand; attributes and words as in situ_apply. */
typedef struct situ_way {
    const situ_op *op;
    const void *attr;
    size_t attr_size;
    const uint64_t *word;
    int nword;
} situ_way;
/* A part of a stored tensor on the same memory, with first element `offset` and these strides; NULL if t is not
 * stored. With `way`, between situ_owned_enter and leave, it keeps its history like a recorded and computed value. */
situ_tensor *situ_share_part(
    situ_tensor *t, situ_shape shape, int64_t offset, const int64_t *stride, const situ_way *way, situ_site site);
/* Stores y, which was recorded as that part of t, without computing. 0 or a negative code with an error. */
int situ_store_part(situ_tensor *y, const situ_tensor *t, int64_t offset, const int64_t *stride, situ_site site);

#endif
