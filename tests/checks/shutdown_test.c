/* One order of first uses (the argument, in base 5), then situ_shutdown(), twice; and all of it three times over. */
#include <situ.h>
#include <stdlib.h>

int main(int arguments, char **argument)
{
    int order = arguments > 1 ? atoi(argument[1]) : 0;
    for (int round = 0; round < 3; round++) {
        situ_tensor *kept = NULL, *variable = NULL;
        for (int i = 0, rest = order; i < 5; i++, rest /= 5) {
            switch (rest % 5) {
            case 0: situ_eval(TENSORS(situ_add(situ_scalar_int(1), 2))); break; /* numbers alone: no device is open yet */
            case 1: if (!kept) kept = situ_keep(situ_exp(situ_ones(SHAPE(2000)))); break; /* still pending at the end */
            case 2: situ_item(situ_sum(situ_ones(SHAPE(3), .device = situ_gpu(0)))); break;
            case 3: if (!variable) variable = situ_variable(situ_mul(situ_ones(SHAPE(4)), 2)); break;
            default: situ_ledger_record(16); break;
            }
        }
        situ_shutdown();
        situ_shutdown();
        situ_release(kept);
        situ_release(variable);
        if (situ_item(situ_sum(situ_mul(situ_ones(SHAPE(4)), 2))) != 8) return 2;
    }
    situ_shutdown();
    return situ_failed();
}
