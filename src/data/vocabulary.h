#ifndef SITU_DATA_VOCABULARY_H
#define SITU_DATA_VOCABULARY_H

#include "data/dataset.h"

/* A token within a text. */
typedef struct situ_span {
    const char *at;
    int64_t size, times;
} situ_span;

/* Finds the token at p, after white space if tokens are words; false at the end. */
bool situ_next_token(const char **p, const char *end, bool words, situ_span *out);
/* Compares tokens by their bytes. */
int situ_span_compare(const void *a, const void *b);
/* True if it is valid UTF-8. */
bool situ_is_text(const situ_span *s);
/* A byte of a token as text: invisible bytes, and those that would end a line, are escaped (in `room`). */
const char *situ_byte_shown(char byte, bool text, char room[8]);
/* Writes a token for a message into `text`, which has SITU_SPAN_TEXT bytes. */
enum { SITU_SPAN_SHOWN = 40, SITU_SPAN_TEXT = 4 * SITU_SPAN_SHOWN + 8 };
const char *situ_span_shown(const situ_span *s, char *text);
/* Sets a data set's vocabulary, copying the texts; with `others` token 0 is "", for unknown tokens. False: out of
 * memory. */
bool situ_keep_tokens(situ_dataset *data, const situ_span *token, int64_t count, bool others);
/* The same for byte pairs: stores each token's bytes, separated by zeros, and the table of pairs. */
bool situ_keep_pairs(situ_dataset *data, const situ_pair *pair, int32_t count);
/* The number of a token, or -1. */
int32_t situ_find_token(const situ_dataset *data, const situ_span *s);
/* The bytes of token i, which may contain zeros. */
situ_span situ_token_span(const situ_dataset *data, int i);
/* Encodes a text, writes up to `most` tokens, and returns how many there are. */
int64_t situ_dataset_encode_pairs(
    const situ_pair *pair, int32_t pairs, const int32_t *slot, const char *text, size_t size, int32_t *out, int64_t most);

/* A vocabulary read from a file. */
typedef struct situ_vocabulary {
    int kind; /* SITU_CHARACTERS, SITU_WORDS or SITU_PAIRS */
    bool others;
    situ_span *token; /* number of bytes of the tokens */
    situ_pair *pair;
    int32_t count;
    char *bytes, *byte; /* contents of the file; the 256 single bytes, for byte pairs */
} situ_vocabulary;
/* 0 or a negative code; has to be freed in both cases. */
int situ_vocabulary_read(situ_vocabulary *v, const char *path);
void situ_vocabulary_free(situ_vocabulary *v);
/* Sets this vocabulary in a data set. False: out of memory. */
bool situ_vocabulary_keep(const situ_vocabulary *v, situ_dataset *data);

#endif
