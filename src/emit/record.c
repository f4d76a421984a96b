/* The device for which programs are planned that become C: it has no memory and runs nothing. It claims what the CPU claims, since
 * the CPU's order of sums is what the file has to give. */
#include <string.h>

#include "backend/cpu/kernel.h"
#include "base/memory.h"
#include "codegen/call_text.h"
#include "device/backend.h"
#include "emit/emit.h"

static void *compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    (void)d;
    int nin = desc->call ? desc->call->nin : 0;
    situ_emit_kernel *k = situ_calloc(1, sizeof *k + (size_t)nin * sizeof *k->in);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "situ_emit: out of host memory"), NULL;
    k->words = desc->nargument;
    if (desc->group) k->group = *desc->group;
    if (!desc->call) return k;
    k->is_call = true;
    k->call = *desc->call;
    if (nin) memcpy(k->in, desc->call->in, (size_t)nin * sizeof *k->in);
    k->call.in = k->in;
    return k;
}

static void drop(situ_dev *d, void *kernel)
{
    (void)d;
    situ_free(kernel);
}

static size_t workspace(const struct situ_kernel_desc *desc)
{
    situ_passes passes = {0};
    size_t own = desc->call ? situ_emit_attention_room(desc->call) + situ_emit_norm_room(desc->call) : 0;
    if (own) return own;
    if (!desc->call || situ_emit_is_product(desc->call) || !situ_call_passes(desc->call, &situ_dialect_c99, &passes)) return 0;
    return passes.workspace;
}

const situ_backend situ_backend_emit = {
    .name = "C",
    .kind = SITU_CPU,
    .bit_equal = true,
    .host_calls = true,
    .compile = compile,
    .drop = drop,
    .claims = situ_cpu_claims,
    .workspace = workspace,
};
