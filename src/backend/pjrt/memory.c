/* The address table of a PJRT device (which value is at which address), and copies. */
#include "backend/pjrt/pjrt.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tensor/dtype.h"

enum { ALIGNMENT = 256, HOST_ALIGNMENT = 64 };

/* ---- errors ---- */

int situ_pjrt_fail(situ_pjrt *s, const char *why)
{
    situ_mutex_lock(&s->lock);
    snprintf(s->why, sizeof s->why, "%s", why);
    situ_mutex_unlock(&s->lock);
    return -SITU_DEVICE_LOST;
}

int situ_pjrt_failed(situ_pjrt *s, pjrt_error error)
{
    char text[sizeof s->why];
    int code = situ_pjrt_code(s->plugin, error, text, sizeof text);
    if (code) situ_pjrt_fail(s, text);
    return code;
}

int situ_pjrt_gave(situ_pjrt *s, pjrt_error error, const void *given)
{
    int code = situ_pjrt_failed(s, error);
    return code || given ? code : situ_pjrt_fail(s, "the plugin gives nothing, and says no reason");
}

/* ---- values ---- */

void situ_pjrt_destroy(const situ_pjrt_plugin *p, pjrt_buffer b)
{
    pjrt_one one = {.size = sizeof one, .object = b};
    if (b) situ_pjrt_code(p, situ_pjrt_call(p, PJRT_BUFFER_DESTROY, &one), NULL, 0);
}

void situ_pjrt_drop_value(situ_pjrt_value *v)
{
    if (!v || atomic_fetch_sub(&v->uses, 1) != 1) return;
    situ_pjrt_destroy(v->plugin, v->buffer);
    situ_pjrt_drop_value(v->was);
    situ_aligned_free(v->host);
    situ_free(v);
}

static situ_pjrt_value *value_new(situ_pjrt *s, pjrt_buffer buffer, int dtype, size_t bytes)
{
    situ_pjrt_value *v = situ_calloc(1, sizeof *v);
    if (!v) return NULL;
    v->uses = 1;
    v->plugin = s->plugin;
    v->buffer = buffer;
    v->dtype = dtype;
    v->bytes = bytes;
    v->step = -1;
    return v;
}

static situ_pjrt_value *host_value_new(situ_pjrt *s, size_t bytes)
{
    situ_pjrt_value *v = value_new(s, NULL, 0, bytes);
    if (!v || (v->host = situ_aligned_alloc(HOST_ALIGNMENT, bytes))) return v;
    situ_free(v);
    return NULL;
}

situ_pjrt_value *situ_pjrt_promise(situ_pjrt *s, int step, int of, int dtype, size_t bytes)
{
    situ_pjrt_value *v = value_new(s, NULL, dtype, bytes);
    if (v) {
        v->step = step;
        v->of = of;
    }
    return v;
}

/* PJRT's number of a dtype. A bool is stored as a byte. */
static int type_of(int dtype)
{
    static const uint8_t types[SITU_DTYPES] = {[SITU_BOOL] = PJRT_U8,
        [SITU_U8] = PJRT_U8,
        [SITU_U16] = PJRT_U16,
        [SITU_U32] = PJRT_U32,
        [SITU_U64] = PJRT_U64,
        [SITU_I8] = PJRT_S8,
        [SITU_I16] = PJRT_S16,
        [SITU_I32] = PJRT_S32,
        [SITU_I64] = PJRT_S64,
        [SITU_F16] = PJRT_F16,
        [SITU_BF16] = PJRT_BF16,
        [SITU_F32] = PJRT_F32,
        [SITU_F64] = PJRT_F64,
        [SITU_C64] = PJRT_C64,
        [SITU_C128] = PJRT_C128};
    return types[dtype];
}

static pjrt_error send_as(situ_pjrt *s, const void *data, int dtype, int64_t count, int64_t row, int semantics, pjrt_from_host *a)
{
    const int64_t dim[2] = {row ? count / row : count, row};
    *a = (pjrt_from_host){.size = sizeof *a,
        .client = s->plugin->client,
        .data = data,
        .type = type_of(dtype),
        .dim = dim,
        .ndim = row ? 2 : 1,
        .semantics = semantics,
        .device = s->device};
    return situ_pjrt_call(s->plugin, PJRT_CLIENT_BUFFER_FROM_HOST, a);
}

