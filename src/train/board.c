#include "train/board.h"
#include "os/env.h"
#include "os/plain.h"

#include "base/error.h"
#include "base/memory.h"
#include "os/process.h"
#include "os/wait.h"
#include "train/canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_BYTES = 1 << 16,
    LABEL_WIDTH = 9, /* columns for the vertical axis with its labels */
    OTHER_LINES = 5, /* title, axis, axis labels, legend, progress */
    BAR_WIDTH = 20,
    COLOURS = 6
};
static const int64_t frame_pause = 100000000; /* least number of nanoseconds between two drawings */

struct situ_board {
    FILE *file;
    char *title, *note;
    double x_limit;
    situ_series *series;
    int64_t *capacity; /* capacity of each series, in points */
    int nseries;
    bool terminal, colours;
    int width, rows; /* width of the terminal, rows of the plot */
    int drawn_lines; /* lines of the last frame, above the cursor */
    int64_t drawn_at;
    situ_canvas canvas;
    char frame[FRAME_BYTES]; /* a whole frame is written at once, so that the terminal does not flicker */
    size_t used;
    int column; /* characters so far in the current line of the frame */
};

/* ---------------------------------------------------------------- collecting points */

situ_board *situ_board_open(FILE *file, const char *title, double x_limit)
{
    situ_board *b = situ_calloc(1, sizeof *b);
    if (b) b->title = situ_strdup(title ? title : "");
    if (!b || !b->title) {
        situ_free(b);
        situ_fail(SITU_NO_MEMORY, NULL, "no memory for a board");
        return NULL;
    }
    b->file = file;
    b->x_limit = situ_point_visible(x_limit, 0) && x_limit > 0 ? x_limit : 0;
    const char *kind = situ_env("TERM"), *plain = situ_env("NO_COLOR");
    b->terminal = file && situ_is_terminal(file) && kind && *kind && strcmp(kind, "dumb");
    b->colours = b->terminal && !(plain && *plain);
    return b;
}

static int no_memory(void) { return situ_fail(SITU_NO_MEMORY, NULL, "no memory for the points of a board"); }

static int find_series(situ_board *b, const char *name)
{
    for (int s = 0; s < b->nseries; s++) {
        if (!strcmp(b->series[s].name, name)) return s;
    }
    situ_series *series = situ_realloc(b->series, (size_t)(b->nseries + 1) * sizeof *series);
    if (series) b->series = series;
    int64_t *capacity = situ_realloc(b->capacity, (size_t)(b->nseries + 1) * sizeof *capacity);
    if (capacity) b->capacity = capacity;
    char *copy = series && capacity ? situ_strdup(name) : NULL;
    if (!copy) return no_memory();
    series[b->nseries] = (situ_series){.name = copy};
    capacity[b->nseries] = 0;
    return b->nseries++;
}

static int grow(situ_series *series, int64_t *capacity)
{
    if (series->count < *capacity) return 0;
    int64_t wider = *capacity ? 2 * *capacity : 64;
    double *x = situ_realloc((void *)series->x, (size_t)wider * sizeof *x);
    if (x) series->x = x;
    double *y = situ_realloc((void *)series->y, (size_t)wider * sizeof *y);
    if (y) series->y = y;
    if (!x || !y) return no_memory();
    *capacity = wider;
    return 0;
}

static void free_series(situ_series *series)
{
    situ_free((void *)series->name);
    situ_free((void *)series->x);
    situ_free((void *)series->y);
}

int situ_board_series(const situ_board *board, const situ_series **out)
{
    if (out) *out = board ? board->series : NULL;
    return board ? board->nseries : 0;
}

void situ_board_cut(situ_board *board, double x)
{
    for (int s = 0; s < board->nseries; s++) {
        situ_series *one = &board->series[s];
        while (one->count && one->x[one->count - 1] > x) one->count--;
    }
}

/* ---------------------------------------------------------------- writing a frame */

static void put_bytes(situ_board *b, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof b->frame - b->used) return;
    memcpy(b->frame + b->used, text, length + 1);
    b->used += length;
}

