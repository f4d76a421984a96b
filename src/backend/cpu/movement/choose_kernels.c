/* Vector kernels: elements by a mask, packed in registers, and by indices, with gather instructions. */
#include "backend/cpu/movement/choose.h"
#include "simd/gather.h"
#include "simd/keys.h"

#ifdef SITU_MASKS
static int64_t compress(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t size, int64_t *found)
{
    int64_t i = 0, at = 0;
    for (; i + 16 <= n && at + 16 <= most; i += 16) {
        u32_mask m = simd_true_bytes(mask + i);
        if (size == 4) {
            u32_store(out + at * 4, u32_compressed(m, u32_load(x + i * 4)));
        } else {
            int low = __builtin_popcount(m & 255);
            u64_store(out + at * 8, u64_compressed((u64_mask)m, u64_load(x + i * 8)));
            u64_store(out + (at + low) * 8, u64_compressed((u64_mask)(m >> 8), u64_load(x + i * 8 + 64)));
        }
        at += __builtin_popcount(m);
    }
    *found = at;
    return i;
}
#else
#define compress NULL
#endif

#ifdef SITU_GATHERS
static int64_t take(
    char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream)
{
    enum { LANES = VECTOR_BYTES / 8, VECTORS = 16 / LANES };
    simd_positions most = positions_all(n), at[VECTORS];
    simd_beyond beyond = {0};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16, index += 16 * index_size) {
        _Pragma("GCC unroll 4") for (int k = 0; k < VECTORS; k++) at[k] =
            positions_at(index + LANES * k * index_size, index_size, most, &beyond);
        if (are_beyond(beyond)) break;
        if (size == 4) {
            _Pragma("GCC unroll 2") for (int k = 0; k < VECTORS; k += 2)
                bytes_put(out + i * 4 + k * LANES * 4, gather_4(x, at[k], at[k + 1]), stream);
        } else {
            _Pragma("GCC unroll 4") for (int k = 0; k < VECTORS; k++)
                bytes_put(out + i * 8 + k * VECTOR_BYTES, gather_8(x, at[k]), stream);
        }
    }
    if (stream) v_drain();
    return i;
}
#else
#define take NULL
#endif

const situ_choose_kernels SITU_OF_SET(situ_choose) = {compress, take};
