/* clang's libFuzzer on the reader of GGUF; every tensor of a file that opens is read, and its metadata. See
 * fuzz_idx.c. */
#include <string.h>

#include "file/gguf.h"
#include "fuzz_archive.h"

static volatile unsigned seen; /* makes every byte be read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    situ_archive *a = fuzz_archive(fuzz_bytes(data, size), size);
    fuzz_tensors(a, SITU_F32);
    for (int64_t i = 0; i < situ_archive_metadata_count(a); i++) {
        situ_gguf_items v;
        const char *text = situ_archive_metadata(a, situ_archive_metadata_key(a, i));
        size_t length = strlen(text);
        double number;
        if (!situ_gguf_find(a, situ_archive_metadata_key(a, i), &v)) continue;
        while (situ_gguf_text(&v, &text, &length) || situ_gguf_number(&v, &number))
            for (size_t k = 0; k < length; k++) seen += (unsigned char)text[k];
    }
    situ_archive_close(a);
    situ_error_take(NULL);
    return 0;
}