pjrt_buffer situ_pjrt_send(situ_pjrt *s, const void *data, int dtype, int64_t count, int64_t row, pjrt_error *error)
{
    pjrt_from_host a;
    *error = send_as(s, data, dtype, count, row, PJRT_HOST_FREE_AFTER_CALL, &a);
    if (*error) return NULL;
    *error = situ_pjrt_await(s->plugin, a.done);
    if (!*error) return a.buffer;
    situ_pjrt_destroy(s->plugin, a.buffer);
    return NULL;
}

/* Called when the plugin no longer needs the host memory. */
typedef struct lent {
    const situ_pjrt_plugin *plugin;
    pjrt_event done;
    char *host;
} lent;

static void take_back(pjrt_error error, void *it)
{
    lent *l = it;
    pjrt_one one = {.size = sizeof one, .object = l->done};
    situ_pjrt_code(l->plugin, error, NULL, 0);
    situ_pjrt_code(l->plugin, situ_pjrt_call(l->plugin, PJRT_EVENT_DESTROY, &one), NULL, 0);
    situ_aligned_free(l->host);
    situ_free(l);
}

/* A buffer that uses the host's memory without a copy, if the plugin can do that; the buffer then owns it. NULL: it
 * must be copied. */
static pjrt_buffer lend(situ_pjrt *s, char *host, int dtype, int64_t count, int64_t row)
{
    pjrt_from_host a;
    lent *l = s->plugin->api->function[PJRT_EVENT_ON_READY] ? situ_malloc(sizeof *l) : NULL;
    if (!l) return NULL;
    if (situ_pjrt_code(s->plugin, send_as(s, host, dtype, count, row, PJRT_HOST_LENT, &a), NULL, 0)) {
        situ_free(l);
        return NULL;
    }
    *l = (lent){s->plugin, a.done, host};
    pjrt_on_ready then = {.size = sizeof then, .event = a.done, .call = take_back, .self = l};
    bool given = a.buffer && a.done;
    if (given && !situ_pjrt_code(s->plugin, situ_pjrt_call(s->plugin, PJRT_EVENT_ON_READY, &then), NULL, 0)) return a.buffer;
    situ_pjrt_destroy(s->plugin, a.buffer);
    situ_pjrt_code(s->plugin, situ_pjrt_await(s->plugin, a.done), NULL, 0);
    situ_free(l);
    return NULL;
}

int situ_pjrt_receive(situ_pjrt *s, pjrt_buffer b, void *to, size_t bytes)
{
    pjrt_to_host a = {.size = sizeof a, .from = b, .to = to, .bytes = bytes};
    pjrt_error error = situ_pjrt_call(s->plugin, PJRT_BUFFER_TO_HOST, &a);
    int code = situ_pjrt_gave(s, error, a.event); /* without an event nobody would know when the bytes have arrived */
    return code ? code : situ_pjrt_failed(s, situ_pjrt_await(s->plugin, a.event));
}

/* ---- the address table ---- */

