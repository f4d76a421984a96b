/* Constants, branches and loops. */
#include <string.h>

#include "base/error.h"
#include "nn/module.h"
#include "onnx/call.h"
#include "onnx/host.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- constants ------------------------------------------------------------------------------------------------------------ */

SITU_ONNX_BODY(constant)
{
    const situ_onnx_host *h = c->node->attributes ? c->node->attribute[0].t : NULL;
    situ_shape shape = {.ndim = h ? h->ndim : 0};
    if (!h || c->node->parameter < 0) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "this kind of constant is not known");
    memcpy(shape.dim, h->dim, sizeof h->dim);
    return situ_module_use(c->run->module, c->node->parameter, c->run->x, shape);
}

/* A scalar, or a vector. */
static bool numbers(situ_onnx_call *c, const situ_onnx_attribute *a, bool floats, bool vector)
{
    int64_t count = vector ? a->count : 1;
    uint8_t *to = situ_onnx_give_host(c, 0, floats ? SITU_F32 : SITU_I64, vector, &count);
    for (int64_t i = 0; to && i < count; i++) {
        float f = (float)(vector && floats ? a->floats[i] : a->f);
        if (floats) memcpy(to + 4 * i, &f, 4);
        else memcpy(to + 8 * i, vector ? &a->ints[i] : &a->i, 8);
    }
    return to != NULL;
}

static bool host_constant(situ_onnx_call *c)
{
    const situ_onnx_attribute *a = c->node->attribute;
    if (c->node->attributes != 1 || c->node->parameter >= 0) return false;
    if (a->t) return situ_onnx_give_value(c, 0, &(situ_onnx_value){.host = a->t}), true;
    if (!strcmp(a->name, "value_float")) return numbers(c, a, true, false);
    if (!strcmp(a->name, "value_floats")) return numbers(c, a, true, true);
    if (!strcmp(a->name, "value_int")) return numbers(c, a, false, false);
    return !strcmp(a->name, "value_ints") && numbers(c, a, false, true);
}

/* Passes input 0 on, on the host or the device. */
SITU_ONNX_BODY(identity)
{
    const situ_onnx_node *n = c->node;
    if (HAS(0)) situ_onnx_give_value(c, 0, &c->run->value[n->in[0]]);
    (void)site;
    return NULL;
}
static bool host_identity(situ_onnx_call *c)
{
    const situ_onnx_node *n = c->node;
    if (!HAS(0)) return false;
    situ_onnx_give_value(c, 0, &c->run->value[n->in[0]]);
    return true;
}

/* Passes its input on, unless the file says training mode and the module is training: then it drops by masks of the
 * module. */
SITU_ONNX_BODY(dropout)
{
    situ_tensor *x = IN(0);
    const situ_onnx_host *training = HAS(2) ? situ_onnx_read(c, 2) : NULL,
                         *ratio = training && HAS(1) ? situ_onnx_read(c, 1) : NULL;
    double rate = ratio && ratio->count ? situ_onnx_host_float(ratio, 0) : situ_onnx_float(c, "ratio", 0.5);
    situ_module *m = c->run->module;
    bool asked = c->opset < 7 ? !situ_onnx_int(c, "is_test", 1) : training && training->count && situ_onnx_host_int(training, 0);
    bool drops = asked && m->training, wanted = c->node->outs > 1;
    if (drops && !(rate >= 0 && rate < 1)) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "a ratio of %g; it is less than 1", rate);
    situ_tensor *one = wanted ? situ_ones_like(x) : NULL;
    int number = 1 + (c->node->outs ? c->node->out[0] : 0); /* each node has its own mask */
    if (drops && one) one = situ_dropped(m, one, rate, false, number);
    if (one) situ_onnx_give(c, 1, situ_cast(situ_not_equal(one, 0), c->opset < 10 ? situ_dtype_of(x) : SITU_BOOL));
    return drops ? situ_dropped(m, x, rate, false, number) : x;
}

