/* Which values of a network, an optimizer and a loader a checkpoint holds, and the public functions that save and load
 * it. */
#include "train/checkpoint.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/loader.h"
#include "file/network.h"
#include "optim/optimizer.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define AT(T, field) offsetof(T, field)
enum { FORMAT = 1, NETWORK_TEXT = 8192, DATA_TEXT = 1024, DIFFERENCES = 2000 };

/* These options must be the same, because a position in the data means other rows with another loader. */
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

/* ---- saving ------------------------------------------------------------------------------------------------------------------ */

/* Describes the kinds of all parts, such as "sequential(linear relu linear)". */
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
    situ_status_rows(s, situ_checkpoint_module_rows, SITU_MODULE_ROWS, root);
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
        for (int k = 1; k < root->devices && p->fixed; k++) /* values that each device has of its own (running moments); trained
                                                             * values are equal on all devices */
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
    situ_status_rows(s, situ_checkpoint_optimizer_rows, SITU_OPTIMIZER_ROWS, opt);
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
    situ_loader_position place = situ_loader_position_of(loader);
    place.batches -= before;
    if (before && place.rows) place.rows -= o->batch; /* a stream: its position is counted in rows */
    situ_dataset_describe(data, text, sizeof text);
    situ_status_text(s, text, "situ.data");
    situ_status_rows(s, loader_rows, COUNT(loader_rows), o);
    situ_status_rows(s, situ_checkpoint_position_rows, SITU_PLACE_ROWS, &place);
}

/* ---- checking ---------------------------------------------------------------------------------------------------------------- */

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
    situ_loader_position place;
    situ_dataset_describe(data, here, sizeof here);
    int rc = situ_status_same(a, "situ.data", "the data", here, text, size);
    if (!rc) rc = situ_status_same_rows(a, loader_rows, COUNT(loader_rows), o, text, size);
    if (!rc) rc = situ_status_get_rows(a, situ_checkpoint_position_rows, SITU_PLACE_ROWS, &place);
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

/* ---- public functions -------------------------------------------------------------------------------------------------------- */

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
