/* Elementwise operations: each a formula in ONNX's operators.
 *
 *   formula   "s=Abs(a);Where(Equal(s,0),1,s)"   names, then the result; a, b, c are the operands
 *   number    of the dtype that is computed in; W: how many bits integers of the operand's dtype have
 *   Name[key=value](...)   an operator with an attribute, an integer or a text; U64(x): x in that dtype, T(x): in the first one */
#include <stdlib.h>
#include <string.h>

#include "onnx/out.h"
#include "op/elementwise.h"
#include "op/support.h"
#include "os/plain.h"

typedef struct formula {
    const char *floats, *integers, *bools; /* floats NULL: no formula; integers, bools NULL: the formula of floats; "": none */
} formula;

#define SIGNBIT(x) "Or(Less(" x ",0),Less(Reciprocal(" x "),0))"
#define NONE ""
#define INTEGERS(e, text) [SITU_EL_##e] = {.floats = NONE, .integers = text, .bools = NONE}
#define LOGIC(e, text) [SITU_EL_##e] = {.floats = NONE, .integers = NONE, .bools = text}

static const formula formulas[SITU_EL_COUNT] = {
    [SITU_EL_add] = {.floats = "Add(a,b)"},
    [SITU_EL_sub] = {.floats = "Sub(a,b)"},
    [SITU_EL_mul] = {.floats = "Mul(a,b)"},
    [SITU_EL_div] = {.floats = "Div(a,b)"},
    [SITU_EL_fma] = {.floats = "Add(Mul(a,b),c)"},
    [SITU_EL_floor_divide] = {.floats = "r=Mod[fmod=1](a,b);Where(Equal(b,0),Div(a,b),"
                                        "Round(Div(Sub(a,Where(Less(Mul(Sign(r),Sign(b)),0),Add(r,b),r)),b)))",
        .integers = "z=Equal(b,0);d=Where(z,1,b);r=Mod[fmod=1](a,d);q=Div(Sub(a,r),d);"
                    "Where(z,0,Where(Less(Mul(Sign(r),Sign(d)),0),Sub(q,1),q))"},
    [SITU_EL_remainder] = {.floats = "r=Mod[fmod=1](a,b);Where(Less(Mul(Sign(r),Sign(b)),0),Add(r,b),r)",
        .integers = "z=Equal(b,0);Where(z,0,Mod(a,Where(z,1,b)))"},
    [SITU_EL_fmod] = {.floats = "Mod[fmod=1](a,b)", .integers = "z=Equal(b,0);Where(z,0,Mod[fmod=1](a,Where(z,1,b)))"},
    [SITU_EL_pow] = {.floats = "Pow(a,b)"},
    [SITU_EL_hypot] = {.floats = "m=Max(Abs(a),Abs(b));z=Or(Equal(m,0),Equal(m,inf));d=Where(z,1,m);p=Div(a,d);q=Div(b,d);"
                                 "Where(z,m,Mul(m,Sqrt(Add(Mul(p,p),Mul(q,q)))))"},
    [SITU_EL_negative] = {.floats = "Neg(a)", .integers = "Sub(0,a)"},
    [SITU_EL_positive] = {.floats = "a"},
    [SITU_EL_abs] = {.floats = "Abs(a)"},
    [SITU_EL_sign] = {.floats = "Sign(a)"},
    [SITU_EL_square] = {.floats = "Mul(a,a)"},
    [SITU_EL_reciprocal] = {.floats = "Reciprocal(a)"},
    [SITU_EL_sqrt] = {.floats = "Sqrt(a)"},
    [SITU_EL_pow_half] = {.floats = "Where(Equal(a,-inf),inf,Sqrt(Add(a,0)))"},
    [SITU_EL_rsqrt] = {.floats = "Reciprocal(Sqrt(a))"},
    [SITU_EL_cbrt] = {.floats = "Mul(Sign(a),Pow(Abs(a),0.33333333333333331))"},
    [SITU_EL_exp] = {.floats = "Exp(a)"},
    [SITU_EL_exp2] = {.floats = "Pow(2,a)"},
    [SITU_EL_expm1] = {.floats = "Mul(Tanh(Mul(a,0.5)),Add(Exp(a),1))"},
    [SITU_EL_log] = {.floats = "Log(a)"},
    [SITU_EL_log2] = {.floats = "Mul(Log(a),1.4426950408889634)"},
    [SITU_EL_log10] = {.floats = "Mul(Log(a),0.43429448190325183)"},
    [SITU_EL_log1p] = {.floats = "Where(Less(Abs(a),0.5),Mul(2,Atanh(Div(a,Add(a,2)))),Log(Add(a,1)))"},
    [SITU_EL_logaddexp] = {.floats =
                               "z=Equal(a,b);Add(Max(a,b),Where(z,0.69314718055994531,Softplus(Neg(Abs(Where(z,0,Sub(a,b)))))))"},
    [SITU_EL_sin] = {.floats = "Sin(a)"},
    [SITU_EL_cos] = {.floats = "Cos(a)"},
    [SITU_EL_tan] = {.floats = "Tan(a)"},
    [SITU_EL_asin] = {.floats = "Asin(a)"},
    [SITU_EL_acos] = {.floats = "Acos(a)"},
    [SITU_EL_atan] = {.floats = "Atan(a)"},
    [SITU_EL_atan2] = {.floats = "u=Abs(a);v=Abs(b);t=Where(Equal(u,v),Where(Equal(u,0),0,0.78539816339744831),Atan(Div(u,v)));"
                                 "r=Where(" SIGNBIT("b") ",Sub(3.1415926535897931,t),t);Where(" SIGNBIT("a") ",Neg(r),r)"},
    [SITU_EL_sinh] = {.floats = "Sinh(a)"},
    [SITU_EL_cosh] = {.floats = "Cosh(a)"},
    [SITU_EL_tanh] = {.floats = "Tanh(a)"},
    [SITU_EL_asinh] = {.floats = "Asinh(a)"},
    [SITU_EL_acosh] = {.floats = "Acosh(a)"},
    [SITU_EL_atanh] = {.floats = "Atanh(a)"},
    [SITU_EL_erf] = {.floats = "Erf(a)"},
    [SITU_EL_erfc] = {.floats = "Sub(1,Erf(a))"},
    /* S. Winitzki's approximation, followed by two Newton steps */
    [SITU_EL_erfinv] = {.floats =
                            "s=Abs(a);e=Equal(s,1);x=Where(e,0,s);w=Log(Sub(1,Mul(x,x)));t=Add(4.3307467507998545,Mul(0.5,w));"
                            "y=Sqrt(Max(0,Sub(Sqrt(Sub(Mul(t,t),Mul(w,6.8027210884353739))),t)));"
                            "p=Sub(y,Mul(Mul(Sub(Erf(y),x),0.88622692545275801),Exp(Mul(y,y))));"
                            "q=Sub(p,Mul(Mul(Sub(Erf(p),x),0.88622692545275801),Exp(Mul(p,p))));Mul(Sign(a),Where(e,inf,q))"},
    [SITU_EL_sigmoid] = {.floats = "Sigmoid(a)"},
    [SITU_EL_relu] = {.floats = "Relu(a)", .integers = "Max(a,0)"},
    [SITU_EL_softplus] = {.floats = "Softplus(a)"},
    [SITU_EL_maximum] = {.floats = "Max(a,b)"},
    [SITU_EL_minimum] = {.floats = "Min(a,b)"},
    [SITU_EL_clip] = {.floats = "Min(Max(a,b),c)"},
    [SITU_EL_floor] = {.floats = "Floor(a)", .integers = "a"},
    [SITU_EL_ceil] = {.floats = "Ceil(a)", .integers = "a"},
    [SITU_EL_round] = {.floats = "Round(a)", .integers = "a"},
    [SITU_EL_trunc] = {.floats = "Mul(Sign(a),Floor(Abs(a)))", .integers = "a"},
    [SITU_EL_copysign] = {.floats = "Where(" SIGNBIT("b") ",Neg(Abs(a)),Abs(a))"},
    [SITU_EL_isnan] = {.floats = "IsNaN(a)", .integers = "Not(Equal(a,a))"},
    [SITU_EL_isinf] = {.floats = "Equal(Abs(a),inf)", .integers = "Not(Equal(a,a))"},
    [SITU_EL_isfinite] = {.floats = "Less(Abs(a),inf)", .integers = "Equal(a,a)"},
    [SITU_EL_signbit] = {.floats = SIGNBIT("a"), .integers = "Less(a,0)"},
    [SITU_EL_equal] = {.floats = "Equal(a,b)"},
    [SITU_EL_not_equal] = {.floats = "Not(Equal(a,b))"},
    [SITU_EL_less] = {.floats = "Less(a,b)"},
    [SITU_EL_less_equal] = {.floats = "LessOrEqual(a,b)"},
    [SITU_EL_greater] = {.floats = "Greater(a,b)"},
    [SITU_EL_greater_equal] = {.floats = "GreaterOrEqual(a,b)"},
    LOGIC(logical_and, "And(a,b)"),
    LOGIC(logical_or, "Or(a,b)"),
    LOGIC(logical_xor, "Xor(a,b)"),
    LOGIC(logical_not, "Not(a)"),
    [SITU_EL_bitwise_and] = {.floats = NONE, .integers = "BitwiseAnd(a,b)", .bools = "And(a,b)"},
    [SITU_EL_bitwise_or] = {.floats = NONE, .integers = "BitwiseOr(a,b)", .bools = "Or(a,b)"},
    [SITU_EL_bitwise_xor] = {.floats = NONE, .integers = "BitwiseXor(a,b)", .bools = "Xor(a,b)"},
    [SITU_EL_bitwise_invert] = {.floats = NONE, .integers = "BitwiseNot(a)", .bools = "Not(a)"},
    INTEGERS(bitwise_left_shift, "l=Less(b,W);Where(l,T(BitShift[direction=LEFT](U64(a),U64(Where(l,b,0)))),0)"),
    INTEGERS(bitwise_right_shift,
        "s=Less(a,0);l=Less(b,W);"
        "r=T(BitShift[direction=RIGHT](U64(Where(s,BitwiseNot(a),a)),U64(Where(l,b,0))));"
        "r=Where(l,r,0);Where(s,BitwiseNot(r),r)"),
    [SITU_EL_where] = {.floats = "Where(a,b,c)", .bools = "Or(And(a,b),And(Not(a),c))"},
};

