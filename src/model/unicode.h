/* Properties of Unicode 16 characters that tokenizers need. */
#ifndef SITU_MODEL_UNICODE_H
#define SITU_MODEL_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/* White space takes precedence over the general categories: L, N, P, then Cc, Cf and Co, then Mn. */
typedef enum situ_class {
    SITU_CLASS_OTHER,
    SITU_CLASS_LETTER,
    SITU_CLASS_NUMBER,
    SITU_CLASS_SPACE,
    SITU_CLASS_PUNCTUATION,
    SITU_CLASS_CONTROL,
    SITU_CLASS_MARK
} situ_class;

situ_class situ_class_of(uint32_t c);
/* Removes accents (NFD without Mn), then lowers the case. Returns the number of characters written, 0 to 3. */
int situ_folded(uint32_t c, uint32_t to[3]);

#endif
