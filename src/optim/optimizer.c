/* Optimizers as objects: their moments and settings. */
#include "optim/optimizer.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
/* last */
#include "op/here.h"

/* What the hyper-parameters and the rule itself are checked for. */
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

static double *number(situ_optimizer *opt, const char *name)
{
    const situ_hyper *row = situ_hyper_find(opt->rule->hyper, opt->rule->hypers, name, SITU_HYPER_DOUBLE);
    return row ? (double *)(void *)(opt->options + row->offset) : &opt->no_clip_norm;
}

situ_optimizer *situ_optimizer_new(
    situ_module *net, const situ_optimizer_rule *rule, const void *options, bool foreign, const char *operation, situ_site site)
{
    if (check(rule, net, operation, site)) return NULL;
    situ_optimizer *opt = situ_calloc(1, sizeof *opt + rule->size);
    if (!opt) {
        situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", operation);
        return NULL;
    }
    *opt = (situ_optimizer){.handle = SITU_HANDLE_NEW, .rule = rule, .foreign = foreign, .net = net};
    if (options) memcpy(opt->options, options, rule->size);
    for (int i = 0; !options && i < rule->hypers; i++) situ_hyper_set(&rule->hyper[i], opt->options, rule->hyper[i].value);
    opt->lr = number(opt, "lr");
    opt->clip_norm = number(opt, "clip_norm");
    int slots = rule->slots ? rule->slots(opt->options) : 0;
    const char *wrong = NULL;
    if (situ_hyper_check(rule->hyper, rule->hypers, opt->options, operation, site) ||
        (rule->wrong && (wrong = rule->wrong(opt->options)))) {
        if (wrong) situ_fail(SITU_BAD_OPTION, site, "%s: %s", operation, wrong);
    } else if (slots < 0 || slots > SITU_OPTIMIZER_SLOTS) {
        situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: a parameter has %d slots; there are 0 to %d", operation, slots, SITU_OPTIMIZER_SLOTS);
    } else {
        opt->slots = slots;
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

void situ_optimizer_free(situ_optimizer *opt) { situ_optimizer_free_at(opt, NULL); }

void situ_optimizer_free_at(situ_optimizer *opt, situ_site site)
{
    if (!opt || situ_ended(opt, "situ_optimizer_free", "optimizer", site)) return;
    for (int i = 0; i < opt->rows * SITU_MIRRORS; i++)
        for (int k = 0; k < SITU_OPTIMIZER_SLOTS; k++) situ_release(opt->moments[i].slot[k]);
    situ_free(opt->moments);
    situ_free(opt->owner);
    if (situ_handle_let_go(opt->net)) situ_retire(opt->net);
    if (situ_handle_end(opt, site)) situ_retire(opt);
}

/* The row of p's moments, a new one if it has none; -1 with an error. Parameters are asked for in their order. */
static int row_of(situ_optimizer *opt, const situ_parameter *p, situ_site site)
{
    for (int i = 0; i < opt->rows; i++) {
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
    return opt->last = opt->rows++;
}

static situ_tensor *first(const situ_optimizer *opt, int slot, situ_tensor *p, situ_site site)
{
    if (!opt->rule->first) return situ_zeros(situ_shape_of(p), .dtype = situ_dtype_of(p), .device = situ_device_of(p));
    SITU_SPEAK_NOT;
    return opt->rule->first(p, slot, opt->options);
}

/* A moment that belongs to p's copy `place`: its own if it lies there, else a copy of any that there is, else the rule's first. */
static situ_tensor *moment(const situ_optimizer *opt, situ_moments *all, int place, int slot, situ_tensor *p, situ_site site)
{
    static const char *const names[SITU_OPTIMIZER_SLOTS] = {"optimizer.m", "optimizer.v", "optimizer.2", "optimizer.3"};
    situ_tensor *own = all[place].slot[slot], *other = own;
    situ_device d = situ_device_of(p);
    if (own && situ_device_equal(situ_device_of(own), d)) return own;
    for (int i = 0; i < SITU_MIRRORS && !other; i++) other = all[i].slot[slot];
    situ_tensor *start = situ_to(other ? other : first(opt, slot, p, site), d);
    situ_tensor *made = situ_variable(start, .trainable = false, .name = names[slot]);
    if (situ_error_code) return NULL;
    situ_release(own);
    return all[place].slot[slot] = made;
}

situ_moments *situ_optimizer_moments(situ_optimizer *opt, const situ_parameter *p, int place, situ_site site)
{
    int row = row_of(opt, p, site);
    if (row < 0) return NULL;
    situ_moments *all = opt->moments + row * SITU_MIRRORS;
    for (int slot = 0; slot < opt->slots; slot++)
        if (!moment(opt, all, place, slot, p->copy[place], site)) return NULL;
    return &all[place];
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

double situ_optimizer_lr(const situ_optimizer *opt) { return situ_there(opt, "situ_optimizer_lr", "optimizer") ? *opt->lr : 0; }
double situ_optimizer_clip_norm(const situ_optimizer *opt)
{
    return situ_there(opt, "situ_optimizer_clip_norm", "optimizer") ? *opt->clip_norm : 0;
}
int64_t situ_optimizer_steps(const situ_optimizer *opt)
{
    return situ_there(opt, "situ_optimizer_steps", "optimizer") ? opt->steps : 0;
}
const char *situ_optimizer_name(const situ_optimizer *opt)
{
    return situ_there(opt, "situ_optimizer_name", "optimizer") ? opt->rule->name : "";
}

int situ_optimizer_set_lr(situ_optimizer *opt, double lr)
{
    SITU_SPEAK_AT("situ_optimizer_set_lr");
    return set(opt, opt ? opt->lr : NULL, lr, "situ_optimizer_set_lr");
}

int situ_optimizer_set_clip_norm(situ_optimizer *opt, double norm)
{
    SITU_SPEAK_AT("situ_optimizer_set_clip_norm");
    return set(opt, opt ? opt->clip_norm : NULL, norm, "situ_optimizer_set_clip_norm");
}

int situ_optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most)
{
    SITU_SPEAK_AT("situ_optimizer_hyper");
    if (situ_ended(opt, "situ_optimizer_hyper", "optimizer", NULL)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_optimizer_hyper: the optimizer is NULL");
    return situ_hyper_list(opt->rule->hyper, opt->rule->hypers, opt->options, out, most);
}
