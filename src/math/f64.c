#include "math/f64.h"

const situ_f64 *situ_f64_best(void) { return SITU_FOR_ISA(&situ_f64); }
