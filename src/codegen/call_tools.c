/* Helpers of the families of structured operations. */
#include <string.h>

#include "codegen/call_text.h"
#include "tensor/shape.h"

void situ_call_each(situ_source *t, int64_t count)
{
    situ_source_add(t, "    u64_F p = BLOCK * %d + THREAD;\n    if (p >= %lldu) return;\n", SITU_CALL_THREADS, (long long)count);
}

void situ_call_strided(situ_source *t, const char *name, const situ_layout *l)
{
    int64_t dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS], inner = 1;
    memcpy(dim, l->dim, sizeof dim);
    memcpy(stride, l->stride, sizeof stride);
    int n = situ_collapse(l->ndim, dim, 1, stride);
    situ_source_add(t, "#define %s(q) (0", name);
    for (int k = n - 1; k >= 0; inner *= dim[k] ? dim[k] : 1, k--)
        if (stride[k])
            situ_source_add(t, " + (i64_F)((q) / %lldu %% %lldu) * %lld", (long long)inner, (long long)(dim[k] ? dim[k] : 1),
                (long long)stride[k]);
    situ_source_append(t, ")\n");
}

situ_lines situ_call_lines(const situ_layout *l, int axis)
{
    situ_lines r = {1, l->ndim ? (long long)l->dim[axis] : 1, 1};
    for (int i = 0; i < axis; i++) r.outer *= (long long)l->dim[i];
    for (int i = axis + 1; i < l->ndim; i++) r.inner *= (long long)l->dim[i];
    return r;
}