/* Appends visible text; what does not fit into the line is dropped. */
static void put(situ_board *b, const char *text)
{
    char one[8];
    while (*text) {
        int length = 1;
        one[0] = (unsigned char)*text < 32 || *text == 127 ? ' ' : *text;
        while (length < 6 && (text[length] & 0xc0) == 0x80) one[length] = text[length], length++;
        one[length] = 0;
        text += length;
        if (b->column < b->width) put_bytes(b, one);
        b->column++;
    }
}

static void put_format(situ_board *b, const char *format, ...) SITU_PRINTF(2, 3);
static void put_format(situ_board *b, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    situ_plain_list(text, sizeof text, format, values);
    va_end(values);
    put(b, text);
}

static void put_style(situ_board *b, const char *code)
{
    if (!b->colours) return;
    put_bytes(b, "\033[");
    put_bytes(b, code);
    put_bytes(b, "m");
}

static void put_colour(situ_board *b, int series)
{
    static const char *const codes[COLOURS] = {"34", "31", "32", "35", "33", "36"};
    put_style(b, codes[series % COLOURS]);
}

static void end_line(situ_board *b)
{
    put_bytes(b, "\033[K\n");
    b->column = 0;
    b->drawn_lines++;
}

static void measure_terminal(situ_board *b)
{
    int columns = 80, rows = 24;
    situ_terminal_size(b->file, &columns, &rows);
    b->width = columns - 1; /* one column less: a full last column would wrap on some terminals */
    b->rows = rows - OTHER_LINES - 1;
    b->rows = b->rows > 12 ? 12 : b->rows;
}

static void draw_plot(situ_board *b, const situ_chart_axis *y)
{
    char label[32], cell[4];
    for (int row = 0; row < b->canvas.rows; row++) {
        label[0] = 0;
        for (int i = 0; i < y->ticks && !label[0]; i++) {
            double place = situ_axis_place(y, situ_axis_tick(y, i, label, sizeof label));
            int tick_row = (int)((1 - place) * (b->canvas.rows - 1) + 0.5);
            if (tick_row != row) label[0] = 0;
        }
        put_format(b, "%*.*s %s", LABEL_WIDTH - 2, LABEL_WIDTH - 2, label, label[0] ? "┤" : "│");
        int colour = -1;
        for (int column = 0; column < b->canvas.columns; column++) {
            situ_canvas_cell(&b->canvas, row, column, cell);
            if (cell[0] != ' ' && colour != b->canvas.colour[row][column]) {
                colour = b->canvas.colour[row][column];
                put_colour(b, colour);
            }
            put(b, cell);
        }
        put_style(b, "0");
        end_line(b);
    }
}

static void draw_x_axis(situ_board *b, const situ_chart_axis *x)
{
    put_format(b, "%*s└", LABEL_WIDTH - 1, "");
    for (int column = 0; column < b->canvas.columns; column++) put(b, "─");
    end_line(b);
    char label[32];
    for (int i = 0; i < x->ticks; i++) {
        int column = (int)(situ_axis_place(x, situ_axis_tick(x, i, label, sizeof label)) * (b->canvas.columns - 1));
        int start = LABEL_WIDTH + column - (int)strlen(label) / 2;
        if (start <= b->column && b->column) continue;
        put_format(b, "%*s%s", start - b->column, "", label);
    }
    end_line(b);
}

static void put_values(situ_board *b)
{
    for (int s = 0; s < b->nseries; s++) {
        const situ_series *series = &b->series[s];
        put(b, s ? "   " : "");
        put_colour(b, s);
        if (b->terminal) put(b, "● ");
        put_style(b, "0");
        put_format(b, "%s %.4g", series->name, series->y[series->count - 1]);
    }
}

