#include "op/scan_sum.h"

#include "base/pool.h"
#include "op/attr.h"
#include "tensor/dtype.h"

enum { STRIP = SITU_SCAN_STRIP, BLOCK = SITU_SCAN_BLOCK, BESIDE = 8, TOGETHER = 64 };
enum { LEVELS = 36 }; /* levels of a tree of blocks: enough for any memory */

typedef struct job {
    situ_around r;
    bool reverse, sums;
    char *out, *workspace;
    const char *x;
} job;

static int64_t blocks_of(int64_t n) { return (n + BLOCK - 1) / BLOCK; }

#define T float
#define EXACT 0
#define NAME(name) name##_f32
#include "op/scan_sum.inc"
#undef T
#undef EXACT
#undef NAME
#define T double
#define EXACT 0
#define NAME(name) name##_f64
#include "op/scan_sum.inc"
#undef T
#undef EXACT
#undef NAME
#define T uint32_t
#define EXACT 1
#define NAME(name) name##_u32
#include "op/scan_sum.inc"
#undef T
#undef EXACT
#undef NAME
#define T uint64_t
#define EXACT 1
#define NAME(name) name##_u64
#include "op/scan_sum.inc"
#undef T
#undef EXACT
#undef NAME

size_t situ_scan_sum_workspace(const situ_call_desc *c)
{
    situ_around r = situ_host_around(&c->out, ((const situ_axis_attr *)c->attr)->axis);
    return (size_t)(r.outer * blocks_of(r.n) * r.inner) * situ_dtype_size((situ_dtype)c->out.dtype);
}

void situ_scan_sum(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const situ_axis_attr *t = c->attr;
    job j = {
        .r = situ_host_around(&c->out, t->axis), .reverse = t->flag, .out = address[0], .x = address[1], .workspace = h->workspace};
    if (situ_dtype_is_complex((situ_dtype)c->out.dtype)) j.r.inner *= 2; /* real and imaginary parts are separate lines */
    switch (c->out.dtype) {
    case SITU_C64:
    case SITU_F32: scan_f32(&j, h); break;
    case SITU_C128:
    case SITU_F64: scan_f64(&j, h); break;
    case SITU_I32:
    case SITU_U32: scan_u32(&j, h); break;
    default: scan_u64(&j, h);
    }
}
