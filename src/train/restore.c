/* Loads a checkpoint. Everything is read, checked and made into variables before anything is changed. The change
 * itself is one assignment of all values, and some pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "file/network.h"
#include "optim/optimizer.h"
#include "train/checkpoint.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct restored {
    situ_archive *a;
    situ_module *root;
    situ_optimizer *opt, *next; /* opt: the optimizer; next: a copy with the checkpoint's hyper-parameters */
    situ_taken network;
    situ_module *numbers; /* a copy of the network's numbers only */
    situ_tensor *key;     /* the random key, kept, or NULL */
    situ_tensor **change, **value;
    int changes;
    situ_loader_position place, before;
    const char *function;
    situ_site site;
} restored;

/* Parses a name "situ/<what>/<number>/<path>": returns the number and sets *path, or -1. */
static int aside(const situ_entry *e, const char *what, const char **path)
{
    size_t n = strlen(what);
    char *end;
    if (strncmp(e->name, SITU_ASIDE_NAMES, 5) || strncmp(e->name + 5, what, n) || e->name[5 + n] != '/') return -1;
    long number = strtol(e->name + 6 + n, &end, 10);
    *path = end + 1;
    return *end == '/' && number >= 0 && number < 1 << 20 ? (int)number : -1;
}

static int named(const situ_module *root, const char *path)
{
    for (int i = 0; i < root->total; i++)
        if (!strcmp(root->all[i]->path, path)) return i;
    return -1;
}

/* The variable that parameter k will have on a device; NULL: none. */
static situ_tensor *variable_of(const restored *r, int k, int device)
{
    const situ_taken *t = &r->network;
    if (t->place[k] >= 0 && t->variable[k]) return t->value[(size_t)k * (size_t)r->root->devices + (size_t)device];
    return r->root->all[k]->made ? r->root->all[k]->copy[device] : NULL;
}

/* ---- reading: the network ---------------------------------------------------------------------------------------------------- */

static int read_key(restored *r)
{
    situ_site site = r->site;
    int64_t i = situ_archive_at(r->a, "situ/key");
    if (i < 0) return 0;
    const situ_entry *e = &r->a->entry[i];
    if (e->dtype != SITU_U32 || e->size != 8 || e->shape.ndim != 1)
        return situ_fail(SITU_BAD_FORMAT, site, "%s: the key of the checkpoint is none", r->a->path);
    situ_tensor *key = situ_keep(situ_archive_tensor(r->a, i, SITU_U32, r->root->device[0], true, site));
    if (situ_error_code) return -situ_error_code;
    r->key = key;
    return (situ_eval)(TENSORS(key), site); /* computed now, for calls in other threads */
}

/* Reads values that each device has of its own: running moments. */
static int read_devices(restored *r)
{
    int rc = 0;
    for (int64_t i = 0; i < r->a->entries && !rc; i++) {
        const char *path;
        int place = aside(&r->a->entry[i], "device", &path), k = place > 0 && place < r->root->devices ? named(r->root, path) : -1;
        situ_tensor *v = k < 0 ? NULL : variable_of(r, k, place);
        if (!v) continue;
        situ_tensor *value = situ_archive_tensor(r->a, i, (situ_dtype)v->dtype, r->root->device[place], true, r->site);
        if ((rc = -situ_error_code)) break;
        r->change[r->changes] = v; /* there is at most one for each parameter, so the capacity suffices */
        r->value[r->changes++] = value;
    }
    return rc;
}

static int read_network(restored *r)
{
    situ_module_take_options o = {.strict = true, .exact = true, .function = r->function};
    int rc = situ_module_read(&r->network, r->root, r->a, &o, r->site);
    if (rc) return rc;
    size_t most = (size_t)r->root->total * (size_t)r->root->devices + (size_t)r->a->entries + 1;
    r->numbers = situ_calloc(1, sizeof *r->numbers);
    r->change = situ_malloc(2 * most * sizeof *r->change);
    if (!r->numbers || !r->change) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->function);
    r->value = r->change + most;
    r->changes = situ_taken_changes(&r->network, r->change, r->value);
    rc = situ_status_get_rows(r->a, situ_checkpoint_module_rows, SITU_MODULE_ROWS, r->numbers);
    if (!rc) rc = read_key(r);
    return rc ? rc : read_devices(r);
}

/* ---- reading: the optimizer -------------------------------------------------------------------------------------------------- */

/* Hyper-parameters that checkpoints of 0.2.0 lack. */
static bool is_newer(const situ_hyper *row) { return !strcmp(row->name, "lazy_rows"); }

