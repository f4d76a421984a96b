#include "file/gzip.h"

#include "base/error.h"
#include "base/memory.h"
#include "device/counted.h"
#include "device/device.h"
#include "os/env.h"
#include "os/file.h"
#include "os/library.h"
#include "os/lock.h"
#include "os/plain.h"
#include "os/thread.h"

#include <errno.h>
#include <string.h>

/* zlib's z_stream, unchanged since version 1.0. */
typedef struct stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *opaque, unsigned items, unsigned size);
    void (*release)(void *opaque, void *block);
    void *opaque;
    int data_type;
    unsigned long adler, reserved;
} stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5, GZIP_WINDOW = 15 + 16, PIECE = 1 << 30 };

static struct {
    int (*init)(stream *, int window_bits, const char *version, int stream_size);
    int (*inflate)(stream *, int flush);
    int (*reset)(stream *);
    int (*end)(stream *);
    unsigned long (*crc32)(unsigned long before, const unsigned char *bytes, unsigned count);
} zlib;

static const situ_symbol zlib_symbols[] = {
    {"inflateInit2_", 0, false},
    {"inflate", sizeof(void *), false},
    {"inflateReset", 2 * sizeof(void *), false},
    {"inflateEnd", 3 * sizeof(void *), false},
    {"crc32", 4 * sizeof(void *), false},
    {NULL, 0, false},
};

static const char *const zlib_names[] = {SITU_LIBRARY("z", "1"), SITU_LIBRARY_ANY("z"), NULL};
const char *const *situ_test_zlib_names;

SITU_LOCK(zlib_lock);
static void *zlib_library;

static int open_zlib(const char *name)
{
    char reason[512];
    int status = 0;
    situ_mutex_lock(&zlib_lock);
    const char *const *names = situ_test_zlib_names;
    void *library = names ? situ_library_open(names, reason, sizeof reason) : zlib_library;
    if (!names && !library) {
        library = situ_library_open(zlib_names, reason, sizeof reason);
        if (library && situ_library_symbols(library, zlib_symbols, &zlib, reason, sizeof reason)) {
            situ_library_close(library);
            library = NULL;
        }
        zlib_library = library;
    }
    situ_mutex_unlock(&zlib_lock);
    if (!library)
        status = situ_fail(SITU_NO_LIBRARY, NULL,
            "%s is packed by gzip, and zlib to unpack it was not found (%s); install the package zlib1g, or unpack the file with "
            "gunzip",
            name, reason);
    return status;
}

static void *zlib_allocate(void *opaque, unsigned items, unsigned size)
{
    (void)opaque;
    return situ_calloc(items, size);
}

static void zlib_release(void *opaque, void *block)
{
    (void)opaque;
    situ_free(block);
}

enum { MOST_TIMES = 100, ALWAYS = 256 << 20 };

int situ_unpacked_most(size_t packed, size_t *most)
{
    int64_t said = 0;
    const char *text = situ_env("SITU_UNPACKED");
    if (text && *text && !situ_bytes_parse(text, &said))
        return situ_fail(SITU_BAD_OPTION, NULL, "SITU_UNPACKED=%.40s is no number of bytes; write 8G or 8589934592", text);
    *most = packed > ALWAYS / MOST_TIMES ? packed < SIZE_MAX / MOST_TIMES ? packed * MOST_TIMES : SIZE_MAX - 1 : ALWAYS;
    if (text && *text) *most = said ? (size_t)said : SIZE_MAX - 1;
    return 0;
}

int situ_fail_unpacked(const char *name, size_t packed, size_t most)
{
    char many[24], few[24];
    return situ_fail(SITU_BAD_FORMAT, NULL,
        "%s: its %s become more than %s; is it made to fill the memory? A packed file may become %d times as large, or 256 MiB; "
        "SITU_UNPACKED=8G in the environment allows 8 GiB",
        name, situ_bytes_text((int64_t)packed, few), situ_bytes_text((int64_t)most, many), MOST_TIMES);
}

int situ_unpacked_fits(const char *name, size_t packed, size_t size)
{
    size_t most;
    int rc = situ_unpacked_most(packed, &most);
    return rc || size <= most ? rc : situ_fail_unpacked(name, packed, most);
}

/* A byte buffer that grows by half. It always has one more byte than `room`, for a zero at the end. */
typedef struct buffer {
    unsigned char *data;
    size_t size, capacity;
    bool unpacked; /* unpacked data, which counts towards the memory limit */
} buffer;

