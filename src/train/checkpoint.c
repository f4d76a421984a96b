/* What a checkpoint has of a network, an optimizer and a loader, and how they get it back. */
#include "train/checkpoint.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "nn/file.h"
#include "optim/optimizer.h"
/* last */
#include "op/here.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define AT(T, field) offsetof(T, field)
enum { FORMAT = 1, NETWORK_TEXT = 8192, DATA_TEXT = 1024, DIFFERENCES = 2000 };

static const situ_status_row module_rows[] = {{"situ.network.calls", SITU_STATUS_INT64, AT(situ_module, steps), 0}};

static const situ_status_row optimizer_rows[] = {
    {"situ.optimizer.steps", SITU_STATUS_INT64, AT(situ_optimizer, steps), 0},
    {"situ.optimizer.every", SITU_STATUS_INT, AT(situ_optimizer, every), 1},
    {"situ.optimizer.held", SITU_STATUS_INT, AT(situ_optimizer, held), 0},
    {"situ.optimizer.average", SITU_STATUS_DOUBLE, AT(situ_optimizer, average), 0},
    {"situ.optimizer.averaged", SITU_STATUS_INT64, AT(situ_optimizer, averaged), 0},
    {"situ.optimizer.swapped", SITU_STATUS_BOOL, AT(situ_optimizer, swapped), 0},
    {"situ.schedule.0", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[0]), 0},
    {"situ.schedule.1", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[1]), 0},
    {"situ.schedule.2", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[2]), 0},
    {"situ.schedule.3", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[3]), 0},
    {"situ.schedule.4", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[4]), 0},
    {"situ.schedule.5", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.a[5]), 0},
    {"situ.schedule.warmup", SITU_STATUS_INT64, AT(situ_optimizer, schedule.warmup), 0},
    {"situ.schedule.start", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.start), 0},
    {"situ.schedule.now", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.now), 0},
    {"situ.schedule.factor", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.factor), 0},
    {"situ.schedule.best", SITU_STATUS_DOUBLE, AT(situ_optimizer, schedule.best), 0},
    {"situ.schedule.worse", SITU_STATUS_INT64, AT(situ_optimizer, schedule.worse), 0},
    {"situ.schedule.rest", SITU_STATUS_INT64, AT(situ_optimizer, schedule.rest), 0},
};

/* Of another loader the place would mean other rows. */
static const situ_status_row loader_rows[] = {
    {"situ.loader.key", SITU_STATUS_INT64, AT(situ_loader_options, key), 0},
    {"situ.loader.batch", SITU_STATUS_INT64, AT(situ_loader_options, batch), 1},
    {"situ.loader.batches", SITU_STATUS_INT64, AT(situ_loader_options, batches), 0},
    {"situ.loader.shuffle", SITU_STATUS_BOOL, AT(situ_loader_options, shuffle), 0},
    {"situ.loader.drop_last", SITU_STATUS_BOOL, AT(situ_loader_options, drop_last), 0},
    {"situ.loader.stratified", SITU_STATUS_BOOL, AT(situ_loader_options, stratified), 0},
    {"situ.loader.buckets", SITU_STATUS_BOOL, AT(situ_loader_options, buckets), 0},
    {"situ.loader.multiple", SITU_STATUS_INT64, AT(situ_loader_options, multiple), 1},
};
static const situ_status_row place_rows[] = {
    {"situ.place.epoch", SITU_STATUS_INT64, AT(situ_loader_place, epoch), 0},
    {"situ.place.batches", SITU_STATUS_INT64, AT(situ_loader_place, batches), 0},
    {"situ.place.rows", SITU_STATUS_INT64, AT(situ_loader_place, rows), 0},
    {"situ.place.ended", SITU_STATUS_BOOL, AT(situ_loader_place, ended), 0},
};

/* ---- to a file ------------------------------------------------------------------------------------------------------------- */

/* "sequential(linear relu linear)": the kinds of all parts. */
static size_t describe(const situ_module *m, char *text, size_t used)
{
    if (used + 80 > NETWORK_TEXT) return used;
    used += (size_t)snprintf(text + used, NETWORK_TEXT - used, "%.40s", m->kind->name);
    for (int i = 0; i < m->children; i++) {
        if (used + 3 < NETWORK_TEXT) used += (size_t)snprintf(text + used, NETWORK_TEXT - used, i ? " " : "(");
        used = describe(m->child[i], text, used);
    }
    if (m->children && used + 2 < NETWORK_TEXT) used += (size_t)snprintf(text + used, NETWORK_TEXT - used, ")");
    return used;
}

