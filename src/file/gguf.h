/* What GGUF files have beyond named tensors: metadata with types, lists among them, and values in blocks of few bits.
 *
 *     situ_gguf_items v;
 *     const char *text;
 *     size_t size;
 *     if (situ_gguf_find(a, "tokenizer.ggml.tokens", &v))                  // v.count of them
 *         while (situ_gguf_text(&v, &text, &size)) ...
 *
 * A scalar is a list of one. Scalars have a text in situ_archive_metadata, too.
 */
#ifndef SITU_FILE_GGUF_H
#define SITU_FILE_GGUF_H

#include "file/archive.h"

/* Numbers of the file format. */
typedef enum situ_gguf_type {
    SITU_GGUF_U8,
    SITU_GGUF_I8,
    SITU_GGUF_U16,
    SITU_GGUF_I16,
    SITU_GGUF_U32,
    SITU_GGUF_I32,
    SITU_GGUF_F32,
    SITU_GGUF_BOOL,
    SITU_GGUF_TEXT,
    SITU_GGUF_LIST,
    SITU_GGUF_U64,
    SITU_GGUF_I64,
    SITU_GGUF_F64
} situ_gguf_type;

/* Items that were not taken yet; borrowed from the archive. */
typedef struct situ_gguf_items {
    situ_gguf_type type; /* of each */
    bool list;           /* else a scalar */
    uint64_t count;
    const uint8_t *data;
} situ_gguf_items;
/* False: the archive has no such key. */
bool situ_gguf_find(const situ_archive *a, const char *key, situ_gguf_items *items);
/* Take the next item; false: there is none, or it is of another kind. Texts may hold any byte and end with no zero; an integer is
 * any of the integer types or bool, u64 beyond 2^63 - 1 is none; a number is any but a text. */
bool situ_gguf_text(situ_gguf_items *items, const char **text, size_t *size);
bool situ_gguf_integer(situ_gguf_items *items, int64_t *value);
bool situ_gguf_number(situ_gguf_items *items, double *value);
/* The scalar of a key as a number, `otherwise` if it is not there or no number. */
double situ_gguf_value(const situ_archive *a, const char *key, double otherwise);

/* How values lie in a file. An entry's detail[0] is the place in this list: situ_blocks[e->detail[0]]. Rows (the last axis) are
 * whole numbers of blocks; e->data has them one after the other. */
typedef struct situ_block {
    const char *name; /* "Q4_1" */
    int number;       /* in the file format */
    int dtype;        /* of plain values, SITU_F32 of blocks that can be unpacked, else -1 */
    int values, bytes;
    void (*unpack)(const uint8_t *block, float *value); /* one block; NULL: plain values, or blocks that cannot be unpacked */
} situ_block;
extern const situ_block situ_blocks[];
/* The place of a number of the file format, or -1. */
int situ_block_at(uint32_t number);

#endif
