/* clang's libFuzzer on tokenizers: the input is a file of them; where it opens, its own bytes are encoded and decoded.
 * See fuzz_idx.c. */
#include <situ/file.h>
#include <situ/text.h>
#include <string.h>

#include "fuzz_file.h"

static void round_trip(const situ_tokenizer *t, const uint8_t *data, size_t size)
{
    static int32_t token[1 << 13];
    static char text[1 << 16];
    int64_t n = size < sizeof token / sizeof *token / 4 ? (int64_t)size : 1 << 11;
    for (int special = 0; special < 2; special++) {
        situ_tensor *x = situ_tokenizer_encode(t, (const char *)data, .bytes = n, .special = special, .frame = special);
        int64_t count = situ_failed() ? 0 : situ_count(x);
        if (count > 4 * n + 8) abort();
        if (count && (size_t)count <= sizeof token / sizeof *token) {
            (situ_read)(x, token, (size_t)count * 4, NULL);
            situ_tokenizer_decode(t, token, count, text, sizeof text);
        }
        situ_error_take(NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_tokenizer_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .lower = size % 2 == 0};
    situ_tokenizer *t = (situ_tokenizer_open)(fuzz_bytes(data, size), &o, NULL);
    if (!t != (situ_error_take(NULL) != 0)) abort();
    situ_scope *scope = situ_scope_open();
    if (t) round_trip(t, data, size);
    situ_scope_close(scope);
    situ_tokenizer_close(t);
    situ_error_take(NULL);
    return 0;
}
