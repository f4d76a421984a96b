/* Elementwise operations in StableHLO: parses the value texts of op/elementwise.def; each word becomes operations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/stable.h"
#include "op/elementwise.h"
#include "os/plain.h"
#include "tensor/dtype.h"

typedef struct reader {
    situ_stable *t;
    const char *at;
    const situ_wire *operand;
    situ_dtype type; /* compute dtype of the operands */
} reader;

static situ_wire two(reader *r, const char *operation, situ_wire a, situ_wire b) { return situ_stable_2(r->t, operation, a, b); }
static situ_wire one(reader *r, const char *operation, situ_wire a) { return situ_stable_1(r->t, operation, a); }
static situ_wire number(reader *r, double value, situ_wire like) { return situ_stable_number(r->t, like.type, value, &like); }
static situ_wire pick(reader *r, situ_wire m, situ_wire a, situ_wire b) { return situ_stable_select(r->t, m, a, b); }
static situ_wire compare(reader *r, const char *how, situ_wire a, situ_wire b) { return situ_stable_compare(r->t, how, a, b); }
static bool floating(situ_wire a) { return situ_dtype_is_float((situ_dtype)a.type); }
static bool is_signed(situ_wire a) { return situ_dtype_is_signed((situ_dtype)a.type); }

static situ_wire bits_of(reader *r, situ_wire a) { return situ_stable_bits(r->t, a, a.type == SITU_F64 ? SITU_U64 : SITU_U32); }
static situ_wire mask_of(reader *r, situ_wire bits, bool sign)
{
    uint64_t top = (uint64_t)1 << (bits.type == SITU_U64 ? 63 : 31);
    return situ_stable_integer(r->t, bits.type, (int64_t)(sign ? top : top - 1), &bits);
}

static situ_wire copysign_of(reader *r, situ_wire a, situ_wire b)
{
    situ_wire x = bits_of(r, a), y = bits_of(r, b);
    x = two(r, "and", x, mask_of(r, x, false));
    y = two(r, "and", y, mask_of(r, y, true));
    return situ_stable_bits(r->t, two(r, "or", x, y), a.type);
}

static situ_wire signbit_of(reader *r, situ_wire a)
{
    if (!floating(a)) return is_signed(a) ? compare(r, "LT", a, number(r, 0, a)) : situ_stable_integer(r->t, SITU_BOOL, 0, &a);
    situ_wire x = bits_of(r, a);
    return compare(r, "GE", x, mask_of(r, x, true));
}

/* ---- integers: division by 0 gives 0, and the one quotient that does not fit wraps ---- */

static situ_wire special_divisor(reader *r, situ_wire b)
{
    situ_wire zero = compare(r, "EQ", b, number(r, 0, b));
    return is_signed(b) ? two(r, "or", zero, compare(r, "EQ", b, number(r, -1, b))) : zero;
}

static situ_wire whole_fmod(reader *r, situ_wire a, situ_wire b)
{
    situ_wire special = special_divisor(r, b), safe = pick(r, special, number(r, 1, b), b);
    return pick(r, special, number(r, 0, a), two(r, "remainder", a, safe));
}

static situ_wire signs_differ(reader *r, situ_wire a, situ_wire b)
{
    return compare(r, "LT", two(r, "xor", a, b), number(r, 0, a));
}

static situ_wire whole_remainder(reader *r, situ_wire a, situ_wire b)
{
    situ_wire rest = whole_fmod(r, a, b);
    if (!is_signed(a)) return rest;
    situ_wire other = two(r, "and", compare(r, "NE", rest, number(r, 0, a)), signs_differ(r, rest, b));
    return pick(r, other, two(r, "add", rest, b), rest);
}

static situ_wire whole_quotient(reader *r, situ_wire a, situ_wire b)
{
    situ_wire special = special_divisor(r, b), safe = pick(r, special, number(r, 1, b), b), q = two(r, "divide", a, safe);
    if (is_signed(a)) {
        situ_wire inexact = compare(r, "NE", two(r, "multiply", q, safe), a);
        q = pick(r, two(r, "and", inexact, signs_differ(r, a, b)), two(r, "subtract", q, number(r, 1, q)), q);
    }
    return pick(r, special, two(r, "multiply", b, a), q);
}

/* ---- floats ---- */