/* ---- branches and loops --------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(branch)
{
    const situ_onnx_host *h = situ_onnx_read(c, 0);
    if (!h || h->count < 1) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no condition");
    const situ_onnx_attribute *a = situ_onnx_attr(c, situ_onnx_host_int(h, 0) ? "then_branch" : "else_branch");
    if (!a || !a->g || a->g->results < c->node->outs) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no such branch");
    if (situ_onnx_run_graph(c->run, a->g)) return situ_poisoned();
    for (int i = 0; i < c->node->outs; i++) situ_onnx_give_value(c, i, &c->run->value[a->g->result[i].value]);
    (void)site;
    return NULL;
}

enum { MOST_STEPS = 1 << 20 };

/* Results of a loop's steps, which are stacked along a new axis. */
typedef struct steps {
    situ_tensor ***of;
    int count, capacity;
} steps;

/* A zeroed array; NULL with an error. */
static void *zeros(situ_onnx_call *c, int count, size_t size)
{
    void *p = situ_arena_zeros(&c->run->arena, (size_t)count + 1, size);
    if (!p) situ_fail(SITU_NO_MEMORY, c->run->site, "situ_module_call: out of host memory");
    return p;
}

static bool keep_step(situ_onnx_call *c, steps *s, const situ_onnx_graph *g, int first)
{
    situ_onnx_node end = {.type = "Loop", .name = "", .ins = 1};
    if (!s->of && !(s->of = zeros(c, g->results - first, sizeof *s->of))) return false;
    for (int i = first; i < g->results; i++) {
        if (s->count == s->capacity || !s->of[i - first]) {
            situ_tensor **grown = situ_arena_alloc(&c->run->arena, sizeof *grown * (size_t)(2 * s->capacity + 16));
            if (!grown) return situ_fail(SITU_NO_MEMORY, c->run->site, "situ_module_call: out of host memory"), false;
            if (s->count) memcpy(grown, s->of[i - first], sizeof *grown * (size_t)s->count);
            s->of[i - first] = grown;
        }
        situ_onnx_call e = {c->run, &end, c->opset};
        end.in = (int[]){g->result[i].value};
        s->of[i - first][s->count] = situ_onnx_in(&e, 0);
    }
    if (s->count == s->capacity) s->capacity = 2 * s->capacity + 16;
    s->count++;
    return !situ_error_code;
}

/* Passes the state on: takes all values before it stores any, since a body may return its own inputs. */
static void carry(situ_onnx_value *v, situ_onnx_value *held, const situ_onnx_name *from, const situ_onnx_name *to, int count)
{
    for (int i = 0; i < count; i++) held[i] = v[from[i].value];
    for (int i = 0; i < count; i++) v[to[i].value] = held[i];
}

/* The initial state of a loop; a state without a name has no value. Returns memory for carry, NULL with an error. */
static situ_onnx_value *start(situ_onnx_call *c, const int *in, const situ_onnx_name *to, int count)
{
    situ_onnx_value *v = c->run->value, *held = situ_arena_alloc(&c->run->arena, sizeof *held * ((size_t)count + 1));
    if (!held) return situ_fail(SITU_NO_MEMORY, c->run->site, "situ_module_call: out of host memory"), NULL;
    for (int i = 0; i < count; i++) v[to[i].value] = in[i] >= 0 ? v[in[i]] : (situ_onnx_value){0};
    return held;
}

/* The shape and dtype that the file declares for a result; false if they are incomplete. */
static bool declared(const situ_onnx_name *result, situ_shape *shape, situ_dtype *dtype)
{
    const situ_onnx_type *type = result->type;
    if (!type || type->ndim < 0 || (*dtype = situ_onnx_dtype(type->dtype)) == SITU_DTYPE_DEFAULT) return false;
    shape->ndim = type->ndim;
    for (int i = 0; i < type->ndim; i++)
        if ((shape->dim[i] = type->dim[i]) < 0) return false;
    return true;
}

static int64_t host_or(const situ_onnx_host *h, int64_t otherwise) { return h && h->count ? situ_onnx_host_int(h, 0) : otherwise; }

/* Results of a loop without iterations, from result `first` of its body on: empty tensors in the shape of one step's
 * result, with the 0 at these axes (NULL: in front). The shape comes from the file, or from a step that is recorded
 * but never computed. */
