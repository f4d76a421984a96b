/* Keys derived from keys, and bits narrower than a word, several of which come from one word. Random words themselves
 * are instructions of groups. */
#include "codegen/call_text.h"
#include "codegen/random_text.h"
#include "op/generate.h"
#include "numeric/threefry.h"
#include "tensor/shape.h"

#define ROUNDS SITU_TEXT(SITU_THREEFRY(x0, x1, k0, k1, k2))

static void reduce_in_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    (void)c;
    situ_call_each(t, 1);
    situ_source_append(t,
        "    u32_F k0 = IN0[0], k1 = IN0[1], k2 = k0 ^ k1 ^ 0x1BD11BDAu, x0 = 0, x1 = IN1[0];\n"
        "    " ROUNDS "\n"
        "    OUT[0] = x0;\n    OUT[1] = x1;\n");
}

static void bits_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    (void)c;
    (void)d;
    situ_source_append(t, situ_text_random);
}

static void bits_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    const situ_random_attr *a = c->attr;
    int width = c->out.dtype == SITU_U8 ? 8 : 16, in_word = 32 / width;
    int64_t n = situ_shape_count(c->out.ndim, c->out.dim);
    situ_call_each(t, n);
    if (a->partitionable) situ_source_add(t, "    OUT[p] = (E)random_part_32(IN0[0], IN0[1], p, %lldu);\n", (long long)n);
    else
        situ_source_add(t, "    OUT[p] = (E)(random_32(IN0[0], IN0[1], p / %d, %lldu) >> %d * (int)(p %% %d));\n", in_word,
            (long long)((n + in_word - 1) / in_word), width, in_word);
}

const situ_call_family situ_call_random[] = {
    {"fold_in", NULL, reduce_in_body, NULL}, {"narrow_bits", NULL, bits_body, bits_functions}, {NULL, NULL, NULL, NULL}};
