/* Forward-mode derivatives, computed by two reverse passes. */
#include <situ/elementwise.h>
#include <situ/grad.h>
#include <situ/reduce.h>

#include "base/memory.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* The sum of the products of gradients and directions, or NULL. */
static situ_tensor *along(situ_tensor *const *g, situ_tensor *const *v, int count, const char *operation, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    situ_tensor *sum = NULL;
    for (int i = 0; i < count; i++) {
        if (!situ_usable(&v[i], 1, operation, site)) return NULL;
        if (!situ_is_number(v[i]) && !situ_shape_equal(v[i]->ndim, v[i]->dim, g[i]->ndim, g[i]->dim)) {
            situ_fail(SITU_BAD_SHAPE, site, "%s: direction %d is %s; it has the shape of what it belongs to, %s", operation, i + 1,
                situ_brief(v[i], a), situ_brief(g[i], b));
            return NULL;
        }
        situ_tensor *part = situ_sum(situ_mul(g[i], v[i]));
        sum = sum ? situ_add(sum, situ_cast(part, (situ_dtype)sum->dtype)) : part;
    }
    return situ_error_code ? NULL : sum;
}

enum { MOST = 4096 };

static bool check(situ_list wrt, situ_list v, const char *operation, situ_site site)
{
    if (wrt.count >= 1 && wrt.count <= MOST && wrt.count == v.count && wrt.tensor && v.tensor) return true;
    situ_fail(SITU_BAD_ARGUMENT, site,
        "%s: %d tensors to differentiate by and %d directions; 1 to %d are possible, each with a direction", operation, wrt.count,
        v.count, MOST);
    return false;
}

/* An array for the gradients; NULL with an error. */
static situ_tensor **room_for(int count, const char *operation, situ_site site)
{
    situ_tensor **g = situ_malloc((size_t)count * sizeof *g);
    if (!g) situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", operation);
    return g;
}

/* y's gradient is linear in the output weights u; differentiating it by u along the directions gives y's derivative.
 * The value of u does not matter. */
situ_tensor *(situ_jvp)(situ_tensor *y, situ_list wrt, situ_list directions, situ_site site)
{
    SITU_SPEAK("jvp", site);
    situ_tensor *out;
    if (!check(wrt, directions, "jvp", site) || !situ_usable(&y, 1, "jvp", site)) return situ_poisoned();
    situ_tensor *u = situ_zeros_like(y), **g = room_for(wrt.count, "jvp", site);
    situ_tensor *sum = !g || (situ_pullback)(y, u, wrt, g, site) ? NULL : along(g, directions.tensor, wrt.count, "jvp", site);
    situ_free(g);
    return !sum || (situ_pullback)(sum, situ_ones_like(sum), TENSORS(u), &out, site) ? situ_poisoned() : out;
}

int(situ_hvp)(situ_tensor *y, situ_list wrt, situ_list directions, situ_tensor **out, situ_site site)
{
    SITU_SPEAK("hvp", site);
    if (!out) return situ_fail(SITU_BAD_ARGUMENT, site, "hvp: out is NULL");
    for (int i = 0; i < wrt.count; i++) out[i] = situ_poisoned();
    situ_tensor **g = check(wrt, directions, "hvp", site) ? room_for(wrt.count, "hvp", site) : NULL;
    situ_tensor *sum = !g || (situ_grad)(y, wrt, g, site) ? NULL : along(g, directions.tensor, wrt.count, "hvp", site);
    situ_free(g);
    return sum ? (situ_grad)(sum, wrt, out, site) : -situ_error_code;
}
