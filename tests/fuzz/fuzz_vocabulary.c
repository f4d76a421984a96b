/* clang's libFuzzer on the reader of vocabularies: a set that is written and read again with the same tokens, or an
 * error. See fuzz_idx.c. */
#include <situ/data.h>
#include <string.h>

#include "fuzz_file.h"

static const char *another_file(void)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) fd = memfd_create("again", 0);
    if (fd < 0 || ftruncate(fd, 0)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    situ_dataset *set = situ_vocabulary_dataset(fuzz_bytes(data, size));
    if (!set != (situ_error_take(NULL) != 0)) abort();
    if (!set) return 0;
    const char *path = another_file();
    if (situ_dataset_save_vocabulary(set, path)) abort();
    situ_dataset *again = situ_vocabulary_dataset(path);
    if (!again || situ_dataset_classes(again) != situ_dataset_classes(set)) abort();
    for (int i = 0; i < situ_dataset_classes(set); i++)
        if (strcmp(situ_dataset_token(set, i), situ_dataset_token(again, i))) abort();
    int32_t a[8], b[8];
    int64_t n = situ_dataset_encode(set, "low slow low", a, 8), m = situ_dataset_encode(again, "low slow low", b, 8);
    if (n != m || (n > 0 && memcmp(a, b, sizeof *a * (size_t)(n < 8 ? n : 8)))) abort();
    situ_error_take(NULL);
    situ_dataset_free(again);
    situ_dataset_free(set);
    return 0;
}
