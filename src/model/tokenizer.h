/* Tokenizers from the inside: one vocabulary, and one of two ways to cut a text.
 *
 * Pairs (byte-pair encoding): special tokens are cut out, a pattern cuts the rest into pieces, and in each piece neighbours are
 * merged, the pair that was learned first before all others. Words (WordPiece): a text is cleaned and cut into words, and each into
 * the longest tokens there are.
 */
#ifndef SITU_MODEL_TOKENIZER_H
#define SITU_MODEL_TOKENIZER_H

#include <situ/text.h>

#include "base/handle.h"
#include "file/archive.h"

/* How a text is cut before pairs are merged. */
typedef enum situ_pattern { SITU_PATTERN_GPT2, SITU_PATTERN_LLAMA3, SITU_PATTERN_QWEN2 } situ_pattern;

typedef enum situ_token_kind {
    SITU_TOKEN_PLAIN,
    SITU_TOKEN_ADDED,   /* found in any text */
    SITU_TOKEN_SPECIAL, /* found where the caller says so */
    SITU_TOKEN_NONE     /* a number without a token */
} situ_token_kind;

typedef struct situ_token {
    size_t at;
    uint32_t size;
    uint8_t kind;
    bool strip_front, strip_back; /* takes white space beside it along */
} situ_token;

typedef struct situ_merge {
    int32_t left, right, rank, whole; /* left < 0: nothing here */
} situ_merge;

enum { SITU_NAMED_TOKENS = 7, SITU_FRAME_MOST = 4 };
extern const char *const situ_token_names[SITU_NAMED_TOKENS]; /* bos eos unk pad cls sep mask */
enum { SITU_BOS, SITU_EOS, SITU_UNK, SITU_PAD, SITU_CLS, SITU_SEP, SITU_MASK };

struct situ_tokenizer {
    situ_handle handle;
    bool words, digits, whole_first; /* WordPiece; digits stand alone; a piece that is a token is not cut */
    bool clean, chinese, lower;      /* of WordPiece */
    situ_pattern pattern;
    int32_t count;
    situ_token *token;
    char *text; /* what the tokens' places refer to */
    size_t used, room;
    int32_t *slot;  /* of tokens by their bytes */
    uint32_t slots; /* a power of two */
    situ_merge *merge;
    uint32_t merges; /* slots, a power of two */
    int32_t byte[256];
    uint32_t longest;
    int32_t *apart; /* added and special tokens, longest first */
    int32_t aparts;
    bool begins[256]; /* with which bytes those begin */
    int32_t named[SITU_NAMED_TOKENS];
    int32_t front[SITU_FRAME_MOST], back[SITU_FRAME_MOST];
    int fronts, backs;
};

/* ---- made by loading ------------------------------------------------------------------------------------------------------- */

/* Room for so many tokens, none of them there yet, with so many bytes of text. 0 or a negative code. */
int situ_tokens_begin(situ_tokenizer *t, int64_t count, size_t bytes, const char *path);
/* Sets token i. `letters`: its text is written in the alphabet of bytes, and is turned into them. */
void situ_token_set(situ_tokenizer *t, int64_t i, const char *text, size_t size, situ_token_kind kind, bool letters);
/* Makes tokens found by their bytes, and sorts those that stand apart. */
int situ_tokens_end(situ_tokenizer *t, const char *path);
int situ_merges_begin(situ_tokenizer *t, int64_t count, const char *path);
void situ_merge_add(situ_tokenizer *t, int32_t rank, int32_t left, int32_t right, int32_t whole);
/* Two texts in the alphabet of bytes; false: one of them or both together are no token. */
bool situ_merge_texts(situ_tokenizer *t, int32_t rank, const char *left, size_t left_size, const char *right, size_t right_size);
/* Turns a text in the alphabet of bytes to them; how many, or -1: it has another character. */
int64_t situ_letters_bytes(const char *text, size_t size, char *to);
int32_t situ_token_find(const situ_tokenizer *t, const char *text, size_t size);

int situ_tokenizer_from_gguf(situ_tokenizer *t, const situ_archive *a);
int situ_tokenizer_from_json(situ_tokenizer *t, const situ_mapping *m, const char *path);
int situ_tokenizer_from_lines(situ_tokenizer *t, const situ_mapping *m, const char *path, bool lower);

/* ---- used by encoding ------------------------------------------------------------------------------------------------------ */

typedef struct situ_numbers {
    int32_t *at;
    int64_t count, room;
    bool failed;            /* no memory */
    struct situ_part *part; /* of the piece that is merged */
    struct situ_candidate *heap;
    size_t parts, heaps; /* room */
} situ_numbers;

void situ_numbers_add(situ_numbers *n, int32_t token);
void situ_numbers_free(situ_numbers *n);
/* Each takes a text without special tokens. */
void situ_encode_pairs(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out);
void situ_encode_words(const situ_tokenizer *t, const char *text, size_t size, situ_numbers *out);
void situ_merge_piece(const situ_tokenizer *t, const char *piece, size_t size, situ_numbers *out);
/* All of it: special tokens, the frame; `special` and `frame` as in situ_tokenizer_encode. */
int situ_encode_all(
    const situ_tokenizer *t, const char *text, size_t size, bool special, bool frame, int64_t most, situ_numbers *out);

#endif
