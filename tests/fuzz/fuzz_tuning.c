/* A tuning file: a kernel or none for any product. The machine's own line is put before the bytes, so that they are
 * read; they are read as a whole file as well. */
#include "backend/cpu/gemm/tuning.h"
#include "fuzz_file.h"

#include <string.h>

static void read_as_tuning(const uint8_t *data, size_t size)
{
    situ_tuning_use(fuzz_file(data, size));
    for (int type = 0; type < 2; type++)
        if (situ_tuning_find(type, 256, 784, 256) < -1 || situ_tuning_find(type, 1, INT64_MAX, 1) < -1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char machine[512];
    situ_tuning_machine(machine, sizeof machine);
    char *text = malloc(size + 600);
    if (!text) abort();
    int n = snprintf(text, 600, "situ tuning 1\nmachine %s\n", machine);
    if (size) memcpy(text + n, data, size);
    read_as_tuning((const uint8_t *)text, (size_t)n + size);
    read_as_tuning(data, size);
    free(text);
    return 0;
}
