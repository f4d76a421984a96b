/* The list of all operations. */
#ifndef SITU_OP_TABLE_H
#define SITU_OP_TABLE_H

#include "op/op.h"

enum {
#define OP(name) SITU_TABLE_##name,
#include "op/ops.def"
#undef OP
    SITU_TABLE_COUNT
};
/* The rows of ops.def, in order. */
extern const situ_op *const situ_table[SITU_TABLE_COUNT];

#define OP(name) extern const situ_op situ_op_##name;
#include "op/ops.def"
#undef OP

#endif
