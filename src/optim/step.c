/* One training step: gradients of all losses, their sum, clipping, and the same update on every device. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <situ/grad.h>

#include "base/hint.h"
#include "base/memory.h"
#include "device/thread.h"
#include "device/trace.h"
#include "func/tree.h"
#include "nn/collectives.h"
#include "op/generate.h"
#include "op/index.h"
#include "op/precision.h"
#include "optim/optimizer.h"
#include "optim/rows.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* out[i] = losses[i] * weights[i] / total, whose gradient is the part's share of the whole batch's. */
static void weigh(situ_list losses, const double *weights, int64_t total, situ_tensor **out, situ_site site)
{
    for (int i = 0; i < losses.count; i++)
        out[i] = total == 1 && !weights ? losses.tensor[i] : situ_mul(losses.tensor[i], weights ? weights[i] : 1.0 / (double)total);
}

static int check_losses(situ_list losses, const char *operation, situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    if (losses.count < 1 || !losses.tensor)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", operation, losses.tensor ? "there is no loss" : "losses is NULL");
    return situ_usable(losses.tensor, losses.count, operation, site) ? 0 : -situ_error_code;
}

situ_tensor *(situ_mean_loss)(situ_list losses, const double *weights, situ_site site)
{
    SITU_SPEAK("situ_mean_loss", site);
    if (check_losses(losses, "situ_mean_loss", site)) return situ_poisoned();
    situ_tensor **part = situ_malloc((size_t)losses.count * sizeof *part);
    if (!part) {
        situ_fail(SITU_NO_MEMORY, site, "situ_mean_loss: out of host memory");
        return situ_poisoned();
    }
    weigh(losses, weights, losses.count, part, site);
    situ_tensor *sum = situ_tree_sum(part, losses.count, site);
    situ_free(part);
    return sum;
}

/* The data of a step, allocated as one block: k trainable parameters, n losses. */
typedef struct step {
    situ_optimizer *opt;
    situ_module *net;
    int n, k;
    situ_site site;
    situ_parameter **parameter; /* [k]              */
    situ_tensor **loss;         /* [n] weighted losses */
    situ_tensor **grad;         /* [n][k]           */
    situ_tensor **sum;          /* [k]              */
    situ_tensor **column;       /* scratch [n] and [k] */
    situ_tensor **variable;     /* variables that change ... */
    situ_tensor **value;        /* ... and their new values */
    int changes;
    situ_looked_up *rows;              /* [k] index NULL: all rows change */
    situ_group *group;                 /* NULL: all losses are on this rank */
    int64_t total;                     /* sum of the weights over all ranks */
    situ_tensor *scale;                /* loss scale [1]; NULL: none */
    situ_tensor *finite[SITU_MIRRORS]; /* with a scale: whether all gradients are finite, by device */
} step;

/* An error: no parameter is trainable. */
static int fail_none(const step *s)
{
    int made = 0;
    for (int i = 0; i < s->net->total; i++) made += s->net->all[i]->made;
    return situ_fail(SITU_BAD_ARGUMENT, s->site, "situ_optimizer_step: the network has no trainable parameters%s",
        made              ? ": all are frozen; " SITU_SAY("situ_module_freeze(net, false)", "net.unfreeze()") " trains them again" :
            s->net->total ? " yet: its first call makes them; compute the loss from what that gives" :
                            ": its parts have none (a tensor of your own is one if it is a variable)");
}

/* Multiplies losses by the scale, in f32, since halves may overflow. */
static void scale_losses(step *s)
{
    situ_site site = s->site;
    situ_tensor *all = situ_scale_variable(s->opt, site);
    if (!all) return;
    s->scale = situ_slice(all, .stop = SHAPE(1));
    s->opt->scaled = situ_reshape(s->scale, SHAPE());
    for (int i = 0; i < s->n; i++) {
        if (situ_is_number(s->loss[i])) continue;
        situ_tensor *loss = situ_cast(s->loss[i], situ_dtype_compute(situ_dtype_of(s->loss[i])));
        situ_tensor *scale = situ_cast(situ_to(s->opt->scaled, situ_device_of(loss)), situ_dtype_of(loss));
        s->loss[i] = situ_mul(loss, scale);
    }
}

