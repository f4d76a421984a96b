/* Characters as UTF-8 (RFC 3629). */
#ifndef SITU_BASE_UTF8_H
#define SITU_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at p < end; returns its number of bytes. A byte that begins no character is U+FFFD by itself. */
size_t situ_character(const char *p, const char *end, uint32_t *c);
/* Encodes a character; returns the number of bytes (up to 4). */
size_t situ_put_character(uint32_t c, char *to);

#endif
