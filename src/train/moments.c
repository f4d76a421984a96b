/* Running moments, such as batch norm's, when a batch is computed in parts. Each part starts with the moments from
 * before the batch; the new moments are the mean over the parts, weighted by their rows. So they are the same on each
 * device and rank, and in deterministic mode for any number of them. What no part assigns to, a mask for example,
 * keeps its value and its version. */
#include "base/memory.h"
#include "group/tree.h"
#include "train/ranks.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static bool in_parts(const situ_fit *f)
{
    return f->phase == FIT_TRAIN && f->opt &&
        (situ_ranks_several(f) || f->t->devices > 1 || (f->t->o.deterministic && f->total > 1));
}

static bool follows(const situ_parameter *p) { return p->made && p->fixed && situ_dtype_is_float((situ_dtype)p->copy[0]->dtype); }

/* The one dtype in which all moments are averaged. */
static situ_dtype wide(const situ_module *root)
{
    for (int k = 0; k < root->total; k++)
        if (follows(root->all[k]) && root->all[k]->copy[0]->dtype == SITU_F64) return SITU_F64;
    return SITU_F32;
}

static void let_go(situ_tensor **t)
{
    situ_release(*t);
    *t = NULL;
}

/* Makes room for what is known of each parameter; the new ones had no value before. */
static int room(situ_fit *f, int total)
{
    situ_site site = f->site;
    if (total <= f->starts) return 0;
    situ_tensor **start = situ_realloc(f->start, (size_t)total * sizeof *start);
    if (start) f->start = start;
    uint64_t *versions = start ? situ_realloc(f->versions, (size_t)total * sizeof *versions) : NULL;
    if (!versions) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: out of host memory");
    f->versions = versions;
    for (; f->starts < total; f->starts++) {
        start[f->starts] = NULL;
        versions[f->starts] = 1;
    }
    return 0;
}

int situ_moments_before(situ_fit *f, int place)
{
    const situ_module *root = situ_module_root(f->net);
    situ_site site = f->site;
    if (!in_parts(f)) return 0;
    if (situ_module_number(root)) return -situ_error_code;
    if (room(f, root->total)) return -situ_error_code;
    for (int k = 0; k < root->total && !situ_error_code; k++)
        if (root->all[k]->made && (root->all[k]->fixed || root->all[k]->untold)) {
            f->start[k] = situ_keep(situ_itself(root->all[k]->copy[place], site));
            f->versions[k] = situ_slot_of(root->all[k]->copy[place])->version;
        }
    return -situ_error_code;
}

/* Value of parameter k before the part. The parameter may have been created by the part's own call. */
static situ_tensor *start_of(const situ_fit *f, int k, const situ_parameter *p, const situ_tensor *copy)
{
    situ_site site = f->site;
    if (f->start[k]) return f->start[k];
    return situ_full(situ_shape_like(copy), p->value, .dtype = (situ_dtype)copy->dtype, .device = copy->device);
}

int situ_moments_after(situ_fit *f)
{
    const situ_module *root = situ_module_root(f->net);
    situ_site site = f->site;
    int n = 0, place = f->part[f->given].device;
    if (!in_parts(f)) return 0;
    if (situ_module_number(root) || room(f, root->total)) return -situ_error_code;
    situ_dtype dtype = wide(root);
    situ_tensor **flat = situ_malloc((size_t)root->total * sizeof *flat + 1);
    if (!flat) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_give: out of host memory");
    for (int k = 0; k < root->total && !situ_error_code; k++) {
        const situ_parameter *p = root->all[k];
        if (!follows(p)) continue;
        situ_tensor *copy = p->copy[place];
        if (situ_slot_of(copy)->version == f->versions[k]) continue;
        f->versions[k] = 0;
        flat[n++] = situ_cast(situ_reshape(situ_itself(copy, site), SHAPE(-1)), dtype);
        situ_assign(copy, start_of(f, k, p, copy));
    }
    for (int k = 0; k < f->starts; k++) let_go(&f->start[k]);
    f->moments[f->given] = n ? situ_keep(situ_mul(situ_concat(TENSORS_OF(flat, n)), f->weight[f->given])) : NULL;
    situ_free(flat);
    return -situ_error_code;
}

static void give(const situ_fit *f, situ_tensor *mean)
{
    const situ_module *root = situ_module_root(f->net);
    situ_site site = f->site;
    int64_t at = 0;
    for (int k = 0; k < root->total && !situ_error_code; k++) {
        const situ_parameter *p = root->all[k];
        if (!follows(p) || k >= f->starts || f->versions[k]) continue;
        int64_t n = situ_node_count(p->copy[0]);
        situ_tensor *part = situ_reshape(situ_slice(mean, .start = SHAPE(at), .stop = SHAPE(at + n)), situ_shape_like(p->copy[0]));
        part = situ_cast(part, (situ_dtype)p->copy[0]->dtype);
        for (int d = 0; d < root->devices; d++) situ_assign(p->copy[d], situ_to(part, root->device[d]));
        at += n;
    }
}

int situ_moments_mean(situ_fit *f)
{
    situ_site site = f->site;
    if (!in_parts(f) || !f->moments[0]) return 0;
    int n = f->idle ? 0 : f->parts;
    situ_tensor **part = situ_malloc((size_t)f->parts * sizeof *part);
    if (!part) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_give: out of host memory");
    for (int i = 0; i < f->parts; i++) part[i] = f->moments[i];
    give(f,
        situ_ranks_several(f) ? situ_group_add_up(f->t->o.group, TENSORS_OF(part, n), f->total, f->moments[0], site) :
                                situ_tree_sum(part, n, site));
    situ_free(part);
    for (int i = 0; i < f->parts; i++) let_go(&f->moments[i]);
    return -situ_error_code;
}
