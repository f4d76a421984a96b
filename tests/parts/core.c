/* The core alone: tensors, gradients, plans, the CPU and simulated devices. */
#include <situ.h>
#include <stdio.h>

int main(void)
{
    situ_tensor *x = situ_variable(situ_linspace(0, 1, 5), .name = "x");
    situ_tensor *y = situ_sum(situ_mul(x, situ_exp(x))), *slope = NULL;
    if (situ_grad(y, TENSORS(x), &slope)) return 1;
    double value = situ_item(y), first = situ_item(situ_select(slope, 0, 0));
    if (situ_num_devices(SITU_GPU) < 2) return 2;
    double there = situ_item(situ_sum(situ_to(slope, situ_gpu(1)))), here = situ_item(situ_sum(slope));
    printf("%.4f %.4f %d\n", value, first, there == here);
    return situ_failed() ? 3 : 0;
}