static void gather_network(situ_status *s, situ_module *root)
{
    char *text = situ_arena_alloc(&s->text, NETWORK_TEXT);
    if (!text) {
        situ_status_no_room(s);
        return;
    }
    describe(root, text, 0);
    situ_status_text(s, text, "situ.network");
    situ_status_rows(s, module_rows, COUNT(module_rows), root);
    if (root->key) situ_status_tensor(s, root->key, "situ/key");
    for (int i = 0; i < root->total; i++) {
        const situ_parameter *p = root->all[i];
        if (!p->made) {
            if (!s->rc)
                s->rc =
                    situ_fail(SITU_BAD_ARGUMENT, s->site, "%s: %s has no value yet; call the network before", s->function, p->path);
            return;
        }
        situ_status_tensor(s, p->copy[0], "%s", p->path);
        for (int k = 1; k < root->devices && p->fixed; k++) /* of its own rows; what is trained is the same everywhere */
            situ_status_tensor(s, p->copy[k], "situ/device/%d/%s", k, p->path);
    }
}

static void gather_moments(situ_status *s, const situ_optimizer *opt)
{
    int64_t count = 0;
    for (int i = 0; i < opt->net->total; i++) {
        const situ_parameter *p = opt->net->all[i];
        for (int row = 0; row < opt->rows; row++) {
            if (opt->owner[row] != p->id) continue;
            const situ_moments *all = &opt->moments[row * SITU_MIRRORS];
            for (int slot = 0; slot < SITU_SLOTS; slot++) {
                int k = 0;
                while (k < SITU_MIRRORS && !all[k].slot[slot]) k++;
                if (k == SITU_MIRRORS) continue;
                situ_status_tensor(s, all[k].slot[slot], "situ/optimizer/%d/%s", slot, p->path);
                count++;
            }
        }
    }
    situ_status_integer(s, "situ.optimizer.moments", count);
}

static void gather_optimizer(situ_status *s, const situ_optimizer *opt)
{
    char digits[17], marks[1024] = "";
    const situ_schedule *schedule = &opt->schedule;
    situ_status_text(s, opt->rule->name, "situ.optimizer");
    situ_status_rows(s, optimizer_rows, COUNT(optimizer_rows), opt);
    for (int i = 0; i < opt->rule->hypers; i++) {
        situ_status_digits(situ_hyper_get(&opt->rule->hyper[i], opt->options), digits);
        situ_status_text(s, digits, "situ.optimizer.hyper.%s", opt->rule->hyper[i].name);
    }
    if (opt->scale) situ_status_tensor(s, opt->scale, "situ/scale");
    situ_status_integer(s, "situ.optimizer.groups", opt->specials);
    for (int i = 0; i < opt->specials; i++) {
        const situ_special *g = &opt->special[i];
        situ_status_digits(g->value, digits);
        situ_status_text(s, digits, "situ.optimizer.group.%d.value", i);
        situ_status_text(s, g->row->name, "situ.optimizer.group.%d.name", i);
        situ_status_text(s, g->paths, "situ.optimizer.group.%d.paths", i);
    }
    situ_status_text(s, situ_schedule_name(schedule), "situ.schedule");
    situ_status_integer(s, "situ.schedule.marks", schedule->marks);
    for (int i = 0; i < schedule->marks; i++) {
        snprintf(marks, sizeof marks, "%lld", (long long)schedule->mark[i]);
        situ_status_text(s, marks, "situ.schedule.mark.%d", i);
    }
    gather_moments(s, opt);
}

void situ_checkpoint_gather(situ_status *s, situ_module *net, situ_optimizer *opt, const situ_loader *loader, bool before)
{
    situ_module *root = situ_module_root(net);
    situ_status_integer(s, "situ.checkpoint", FORMAT);
    situ_status_text(s, SITU_VERSION, "situ.version");
    gather_network(s, root);
    if (opt) gather_optimizer(s, opt);
    if (!loader) return;
    char text[DATA_TEXT];
    const situ_dataset *data;
    const situ_loader_options *o = situ_loader_options_of(loader, &data);
    situ_loader_place place = situ_loader_place_of(loader);
    place.batches -= before;
    if (before && place.rows) place.rows -= o->batch; /* of a stream */
    situ_dataset_describe(data, text, sizeof text);
    situ_status_text(s, text, "situ.data");
    situ_status_rows(s, loader_rows, COUNT(loader_rows), o);
    situ_status_rows(s, place_rows, COUNT(place_rows), &place);
}

