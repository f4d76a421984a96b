/* Calls of situ/text.h. Made by scripts/generate.py from include/situ/text.h: change that. */
#ifndef SITU_CALL_TEXT_H
#define SITU_CALL_TEXT_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_TOKENIZER_OPEN_DEFAULTS (.lower = true,)
#define SITU_TOKENIZER_ENCODE_DEFAULTS (.bytes = -1, .frame = true, .device = SITU_DEVICE_DEFAULT,)

#ifndef __cplusplus
#define situ_tokenizer_open(...) situ_tokenizer_open_(__VA_ARGS__, )
#define situ_tokenizer_open_(path, ...) \
    SITU_OPTIONS_(situ_tokenizer_open_options, SITU_TOKENIZER_OPEN_DEFAULTS, situ_tokenizer_open, ((path),), \
    "situ_tokenizer_open(path, .lower = ...)", __VA_ARGS__)
#define situ_tokenizer_encode(...) situ_tokenizer_encode_(__VA_ARGS__, )
#define situ_tokenizer_encode_(tokenizer, text, ...) \
    SITU_OPTIONS_(situ_tokenizer_encode_options, SITU_TOKENIZER_ENCODE_DEFAULTS, situ_tokenizer_encode, \
    (SITU_HANDLE(const situ_tokenizer *, tokenizer), (text),), \
    "situ_tokenizer_encode(tokenizer, text, .bytes = ..., .special = ..., .frame = ..., ...)", __VA_ARGS__)
#define situ_tokenizer_batch(...) situ_tokenizer_batch_(__VA_ARGS__, )
#define situ_tokenizer_batch_(tokenizer, texts, count, ...) \
    SITU_OPTIONS_(situ_tokenizer_encode_options, SITU_TOKENIZER_ENCODE_DEFAULTS, situ_tokenizer_batch, \
    (SITU_HANDLE(const situ_tokenizer *, tokenizer), (texts), SITU_INTEGER(count),), \
    "situ_tokenizer_batch(tokenizer, texts, count, .bytes = ..., .special = ..., .frame = ..., ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_tokenizer_close(tokenizer) SITU_AT_(situ_tokenizer_close, SITU_HANDLE(situ_tokenizer *, tokenizer))
#define situ_tokenizer_decode(...) SITU_AT_AS_IT_IS_(situ_tokenizer_decode, __VA_ARGS__)
#endif

#endif
