#include "op/elementwise.h"

#include <string.h>

const situ_el_row situ_el_rows[SITU_EL_COUNT] = {
#define EL1(name, kind, value, ga, lo, hi, doc) {#name, #value, {#ga, NULL, NULL}, doc, 1, SITU_EL_##kind, lo, hi},
#define EL2(name, kind, value, ga, gb, lo, hi, doc) {#name, #value, {#ga, #gb, NULL}, doc, 2, SITU_EL_##kind, lo, hi},
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) {#name, #value, {#ga, #gb, #gc}, doc, 3, SITU_EL_##kind, lo, hi},
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3
};

bool situ_el_takes(situ_el op, situ_dtype d)
{
    bool integer = d == SITU_I32 || d == SITU_U32 || d == SITU_I64 || d == SITU_U64;
    bool real = d == SITU_F32 || d == SITU_F64;
    if ((unsigned)op >= SITU_EL_COUNT) return false;
    switch (situ_el_rows[op].kind) {
    case SITU_EL_FLOAT: return real;
    case SITU_EL_NUMBER:
    case SITU_EL_ROUND:
    case SITU_EL_PREDICATE: return integer || real;
    case SITU_EL_INTEGER: return integer;
    case SITU_EL_BITS: return integer || d == SITU_BOOL;
    case SITU_EL_LOGIC: return d == SITU_BOOL;
    case SITU_EL_COMPARE:
    case SITU_EL_EQUAL:
    case SITU_EL_SELECT: return integer || real || d == SITU_BOOL;
    case SITU_EL_TO_F32: return d == SITU_U32;
    case SITU_EL_TO_U32: return d == SITU_F32;
    case SITU_EL_TO_F64: return d == SITU_U64;
    case SITU_EL_TO_U64: return d == SITU_F64;
    }
    return false;
}

situ_dtype situ_el_result(situ_el op, situ_dtype d)
{
    switch (situ_el_rows[op].kind) {
    case SITU_EL_COMPARE:
    case SITU_EL_EQUAL:
    case SITU_EL_PREDICATE: return SITU_BOOL;
    case SITU_EL_TO_F32: return SITU_F32;
    case SITU_EL_TO_U32: return SITU_U32;
    case SITU_EL_TO_F64: return SITU_F64;
    case SITU_EL_TO_U64: return SITU_U64;
    default: return d;
    }
}

static bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

unsigned situ_el_grad_reads(situ_el op, int operand)
{
    const char *text = operand >= 0 && operand < 3 ? situ_el_rows[op].grad[operand] : NULL;
    unsigned reads = 0;
    while (text && *text) {
        if (!in_word(*text)) {
            text++;
            continue;
        }
        const char *start = text;
        while (in_word(*text)) text++;
        if (text - start != 1) continue;
        if (*start >= 'a' && *start <= 'c') reads |= 1u << (*start - 'a');
        if (*start == 'y') reads |= 128;
    }
    return reads;
}

const char *situ_el_no_gradient(situ_el op)
{
    switch (situ_el_rows[op].kind) {
    case SITU_EL_COMPARE:
    case SITU_EL_EQUAL:
    case SITU_EL_PREDICATE: return "its result is a bool";
    case SITU_EL_SELECT: return "its first operand is a bool";
    case SITU_EL_INTEGER:
    case SITU_EL_BITS:
    case SITU_EL_LOGIC: return "its operands are integers or bools";
    case SITU_EL_TO_F32:
    case SITU_EL_TO_U32:
    case SITU_EL_TO_F64:
    case SITU_EL_TO_U64: return "it reads bits, not values";
    default: return NULL;
    }
}