/* ---- reading a formula ------------------------------------------------------------------------------------------------- */

typedef struct reader {
    situ_out *o;
    const char *at;
    situ_dtype dtype; /* dtype of the computation */
    int64_t bits;
    const char *named[26]; /* [letter] names of intermediate results */
} reader;

static size_t word(const char *at)
{
    size_t n = 0;
    while ((at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= 'a' && at[n] <= 'z') || (at[n] >= '0' && at[n] <= '9')) n++;
    return n;
}

/* Parses "[fmod=1]". */
static void attributes(reader *r)
{
    char name[16] = "", text[16] = "";
    if (*r->at != '[') return;
    size_t n = word(++r->at), k = word(r->at + n + 1);
    memcpy(name, r->at, n);
    memcpy(text, r->at + n + 1, k);
    r->at += n + 1 + k + 1;
    if (*text >= '0' && *text <= '9') situ_out_int(r->o, name, *text - '0');
    else situ_out_text(r->o, name, text);
}

/* Recursive: the depth is limited by the formula's own text. */
static const char *expression(reader *r)
{
    size_t n = word(r->at);
    char first = *r->at;
    if (n == 1 && first >= 'a' && first <= 'z') return r->at++, r->named[first - 'a'];
    if (n == 1 && first == 'W') return r->at++, situ_out_whole(r->o, r->dtype, r->bits);
    if (first < 'A' || first > 'Z') { /* a number, "inf" or "-inf" */
        char *end;
        double value = situ_plain_number(r->at, &end);
        r->at = end;
        return situ_out_number(r->o, r->dtype, value);
    }
    char type[24] = "";
    const char *in[3], *options = r->at + n;
    int count = 0;
    memcpy(type, r->at, n);
    r->at += n;
    if (*r->at == '[') r->at = strchr(r->at, ']') + 1;
    do r->at++, in[count++] = expression(r);
    while (*r->at == ',');
    const char *behind = r->at + 1;
    if (!strcmp(type, "U64")) return r->at = behind, situ_out_cast(r->o, in[0], r->dtype, SITU_U64);
    if (!strcmp(type, "T")) return r->at = behind, situ_out_cast(r->o, in[0], SITU_U64, r->dtype);
    r->at = options;
    attributes(r);
    r->at = behind;
    return situ_out_node(r->o, type, in, count, 1);
}

