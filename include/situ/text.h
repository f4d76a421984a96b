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
    bool lower; /* = true: of vocab.txt, which does not say it: accents are taken off and upper case is lowered ("uncased") */
} situ_tokenizer_open_options;
/* Reads the vocabulary of a GGUF file (tokenizer.ggml.model gpt2 or bert), of a tokenizer.json, or of a vocab.txt with a token of
 * WordPiece on each line. Of a tokenizer.json its truncation and padding are passed over. NULL on an error. */
SITU_API situ_tokenizer *situ_tokenizer_open(const char *path, const situ_tokenizer_open_options *options, situ_site site);
/* NULL is fine. */
SITU_API SITU_TOLD void situ_tokenizer_close(situ_tokenizer *tokenizer);

/* How many numbers there are, from 0 on. */
SITU_API int situ_tokenizer_count(const situ_tokenizer *tokenizer);
/* The number of the token with these bytes, "##" in front of one that goes on with a word; -1: there is none. */
SITU_API int situ_tokenizer_find(const situ_tokenizer *tokenizer, const char *token);
/* The number of a token by its use: "bos", "eos", "unk", "pad", "cls", "sep" or "mask"; -1: the vocabulary has none. */
SITU_API int situ_tokenizer_special(const situ_tokenizer *tokenizer, const char *use);

typedef struct SITU_BY_NAME situ_tokenizer_encode_options {
    SITU_OPTION_HEAD;
    int64_t bytes; /* = -1: of a text that may hold zeros; -1: up to the first zero */
    bool special;  /* = false: texts of special tokens ("<|im_end|>") become them; false: they are text like any other, so that a
                    * user's text cannot end a turn */
    bool frame;    /* = true: with the tokens that the file puts around each text, such as [CLS] and [SEP] */
    int64_t most;  /* = 0 in [0, inf): tokens at most, the frame included, what is beyond is left out; 0: all */
    situ_device device; /* = default: of the result; default: the thread's default device */
} situ_tokenizer_encode_options;
/* The tokens of a text, i32 [n]. Byte-pair vocabularies of some models lack bytes, such as control characters: those vanish. A word
 * that WordPiece cannot put together, or of more than 100 characters, is "unk". */
SITU_API situ_tensor *situ_tokenizer_encode(
    const situ_tokenizer *tokenizer, const char *text, const situ_tokenizer_encode_options *options, situ_site site);
/* Of `count` texts, i32 [count, the longest]; shorter rows are filled up at the end with "pad" (0 where there is none). .bytes is
 * not for this one. */
SITU_API situ_tensor *situ_tokenizer_batch(const situ_tokenizer *tokenizer, const char *const *texts, int count,
    const situ_tokenizer_encode_options *options, situ_site site);

/* The text of tokens, up to `most` bytes of it, without a zero at the end and without special tokens; words of WordPiece have a
 * space between them. Returns how many bytes it has, or a negative code: a number is no token. */
SITU_API SITU_TOLD int64_t situ_tokenizer_decode(
    const situ_tokenizer *tokenizer, const int32_t *tokens, int64_t count, char *out, int64_t most);
/* How many bytes of a text that ends with a zero are whole characters: those of one character may come in two tokens, and what is
 * printed token by token must wait for the rest. What begins no character counts as one. */
SITU_API int64_t situ_text_whole(const char *text);

#ifdef __cplusplus
}
#endif

#include <situ/call/text.h>

#endif
