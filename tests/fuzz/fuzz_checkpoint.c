/* clang's libFuzzer on the reader of checkpoints: what is refused changes nothing that is seen by the next step, what
 * is taken can be trained with. See fuzz_idx.c. */
#include <situ.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const float rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(2));
    situ_optimizer *opt = situ_adam(net);
    situ_dataset *set = situ_tensor_dataset(TENSORS(situ_from_host(rows, SHAPE(4, 2)), situ_from_host(rows, SHAPE(4, 2))));
    situ_loader *loader = situ_loader_new(set, .batch = 2);
    int rc = situ_checkpoint_load(fuzz_bytes(data, size), net, opt, loader);
    if ((rc != 0) != (situ_error_take(NULL) != 0)) abort();
    if (!rc) situ_loader_next(loader);
    situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, situ_ones(SHAPE(1, 2))))));
    (situ_wait)(situ_module_parameter(net, 0), NULL);
    situ_error_take(NULL);
    situ_loader_free(loader);
    situ_dataset_free(set);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_scope_close(scope);
    situ_error_take(NULL);
    return 0;
}