static void give_none(situ_onnx_call *c, const situ_onnx_graph *g, int first, const int64_t *axes, int place)
{
    situ_site site = c->run->site;
    situ_shape *shape = zeros(c, g->results - first, sizeof *shape);
    situ_dtype *dtype = zeros(c, g->results - first, sizeof *dtype);
    bool known = true;
    if (!shape || !dtype) return;
    for (int i = first; i < g->results; i++) known = declared(&g->result[i], &shape[i - first], &dtype[i - first]) && known;
    if (!known && situ_onnx_run_graph(c->run, g)) situ_error_take(NULL);
    for (int i = first; i < g->results && !situ_error_code; i++) {
        situ_onnx_node end = {.type = c->node->type, .name = c->node->name, .ins = 1, .in = (int[]){g->result[i].value}};
        situ_onnx_call e = {c->run, &end, c->opset};
        situ_tensor *one = known ? NULL : situ_onnx_in(&e, 0);
        situ_shape s = known ? shape[i - first] : one ? situ_shape_of(one) : (situ_shape){.ndim = SITU_MAX_DIMS};
        int64_t axis = axes ? axes[i - first] : 0;
        if (axis < 0) axis += s.ndim + 1;
        if (s.ndim == SITU_MAX_DIMS || axis < 0 || axis > s.ndim) {
            situ_onnx_refuse(c, SITU_BAD_SHAPE, "it makes no step, and the file does not say what shape one would give");
            return;
        }
        for (int k = (int)s.ndim++; k > axis; k--) s.dim[k] = s.dim[k - 1];
        s.dim[axis] = 0;
        situ_dtype d = one ? situ_dtype_of(one) : dtype[i - first];
        situ_onnx_give(c, place + i - first, situ_zeros(s, .dtype = d, .device = situ_device_of(c->run->x)));
    }
}

/* Sets the first inputs of a loop's body; false with an error. */
static bool count_step(situ_onnx_call *c, const situ_onnx_graph *g, int64_t step)
{
    situ_onnx_node end = {.type = "Loop", .name = "", .ins = 1, .outs = 1, .out = (int[]){g->input[0].value}};
    situ_onnx_call e = {c->run, &end, c->opset};
    uint8_t *to = situ_onnx_give_host(&e, 0, SITU_I64, 0, NULL);
    if (to) memcpy(to, &step, 8);
    end.out = (int[]){g->input[1].value};
    if (to && (to = situ_onnx_give_host(&e, 0, SITU_BOOL, 0, NULL))) *to = 1;
    return to != NULL;
}

SITU_ONNX_BODY(loop)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "body");
    const situ_onnx_graph *g = a ? a->g : NULL;
    int carried = c->node->ins - 2;
    if (!g || carried < 0 || g->inputs != carried + 2 || g->results < carried + 1)
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "its body has other inputs or results");
    int64_t most = host_or(situ_onnx_read(c, 0), INT64_MAX), go = host_or(situ_onnx_read(c, 1), 1);
    situ_onnx_value *v = c->run->value;
    steps s = {.count = 0};
    situ_onnx_node end = {.type = "Loop", .name = "", .ins = 1, .in = (int[]){g->result[0].value}};
    situ_onnx_call e = {c->run, &end, c->opset};
    situ_onnx_value *held = start(c, c->node->in + 2, g->input + 2, carried);
    for (int64_t step = 0; step < most && go && !situ_error_code; step++) {
        if (step == MOST_STEPS && most == INT64_MAX)
            return situ_onnx_refuse(c, SITU_UNSUPPORTED, "it ends after more than %d steps, or never", MOST_STEPS);
        if (!count_step(c, g, step) || situ_onnx_run_graph(c->run, g) || !keep_step(c, &s, g, carried + 1)) return situ_poisoned();
        go = host_or(situ_onnx_read(&e, 0), 1);
        carry(v, held, g->result + 1, g->input + 2, carried);
    }
    for (int i = 0; i < carried; i++) situ_onnx_give_value(c, i, &v[g->input[i + 2].value]);
    for (int i = carried + 1; i < g->results && s.count; i++)
        situ_onnx_give(c, i - 1, situ_stack(TENSORS_OF(s.of[i - carried - 1], s.count)));
    if (!s.count && !situ_error_code && count_step(c, g, 0)) give_none(c, g, carried + 1, NULL, carried);
    return situ_error_code ? situ_poisoned() : NULL;
}

