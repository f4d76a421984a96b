#include "model/unicode.h"

#include <stdbool.h>

typedef struct fold_run {
    uint32_t first : 21, wide : 1, count : 10;
    int32_t delta;
} fold_run;

#include "model/unicode_tables.inc"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
enum { HANGUL = 0xac00, SYLLABLES = 11172, LEADS = 0x1100, VOWELS = 0x1161, TAILS = 0x11a7 };

situ_class situ_class_of(uint32_t c)
{
    int low = 0, high = COUNT(class_from) - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (class_from[middle] >> 4 <= c) low = middle;
        else high = middle - 1;
    }
    return (situ_class)(class_from[low] & 15);
}

int situ_folded(uint32_t c, uint32_t to[3])
{
    to[0] = c;
    if (c < 0x80) return to[0] += c >= 'A' && c <= 'Z' ? 32 : 0, 1;
    if (situ_class_of(c) == SITU_CLASS_MARK) return 0;
    if (c - HANGUL < SYLLABLES) { /* Hangul syllables are composed by arithmetic */
        uint32_t n = c - HANGUL, tail = n % 28;
        to[0] = LEADS + n / 588;
        to[1] = VOWELS + n % 588 / 28;
        to[2] = TAILS + tail;
        return tail ? 3 : 2;
    }
    int low = 0, high = COUNT(fold_runs) - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (fold_runs[middle].first <= c) low = middle;
        else high = middle - 1;
    }
    const fold_run *run = &fold_runs[low];
    uint32_t step = run->wide + 1, from = c - run->first;
    if (c >= run->first && from % step == 0 && from / step < run->count) return to[0] = c + (uint32_t)run->delta, 1;
    for (int i = 0; i < COUNT(fold_several); i++) {
        if (fold_several[i][0] != c) continue;
        for (int k = 0; k < 3; k++) to[k] = fold_several[i][k + 1];
        return to[2] ? 3 : 2;
    }
    return 1;
}
