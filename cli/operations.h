/* Every operation of the library's table as a small program, for `situ diff --operations`. */
#ifndef CLI_OPERATIONS_H
#define CLI_OPERATIONS_H

#include <situ.h>

typedef struct cli_operation {
    const char *name;
    situ_tensor *(*record)(void); /* NULL: there is no program for it yet */
    bool elementwise;
} cli_operation;

/* Writes up to `most` and returns how many there are: those of op/elementwise.def, in f32 or the dtype that they are of, then in
 * f64 or i64, those of op/complex.def in c64, and those of op/ops.def. */
int cli_operations(cli_operation *out, int most);
/* From now on they are recorded there. */
void cli_operations_on(situ_device d);

#endif
