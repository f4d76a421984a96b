/* The interface of operations is in graph/, since the graph needs it, too. */
#include "graph/op.h"