/* Divides gradients by the scale. Gradients of halves stay in f32 from here on, unless they are held for a later step. */
static void unscale(step *s)
{
    situ_site site = s->site;
    if (!s->scale) return;
    situ_tensor *by = situ_reciprocal(s->scale);
    for (int k = 0; k < s->k; k++) {
        situ_dtype dtype = situ_dtype_of(s->sum[k]), wide = situ_dtype_compute(dtype);
        situ_tensor *g = situ_mul(situ_cast(s->sum[k], wide), situ_reshape(situ_cast(by, wide), SHAPE()));
        s->sum[k] = s->opt->every == 1 ? g : situ_cast(g, dtype);
    }
}

/* Finds out whether all gradients are finite; if not, the step is skipped. */
static void look(step *s)
{
    situ_site site = s->site;
    if (!s->scale) return;
    situ_tensor *all = NULL;
    for (int k = 0; k < s->k; k++) {
        situ_tensor *one = situ_all(situ_isfinite(s->sum[k]));
        all = all ? situ_logical_and(all, one) : one;
    }
    for (int place = 0; place < s->net->devices; place++) s->finite[place] = situ_to(all, s->net->device[place]);
}

/* The value of a variable of device `place` after the step: unchanged if the step is skipped. */
static situ_tensor *guarded(const step *s, int place, situ_tensor *next, situ_tensor *now)
{
    situ_site site = s->site;
    return s->finite[place] ? situ_where(s->finite[place], next, now) : next;
}

static int step_open(step *s, situ_list losses, const double *weights)
{
    situ_module *net = s->net;
    if (situ_module_number(net)) return -situ_error_code;
    for (int i = 0; i < net->total; i++) {
        const situ_parameter *p = net->all[i];
        s->k += situ_parameter_trains(p);
        if (situ_parameter_rounded(p) && !p->frozen)
            return situ_fail(SITU_BAD_ARGUMENT, s->site,
                "situ_optimizer_step: %s is quantised, which cannot be trained; train the network before it is quantised, or "
                "freeze "
                "that layer (" SITU_SAY("situ_module_freeze", "freeze()") ") to train the others",
                p->path);
    }
    if (!s->k) return fail_none(s);
    size_t n = (size_t)s->n, k = (size_t)s->k, most = n > k ? n : k;
    size_t changes = k * (size_t)net->devices * (1 + (size_t)SITU_SLOTS) + 1;
    size_t pointers = k + n + n * k + k + most + 2 * changes;
    s->parameter = situ_malloc(pointers * sizeof(void *) + k * sizeof *s->rows);
    if (!s->parameter) return situ_fail(SITU_NO_MEMORY, s->site, "situ_optimizer_step: out of host memory");
    s->loss = (situ_tensor **)(s->parameter + k);
    s->grad = s->loss + n;
    s->sum = s->grad + n * k;
    s->column = s->sum + k;
    s->variable = s->column + most;
    s->value = s->variable + changes;
    s->rows = (situ_looked_up *)(s->value + changes);
    s->k = 0;
    for (int i = 0; i < net->total; i++)
        if (situ_parameter_trains(net->all[i])) s->parameter[s->k++] = net->all[i];
    weigh(losses, weights, s->total, s->loss, s->site);
    if (s->opt->first_scale > 0 && (s->n || s->group)) scale_losses(s);
    return situ_error_code ? -situ_error_code : 0;
}

/* False if no loss leads to any parameter: then all gradients are zeros. */
static bool reaches_one(situ_tensor *const *grad, int k)
{
    for (int i = 0; i < k; i++)
        if (grad[i]->op != &situ_op_fill || situ_node_word(grad[i])[0]) return true;
    return false;
}

static int fail_constant(const step *s, int i)
{
    char text[512];
    return situ_fail(SITU_BAD_ARGUMENT, s->site,
        "situ_optimizer_step: loss %d (%s) depends on no parameter of this network: it is a constant, another network's, "
        "or was recorded without gradients; compute it from the network's result, outside of " SITU_SAY(
            "situ_no_grad", "situ.no_grad()"),
        i, situ_operand_text(s->loss[i], text, sizeof text));
}

static int fail_older(const step *s, int i)
{
    char text[512];
    situ_error_take(NULL);
    return situ_fail(SITU_OVERWRITTEN, s->site,
        "situ_optimizer_step: loss %d (%s) was computed before another step changed the parameters; compute it anew, from what the "
        "network gives after that",
        i, situ_operand_text(s->loss[i], text, sizeof text));
}

