/* Loaders: batches are slices of a data set on the device, or are gathered on the host by threads. */
#include "data/loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "data/augment.h"
#include "data/prefetch.h"
#include "device/device.h"
#include "op/support.h"
#include "os/wait.h"
#include "run/read.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { RESIDENT_DEVICES = 32, MOST_WORKERS = 64 };

/* The set on one device: in its own order, and in the order of the epoch. */
typedef struct resident {
    situ_device device;
    situ_tensor *whole[SITU_FIELDS]; /* the fields, kept */
    situ_tensor *epoch[SITU_FIELDS]; /* the fields in the epoch's order, kept; NULL: not made yet in this epoch. The same as whole
                                      * if rows are not shuffled */
} resident;

struct situ_loader {
    situ_handle handle;
    const situ_dataset *data;
    situ_loader_options o;
    int64_t epoch, count; /* count: rows of an epoch */
    int64_t first, rows;  /* rows of the present batch */
    int64_t begun, taken; /* batches of this epoch so far; rows of a stream read before it */
    bool started, ended;
    bool ordered; /* the order is neither the set's own nor the permutation by the key; it is made on the host */
    int64_t *order;
    double *weight; /* prefix sums of the rows' weights; NULL: no weights */
    situ_prefetch *prefetch;
    const situ_gathered_rows *slot; /* the present batch, if it was prefetched */
    situ_loader_times times;
    resident place[RESIDENT_DEVICES];
    int places;
};

static int check_options(const situ_dataset *data, situ_loader_options *o, situ_site site)
{
    if (situ_ended(data, "situ_loader_new", "data set", site)) return -situ_error_code;
    if (!data) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_loader_new: the data set is NULL");
    if (!situ_take_device(&o->device, "situ_loader_new", site)) return -situ_error_code;
    if (o->batch < 1)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_loader_new: " SITU_SAY(".batch", "batch") " = %lld; a batch has at least 1 row", (long long)o->batch);
    if (o->workers < 1 || o->workers > MOST_WORKERS || o->batches < 0 || o->multiple < 1 || o->multiple > 1 << 20)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_loader_new: there are 1 to 64 workers (%d), from 0 batches (%lld), a multiple from 1 (%lld)", o->workers,
            (long long)o->batches, (long long)o->multiple);
    if (o->stratified && !situ_dataset_label(data))
        return situ_fail(
            SITU_BAD_OPTION, site, "situ_loader_new: " SITU_SAY(".stratified", "stratified") " needs labels of classes");
    if (o->buckets && !data->field[0].start)
        return situ_fail(
            SITU_BAD_OPTION, site, "situ_loader_new: " SITU_SAY(".buckets", "buckets") " needs rows of different lengths");
    if (data->count < 0 && (o->shuffle || o->drop_last))
        return situ_fail(SITU_BAD_OPTION, site, "situ_loader_new: a stream has neither an order to shuffle nor a last batch");
    if (o->drop_last && o->batch > data->count)
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_loader_new: " SITU_SAY(
                ".drop_last", "drop_last") " leaves no batch of %lld rows in a set of %lld; make the batch smaller",
            (long long)o->batch, (long long)data->count);
    if (o->batch > data->count && data->count > 0) o->batch = data->count;
    return situ_device_resolve(&o->device, site);
}

/* True if rows have to be gathered on the host: they are augmented, made by a function, padded, or labels are shares. */
static bool gathers(const situ_dataset *data)
{
    bool any = data->row || data->stages || data->count < 0;
    for (int i = 0; i < data->fields; i++) any |= data->field[i].start || data->field[i].pitch != data->field[i].bytes;
    return any;
}

static int64_t rows_of_epoch(const situ_loader *loader)
{
    int64_t n = loader->data->count < 0 ? INT64_MAX / 2 : loader->data->count, b = loader->o.batch;
    if (loader->o.drop_last) n -= n % b;
    return loader->o.batches && loader->o.batches < n / b + 1 && loader->o.batches * b < n ? loader->o.batches * b : n;
}