/* Checks the numbers of the file against their ranges. */
static int read_hypers(const situ_archive *a, situ_optimizer *o, const char *function, situ_site site)
{
    const char *text, *wrong;
    for (int i = 0; i < o->rule->hypers; i++) {
        char key[80];
        double value;
        snprintf(key, sizeof key, "situ.optimizer.hyper.%.40s", o->rule->hyper[i].name);
        if (is_newer(&o->rule->hyper[i]) && !situ_archive_metadata(a, key)) {
            situ_hyper_set(&o->rule->hyper[i], o->options, o->rule->hyper[i].value);
            continue;
        }
        if (situ_status_get(a, key, &text)) return -situ_error_code;
        if (!situ_status_value(text, &value)) return situ_fail(SITU_BAD_FORMAT, site, "%s: \"%s\" is no number", a->path, key);
        if (o->rule->hyper[i].type != SITU_HYPER_DOUBLE && !(value >= -9e15 && value <= 9e15)) value = 0;
        situ_hyper_set(&o->rule->hyper[i], o->options, value);
    }
    if (situ_hyper_check(o->rule->hyper, o->rule->hypers, o->options, function, site)) return -situ_error_code;
    wrong = o->rule->wrong ? o->rule->wrong(o->options) : NULL;
    return wrong ? situ_fail(SITU_BAD_FORMAT, site, "%s: %s: %s", function, a->path, wrong) : 0;
}

static int read_marks(const situ_archive *a, situ_schedule *s, situ_site site)
{
    int64_t n = 0;
    int rc = situ_status_get_rows(a, &(situ_status_row){"situ.schedule.marks", SITU_STATUS_INT64, 0, 0}, 1, &n);
    if (!rc && n > a->abouts) rc = situ_fail(SITU_BAD_FORMAT, site, "%s: the schedule has no %lld marks", a->path, (long long)n);
    if (rc || !n) return rc;
    int64_t *mark = situ_malloc((size_t)n * sizeof *mark);
    if (!mark) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", a->path);
    for (int64_t i = 0; i < n && !rc; i++) {
        char key[40];
        snprintf(key, sizeof key, "situ.schedule.mark.%lld", (long long)i);
        rc = situ_status_get_rows(a, &(situ_status_row){key, SITU_STATUS_INT64, 0, 0}, 1, &mark[i]);
    }
    s->mark = mark;
    s->marks = rc ? 0 : (int)n;
    return rc;
}

static int read_groups(const situ_archive *a, situ_optimizer *next)
{
    int64_t n = 0;
    int rc = situ_status_get_rows(a, &(situ_status_row){"situ.optimizer.groups", SITU_STATUS_INT64, 0, 0}, 1, &n);
    for (int64_t i = 0; i < n && !rc; i++) {
        static const char *const fields[3] = {"value", "name", "paths"};
        const char *text[3];
        double value = 0;
        for (int k = 0; k < 3 && !rc; k++) {
            char key[60];
            snprintf(key, sizeof key, "situ.optimizer.group.%lld.%s", (long long)i, fields[k]);
            rc = situ_status_get(a, key, &text[k]);
        }
        if (!rc && !situ_status_value(text[0], &value)) rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s: a group has no value", a->path);
        if (!rc) rc = (situ_optimizer_set)(next, text[2], text[1], value);
    }
    return rc;
}

/* A tensor with the shape and dtype of a moment of this parameter; NULL: the optimizer has no such moment. */
static situ_tensor *moment_like(const situ_optimizer *next, situ_tensor *p, int slot, int64_t whole, situ_site site)
{
    if (slot >= SITU_OPTIMIZER_SLOTS) return p;
    if (slot >= (next->rule->slots ? next->rule->slots(next->options) : 0)) return NULL;
    situ_shape shape = next->rule->whole ? SHAPE(whole) : situ_shape_like(p);
    situ_tensor *like = situ_zeros(shape, .dtype = situ_dtype_compute((situ_dtype)p->dtype), .device = p->device);
    if (!next->rule->first || situ_error_code) return like;
    SITU_SPEAK_NOT;
    return next->rule->first(like, slot, next->options);
}

static int read_moment(restored *r, int64_t i, int slot, int k, int64_t whole)
{
    static const char *const names[SITU_SLOTS] = {
        "optimizer.m", "optimizer.v", "optimizer.2", "optimizer.3", "optimizer.held", "optimizer.average"};
    const situ_entry *e = &r->a->entry[i];
    situ_site site = r->site;
    situ_tensor *like = moment_like(r->next, variable_of(r, k, 0), slot, whole, site);
    if (situ_error_code) return -situ_error_code;
    if (!like || e->dtype != (int)like->dtype || !situ_shape_equal((int)e->shape.ndim, e->shape.dim, like->ndim, like->dim))
        return situ_fail(SITU_BAD_FORMAT, site, "%s: %s: \"%.80s\" is no moment of this parameter: its shape or dtype differs",
            r->function, r->a->path, e->name);
    situ_moments *m = situ_optimizer_moments(r->next, r->root->all[k], NULL, 0, NULL, site);
    if (!m) return -situ_error_code;
    if (m->slot[slot]) return situ_fail(SITU_BAD_FORMAT, site, "%s: \"%.80s\" is there twice", r->a->path, e->name);
    situ_tensor *value = situ_archive_tensor(r->a, i, SITU_DTYPE_DEFAULT, r->root->device[0], true, site);
    situ_tensor *made = situ_variable(value, .trainable = false, .name = names[slot]);
    if (situ_error_code) return -situ_error_code;
    m->slot[slot] = made;
    return 0;
}

