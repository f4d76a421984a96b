/* Saving and loading networks. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/format.h"
#include "device/device.h"
#include "file/network.h"
#include "run/enqueue.h"
#include "tensor/dtype.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static bool is_network(const situ_module *net, const char *path, const char *function, situ_site site)
{
    if (situ_error_code || situ_ended(net, function, "network", site)) return false;
    if (net && path) return !situ_module_number(net);
    situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s", function, net ? "no file is named" : "the network is NULL");
    return false;
}

int(situ_module_save)(situ_module *net, const char *path, const situ_module_save_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_save", site);
    situ_module_save_options o = {SITU_DEFAULTS(SITU_MODULE_SAVE_DEFAULTS)};
    if (!is_network(net, path, "situ_module_save", site) || !SITU_TAKE_OPTIONS(o, options, "situ_module_save", site))
        return -situ_error_code;
    int n = situ_module_count(net);
    situ_written *w = situ_calloc((size_t)n + 1, sizeof *w);
    if (!w) return situ_fail(SITU_NO_MEMORY, site, "situ_module_save: out of host memory");
    int rc = 0;
    for (int i = 0; i < n && !rc; i++) {
        w[i].name = situ_module_name(net, i);
        w[i].tensor = situ_module_parameter(net, i);
        rc = -situ_error_code;
    }
    if (!rc) rc = situ_file_save(path, w, n, o.metadata, o.shard_bytes, "situ_module_save", site);
    situ_free(w);
    return rc;
}

/* ---- renaming ---------------------------------------------------------------------------------------------------------- */

/* Applies one rule "old=new" (`size` bytes) to a name; `room` is the capacity of name. False: no rule, or the result
 * is too long. */
static bool rename_by(const char *rule, size_t size, char *name, size_t capacity)
{
    char made[1024];
    size_t used = 0, length = strlen(name);
    const char *equals = memchr(rule, '=', size);
    bool front = *rule == '^';
    const char *old = rule + front;
    if (!equals || equals == old) return false;
    size_t old_size = (size_t)(equals - old), new_size = size - (size_t)(equals + 1 - rule);
    for (size_t i = 0; i < length;) {
        bool here = (!front || !i) && length - i >= old_size && !memcmp(name + i, old, old_size);
        size_t add = here ? new_size : 1;
        if (used + add >= sizeof made) return false;
        memcpy(made + used, here ? equals + 1 : name + i, add);
        used += add;
        i += here ? old_size : 1;
    }
    made[used] = 0;
    if (used >= capacity) return false;
    memcpy(name, made, used + 1);
    return true;
}

static int rename_all(situ_archive *a, const char *rules, situ_site site)
{
    for (int64_t i = 0; rules && i < a->entries; i++) {
        char name[1024];
        if (snprintf(name, sizeof name, "%s", a->entry[i].name) >= (int)sizeof name)
            return situ_fail(
                SITU_BAD_FORMAT, site, "situ_module_load: %s: the name \"%.80s...\" is too long to be changed", a->path, name);
        for (const char *p = rules + strspn(rules, " "); *p; p += strspn(p, " ")) {
            size_t size = strcspn(p, " ");
            if (!rename_by(p, size, name, sizeof name))
                return situ_fail(SITU_BAD_OPTION, site,
                    "situ_module_load: .rename has \"%.*s\"; its rules are old=new, with blanks between",
                    (int)(size < 80 ? size : 80), p);
            p += size;
        }
        if (!(a->entry[i].name = situ_archive_text(a, name, strlen(name)))) return -situ_error_code;
    }
    return rules ? situ_archive_sort(a) : 0;
}

/* ---- comparing a file with a network ------------------------------------------------------------------------------------ */

/* A list of differences of one kind; a message shows the first few. */
typedef struct difference {
    char text[240];
    size_t used;
    int count;
} difference;

static void differs(difference *d, const char *what)
{
    size_t size = strlen(what);
    if (d->count++ < 4 && d->used + size + 3 < sizeof d->text)
        d->used += (size_t)snprintf(d->text + d->used, sizeof d->text - d->used, "%s%s", d->used ? ", " : "", what);
    else if (d->used + 5 < sizeof d->text && (d->used < 3 || memcmp(d->text + d->used - 3, "...", 3)))
        d->used += (size_t)snprintf(d->text + d->used, sizeof d->text - d->used, " ...");
}

