#include "train/page.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <situ/train.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/counted.h"
#include "file/format.h"
#include "file/gzip.h"
#include "os/embed.h"
#include "os/file.h"
#include "train/json.h"
#include "train/svg.h"

/* The files of src/train/page/ without comments and indentation, packed by scripts/generate.py, which documents the
 * format. */
SITU_EMBED(situ_report_page, "train/page.bin")
extern const uint8_t situ_report_page[];

static const char opening[] = "<script type=\"application/x-situ-run\">\n", closing[] = "</script>\n";

/* Unpacks and writes the page; false: out of memory. */
static bool put_page(FILE *f)
{
    const uint8_t *in = situ_report_page;
    size_t size = in[0] | (size_t)in[1] << 8 | (size_t)in[2] << 16, n = 0;
    char *page = situ_malloc(size + 18);
    if (!page) return false;
    in += 4;
    for (unsigned flags = 1; n < size; flags >>= 1) {
        if (flags == 1) flags = *in++ | 0x100u; /* the bit above the flags tells when all eight are used up */
        if (!(flags & 1)) {
            page[n++] = (char)*in++;
            continue;
        }
        unsigned copy = in[0] | (unsigned)in[1] << 8;
        in += 2;
        for (unsigned k = (copy >> 12) + 3; k--; n++) page[n] = page[n - (copy & 4095)];
    }
    fwrite(page, 1, size, f);
    situ_free(page);
    return true;
}

int situ_page_begin(const char *path)
{
    situ_file file;
    FILE *f = situ_file_begin(&file, path, false);
    if (!f) return errno;
    bool there = put_page(f);
    fputs(opening, f);
    int code = situ_file_end(&file, there);
    return there ? code : ENOMEM;
}

/* ---- several reports in one ------------------------------------------------------------------------------------------ */

/* Copies the runs of a report: the text between an opening tag and the next closing one. Lines that are no JSON
 * objects are dropped, such as the incomplete last line of a killed process. Returns the number of runs. */
static int copy_runs(FILE *out, const char *name, char *text)
{
    situ_source label = {0};
    int runs = 0;
    for (char *at = text; (at = strstr(at, opening)); runs++) {
        at += sizeof opening - 1;
        char *end = strstr(at, closing), *line = at;
        if (!end) end = at + strlen(at);
        fprintf(out, "%s", opening);
        if (strncmp(at, "{\"k\":\"name\"", 11)) { /* a run without a name gets one */
            situ_source_append(&label, "{\"k\":\"name\",\"text\":");
            situ_json_text(&label, name);
            fprintf(out, "%s}\n", label.text ? label.text : "");
            situ_source_drop(&label);
        }
        for (char *next; line < end; line = next) {
            next = memchr(line, '\n', (size_t)(end - line));
            next = next ? next + 1 : end;
            if (*line == '{' && next[-1] == '\n' && next[-2] == '}') fwrite(line, 1, (size_t)(next - line), out);
        }
        fputs(closing, out);
        at = end;
    }
    return runs;
}

static int copy_trace(FILE *out, const char *name, const char *text, size_t size, situ_clock clock)
{
    situ_trace_view t;
    int rc = situ_timeline_read(&t, name, text, size, clock);
    if (!rc) fputs(opening, out);
    if (!rc) rc = situ_timeline_write(&t, out);
    if (!rc) fputs(closing, out);
    situ_timeline_free(&t);
    return rc;
}

static int copy_file(FILE *out, const char *path, situ_clock clock)
{
    void *text = NULL;
    size_t size;
    int rc = situ_read_file(path, &text, &size);
    if (rc) return rc;
    bool whole = strlen(text) == size, trace = whole && ((char *)text)[strspn(text, " \t\r\n")] == '{';
    if (trace) rc = copy_trace(out, path, text, size, clock);
    else if (!whole || !copy_runs(out, path, text))
        rc = situ_fail(SITU_BAD_FORMAT, NULL, "situ_report_join: %s is no report of a training, and no trace", path);
    situ_counted_free(text);
    return rc;
}

int situ_report_join(const char *path, const char *const *reports, int count)
{
    return situ_page_join(path, reports, count, SITU_CLOCK_BEST);
}

int situ_page_join(const char *path, const char *const *reports, int count, situ_clock clock)
{
    SITU_SPEAK_AT("situ_report_join");
    situ_file file;
    if (situ_error_code) return -situ_error_code;
    if (!path || count < 1 || !reports)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_report_join: %s",
            !path         ? "the path is NULL" :
                count < 1 ? "there is no report" :
                            "the reports are NULL");
    FILE *out = situ_file_begin(&file, path, false);
    int rc = 0, code = out ? 0 : errno;
    if (out && !put_page(out)) rc = situ_fail(SITU_NO_MEMORY, NULL, "situ_report_join: out of host memory");
    for (int i = 0; out && i < count && !rc; i++)
        rc = reports[i] ? copy_file(out, reports[i], clock) :
                          situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_report_join: report %d is NULL", i);
    if (out) code = situ_file_end(&file, !rc);
    if (rc) return rc;
    return code ? situ_fail(SITU_IO, NULL, "situ_report_join: cannot write the report %s: %s", path, situ_file_why(code)) : 0;
}

/* ---- timelines ----------------------------------------------------------------------------------------------------------- */

static int draw_picture(const char *path, const char *title, const char *const *traces, int count, situ_clock clock)
{
    situ_trace_view *all = situ_calloc((size_t)count, sizeof *all);
    int rc = all ? 0 : situ_fail(SITU_NO_MEMORY, NULL, "no memory for %d traces", count);
    for (int i = 0; i < count && !rc; i++) rc = situ_timeline_open(&all[i], traces[i], clock);
    if (!rc) rc = situ_svg_timelines(path, title, count, all);
    for (int i = 0; i < count && all; i++) situ_timeline_free(&all[i]);
    situ_free(all);
    return rc;
}

int situ_traces_draw(const char *path, const char *title, const char *const *traces, int count, situ_clock clock)
{
    if (situ_file_ends(path, ".svg")) return draw_picture(path, title, traces, count, clock);
    return situ_page_join(path, traces, count, clock);
}
