/* Included last by files that record operations: afterwards the public macros pass the variable `site` of the
 * enclosing function as call site, so that recorded operations name the line of the user's call. */
#ifndef SITU_OP_HERE_H
#define SITU_OP_HERE_H

#include <situ/ops.h>

#undef SITU_HERE
#define SITU_HERE site

#endif