situ_loader *(situ_loader_new)(const situ_dataset *data, const situ_loader_options *options, situ_site site)
{
    SITU_SPEAK("situ_loader_new", site);
    situ_loader_options o = {SITU_DEFAULTS(SITU_LOADER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_loader_new", site) || check_options(data, &o, site)) return NULL;
    if (!data->count && situ_hints())
        situ_hint(site, "situ_loader_new: the data set \"%s\" has no rows: a loop over its batches has no turn", data->name);
    int64_t n = data->count < 0 ? 0 : data->count;
    situ_loader *loader = situ_calloc(1, sizeof *loader);
    if (loader) {
        *loader = (situ_loader){.handle = SITU_HANDLE_NEW(LOADER), .data = data, .o = o, .ordered = o.stratified || o.buckets};
        loader->count = rows_of_epoch(loader);
        loader->order = situ_malloc((size_t)n * sizeof *loader->order + 1);
        situ_handle_hold(data);
    }
    if (!loader || !loader->order) {
        situ_fail(SITU_NO_MEMORY, site, "situ_loader_new: out of host memory");
    } else {
        for (int64_t i = 0; i < n; i++) loader->order[i] = i;
        if (o.resident && !gathers(data)) return loader;
        if ((loader->prefetch = situ_prefetch_new(data, o.batch, o.multiple, o.workers))) return loader;
    }
    situ_loader_free(loader);
    return NULL;
}

static void release(situ_tensor **t, int n)
{
    for (int i = 0; i < n; i++) {
        situ_release(t[i]);
        t[i] = NULL;
    }
}

static void forget_epoch(const situ_loader *loader, resident *r)
{
    if (r->epoch[0] != r->whole[0]) release(r->epoch, loader->data->fields);
    memset(r->epoch, 0, sizeof r->epoch);
}

void situ_loader_free(situ_loader *loader)
{
    situ_site site = situ_passed_site();
    if (!loader || situ_ended(loader, "situ_loader_free", "loader", site)) return;
    situ_prefetch_free(loader->prefetch);
    for (int i = 0; i < loader->places; i++) {
        forget_epoch(loader, &loader->place[i]);
        release(loader->place[i].whole, loader->data->fields);
    }
    situ_free(loader->order);
    situ_free(loader->weight);
    situ_dataset_let_go(loader->data);
    if (situ_handle_end(loader, site)) situ_retire(loader);
}

situ_loader_times situ_loader_times_of(const situ_loader *loader) { return loader->times; }

/* ---- the order of an epoch --------------------------------------------------------------------------------------------------- */

int situ_loader_weights(situ_loader *loader, const double *weights, int64_t count)
{
    SITU_SPEAK_AT("situ_loader_weights");
    if (situ_error_code || situ_ended(loader, "situ_loader_weights", "loader", NULL)) return -situ_error_code;
    if (!loader || (weights && (loader->data->count < 1 || count != loader->data->count)))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_weights: %lld weights for %lld rows", (long long)count,
            loader ? (long long)loader->data->count : 0LL);
    double *sums = weights ? situ_malloc((size_t)count * sizeof *sums) : NULL, sum = 0;
    if (weights && !sums) return situ_fail(SITU_NO_MEMORY, NULL, "situ_loader_weights: out of host memory");
    for (int64_t i = 0; sums && i < count; i++) {
        if (!(weights[i] >= 0)) sum = -1;
        sums[i] = sum < 0 ? sum : (sum += weights[i]);
    }
    if (sums && !(sum > 0 && sum <= 1e300)) {
        situ_free(sums);
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_weights: weights must be 0 or more, and at least one above 0");
    }
    situ_free(loader->weight);
    loader->weight = sums;
    loader->ordered = sums || loader->o.stratified || loader->o.buckets;
    return 0;
}

/* Draws as many rows as the set has, by their weights. */
static void draw_rows(situ_loader *loader)
{
    int64_t n = loader->data->count;
    situ_draws d = situ_draws_of(loader->o.key, loader->epoch, -1, 1);
    for (int64_t i = 0; i < n; i++) {
        double at = situ_draw(&d) * loader->weight[n - 1];
        int64_t low = 0, high = n - 1;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (loader->weight[middle] > at) high = middle;
            else low = middle + 1;
        }
        loader->order[i] = low;
    }
}

typedef struct row_length {
    int64_t length, at, row;
} row_length;

static int by_length(const void *a, const void *b)
{
    const row_length *p = a, *q = b;
    return p->length != q->length ? (p->length > q->length) - (p->length < q->length) : (p->at > q->at) - (p->at < q->at);
}

