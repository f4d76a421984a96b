/* Loaders: batches as slices of a set that lies on the device, or gathered on the host by a thread. */
#include <string.h>

#include "base/memory.h"
#include "data/prefetch.h"
#include "device/device.h"
#include "op/support.h"
#include "run/read.h"
/* last */
#include "op/here.h"

enum { RESIDENT_DEVICES = 32 };

/* The set on one device: as it is, and in the order of the epoch. */
typedef struct resident {
    situ_device device;
    situ_tensor *x, *y;             /* kept */
    situ_tensor *x_epoch, *y_epoch; /* kept; NULL: not yet in this epoch. The same as x and y without shuffling */
} resident;

struct situ_loader {
    situ_handle handle;
    const situ_dataset *data;
    situ_loader_options o;
    int64_t epoch, count; /* count: rows of an epoch */
    int64_t first, rows;  /* the present batch       */
    bool started, ended;
    int64_t *order;
    situ_prefetch *prefetch;
    const float *x; /* the present batch, prefetched */
    const int32_t *y;
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
    if (o->drop_last && o->batch > data->shape.dim[0])
        return situ_fail(SITU_BAD_OPTION, site,
            "situ_loader_new: " SITU_SAY(
                ".drop_last", "drop_last") " leaves no batch of %lld rows in a set of %lld; make the batch smaller",
            (long long)o->batch, (long long)data->shape.dim[0]);
    if (o->batch > data->shape.dim[0] && data->shape.dim[0]) o->batch = data->shape.dim[0];
    return situ_device_resolve(&o->device, site);
}

situ_loader *(situ_loader_new)(const situ_dataset *data, const situ_loader_options *options, situ_site site)
{
    SITU_SPEAK("situ_loader_new", site);
    situ_loader_options o = {SITU_DEFAULTS(SITU_LOADER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_loader_new", site) || check_options(data, &o, site)) return NULL;
    int64_t n = data->shape.dim[0];
    situ_loader *loader = situ_calloc(1, sizeof *loader);
    if (loader) {
        *loader = (situ_loader){.handle = SITU_HANDLE_NEW, .data = data, .o = o, .count = o.drop_last ? n - n % o.batch : n};
        loader->order = situ_malloc((size_t)n * sizeof *loader->order);
        situ_handle_hold(data);
    }
    if (!loader || !loader->order) {
        situ_fail(SITU_NO_MEMORY, site, "situ_loader_new: out of host memory");
    } else {
        for (int64_t i = 0; i < n; i++) loader->order[i] = i;
        if (o.resident || (loader->prefetch = situ_prefetch_new(data, o.batch))) return loader;
    }
    situ_loader_free(loader);
    return NULL;
}

static void forget_epoch(resident *r)
{
    if (r->x_epoch != r->x) {
        situ_release(r->x_epoch);
        situ_release(r->y_epoch);
    }
    r->x_epoch = r->y_epoch = NULL;
}

void situ_loader_free(situ_loader *loader) { situ_loader_free_at(loader, NULL); }

void situ_loader_free_at(situ_loader *loader, situ_site site)
{
    if (!loader || situ_ended(loader, "situ_loader_free", "loader", site)) return;
    situ_prefetch_free(loader->prefetch);
    for (int i = 0; i < loader->places; i++) {
        forget_epoch(&loader->place[i]);
        situ_release(loader->place[i].x);
        situ_release(loader->place[i].y);
    }
    situ_free(loader->order);
    situ_dataset_let_go(loader->data);
    if (situ_handle_end(loader, site)) situ_retire(loader);
}

int situ_loader_start(situ_loader *loader, int64_t epoch)
{
    SITU_SPEAK_AT("situ_loader_start");
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(loader, "situ_loader_start", "loader", NULL)) return -situ_error_code;
    if (!loader || epoch < 0)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_start: %s", loader ? "a negative epoch" : "the loader is NULL");
    int rc = 0;
    if (loader->prefetch) situ_prefetch_halt(loader->prefetch); /* it reads the order */
    loader->epoch = epoch;
    loader->first = loader->rows = 0;
    loader->started = true;
    loader->ended = false;
    for (int i = 0; i < loader->places && loader->o.shuffle; i++) forget_epoch(&loader->place[i]);
    if (!loader->prefetch) return 0;
    if (loader->o.shuffle) rc = situ_dataset_order(loader->o.key, epoch, loader->data->shape.dim[0], loader->order);
    if (!rc) rc = situ_prefetch_start(loader->prefetch, loader->order, loader->count);
    loader->ended = rc != 0;
    return rc;
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
    if (loader->prefetch) loader->rows = situ_prefetch_next(loader->prefetch, &loader->x, &loader->y);
    loader->ended = loader->rows == 0;
    return loader->rows;
}

int64_t situ_loader_batches(const situ_loader *loader)
{
    return situ_there(loader, "situ_loader_batches", "loader") ? (loader->count + loader->o.batch - 1) / loader->o.batch : 0;
}

/* ---- on the device ------------------------------------------------------------------------------------------------------ */

/* Brings the whole set to the device, once. */
static int upload(situ_loader *loader, resident *r, situ_site site)
{
    const situ_dataset *d = loader->data;
    situ_scope *scope = situ_scope_open();
    r->x = situ_keep(situ_from_host(d->x, d->shape, .dtype = SITU_F32, .device = r->device));
    r->y = situ_keep(situ_from_host(d->y, SHAPE(d->shape.dim[0]), .dtype = SITU_I32, .device = r->device));
    situ_scope_close(scope);
    return situ_error_code ? -situ_error_code : 0;
}

/* Puts it into the order of the epoch, on the device itself. */
static int shuffle(situ_loader *loader, resident *r, situ_site site)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *key = situ_fold_in(situ_key(loader->o.key, .device = r->device), loader->epoch);
    situ_tensor *order = situ_permutation(key, loader->data->shape.dim[0], .layout = SITU_ORIGINAL);
    situ_tensor *both[2] = {situ_take(r->x, order), situ_take(r->y, order)};
    if (!(situ_eval)(TENSORS_OF(both, 2), site)) {
        r->x_epoch = situ_keep(both[0]);
        r->y_epoch = situ_keep(both[1]);
    }
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
        r = &loader->place[loader->places];
        *r = (resident){.device = device};
        if (upload(loader, r, site)) {
            situ_release(r->x);
            situ_release(r->y);
            return NULL;
        }
        loader->places++;
    }
    if (r->x_epoch) return r;
    if (loader->o.shuffle && shuffle(loader, r, site)) return NULL;
    if (!loader->o.shuffle) {
        r->x_epoch = r->x;
        r->y_epoch = r->y;
    }
    return r;
}

