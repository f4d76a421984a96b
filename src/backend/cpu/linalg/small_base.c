#define SMALL situ_small_baseline
#include "backend/cpu/linalg/small.h"
