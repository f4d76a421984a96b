#if defined(__x86_64__)
#define THREEFRY_BLOCKS situ_threefry_blocks_avx2
#include "backend/cpu/walks/threefry.inc"
#endif
