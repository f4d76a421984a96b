/* Keeps the weights of the best epoch in memory, with the value that decides which epoch is best. A kept value shares
 * the memory of the variable until the next step; that step then writes to other memory. */
#include "base/memory.h"
#include "train/fit.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

const char *situ_fit_monitor(const situ_fit *f) { return f->t->monitor ? f->t->monitor : f->held_out ? "validation loss" : "loss"; }

void situ_weights_free(situ_weights *w)
{
    for (int i = 0; i < w->count; i++) situ_release(w->value[i]);
    situ_free(w->value);
    *w = (situ_weights){0};
}

int situ_weights_take(situ_weights *w, situ_module *net, situ_site site)
{
    situ_weights_free(w);
    situ_module *root = situ_module_root(net);
    if (situ_module_number(root)) return -situ_error_code;
    w->value = situ_calloc((size_t)root->total + 1, sizeof(situ_tensor *));
    if (!w->value) return situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: no host memory for the best weights");
    w->count = root->total;
    int n = 0;
    situ_scope *scope = situ_scope_open();
    situ_tensor **made = situ_malloc((size_t)root->total * sizeof(situ_tensor *) + 1);
    for (int i = 0; made && i < root->total; i++) {
        situ_tensor *v = root->all[i]->made ? root->all[i]->copy[0] : NULL;
        if (v) made[n++] = w->value[i] = situ_keep(situ_copy_to(v, v->device));
    }
    if (!made) situ_fail(SITU_NO_MEMORY, site, "situ_trainer_fit: no host memory for the best weights");
    else if (n) (situ_eval)(TENSORS_OF(made, n), site);
    situ_free(made);
    situ_scope_close(scope);
    return -situ_error_code;
}

int situ_weights_give(const situ_weights *w, situ_module *net, situ_site site)
{
    situ_module *root = situ_module_root(net);
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < w->count && i < root->total && !situ_error_code; i++)
        for (int k = 0; w->value[i] && root->all[i]->made && k < root->devices; k++)
            situ_assign(root->all[i]->copy[k], situ_to(w->value[i], root->device[k]));
    situ_scope_close(scope);
    return -situ_error_code;
}