static situ_tensor *flat(situ_tensor **part, int n, situ_site site)
{
    for (int k = 0; k < n; k++) part[k] = situ_reshape(part[k], SHAPE(-1));
    return situ_concat(TENSORS_OF(part, n));
}

enum { BUCKET_BYTES = 1 << 20 };

static bool is_of(const step *s, int k, situ_dtype dtype) { return situ_dtype_of(s->parameter[k]->copy[0]) == dtype; }
static int64_t bytes_of(const step *s, int k) { return (int64_t)situ_node_bytes(s->parameter[k]->copy[0]); }

/* Sums the gradients of parameters first ... end - 1 with this dtype over all ranks: for each loss they travel as one
 * vector, while the program goes on. */
static int sum_bucket(step *s, situ_dtype dtype, int first, int end, situ_tensor **vector)
{
    situ_site site = s->site;
    int64_t count = 0, at = 0;
    for (int k = first; k < end; k++)
        if (is_of(s, k, dtype)) count += situ_node_count(s->parameter[k]->copy[0]);
    for (int i = 0; i < s->n; i++) {
        int n = 0;
        for (int k = first; k < end; k++)
            if (is_of(s, k, dtype)) s->column[n++] = s->grad[i * s->k + k];
        vector[i] = flat(s->column, n, site);
    }
    situ_tensor *like = situ_zeros(SHAPE(count), .dtype = dtype, .device = s->net->device[0]);
    situ_tensor *sum = situ_collectives_here()->tree_sum(s->group, TENSORS_OF(vector, s->n), s->total, like, site);
    for (int k = first; k < end; k++) {
        const situ_tensor *p = s->parameter[k]->copy[0];
        if (!is_of(s, k, dtype)) continue;
        int64_t n = situ_node_count(p);
        s->sum[k] = situ_reshape(situ_slice(sum, .start = SHAPE(at), .stop = SHAPE(at + n)), situ_shape_like(p));
        at += n;
    }
    return -situ_error_code;
}

/* Sums in buckets of about equal size, the last parameters first: their gradients are ready first, and travel while
 * others are computed. */
static int sum_over_ranks(step *s, situ_dtype dtype, situ_tensor **vector)
{
    int64_t bytes = 0, held = 0;
    for (int k = 0; k < s->k; k++)
        if (is_of(s, k, dtype)) bytes += bytes_of(s, k);
    int64_t buckets = bytes / BUCKET_BYTES, most = bytes / (buckets ? buckets : 1);
    for (int end = s->k, k = s->k; k-- > 0 && !situ_error_code;) {
        if (!is_of(s, k, dtype)) continue;
        held += bytes_of(s, k);
        bytes -= bytes_of(s, k);
        if (held < most && bytes) continue;
        sum_bucket(s, dtype, k, end, vector);
        end = k;
        held = 0;
    }
    return -situ_error_code;
}

static int sum_all(step *s)
{
    situ_tensor **vector = s->group ? situ_malloc(((size_t)s->n + 1) * sizeof *vector) : NULL;
    if (s->group && !vector) return situ_fail(SITU_NO_MEMORY, s->site, "situ_optimizer_step: out of host memory");
    for (int d = 0; d < SITU_DTYPES && s->group; d++)
        if (sum_over_ranks(s, (situ_dtype)d, vector)) break;
    situ_free(vector);
    for (int k = 0; k < s->k && !s->group; k++) {
        for (int i = 0; i < s->n; i++) s->column[i] = s->grad[i * s->k + k];
        s->sum[k] = situ_tree_sum(s->column, s->n, s->site);
    }
    return situ_error_code ? -situ_error_code : 0;
}

/* grad[i] = gradients of loss i on its device; sum = gradients of the whole batch, on the first device. */
static int gradients(step *s)
{
    char text[512];
    for (int i = 0; i < s->n; i++) {
        if (situ_is_number(s->loss[i])) return fail_constant(s, i);
        int place = situ_module_place(s->net, situ_device_of(s->loss[i]));
        if (place < 0)
            return situ_fail(SITU_BAD_DEVICE, s->site,
                "situ_optimizer_step: loss %d (%s) is on no device of the network; see " SITU_SAY(
                    "situ_module_mirror", "net.mirror"),
                i, situ_operand_text(s->loss[i], text, sizeof text));
        for (int k = 0; k < s->k; k++) s->column[k] = s->parameter[k]->copy[place];
        bool recorded = !(s->loss[i]->flags & SITU_NODE_NO_GRAD);
        int rc = recorded ? (situ_grad)(s->loss[i], TENSORS_OF(s->column, s->k), s->grad + i * s->k, s->site) : 0;
        if (rc == -SITU_OVERWRITTEN) return fail_older(s, i);
        if (rc) return rc;
        if (!recorded || !reaches_one(s->grad + i * s->k, s->k)) return fail_constant(s, i);
    }
    int rc = sum_all(s);
    unscale(s);
    return rc ? rc : -situ_error_code;
}

