/* clang's libFuzzer on the reader of GGUF; every tensor of a file that opens is read, and its metadata. See fuzz_idx.c. */
#include <situ/file.h>
#include <string.h>

#include "file/gguf.h"
#include "fuzz_file.h"

static volatile unsigned seen; /* makes every byte be read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const situ_archive_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .map = size % 2 == 0};
    situ_archive *a = (situ_archive_open)(fuzz_file(data, size), &o, NULL);
    if (!a != (situ_error_take(NULL) != 0)) abort();
    situ_scope *scope = situ_scope_open();
    for (int64_t i = 0; i < situ_archive_count(a) && i < 8; i++) {
        situ_tensor *t = situ_archive_get(a, situ_archive_name(a, i), .dtype = SITU_F32);
        if (!situ_failed()) (situ_wait)(t, NULL);
        situ_error_take(NULL);
    }
    for (int64_t i = 0; i < situ_archive_metadata_count(a); i++) {
        situ_gguf_items v;
        const char *text = situ_archive_metadata(a, situ_archive_metadata_key(a, i));
        size_t length = strlen(text);
        double number;
        if (!situ_gguf_find(a, situ_archive_metadata_key(a, i), &v)) continue;
        while (situ_gguf_text(&v, &text, &length) || situ_gguf_number(&v, &number))
            for (size_t k = 0; k < length; k++) seen += (unsigned char)text[k];
    }
    situ_scope_close(scope);
    situ_archive_close(a);
    situ_error_take(NULL);
    return 0;
}
