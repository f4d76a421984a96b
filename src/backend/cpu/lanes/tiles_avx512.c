/* Kernels for AVX-512: this file alone is compiled for it. */
#if defined(__AVX512F__)
#define TILES avx512
#define TILES_NAME "avx512"
#include "backend/cpu/lanes/tile_kernels.h"
#else
typedef int situ_no_tiles_avx512;
#endif