static int grow(buffer *b, size_t capacity, const char *name)
{
    unsigned char *data = situ_counted_resize(b->data, capacity < SIZE_MAX ? capacity + 1 : capacity, b->unpacked, name);
    if (!data) return -situ_error_code;
    b->data = data;
    b->capacity = capacity;
    return 0;
}

static int corrupt(const char *name, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "%s is damaged: %s; fetch or make it again", name, what);
}

/* Grows the buffer for unpacked data, up to `most` bytes. */
static int grow_unpacked(buffer *out, const char *name, size_t packed, size_t most)
{
    size_t more = out->capacity / 2 + 4096, capacity = more < most - out->capacity ? out->capacity + more : most + 1;
    return out->size > most ? situ_fail_unpacked(name, packed, most) : grow(out, capacity, name);
}

/* Unpacks all members of a gzip file, in steps of at most 1 GiB, since zlib's counts are 32 bits wide. */
static int inflate_all(stream *z, const char *name, const unsigned char *in, size_t n, size_t most, buffer *out)
{
    const unsigned char *end = in + n;
    z->next_in = in;
    for (;;) {
        if (out->size == out->capacity) {
            int status = grow_unpacked(out, name, n, most);
            if (status) return status;
        }
        size_t left = (size_t)(end - z->next_in), capacity = out->capacity - out->size;
        unsigned given = z->avail_out = capacity < PIECE ? (unsigned)capacity : PIECE;
        z->avail_in = left < PIECE ? (unsigned)left : PIECE;
        z->next_out = out->data + out->size;
        int code = zlib.inflate(z, 0);
        out->size += given - z->avail_out;
        if (code == Z_MEM_ERROR) return situ_fail(SITU_NO_MEMORY, NULL, "unpacking %s: no memory", name);
        if (code == Z_BUF_ERROR || (code == Z_OK && z->next_in == end && z->avail_out))
            return corrupt(name, "the gzip data ends too early");
        if (code == Z_OK) continue;
        if (code != Z_STREAM_END) return corrupt(name, z->message ? z->message : "not valid gzip data");
        if (out->size > most) return situ_fail_unpacked(name, n, most);
        while (z->next_in < end && !*z->next_in) z->next_in++; /* zeros may follow, as on tapes */
        if (z->next_in == end) return 0;
        if (end - z->next_in < 2 || z->next_in[0] != 0x1f || z->next_in[1] != 0x8b)
            return corrupt(name, "something else follows the gzip data");
        if (zlib.reset(z)) return corrupt(name, "not valid gzip data");
    }
}

static int unpack_gzip(const char *name, const unsigned char *packed, size_t n, buffer *out)
{
    size_t most, first = n < SIZE_MAX / 8 ? 3 * n + 4096 : n;
    int status = open_zlib(name);
    if (status || (status = situ_unpacked_most(n, &most))) return status;
    out->unpacked = true;
    stream z = {.allocate = zlib_allocate, .release = zlib_release};
    int code = zlib.init(&z, GZIP_WINDOW, "1.2.0", (int)sizeof z);
    if (code == Z_MEM_ERROR) return situ_fail(SITU_NO_MEMORY, NULL, "unpacking %s: no memory", name);
    if (code) return situ_fail(SITU_NO_LIBRARY, NULL, "%s: the installed zlib does not fit; install zlib1g", name);
    status = grow(out, first < most ? first : most + 1, name);
    if (!status) status = inflate_all(&z, name, packed, n, most, out);
    zlib.end(&z);
    if (!status) status = grow(out, out->size, name); /* returns unused memory to the limit */
    return status;
}

