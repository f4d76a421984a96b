/* Characters of Unicode 16 as tokenizers see them. */
#ifndef SITU_MODEL_UNICODE_H
#define SITU_MODEL_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/utf8.h"

/* White space comes before the general category: L, N, P, then Cc, Cf and Co, then Mn. */
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
/* What a character is where accents are taken off (NFD without Mn) and then upper case is lowered: how many characters, 0 to 3. */
int situ_folded(uint32_t c, uint32_t to[3]);

#endif