static void shape_differs(difference *d, const char *name, const situ_entry *e, const situ_parameter *p)
{
    char a[128], b[128] = "[", text[400];
    size_t used = 1;
    situ_shape_text((int)e->shape.ndim, e->shape.dim, a, sizeof a);
    for (int i = 0; i < (int)p->shape.ndim && used < sizeof b - 24; i++) {
        const char *comma = i ? "," : "";
        bool any = !p->made && !p->known && !p->shape.dim[i];
        used += (size_t)(any ? snprintf(b + used, sizeof b - used, "%s?", comma) :
                               snprintf(b + used, sizeof b - used, "%s%lld", comma, (long long)p->shape.dim[i]));
    }
    snprintf(b + used, sizeof b - used, "]");
    snprintf(text, sizeof text, "%.80s is %s there and %s here", name, a, b);
    differs(d, text);
}

/* Does the shape fit? A size of 0 in the network is not known before the first call, and fits any. */
static bool fits_shape(const situ_entry *e, const situ_parameter *p)
{
    bool all = p->made || p->known;
    bool fits = (!all && !p->declared) || e->shape.ndim == p->shape.ndim;
    for (int d = 0; d < (int)p->shape.ndim && fits && (all || p->declared); d++)
        fits = e->shape.dim[d] == p->shape.dim[d] || (!all && !p->shape.dim[d]);
    return fits;
}

static bool takes_rows(const situ_parameter *p, const situ_entry *e)
{
    return e->dtype == SITU_U8 && situ_parameter_takes_rows(p, SITU_U8, &e->shape);
}

static bool is_passed_over(const char *name)
{
    static const char counter[] = "num_batches_tracked";
    size_t n = strlen(name), k = sizeof counter - 1;
    return !strncmp(name, SITU_ASIDE_NAMES, sizeof SITU_ASIDE_NAMES - 1) ||
        (n >= k && !strcmp(name + n - k, counter) && (n == k || name[n - k - 1] == '.'));
}

/* place[k]: index of the file's entry for parameter k, -1: none. 0 or a negative code. */
static int compare(
    const situ_module *net, const situ_archive *a, const situ_module_take_options *o, int64_t *place, bool *used, situ_site site)
{
    difference missing = {.used = 0}, shapes = {.used = 0}, more = {.used = 0}, kinds = {.used = 0};
    bool rounded = false;
    for (int k = 0; k < net->total; k++) {
        const situ_parameter *p = situ_module_root(net)->all[net->first + k];
        const char *name = situ_module_name(net, k);
        int64_t i = place[k] = situ_archive_at(a, name);
        if (i < 0) {
            differs(&missing, name);
            continue;
        }
        used[i] = true;
        const situ_entry *e = &a->entry[i];
        bool rows = takes_rows(p, e);
        if (!rows && !fits_shape(e, p)) shape_differs(&shapes, name, e, p);
        rounded |= situ_parameter_rounded(p) && e->dtype != SITU_U8;
        /* Quantised weights are stored as u8, so their dtype always differs. */
        bool same = rows || (p->made && e->dtype == (int)situ_dtype_of(p->copy[0]));
        if (e->dtype < 0 || (!same && !situ_dtype_is_float((situ_dtype)e->dtype))) differs(&kinds, name);
    }
    for (int64_t i = 0; i < a->entries; i++)
        if (!used[i] && !is_passed_over(a->entry[i].name)) differs(&more, a->entry[i].name);
    /* No tensor of the file fits at all: probably the wrong file. */
    bool strict = o->strict || (net->total && missing.count == net->total && more.count);
    if (!shapes.count && !kinds.count && (!strict || (!missing.count && !more.count))) return 0;
    const struct {
        const char *words, *names;
        bool said;
    } all[] = {{"it lacks ", missing.text, strict && missing.count}, {"the network has no ", more.text, strict && more.count},
        {"", shapes.text, shapes.count}, {"no floats are in ", kinds.text, kinds.count},
        {"the network is quantised, these values are not: load them before", "", rounded},
        {SITU_SAY(".strict = false", "strict=False") " loads what both have", "",
            o->strict && !o->exact && (missing.count || more.count)}};
    char text[1200] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].said) n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", n ? "; " : "", all[i].words, all[i].names);
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s does not fit the network: %s", o->function, a->path, text);
}

