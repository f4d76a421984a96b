#include "codegen/table.h"

const situ_op *const situ_table[SITU_TABLE_COUNT] = {
#define OP(name) &situ_op_##name,
#include "op/ops.def"
#undef OP
};