static const char *evaluate(reader *r)
{
    for (;;) {
        bool names = *r->at >= 'a' && *r->at <= 'z' && r->at[1] == '=';
        int letter = *r->at - 'a';
        if (!names) return expression(r);
        r->at += 2;
        if (!(r->named[letter] = expression(r))) return NULL;
        r->at++;
    }
}

/* ---- operations -------------------------------------------------------------------------------------------------------- */

/* The common dtype of v's operands. */
static situ_dtype common_dtype(const situ_out_value *v)
{
    situ_infer c = {.op = v->t[0]->op, .nin = v->t[0]->nin, .in = situ_node_in(v->t[0])};
    return situ_infer_promote(&c, 0, c.nin);
}

const char *situ_out_elementwise(situ_out *o, const situ_out_value *v)
{
    situ_el el = (situ_el)v->t[0]->op->code;
    situ_el_kind kind = situ_el_rows[el].kind;
    bool test = kind == SITU_EL_COMPARE || kind == SITU_EL_EQUAL || kind == SITU_EL_PREDICATE;
    situ_dtype result = (situ_dtype)v->t[0]->dtype, own = kind == SITU_EL_LOGIC ? SITU_BOOL : test ? common_dtype(v) : result;
    reader r = {.o = o, .dtype = situ_out_compute(own), .bits = 8 * (int64_t)situ_dtype_size(own)};
    if (own == SITU_BOOL && kind == SITU_EL_COMPARE) r.dtype = SITU_I32; /* ONNX compares bools only for equality */
    const formula *f = &formulas[el];
    r.at = f->floats;
    if (r.dtype == SITU_BOOL && f->bools) r.at = f->bools;
    else if (situ_dtype_is_integer(r.dtype) && f->integers) r.at = f->integers;
    if (!r.at || !*r.at) return situ_out_refuse(o, v->t[0], NULL);
    for (int i = 0; i < v->t[0]->nin; i++) {
        bool condition = kind == SITU_EL_SELECT && !i;
        if (!(r.named[i] = situ_out_in_as(o, v, i, condition ? SITU_BOOL : r.dtype))) return NULL;
    }
    const char *y = evaluate(&r);
    return result == SITU_BOOL ? y : situ_out_cast(o, y, r.dtype, result);
}
