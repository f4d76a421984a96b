/* SHA-256 beside the values of FIPS 180-4's examples, in pieces of every size, with and without the processor's instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "base/sha256.h"
#include "test.h"

static const char *hash_of(const char *data, size_t size, size_t piece)
{
    static char text[SITU_SHA256_TEXT];
    situ_sha256 h;
    situ_sha256_start(&h);
    for (size_t at = 0; at < size; at += piece) situ_sha256_add(&h, data + at, size - at < piece ? size - at : piece);
    situ_sha256_end(&h, text);
    return text;
}

TEST(sha256_has_the_standards_values)
{
    static const struct {
        const char *data, *hash;
    } rows[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    for (int isa = 0; isa < 2; isa++) {
        situ_isa_limit(isa ? SITU_ISA_AMX : SITU_ISA_BASELINE);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (size_t piece = 1; piece < 130; piece++) CHECK(!strcmp(hash_of(rows[i].data, strlen(rows[i].data), piece), rows[i].hash));
        for (size_t piece = 1000; piece < 1000000; piece *= 7)
            CHECK(!strcmp(hash_of(million, 1000000, piece), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    }
    situ_isa_limit(SITU_ISA_AMX);
    free(million);
}