static void clip(step *s)
{
    situ_site site = s->site;
    double most = *s->opt->clip_value;
    for (int k = 0; most > 0 && k < s->k; k++) s->sum[k] = situ_clip(s->sum[k], -most, most);
    if (!(*s->opt->clip_norm > 0)) return;
    situ_tensor *norm = (situ_global_norm)(TENSORS_OF(s->sum, s->k), site);
    situ_tensor *scale = situ_minimum(situ_div(*s->opt->clip_norm, situ_add(norm, 1e-6)), 1.0);
    for (int k = 0; k < s->k; k++) s->sum[k] = situ_mul(s->sum[k], situ_cast(scale, (situ_dtype)s->sum[k]->dtype));
}

static void change(step *s, situ_tensor *variable, situ_tensor *value)
{
    s->variable[s->changes] = variable;
    s->value[s->changes++] = value;
}

static situ_tensor *rows_of(situ_tensor *table, const situ_looked_up *rows)
{
    situ_speaker before = situ_speak_not();
    situ_tensor *t = (situ_take)(table, rows->index, NULL, rows->site);
    situ_spoken(&before);
    return t;
}

static situ_tensor *with_rows(situ_tensor *table, const situ_looked_up *rows, situ_tensor *value)
{
    situ_speaker before = situ_speak_not();
    situ_tensor *t = situ_index_copy(table, rows->index, value, rows->site);
    situ_spoken(&before);
    return t;
}

/* The rule's new `value` for gradient g with parameter k's moments, or only its looked-up rows unless `rows` is NULL;
 * NULL with an error. Errors in a user's rule name their own operations. u holds the moments and receives their new
 * values. */
static situ_tensor *next_value(
    step *s, int k, int place, situ_tensor *value, situ_tensor *g, const situ_looked_up *rows, situ_optimizer_update *u)
{
    situ_optimizer *opt = s->opt;
    situ_parameter *parameter = s->parameter[k];
    const void *options = situ_optimizer_present(opt, parameter);
    situ_site site = s->site;
    situ_dtype dtype = situ_dtype_of(value), wide = situ_dtype_compute(dtype);
    situ_moments *m = situ_optimizer_moments(opt, parameter, value, place, options, site);
    if (!m) return NULL;
    situ_tensor *now = rows ? rows_of(value, rows) : value, *slot[SITU_OPTIMIZER_SLOTS];
    *u = (situ_optimizer_update){.options = options, .step = opt->steps + 1, .site = site};
    u->p = situ_cast(now, wide); /* in f16 an eps of 1e-8 would be 0 */
    u->g = situ_cast(g, wide);
    memcpy(u->slot, m->slot, sizeof u->slot);
    for (int i = 0; i < SITU_OPTIMIZER_SLOTS; i++) slot[i] = rows && u->slot[i] ? rows_of(u->slot[i], rows) : u->slot[i];
    memcpy(u->slot, slot, sizeof u->slot);
    situ_speaker before = opt->foreign ? situ_speak_not() : situ_speaking;
    situ_tensor *next = opt->rule->update(u);
    if (opt->foreign) situ_spoken(&before);
    if (situ_error_code) return NULL;
    if (!next) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_optimizer_step: the rule %s gave no value for %s", opt->rule->name, parameter->path);
        return NULL;
    }
    for (int i = 0; i < SITU_OPTIMIZER_SLOTS; i++) {
        if (!u->next[i] || !slot[i]) continue;
        u->next[i] = guarded(s, place, u->next[i], slot[i]);
        if (rows) u->next[i] = with_rows(m->slot[i], rows, u->next[i]);
    }
    memcpy(u->slot, m->slot, sizeof u->slot);
    next = guarded(s, place, situ_cast(next, dtype), now);
    return rows ? with_rows(value, rows, next) : next;
}

/* Moments come after the parameter: in this order the plan has the fewest live values. */
static void change_moments(step *s, const situ_optimizer_update *u)
{
    for (int i = 0; i < SITU_OPTIMIZER_SLOTS; i++)
        if (u->next[i] && u->slot[i]) change(s, u->slot[i], u->next[i]);
}