/* Bucketing: within sections of several batches, sorts rows by length; then shuffles the batches of the section. */
static int bucket(situ_loader *loader)
{
    enum { BATCHES = 32 };
    const situ_column *c = &loader->data->field[0];
    int64_t n = loader->data->count, batch = loader->o.batch, stretch = batch * BATCHES < n ? batch * BATCHES : n;
    row_length *r = situ_malloc((size_t)stretch * sizeof *r + 1);
    int64_t *copy = situ_malloc((size_t)n * sizeof *copy + 1);
    situ_draws d = situ_draws_of(loader->o.key, loader->epoch, -1, 2);
    bool fits = r && copy;
    for (int64_t first = 0; fits && first < n; first += stretch) {
        int64_t end = first + stretch < n ? first + stretch : n, place[BATCHES], whole = (end - first) / batch;
        for (int64_t i = first; i < end; i++)
            r[i - first] = (row_length){situ_column_length(c, loader->order[i]), i, loader->order[i]};
        qsort(r, (size_t)(end - first), sizeof *r, by_length);
        for (int64_t i = 0; i < whole; i++) place[i] = i;
        for (int64_t i = whole - 1; i > 0 && loader->o.shuffle; i--) {
            int64_t other = (int64_t)(situ_draw(&d) * (double)(i + 1)), t = place[i];
            place[i] = place[other];
            place[other] = t;
        }
        for (int64_t i = first; i < end; i++) { /* an incomplete batch stays the last */
            int64_t b = (i - first) / batch, from = b < whole ? place[b] * batch + (i - first) % batch : i - first;
            copy[i] = r[from].row;
        }
    }
    if (fits) memcpy(loader->order, copy, (size_t)n * sizeof *copy);
    situ_free(r);
    situ_free(copy);
    return fits ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "situ_loader_start: out of host memory");
}

static int make_order(situ_loader *loader)
{
    int64_t n = loader->data->count;
    int rc = 0;
    if (n < 1) return 0;
    if (loader->weight) draw_rows(loader);
    else if (loader->o.shuffle) rc = situ_dataset_order(loader->o.key, loader->epoch, n, loader->order);
    else
        for (int64_t i = 0; i < n; i++) loader->order[i] = i;
    if (!rc && loader->o.stratified) rc = situ_dataset_spread(loader->data, loader->order, n);
    if (!rc && loader->o.buckets) rc = bucket(loader);
    return rc;
}

/* Makes batch number `begun` of the epoch the next one. */
static int start(situ_loader *loader, int64_t epoch, int64_t begun)
{
    int rc = 0;
    if (loader->prefetch) situ_prefetch_halt(loader->prefetch); /* its threads read the order */
    loader->epoch = epoch;
    loader->begun = begun;
    loader->first = begun * loader->o.batch;
    if (loader->first > loader->count) loader->first = loader->count; /* the last batch of the epoch was a short one */
    loader->rows = 0;
    loader->taken = loader->data->taken - (loader->data->count < 0 ? loader->first : 0);
    loader->started = true;
    loader->ended = false;
    for (int i = 0; i < loader->places && (loader->o.shuffle || loader->ordered); i++) forget_epoch(loader, &loader->place[i]);
    if (loader->prefetch || loader->ordered) rc = make_order(loader);
    if (!rc && loader->prefetch)
        rc = situ_prefetch_start(loader->prefetch,
            &(situ_data_pass){
                loader->data->count < 0 ? NULL : loader->order, loader->count, loader->o.key, epoch, loader->o.multiple},
            begun);
    loader->ended = rc != 0;
    return rc;
}

int situ_loader_start(situ_loader *loader, int64_t epoch)
{
    SITU_SPEAK_AT("situ_loader_start");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(loader, "situ_loader_start", "loader", NULL)) return -situ_error_code;
    if (!loader || epoch < 0)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_start: %s", loader ? "a negative epoch" : "the loader is NULL");
    return start(loader, epoch, 0);
}

int64_t situ_loader_epoch(const situ_loader *loader)
{
    return situ_is_usable(loader, "situ_loader_epoch", "loader") ? loader->epoch : 0;
}

situ_loader_position situ_loader_position_of(const situ_loader *loader)
{
    bool stream = loader->data->count < 0;
    return (situ_loader_position){.epoch = loader->epoch,
        .batches = loader->begun,
        .rows = stream ? loader->taken + loader->begun * loader->o.batch : 0,
        .ended = loader->ended};
}

int situ_loader_go(situ_loader *loader, const situ_loader_position *place)
{
    if (loader->prefetch) situ_prefetch_halt(loader->prefetch);
    if (loader->data->count < 0) ((situ_dataset *)(uintptr_t)loader->data)->taken = place->rows;
    int rc = start(loader, place->epoch, place->batches);
    loader->ended |= place->ended;
    return rc;
}

