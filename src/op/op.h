/* The op contract lies below the operations, since the graph needs it too. */
#include "graph/op.h"
