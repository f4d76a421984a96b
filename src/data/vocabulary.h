#ifndef SITU_DATA_VOCABULARY_H
#define SITU_DATA_VOCABULARY_H

#include "data/dataset.h"

/* A token in a text. */
typedef struct situ_span {
    const char *at;
    int64_t size, times;
} situ_span;

/* The token at p, without white space before it where tokens are words; false at the end. */
bool situ_next_token(const char **p, const char *end, bool words, situ_span *out);
/* The order of tokens: that of their bytes. */
int situ_span_compare(const void *a, const void *b);
/* Whether it is UTF-8. */
bool situ_is_text(const situ_span *s);
/* A byte of a token, or of one that is no text: what cannot be seen, or would end a line, is escaped; else in `room`. */
const char *situ_byte_shown(char byte, bool text, char room[8]);
/* A token for a message, in `text`, which has room for SITU_SPAN_TEXT bytes. */
enum { SITU_SPAN_SHOWN = 40, SITU_SPAN_TEXT = 4 * SITU_SPAN_SHOWN + 8 };
const char *situ_span_shown(const situ_span *s, char *text);
/* Gives a data set its vocabulary: texts of their own, behind "" where there is a token for others. False: no memory. */
bool situ_keep_tokens(situ_dataset *data, const situ_span *token, int64_t count, bool others);
/* The same of pairs: the bytes of each token, one after the other with zeros between, and how to find them. */
bool situ_keep_pairs(situ_dataset *data, const situ_pair *pair, int32_t count);
/* The number of a token, or -1. */
int32_t situ_find_token(const situ_dataset *data, const situ_span *s);
/* The bytes of token i, which may hold zeros. */
situ_span situ_token_span(const situ_dataset *data, int i);
/* The tokens of a text, of which up to `most` are written; how many there are. */
int64_t situ_dataset_encode_pairs(
    const situ_pair *pair, int32_t pairs, const int32_t *slot, const char *text, size_t size, int32_t *out, int64_t most);

/* A vocabulary that a file has. */
typedef struct situ_vocabulary {
    int kind; /* SITU_CHARACTERS, SITU_WORDS or SITU_PAIRS */
    bool others;
    situ_span *token; /* in bytes */
    situ_pair *pair;
    int32_t count;
    char *bytes, *byte; /* of the file; all 256, of which pairs are made */
} situ_vocabulary;
/* 0 or a negative code; to be freed in both cases. */
int situ_vocabulary_read(situ_vocabulary *v, const char *path);
void situ_vocabulary_free(situ_vocabulary *v);
/* Gives a data set this vocabulary. False: no memory. */
bool situ_vocabulary_keep(const situ_vocabulary *v, situ_dataset *data);

#endif
