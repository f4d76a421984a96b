/* nonzero: counts the true elements of each run of the mask, adds up the counts before each run, then writes the
 * positions. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/shape.h"

enum { RUN = 64 }; /* elements of a work-item */

static int64_t runs_of(const situ_call_desc *c) { return (situ_shape_count(c->in[0].ndim, c->in[0].dim) + RUN - 1) / RUN; }

static bool find_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    (void)d;
    int64_t places = ((const situ_find_attr *)c->attr)->count;
    p->count = 4;
    p->pass[0] = situ_pass_for(runs_of(c));
    p->pass[1] = (situ_pass){SITU_CALL_THREADS, 1};
    p->pass[2] = situ_pass_for(runs_of(c));
    p->pass[3] = situ_pass_for(places);
    p->workspace = (size_t)(runs_of(c) + 1) * 8;
    return true;
}

/* Every work-item adds up its share of the runs, then gets the sum before its share, and goes over the share again. */
static void before_body(situ_source *t, long long runs)
{
    situ_source_add(t,
        "    LOCAL u64_F sum[%d];\n"
        "    u64_F share = (%lldu + %du) / %du, first = THREAD * share, s = 0;\n"
        "    for (u64_F i = 0; i < share; i++)\n"
        "        if (first + i < %lldu) s += at[first + i];\n"
        "    sum[THREAD] = s;\n"
        "    BARRIER();\n"
        "    s = 0;\n"
        "    for (u64_F i = 0; i < %d; i++)\n"
        "        if (i < THREAD) s += sum[i];\n"
        "    for (u64_F i = 0; i < share; i++) {\n"
        "        if (first + i >= %lldu) continue;\n"
        "        u64_F n = at[first + i];\n"
        "        at[first + i] = s;\n"
        "        s += n;\n"
        "    }\n"
        "    if (THREAD == %d) at[%lld] = s;\n",
        SITU_CALL_THREADS, runs, SITU_CALL_THREADS - 1, SITU_CALL_THREADS, runs, SITU_CALL_THREADS, runs, SITU_CALL_THREADS - 1,
        runs);
}

static void positions_body(situ_source *t, const situ_call_desc *c, long long places)
{
    const situ_layout *x = &c->in[0];
    long long n = (long long)situ_shape_count(x->ndim, x->dim), inner = 1;
    situ_source_add(t,
        "    u64_F to = at[p], first = p * %d, end = %lldu - first < %d ? %lldu : first + %d;\n"
        "    for (u64_F i = first; i < end; i++) {\n"
        "        if (!IN0[i]) continue;\n"
        "        if (to >= %lldu) return;\n",
        RUN, n, RUN, n, RUN, places);
    for (int k = x->ndim - 1; k >= 0; inner *= (long long)x->dim[k], k--)
        situ_source_add(t, "        OUT[to * %d + %d] = i / %lldu %% %lldu;\n", x->ndim, k, inner ? inner : 1,
            (long long)(x->dim[k] ? x->dim[k] : 1));
    situ_source_append(t, "        to++;\n    }\n");
}

static void find_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    long long runs = (long long)runs_of(c), places = (long long)((const situ_find_attr *)c->attr)->count;
    long long n = (long long)situ_shape_count(c->in[0].ndim, c->in[0].dim);
    situ_source_append(t, "    GLOBAL u64_F *at = (GLOBAL u64_F *)WORKSPACE;\n    (void)argument;\n");
    if (pass == 1) {
        before_body(t, runs);
        return;
    }
    situ_call_each(t, pass == 3 ? places : runs);
    if (pass == 2) positions_body(t, c, places);
    else if (pass == 3)
        situ_source_add(t, "    for (int k = 0; k < %d && p >= at[%lld]; k++) OUT[p * %d + k] = (i64_F)argument[0];\n",
            c->in[0].ndim, runs, c->in[0].ndim);
    else
        situ_source_add(t,
            "    u64_F first = p * %d, end = %lldu - first < %d ? %lldu : first + %d, count = 0;\n"
            "    for (u64_F i = first; i < end; i++) count += IN0[i] != 0;\n"
            "    at[p] = count;\n",
            RUN, n, RUN, n, RUN);
}

const situ_call_family situ_call_find[] = {{"nonzero", find_passes, find_body, NULL}, {NULL, NULL, NULL, NULL}};
