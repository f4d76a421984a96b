/* Rearranging whole tensors: adding axes, joining rows and columns, diagonals. */
#include "base/memory.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* x with at least n axes. As in NumPy a vector becomes the middle of three axes, a matrix the first two. */
static situ_tensor *at_least(situ_tensor *x, int n, situ_site site)
{
    if (!situ_usable(&x, 1, "atleast", site)) return situ_poisoned();
    if (situ_is_number(x)) x = situ_full(SHAPE(), x);
    if (x->ndim >= n) return situ_itself(x, site);
    situ_shape shape = {.dim = {1, 1, 1}, .ndim = n};
    for (int i = 0; i < x->ndim; i++) shape.dim[i + (x->ndim == 1 && n > 1)] = x->dim[i];
    return situ_reshape(x, shape);
}

#define AT_LEAST(n) \
    situ_tensor *(situ_atleast_##n##d)(situ_tensor * x, situ_site site) \
    { \
        SITU_SPEAK("atleast_" #n "d", site); \
        return at_least(x, n, site); \
    }
AT_LEAST(1)
AT_LEAST(2)
AT_LEAST(3)

static situ_tensor *join(situ_list list, int least, const char *name, situ_site site)
{
    enum { MOST_TENSORS = 4096 };
    if (list.count < 1 || !list.tensor || list.count > MOST_TENSORS)
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "%s: a list of %d tensors; 1 to %d are possible", name, list.count, MOST_TENSORS);
    situ_tensor **t = situ_malloc((size_t)list.count * sizeof *t), *y = situ_poisoned();
    if (!t) return situ_refused(SITU_NO_MEMORY, site, "%s: out of host memory", name);
    for (int i = 0; i < list.count && !situ_error_code; i++) t[i] = at_least(list.tensor[i], least, site);
    if (!situ_error_code) y = situ_concat(TENSORS_OF(t, list.count), .axis = least == 1 && t[0]->ndim > 1);
    situ_free(t);
    return y;
}

situ_tensor *(situ_vstack)(situ_list tensors, situ_site site)
{
    SITU_SPEAK("vstack", site);
    return join(tensors, 2, "vstack", site);
}

situ_tensor *(situ_hstack)(situ_list tensors, situ_site site)
{
    SITU_SPEAK("hstack", site);
    return join(tensors, 1, "hstack", site);
}

situ_tensor *(situ_diag)(situ_tensor *x, int64_t offset, situ_site site)
{
    SITU_SPEAK("diag", site);
    char text[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, "diag", site)) return situ_poisoned();
    if (x->ndim == 2) return situ_diagonal(x, offset);
    int64_t n, more = offset < 0 ? -offset : offset;
    if (situ_is_number(x) || x->ndim != 1 || more < 0 || __builtin_add_overflow(x->dim[0], more, &n))
        return situ_refused(SITU_BAD_SHAPE, site,
            "diag: x is %s, on diagonal %lld; it takes a vector or a matrix, " SITU_SAY(
                "situ_diagonal", "situ.linalg.diagonal") " a batch of matrices",
            situ_brief(x, text), (long long)offset);
    /* element i is in row i if the diagonal is above the main one, else in column i */
    situ_tensor *line = situ_expand_dims(situ_pad(x, SHAPE(0), SHAPE(more)), offset < 0 ? 0 : 1);
    return situ_where(situ_eye(n, .diagonal = offset, .dtype = SITU_BOOL, .device = x->device), line, 0);
}
