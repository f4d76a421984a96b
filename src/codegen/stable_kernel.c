/* Writes a kernel as a function of StableHLO. */
#include "codegen/stable_kernel.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "codegen/group_text.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* ---- the function ---- */

static void head(situ_stable_maker *m, situ_source *all)
{
    const situ_stable_kernel *k = m->k;
    situ_source_append(all, "(");
    for (int i = 0; i < k->operands; i++) {
        situ_source_add(all, "%s%%%d: ", i ? ", " : "", i);
        situ_stable_type(all, situ_stable_argument(0, k->operand[i].dtype, 0).type, 1, &k->operand[i].extent);
    }
    if (k->words) situ_source_add(all, "%s%%words: tensor<%dxui64>", k->operands ? ", " : "", k->words);
    situ_source_append(all, ") -> (");
    for (int i = 0; i < k->results; i++) {
        if (i) situ_source_append(all, ", ");
        situ_stable_type(all, m->result[i].type, 1, m->result[i].dim);
    }
    if (k->can_fail) situ_source_add(all, "%stensor<4xi64>", k->results ? ", " : "");
    situ_source_append(all, ") {\n");
}

static void tail(situ_stable_maker *m, situ_source *all)
{
    situ_wire *result = m->result;
    int n = m->k->results;
    if (m->k->can_fail) result[n++] = m->error_word;
    situ_source_append(all, "  \"func.return\"(");
    for (int i = 0; i < n; i++) situ_source_add(all, i ? ", %%%d" : "%%%d", result[i].id);
    situ_source_append(all, ") : (");
    for (int i = 0; i < n; i++) {
        if (i) situ_source_append(all, ", ");
        situ_stable_type(all, result[i].type, 1, result[i].dim);
    }
    situ_source_append(all, ") -> ()\n}\n");
}

static bool (*const families[])(situ_stable_maker *m) = {situ_stable_moves, situ_stable_products, situ_stable_windows,
    situ_stable_orders, situ_stable_indexes, situ_stable_scans, situ_stable_linear, situ_stable_complex};

static void write_call(situ_stable_maker *m)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i](m)) return;
    m->refused = "there is none yet";
}

static int finish(situ_stable_maker *m, const char *name)
{
    situ_source all = {0};
    if (m->refused) {
        situ_source_drop(&m->t.text);
        return situ_fail(SITU_UNSUPPORTED, NULL,
            "%s has no text of StableHLO (%s); compute it on the CPU: move its operands with " SITU_SAY(
                "situ_to(x, situ_cpu())", "x.to_device(situ.cpu())"),
            name, m->refused);
    }
    char *body = situ_source_take(&m->t.text);
    if (!body) return -situ_error_code;
    head(m, &all);
    situ_source_append(&all, body);
    tail(m, &all);
    situ_free(body);
    m->k->body = situ_source_take(&all);
    return m->k->body ? 0 : -situ_error_code;
}

int situ_stable_kernel_of(const situ_kernel_desc *desc, situ_stable_kernel *k)
{
    situ_stable_maker *m = situ_calloc(1, sizeof *m);
    if (!m) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel");
    memset(k, 0, sizeof *k);
    m->k = k;
    m->call = desc->call;
    m->t.next = SITU_STABLE_OPERANDS;
    m->t.words = k->words = desc->nargument;
    situ_source_append(&m->t.text, "");
    if (desc->group) situ_stable_group(m, desc->group);
    else write_call(m);
    int code = finish(m, desc->name);
    situ_free(m);
    return code;
}
