/* The structured operations by name. */
#ifndef SITU_OP_TABLE_H
#define SITU_OP_TABLE_H

#include "op/op.h"

#define OP(name) extern const situ_op situ_op_##name;
#include "op/ops.def"
#undef OP

#endif
