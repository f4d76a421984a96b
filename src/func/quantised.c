/* Linear layers whose weights are kept in few bits. */
#include "op/blocks.h"
#include "op/support.h"
/* last */
#include "op/here.h"

situ_tensor *(situ_quantised_linear)(situ_tensor *x, situ_tensor *blocks, situ_block_type type, situ_site site)
{
    SITU_SPEAK("quantised_linear", site);
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){x, blocks}, 2, "quantised_linear", "x, blocks", site) ||
        !situ_check_blocks(blocks, type, "quantised_linear", site))
        return situ_poisoned();
    bool fits = !situ_is_number(x) && x->ndim && situ_dtype_is_float((situ_dtype)x->dtype) && blocks->ndim == 2;
    if (!fits || x->dim[x->ndim - 1] != blocks->dim[1] / situ_block_bytes(type) * SITU_BLOCK)
        return situ_refused(SITU_BAD_SHAPE, site,
            "quantised_linear: x is %s, the blocks %s; with floats of [..., in] there must be [rows, in / 32 x %lld] bytes",
            situ_brief(x, a), situ_brief(blocks, b), (long long)situ_block_bytes(type));
    x = situ_cast(x, SITU_F32);
    return situ_has_few_rows(x) ? situ_rows_product(x, blocks, type, site) :
                                  situ_matmul(x, situ_transpose(situ_dequantise(blocks, type)));
}
