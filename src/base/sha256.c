#include "base/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/isa.h"
#include "os/machine.h"

static const uint32_t rounds[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb,
    0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
    0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void plain_block(uint32_t state[8], const uint8_t *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t =
            s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
        uint32_t u = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

static void plain_blocks(uint32_t state[8], const uint8_t *p, size_t count)
{
    for (size_t i = 0; i < count; i++) plain_block(state, p + 64 * i);
}

#ifdef SITU_X86_64
#include <immintrin.h>

/* The same by the instructions of x86-64, which hold the eight words as ABEF and CDGH. */
__attribute__((target("sha,sse4.1"))) static void fast_blocks(uint32_t state[8], const uint8_t *p, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; count; count--, p += 64) {
        __m128i before = abef, after = cdgh, w[4];
        for (int i = 0; i < 4; i++) w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), swap);
        for (int i = 0; i < 16; i++) {
            __m128i k = _mm_add_epi32(w[i & 3], _mm_loadu_si128((const void *)(rounds + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
            __m128i next = _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4);
            next = _mm_add_epi32(_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]), next);
            w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
        }
        abef = _mm_add_epi32(abef, before);
        cdgh = _mm_add_epi32(cdgh, after);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

/* SITU_ISA=baseline does without, as an older processor. */
static bool is_fast(void)
{
    static _Atomic int known = -1;
    int fast = atomic_load_explicit(&known, memory_order_relaxed);
    if (fast < 0) atomic_store_explicit(&known, fast = situ_cpu_sha(), memory_order_relaxed);
    return fast && situ_isa_get() != SITU_ISA_BASELINE;
}
#else
static void fast_blocks(uint32_t state[8], const uint8_t *p, size_t count) { plain_blocks(state, p, count); }
static bool is_fast(void) { return false; }
#endif

static void blocks(uint32_t state[8], const uint8_t *p, size_t count)
{
    if (is_fast()) fast_blocks(state, p, count);
    else plain_blocks(state, p, count);
}

void situ_sha256_start(situ_sha256 *h)
{
    *h = (situ_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void situ_sha256_add(situ_sha256 *h, const void *data, size_t size)
{
    const uint8_t *p = data;
    size_t held = h->bytes % 64;
    h->bytes += size;
    if (held) {
        size_t part = size < 64 - held ? size : 64 - held;
        memcpy(h->block + held, p, part);
        p += part;
        size -= part;
        if (held + part < 64) return;
        blocks(h->state, h->block, 1);
    }
    blocks(h->state, p, size / 64);
    if (size % 64) memcpy(h->block, p + size / 64 * 64, size % 64);
}

void situ_sha256_end(situ_sha256 *h, char text[static SITU_SHA256_TEXT])
{
    uint8_t end[72] = {0x80};
    uint64_t bits = 8 * h->bytes;
    size_t size = (h->bytes % 64 < 56 ? 56 : 120) - h->bytes % 64; /* a one bit, zeros, the length in bits */
    for (int i = 0; i < 8; i++) end[size + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    situ_sha256_add(h, end, size + 8);
    for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", h->state[i]);
}
