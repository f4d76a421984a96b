/* Core, networks and files: a network goes to a file and back. */
#include <situ.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) return 1;
    situ_module *net = situ_linear_layer(3), *other = situ_linear_layer(3);
    situ_tensor *x = situ_keep(situ_ones(SHAPE(2, 4)));
    double sum = situ_item(situ_sum(situ_module_call(net, x)));
    if (situ_module_save(net, argv[1]) || situ_module_load(other, argv[1]) < 0) return 2;
    printf("%d\n", situ_item(situ_sum(situ_module_call(other, x))) == sum);
    situ_module_free(net);
    situ_module_free(other);
    return situ_failed() ? 3 : 0;
}