static situ_wire float_remainder(reader *r, situ_wire a, situ_wire b)
{
    situ_wire rest = two(r, "remainder", a, b), zero = number(r, 0, a);
    situ_wire below = compare(r, "LT", rest, zero), below_b = compare(r, "LT", b, zero);
    situ_wire some = compare(r, "NE", rest, zero);
    situ_wire moved = pick(r, two(r, "and", some, two(r, "xor", below, below_b)), two(r, "add", rest, b), rest);
    return pick(r, compare(r, "EQ", rest, zero), copysign_of(r, rest, b), moved);
}

static situ_wire float_quotient(reader *r, situ_wire a, situ_wire b)
{
    situ_wire zero = number(r, 0, a), one_ = number(r, 1, a), rest = two(r, "remainder", a, b);
    situ_wire q = two(r, "divide", two(r, "subtract", a, rest), b);
    situ_wire other = two(r, "xor", compare(r, "LT", rest, zero), compare(r, "LT", b, zero));
    q = pick(r, two(r, "and", compare(r, "NE", rest, zero), other), two(r, "subtract", q, one_), q);
    situ_wire down = one(r, "floor", q), far = compare(r, "GT", two(r, "subtract", q, down), number(r, 0.5, a));
    down = pick(r, far, two(r, "add", down, one_), down);
    situ_wire by = two(r, "divide", a, b), plain = two(r, "or", compare(r, "EQ", b, zero), compare(r, "NE", by, by));
    down = pick(r, compare(r, "EQ", q, zero), copysign_of(r, zero, by), down);
    return pick(r, plain, by, down);
}

static situ_wire sign_of(reader *r, situ_wire a)
{
    if (is_signed(a)) return one(r, "sign", a);
    return pick(r, compare(r, "EQ", a, number(r, 0, a)), number(r, 0, a), number(r, 1, a));
}

static situ_wire trunc_of(reader *r, situ_wire a) { return pick(r, signbit_of(r, a), one(r, "ceil", a), one(r, "floor", a)); }

/* Rounded once, because the product of two f32 is exact in f64. */
static situ_wire fma_of(reader *r, const situ_wire *in)
{
    if (in[0].type != SITU_F32) return two(r, "add", two(r, "multiply", in[0], in[1]), in[2]);
    situ_wire wide[3];
    for (int i = 0; i < 3; i++) wide[i] = situ_stable_convert(r->t, in[i], SITU_F64);
    return situ_stable_convert(r->t, two(r, "add", two(r, "multiply", wide[0], wide[1]), wide[2]), SITU_F32);
}

static situ_wire hypot_of(reader *r, situ_wire a, situ_wire b)
{
    int type = a.type;
    situ_wire infinite, endless = number(r, INFINITY, a);
    a = one(r, "abs", a);
    b = one(r, "abs", b);
    infinite = two(r, "or", compare(r, "EQ", a, endless), compare(r, "EQ", b, endless));
    if (type == SITU_F32) {
        situ_wire x = situ_stable_convert(r->t, a, SITU_F64), y = situ_stable_convert(r->t, b, SITU_F64);
        x = one(r, "sqrt", two(r, "add", two(r, "multiply", x, x), two(r, "multiply", y, y)));
        return pick(r, infinite, endless, situ_stable_convert(r->t, x, SITU_F32));
    }
    situ_wire most = two(r, "maximum", a, b), least = two(r, "minimum", a, b), zero = number(r, 0, a);
    situ_wire safe = pick(r, compare(r, "EQ", most, zero), number(r, 1, a), most), q = two(r, "divide", least, safe);
    situ_wire root = one(r, "sqrt", two(r, "add", number(r, 1, a), two(r, "multiply", q, q)));
    return pick(r, infinite, endless, two(r, "multiply", most, root));
}

static situ_wire log_to(reader *r, situ_wire a, double factor)
{
    situ_wire x = one(r, "log", situ_stable_convert(r->t, a, SITU_F64));
    return situ_stable_convert(r->t, two(r, "multiply", x, number(r, factor, x)), a.type);
}

static situ_wire log_of_sum(reader *r, situ_wire a, situ_wire b)
{
    situ_wire gap = one(r, "negate", one(r, "abs", two(r, "subtract", a, b)));
    gap = pick(r, compare(r, "EQ", a, b), number(r, 0, a), gap);
    return two(r, "add", two(r, "maximum", a, b), one(r, "log_plus_one", one(r, "exponential", gap)));
}

