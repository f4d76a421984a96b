/* SHA-256 (FIPS 180-4), with the processor's instructions for it where there are any.
 *
 *     situ_sha256 h;
 *     char text[SITU_SHA256_TEXT];
 *     situ_sha256_start(&h);
 *     situ_sha256_add(&h, data, size);
 *     situ_sha256_end(&h, text); */
#ifndef SITU_BASE_SHA256_H
#define SITU_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SITU_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a zero */

typedef struct situ_sha256 {
    uint32_t state[8];
    uint64_t bytes;    /* so far */
    uint8_t block[64]; /* the last bytes % 64 of them */
} situ_sha256;

void situ_sha256_start(situ_sha256 *h);
void situ_sha256_add(situ_sha256 *h, const void *data, size_t size);
void situ_sha256_end(situ_sha256 *h, char text[static SITU_SHA256_TEXT]);

#endif
