/* clang's libFuzzer on the reader of texts: the first byte chooses options; whatever the rest, a set that can be read
 * in full and whose tokens give the text back, or an error. See fuzz_idx.c. */
#include <situ/data.h>
#include <string.h>

#include "fuzz_file.h"

/* Tokens of the text, and the text of those: with pairs of bytes all of it, of characters what they are. */
static void there_and_back(const situ_dataset *set, const uint8_t *data, size_t size, bool words)
{
    char *text = malloc(size + 1), *again = malloc(2 * size + 1);
    int32_t *token = malloc((size + 1) * sizeof *token);
    if (!text || !again || !token) abort();
    memcpy(text, data, size);
    text[size] = 0;
    int64_t n = situ_dataset_encode(set, text, token, (int64_t)size);
    if (n < 0 || n > (int64_t)size) abort();
    int64_t bytes = situ_dataset_decode(set, token, n, again, 2 * (int64_t)size);
    if (bytes < 0 || (!words && ((size_t)bytes != strlen(text) || memcmp(text, again, (size_t)bytes)))) abort();
    free(text);
    free(again);
    free(token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const bool pairs = data[0] & 1, words = !pairs && (data[0] & 2);
    const situ_text_dataset_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .pairs = pairs, .words = words,
        .stride = data[0] & 8 ? 1 : 0, .most = pairs ? 257 + (data[0] >> 4) * 8 : 0};
    situ_dataset *set = (situ_text_dataset)(fuzz_bytes(data + 1, size - 1), 1 + (data[0] >> 6), &o, NULL);
    if (!set != (situ_error_take(NULL) != 0)) abort();
    situ_loader *loader = set ? situ_loader_new(set, .batch = 16, .resident = false) : NULL;
    situ_loader_free(loader);
    int64_t bytes = 0;
    for (int i = 0; set && i < situ_dataset_classes(set); i++) bytes += (int64_t)strlen(situ_dataset_token(set, i));
    bool packed = size > 2 && data[1] == 0x1f && data[2] == 0x8b;
    if (set && !packed) there_and_back(set, data + 1, size - 1, words);
    situ_dataset_free(set);
    if (situ_error_take(NULL)) abort();
    return bytes == INT64_MAX;
}