/* ---- does it fit? ---------------------------------------------------------------------------------------------------------- */

static int check_optimizer(const situ_archive *a, const situ_optimizer *opt, char *text, size_t size)
{
    const char *schedule;
    int rc = situ_status_same(a, "situ.optimizer", "the optimizer", opt->rule->name, text, size);
    if (!rc) rc = situ_status_get(a, "situ.schedule", &schedule);
    if (rc || strcmp(schedule, "custom") || !strcmp(situ_schedule_name(&opt->schedule), "custom")) return rc;
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%sthe schedule is a function there; set it by %s first", used ? "; " : "",
        SITU_SAY("situ_schedule_custom", "custom_schedule"));
    return 0;
}

static int check_loader(const situ_archive *a, const situ_loader *loader, char *text, size_t size)
{
    char here[DATA_TEXT];
    const situ_dataset *data;
    const situ_loader_options *o = situ_loader_options_of(loader, &data);
    situ_loader_place place;
    situ_dataset_describe(data, here, sizeof here);
    int rc = situ_status_same(a, "situ.data", "the data", here, text, size);
    if (!rc) rc = situ_status_same_rows(a, loader_rows, COUNT(loader_rows), o, text, size);
    if (!rc) rc = situ_status_get_rows(a, place_rows, COUNT(place_rows), &place);
    int64_t batches = situ_loader_batches(loader);
    if (!rc && !*text && batches >= 0 && place.batches > batches)
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "%s: the checkpoint is at batch %lld of %lld", a->path, (long long)place.batches,
            (long long)batches);
    return rc;
}

int situ_checkpoint_check(situ_archive *a, situ_module *net, const situ_optimizer *opt, const situ_loader *loader, char *text,
    size_t size, const char *function, situ_site site)
{
    const char *format = situ_archive_metadata(a, "situ.checkpoint");
    if (!format)
        return situ_fail(SITU_BAD_FORMAT, site, "%s: %s is no checkpoint; %s reads parameters alone", function, a->path,
            SITU_SAY("situ_module_load", "net.load"));
    if (atoi(format) != FORMAT)
        return situ_fail(SITU_BAD_FORMAT, site, "%s: %s is a checkpoint of another version, %.20s; this one reads %d", function,
            a->path, format, FORMAT);
    char *here = situ_malloc(NETWORK_TEXT);
    if (!here) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    describe(situ_module_root(net), here, 0);
    int rc = situ_status_same(a, "situ.network", "the network", here, text, size);
    situ_free(here);
    if (!rc && opt) rc = check_optimizer(a, opt, text, size);
    if (!rc && loader) rc = check_loader(a, loader, text, size);
    if (!rc && *text) rc = situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is of another training: %s", function, a->path, text);
    situ_module_take_options o = {.strict = true, .exact = true, .check = true, .function = function};
    return rc ? rc : situ_module_take(situ_module_root(net), a, &o, site);
}

/* ---- back ------------------------------------------------------------------------------------------------------------------- */

/* Tensor "situ/<what>/<number>/<path>": its number and path, or -1. */
static int aside(const situ_entry *e, const char *what, const char **path)
{
    size_t n = strlen(what);
    char *end;
    if (strncmp(e->name, SITU_ASIDE_NAMES, 5) || strncmp(e->name + 5, what, n) || e->name[5 + n] != '/') return -1;
    long number = strtol(e->name + 6 + n, &end, 10);
    *path = end + 1;
    return *end == '/' && number >= 0 && number < 1 << 20 ? (int)number : -1;
}

static situ_parameter *named(const situ_module *root, const char *path)
{
    for (int i = 0; i < root->total; i++)
        if (!strcmp(root->all[i]->path, path)) return root->all[i];
    return NULL;
}

