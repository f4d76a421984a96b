#if defined(__x86_64__)
#define FOLD_TABLE situ_fold_avx2
#define SQUARES situ_squares_avx2
#include "backend/cpu/walks/fold.inc"
#endif