/* Schedules the change of parameter k and of its moving average. */
static int give(step *s, int k, int place, situ_tensor *next)
{
    situ_optimizer *opt = s->opt;
    situ_site site = s->site;
    if (!next || situ_error_code) return -situ_error_code;
    change(s, s->parameter[k]->copy[place], next);
    if (!(opt->average > 0)) return 0;
    situ_moments *m = situ_optimizer_moments(opt, s->parameter[k], NULL, place, NULL, site);
    situ_tensor *average = m ? situ_optimizer_slot(opt, m, SITU_SLOT_AVERAGE, s->parameter[k], place, site) : NULL;
    if (!average) return -situ_error_code;
    situ_tensor *moved = situ_add(situ_mul(average, opt->average), situ_mul(next, 1 - opt->average));
    change(s, average, opt->averaged ? guarded(s, place, moved, average) : next);
    return 0;
}

/* Finds the rows of parameter k that a step changes; false: all rows. */
static bool find_rows(const step *s, int k, situ_looked_up *rows)
{
    const situ_optimizer *opt = s->opt;
    const void *options = opt->rule->rows ? situ_optimizer_present(s->opt, s->parameter[k]) : NULL;
    situ_rows kind = options ? opt->rule->rows(options) : SITU_ROWS_CHANGE;
    if (kind == SITU_ROWS_LAZY && (s->group || opt->every > 1)) {
        situ_fail(SITU_BAD_OPTION, s->site,
            "situ_optimizer_step: " SITU_SAY(
                ".lazy_rows", "lazy_rows") " (%s) is not for %s, where nobody knows which rows were looked "
                                           "up; set it to false",
            s->parameter[k]->path, s->group ? "groups of processes" : "accumulated gradients");
        return false;
    }
    if (s->group || opt->every > 1 || (kind == SITU_ROWS_STAY && opt->average > 0)) return false;
    return situ_rows_find(s->grad + k, s->n, s->k, s->sum[k], kind, rows, s->site);
}

/* Finds and sums the rows once, whatever the number of devices. */
static int find_all_rows(step *s)
{
    for (int k = 0; k < s->k; k++)
        if (!find_rows(s, k, &s->rows[k])) s->rows[k].index = NULL;
    return -situ_error_code;
}

static int update(step *s, int k, int place)
{
    situ_site site = s->site;
    situ_device device = s->net->device[place];
    situ_looked_up rows = s->rows[k];
    bool some = rows.index;
    if (some) rows.index = situ_to(rows.index, device);
    situ_tensor *g = situ_to(some ? rows.g : s->sum[k], device);
    situ_optimizer_update u;
    int rc = give(s, k, place, next_value(s, k, place, s->parameter[k]->copy[place], g, some ? &rows : NULL, &u));
    if (!rc) change_moments(s, &u);
    return rc;
}

/* The update of all parameters as one vector. */
static int update_whole(step *s, int place)
{
    situ_site site = s->site;
    for (int k = 0; k < s->k; k++) s->column[k] = s->parameter[k]->copy[place];
    situ_tensor *value = flat(s->column, s->k, site);
    for (int k = 0; k < s->k; k++) s->column[k] = situ_to(s->sum[k], s->net->device[place]);
    situ_optimizer_update u;
    situ_tensor *next = next_value(s, 0, place, value, flat(s->column, s->k, site), NULL, &u);
    int64_t at = 0;
    int rc = next ? 0 : -situ_error_code;
    for (int k = 0; !rc && k < s->k; k++) {
        situ_tensor *p = s->parameter[k]->copy[place];
        int64_t n = situ_node_count(p);
        situ_tensor *part = situ_slice(next, .start = SHAPE(at), .stop = SHAPE(at + n));
        rc = give(s, k, place, situ_reshape(part, situ_shape_like(p)));
        at += n;
    }
    if (!rc) change_moments(s, &u);
    return rc;
}