static void put_progress(situ_board *b)
{
    double reached = 0;
    for (int s = 0; s < b->nseries; s++) reached = fmax(reached, b->series[s].x[b->series[s].count - 1]);
    if (b->x_limit > 0) {
        int full = (int)(BAR_WIDTH * fmin(1, reached / b->x_limit) + 0.5);
        put_format(b, "%*s", LABEL_WIDTH, "");
        for (int i = 0; i < BAR_WIDTH; i++) put(b, i < full ? "█" : "░");
        put(b, "  ");
    }
    put(b, b->note ? b->note : "");
}

static void draw_chart(situ_board *b)
{
    measure_terminal(b);
    double x_range[2], y_range[2];
    situ_series_box(b->nseries, b->series, x_range, y_range);
    if (b->x_limit > 0) x_range[0] = fmin(x_range[0], 0), x_range[1] = fmax(x_range[1], b->x_limit);
    if (y_range[0] > 0 && y_range[0] < y_range[1] / 2) y_range[0] = 0;
    situ_canvas_clear(&b->canvas, b->width - LABEL_WIDTH, b->rows);
    situ_chart_axis x = situ_axis_fit(x_range[0], x_range[1], b->canvas.columns / 12, false);
    situ_chart_axis y = situ_axis_fit(y_range[0], y_range[1], b->canvas.rows / 2, true);
    for (int s = 0; s < b->nseries; s++) situ_canvas_curve(&b->canvas, &x, &y, &b->series[s], s);

    b->used = 0;
    b->column = 0;
    char up[32];
    snprintf(up, sizeof up, "\033[%dA\r", b->drawn_lines);
    if (b->drawn_lines) put_bytes(b, up);
    b->drawn_lines = 0;
    put_format(b, "%*s", LABEL_WIDTH, "");
    put_style(b, "1");
    put(b, b->title);
    put_style(b, "0");
    end_line(b);
    draw_plot(b, &y);
    draw_x_axis(b, &x);
    put_format(b, "%*s", LABEL_WIDTH, "");
    put_values(b);
    end_line(b);
    put_progress(b);
    end_line(b);
    put_bytes(b, "\033[J"); /* clears the rest: the window may have been higher */
    fwrite(b->frame, 1, b->used, b->file);
    fflush(b->file);
    b->drawn_at = situ_now();
}

static void print_line(situ_board *b)
{
    b->used = 0;
    b->column = 0;
    b->width = FRAME_BYTES;
    put(b, b->note ? b->note : "");
    if (b->note && *b->note && b->nseries) put(b, "   ");
    put_values(b);
    put_bytes(b, "\n");
    fwrite(b->frame, 1, b->used, b->file);
    fflush(b->file);
}

/* ---------------------------------------------------------------- interface */

int situ_board_add(situ_board *b, const char *name, double x, double y)
{
    if (!b || !name) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_board_add: %s is NULL", b ? "name" : "board");
    int known = b->nseries, s = find_series(b, name);
    if (s < 0) return s;
    int status = grow(&b->series[s], &b->capacity[s]);
    if (status) {
        if (s == known) free_series(&b->series[--b->nseries]); /* out of memory: removes a series that has no point */
        return status;
    }
    int64_t at = b->series[s].count++;
    ((double *)b->series[s].x)[at] = x;
    ((double *)b->series[s].y)[at] = y;
    if (b->terminal && (!b->drawn_at || situ_now() - b->drawn_at >= frame_pause)) draw_chart(b);
    return 0;
}

int situ_board_note(situ_board *b, const char *text)
{
    if (!b) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_board_note: board is NULL");
    char *copy = text ? situ_strdup(text) : NULL;
    if (text && !copy) return no_memory();
    situ_free(b->note);
    b->note = copy;
    if (b->terminal) draw_chart(b);
    else if (b->file) print_line(b);
    return 0;
}

void situ_board_clear(situ_board *b)
{
    while (b->nseries) free_series(&b->series[--b->nseries]);
}

void situ_board_close(situ_board *b)
{
    if (!b) return;
    if (b->terminal && b->nseries) draw_chart(b); /* also draws the points added since the last frame */
    situ_board_clear(b);
    situ_free(b->series);
    situ_free(b->capacity);
    situ_free(b->note);
    situ_free(b->title);
    situ_free(b);
}
