/* Low-rank adapters (LoRA) for a model's query and value matrices. */
#include <math.h>

#include "model/llama.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Matrix i of those that are adapted: queries and values of each layer in turn. */
static situ_module *adapted(const situ_module *layers, int i)
{
    return situ_module_below(layers->child[i / 2], i % 2 ? "self_attn.v_proj" : "self_attn.q_proj");
}

int(situ_llama_adapt)(situ_module *model, int64_t rank, const situ_llama_adapt_options *options, situ_site site)
{
    SITU_SPEAK("situ_llama_adapt", site);
    situ_llama_adapt_options o = {SITU_DEFAULTS(SITU_LLAMA_ADAPT_DEFAULTS)};
    const situ_llama_model *l = situ_llama_of(model, "situ_llama_adapt", site);
    if (!l || !SITU_TAKE_OPTIONS(o, options, "situ_llama_adapt", site)) return -situ_error_code;
    if (rank < 1 || rank > l->o.width || !(o.alpha > 0 && o.alpha < INFINITY))
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_llama_adapt: rank %lld, alpha %g; the rank is from 1 to the width, %lld, and alpha above 0", (long long)rank,
            o.alpha, (long long)l->o.width);
    const situ_module *layers = situ_module_below(model, "model.layers");
    int count = 2 * layers->children, done = 0;
    for (int i = 0; i < count; i++)
        if (situ_matrix_of(adapted(layers, i))->low_rank_by != 0)
            return situ_fail(SITU_BAD_ARGUMENT, site, "situ_llama_adapt: the model has an adapter already");
    while (done < count && !situ_matrix_adapt(adapted(layers, done), rank, o.alpha / (double)rank, site)) done++;
    if (done < count) { /* all of them are adapted or none */
        while (done-- > 0) situ_matrix_adapt_no_more(adapted(layers, done));
        return -situ_error_code;
    }
    int rc = situ_module_freeze(model, true);
    for (int i = 0; i < count && !rc; i++) {
        const situ_module *m = adapted(layers, i);
        for (int k = 0; k < m->children && !rc; k++) rc = situ_module_freeze(m->child[k], false);
    }
    return rc ? rc : count;
}
