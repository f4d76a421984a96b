/* Positions as tensors: where a mask is true, and masks from positions. */
#include "op/find.h"

#include "op/attr.h"
#include "op/create.h"
#include "op/host.h"
#include "op/support.h"
/* last */
#include "op/here.h"

typedef situ_find_attr find_attr;

static int infer_nonzero(situ_infer *c)
{
    const find_attr *a = c->attr;
    c->dtype = SITU_I64;
    c->ndim = 2;
    c->dim[0] = a->count;
    c->dim[1] = c->in[0]->ndim;
    return 0;
}

static void host_nonzero(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const find_attr *a = c->attr;
    const situ_layout *x = &c->in[0];
    int64_t *out = (int64_t *)(void *)address[0], *end = out + a->count * x->ndim, n = situ_layout_count(x);
    for (int64_t i = 0; i < n && out < end; i++) {
        if (!address[1][i]) continue;
        int64_t rest = i;
        for (int k = x->ndim - 1; k >= 0; k--) {
            out[k] = rest % x->dim[k];
            rest /= x->dim[k];
        }
        out += x->ndim;
    }
    while (out < end) *out++ = (int64_t)h->word[0];
}

const situ_op situ_op_nonzero = {.name = "nonzero",
    .family = SITU_CALL,
    .operands = "x",
    .infer = infer_nonzero,
    .no_gradient = "its results are positions",
    .host = host_nonzero};

situ_tensor *situ_find(situ_tensor *mask, int64_t count, int64_t fill, situ_site site)
{
    find_attr attr = {.count = count};
    uint64_t word = (uint64_t)fill;
    return situ_apply(&situ_op_nonzero, &mask, 1, &attr, sizeof attr, &word, 1, site);
}

situ_tensor *(situ_one_hot)(situ_tensor *index, int64_t n, const situ_one_hot_options *options, situ_site site)
{
    SITU_SPEAK("one_hot", site);
    situ_one_hot_options o = {SITU_DEFAULTS(SITU_ONE_HOT_DEFAULTS)};
    if (!situ_usable(&index, 1, "one_hot", site) || !SITU_TAKE_OPTIONS(o, options, "one_hot", site)) return situ_poisoned();
    if (!situ_dtype_is_integer((situ_dtype)index->dtype) || n < 0)
        return situ_refused(SITU_BAD_ARGUMENT, site, "one_hot: %s",
            n < 0 ? "a negative number of classes" :
                    "index has no integer dtype; write " SITU_SAY("situ_cast(index, SITU_I64)", "index.astype(\"int64\")"));
    if (index->dtype == SITU_U64) index = situ_cast(index, SITU_I64); /* u64 and i64 have no integer in common */
    situ_tensor *classes = situ_iota(SHAPE(n), 0, SITU_I64, index->device, site);
    return situ_cast(situ_equal(situ_expand_dims(index, -1), classes), o.dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : o.dtype);
}