/* Index of the first piece that ends after the address. */
static size_t piece_at(const situ_pjrt *s, uintptr_t address)
{
    size_t low = 0, high = s->pieces;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->piece[middle].start + s->piece[middle].bytes <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool room_for(situ_pjrt *s, size_t more)
{
    if (s->pieces + more <= s->capacity) return true;
    size_t capacity = s->capacity ? 2 * s->capacity : 256;
    situ_pjrt_piece *grown = situ_realloc(s->piece, capacity * sizeof *grown);
    if (!grown) return false;
    s->piece = grown;
    s->capacity = capacity;
    return true;
}

/* Removes everything from the range; one more piece then fits. */
static void clear(situ_pjrt *s, uintptr_t start, uintptr_t end)
{
    size_t i = piece_at(s, start), k = i;
    if (i < s->pieces && s->piece[i].start < start) {
        situ_pjrt_piece *left = &s->piece[i], right = *left;
        uintptr_t stop = left->start + left->bytes;
        left->bytes = start - left->start;
        k = ++i;
        if (stop > end) { /* the range is in the middle of a piece */
            memmove(s->piece + i + 1, s->piece + i, (s->pieces - i) * sizeof right);
            s->pieces++;
            right.offset += end - right.start;
            right.start = end;
            right.bytes = stop - end;
            atomic_fetch_add(&right.value->uses, 1);
            s->piece[i] = right;
            return;
        }
    }
    for (; k < s->pieces && s->piece[k].start + s->piece[k].bytes <= end; k++) situ_pjrt_drop_value(s->piece[k].value);
    if (k < s->pieces && s->piece[k].start < end) {
        s->piece[k].offset += end - s->piece[k].start;
        s->piece[k].bytes -= end - s->piece[k].start;
        s->piece[k].start = end;
    }
    memmove(s->piece + i, s->piece + k, (s->pieces - k) * sizeof *s->piece);
    s->pieces -= k - i;
}

/* Called under the lock. Takes over a reference to the value. */
static int put(situ_pjrt *s, situ_pjrt_piece piece)
{
    if (!room_for(s, 2)) {
        situ_pjrt_drop_value(piece.value);
        return -SITU_NO_MEMORY;
    }
    clear(s, piece.start, piece.start + piece.bytes);
    size_t i = piece_at(s, piece.start);
    memmove(s->piece + i + 1, s->piece + i, (s->pieces - i) * sizeof piece);
    s->piece[i] = piece;
    s->pieces++;
    return 0;
}

static int put_value(situ_pjrt *s, const void *address, situ_pjrt_value *v)
{
    if (!v) return -SITU_NO_MEMORY;
    situ_mutex_lock(&s->lock);
    int code = put(s, (situ_pjrt_piece){(uintptr_t)address, v->bytes, 0, v});
    situ_mutex_unlock(&s->lock);
    return code;
}

/* The value that v overwrites completely, from before the stretch. Called under the lock. */
static situ_pjrt_value *overwritten(situ_pjrt *s, const situ_pjrt_value *v)
{
    size_t i = piece_at(s, v->address);
    const situ_pjrt_piece *p = &s->piece[i];
    if (i == s->pieces || p->start != v->address || p->bytes != v->bytes || p->value->bytes != v->bytes) return NULL;
    situ_pjrt_value *old = p->value->step < 0 ? p->value : p->value->was;
    if (old) atomic_fetch_add(&old->uses, 1);
    return old;
}

int situ_pjrt_put(situ_pjrt *s, char *address, situ_pjrt_value *v)
{
    situ_mutex_lock(&s->lock);
    v->address = (uintptr_t)address;
    v->was = overwritten(s, v);
    atomic_fetch_add(&v->uses, 1);
    int code = put(s, (situ_pjrt_piece){v->address, v->bytes, 0, v});
    situ_mutex_unlock(&s->lock);
    return code;
}

void situ_pjrt_keep(situ_pjrt *s, situ_pjrt_value *v, pjrt_buffer buffer)
{
    situ_mutex_lock(&s->lock);
    situ_pjrt_value *was = v->was;
    size_t i = piece_at(s, v->address);
    v->was = NULL;
    v->step = -1;
    v->buffer = buffer;
    bool there = i < s->pieces && s->piece[i].value == v && s->piece[i].start == v->address && s->piece[i].bytes == v->bytes;
    if (!buffer && was && there) {
        s->piece[i].value = was;
        was = v;
    }
    situ_mutex_unlock(&s->lock);
    situ_pjrt_drop_value(was);
}

void situ_pjrt_forget(situ_dev *d, void *address, size_t bytes)
{
    situ_pjrt *s = d->state;
    uintptr_t end = (uintptr_t)address + bytes;
    if (d->backend->finish != situ_pjrt_finish) return;
    situ_mutex_lock(&s->lock);
    for (size_t i = piece_at(s, (uintptr_t)address); i < s->pieces && s->piece[i].start < end;) {
        const situ_pjrt_piece p = s->piece[i];
        if (p.value->step >= 0 && room_for(s, 1)) clear(s, p.start, p.start + p.bytes);
        else i++;
    }
    situ_mutex_unlock(&s->lock);
}

/* ---- memory slots of the vtable ---- */

int situ_pjrt_alloc(situ_dev *d, size_t bytes, void **address)
{
    situ_pjrt *s = d->state;
    situ_mutex_lock(&s->lock);
    *address = (void *)s->next;
    s->next += (bytes / ALIGNMENT + 2) * ALIGNMENT;
    s->used += (int64_t)bytes;
    situ_mutex_unlock(&s->lock);
    return 0;
}

void situ_pjrt_free(situ_dev *d, void *address, size_t bytes)
{
    situ_pjrt *s = d->state;
    situ_mutex_lock(&s->lock);
    clear(s, (uintptr_t)address, (uintptr_t)address + bytes);
    s->used -= (int64_t)bytes;
    situ_mutex_unlock(&s->lock);
}

/* The dtype of the bytes is only known when a kernel reads them; until then they stay in host memory. */
int situ_pjrt_upload(situ_dev *d, void *to, const void *from_host, size_t bytes)
{
    situ_pjrt *s = d->state;
    if (!bytes) return 0;
    situ_pjrt_value *v = host_value_new(s, bytes);
    if (v) memcpy(v->host, from_host, bytes);
    return put_value(s, to, v);
}

/* A reference to the value at the address: *n, at most that many bytes, from byte *offset of the value on. */
static situ_pjrt_value *use_at(situ_pjrt *s, uintptr_t address, size_t *n, size_t *offset)
{
    situ_pjrt_value *v = NULL;
    situ_mutex_lock(&s->lock);
    size_t i = piece_at(s, address);
    if (i < s->pieces && s->piece[i].start <= address) {
        size_t inside = address - s->piece[i].start, rest = s->piece[i].bytes - inside;
        v = s->piece[i].value;
        atomic_fetch_add(&v->uses, 1);
        *offset = s->piece[i].offset + inside;
        if (rest < *n) *n = rest;
    }
    situ_mutex_unlock(&s->lock);
    return v;
}

static int receive_part(situ_pjrt *s, situ_pjrt_value *v, size_t offset, char *to, size_t bytes)
{
    situ_mutex_lock(&s->lock); /* another thread may be creating a buffer from the host's bytes */
    bool held = v->host != NULL;
    if (held) memcpy(to, v->host + offset, bytes);
    situ_mutex_unlock(&s->lock);
    if (held) return 0;
    if (!v->buffer) return situ_pjrt_fail(s, "what it depends on was not computed");
    if (bytes == v->bytes) return situ_pjrt_receive(s, v->buffer, to, bytes);
    char *whole = situ_malloc(v->bytes);
    int code = whole ? situ_pjrt_receive(s, v->buffer, whole, v->bytes) : -SITU_NO_MEMORY;
    if (!code) memcpy(to, whole + offset, bytes);
    situ_free(whole);
    return code;
}

int situ_pjrt_download(situ_dev *d, void *to_host, const void *from, size_t bytes)
{
    situ_pjrt *s = d->state;
    char *to = to_host;
    uintptr_t at = (uintptr_t)from;
    int code = 0;
    while (bytes && !code) {
        size_t n = bytes, offset;
        situ_pjrt_value *v = use_at(s, at, &n, &offset);
        if (!v) return situ_pjrt_fail(s, "memory that nothing has written is read");
        code = receive_part(s, v, offset, to, n);
        situ_pjrt_drop_value(v);
        to += n;
        at += n;
        bytes -= n;
    }
    return code;
}

/* ---- for kernels ---- */

/* Makes the range a single value in host memory, replacing the pieces there. No lock is held: only one thread
 * computes, and what it reads does not change. */
static int gather(situ_dev *d, uintptr_t address, size_t bytes)
{
    situ_pjrt *s = d->state;
    situ_pjrt_value *v = host_value_new(s, bytes);
    int code = v ? situ_pjrt_download(d, v->host, (const void *)address, bytes) : -SITU_NO_MEMORY;
    if (!code) return put_value(s, (const void *)address, v);
    situ_pjrt_drop_value(v);
    return code;
}

enum { OTHER_TYPE = 1 };

/* Creates a device buffer of the host's bytes as elements of a dtype; OTHER_TYPE: it has a buffer of another dtype
 * already. Two threads may do this for one value, hence the lock. */
static int make_buffer(situ_pjrt *s, situ_pjrt_value *v, int dtype, int64_t row)
{
    pjrt_error error = NULL;
    int64_t count = (int64_t)(v->bytes / situ_dtype_size((situ_dtype)dtype));
    situ_mutex_lock(&s->lock);
    bool made = v->buffer || v->step >= 0, host = v->host, other = made && type_of(v->dtype) != type_of(dtype);
    if (!made && host) {
        v->lent = (v->buffer = lend(s, v->host, dtype, count, row)) != NULL;
        if (!v->buffer && (v->buffer = situ_pjrt_send(s, v->host, dtype, count, row, &error))) situ_aligned_free(v->host);
        made = v->buffer;
        if (made) v->host = NULL;
        v->dtype = dtype;
        v->row = row;
    }
    situ_mutex_unlock(&s->lock);
    if (other) return OTHER_TYPE;
    return made ? 0 : host ? situ_pjrt_gave(s, error, NULL) : situ_pjrt_fail(s, "what it depends on was not computed");
}

bool situ_pjrt_lies(situ_pjrt *s, uintptr_t address, size_t bytes, int dtype)
{
    size_t n = bytes, offset = 0;
    situ_pjrt_value *v = use_at(s, address, &n, &offset);
    size_t size = situ_dtype_size((situ_dtype)dtype);
    situ_mutex_lock(&s->lock);
    bool known = v && (v->buffer || v->step >= 0);
    bool lies = v && n == bytes && offset % size == 0 && v->bytes % size == 0 &&
        (known ? type_of(v->dtype) == type_of(dtype) : v->host != NULL);
    situ_mutex_unlock(&s->lock);
    situ_pjrt_drop_value(v);
    return lies;
}

int situ_pjrt_take(situ_dev *d, uintptr_t address, size_t bytes, int dtype, int64_t row, situ_pjrt_value **value, int64_t *first,
    int64_t *count, uintptr_t *base)
{
    situ_pjrt *s = d->state;
    size_t size = situ_dtype_size((situ_dtype)dtype);
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t n = bytes, offset = 0;
        situ_pjrt_value *v = use_at(s, address, &n, &offset);
        bool fits = v && n == bytes && offset % size == 0 && v->bytes % size == 0;
        int code = fits ? make_buffer(s, v, dtype, v->bytes == bytes ? row : 0) : OTHER_TYPE;
        if (!code) {
            *first = (int64_t)(offset / size);
            *count = (int64_t)(v->bytes / size);
            *base = address - offset;
            *value = v;
            return 0;
        }
        situ_pjrt_drop_value(v);
        if (code != OTHER_TYPE) return code;
        if (situ_pjrt_pending(s)) {
            situ_pjrt_start(s);
            return 1;
        }
        if ((code = gather(d, address, bytes))) return code;
    }
    return situ_pjrt_fail(s, "an operand is not in the right place");
}