/* ---- values --------------------------------------------------------------------------------------------------------------- */

/* PyTorch's name for running moments, which have no gradient. Other fixed parameters are recognised at the first call. */
static bool is_moment(const char *name) { return !strncmp(name, "running_", 8); }

/* Reads entry i of the file for each device. */
static int read_one(const situ_module *root, const situ_parameter *p, const situ_archive *a, int64_t i, bool exact,
    situ_tensor **value, situ_site site)
{
    situ_dtype there = (situ_dtype)a->entry[i].dtype;
    situ_dtype dtype = takes_rows(p, &a->entry[i]) ? SITU_U8 :
        p->made                                    ? situ_dtype_of(p->copy[0]) :
        exact || there == SITU_F64                 ? there :
                                                     SITU_F32;
    for (int k = 0; k < root->devices && !situ_error_code; k++)
        value[k] = situ_archive_tensor(a, i, dtype, root->device[k], exact, site);
    return -situ_error_code;
}

/* Turns the values into variables. */
static int make_variables(const situ_module *root, const situ_parameter *p, situ_tensor **value, bool trainable, situ_site site)
{
    for (int k = 0; k < root->devices; k++) {
        value[k] = situ_variable_holding(value[k], trainable, p->path, site);
        if (!situ_error_code) continue;
        while (k-- > 0) situ_release(value[k]);
        return -situ_error_code;
    }
    return 0;
}

/* Prepares the rows of a quantised layer, or the variables of a parameter that does not exist yet. */
static int make_ready(situ_taken *t, int k, const situ_archive *a, situ_site site)
{
    const situ_module *root = situ_module_root(t->net);
    situ_parameter *p = root->all[t->net->first + k];
    situ_tensor **value = t->value + (size_t)k * (size_t)root->devices;
    bool rows = takes_rows(p, &a->entry[t->place[k]]), fixed = p->known ? p->fixed : is_moment(p->name);
    if (p->made && !rows) return 0;
    if (make_variables(root, p, value, !rows && !fixed, site)) {
        for (int d = 0; d < root->devices; d++) value[d] = NULL;
        return -situ_error_code;
    }
    t->variable[k] = true;
    if (!rows || (t->rows[k] = situ_linear_rows(p->owner, value))) return 0;
    return -situ_error_code;
}

static int no_room(const situ_module_take_options *o, situ_site site)
{
    return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", o->function);
}

int situ_module_read(situ_taken *t, situ_module *net, const situ_archive *a, const situ_module_take_options *o, situ_site site)
{
    situ_module *root = situ_module_root(net);
    size_t n = (size_t)net->total + 1;
    bool *used = situ_calloc((size_t)a->entries + 1, sizeof *used);
    *t = (situ_taken){.net = net, .place = situ_malloc(n * sizeof *t->place)};
    int rc = t->place && used ? compare(net, a, o, t->place, used, site) : no_room(o, site);
    situ_free(used);
    if (rc || o->check) return rc;
    if (!root->devices) {
        if ((rc = situ_device_resolve(&root->device[0], site))) return rc;
        t->placed = true;
        root->devices = 1;
    }
    t->value = situ_calloc(n * (size_t)root->devices, sizeof *t->value);
    t->rows = situ_calloc(n, sizeof *t->rows);
    t->variable = situ_calloc(n, sizeof *t->variable);
    if (!t->value || !t->rows || !t->variable) return no_room(o, site);
    for (int k = 0; k < net->total && !rc; k++) {
        situ_tensor **value = t->value + (size_t)k * (size_t)root->devices;
        if (t->place[k] < 0) continue;
        t->count++;
        rc = read_one(root, root->all[net->first + k], a, t->place[k], o->exact, value, site);
        if (!rc) rc = make_ready(t, k, a, site);
    }
    return rc;
}

