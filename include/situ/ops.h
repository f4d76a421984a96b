/* Every operation on tensors, by family. */
#ifndef SITU_OPS_H
#define SITU_OPS_H

#include <situ/create.h>
#include <situ/elementwise.h>
#include <situ/move.h>
#include <situ/reduce.h>
#include <situ/linalg.h>
#include <situ/fft.h>
#include <situ/index.h>
#include <situ/random.h>
#include <situ/function.h>
#include <situ/network.h>
#include <situ/custom.h>

#endif
