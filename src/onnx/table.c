/* The table of all operators by name. */
#include <string.h>

#include "onnx/call.h"

#define TABLE(t) situ_onnx_##t##_ops,
static const situ_onnx_op *const tables[] = {SITU_ONNX_TABLES(TABLE) NULL};

const situ_onnx_op *situ_onnx_op_find(const char *name)
{
    for (const situ_onnx_op *op = NULL; (op = situ_onnx_op_next(op));)
        if (!strcmp(op->name, name)) return op;
    return NULL;
}

const situ_onnx_op *situ_onnx_op_next(const situ_onnx_op *op)
{
    if (!op) return tables[0];
    if (op[1].name) return op + 1;
    for (int t = 0; tables[t]; t++) /* is op the last row of table t? */
        for (const situ_onnx_op *row = tables[t]; row->name; row++)
            if (row == op) return tables[t + 1];
    return NULL;
}
