/* clang's libFuzzer on traces: what is drawn of them lies in the picture. See fuzz_idx.c. */
#include <math.h>
#include <situ/error.h>

#include "fuzz_file.h"
#include "train/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++) text[i] = (char)(data[i] ? data[i] : ' ');
    text[size] = 0;
    situ_trace_view t;
    int rc = situ_timeline_read(&t, "fuzz", text, size, size % 2 ? SITU_CLOCK_BEST : SITU_CLOCK_HERE);
    if (!rc != !situ_error_take(NULL) || (!rc && (t.bars < 1 || t.lanes < 1))) abort();
    for (int i = 0; i < t.bars; i++) {
        const situ_timeline_bar *b = &t.bar[i];
        if (!(b->from >= 0 && b->to >= b->from) || b->lane < 0 || b->lane >= t.lanes || !b->name) abort();
        if (i && b->lane < b[-1].lane) abort();
    }
    situ_timeline_waits waits[4];
    if (situ_timeline_waited(&t, waits, 4) > 4) abort();
    situ_timeline_free(&t);
    free(text);
    return 0;
}
