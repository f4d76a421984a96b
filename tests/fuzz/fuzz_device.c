/* A device's name: a device, or an error. */
#include "fuzz_file.h"

#include <situ/device.h>
#include <situ/error.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    situ_device device;
    int status = situ_device_parse(text, &device);
    if (status && situ_error_take(NULL) != -status) abort();
    free(text);
    return 0;
}
