/* What `situ diff` reads of the programs that it runs: lines through two pipes, split anywhere, and files of elements.
 * The first byte says how the bytes are cut into pieces, the second which of them go to which side. */
#include "../../cli/diff.c"
#include "fuzz_file.h"

/* The command's own parts that diff.c refers to. */
int cli_next_option(const cli_command *c, int argc, char **argv, const char **value, int *rest)
{
    (void)c, (void)argc, (void)argv, (void)value, (void)rest;
    return -2;
}

static void look_at(const result *r, const uint8_t *data, size_t size)
{
    static char left[1 << 12], right[1 << 12];
    if (r->bytes > (long long)sizeof left) return;
    for (size_t i = 0; i < sizeof left; i++) {
        left[i] = size ? (char)data[i % size] : 0;
        right[i] = size ? (char)data[(i * 7 + 1) % size] : 1;
    }
    print_elements(left, right, r);
    print_result("side", r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    static side s[2];
    if (!nowhere) stdout = nowhere = fopen("/dev/null", "w");
    if (size < 2) return 0;
    uint8_t cut = data[0], whose = data[1];
    data += 2, size -= 2;
    for (int i = 0; i < 2; i++) s[i].title = i ? "right" : "left", s[i].used = 0, s[i].ahead = 0, s[i].results = 0, s[i].ended = false;
    bool open[2] = {true, true}, differ = false;
    result found[2];
    for (size_t at = 0, turn = 0; at < size && !differ; turn++) {
        size_t piece = 1 + (cut * (turn + 1)) % 97;
        int ends[2], which = whose >> turn % 8 & 1;
        if (piece > size - at) piece = size - at;
        if (pipe(ends) || write(ends[1], data + at, piece) != (ssize_t)piece) abort();
        close(ends[1]);
        s[which].pipe = ends[0];
        differ = take(s, which, NULL, found, &open[which]);
        close(ends[0]);
        at += piece;
    }
    for (int i = 0; i < 2 && differ; i++) look_at(&found[i], data, size);
    if (differ && (found[0].bytes < 0 || strlen(found[0].name) >= sizeof found[0].name)) abort();
    for (int i = 0; i < 2; i++) end(&s[i]);
    char *loaded = load(fuzz_file(data, size), size ? data[0] : 0);
    free(loaded);
    return 0;
}
