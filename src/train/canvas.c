#include "train/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void situ_canvas_clear(situ_canvas *canvas, int columns, int rows)
{
    memset(canvas, 0, sizeof *canvas);
    canvas->columns = columns < 1 ? 1 : columns > SITU_CANVAS_COLUMNS ? SITU_CANVAS_COLUMNS : columns;
    canvas->rows = rows < 1 ? 1 : rows > SITU_CANVAS_ROWS ? SITU_CANVAS_ROWS : rows;
}

/* Sets the dot at column x from the left, row y from the top. */
static void set_dot(situ_canvas *canvas, int x, int y, int colour)
{
    /* The bit that each dot of a cell adds to U+2800, by row and column of the dot. */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= 2 * canvas->columns || y >= 4 * canvas->rows) return;
    canvas->dots[y / 4][x / 2] |= bits[y % 4][x % 2];
    canvas->colour[y / 4][x / 2] = (uint8_t)colour;
}

static void draw_line(situ_canvas *canvas, int x0, int y0, int x1, int y1, int colour)
{
    int dx = abs(x1 - x0), dy = abs(y1 - y0), steps = dx > dy ? dx : dy;
    for (int i = 0; i <= steps; i++) {
        double t = steps ? (double)i / steps : 0;
        set_dot(canvas, (int)lround(x0 + t * (x1 - x0)), (int)lround(y0 + t * (y1 - y0)), colour);
    }
}

static int dot_of(const situ_chart_axis *axis, double value, int dots)
{
    double place = situ_axis_place(axis, value) * (dots - 1);
    return (int)lround(fmin(fmax(place, -1), dots)); /* clamps to just outside of the canvas, so that the value fits into an int */
}

void situ_canvas_curve(
    situ_canvas *canvas, const situ_chart_axis *x, const situ_chart_axis *y, const situ_series *series, int colour)
{
    bool pen_down = false;
    int old_x = 0, old_y = 0, wide = 2 * canvas->columns, high = 4 * canvas->rows;
    for (int64_t i = 0; i < series->count; i++) {
        if (!situ_point_visible(series->x[i], series->y[i])) {
            pen_down = false;
            continue;
        }
        int at_x = dot_of(x, series->x[i], wide), at_y = high - 1 - dot_of(y, series->y[i], high);
        if (pen_down) draw_line(canvas, old_x, old_y, at_x, at_y, colour);
        else set_dot(canvas, at_x, at_y, colour);
        old_x = at_x, old_y = at_y, pen_down = true;
    }
}

void situ_canvas_cell(const situ_canvas *canvas, int row, int column, char text[4])
{
    unsigned code = 0x2800u + canvas->dots[row][column];
    if (code == 0x2800u) {
        memcpy(text, " ", 2);
        return;
    }
    text[0] = (char)(0xe0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3f));
    text[2] = (char)(0x80 | (code & 0x3f));
    text[3] = 0;
}