/* log(1 + a), corrected by what 1 + a lost; the barrier keeps the compiler from simplifying (1 + a) - 1 to a. */
static situ_wire log1p_of(reader *r, situ_wire a)
{
    situ_wire one_ = number(r, 1, a), w = one(r, "optimization_barrier", two(r, "add", one_, a)),
              gained = two(r, "subtract", w, one_);
    situ_wire y = two(r, "multiply", one(r, "log", w), two(r, "divide", a, gained));
    situ_wire same = two(r, "or", compare(r, "EQ", w, one_), compare(r, "EQ", a, number(r, INFINITY, a)));
    return pick(r, same, a, y);
}

static situ_wire atanh_of(reader *r, situ_wire a)
{
    situ_wire both = two(r, "subtract", log1p_of(r, a), log1p_of(r, one(r, "negate", a)));
    return two(r, "multiply", both, number(r, 0.5, both));
}

/* ---- words ---- */

/* Words for floats that are one operation with one operand. */
static const struct {
    const char *word, *operation;
    bool chlo;
} plain[] = {{"root", "sqrt", false}, {"exp", "exponential", false}, {"expm1", "exponential_minus_one", false},
    {"log", "log", false}, {"sin", "sine", false}, {"cos", "cosine", false}, {"tan", "tan", true}, {"asin", "asin", true},
    {"acos", "acos", true}, {"sinh", "sinh", true}, {"cosh", "cosh", true}, {"tanh", "tanh", false}, {"asinh", "asinh", true},
    {"acosh", "acosh", true}, {"cbrt", "cbrt", false}, {"erfc", "erfc", true}, {"erfinv", "erf_inv", true},
    {"sigmoid", "logistic", false}, {"isfinite", "is_finite", false}, {"abs", "abs", false}, {"floor", "floor", false},
    {"ceil", "ceil", false}, {"round", "round_nearest_even", false}};

/* Plugins' erf of f32 reaches 1.0000001 from 3.7 on. */
static situ_wire erf_of(reader *r, situ_wire a)
{
    situ_wire y = situ_stable_chlo(r->t, "erf", a), most = number(r, 1, y), least = number(r, -1, y);
    if (a.type == SITU_F64) return y;
    y = pick(r, compare(r, "GT", y, most), most, y);
    return pick(r, compare(r, "LT", y, least), least, y);
}

static situ_wire infinite_of(reader *r, situ_wire a) { return compare(r, "EQ", one(r, "abs", a), number(r, INFINITY, a)); }

static bool float_word(reader *r, const char *w, const situ_wire *in, situ_wire *out)
{
    situ_stable *t = r->t;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(plain[i].word, w))
            return *out = plain[i].chlo ? situ_stable_chlo(t, plain[i].operation, in[0]) : one(r, plain[i].operation, in[0]), true;
    if (!strcmp(w, "erf")) *out = erf_of(r, in[0]);
    else if (!strcmp(w, "exp2")) *out = two(r, "power", number(r, 2, in[0]), in[0]);
    else if (!strcmp(w, "log2")) *out = log_to(r, in[0], 1.4426950408889634);
    else if (!strcmp(w, "log10")) *out = log_to(r, in[0], 0.43429448190325183);
    else if (!strcmp(w, "logaddexp")) *out = log_of_sum(r, in[0], in[1]);
    else if (!strcmp(w, "softplus")) *out = log_of_sum(r, in[0], number(r, 0, in[0]));
    else if (!strcmp(w, "log1p")) *out = log1p_of(r, in[0]);
    else if (!strcmp(w, "atanh")) *out = atanh_of(r, in[0]);
    else if (!strcmp(w, "atan")) /* chlo.atan, and atan2 with a constant 1, are wrong in vectors of a plugin with API 0.115 */
        *out = two(r, "atan2", in[0], one(r, "optimization_barrier", number(r, 1, in[0])));
    else if (!strcmp(w, "atan2")) *out = two(r, "atan2", in[0], in[1]);
    else if (!strcmp(w, "hypot")) *out = hypot_of(r, in[0], in[1]);
    else if (!strcmp(w, "fmod")) *out = two(r, "remainder", in[0], in[1]);
    else if (!strcmp(w, "remainder")) *out = float_remainder(r, in[0], in[1]);
    else if (!strcmp(w, "floor_divide")) *out = float_quotient(r, in[0], in[1]);
    else if (!strcmp(w, "trunc")) *out = trunc_of(r, in[0]);
    else if (!strcmp(w, "copysign")) *out = copysign_of(r, in[0], in[1]);
    else if (!strcmp(w, "isinf")) *out = infinite_of(r, in[0]);
    else return false;
    return true;
}

