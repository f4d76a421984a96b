/* The list of operations, for whoever loops over all of them. */
#ifndef SITU_CODEGEN_TABLE_H
#define SITU_CODEGEN_TABLE_H

#include "op/table.h"

enum {
#define OP(name) SITU_TABLE_##name,
#include "op/ops.def"
#undef OP
    SITU_TABLE_COUNT
};
/* ops.def's rows, in its order. */
extern const situ_op *const situ_table[SITU_TABLE_COUNT];

#endif
