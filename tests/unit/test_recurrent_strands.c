/* The rows of a large batch are divided among threads by a recurrent layer: the bits are those of all rows together. */
#include <string.h>

#include <situ.h>

#include "../test.h"
#include "support/settled.h"

enum { ROWS = 37, TIME = 6, IN = 5, WIDTH = 8, MOST = 20, FLOATS = 4096 };

/* Reads the results and the gradients by x and by each parameter into `to`; how many there are. */
static int run(situ_module *m, bool lstm, bool cut, int threads, float (*to)[FLOATS])
{
    forget_plans(); /* those for another number of threads */
    situ_set_threads(threads);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_variable(situ_normal(situ_key(1), SHAPE(ROWS, TIME, IN))), *y[3], *wrt[MOST], *out[MOST];
    situ_tensor *many = cut ? situ_randint(situ_key(2), SHAPE(ROWS), 0, TIME + 1) : NULL;
    int states = situ_module_call_n(m, lstm ? TENSORS(x, NULL, NULL, many) : TENSORS(x, NULL, many), y, 3), count = 0;
    CHECK_EQ(states, lstm ? 3 : 2);
    situ_tensor *loss = situ_sum(situ_square(y[0]));
    if (cut) loss = situ_add(loss, situ_sum(y[states - 1])); /* of more than h */
    wrt[count++] = x;
    for (int i = 0; i < situ_module_count(m); i++) wrt[count++] = situ_module_parameter(m, i);
    situ_grad(loss, ((situ_list){wrt, count}), out);
    for (int i = 0; i < states; i++) out[count++] = y[i];
    situ_eval(((situ_list){out, count}));
    for (int i = 0; i < count && CHECK(situ_count(out[i]) <= FLOATS); i++)
        situ_read(out[i], to[i], (size_t)situ_count(out[i]) * sizeof(float));
    situ_scope_close(scope);
    situ_release(x);
    return count;
}

static void compare(situ_module *m, bool lstm)
{
    static float one[MOST][FLOATS], two[MOST][FLOATS];
    int threads = situ_threads();
    for (int cut = 0; cut < 2; cut++) {
        int count = run(m, lstm, cut, 1, one);
        for (int width = 2; width <= 3; width++) { /* three strands would have too few rows each */
            CHECK_EQ(run(m, lstm, cut, width, two), count);
            for (int i = 0; i < count; i++) CHECK(!memcmp(one[i], two[i], sizeof one[i]));
        }
    }
    CHECK(one[0][0] != 0);
    situ_set_threads(threads);
    situ_module_free(m);
    CHECK_OK();
}

TEST(strands_of_lstm_have_the_bits_of_all_rows) { compare(situ_lstm_layer(WIDTH, .in = IN, .bidirectional = true), true); }
TEST(strands_of_gru_have_the_bits_of_all_rows) { compare(situ_gru_layer(WIDTH, .in = IN, .bidirectional = true), false); }
TEST(strands_of_rnn_have_the_bits_of_all_rows) { compare(situ_rnn_layer(WIDTH, .in = IN, .bidirectional = true), false); }
