/* Tokenizers inside: a vocabulary, and one of two algorithms.  Byte-pair encoding: special tokens are cut out, a
 * pattern cuts the rest into pieces, and in each piece neighbours are merged, the pair that was learned first before
 * all others. WordPiece: a text is cleaned and cut into words, and each word into the longest tokens possible. */
#ifndef SITU_MODEL_TOKENIZER_H
#define SITU_MODEL_TOKENIZER_H

#include <situ/text.h>

#include "base/handle.h"
#include "file/archive.h"

/* The regular expression that cuts a text into pieces. */
typedef enum situ_pattern { SITU_PATTERN_GPT2, SITU_PATTERN_LLAMA3, SITU_PATTERN_QWEN2 } situ_pattern;

typedef enum situ_token_kind {
    SITU_TOKEN_PLAIN,
    SITU_TOKEN_ADDED,   /* recognised in any text */
    SITU_TOKEN_SPECIAL, /* recognised only if the caller asks for special tokens */
    SITU_TOKEN_NONE     /* an index without a token */
} situ_token_kind;

typedef struct situ_token {
    size_t at;
    uint32_t size;
    uint8_t kind;
    bool strip_front, strip_back; /* removes the white space before or after it */
} situ_token;

typedef struct situ_merge {
    int32_t left, right, rank, whole; /* left < 0: this slot is empty */
} situ_merge;

enum { SITU_NAMED_TOKENS = 7, SITU_FRAME_MOST = 4 };
extern const char *const situ_token_names[SITU_NAMED_TOKENS]; /* the named tokens: bos eos unk pad cls sep mask */
enum { SITU_BOS, SITU_EOS, SITU_UNK, SITU_PAD, SITU_CLS, SITU_SEP, SITU_MASK };

struct situ_tokenizer {
    situ_handle handle;
    bool words, digits, whole_first; /* words: WordPiece; digits: each stands alone; whole_first: a piece that is a token is not cut
                                      */
    bool clean, chinese, lower;      /* options of WordPiece */
    situ_pattern pattern;
    int32_t count;
    situ_token *token;
    char *text; /* all tokens' bytes */
    size_t used, capacity;
    int32_t *slot;  /* hash table of tokens by their bytes */
    uint32_t slots; /* its size, a power of two */
    situ_merge *merge;
    uint32_t merges; /* number of slots of the merge table, a power of two */
    int32_t byte[256];
    uint32_t longest;
    int32_t *apart; /* added and special tokens, longest first */
    int32_t aparts;
    bool begins[256]; /* the bytes with which those tokens begin */
    int32_t named[SITU_NAMED_TOKENS];
    int32_t front[SITU_FRAME_MOST], back[SITU_FRAME_MOST];
    int fronts, backs;
};

/* ---- for loaders ----------------------------------------------------------------------------------------------------------- */

/* Allocates `count` tokens, all empty, and `bytes` bytes of text. 0 or a negative code. */
int situ_tokens_begin(situ_tokenizer *t, int64_t count, size_t bytes, const char *path);
/* Sets token i. `letters`: the text is in the byte alphabet (one visible letter for each byte) and is converted to
 * bytes. */
void situ_token_set(situ_tokenizer *t, int64_t i, const char *text, size_t size, situ_token_kind kind, bool letters);
/* Builds the hash table, and sorts the added and special tokens. */
int situ_tokens_end(situ_tokenizer *t, const char *path);
int situ_merges_begin(situ_tokenizer *t, int64_t count, const char *path);
void situ_merge_add(situ_tokenizer *t, int32_t rank, int32_t left, int32_t right, int32_t whole);
/* Adds the merge of two texts in the byte alphabet; false: one of them, or both together, are no token. */
bool situ_merge_strings(situ_tokenizer *t, int32_t rank, const char *left, size_t left_size, const char *right, size_t right_size);
/* Converts a text in the byte alphabet to bytes; returns how many, or -1: it contains another character. */
int64_t situ_letters_bytes(const char *text, size_t size, char *to);
int32_t situ_token_find(const situ_tokenizer *t, const char *text, size_t size);

int situ_tokenizer_from_gguf(situ_tokenizer *t, const situ_archive *a);
int situ_tokenizer_from_json(situ_tokenizer *t, const situ_mapping *m, const char *path);
int situ_tokenizer_from_lines(situ_tokenizer *t, const situ_mapping *m, const char *path, bool lower);

/* ---- for encoding ---------------------------------------------------------------------------------------------------------- */

typedef struct situ_numbers {
    int32_t *at;
    int64_t count, capacity;
    bool failed;            /* out of memory */
    struct situ_part *part; /* parts of the piece that is being merged */
    struct situ_candidate *heap;
    size_t parts, heaps; /* capacities */
} situ_numbers;

void situ_numbers_add(situ_numbers *n, int32_t token);
void situ_numbers_free(situ_numbers *n);
/* Both encode a text without special tokens. */
void situ_encode_pairs(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out);
void situ_encode_words(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out);
void situ_merge_piece(const situ_tokenizer *t, const char *piece, size_t size, situ_numbers *out);
/* Encodes a whole text with special tokens and template; `special` and `frame` as in situ_tokenizer_encode. */
int situ_encode_all(
    const situ_tokenizer *t, const char *text, size_t size, bool special, bool frame, int64_t most, situ_numbers *out);

#endif
