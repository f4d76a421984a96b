/* An archive is what readers of all formats produce: a list of named entries, whose values are in the mapped file, and
 * metadata. */
#ifndef SITU_FILE_ARCHIVE_H
#define SITU_FILE_ARCHIVE_H

#include <stdatomic.h>

#include <situ/file.h>

#include "base/byte_order.h"
#include "base/handle.h"

/* The bytes of a file, mapped if possible. Tensors hold references to it, too. */
typedef struct situ_mapping {
    _Atomic int holders;
    const uint8_t *bytes;
    size_t size;
    bool mapped;                     /* else allocated, or lent */
    struct situ_virtual_entry *lent; /* the virtual file whose bytes they are, or NULL */
} situ_mapping;

typedef struct situ_entry situ_entry;
struct situ_entry {
    const char *name;
    const char *type; /* name of the type in the file: "F32", "<f4", "Q4_1" */
    int dtype;        /* a situ_dtype, or -1: situ has no such dtype */
    situ_shape shape;
    const uint8_t *data; /* in a mapping */
    size_t size;         /* number of bytes there */
    int file;            /* index of the mapping in the archive */
    /* Writes all values of dtype, row-major, to out; NULL: the bytes at `data` are the values. 0 or a negative code. */
    int (*unpack)(const situ_entry *e, const char *path, void *out);
    uint32_t detail[4];  /* used by the format */
    situ_tensor *tensor; /* for entries that are not in a file: the tensor to copy; else NULL */
};

typedef struct situ_about {
    const char *key, *value;
    /* GGUF: where a metadata value lies in the file */
    const uint8_t *data;
    uint64_t count;
    uint32_t type; /* type of each item */
    bool list;
} situ_about;

struct situ_archive {
    situ_handle handle;
    const char *format; /* such as "safetensors" */
    char *path;
    situ_mapping **file; /* one mapping, or one for each shard */
    int files;
    situ_entry *entry;
    int64_t entries, capacity;
    int64_t *order; /* [entries] indices sorted by name */
    situ_about *about;
    int64_t abouts, about_room;
    char *text[64]; /* blocks of memory for names and texts, each twice as large as the one before */
    int strings;
    size_t text_used, text_size;
};

/* A file format. Its reader checks everything before using it, and adds entries and metadata to `a`. */
typedef struct situ_file_format {
    const char *name;
    bool (*is)(const situ_mapping *m, const char *path);
    int (*read)(situ_archive *a); /* called with file[0] open; 0 or a negative code */
} situ_file_format;
extern const situ_file_format situ_format_safetensors, situ_format_index, situ_format_npy, situ_format_npz, situ_format_gguf;

/* Opens a file; NULL with an error. */
situ_mapping *situ_mapping_open(const char *path, bool map);
/* The same for a file that another file refers to; a pipe is refused, since reading it would block. */
situ_mapping *situ_mapping_beside(const char *path, const char *by, bool map);
void situ_mapping_hold(situ_mapping *m);
void situ_mapping_let_go(void *mapping);

/* For error messages: what the bytes of an unknown file seem to be, such as "; it is empty"; or "". */
const char *situ_mapping_guess(const situ_mapping *m);

/* Opens one more file of the archive; returns its index or a negative code. */
int situ_archive_more(situ_archive *a, const char *path);
/* Memory for `size` bytes of text in the archive; NULL with an error. */
char *situ_archive_room(situ_archive *a, size_t size);
/* A zero-terminated copy of `size` bytes. */
char *situ_archive_text(situ_archive *a, const char *bytes, size_t size);
/* Adds a zeroed entry; NULL with an error. */
situ_entry *situ_archive_more_entries(situ_archive *a);
int situ_archive_say(situ_archive *a, const char *key, const char *value);
/* Sorts the names; duplicates are an error. */
int situ_archive_sort(situ_archive *a);
/* Of an entry whose values are little-endian numbers, row-major: on a machine of the other order they are unpacked. */
void situ_entry_is_little(situ_entry *e);
/* Elements times `bits`, in bytes: false if that is no whole number, or overflows. */
bool situ_entry_bytes(const situ_shape *shape, int bits, uint64_t *bytes);
/* The index of a name, or -1. */
int64_t situ_archive_at(const situ_archive *a, const char *name);
/* Entry i as a tensor; the poisoned tensor with an error. */
situ_tensor *situ_archive_tensor(const situ_archive *a, int64_t i, situ_dtype dtype, situ_device device, bool copy, situ_site site);
static inline int situ_damaged(const situ_archive *a, const char *what)
{
    return situ_fail(SITU_BAD_FORMAT, NULL, "%s: %s: %s", a->format, a->path, what);
}

#endif
