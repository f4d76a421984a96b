/* The optimizer object: its moments and settings. */
#include "optim/optimizer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Checks the hyper-parameters, and the rule itself. */
static int check(const situ_optimizer_rule *rule, const situ_module *net, const char *operation, situ_site site)
{
    if (situ_ended(net, operation, "network", site)) return -situ_error_code;
    if (!net || net->parent)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", operation,
            net ? "this is a part of a network; train the whole" : "the network is NULL");
    if (!rule || !rule->name || !rule->update || !rule->size)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", operation,
            rule ? "the rule has no name, no update or no options" : "the rule is NULL");
    if (!situ_hyper_find(rule->hyper, rule->hypers, "lr", SITU_HYPER_DOUBLE))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: the rule %s has no double .lr among its hyper-parameters", operation, rule->name);
    return 0;
}

static double *number(situ_optimizer *opt, const char *name, double *without)
{
    const situ_hyper *row = situ_hyper_find(opt->rule->hyper, opt->rule->hypers, name, SITU_HYPER_DOUBLE);
    return row ? (double *)(void *)(opt->options + row->offset) : without;
}

situ_optimizer *situ_optimizer_new(
    situ_module *net, const situ_optimizer_rule *rule, const void *options, bool foreign, const char *operation, situ_site site)
{
    if (check(rule, net, operation, site)) return NULL;
    size_t capacity = (rule->size + 15) / 16 * 16;
    situ_optimizer *opt = situ_calloc(1, sizeof *opt + 2 * capacity);
    if (!opt) {
        situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", operation);
        return NULL;
    }
    *opt = (situ_optimizer){
        .handle = SITU_HANDLE_NEW(OPTIMIZER), .rule = rule, .foreign = foreign, .net = net, .every = 1, .schedule.now = 1};
    opt->present = opt->options + capacity;
    if (options) memcpy(opt->options, options, rule->size);
    for (int i = 0; !options && i < rule->hypers; i++) situ_hyper_set(&rule->hyper[i], opt->options, rule->hyper[i].value);
    opt->lr = number(opt, "lr", NULL);
    opt->clip_norm = number(opt, "clip_norm", &opt->no_clip_norm);
    opt->clip_value = number(opt, "clip_value", &opt->no_clip_value);
    int slots = rule->slots ? rule->slots(opt->options) : 0;
    const char *wrong = NULL;
    if (situ_hyper_check(rule->hyper, rule->hypers, opt->options, operation, site) ||
        (rule->wrong && (wrong = rule->wrong(opt->options)))) {
        if (wrong) situ_fail(SITU_BAD_OPTION, site, "%s: %s", operation, wrong);
    } else if (slots < 0 || slots > SITU_OPTIMIZER_SLOTS) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: a parameter has %d slots; there are 0 to %d", operation, slots, SITU_OPTIMIZER_SLOTS);
    } else {
        situ_handle_hold(net);
        return opt;
    }
    situ_free(opt);
    return NULL;
}

situ_optimizer *situ_optimizer_custom(situ_module *net, const situ_optimizer_rule *rule, const void *options)
{
    situ_site site = situ_speaking.site;
    SITU_SPEAK_AT("situ_optimizer_custom");
    if (situ_error_code) return NULL;
    return situ_optimizer_new(net, rule, options, true, "situ_optimizer_custom", site);
}

static void free_state(const situ_optimizer *opt)
{
    for (int i = 0; i < opt->rows * SITU_MIRRORS; i++)
        for (int k = 0; k < SITU_SLOTS; k++) situ_release(opt->moments[i].slot[k]);
    for (int i = 0; i < opt->specials; i++) situ_free(opt->special[i].paths);
    situ_release(opt->scale);
    situ_free(opt->special);
    situ_free(opt->schedule.mark);
    situ_free(opt->moments);
    situ_free(opt->owner);
}

/* ---- replacing the whole state ---------------------------------------------------------------------------------------------- */

static double *inside(const situ_optimizer *from, const double *at, situ_optimizer *to)
{
    return (double *)(void *)((char *)to + ((const char *)at - (const char *)from));
}

situ_optimizer *situ_optimizer_twin(const situ_optimizer *opt)
{
    size_t capacity = (opt->rule->size + 15) / 16 * 16;
    situ_optimizer *twin = situ_malloc(sizeof *opt + 2 * capacity);
    if (!twin) return NULL;
    memcpy(twin, opt, sizeof *opt + 2 * capacity);
    twin->present = twin->options + capacity;
    twin->lr = inside(opt, opt->lr, twin);
    twin->clip_norm = inside(opt, opt->clip_norm, twin);
    twin->clip_value = inside(opt, opt->clip_value, twin);
    twin->special = NULL;
    twin->moments = NULL;
    twin->owner = NULL;
    twin->schedule.mark = NULL;
    twin->scale = NULL;
    twin->newest = 0;
    twin->specials = twin->rows = twin->last = twin->schedule.marks = 0;
    return twin;
}

