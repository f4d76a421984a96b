/* Keys made of keys. Random bits themselves are instructions of groups. */
#include "codegen/call_text.h"
#include "op/threefry.h"

#define ROUNDS SITU_TEXT(SITU_THREEFRY(x0, x1, k0, k1, k2))

static void fold_in_body(situ_text *t, const situ_call_desc *c, int pass)
{
    (void)pass;
    (void)c;
    situ_call_each(t, 1);
    situ_text_append(t, "    u32_F k0 = IN0[0], k1 = IN0[1], k2 = k0 ^ k1 ^ 0x1BD11BDAu, x0 = 0, x1 = IN1[0];\n"
                        "    " ROUNDS "\n"
                        "    OUT[0] = x0;\n    OUT[1] = x1;\n");
}

const situ_call_family situ_call_random[] = {{"fold_in", NULL, fold_in_body}, {NULL, NULL, NULL}};
