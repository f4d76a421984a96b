#define CONVERT_TABLE situ_convert_baseline
#include "backend/cpu/walks/convert.inc"
