/* Every operation of the library as a small program, for `situ diff --operations`. */
#ifndef CLI_OPERATIONS_H
#define CLI_OPERATIONS_H

#include <situ.h>

typedef struct cli_operation {
    const char *name;
    situ_tensor *(*record)(void); /* NULL: there is no program for it yet */
    bool elementwise;
} cli_operation;

/* Writes up to `most` programs and returns how many there are: operations of op/elementwise.def in f32 or the dtype that they need,
 * then in f64 or i64, those of op/complex.def in c64, and those of op/ops.def. */
int cli_operations(cli_operation *out, int most);
/* Sets the device on which they are recorded. */
void cli_operations_on(situ_device d);

#endif
