/* Inside the library a recorded call stands at its caller's line: after this, the public macros pass on the variable
 * `site` of the function they are used in. Included last. */
#ifndef SITU_OP_HERE_H
#define SITU_OP_HERE_H

#include <situ/ops.h>

#undef SITU_HERE
#define SITU_HERE site

#endif