const situ_loader_options *situ_loader_options_of(const situ_loader *loader, const situ_dataset **data)
{
    *data = loader->data;
    return &loader->o;
}

int64_t situ_loader_next(situ_loader *loader)
{
    SITU_SPEAK_AT("situ_loader_next");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(loader, "situ_loader_next", "loader", NULL)) return -situ_error_code;
    if (!loader) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_next: the loader is NULL");
    if (loader->ended) return 0;
    if (!loader->started && situ_loader_start(loader, 0)) return -situ_error_code;
    loader->first += loader->rows;
    int64_t left = loader->count - loader->first;
    loader->rows = left < loader->o.batch ? left : loader->o.batch;
    if (loader->prefetch) {
        int64_t before = situ_now();
        loader->slot = situ_prefetch_next(loader->prefetch);
        loader->times.waited += situ_now() - before;
        loader->rows = loader->slot ? loader->slot->rows : 0;
    }
    loader->ended = loader->rows == 0;
    loader->begun += !loader->ended;
    return situ_error_code ? -situ_error_code : loader->rows;
}

int64_t situ_loader_batches(const situ_loader *loader)
{
    if (!situ_is_usable(loader, "situ_loader_batches", "loader")) return 0;
    if (loader->data->count < 0 && !loader->o.batches) return -1;
    return loader->count / loader->o.batch + (loader->count % loader->o.batch != 0);
}

/* ---- data on the device ------------------------------------------------------------------------------------------------- */

static situ_tensor *bring(
    const void *data, const situ_column *c, int64_t rows, int64_t length, situ_device device, situ_reason reason, situ_site site)
{
    situ_from_host_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = c->dtype, .device = device};
    situ_shape shape = {.ndim = c->shape.ndim + 1};
    memcpy(shape.dim + 1, c->shape.dim, (size_t)c->shape.ndim * sizeof *shape.dim);
    shape.dim[0] = rows;
    if (c->start) shape.dim[1] = length;
    return situ_move_from_host(data, shape, &o, reason, site);
}

/* Uploads the whole set to the device, once. */
static int upload(situ_loader *loader, resident *r, situ_site site)
{
    const situ_dataset *d = loader->data;
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < d->fields; i++)
        r->whole[i] = situ_keep(bring(d->field[i].data, &d->field[i], d->count, 0, r->device, SITU_REASON_CREATE, site));
    situ_scope_close(scope);
    return situ_error_code ? -situ_error_code : 0;
}

/* Reorders it for the epoch, on the device. */
static int arrange(const situ_loader *loader, resident *r, situ_site site)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *taken[SITU_FIELDS], *order;
    int64_t n = loader->data->count;
    if (loader->ordered) {
        situ_from_host_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = SITU_I64, .device = r->device};
        order = situ_move_from_host(loader->order, SHAPE(n), &o, SITU_REASON_CREATE, site);
    } else {
        order =
            situ_permutation(situ_fold_in(situ_key(loader->o.key, .device = r->device), loader->epoch), n, .layout = SITU_ORIGINAL);
    }
    for (int i = 0; i < loader->data->fields; i++) taken[i] = situ_take(r->whole[i], order);
    if (!(situ_eval)(TENSORS_OF(taken, loader->data->fields), site))
        for (int i = 0; i < loader->data->fields; i++) r->epoch[i] = situ_keep(taken[i]);
    situ_scope_close(scope);
    return situ_error_code ? -situ_error_code : 0;
}

static resident *place_on(situ_loader *loader, situ_device device, situ_site site)
{
    resident *r = NULL;
    for (int i = 0; i < loader->places; i++)
        if (situ_device_equal(loader->place[i].device, device)) r = &loader->place[i];
    if (!r) {
        if (loader->places == RESIDENT_DEVICES) {
            situ_fail(SITU_BAD_ARGUMENT, site, "situ_loader_part: one loader serves at most %d devices", RESIDENT_DEVICES);
            return NULL;
        }
        int64_t before = situ_now();
        r = &loader->place[loader->places];
        *r = (resident){.device = device};
        if (upload(loader, r, site)) {
            release(r->whole, loader->data->fields);
            return NULL;
        }
        loader->times.copied += situ_now() - before;
        loader->places++;
    }
    if (r->epoch[0]) return r;
    if (loader->o.shuffle || loader->ordered) return arrange(loader, r, site) ? NULL : r;
    memcpy(r->epoch, r->whole, sizeof r->epoch);
    return r;
}