static situ_tensor *rows_of(situ_tensor *t, int64_t first, int64_t rows, situ_site site)
{
    return situ_slice(t, .start = SHAPE(first), .stop = SHAPE(first + rows));
}

/* Rows of the gathered batch, copied to the device. */
static void bring(const situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site)
{
    situ_from_host_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = SITU_F32, .device = device};
    situ_shape shape = loader->data->shape;
    shape.dim[0] = rows;
    *features = situ_bring(loader->x + first * loader->data->row, shape, &o, SITU_REASON_PREFETCH, site);
    o.dtype = SITU_I32;
    *labels = situ_bring(loader->y + first, SHAPE(rows), &o, SITU_REASON_PREFETCH, site);
}

int(situ_loader_part)(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site)
{
    SITU_SPEAK("situ_loader_part", site);
    if (features) *features = situ_poisoned();
    if (labels) *labels = situ_poisoned();
    if (situ_error_code) return -situ_error_code;
    if (situ_ended(loader, "situ_loader_part", "loader", site)) return -situ_error_code;
    if (!loader || !features || !labels)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_loader_part: %s is NULL", loader ? "a result" : "the loader");
    if (loader->rows < 1)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_loader_part: there is no batch; call " SITU_SAY("situ_loader_next", "next") " first");
    if (first < 0 || rows < 1 || rows > loader->rows || first > loader->rows - rows)
        return situ_fail(SITU_BAD_INDEX, site, "situ_loader_part: %lld rows from row %lld on of a batch of %lld", (long long)rows,
            (long long)first, (long long)loader->rows);
    if (situ_device_resolve(&device, site)) return -situ_error_code;
    if (loader->prefetch) {
        bring(loader, device, first, rows, features, labels, site);
    } else {
        resident *r = place_on(loader, device, site);
        if (!r) return -situ_error_code;
        *features = rows_of(r->x_epoch, loader->first + first, rows, site);
        *labels = rows_of(r->y_epoch, loader->first + first, rows, site);
    }
    return situ_error_code ? -situ_error_code : 0;
}

int(situ_loader_batch)(situ_loader *loader, situ_tensor **features, situ_tensor **labels, situ_site site)
{
    SITU_SPEAK("situ_loader_batch", site);
    if (situ_ended(loader, "situ_loader_batch", "loader", site)) loader = NULL;
    return (situ_loader_part)(loader, loader ? loader->o.device : situ_cpu(), 0, loader ? loader->rows : 1, features, labels, site);
}
