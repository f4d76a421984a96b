#include "base/utf8.h"

#include <stdbool.h>

size_t situ_character(const char *p, const char *end, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*p;
    *c = first;
    if (first < 0x80) return 1;
    size_t n = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
    uint32_t v = n ? first & (0x7fu >> n) : 0;
    bool good = n && n <= (size_t)(end - p);
    for (size_t i = 1; good && i < n; i++) {
        good = (p[i] & 0xc0) == 0x80;
        v = v << 6 | (p[i] & 0x3fu);
    }
    good = good && v >= least[n] && v < 0x110000 && (v < 0xd800 || v >= 0xe000);
    *c = good ? v : 0xfffd;
    return good ? n : 1;
}

size_t situ_put_character(uint32_t c, char *to)
{
    if (c < 0x80) return *to = (char)c, 1;
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
    *to = (char)((0xf00u >> n & 0xff) | c);
    return n;
}
