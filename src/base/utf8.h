/* Characters as UTF-8 (RFC 3629). */
#ifndef SITU_BASE_UTF8_H
#define SITU_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of the character at p < end; a byte that begins none is U+FFFD by itself. */
size_t situ_character(const char *p, const char *end, uint32_t *c);
/* Writes up to 4 bytes; how many. */
size_t situ_put_character(uint32_t c, char *to);

#endif
