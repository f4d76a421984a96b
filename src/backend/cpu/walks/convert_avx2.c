#if defined(__x86_64__)
#define CONVERT_TABLE situ_convert_avx2
#define ROUND_TABLE situ_round_avx2
#include "backend/cpu/walks/convert.inc"
#endif
