/* Files of named tensors, as formats read them: a list of entries whose values lie in the mapped file, and texts about the
 * whole. */
#ifndef SITU_FILE_ARCHIVE_H
#define SITU_FILE_ARCHIVE_H

#include <stdatomic.h>

#include <situ/file.h>

#include "base/handle.h"

/* Bytes of a file; mapped where that is possible. Tensors hold it beside the archive. */
typedef struct situ_mapping {
    _Atomic int holders;
    const uint8_t *bytes;
    size_t size;
    bool mapped; /* else a block of memory */
} situ_mapping;

/* A number of up to eight bytes, the least first. */
static inline uint64_t situ_little(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

typedef struct situ_entry situ_entry;
struct situ_entry {
    const char *name;
    const char *type; /* as the file calls it: "F32", "<f4", "Q4_1" */
    int dtype;        /* a situ_dtype, or -1: none of situ's */
    situ_shape shape;
    const uint8_t *data; /* in a mapping */
    size_t size;         /* bytes there */
    int file;            /* which mapping of the archive */
    /* Writes all values of dtype, row-major, to out; NULL: they lie at data as they are. 0 or a negative code. */
    int (*unpack)(const situ_entry *e, const char *path, void *out);
    uint32_t detail[4];  /* the format's own */
    situ_tensor *tensor; /* of what is no file: it is copied; else NULL */
};

typedef struct situ_about {
    const char *key, *value;
    /* where values have types (GGUF): how it lies in the file */
    const uint8_t *data;
    uint64_t count;
    uint32_t type; /* of each item */
    bool list;
} situ_about;

struct situ_archive {
    situ_handle handle;
    const char *format; /* "safetensors" */
    char *path;
    situ_mapping **file; /* one, or one for each shard */
    int files;
    situ_entry *entry;
    int64_t entries, room;
    int64_t *order; /* of the names */
    situ_about *about;
    int64_t abouts, about_room;
    char *text[64]; /* blocks that hold names and texts, each twice as large as the one before */
    int texts;
    size_t text_used, text_size;
};

/* A format: its reader checks everything before it takes anything for granted, and leaves entries and texts in `a`. */
typedef struct situ_file_format {
    const char *name;
    bool (*is)(const situ_mapping *m, const char *path);
    int (*read)(situ_archive *a); /* file[0] is open; 0 or a negative code */
} situ_file_format;
extern const situ_file_format situ_format_safetensors, situ_format_index, situ_format_npy, situ_format_npz, situ_format_gguf;

/* The bytes of a file: NULL with an error. */
situ_mapping *situ_mapping_open(const char *path, bool map);
/* The same of one that another file asks for: it is no pipe, for which a reader would wait. */
situ_mapping *situ_mapping_beside(const char *path, const char *by, bool map);
void situ_mapping_hold(situ_mapping *m);
void situ_mapping_let_go(void *mapping);

/* What bytes that are no known file of tensors seem to be, for the end of a message: "; it is empty"; or "". */
const char *situ_mapping_guess(const situ_mapping *m);

/* Opens one more file of the archive; its number or a negative code. */
int situ_archive_more(situ_archive *a, const char *path);
/* Room for `size` bytes of text in the archive; NULL with an error. */
char *situ_archive_room(situ_archive *a, size_t size);
/* A copy of so many bytes, with a zero at the end. */
char *situ_archive_text(situ_archive *a, const char *bytes, size_t size);
/* One more entry, all zero; NULL with an error. */
situ_entry *situ_archive_more_entries(situ_archive *a);
int situ_archive_say(situ_archive *a, const char *key, const char *value);
/* Sorts the names; two that are the same are an error. */
int situ_archive_sort(situ_archive *a);
/* size(shape) times this many bits, in bytes: false where that is no whole number, or beyond 2^63. */
bool situ_entry_bytes(const situ_shape *shape, int bits, uint64_t *bytes);
/* The place of a name, or -1. */
int64_t situ_archive_at(const situ_archive *a, const char *name);
/* Entry i as a tensor; poison with an error. */
situ_tensor *situ_archive_tensor(const situ_archive *a, int64_t i, situ_dtype dtype, situ_device device, bool copy, situ_site site);
static inline int situ_damaged(const situ_archive *a, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "%s: %s: %s", a->format, a->path, what);
}

#endif