/* Integers of an attribute, one for each scan; zeros if it is absent. NULL with an error. */
static int64_t *of_scans(situ_onnx_call *c, const char *name, int count)
{
    int64_t *list = zeros(c, count, sizeof *list);
    if (list) situ_onnx_ints(c, name, list, count);
    return situ_error_code ? NULL : list;
}

/* The inputs of a scan's body in one step: slices along its axes; for scans of length 0, slices of the right shape. */
static void give_slices(
    situ_onnx_call *c, const situ_onnx_name *to, int first, const int64_t *axis, const int64_t *flip, int64_t step)
{
    situ_site site = c->run->site;
    for (int i = first; i < c->node->ins && !situ_error_code; i++, axis++, flip++) {
        situ_tensor *x = IN(i);
        situ_shape s = situ_shape_of(x);
        int64_t a = *axis < 0 ? *axis + s.ndim : *axis, n = a < 0 || a >= s.ndim ? -1 : s.dim[a];
        if (n < 0 || (n && step >= n)) situ_onnx_refuse(c, SITU_BAD_SHAPE, "its inputs differ in length, or there is no such axis");
        if (situ_error_code) return;
        for (int k = (int)a + 1; k < s.ndim; k++) s.dim[k - 1] = s.dim[k];
        s.ndim--;
        x = n ? situ_select(x, (int)a, *flip ? n - 1 - step : step) :
                situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x));
        c->run->value[to[i].value] = (situ_onnx_value){.tensor = x};
    }
}

/* Stacks the steps' results, in reverse order with `back`. */
static situ_tensor *stacked(situ_tensor **part, int count, bool back, int64_t axis, situ_site site)
{
    for (int k = 0; back && k < count / 2; k++) {
        situ_tensor *swap = part[k];
        part[k] = part[count - 1 - k];
        part[count - 1 - k] = swap;
    }
    return situ_stack(TENSORS_OF(part, count), .axis = (int32_t)axis);
}

SITU_ONNX_BODY(scan)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "body");
    const situ_onnx_graph *g = a ? a->g : NULL;
    int scans = (int)situ_onnx_int(c, "num_scan_inputs", 0), carried = c->node->ins - scans;
    if (!g || scans < 1 || carried < 0 || g->inputs != c->node->ins || g->results < carried || c->opset < 9)
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "it is of opset 8, or its body has other inputs or results");
    const int64_t *flip = of_scans(c, "scan_input_directions", scans), *axis = of_scans(c, "scan_input_axes", scans),
                  *back = of_scans(c, "scan_output_directions", g->results - carried),
                  *to = of_scans(c, "scan_output_axes", g->results - carried);
    situ_onnx_value *v = c->run->value, *held = start(c, c->node->in, g->input, carried);
    steps s = {.count = 0};
    situ_tensor *x = IN(carried);
    int64_t n = situ_error_code ? 0 : situ_dim(x, (int)axis[0]);
    for (int64_t step = 0; step < n && !situ_error_code; step++) {
        give_slices(c, g->input, carried, axis, flip, step);
        if (situ_error_code || situ_onnx_run_graph(c->run, g) || !keep_step(c, &s, g, carried)) return situ_poisoned();
        carry(v, held, g->result, g->input, carried);
    }
    for (int i = 0; i < carried; i++) situ_onnx_give_value(c, i, &v[g->input[i].value]);
    for (int i = carried; i < g->results && s.count; i++)
        situ_onnx_give(c, i, stacked(s.of[i - carried], s.count, back[i - carried] != 0, to[i - carried], site));
    if (!s.count && !situ_error_code) {
        give_slices(c, g->input, carried, axis, flip, 0);
        if (!situ_error_code) give_none(c, g, carried, to, carried);
    }
    return situ_error_code ? situ_poisoned() : NULL;
}

const situ_onnx_op situ_onnx_control_ops[] = {{.name = "Constant", .body = constant, .host = host_constant},
    {.name = "Identity", .body = identity, .host = host_identity}, {.name = "Dropout", .body = dropout, .read = 6},
    {.name = "If", .body = branch, .read = 1}, {.name = "Loop", .body = loop, .read = 3}, {.name = "Scan", .body = scan}, {0}};
