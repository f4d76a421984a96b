#if defined(__x86_64__)
#define FOLD_TABLE situ_fold_avx512
#define SQUARES situ_squares_avx512
#include "backend/cpu/walks/fold.inc"
#endif
