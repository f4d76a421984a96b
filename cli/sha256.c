#include "sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t rounds[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb,
    0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
    0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t state[8], const uint8_t *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
        uint32_t u = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

/* Final padding: a one bit, zeros, the length in bits; `left` bytes of the message are in p. */
static void finish(uint32_t state[8], uint8_t p[128], size_t left, uint64_t bytes)
{
    size_t size = left < 56 ? 64 : 128;
    memset(p + left, 0, 128 - left);
    p[left] = 0x80;
    for (int i = 0; i < 8; i++) p[size - 1 - (size_t)i] = (uint8_t)(8 * bytes >> 8 * i);
    for (size_t i = 0; i < size; i += 64) block(state, p + i);
}

bool cli_sha256(int file, char out[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t piece[65536], end[128];
    uint64_t bytes = 0;
    size_t left = 0;
    for (;;) {
        ssize_t got = pread(file, piece + left, sizeof piece - left, (off_t)bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        bytes += (uint64_t)got;
        left += (size_t)got;
        size_t whole = left & ~(size_t)63;
        for (size_t i = 0; i < whole; i += 64) block(state, piece + i);
        left -= whole;
        memmove(piece, piece + whole, left);
        if (!got) break;
    }
    memcpy(end, piece, left);
    finish(state, end, left, bytes);
    for (int i = 0; i < 8; i++) snprintf(out + 8 * i, 9, "%08x", state[i]);
    return true;
}
