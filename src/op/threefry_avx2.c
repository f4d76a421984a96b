#if defined(__x86_64__)
#define THREEFRY_BLOCKS situ_threefry_blocks_avx2
#include "op/threefry.inc"
#endif