void situ_optimizer_exchange(situ_optimizer *opt, situ_optimizer *twin)
{
    char option;
#define EXCHANGE(field) \
    do { \
        __typeof__(opt->field) was = opt->field; \
        opt->field = twin->field, twin->field = was; \
    } while (0)
    EXCHANGE(steps);
    EXCHANGE(schedule);
    EXCHANGE(special);
    EXCHANGE(specials);
    EXCHANGE(every);
    EXCHANGE(held);
    EXCHANGE(average);
    EXCHANGE(averaged);
    EXCHANGE(first_scale);
    EXCHANGE(scale);
    EXCHANGE(swapped);
    EXCHANGE(rows);
    EXCHANGE(last);
    EXCHANGE(newest);
    EXCHANGE(moments);
    EXCHANGE(owner);
#undef EXCHANGE
    for (size_t i = 0; i < opt->rule->size; i++)
        option = opt->options[i], opt->options[i] = twin->options[i], twin->options[i] = option;
}

void situ_optimizer_twin_free(situ_optimizer *twin)
{
    if (twin) free_state(twin);
    situ_free(twin);
}

void situ_optimizer_free(situ_optimizer *opt)
{
    situ_site site = situ_passed_site();
    if (!opt || situ_ended(opt, "situ_optimizer_free", "optimizer", site)) return;
    free_state(opt);
    if (situ_handle_let_go(opt->net)) situ_retire(opt->net);
    if (situ_handle_end(opt, site)) situ_retire(opt);
}

/* Index of the row with p's moments, a new one if it has none; -1 with an error. Usually called for parameters in
 * order. */
static int row_of(situ_optimizer *opt, const situ_parameter *p, situ_site site)
{
    for (int i = 0; i < opt->rows && p->id <= opt->newest; i++) {
        int row = (opt->last + 1 + i) % opt->rows;
        if (opt->owner[row] == p->id) return opt->last = row;
    }
    int64_t *owner = situ_realloc(opt->owner, (size_t)(opt->rows + 1) * sizeof *owner);
    if (owner) opt->owner = owner;
    situ_moments *grown = owner ? situ_realloc(opt->moments, (size_t)(opt->rows + 1) * SITU_MIRRORS * sizeof *grown) : NULL;
    if (!grown) {
        situ_fail(SITU_NO_MEMORY, site, "situ_optimizer_step: out of host memory");
        return -1;
    }
    opt->moments = grown;
    memset(grown + opt->rows * SITU_MIRRORS, 0, SITU_MIRRORS * sizeof *grown);
    owner[opt->rows] = p->id;
    if (p->id > opt->newest) opt->newest = p->id;
    return opt->last = opt->rows++;
}

/* Initial value of a moment. Moments have the dtype in which the rule computes; the moving average has the
 * parameter's. */
static situ_tensor *first(const situ_optimizer *opt, int slot, situ_tensor *p, const void *options, situ_site site)
{
    situ_dtype dtype = situ_dtype_of(p), wide = slot < SITU_OPTIMIZER_SLOTS ? situ_dtype_compute(dtype) : dtype;
    if (slot >= SITU_OPTIMIZER_SLOTS || !opt->rule->first)
        return situ_zeros(situ_shape_of(p), .dtype = wide, .device = situ_device_of(p));
    p = situ_cast(p, wide);
    SITU_SPEAK_NOT;
    return opt->rule->first(p, slot, options);
}

/* A moment of p's copy on device `place`: the existing one, else a copy from another device, else the rule's initial
 * value; NULL if the rule has none. */
static situ_tensor *moment(
    const situ_optimizer *opt, situ_moments *all, int place, int slot, situ_tensor *p, const void *options, situ_site site)
{
    static const char *const names[SITU_SLOTS] = {
        "optimizer.m", "optimizer.v", "optimizer.2", "optimizer.3", "optimizer.held", "optimizer.average"};
    situ_tensor *own = all[place].slot[slot], *other = own;
    situ_device d = situ_device_of(p);
    if (own && situ_device_equal(situ_device_of(own), d)) return own;
    for (int i = 0; i < SITU_MIRRORS && !other; i++) other = all[i].slot[slot];
    if (!other && !(other = first(opt, slot, p, options, site))) return NULL;
    situ_tensor *made = situ_variable(situ_to(other, d), .trainable = false, .name = names[slot]);
    if (situ_error_code) return NULL;
    situ_release(own);
    return all[place].slot[slot] = made;
}