/* Adds the gradients to those held for a later step, each with its share of the mean. 1: the step waits for more. */
static int hold(step *s)
{
    situ_optimizer *opt = s->opt;
    situ_site site = s->site;
    if (opt->every == 1) return 0;
    int place = situ_module_place(s->net, situ_device_of(s->sum[0]));
    for (int k = 0; k < s->k; k++) {
        situ_moments *m = situ_optimizer_moments(opt, s->parameter[k], NULL, place, NULL, site);
        situ_tensor *held = m ? situ_optimizer_slot(opt, m, SITU_SLOT_HELD, s->parameter[k], place, site) : NULL;
        if (!held) return -situ_error_code;
        s->sum[k] = situ_mul(s->sum[k], 1.0 / opt->every);
        if (opt->held) s->sum[k] = situ_add(held, s->sum[k]);
        if (opt->held + 1 < opt->every) change(s, held, s->sum[k]);
    }
    if (opt->held + 1 == opt->every) return 0;
    int rc = (situ_assign_all)(TENSORS_OF(s->variable, s->changes), TENSORS_OF(s->value, s->changes), site);
    if (!rc) opt->held++;
    return rc ? rc : 1;
}

/* Computes all changes before the first is made, so that a failure changes nothing. */
static int updates(step *s)
{
    int rc = 0;
    situ_site site = s->site;
    if (s->scale) {
        int first = situ_module_place(s->net, situ_device_of(s->opt->scale));
        change(s, s->opt->scale, situ_scale_next(s->opt->scale, s->finite[first], site));
    }
    if (!s->opt->rule->whole) rc = find_all_rows(s);
    for (int place = 0; !rc && place < s->net->devices; place++) {
        if (s->opt->rule->whole) rc = update_whole(s, place);
        for (int k = 0; !rc && !s->opt->rule->whole && k < s->k; k++) rc = update(s, k, place);
    }
    if (!rc) rc = (situ_assign_all)(TENSORS_OF(s->variable, s->changes), TENSORS_OF(s->value, s->changes), s->site);
    if (rc) return rc;
    s->opt->steps++;
    s->opt->held = 0;
    s->opt->averaged += s->opt->average > 0;
    return 0;
}

/* Checks that a step makes sense in this state. */
static int check_state(situ_optimizer *opt, situ_site site)
{
    if (opt->swapped)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_optimizer_step: the network has the averages of its parameters; bring the parameters back by " SITU_SAY(
                "situ_optimizer_swap_average", "swap_average") " first");
    double factor = opt->schedule.now = situ_schedule_factor(opt, opt->steps);
    if (factor >= 0 && factor <= FLT_MAX) return 0;
    return situ_fail(SITU_BAD_NUMBER, site,
        "situ_optimizer_step: the schedule's factor at step %lld is %g; it is at least 0 and finite", (long long)opt->steps,
        factor);
}

static int check_cut(const situ_group *group, situ_list losses, int64_t total, situ_site site)
{
    int64_t first = 0, count = group ? situ_collectives_here()->cut(group, total, &first) : total;
    if (losses.count == count && total > 0) return 0;
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "situ_optimizer_step_group: rank %d gives %d of %lld losses; %s gives it %lld, from loss %lld on",
        situ_collectives_here()->rank(group), losses.count, (long long)total, SITU_SAY("situ_group_cut", "group.cut"),
        (long long)count, (long long)first);
}

/* SITU_DEBUG=hints: warns if a thread makes a step after another thread's step. Without a lock between them a loss may
 * have been recorded with older parameters. (Handing a training over once is fine.) */
static void hint_threads(situ_optimizer *opt, situ_site site)
{
    uint64_t here = situ_thread_number(), before = situ_hints() ? atomic_exchange(&opt->stepper, here) : 0;
    if (before && before != here && ++opt->handed == 2)
        situ_hint(site,
            "situ_optimizer_step: several threads make steps of one optimizer; its steps and the losses that they are of have to "
            "follow each other, which nothing here ensures: give each thread a network and an optimizer of its own, or all losses "
            "of a step to one call of " SITU_SAY("situ_optimizer_step_n", "optimizer.step"));
}

/* SITU_DEBUG=hints: warns of a loss that has become NaN, which a loop that never reads the loss would not notice. It
 * reads nothing while a guard limits reads. */
static void hint_nan(const situ_optimizer *opt, situ_list losses, situ_site site)
{
    if (!situ_hints() || situ_error_code || opt->first_scale > 0 || (situ_thread_record && situ_thread_record->guards)) return;
    for (int i = 0; i < losses.count; i++) {
        double loss = (situ_item)(losses.tensor[i], site);
        if (!isnan(loss) || situ_error_code) continue;
        situ_hint(site,
            "situ_optimizer_step: the loss of step %lld is NaN, and so are the parameters from then on; SITU_DEBUG=nan says which "
            "operation made the first one (a smaller learning rate, " SITU_SAY(".clip_norm", "clip_norm") " or inputs near 1 may "
                                                                                                          "help)",
            (long long)opt->steps);
    }
}

