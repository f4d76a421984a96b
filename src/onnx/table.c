/* All operators by name. */
#include <string.h>

#include "onnx/call.h"

const situ_onnx_op *situ_onnx_op_find(const char *name)
{
#define TABLE(t) situ_onnx_##t##_ops,
    static const situ_onnx_op *const tables[] = {SITU_ONNX_TABLES(TABLE)};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const situ_onnx_op *op = tables[t]; op->name; op++)
            if (!strcmp(op->name, name)) return op;
    return NULL;
}