/* ---- copies ---- */

static int copy_part(situ_pjrt *s, uintptr_t to, situ_pjrt *source, situ_pjrt_value *v, size_t offset, size_t bytes)
{
    situ_pjrt_value *moved = NULL;
    int code = 0;
    if (s == source) {
        situ_mutex_lock(&s->lock);
        atomic_fetch_add(&v->uses, 1);
        code = put(s, (situ_pjrt_piece){to, bytes, offset, v});
        situ_mutex_unlock(&s->lock);
        return code;
    }
    if (v->buffer && s->plugin == source->plugin) {
        pjrt_to_device a = {.size = sizeof a, .from = v->buffer, .device = s->device};
        pjrt_error error = situ_pjrt_call(s->plugin, PJRT_BUFFER_COPY_TO_DEVICE, &a);
        if ((code = situ_pjrt_gave(s, error, a.to))) return code;
        pjrt_of_one ready = {.size = sizeof ready, .object = a.to};
        error = situ_pjrt_call(s->plugin, PJRT_BUFFER_READY, &ready);
        moved = value_new(s, a.to, v->dtype, v->bytes);
        if (moved) moved->row = v->row;
        else situ_pjrt_destroy(s->plugin, a.to);
        code = situ_pjrt_failed(s, error);
        if (!code) code = situ_pjrt_started(s, (situ_pjrt_run){.done = ready.out, .launch = -1});
    } else if ((moved = host_value_new(s, bytes))) {
        code = receive_part(source, v, offset, moved->host, bytes);
        offset = 0;
    }
    if (code || !moved) {
        situ_pjrt_drop_value(moved);
        return code ? code : -SITU_NO_MEMORY;
    }
    situ_mutex_lock(&s->lock);
    code = put(s, (situ_pjrt_piece){to, bytes, offset, moved});
    situ_mutex_unlock(&s->lock);
    return code;
}

int situ_pjrt_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    if (from_dev->backend != d->backend) return -SITU_UNSUPPORTED;
    situ_pjrt *s = d->state, *source = from_dev->state;
    uintptr_t at = (uintptr_t)from, place = (uintptr_t)to;
    int code = 0;
    while (bytes && !code) {
        size_t n = bytes, offset;
        situ_pjrt_value *v = use_at(source, at, &n, &offset);
        if (!v) return situ_pjrt_fail(s, "memory that nothing has written is copied");
        code = copy_part(s, place, source, v, offset, n);
        situ_pjrt_drop_value(v);
        at += n;
        place += n;
        bytes -= n;
    }
    return code;
}