int situ_taken_changes(const situ_taken *t, situ_tensor **variable, situ_tensor **value)
{
    const situ_module *root = situ_module_root(t->net);
    int n = 0;
    for (int k = 0; k < t->net->total; k++)
        for (int d = 0; d < root->devices && t->place[k] >= 0 && !t->variable[k]; d++) {
            variable[n] = root->all[t->net->first + k]->copy[d];
            value[n++] = t->value[(size_t)k * (size_t)root->devices + (size_t)d];
        }
    return n;
}

void situ_taken_give(situ_taken *t)
{
    const situ_module *root = situ_module_root(t->net);
    size_t width = (size_t)root->devices;
    for (int k = 0; k < t->net->total; k++) {
        situ_parameter *p = root->all[t->net->first + k];
        if (!t->variable[k] || t->rows[k]) continue;
        if (!p->known) {
            p->fixed = is_moment(p->name);
            p->untold = true;
        }
        memcpy(p->copy, t->value + (size_t)k * width, width * sizeof *p->copy);
        p->shape = situ_shape_like(p->copy[0]);
        p->known = true;
        __atomic_store_n(&p->made, true, __ATOMIC_RELEASE);
        t->variable[k] = false;
    }
    for (int k = 0; k < t->net->total; k++)
        if (t->rows[k]) situ_linear_take_rows(t->rows[k]);
    t->given = true;
}

void situ_taken_free(situ_taken *t)
{
    situ_module *root = situ_module_root(t->net);
    for (int k = 0; !t->given && t->variable && t->rows && t->value && k < t->net->total; k++) {
        if (t->rows[k]) situ_parameter_free(t->rows[k]);
        for (int d = 0; d < root->devices && t->variable[k] && !t->rows[k]; d++)
            situ_release(t->value[(size_t)k * (size_t)root->devices + (size_t)d]);
    }
    if (t->placed && !t->given) root->devices = 0;
    situ_free(t->place);
    situ_free(t->value);
    situ_free(t->rows);
    situ_free(t->variable);
    *t = (situ_taken){.net = t->net, .given = true};
}

int situ_module_take(situ_module *net, situ_archive *a, const situ_module_take_options *o, situ_site site)
{
    situ_taken t;
    int rc = situ_module_read(&t, net, a, o, site);
    size_t most = (size_t)net->total * (size_t)situ_module_root(net)->devices + 1;
    situ_tensor **change = rc || o->check ? NULL : situ_malloc(2 * most * sizeof *change);
    if (!rc && !o->check) rc = change ? 0 : no_room(o, site);
    if (change) {
        int n = situ_taken_changes(&t, change, change + most);
        rc = (situ_assign_all)(TENSORS_OF(change, n), TENSORS_OF(change + most, n), site);
        if (!rc) situ_taken_give(&t);
        if (!rc && n) rc = (situ_eval)(TENSORS_OF(change, n), site); /* from here on other threads see the new values */
    }
    int loaded = t.count;
    situ_free(change);
    situ_taken_free(&t);
    return rc ? rc : loaded;
}

void situ_archive_done(situ_archive *a)
{
    situ_error error = {.code = situ_error_code};
    if (error.code) situ_error_take(&error);
    situ_archive_close(a);
    if (error.code) situ_fail_again(error.code, error.message);
}

int(situ_module_load)(situ_module *net, const char *path, const situ_module_load_options *options, situ_site site)
{
    SITU_SPEAK("situ_module_load", site);
    situ_module_load_options o = {SITU_DEFAULTS(SITU_MODULE_LOAD_DEFAULTS)};
    if (!is_network(net, path, "situ_module_load", site) || !SITU_TAKE_OPTIONS(o, options, "situ_module_load", site))
        return -situ_error_code;
    situ_archive *a = situ_archive_open(path, .map = o.map);
    if (!a) return -situ_error_code;
    int rc = rename_all(a, o.rename, site);
    if (!rc) rc = situ_module_take(net, a, &(situ_module_take_options){.strict = o.strict, .function = "situ_module_load"}, site);
    situ_archive_done(a);
    return rc;
}
