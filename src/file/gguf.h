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

/* The numbers of the file format. */
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

/* An iterator over the items of a metadata value; it points into the archive. */
typedef struct situ_gguf_items {
    situ_gguf_type type; /* type of each item */
    bool list;           /* else a single scalar */
    uint64_t count;
    const uint8_t *data;
} situ_gguf_items;
/* False: the archive has no such key. */
bool situ_gguf_find(const situ_archive *a, const char *key, situ_gguf_items *items);
/* Read the next item; false if there is none, or it has another type. Strings may contain any byte and are not
 * zero-terminated. An integer may have any integer type or bool, but must fit into i64; a number may have any type but
 * string. */
bool situ_gguf_text(situ_gguf_items *items, const char **text, size_t *size);
bool situ_gguf_integer(situ_gguf_items *items, int64_t *value);
bool situ_gguf_number(situ_gguf_items *items, double *value);
/* A scalar as a number; `otherwise` if the key is absent or no number. */
double situ_gguf_value(const situ_archive *a, const char *key, double otherwise);

/* A type of values in a file. An entry's detail[0] is an index of this table: situ_blocks[e->detail[0]]. Each row
 * (last axis) is a whole number of blocks, stored one after the other at e->data. */
typedef struct situ_block {
    const char *name; /* such as "Q4_1" */
    int number;       /* its number in the file format */
    int dtype;        /* a dtype for plain values, SITU_F32 for blocks that can be unpacked, else -1 */
    int values, bytes;
    void (*unpack)(const uint8_t *block, float *value); /* unpacks one block; NULL: plain values, or an unsupported type */
} situ_block;
extern const situ_block situ_blocks[];
/* The index of a type number, or -1. */
int situ_block_at(uint32_t number);

#endif
