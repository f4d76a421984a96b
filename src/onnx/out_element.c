/* Elementwise operations: each a formula in ONNX's operators.
 *
 *   formula   "s=Abs(a);Where(Equal(s,0),1,s)"   names, then the result; a, b, c are the operands
 *   number    of the dtype that is computed in; W: how many bits integers of the operand's dtype have
 *   Name[key=value](...)   an operator with an attribute, an integer or a text; U64(x): x in that dtype, T(x): in the first one
 */
#include <stdlib.h>
#include <string.h>

#include "onnx/out.h"
#include "op/elementwise.h"
#include "op/support.h"

typedef struct formula {
    const char *floats, *integers, *bools; /* NULL: that of floats, which is NULL where there is none; "": none */
} formula;

#define SIGNBIT(x) "Or(Less(" x ",0),Less(Reciprocal(" x "),0))"
#define NONE ""
#define INTEGERS(e, text) [SITU_EL_##e] = {NONE, text, NONE}
#define LOGIC(e, text) [SITU_EL_##e] = {NONE, NONE, text}

static const formula formulas[SITU_EL_COUNT] = {
    [SITU_EL_add] = {"Add(a,b)"},
    [SITU_EL_sub] = {"Sub(a,b)"},
    [SITU_EL_mul] = {"Mul(a,b)"},
    [SITU_EL_div] = {"Div(a,b)"},
    [SITU_EL_fma] = {"Add(Mul(a,b),c)"},
    [SITU_EL_floor_divide] = {"r=Mod[fmod=1](a,b);Round(Div(Sub(a,Where(Less(Mul(Sign(r),Sign(b)),0),Add(r,b),r)),b))",
        "z=Equal(b,0);d=Where(z,1,b);Where(z,0,Div(Sub(a,Mod(a,d)),d))"},
    [SITU_EL_remainder] = {"r=Mod[fmod=1](a,b);Where(Less(Mul(Sign(r),Sign(b)),0),Add(r,b),r)",
        "z=Equal(b,0);Where(z,0,Mod(a,Where(z,1,b)))"},
    [SITU_EL_fmod] = {"Mod[fmod=1](a,b)", "z=Equal(b,0);Where(z,0,Mod[fmod=1](a,Where(z,1,b)))"},
    [SITU_EL_pow] = {"Pow(a,b)"},
    [SITU_EL_hypot] = {"m=Max(Abs(a),Abs(b));z=Or(Equal(m,0),Equal(m,inf));d=Where(z,1,m);p=Div(a,d);q=Div(b,d);"
                       "Where(z,m,Mul(m,Sqrt(Add(Mul(p,p),Mul(q,q)))))"},
    [SITU_EL_negative] = {"Neg(a)", "Sub(0,a)"},
    [SITU_EL_positive] = {"a"},
    [SITU_EL_abs] = {"Abs(a)"},
    [SITU_EL_sign] = {"Sign(a)"},
    [SITU_EL_square] = {"Mul(a,a)"},
    [SITU_EL_reciprocal] = {"Reciprocal(a)"},
    [SITU_EL_sqrt] = {"Sqrt(a)"},
    [SITU_EL_pow_half] = {"Where(Equal(a,-inf),inf,Sqrt(Add(a,0)))"},
    [SITU_EL_rsqrt] = {"Reciprocal(Sqrt(a))"},
    [SITU_EL_cbrt] = {"Mul(Sign(a),Pow(Abs(a),0.33333333333333331))"},
    [SITU_EL_exp] = {"Exp(a)"},
    [SITU_EL_exp2] = {"Pow(2,a)"},
    [SITU_EL_expm1] = {"Mul(Tanh(Mul(a,0.5)),Add(Exp(a),1))"},
    [SITU_EL_log] = {"Log(a)"},
    [SITU_EL_log2] = {"Mul(Log(a),1.4426950408889634)"},
    [SITU_EL_log10] = {"Mul(Log(a),0.43429448190325183)"},
    [SITU_EL_log1p] = {"Where(Less(Abs(a),0.5),Mul(2,Atanh(Div(a,Add(a,2)))),Log(Add(a,1)))"},
    [SITU_EL_logaddexp] = {"z=Equal(a,b);Add(Max(a,b),Where(z,0.69314718055994531,Softplus(Neg(Abs(Where(z,0,Sub(a,b)))))))"},
    [SITU_EL_sin] = {"Sin(a)"},
    [SITU_EL_cos] = {"Cos(a)"},
    [SITU_EL_tan] = {"Tan(a)"},
    [SITU_EL_asin] = {"Asin(a)"},
    [SITU_EL_acos] = {"Acos(a)"},
    [SITU_EL_atan] = {"Atan(a)"},
    [SITU_EL_atan2] = {"u=Abs(a);v=Abs(b);t=Where(Equal(u,v),Where(Equal(u,0),0,0.78539816339744831),Atan(Div(u,v)));"
                       "r=Where(" SIGNBIT("b") ",Sub(3.1415926535897931,t),t);Where(" SIGNBIT("a") ",Neg(r),r)"},
    [SITU_EL_sinh] = {"Sinh(a)"},
    [SITU_EL_cosh] = {"Cosh(a)"},
    [SITU_EL_tanh] = {"Tanh(a)"},
    [SITU_EL_asinh] = {"Asinh(a)"},
    [SITU_EL_acosh] = {"Acosh(a)"},
    [SITU_EL_atanh] = {"Atanh(a)"},
    [SITU_EL_erf] = {"Erf(a)"},
    [SITU_EL_erfc] = {"Sub(1,Erf(a))"},
    /* S. Winitzki's approximation, and two steps of Newton */
    [SITU_EL_erfinv] = {"s=Abs(a);e=Equal(s,1);x=Where(e,0,s);w=Log(Sub(1,Mul(x,x)));t=Add(4.3307467507998545,Mul(0.5,w));"
                        "y=Sqrt(Max(0,Sub(Sqrt(Sub(Mul(t,t),Mul(w,6.8027210884353739))),t)));"
                        "p=Sub(y,Mul(Mul(Sub(Erf(y),x),0.88622692545275801),Exp(Mul(y,y))));"
                        "q=Sub(p,Mul(Mul(Sub(Erf(p),x),0.88622692545275801),Exp(Mul(p,p))));Mul(Sign(a),Where(e,inf,q))"},
    [SITU_EL_sigmoid] = {"Sigmoid(a)"},
    [SITU_EL_relu] = {"Relu(a)", "Max(a,0)"},
    [SITU_EL_softplus] = {"Softplus(a)"},
    [SITU_EL_maximum] = {"Max(a,b)"},
    [SITU_EL_minimum] = {"Min(a,b)"},
    [SITU_EL_clip] = {"Min(Max(a,b),c)"},
    [SITU_EL_floor] = {"Floor(a)", "a"},
    [SITU_EL_ceil] = {"Ceil(a)", "a"},
    [SITU_EL_round] = {"Round(a)", "a"},
    [SITU_EL_trunc] = {"Mul(Sign(a),Floor(Abs(a)))", "a"},
    [SITU_EL_copysign] = {"Where(" SIGNBIT("b") ",Neg(Abs(a)),Abs(a))"},
    [SITU_EL_isnan] = {"IsNaN(a)", "Not(Equal(a,a))"},
    [SITU_EL_isinf] = {"Equal(Abs(a),inf)", "Not(Equal(a,a))"},
    [SITU_EL_isfinite] = {"Less(Abs(a),inf)", "Equal(a,a)"},
    [SITU_EL_signbit] = {SIGNBIT("a"), "Less(a,0)"},
    [SITU_EL_equal] = {"Equal(a,b)"},
    [SITU_EL_not_equal] = {"Not(Equal(a,b))"},
    [SITU_EL_less] = {"Less(a,b)"},
    [SITU_EL_less_equal] = {"LessOrEqual(a,b)"},
    [SITU_EL_greater] = {"Greater(a,b)"},
    [SITU_EL_greater_equal] = {"GreaterOrEqual(a,b)"},
    LOGIC(logical_and, "And(a,b)"),
    LOGIC(logical_or, "Or(a,b)"),
    LOGIC(logical_xor, "Xor(a,b)"),
    LOGIC(logical_not, "Not(a)"),
    [SITU_EL_bitwise_and] = {NONE, "BitwiseAnd(a,b)", "And(a,b)"},
    [SITU_EL_bitwise_or] = {NONE, "BitwiseOr(a,b)", "Or(a,b)"},
    [SITU_EL_bitwise_xor] = {NONE, "BitwiseXor(a,b)", "Xor(a,b)"},
    [SITU_EL_bitwise_invert] = {NONE, "BitwiseNot(a)", "Not(a)"},
    INTEGERS(bitwise_left_shift, "l=Less(b,W);Where(l,T(BitShift[direction=LEFT](U64(a),U64(Where(l,b,0)))),0)"),
    INTEGERS(bitwise_right_shift,
        "s=Less(a,0);l=Less(b,W);"
        "r=T(BitShift[direction=RIGHT](U64(Where(s,BitwiseNot(a),a)),U64(Where(l,b,0))));"
        "r=Where(l,r,0);Where(s,BitwiseNot(r),r)"),
    [SITU_EL_where] = {"Where(a,b,c)", NULL, "Or(And(a,b),And(Not(a),c))"},
};

/* ---- reading a formula ------------------------------------------------------------------------------------------------- */

typedef struct reader {
    situ_out *o;
    const char *at;
    situ_dtype dtype; /* of the computation */
    int64_t bits;
    const char *named[26]; /* by their letters */
} reader;

static size_t word(const char *at)
{
    size_t n = 0;
    while ((at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= 'a' && at[n] <= 'z') || (at[n] >= '0' && at[n] <= '9')) n++;
    return n;
}

/* "[fmod=1]" */
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

/* Operators lie in each other: a formula's own text bounds how deep. */
static const char *expression(reader *r)
{
    size_t n = word(r->at);
    char first = *r->at;
    if (n == 1 && first >= 'a' && first <= 'z') return r->at++, r->named[first - 'a'];
    if (n == 1 && first == 'W') return r->at++, situ_out_whole(r->o, r->dtype, r->bits);
    if (first < 'A' || first > 'Z') { /* a number, "inf", "-inf" */
        char *end;
        double value = strtod(r->at, &end);
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

/* The dtype that v's operands have in common. */
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
    if (own == SITU_BOOL && kind == SITU_EL_COMPARE) r.dtype = SITU_I32; /* ONNX compares no bools but for equality */
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
