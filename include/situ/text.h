/* Tokenizers: texts to the numbers that a language model reads, and back.
 *
 *     situ_tokenizer *t = situ_tokenizer_open("model.gguf");             // or "tokenizer.json", "vocab.txt"
 *     situ_tensor *tokens = situ_tokenizer_encode(t, "Hello world");      // i32 [n]
 *     char text[64];
 *     int64_t bytes = situ_tokenizer_decode(t, (int32_t[]){28, 120}, 2, text, sizeof text);
 *     situ_tokenizer_close(t);
 *
 * Two kinds are known. Pairs: byte-pair encoding over bytes (R. Sennrich, B. Haddow and A. Birch, Neural machine translation of
 * rare words with subword units, 2016; A. Radford et al., Language models are unsupervised multitask learners, 2019), with the
 * patterns of GPT-2, Llama 3, Qwen 2 and SmolLM. Words: WordPiece as BERT has it (J. Devlin et al., BERT, 2019). A file that asks
 * for something else is refused by name. Characters are those of Unicode 16; where the text is no UTF-8, pairs take the bytes and
 * words leave them out. The numbers are those of the package tokenizers, but for WordPiece on accents and punctuation that Unicode
 * has had since 2016 only, which it does not know as such.
 */
#ifndef SITU_TEXT_H
#define SITU_TEXT_H

#include <situ/create.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_tokenizer situ_tokenizer;

typedef struct SITU_BY_NAME situ_tokenizer_open_options {
    SITU_OPTION_HEAD;
    bool lower; /* = true: for vocab.txt, which does not say it: removes accents and lowers the case ("uncased") */
} situ_tokenizer_open_options;
/* Reads the vocabulary of a GGUF file (tokenizer.ggml.model gpt2 or bert), of a tokenizer.json, or of a vocab.txt with a WordPiece
 * token on each line. Truncation and padding in a tokenizer.json are ignored. NULL on an error. */
SITU_API situ_tokenizer *situ_tokenizer_open(const char *path, const situ_tokenizer_open_options *options, situ_site site);
/* NULL is fine. */
SITU_API SITU_TOLD void situ_tokenizer_close(situ_tokenizer *tokenizer);

/* Size of the vocabulary; tokens are numbered from 0. */
SITU_API int situ_tokenizer_count(const situ_tokenizer *tokenizer);
/* The number of the token with these bytes; a WordPiece token inside of a word begins with "##"; -1: there is none. */
SITU_API int situ_tokenizer_find(const situ_tokenizer *tokenizer, const char *token);
/* The number of a token by its role: "bos", "eos", "unk", "pad", "cls", "sep" or "mask"; -1: the vocabulary has none. */
SITU_API int situ_tokenizer_special(const situ_tokenizer *tokenizer, const char *use);

typedef struct SITU_BY_NAME situ_tokenizer_encode_options {
    SITU_OPTION_HEAD;
    int64_t bytes; /* = -1: length of a text that may contain zeros; -1: up to the first zero */
    bool special;  /* = false: the texts of special tokens ("<|im_end|>") become these tokens; false: they are plain text, so that a
                    * user's text cannot end a turn */
    bool frame;    /* = true: adds the tokens that the file puts around each text, such as [CLS] and [SEP] */
    int64_t most;  /* = 0 in [0, inf): largest number of tokens, including the added ones; the rest is dropped; 0: all */
    situ_device device; /* = default: device of the result; default: the thread's default device */
} situ_tokenizer_encode_options;
/* The tokens of a text, i32 [n]. Byte-pair vocabularies of some models lack certain bytes, such as control characters, which are
 * dropped. A word that WordPiece cannot compose, or of more than 100 characters, becomes "unk". */
SITU_API situ_tensor *situ_tokenizer_encode(
    const situ_tokenizer *tokenizer, const char *text, const situ_tokenizer_encode_options *options, situ_site site);
/* The tokens of `count` texts, i32 [count, the longest]; shorter rows are padded at the end with "pad" (0 if there is none). .bytes
 * is not allowed here. */
SITU_API situ_tensor *situ_tokenizer_batch(const situ_tokenizer *tokenizer, const char *const *texts, int count,
    const situ_tokenizer_encode_options *options, situ_site site);

/* Writes the text of tokens, up to `most` bytes, without a terminating zero and without special tokens; words of WordPiece are
 * separated by spaces. Returns its length in bytes, or a negative code for an invalid token. */
SITU_API SITU_TOLD int64_t situ_tokenizer_decode(
    const situ_tokenizer *tokenizer, const int32_t *tokens, int64_t count, char *out, int64_t most);
/* Number of bytes at the beginning of a zero-terminated text that are complete characters. The bytes of one character may come in
 * two tokens, so a program that prints token by token has to wait for the rest. Invalid bytes count as complete. */
SITU_API int64_t situ_text_whole(const char *text);

#ifdef __cplusplus
}
#endif

#include <situ/call/text.h>

#endif
