/* Kernels for AVX2 and FMA: this file alone is compiled for it. */
#if defined(__AVX2__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("schedule-insns", "sched-pressure")
#define PAIRS
#endif
#define TILES avx2
#define TILES_NAME "avx2"
#include "backend/cpu/lanes/tile_kernels.h"
#else
typedef int situ_no_tiles_avx2;
#endif
