/* Kernels of PJRT devices: functions in StableHLO. */
#include <string.h>

#include "backend/pjrt/pjrt.h"
#include "base/error.h"
#include "base/memory.h"

size_t situ_pjrt_workspace(const struct situ_kernel_desc *desc)
{
    (void)desc;
    return 0;
}

void *situ_pjrt_compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    (void)d;
    situ_pjrt_kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    if (situ_stable_kernel_of(desc, &k->k)) {
        situ_free(k);
        return NULL;
    }
    if (!(k->name = situ_strdup(desc->name))) {
        situ_free(k->k.body);
        situ_free(k);
        return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    }
    k->guarded = desc->group ? desc->group->guarded : desc->call && desc->call->guarded;
    k->stores = desc->group ? desc->group->nstore : 0;
    k->text = situ_hash_start(8);
    situ_hash_bytes(&k->text, k->k.body, strlen(k->k.body));
    situ_hash_end(&k->text);
    return k;
}

void situ_pjrt_drop(situ_dev *d, void *it)
{
    (void)d;
    situ_pjrt_kernel *k = it;
    if (!k) return;
    situ_free(k->k.body);
    situ_free(k->name);
    situ_free(k);
}

void situ_pjrt_explain(const void *it, const char **chosen, const char **refusals)
{
    (void)it;
    *chosen = "StableHLO text";
    *refusals = "";
}
