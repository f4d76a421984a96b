#if defined(__x86_64__)
#define REDUCE_TABLE situ_reduce_avx512
#define SQUARES situ_squares_avx512
#include "backend/cpu/walks/reduce.inc"
#endif