static int give_network(situ_archive *a, situ_module *root, const char *function, situ_site site)
{
    situ_module_take_options o = {.strict = true, .exact = true, .function = function};
    int64_t key = situ_archive_at(a, "situ/key");
    int rc = situ_status_get_rows(a, module_rows, COUNT(module_rows), root);
    if (!rc) rc = situ_module_take(root, a, &o, site);
    if (rc < 0) return rc;
    if (key >= 0 && (a->entry[key].dtype != SITU_U32 || a->entry[key].size != 8))
        return situ_fail(SITU_BAD_FORMAT, site, "%s: the key of the checkpoint is none", a->path);
    rc = situ_module_rekey(root, key < 0 ? NULL : situ_archive_tensor(a, key, SITU_U32, root->device[0], true, site));
    for (int64_t i = 0; i < a->entries && !rc; i++) {
        const char *path;
        int place = aside(&a->entry[i], "device", &path);
        situ_parameter *p = place > 0 && place < root->devices ? named(root, path) : NULL;
        if (!p || !p->made) continue;
        situ_tensor *value = situ_archive_tensor(a, i, situ_dtype_of(p->copy[place]), root->device[place], true, site);
        rc = (situ_assign)(p->copy[place], value, site);
    }
    return rc;
}

static int give_moments(situ_archive *a, situ_optimizer *opt, situ_site site)
{
    static const char *const names[SITU_SLOTS] = {
        "optimizer.m", "optimizer.v", "optimizer.2", "optimizer.3", "optimizer.held", "optimizer.average"};
    int64_t count = 0, wanted = -1;
    int rc = situ_status_get_rows(a, &(situ_status_row){"situ.optimizer.moments", SITU_STATUS_INT64, 0, 0}, 1, &wanted);
    for (int i = 0; i < opt->rows * SITU_MIRRORS && !rc; i++) /* of what it did before, too */
        for (int slot = 0; slot < SITU_SLOTS; slot++) {
            situ_release(opt->moments[i].slot[slot]);
            opt->moments[i].slot[slot] = NULL;
        }
    for (int64_t i = 0; i < a->entries && !rc; i++) {
        const char *path;
        int slot = aside(&a->entry[i], "optimizer", &path);
        situ_parameter *p = slot >= 0 && slot < SITU_SLOTS ? named(opt->net, path) : NULL;
        if (!p || !p->made) continue;
        situ_moments *m = situ_optimizer_moments(opt, p, NULL, 0, NULL, site);
        if (!m) return -situ_error_code;
        situ_tensor *value = situ_archive_tensor(a, i, SITU_DTYPE_DEFAULT, opt->net->device[0], true, site);
        situ_tensor *made = situ_variable(value, .trainable = false, .name = names[slot]);
        if (situ_error_code) return -situ_error_code;
        for (int k = 0; k < SITU_MIRRORS; k++) {
            situ_release(m[k].slot[slot]);
            m[k].slot[slot] = NULL;
        }
        m->slot[slot] = made;
        count++;
    }
    if (!rc && count != wanted)
        rc = situ_fail(SITU_BAD_FORMAT, site, "%s: the checkpoint has %lld moments, of which %lld belong to parameters", a->path,
            (long long)wanted, (long long)count);
    return rc;
}

/* Where the checkpoint has none the optimizer's own begins anew. */
static int give_scale(situ_archive *a, situ_optimizer *opt, const char *function, situ_site site)
{
    int64_t i = situ_archive_at(a, "situ/scale");
    if (i < 0) return opt->first_scale > 0 ? situ_optimizer_set_loss_scale(opt, opt->first_scale) : 0;
    if (a->entry[i].dtype != SITU_F32 || a->entry[i].size != 12)
        return situ_fail(SITU_BAD_FORMAT, site, "%s: the loss scale of %s is none", function, a->path);
    if (!(opt->first_scale > 0)) opt->first_scale = 1;
    return situ_scale_give(opt, situ_archive_tensor(a, i, SITU_F32, opt->net->device[0], true, site), site);
}

