/* Tensors as text: how many digits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "test.h"

static void check_text(situ_tensor *t, const char *expected)
{
    char *text = situ_text(t);
    if (CHECK(text != NULL)) CHECK_STR(text, expected);
    free(text);
}

/* What NumPy and JAX print for the same elements. */
TEST_IN_SCOPE(as_few_digits_as_give_the_element_again)
{
    const float f32[] = {0.57450044f, 0.09968603f, 0.7419659f, 0.1f, 1e-7f, 100.5f, 3, -0.0f};
    const double f64[] = {0.1, 1.0 / 3, 186e-3};
    situ_tensor *x = situ_from_host(f32, SHAPE(8)), *y = situ_from_host(f64, SHAPE(3), .dtype = SITU_F64);
    CHECK_EQ(situ_set_print_digits(8), 0);
    check_text(x, "[0.57450044, 0.09968603, 0.7419659, 0.1, 1e-07, 100.5, 3., -0.] f32[8] @cpu(0)");
    check_text(y, "[0.1, 0.33333333, 0.186] f64[3] @cpu(0)");
    check_text(situ_cast(situ_slice(x, .stop = SHAPE(2)), SITU_F16), "[0.5747, 0.0997] f16[2] @cpu(0)");
    check_text(situ_cast(situ_slice(x, .stop = SHAPE(1)), SITU_C64), "[0.57450044+0.j] c64[1] @cpu(0)");
    CHECK_EQ(situ_set_print_digits(17), 0);
    check_text(y, "[0.1, 0.3333333333333333, 0.186] f64[3] @cpu(0)");
    CHECK_EQ(situ_set_print_digits(0), 0);
    check_text(situ_slice(x, .stop = SHAPE(2)), "[0.5745, 0.099686] f32[2] @cpu(0)");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_set_print_digits(18));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_set_print_digits(-1));
}