static bool whole_word(reader *r, const char *w, const situ_wire *in, situ_wire *out)
{
    if (!strcmp(w, "fmod")) *out = whole_fmod(r, in[0], in[1]);
    else if (!strcmp(w, "remainder")) *out = whole_remainder(r, in[0], in[1]);
    else if (!strcmp(w, "floor_divide")) *out = whole_quotient(r, in[0], in[1]);
    else if (!strcmp(w, "abs")) *out = is_signed(in[0]) ? one(r, "abs", in[0]) : in[0];
    else if (!strcmp(w, "isinf")) *out = situ_stable_integer(r->t, SITU_BOOL, 0, &in[0]);
    else if (!strcmp(w, "isfinite")) *out = situ_stable_integer(r->t, SITU_BOOL, 1, &in[0]);
    else if (!strcmp(w, "shift_left")) *out = two(r, "shift_left", in[0], in[1]);
    else if (!strcmp(w, "shift_right"))
        *out = two(r, is_signed(in[0]) ? "shift_right_arithmetic" : "shift_right_logical", in[0], in[1]);
    else if (!strcmp(w, "floor") || !strcmp(w, "ceil") || !strcmp(w, "round") || !strcmp(w, "trunc")) *out = in[0];
    else return false;
    return true;
}

/* The next number towards another; CHLO's function treats zeros differently. */
static situ_wire next_of(reader *r, situ_wire a, situ_wire b)
{
    situ_wire zero = number(r, 0, a), x = bits_of(r, a), step = situ_stable_integer(r->t, x.type, 1, &x);
    situ_wire out_up = two(r, "and", compare(r, "GT", a, zero), compare(r, "LT", a, b));
    situ_wire out_down = two(r, "and", compare(r, "LT", a, zero), compare(r, "GT", a, b));
    situ_wire next = pick(r, two(r, "or", out_up, out_down), two(r, "add", x, step), two(r, "subtract", x, step));
    situ_wire least = copysign_of(r, situ_stable_bits(r->t, step, a.type), b);
    next = pick(r, compare(r, "EQ", a, zero), least, situ_stable_bits(r->t, next, a.type));
    situ_wire known = two(r, "and", compare(r, "EQ", a, a), compare(r, "EQ", b, b));
    return pick(r, known, pick(r, compare(r, "EQ", a, b), b, next), two(r, "add", a, b));
}

/* Functions of f32 whose direct forms have errors of more than one unit: computed in f64 and rounded. */
static bool is_rough(const char *w)
{
    static const char *const rough[] = {"logaddexp", "log1p", "tan", "asin", "acos", "sinh", "cosh", "asinh", "acosh", "atanh",
        "erfc", "erfinv", "cbrt", "pow", "exp2", "fmod", "remainder", "floor_divide"};
    for (size_t i = 0; i < sizeof rough / sizeof *rough; i++)
        if (!strcmp(w, rough[i])) return true;
    return false;
}

