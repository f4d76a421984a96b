#if defined(__x86_64__)
#define THREEFRY_BLOCKS situ_threefry_blocks_avx512
#include "op/threefry.inc"
#endif