static int make_step(situ_optimizer *opt, situ_list losses, const double *weights, situ_group *group, int64_t total, situ_site site)
{
    if (situ_ended(opt, "situ_optimizer_step", "optimizer", site) ||
        (opt && situ_ended(opt->net, "situ_optimizer_step", "optimizer's network", site)))
        return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_optimizer_step: the optimizer is NULL");
    hint_threads(opt, site);
    int rc = group && !losses.count ? -situ_error_code : check_losses(losses, "situ_optimizer_step", site);
    if (!rc) rc = check_state(opt, site);
    if (rc) return rc;
    double start = situ_tracing() ? situ_seconds() : 0;
    uint8_t precision = situ_precision_swap(0);
    step s = {.opt = opt, .net = opt->net, .n = losses.count, .site = site, .group = group, .total = total};
    rc = step_open(&s, losses, weights);
    if (!rc) rc = gradients(&s);
    if (!rc && opt->watched) opt->norm = (situ_global_norm)(TENSORS_OF(s.sum, s.k), site);
    if (!rc) rc = hold(&s);
    if (!rc) look(&s);
    if (!rc) clip(&s);
    if (!rc) rc = updates(&s);
    situ_precision_swap(precision);
    situ_free(s.parameter);
    if (situ_tracing())
        situ_trace_add(&(situ_trace_event){.name = "situ_optimizer_step", .site = site, .start = start, .end = situ_seconds()});
    return rc > 0 ? 0 : rc;
}

int(situ_optimizer_step_n)(situ_optimizer *opt, situ_list losses, const double *weights, situ_site site)
{
    SITU_SPEAK("situ_optimizer_step_n", site);
    int rc = make_step(opt, losses, weights, NULL, losses.count, site);
    if (!rc) hint_nan(opt, losses, site);
    return rc;
}

int(situ_optimizer_step_group)(
    situ_optimizer *opt, situ_list losses, const double *weights, situ_group *group, int64_t total, situ_site site)
{
    SITU_SPEAK("situ_optimizer_step_group", site);
    if (situ_error_code || situ_ended(group, "situ_optimizer_step_group", "group", site) || check_cut(group, losses, total, site))
        return -situ_error_code;
    return make_step(opt, losses, weights, situ_ranks_of(group) > 1 ? group : NULL, total, site);
}

int(situ_optimizer_step)(situ_optimizer *opt, situ_tensor *loss, situ_site site)
{
    SITU_SPEAK("situ_optimizer_step", site);
    return (situ_optimizer_step_n)(opt, TENSORS(loss), NULL, site);
}

int(situ_optimizer_swap_average)(situ_optimizer *opt, situ_site site)
{
    static const char name[] = "situ_optimizer_swap_average";
    SITU_SPEAK(name, site);
    if (situ_error_code || situ_ended(opt, name, "optimizer", site) ||
        (opt && situ_ended(opt->net, name, "optimizer's network", site)))
        return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer is NULL", name);
    if (!opt->averaged)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: no step has been made since averages are kept (" SITU_SAY("situ_optimizer_set_average", "set_average") ")", name);
    step s = {.opt = opt, .net = opt->net, .site = site};
    int rc = step_open(&s, TENSORS_OF(NULL, 0), NULL);
    for (int place = 0; !rc && place < s.net->devices; place++)
        for (int k = 0; !rc && k < s.k; k++) {
            situ_parameter *p = s.parameter[k];
            situ_moments *m = situ_optimizer_moments(opt, p, NULL, place, NULL, site);
            situ_tensor *average = m ? situ_optimizer_slot(opt, m, SITU_SLOT_AVERAGE, p, place, site) : NULL;
            rc = average ? 0 : -situ_error_code;
            if (rc) break;
            situ_tensor *now = situ_itself(p->copy[place], site);
            change(&s, p->copy[place], situ_itself(average, site));
            change(&s, average, now);
        }
    if (!rc) rc = (situ_assign_all)(TENSORS_OF(s.variable, s.changes), TENSORS_OF(s.value, s.changes), site);
    if (!rc) opt->swapped = !opt->swapped;
    situ_free(s.parameter);
    return rc;
}