/* What the numbers in a file are is not believed. */
static int read_hypers(const situ_archive *a, situ_optimizer *o, const char *function, situ_site site)
{
    const char *text, *wrong;
    for (int i = 0; i < o->rule->hypers; i++) {
        char key[80];
        double value;
        snprintf(key, sizeof key, "situ.optimizer.hyper.%.40s", o->rule->hyper[i].name);
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

static int give_groups(const situ_archive *a, situ_optimizer *opt)
{
    int64_t n = 0;
    int rc = situ_status_get_rows(a, &(situ_status_row){"situ.optimizer.groups", SITU_STATUS_INT64, 0, 0}, 1, &n);
    for (int i = 0; i < opt->specials; i++) situ_free(opt->special[i].paths);
    opt->specials = 0;
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
        if (!rc) rc = (situ_optimizer_set)(opt, text[2], text[1], value);
    }
    return rc;
}

static int give_optimizer(situ_archive *a, situ_optimizer *opt, const char *function, situ_site site)
{
    size_t size = sizeof *opt + 2 * ((opt->rule->size + 15) / 16 * 16);
    situ_optimizer *next = situ_malloc(size);
    const char *schedule;
    if (!next) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    memcpy(next, opt, size);
    next->schedule.mark = NULL;
    next->schedule.marks = 0;
    int rc = situ_status_get_rows(a, optimizer_rows, COUNT(optimizer_rows), next);
    if (!rc) rc = situ_status_get(a, "situ.schedule", &schedule);
    if (!rc && !situ_schedule_named(&next->schedule, schedule))
        rc = situ_fail(SITU_BAD_FORMAT, site, "%s: there is no schedule \"%.40s\"", a->path, schedule);
    if (!rc && (next->held >= next->every || !(next->average >= 0 && next->average < 1)))
        rc = situ_fail(SITU_BAD_FORMAT, site, "%s: the optimizer's numbers make no sense", a->path);
    if (!rc) rc = read_hypers(a, next, function, site);
    if (!rc) rc = read_marks(a, &next->schedule, site);
    if (!rc) rc = give_moments(a, opt, site);
    if (!rc) rc = give_scale(a, opt, function, site);
    if (!rc) rc = give_groups(a, opt);
    if (!rc) {
        situ_free(opt->schedule.mark);
        opt->schedule = next->schedule;
        opt->steps = next->steps, opt->every = next->every, opt->held = next->held;
        opt->average = next->average, opt->averaged = next->averaged, opt->swapped = next->swapped;
        memcpy(opt->options, next->options, opt->rule->size);
    } else {
        situ_free(next->schedule.mark);
    }
    situ_free(next);
    return rc;
}

int situ_checkpoint_give(
    situ_archive *a, situ_module *net, situ_optimizer *opt, situ_loader *loader, const char *function, situ_site site)
{
    situ_loader_place place;
    situ_scope *scope = situ_scope_open();
    int rc = give_network(a, situ_module_root(net), function, site);
    if (!rc && opt) rc = give_optimizer(a, opt, function, site);
    if (!rc && loader) rc = situ_status_get_rows(a, place_rows, COUNT(place_rows), &place);
    if (!rc && loader) rc = situ_loader_go(loader, &place);
    situ_scope_close(scope);
    return rc ? rc : -situ_error_code;
}

/* ---- as programs call it ---------------------------------------------------------------------------------------------------- */

static int check(const char *path, const situ_module *net, const situ_optimizer *opt, const situ_loader *loader,
    const char *function, situ_site site)
{
    if (situ_error_code || situ_ended(net, function, "network", site) || situ_ended(opt, function, "optimizer", site) ||
        situ_ended(loader, function, "loader", site))
        return -situ_error_code;
    if (!net || !path)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", function, net ? "no file is named" : "the network is NULL");
    if (opt && opt->net != situ_module_root(net))
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer was made for another network", function);
    return situ_module_number(net);
}

int(situ_checkpoint_save)(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader,
    const situ_checkpoint_save_options *options, situ_site site)
{
    static const char function[] = "situ_checkpoint_save";
    SITU_SPEAK(function, site);
    situ_checkpoint_save_options o = {SITU_DEFAULTS(SITU_CHECKPOINT_SAVE_DEFAULTS)};
    int rc = check(path, net, opt, loader, function, site);
    if (rc || !SITU_TAKE_OPTIONS(o, options, function, site)) return rc ? rc : -situ_error_code;
    situ_status s;
    situ_status_open(&s, function, site);
    situ_checkpoint_gather(&s, net, opt, loader, false);
    situ_status_lines(&s, o.metadata);
    rc = s.rc;
    if (!rc) rc = situ_file_compute(s.tensor, s.tensors, function, site);
    if (!rc) rc = situ_file_write(path, s.tensor, s.tensors, s.about, s.abouts, SITU_REASON_CHECKPOINT, function, site);
    situ_status_close(&s);
    return rc;
}

int(situ_checkpoint_load)(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader, situ_site site)
{
    static const char function[] = "situ_checkpoint_load";
    SITU_SPEAK(function, site);
    char text[DIFFERENCES] = "";
    int rc = check(path, net, opt, loader, function, site);
    situ_archive *a = rc ? NULL : situ_archive_open(path);
    if (!a) return -situ_error_code;
    rc = situ_checkpoint_check(a, net, opt, loader, text, sizeof text, function, site);
    if (!rc) rc = situ_checkpoint_give(a, net, opt, loader, function, site);
    situ_archive_done(a);
    return rc;
}