static int read_moments(restored *r)
{
    int64_t count = 0, wanted = -1, whole = 0;
    int rc = situ_status_get_rows(r->a, &(situ_status_row){"situ.optimizer.moments", SITU_STATUS_INT64, 0, 0}, 1, &wanted);
    for (int k = 0; k < r->root->total; k++) {
        const situ_tensor *v = variable_of(r, k, 0);
        if (v && v->flags & SITU_NODE_TRAINABLE && !r->root->all[k]->frozen) whole += situ_node_count(v);
    }
    for (int64_t i = 0; i < r->a->entries && !rc; i++) {
        const char *path;
        int slot = aside(&r->a->entry[i], "optimizer", &path), k = slot >= 0 && slot < SITU_SLOTS ? named(r->root, path) : -1;
        if (k < 0 || !variable_of(r, k, 0)) continue;
        rc = read_moment(r, i, slot, k, whole);
        count++;
    }
    if (!rc && count != wanted)
        rc = situ_fail(SITU_BAD_FORMAT, r->site, "%s: the checkpoint has %lld moments, %lld of which belong to parameters",
            r->a->path, (long long)wanted, (long long)count);
    return rc;
}

/* If the checkpoint has no loss scale, the optimizer's scale starts anew. */
static int read_scale(restored *r)
{
    int64_t i = situ_archive_at(r->a, "situ/scale");
    if (i < 0) return 0;
    if (r->a->entry[i].dtype != SITU_F32 || r->a->entry[i].size != 12 || r->a->entry[i].shape.ndim != 1)
        return situ_fail(SITU_BAD_FORMAT, r->site, "%s: the loss scale of %s is none", r->function, r->a->path);
    if (!(r->next->first_scale > 0)) r->next->first_scale = 1;
    return situ_scale_give(r->next, situ_archive_tensor(r->a, i, SITU_F32, r->root->device[0], true, r->site), r->site);
}

static int read_optimizer(restored *r)
{
    const char *schedule;
    situ_optimizer *next = r->next = situ_optimizer_twin(r->opt);
    if (!next) return situ_fail(SITU_NO_MEMORY, r->site, "%s: out of host memory", r->function);
    int rc = situ_status_get_rows(r->a, situ_checkpoint_optimizer_rows, SITU_OPTIMIZER_ROWS, next);
    if (!rc) rc = situ_status_get(r->a, "situ.schedule", &schedule);
    if (!rc && !situ_schedule_named(&next->schedule, schedule))
        rc = situ_fail(SITU_BAD_FORMAT, r->site, "%s: there is no schedule \"%.40s\"", r->a->path, schedule);
    if (!rc && (next->held >= next->every || !(next->average >= 0 && next->average < 1)))
        rc = situ_fail(SITU_BAD_FORMAT, r->site, "%s: the optimizer's numbers make no sense", r->a->path);
    if (!rc) rc = read_hypers(r->a, next, r->function, r->site);
    if (!rc) rc = read_marks(r->a, &next->schedule, r->site);
    if (!rc) rc = read_moments(r);
    if (!rc) rc = read_scale(r);
    return rc ? rc : read_groups(r->a, next);
}

/* ---- changing the objects
 * -------------------------------------------------------------------------------------------------------- */

static int give(restored *r, situ_loader *loader)
{
    int rc = 0;
    if (loader) {
        r->before = situ_loader_position_of(loader);
        rc = situ_loader_go(loader, &r->place);
    }
    if (!rc) rc = (situ_assign_all)(TENSORS_OF(r->change, r->changes), TENSORS_OF(r->value, r->changes), r->site);
    if (rc) {
        situ_error e;
        situ_error_take(&e);
        if (loader && situ_loader_go(loader, &r->before)) situ_error_take(NULL);
        return situ_fail_again(e.code, e.message);
    }
    situ_taken_give(&r->network);
    r->root->steps = r->numbers->steps;
    situ_module_take_key(r->root, r->key);
    r->key = NULL;
    if (r->opt) situ_optimizer_exchange(r->opt, r->next);
    return (situ_eval)(TENSORS_OF(r->change, r->changes), r->site); /* from here on other threads see the new values */
}

int situ_checkpoint_give(
    situ_archive *a, situ_module *net, situ_optimizer *opt, situ_loader *loader, const char *function, situ_site site)
{
    restored r = {.a = a, .root = situ_module_root(net), .opt = opt, .function = function, .site = site};
    situ_scope *scope = situ_scope_open();
    int rc = read_network(&r);
    if (!rc && opt) rc = read_optimizer(&r);
    if (!rc && loader) rc = situ_status_get_rows(a, situ_checkpoint_position_rows, SITU_PLACE_ROWS, &r.place);
    if (!rc) rc = situ_error_code ? -situ_error_code : give(&r, loader);
    situ_scope_close(scope);
    situ_optimizer_twin_free(r.next);
    situ_release(r.key);
    situ_taken_free(&r.network);
    situ_free(r.numbers);
    situ_free(r.change);
    return rc ? rc : -situ_error_code;
}