static situ_wire call_word(reader *r, const char *w, const situ_wire *in, int n)
{
    situ_wire out, wide[3] = {{0}};
    if (in[0].type == SITU_F32 && is_rough(w)) {
        for (int i = 0; i < n; i++) wide[i] = situ_stable_convert(r->t, in[i], SITU_F64);
        return situ_stable_convert(r->t, call_word(r, w, wide, n), SITU_F32);
    }
    if (!strcmp(w, "select")) return pick(r, in[0], in[1], in[2]);
    if (!strcmp(w, "maximum") || !strcmp(w, "minimum")) return two(r, w, in[0], in[1]);
    if (!strcmp(w, "fma")) return fma_of(r, in);
    if (!strcmp(w, "pow")) return two(r, "power", in[0], in[1]);
    if (!strcmp(w, "sign")) return sign_of(r, in[0]);
    if (!strcmp(w, "signbit")) return signbit_of(r, in[0]);
    if (!strcmp(w, "nextafter")) return next_of(r, in[0], in[1]);
    if (!strcmp(w, "invert")) return one(r, "not", in[0]);
    if (!strcmp(w, "bitcast_f32")) return situ_stable_bits(r->t, in[0], SITU_F32);
    if (!strcmp(w, "bitcast_u32")) return situ_stable_bits(r->t, in[0], SITU_U32);
    if (!strcmp(w, "bitcast_f64")) return situ_stable_bits(r->t, in[0], SITU_F64);
    if (!strcmp(w, "bitcast_u64")) return situ_stable_bits(r->t, in[0], SITU_U64);
    if (floating(in[0]) ? float_word(r, w, in, &out) : whole_word(r, w, in, &out)) return out;
    r->t->text.failed = true; /* a word of the table without an implementation here; a test tries all words */
    return in[0];
}

/* ---- parsing ---- */

static situ_wire expression(reader *r, int level);

static void blank(reader *r)
{
    while (*r->at == ' ') r->at++;
}

static bool eat(reader *r, const char *text)
{
    blank(r);
    size_t n = strlen(text);
    if (strncmp(r->at, text, n)) return false;
    r->at += n;
    return true;
}

static situ_wire word_value(reader *r, const char *word)
{
    situ_wire in[3] = {{0}}, like = r->operand[0];
    int n = 0;
    if (word[0] >= 'A' && word[0] <= 'C' && !word[1]) return r->operand[word[0] - 'A'];
    eat(r, "(");
    like.type = (uint8_t)r->type;
    if (!strcmp(word, "constant")) {
        char *end;
        double value = situ_plain_number(r->at, &end);
        r->at = end;
        eat(r, ")");
        return number(r, value, like);
    }
    if (!strcmp(word, "infinity")) {
        eat(r, ")");
        return number(r, INFINITY, like);
    }
    while (n < 3 && !eat(r, ")")) {
        in[n++] = expression(r, 0);
        eat(r, ",");
    }
    return call_word(r, word, in, n);
}

static situ_wire primary(reader *r)
{
    char word[24];
    size_t n = 0;
    if (eat(r, "-")) return one(r, "negate", primary(r));
    if (eat(r, "(")) {
        situ_wire inside = expression(r, 0);
        eat(r, ")");
        return inside;
    }
    blank(r);
    while (n + 1 < sizeof word &&
        ((*r->at >= 'a' && *r->at <= 'z') || (*r->at >= 'A' && *r->at <= 'Z') || *r->at == '_' ||
            (n && *r->at >= '0' && *r->at <= '9')))
        word[n++] = *r->at++;
    word[n] = 0;
    return word_value(r, word);
}

/* Operators by precedence, the lowest first; longer ones before those that they begin with. */
static const struct {
    int level;
    const char *sign, *operation, *how;
} operators[] = {{0, "|", "or", NULL}, {1, "^", "xor", NULL}, {2, "&", "and", NULL}, {3, "==", NULL, "EQ"}, {3, "!=", NULL, "NE"},
    {4, "<=", NULL, "LE"}, {4, ">=", NULL, "GE"}, {4, "<", NULL, "LT"}, {4, ">", NULL, "GT"}, {5, "+", "add", NULL},
    {5, "-", "subtract", NULL}, {6, "*", "multiply", NULL}, {6, "/", "divide", NULL}};
enum { LEVELS = 7 };

static situ_wire expression(reader *r, int level)
{
    if (level == LEVELS) return primary(r);
    situ_wire left = expression(r, level + 1);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (operators[i].level != level || !eat(r, operators[i].sign)) continue;
        situ_wire right = expression(r, level + 1);
        left = operators[i].how ? compare(r, operators[i].how, left, right) : two(r, operators[i].operation, left, right);
        i = (size_t)-1;
    }
    return left;
}

situ_wire situ_stable_element(situ_stable *t, int el, situ_dtype d, const situ_wire *operand)
{
    reader r = {.t = t, .at = situ_el_rows[el].value, .operand = operand, .type = d};
    return expression(&r, 0);
}
