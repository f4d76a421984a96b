#if defined(__x86_64__)
#define REDUCE_TABLE situ_reduce_avx2
#define SQUARES situ_squares_avx2
#include "backend/cpu/walks/reduce.inc"
#endif
