/* Operations and gradients defined by the user. */
#include <situ/custom.h>

#include <stdatomic.h>

#include "base/memory.h"
#include "op/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_INPUTS = 16, MOST_ATTR = 256 };

struct situ_custom {
    situ_op op; /* must be the first member: a node's op points to it */
    int inputs;
    situ_custom_infer_fn infer;
    situ_custom_run_fn run;
    situ_custom_grad_fn grad;
    situ_custom *next;
};

/* List of all custom operations, which live as long as the process. */
static _Atomic(situ_custom *) registered;

static const situ_custom *custom_of(const situ_op *op) { return (const situ_custom *)(const void *)op; }

static int infer_custom(situ_infer *c)
{
    situ_shape shape[MOST_INPUTS];
    situ_dtype dtype[MOST_INPUTS];
    for (int i = 0; i < c->nin; i++) {
        shape[i] = situ_shape_like(c->in[i]);
        dtype[i] = (situ_dtype)c->in[i]->dtype;
    }
    situ_custom_shape s = {.attr = c->attr, .inputs = c->nin, .in_shape = shape, .in_dtype = dtype};
    int code;
    {
        SITU_SPEAK_NOT;
        code = custom_of(c->op)->infer(&s);
    }
    if (situ_error_code) return -situ_error_code;
    if (code)
        return situ_fail(SITU_BAD_SHAPE, c->site, "%s: its infer function refuses these operands with code %d", c->op->name, code);
    if (!situ_shape_check(&s.shape, false, c->op->name, c->site)) return -situ_error_code;
    if (!situ_dtype_valid(s.dtype)) return situ_fail(SITU_BAD_DTYPE, c->site, "%s: its infer function gives no dtype", c->op->name);
    c->dtype = s.dtype;
    situ_infer_dims(c, (int)s.shape.ndim, s.shape.dim);
    return 0;
}

static situ_shape layout_shape(const situ_layout *l)
{
    situ_shape s = {.ndim = l->ndim};
    memcpy(s.dim, l->dim, 8 * (size_t)l->ndim);
    return s;
}

static void host_custom(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_shape shape[MOST_INPUTS];
    situ_dtype dtype[MOST_INPUTS];
    const void *in[MOST_INPUTS];
    for (int i = 0; i < c->nin; i++) {
        shape[i] = layout_shape(&c->in[i]);
        dtype[i] = (situ_dtype)c->in[i].dtype;
        in[i] = address[1 + i];
    }
    situ_custom_run r = {.attr = c->attr,
        .inputs = c->nin,
        .in_shape = shape,
        .in_dtype = dtype,
        .shape = layout_shape(&c->out),
        .dtype = (situ_dtype)c->out.dtype,
        .in = in,
        .out = address[0]};
    int code = custom_of(c->op)->run(&r);
    if (code) situ_fault_set(h->fault, SITU_BAD_ARGUMENT, code, 0);
}

static void vjp_custom(situ_vjp *c)
{
    const situ_custom *custom = custom_of(c->y->op);
    SITU_SPEAK_NOT;
    for (int i = 0; i < c->nin; i++) {
        situ_custom_grad g = {.attr = situ_node_attr(c->y), .inputs = c->nin, .operand = i, .in = c->in, .y = c->y, .g = c->g};
        if (c->need[i]) c->out[i] = custom->grad(&g);
    }
}

const situ_custom *situ_custom_new(
    const char *name, int inputs, situ_custom_infer_fn infer, situ_custom_run_fn run, situ_custom_grad_fn grad)
{
    SITU_SPEAK_AT("situ_custom_new");
    if (situ_error_code) return NULL;
    if (!name || !infer || !run || inputs < 0 || inputs > MOST_INPUTS) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "custom_new: it needs a name, 0 to %d inputs, an infer and a run function", MOST_INPUTS);
        return NULL;
    }
    situ_custom *custom = situ_calloc(1, sizeof *custom);
    name = situ_site_intern(name);
    if (!custom || !name) {
        situ_free(custom);
        situ_fail(SITU_NO_MEMORY, NULL, "custom_new: out of host memory");
        return NULL;
    }
    custom->op = (situ_op){.name = name,
        .family = SITU_CALL,
        .can_fail = true,
        .infer = infer_custom,
        .host = host_custom,
        .vjp = grad ? vjp_custom : NULL,
        .no_gradient = grad ? NULL : "it was registered without one",
        .reads = {SITU_READS_A | SITU_READS_B | SITU_READS_C | SITU_READS_RESULT}};
    for (int i = 1; i < 3; i++) custom->op.reads[i] = custom->op.reads[0];
    custom->inputs = inputs;
    custom->infer = infer;
    custom->run = run;
    custom->grad = grad;
    custom->next = atomic_load(&registered);
    while (!atomic_compare_exchange_weak(&registered, &custom->next, custom)) {}
    return custom;
}

situ_tensor *(situ_custom_call)(const situ_custom *op, situ_list operands, const void *attr, size_t attr_size, situ_site site)
{
    if (!op || operands.count != op->inputs || attr_size > MOST_ATTR || (attr_size && !attr))
        return situ_refused(SITU_BAD_ARGUMENT, site, "custom_call: %s",
            !op                              ? "the operation is NULL" :
                operands.count != op->inputs ? "another number of operands than it was registered with" :
                                               "attributes of at most 256 bytes are possible");
    return situ_apply(&op->op, operands.tensor, operands.count, attr, attr_size, NULL, 0, site);
}

/* ---- custom gradients ------------------------------------------------------------------------------------------------ */

/* Operands: y, then the tensors that the rule differentiates by. Words: the rule and its context, which are not part
 * of a plan. */
static void vjp_rule(situ_vjp *c)
{
    situ_vjp_fn rule;
    void *self;
    memcpy(&rule, &situ_node_word(c->y)[0], sizeof rule);
    memcpy(&self, &situ_node_word(c->y)[1], sizeof self);
    situ_tensor *out[MOST_INPUTS] = {NULL};
    SITU_SPEAK_NOT;
    rule(self, c->g, TENSORS_OF(c->in + 1, c->nin - 1), c->y, out);
    for (int i = 1; i < c->nin; i++)
        if (c->need[i]) c->out[i] = out[i - 1];
}

const situ_op situ_op_custom_vjp = {.name = "custom_vjp",
    .family = SITU_VIEW,
    .operands = "y",
    .infer = situ_infer_same,
    .vjp = vjp_rule,
    .view = situ_view_same,
    .reads = {SITU_READS_A | SITU_READS_RESULT, SITU_READS_B | SITU_READS_RESULT, SITU_READS_C | SITU_READS_RESULT}};

situ_tensor *(situ_custom_vjp)(situ_tensor *y, situ_list inputs, situ_vjp_fn rule, void *self, situ_site site)
{
    SITU_SPEAK("custom_vjp", site);
    situ_tensor *in[1 + MOST_INPUTS] = {y};
    uint64_t word[2] = {0};
    if (!rule || inputs.count < 1 || inputs.count > MOST_INPUTS || !inputs.tensor)
        return situ_refused(SITU_BAD_ARGUMENT, site, "custom_vjp: it needs a rule and 1 to %d inputs", MOST_INPUTS);
    memcpy(&word[0], &rule, sizeof rule);
    memcpy(&word[1], &self, sizeof self);
    memcpy(in + 1, inputs.tensor, sizeof *in * (size_t)inputs.count);
    return situ_apply(&situ_op_custom_vjp, in, 1 + inputs.count, NULL, 0, word, 2, site);
}
