/* Square matrices with one element that is not finite. */
#ifndef TESTS_POISONED_H
#define TESTS_POISONED_H

#include <situ.h>

/* n n matrices, n by n, of each of `kinds` kinds (identities, random numbers, zeros); in matrix number k of a kind,
 * element k is `bad`. */
static inline situ_tensor *poisoned(int64_t n, int kinds, situ_dtype dtype, double bad, situ_device where)
{
    situ_dtype part = dtype == SITU_C64 ? SITU_F32 : dtype == SITU_C128 ? SITU_F64 : dtype;
    situ_tensor *diagonal = situ_eye(n, .dtype = part, .device = where);
    situ_tensor *numbers = situ_add(situ_reshape(situ_arange(1, n * n + 1, 1, .dtype = part, .device = where), SHAPE(n, n)), situ_mul(diagonal, 3));
    situ_tensor *const kind[] = {diagonal, numbers, situ_zeros_like(diagonal)};
    situ_tensor *bases = situ_stack(TENSORS_OF(kind, kinds));
    situ_tensor *place = situ_reshape(situ_eye(n * n, .dtype = SITU_BOOL, .device = where), SHAPE(1, n * n, n, n));
    situ_tensor *all = situ_where(place, situ_full(SHAPE(1), bad, .dtype = part, .device = where), situ_expand_dims(bases, 1));
    return situ_cast(situ_reshape(all, SHAPE(-1, n, n)), dtype);
}

#endif