situ_moments *situ_optimizer_moments(
    situ_optimizer *opt, const situ_parameter *p, situ_tensor *value, int place, const void *options, situ_site site)
{
    int row = row_of(opt, p, site), slots = options && opt->rule->slots ? opt->rule->slots(options) : 0;
    if (row < 0) return NULL;
    situ_moments *all = opt->moments + row * SITU_MIRRORS;
    for (int slot = 0; slot < slots; slot++)
        if (!moment(opt, all, place, slot, value, options, site) && situ_error_code) return NULL;
    return &all[place];
}

situ_tensor *situ_optimizer_slot(situ_optimizer *opt, situ_moments *m, int slot, const situ_parameter *p, int place, situ_site site)
{
    return moment(opt, m - place, place, slot, p->copy[place], opt->options, site);
}

/* ---- groups ----------------------------------------------------------------------------------------------------------------- */

/* Does the path match the pattern, in which * stands for any text? */
static bool matches(const char *pattern, const char *path)
{
    const char *star = NULL, *from = path;
    while (*path) {
        if (*pattern == '*') {
            star = ++pattern;
            from = path;
        } else if (*pattern == *path) {
            pattern++, path++;
        } else if (star) {
            pattern = star;
            path = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static void scale(const situ_optimizer *opt, const char *name, double factor)
{
    const situ_hyper *row = situ_hyper_find(opt->rule->hyper, opt->rule->hypers, name, SITU_HYPER_DOUBLE);
    if (row) situ_hyper_set(row, opt->present, situ_hyper_get(row, opt->present) * factor);
}

const void *situ_optimizer_present(situ_optimizer *opt, const situ_parameter *p)
{
    double factor = opt->schedule.now;
    if (!opt->specials && factor == 1) return opt->options;
    memcpy(opt->present, opt->options, opt->rule->size);
    for (int i = 0; i < opt->specials; i++)
        if (matches(opt->special[i].paths, p->path)) situ_hyper_set(opt->special[i].row, opt->present, opt->special[i].value);
    if (factor != 1) {
        scale(opt, "lr", factor);
        scale(opt, "adam_lr", factor);
    }
    return opt->present;
}

/* The rule's row of this name, if the value is in its range; NULL with an error that lists the names. */
static const situ_hyper *known(const situ_optimizer *opt, const char *hyper, double value, situ_site site)
{
    char list[400] = "";
    for (int i = 0; i < opt->rule->hypers; i++) {
        const situ_hyper *row = &opt->rule->hyper[i];
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", row->name);
        if (strcmp(row->name, hyper)) continue;
        bool whole = row->type == SITU_HYPER_DOUBLE || value == rint(value);
        if (whole && value >= row->least && (row->open ? value < row->most : value <= row->most)) return row;
        situ_fail(SITU_BAD_OPTION, site, "situ_optimizer_set: %s = %g is out of its range, %g to %g%s (%s)", hyper, value,
            row->least, row->most, row->open ? " exclusive" : "", row->help);
        return NULL;
    }
    situ_fail(
        SITU_BAD_OPTION, site, "situ_optimizer_set: %s has no hyper-parameter \"%s\"; it has %s", opt->rule->name, hyper, list);
    return NULL;
}

static bool some_match(const situ_optimizer *opt, const char *paths, situ_site site)
{
    const situ_module *net = opt->net;
    if (situ_module_number(net)) return false;
    for (int i = 0; i < net->total; i++)
        if (matches(paths, net->all[i]->path)) return true;
    situ_fail(SITU_BAD_ARGUMENT, site, "situ_optimizer_set: no parameter of the network is called \"%s\"%s%s", paths,
        net->total ? "; the first one is " : "; it has none yet", net->total ? net->all[0]->path : "");
    return false;
}

int situ_optimizer_set(situ_optimizer *opt, const char *paths, const char *hyper, double value)
{
    situ_site site = situ_speaking.site;
    SITU_SPEAK_AT("situ_optimizer_set");
    if (situ_error_code || situ_ended(opt, "situ_optimizer_set", "optimizer", site)) return -situ_error_code;
    if (!opt || !hyper)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_optimizer_set: the %s is NULL", opt ? "hyper-parameter's name" : "optimizer");
    const situ_hyper *row = known(opt, hyper, value, site);
    if (row && paths && opt->rule->whole)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_optimizer_set: %s changes all parameters as one vector; pass NULL as paths",
            opt->rule->name);
    if (!row || (paths && !some_match(opt, paths, site))) return -situ_error_code;
    if (paths &&
        (row->offset == (size_t)((char *)opt->clip_norm - opt->options) ||
            row->offset == (size_t)((char *)opt->clip_value - opt->options)))
        return situ_fail(
            SITU_BAD_OPTION, site, "situ_optimizer_set: %s is one number for all gradients; pass NULL as paths", hyper);
    if (!paths) {
        double before = situ_hyper_get(row, opt->options);
        situ_hyper_set(row, opt->options, value);
        const char *wrong = opt->rule->wrong ? opt->rule->wrong(opt->options) : NULL;
        if (!wrong) return 0;
        situ_hyper_set(row, opt->options, before);
        return situ_fail(SITU_BAD_OPTION, site, "situ_optimizer_set: %s", wrong);
    }
    situ_special *grown = situ_realloc(opt->special, (size_t)(opt->specials + 1) * sizeof *grown);
    if (grown) opt->special = grown;
    char *copy = grown ? situ_malloc(strlen(paths) + 1) : NULL;
    if (!copy) return situ_fail(SITU_NO_MEMORY, site, "situ_optimizer_set: out of host memory");
    opt->special[opt->specials++] = (situ_special){strcpy(copy, paths), row, value};
    return 0;
}

/* ---- settings -------------------------------------------------------------------------------------------------------------- */

static int set(situ_optimizer *opt, double *to, double value, const char *operation)
{
    if (situ_ended(opt, operation, "optimizer", NULL)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, NULL, "%s: the optimizer is NULL", operation);
    if (!(value >= 0 && value <= FLT_MAX))
        return situ_fail(SITU_BAD_OPTION, NULL, "%s: %g is out of its range, 0 to %g", operation, value, FLT_MAX);
    *to = value;
    return 0;
}

double situ_optimizer_lr(const situ_optimizer *opt)
{
    return situ_is_usable(opt, "situ_optimizer_lr", "optimizer") ? *opt->lr * situ_schedule_factor(opt, opt->steps) : 0;
}
double situ_optimizer_clip_norm(const situ_optimizer *opt)
{
    return situ_is_usable(opt, "situ_optimizer_clip_norm", "optimizer") ? *opt->clip_norm : 0;
}
int64_t situ_optimizer_steps(const situ_optimizer *opt)
{
    return situ_is_usable(opt, "situ_optimizer_steps", "optimizer") ? opt->steps : 0;
}
const char *situ_optimizer_name(const situ_optimizer *opt)
{
    return situ_is_usable(opt, "situ_optimizer_name", "optimizer") ? opt->rule->name : "";
}

int situ_optimizer_set_lr(situ_optimizer *opt, double lr)
{
    SITU_SPEAK_AT("situ_optimizer_set_lr");
    return set(opt, opt && situ_alive(opt) ? opt->lr : NULL, lr, "situ_optimizer_set_lr");
}

int situ_optimizer_set_clip_norm(situ_optimizer *opt, double norm)
{
    SITU_SPEAK_AT("situ_optimizer_set_clip_norm");
    return set(opt, opt && situ_alive(opt) ? opt->clip_norm : NULL, norm, "situ_optimizer_set_clip_norm");
}

int situ_optimizer_set_clip_value(situ_optimizer *opt, double value)
{
    SITU_SPEAK_AT("situ_optimizer_set_clip_value");
    return set(opt, opt && situ_alive(opt) ? opt->clip_value : NULL, value, "situ_optimizer_set_clip_value");
}

int situ_optimizer_set_accumulation(situ_optimizer *opt, int n)
{
    SITU_SPEAK_AT("situ_optimizer_set_accumulation");
    double every = 0;
    if (n < 1) return situ_fail(SITU_BAD_OPTION, NULL, "situ_optimizer_set_accumulation: a step of %d calls; it has at least 1", n);
    int rc = set(opt, &every, n, "situ_optimizer_set_accumulation");
    if (!rc && opt->held)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_optimizer_set_accumulation: %d of %d gradients of a step are there; change it after the step", opt->held,
            opt->every);
    if (!rc) opt->every = n;
    return rc;
}

int situ_optimizer_set_average(situ_optimizer *opt, double decay)
{
    SITU_SPEAK_AT("situ_optimizer_set_average");
    if (decay >= 1) return situ_fail(SITU_BAD_OPTION, NULL, "situ_optimizer_set_average: a decay of %g; it is less than 1", decay);
    double value = 0;
    int rc = set(opt, &value, decay, "situ_optimizer_set_average");
    if (!rc && opt->swapped)
        return situ_fail(
            SITU_BAD_ARGUMENT, NULL, "situ_optimizer_set_average: the averages are in the network; exchange them first");
    if (!rc && decay == 0) opt->averaged = 0;
    if (!rc) opt->average = decay;
    return rc;
}

int situ_optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most)
{
    SITU_SPEAK_AT("situ_optimizer_hyper");
    if (situ_ended(opt, "situ_optimizer_hyper", "optimizer", NULL)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_optimizer_hyper: the optimizer is NULL");
    return situ_hyper_list(opt->rule->hyper, opt->rule->hypers, opt->options, out, most);
}
