/* The functions random_32, random_64, random_part_32 and random_part_64 (key word 0, key word 1, position, size). */
#ifndef SITU_CODEGEN_RANDOM_TEXT_H
#define SITU_CODEGEN_RANDOM_TEXT_H

extern const char situ_text_random[];

#endif
