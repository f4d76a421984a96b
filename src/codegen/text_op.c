#include "codegen/text_op.h"

#include <string.h>

/* A buffer of fixed size; length counts what would have been written. */
typedef struct line {
    char *buffer;
    size_t size, length;
} line;

static void put(line *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++, t->length++)
        if (t->length + 1 < t->size) t->buffer[t->length] = s[i];
}
static void puts_to(line *t, const char *s) { put(t, s, strlen(s)); }

static bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Writes the value text with the dtype's prefix on each function: "exp(A)" becomes "f32_exp(A)". */
static void put_value(line *t, const char *value, const char *dtype)
{
    while (*value) {
        size_t n = 0;
        while (in_word(value[n])) n++;
        if (n && value[n] == '(') {
            puts_to(t, dtype);
            puts_to(t, "_");
        }
        n += n == 0;
        put(t, value, n);
        value += n;
    }
}

/* Signed sums and products are computed as unsigned ones, which wrap: signed overflow is undefined in C. */
static bool wraps(const situ_el_row *row, situ_dtype d)
{
    return (d == SITU_I32 || d == SITU_I64) && row->kind == SITU_EL_NUMBER && !row->value[strcspn(row->value, "(<>=/%&|^")];
}

/* Writes "u32_F A = (u32_F)a, B = (u32_F)b; ". */
static void put_unsigned(line *t, const situ_el_row *row, situ_dtype d)
{
    const char *type = d == SITU_I32 ? "u32_F" : "u64_F";
    for (int i = 0; i < row->arity; i++) {
        const char name[2] = {(char)('A' + i), 0}, lower[2] = {(char)('a' + i), 0};
        puts_to(t, i ? ", " : type);
        puts_to(t, i ? "" : " ");
        puts_to(t, name);
        puts_to(t, " = (");
        puts_to(t, type);
        puts_to(t, ")");
        puts_to(t, lower);
    }
    puts_to(t, "; ");
}

int situ_text_op(char *buffer, size_t size, situ_el op, situ_dtype d)
{
    if (!situ_el_takes(op, d)) return -1;
    const situ_el_row *row = &situ_el_rows[op];
    const char *dtype = situ_dtype_name(d), *result = situ_dtype_name(situ_el_result(op, d));
    bool as_unsigned = wraps(row, d);
    line t = {buffer, size, 0};
    puts_to(&t, "FN ");
    puts_to(&t, result);
    puts_to(&t, "_F ");
    puts_to(&t, dtype);
    puts_to(&t, "_");
    puts_to(&t, row->name);
    puts_to(&t, "_op");
    for (int i = 0; i < row->arity; i++) {
        puts_to(&t, i ? ", " : "(");
        puts_to(&t, row->kind == SITU_EL_SELECT && i == 0 ? "bool" : dtype);
        puts_to(&t, "_F ");
        const char name[2] = {(char)((as_unsigned ? 'a' : 'A') + i), 0};
        puts_to(&t, name);
    }
    puts_to(&t, ") { ");
    if (as_unsigned) put_unsigned(&t, row, d);
    puts_to(&t, "return (");
    puts_to(&t, result);
    puts_to(&t, "_F)(");
    put_value(&t, row->value, dtype);
    puts_to(&t, "); }\n");
    if (size) buffer[t.length < size ? t.length : size - 1] = 0;
    return (int)t.length;
}
