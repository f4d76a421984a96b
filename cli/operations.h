/* Every operation of the library's table, recorded by a sample, for `situ diff --operations`. */
#ifndef CLI_OPERATIONS_H
#define CLI_OPERATIONS_H

#include "samples.h"

typedef struct cli_operation {
    const char *name;
    const sample *sample; /* NULL: there is none */
    situ_dtype real;
    int by; /* its gradient by this operand, from 1 on; 0: its value */
    bool elementwise;
} cli_operation;

/* Writes up to `most` operations and returns how many there are: those of op/elementwise.def in f32 or the dtype that
 * they need, then in f64 or i64, those of op/complex.def in c64, and those of op/ops.def. */
int cli_operations(cli_operation *out, int most);
situ_tensor *cli_record(const cli_operation *o, situ_device device);

#endif
