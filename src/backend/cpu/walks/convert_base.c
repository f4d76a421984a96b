#define CONVERT_TABLE situ_convert_baseline
#define ROUND_TABLE situ_round_baseline
#include "backend/cpu/walks/convert.inc"
