/* SHA-256 (FIPS 180-4) of a file. */
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stdbool.h>
#include <stdint.h>

/* 64 hexadecimal digits and a zero; false with errno. */
bool cli_sha256(int file, char out[65]);

#endif