/* Copies rows of the gathered batch to the device. */
static void bring_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **out, situ_site site)
{
    const situ_gathered_rows *slot = loader->slot;
    int64_t before = situ_now();
    for (int i = 0; i < loader->data->fields; i++) {
        situ_column c = situ_gathered(loader->data, i);
        const char *from = slot->field[i] + first * c.bytes * (c.start ? slot->length : 1);
        out[i] = bring(from, &c, rows, slot->length, device, SITU_REASON_PREFETCH, site);
    }
    loader->times.copied += situ_now() - before;
}

static void slice_part(const situ_loader *loader, const resident *r, int64_t first, int64_t rows, situ_tensor **out, situ_site site)
{
    for (int i = 0; i < loader->data->fields; i++) {
        out[i] = situ_slice(r->epoch[i], .start = SHAPE(first), .stop = SHAPE(first + rows));
        if (loader->data->field[i].pixels) out[i] = situ_div(situ_cast(out[i], SITU_F32), 255);
    }
}

static int get_part(
    situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_batch *out, const char *operation, situ_site site)
{
    for (int i = 0; out && i < SITU_FIELDS; i++) out->field[i] = situ_poisoned();
    if (situ_error_code || situ_ended(loader, operation, "loader", site)) return -situ_error_code;
    if (!loader || !out) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is NULL", operation, loader ? "a result" : "the loader");
    if (loader->rows < 1)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "%s: there is no batch; call " SITU_SAY("situ_loader_next", "next") " first", operation);
    if (first < 0 || rows < 1 || rows > loader->rows || first > loader->rows - rows)
        return situ_fail(SITU_BAD_INDEX, site, "%s: %lld rows from row %lld on of a batch of %lld", operation, (long long)rows,
            (long long)first, (long long)loader->rows);
    if (situ_device_resolve(&device, site)) return -situ_error_code;
    out->fields = loader->data->fields;
    out->inputs = loader->data->inputs;
    out->rows = rows;
    out->first = first;
    out->of = loader->rows;
    out->step = -1;
    out->device = 0;
    out->training = true;
    if (loader->prefetch) {
        bring_part(loader, device, first, rows, out->field, site);
    } else {
        resident *r = place_on(loader, device, site);
        if (!r) return -situ_error_code;
        slice_part(loader, r, loader->first + first, rows, out->field, site);
    }
    return situ_error_code ? -situ_error_code : 0;
}

int(situ_loader_get_part)(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_batch *out, situ_site site)
{
    SITU_SPEAK("situ_loader_get_part", site);
    return get_part(loader, device, first, rows, out, "situ_loader_get_part", site);
}

int(situ_loader_get)(situ_loader *loader, situ_batch *out, situ_site site)
{
    SITU_SPEAK("situ_loader_get", site);
    if (situ_ended(loader, "situ_loader_get", "loader", site)) loader = NULL;
    return get_part(loader, loader ? loader->o.device : situ_cpu(), 0, loader ? loader->rows : 1, out, "situ_loader_get", site);
}

int(situ_loader_part)(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site)
{
    SITU_SPEAK("situ_loader_part", site);
    situ_batch batch;
    if (features) *features = situ_poisoned();
    if (labels) *labels = situ_poisoned();
    if (situ_error_code || situ_ended(loader, "situ_loader_part", "loader", site)) return -situ_error_code;
    if (loader && (loader->data->fields != 2 || loader->data->inputs != 1))
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_loader_part: \"%s\" has %d inputs and %d targets; take all of them by " SITU_SAY(
                "situ_loader_get", "iterating over the loader"),
            loader->data->name, loader->data->inputs, loader->data->fields - loader->data->inputs);
    int rc = get_part(loader, device, first, rows, features && labels ? &batch : NULL, "situ_loader_part", site);
    if (rc) return rc;
    *features = batch.field[0];
    *labels = batch.field[1];
    return 0;
}

int(situ_loader_batch)(situ_loader *loader, situ_tensor **features, situ_tensor **labels, situ_site site)
{
    SITU_SPEAK("situ_loader_batch", site);
    if (situ_ended(loader, "situ_loader_batch", "loader", site)) loader = NULL;
    return (situ_loader_part)(loader, loader ? loader->o.device : situ_cpu(), 0, loader ? loader->rows : 1, features, labels, site);
}
