/* Linear layers with quantised weights. */
#include "op/blocks.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_SUMMED = (1 << 17) + SITU_ROW_SCALE }; /* longest sum of products of 8 bits that fits into i32 */

static situ_tensor *refused(const char *x, const char *blocks, situ_block_type type, situ_site site)
{
    char row[64] = "4 + in] (in at most 131072)";
    if (type != SITU_Q8_ROWS)
        snprintf(row, sizeof row, "in / %lld x %lld]", (long long)situ_block_numbers(type), (long long)situ_block_bytes(type));
    return situ_refused(SITU_BAD_SHAPE, site,
        "quantised_linear: x is %s, the blocks %s; with floats of [..., in] there must be [rows, %s bytes", x, blocks, row);
}

situ_tensor *(situ_quantised_linear)(situ_tensor *x, situ_tensor *blocks, situ_block_type type, situ_site site)
{
    SITU_SPEAK("quantised_linear", site);
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){x, blocks}, 2, "quantised_linear", "x, blocks", site) ||
        !situ_check_blocks(blocks, type, "quantised_linear", site))
        return situ_poisoned();
    bool fits = !situ_is_number(x) && x->ndim && situ_dtype_is_float((situ_dtype)x->dtype) && blocks->ndim == 2;
    bool rows = type == SITU_Q8_ROWS;
    if (!fits || x->dim[x->ndim - 1] != situ_row_numbers(type, blocks->dim[1]) || (rows && blocks->dim[1] > MOST_SUMMED)) {
        situ_brief(x, a);
        situ_brief(blocks, b);
        return refused(a, b, type, site);
    }
    x = situ_cast(x, SITU_F32);
    if (rows) return situ_rounded_product(x, blocks, site);
    return situ_has_few_rows(x, blocks->dim[0]) ? situ_rows_product(x, blocks, type, site) :
                                                  situ_matmul(x, situ_transpose(situ_dequantise(blocks, type)));
}
