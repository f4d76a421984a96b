/* A call of each public function that computes with real numbers, made from the headers when the tests are built
 * (tests/support/every_function.py): `rows`. HAVE_EVERY_FUNCTION is 0 where there was no python3 for that. */
#ifndef SITU_TEST_EVERY_FUNCTION_H
#define SITU_TEST_EVERY_FUNCTION_H

#include <situ.h>

#if __has_include("every_function.inc")
#define HAVE_EVERY_FUNCTION 1
enum { OPERANDS = 4 };
typedef enum kind { NUMBERS, LABELS, INDEX, KEY, SIGN, SHARE, MASK, FEW, BYTES } kind;
typedef struct row {
    const char *name, *header;
    situ_tensor *(*call)(situ_tensor **in);
    int count;
    struct {
        kind kind;
        situ_shape shape;
    } operand[OPERANDS];
} row;
#include "every_function.inc"
#else
#define HAVE_EVERY_FUNCTION 0
#endif

#endif
