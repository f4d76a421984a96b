/* Elements as the numbers that they consist of. */
#ifndef SITU_TENSOR_NUMBER_H
#define SITU_TENSOR_NUMBER_H

#include "tensor/dtype.h"

/* Bytes of a number: a complex element has two. */
static inline size_t situ_dtype_number_size(situ_dtype d)
{
    return situ_dtype_sizes[(unsigned)d & 255] >> situ_dtype_is_complex(d);
}

#endif
