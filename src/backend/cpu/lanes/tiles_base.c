/* Kernels for every machine: SSE2 on x86-64, plain vectors elsewhere. */
#define TILES baseline
#define TILES_NAME "base"
#include "backend/cpu/lanes/tile_kernels.h"