int situ_inflate(
    const char *name, const void *packed, size_t packed_size, size_t skip, void *out, size_t size, bool whole, uint32_t *crc)
{
    unsigned char dropped[1024], *to = out;
    const unsigned char *end = (const unsigned char *)packed + packed_size;
    int status = open_zlib(name), code = Z_OK;
    stream z = {.allocate = zlib_allocate, .release = zlib_release, .next_in = packed};
    if (status) return status;
    if ((code = zlib.init(&z, -15, "1.2.0", (int)sizeof z)))
        return situ_fail(code == Z_MEM_ERROR ? SITU_NO_MEMORY : SITU_NO_LIBRARY, NULL, "unpacking %s: zlib gave %d", name, code);
    unsigned long sum = 0;
    while (!status && code != Z_STREAM_END && (skip || size || whole)) {
        size_t left = (size_t)(end - z.next_in), capacity = skip ? (skip < sizeof dropped ? skip : sizeof dropped) : size;
        unsigned char *at = z.next_out = skip || !size ? dropped : to;
        /* One byte more, to detect the end of the stream. */
        unsigned given = z.avail_out = !capacity ? 1 : capacity < PIECE ? (unsigned)capacity : PIECE;
        z.avail_in = left < PIECE ? (unsigned)left : PIECE;
        code = zlib.inflate(&z, 0);
        size_t got = given - z.avail_out;
        if (code == Z_MEM_ERROR) status = situ_fail(SITU_NO_MEMORY, NULL, "unpacking %s: no memory", name);
        else if ((code != Z_OK && code != Z_STREAM_END) || (!got && code == Z_OK && z.next_in == end))
            status = corrupt(name, z.message ? z.message : "its deflated data end too early");
        else if (got > capacity) status = corrupt(name, "there is more data than its header says");
        if (crc && !status) sum = zlib.crc32(sum, at, (unsigned)got);
        if (skip) skip -= status ? 0 : got;
        else size -= status ? 0 : got, to += got;
    }
    if (!status && (skip || size || (whole && z.next_in != end))) status = corrupt(name, "there is less data than its header says");
    if (crc) *crc = (uint32_t)sum;
    zlib.end(&z);
    return status;
}

static bool is_gzip(const unsigned char *p, size_t n) { return n >= 2 && p[0] == 0x1f && p[1] == 0x8b; }

static int finish(int status, buffer *b, void **data, size_t *size)
{
    if (status) {
        situ_counted_free(b->data);
        return status;
    }
    b->data[b->size] = 0;
    *data = b->data;
    *size = b->size;
    return 0;
}

int situ_unpack(const char *name, const void *packed, size_t packed_size, void **data, size_t *size)
{
    buffer out = {0};
    int status;
    *data = NULL;
    *size = 0;
    if (is_gzip(packed, packed_size)) {
        status = unpack_gzip(name, packed, packed_size, &out);
    } else {
        status = grow(&out, packed_size, name);
        if (!status && packed_size) memcpy(out.data, packed, packed_size);
        out.size = packed_size;
    }
    return finish(status, &out, data, size);
}

static int fail_io(const char *path) { return situ_fail(SITU_IO, NULL, "cannot read %s: %s", path, situ_plain_reason(errno)); }

static int read_all(situ_input *file, const char *path, buffer *b)
{
    situ_file_about about;
    situ_file_kind kind = situ_input_look(file, &about);
    if (kind == SITU_FILE_NONE) return fail_io(path);
    if (kind == SITU_FILE_FOLDER) return situ_fail(SITU_IO, NULL, "%s: is a directory; name a file", path);
    if (kind == SITU_FILE_DEVICE) /* some devices never end */
        return situ_fail(SITU_IO, NULL, "%s: is a device; name a file, or a pipe", path);
    /* One byte more than the file's size, to detect its end without growing; pipes have no size. */
    int status = grow(b, about.size > 0 ? (size_t)about.size + 1 : 4096, path);
    while (!status) {
        if (b->size == b->capacity && (status = grow(b, 2 * b->capacity, path))) break;
        size_t capacity = b->capacity - b->size;
        ptrdiff_t got = situ_input_read(file, b->data + b->size, capacity < PIECE ? capacity : PIECE);
        if (got == 0) break;
        if (got > 0) b->size += (size_t)got;
        else status = fail_io(path);
    }
    return status;
}

static int read_opened(situ_input *file, const char *path, void **data, size_t *size)
{
    buffer whole = {0}, unpacked = {0};
    int status = read_all(file, path, &whole);
    situ_input_close(file);
    if (status || !is_gzip(whole.data, whole.size)) return finish(status, &whole, data, size);
    status = unpack_gzip(path, whole.data, whole.size, &unpacked);
    situ_counted_free(whole.data);
    return finish(status, &unpacked, data, size);
}

int situ_read_file(const char *path, void **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, NULL, "the path of a file to read is NULL");
    situ_input file;
    return situ_input_open(&file, path, true) ? read_opened(&file, path, data, size) : fail_io(path);
}

int situ_read_found(const char *path, void **data, size_t *size)
{
    situ_input file;
    *data = NULL;
    *size = 0;
    if (!situ_input_open(&file, path, false)) return fail_io(path);
    if (situ_input_look(&file, NULL) <= SITU_FILE_FOLDER) return read_opened(&file, path, data, size);
    situ_input_close(&file);
    return situ_fail(SITU_IO, NULL, "cannot read %s: it is no regular file; take it out of its folder", path);
}
