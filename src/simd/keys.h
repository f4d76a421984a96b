/* Vectors of sort keys: unsigned integers of 32 bits (prefix u32_) or 64 bits (prefix u64_), LANES in a vector.
 *
 * SITU_ORDERS: operations for sorting.
 *     all(x), load(p)                  x in each lane; load from any address
 *     up_to(v, p)                      mask with BITS bits for each lane: is it <= that of p?
 *     to_front(to, v, m)               stores the lanes in mask m, packed, starting at `to`; may write LANES keys
 *     to_back(end, v, m, n)            stores the n other lanes just before `end`; may write LANES keys; to_both does both
 *     first(n, i)                      mask of the lanes of vector i that hold the first n keys; up to HIGH vectors (4 or 8)
 *     load_keys(m, p)                  loads the lanes in m; others get the largest key; store_keys(p, m, v): stores those in m
 *     swapped(v, by)                   lane l from lane l ^ by
 *     exchange(&a, &b, bit)            the smaller key of each lane to a, the larger to b; reversed in lanes whose number
 *                                      has the bit
 *     in_order(v, bit)                 the same within a vector: lane l with lane l ^ bit
 *     transpose(v, high)               `high` vectors as a matrix, so that columns become contiguous
 *     differs(a, b)                    whether any lane differs
 * SITU_MASKS: load_where, store_where, select, compressed, plus, minus, minus_where, equal, less, negative with masks;
 * and simd_true_bytes(p): one bit for each of 16 bytes that is not 0. */
#ifndef SITU_SIMD_KEYS_H
#define SITU_SIMD_KEYS_H

#include "simd/simd.h"

#if (VECTOR_BYTES == 64 && defined(__AVX512F__)) || (VECTOR_BYTES == 32 && defined(__AVX2__))
#define SITU_ORDERS
/* For each mask of eight lanes, the permutation that moves the lanes in the mask to the front: four bits for each
 * lane. */
#define COUNT(m) (uint32_t) __builtin_popcount(m)
#define BEFORE(m, l) COUNT((m) & ((1u << (l)) - 1))
#define PLACE(m, l) ((m) >> (l)&1u ? BEFORE(m, l) : COUNT(m) + (l)-BEFORE(m, l))
#define LANE(m, l) (uint32_t)(l) << 4 * (PLACE(m, l))
#define ORDER(m) LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | LANE(m, 7)
#define ORDERS_4(m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)
static const uint32_t simd_order[256] = {ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u)};
#undef COUNT
#undef BEFORE
#undef PLACE
#undef LANE
#undef ORDER

#if VECTOR_BYTES == 64
#include "simd/keys_avx512.h"
#else
#include "simd/keys_avx2.h"
#endif
#endif

#endif
