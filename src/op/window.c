#include "op/window.h"

#include "op/support.h"

bool situ_take_each(situ_shape given, int n, int64_t least, const int64_t *otherwise, int64_t *out, const char *option,
    const char *operation, situ_site site)
{
    if (!situ_take_shape(&given, option, operation, site)) return false;
    bool right = given.ndim <= 1 || given.ndim == n;
    for (int i = 0; i < n && right; i++) {
        out[i] = given.ndim >= 1 ? given.dim[given.ndim == 1 ? 0 : i] : otherwise ? otherwise[i] : least;
        right = out[i] >= least && out[i] <= INT32_MAX;
    }
    if (right) return true;
    static const char *const axes[SITU_WINDOW_AXES] = {
        "one number", "one number or one for each of height and width", "one number or one for each of depth, height and width"};
    situ_fail(SITU_BAD_OPTION, site, "%s: %s is %s, at least %lld", operation, option, axes[n - 1], (long long)least);
    return false;
}

bool situ_take_window(
    situ_window *w, situ_shape stride, situ_shape padding, situ_shape dilation, const char *operation, situ_site site)
{
    return situ_take_each(stride, w->n, 1, NULL, w->stride, SITU_SAY(".stride", "stride"), operation, site) &&
        situ_take_each(padding, w->n, 0, NULL, w->padding, SITU_SAY(".padding", "padding"), operation, site) &&
        situ_take_each(dilation, w->n, 1, NULL, w->dilation, SITU_SAY(".dilation", "dilation"), operation, site);
}

unsigned situ_same_axes(situ_shape *padding, int n)
{
    bool one = padding->ndim == 1 || padding->ndim == -1;
    unsigned same = 0;
    for (int i = 0; i < (one ? 1 : (int)padding->ndim) && i < SITU_WINDOW_AXES; i++) {
        if (padding->dim[i] != SITU_SAME) continue;
        padding->dim[i] = 0;
        same |= one ? (1u << n) - 1 : 1u << i;
    }
    return same;
}

void situ_same_padding(situ_window *w, int i)
{
    int64_t capacity = (w->size[i] - 1) * w->dilation[i];
    w->padding[i] = capacity / 2;
    w->more[i] = capacity % 2;
}

bool situ_refuse_same(const char *operation, situ_site site)
{
    situ_fail(SITU_BAD_OPTION, site,
        "%s: " SITU_SAY(
            ".padding = SITU_SAME", "padding=\"same\"") " keeps the size of an axis, so its stride is 1; with another one "
                                                        "write the padding as a number",
        operation);
    return false;
}
