#include "op/elementwise.h"

#include <string.h>

#include "base/error.h"
#include "tensor/dtype.h"

const situ_el_row situ_el_rows[SITU_EL_COUNT] = {
#define EL1(name, kind, value, ga, lo, hi, doc) {#name, #value, {#ga, NULL, NULL}, doc, 1, SITU_EL_##kind, lo, hi},
#define EL2(name, kind, value, ga, gb, lo, hi, doc) {#name, #value, {#ga, #gb, NULL}, doc, 2, SITU_EL_##kind, lo, hi},
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) {#name, #value, {#ga, #gb, #gc}, doc, 3, SITU_EL_##kind, lo, hi},
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3
};

enum { BOOL = 1, INTEGER = 2, REAL = 4, ANY = BOOL | INTEGER | REAL };
#define ONLY(in, class, out) \
    .takes = class, .computes = class, .only = 1 + in, .gives = 1 + out, .no_gradient = "it reads bits, not values"
#define TRUTH .gives = 1 + SITU_BOOL, .no_gradient = "its result is a bool"
#define CAST "write " SITU_SAY("situ_cast(x, SITU_I32)", "x.astype(\"int32\")")
static const char cast_bool[] = "write " SITU_SAY("situ_cast(x, SITU_I32) or SITU_F32, or a situ_logical_ operation",
    "x.astype(\"int32\") or \"float32\", or a situ.logical_ operation");

const situ_el_rule situ_el_rules[] = {
    [SITU_EL_FLOAT] = {.takes = ANY, .computes = REAL},
    [SITU_EL_NUMBER] = {.takes = INTEGER | REAL, .computes = INTEGER | REAL, .mend = cast_bool},
    [SITU_EL_ROUND] = {.takes = INTEGER | REAL, .computes = INTEGER | REAL, .mend = cast_bool},
    [SITU_EL_INTEGER] = {.takes = INTEGER,
        .computes = INTEGER,
        .mend = "it is for integers: " CAST,
        .no_gradient = "its operands are integers"},
    [SITU_EL_BITS] = {.takes = INTEGER | BOOL,
        .computes = INTEGER | BOOL,
        .mend = "it is for integers and bool: " CAST,
        .no_gradient = "its operands are integers or bools"},
    [SITU_EL_LOGIC] = {.takes = ANY, .computes = BOOL, TRUTH},
    [SITU_EL_COMPARE] = {.takes = ANY, .computes = ANY, TRUTH},
    [SITU_EL_EQUAL] = {.takes = ANY, .computes = ANY, TRUTH},
    [SITU_EL_PREDICATE] = {.takes = INTEGER | REAL, .computes = INTEGER | REAL, .mend = "a bool is always finite", TRUTH},
    [SITU_EL_SELECT] = {.takes = ANY, .computes = ANY},
    [SITU_EL_TO_F32] = {ONLY(SITU_U32, INTEGER, SITU_F32), .mend = "it takes u32"},
    [SITU_EL_TO_U32] = {ONLY(SITU_F32, REAL, SITU_U32), .mend = "it takes f32"},
    [SITU_EL_TO_F64] = {ONLY(SITU_U64, INTEGER, SITU_F64), .mend = "it takes u64"},
    [SITU_EL_TO_U64] = {ONLY(SITU_F64, REAL, SITU_U64), .mend = "it takes f64"},
};

bool situ_el_takes(situ_el op, situ_dtype d)
{
    if ((unsigned)op >= SITU_EL_COUNT || situ_dtype_compute(d) != d) return false;
    const situ_el_rule *rule = &situ_el_rules[situ_el_rows[op].kind];
    return (rule->computes >> situ_dtype_rank(d) & 1) && (!rule->only || rule->only == 1 + d);
}

situ_dtype situ_el_result(situ_el op, situ_dtype d)
{
    const situ_el_rule *rule = &situ_el_rules[situ_el_rows[op].kind];
    return rule->gives ? (situ_dtype)(rule->gives - 1) : d;
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
