/* A small picture of curves in Braille characters: each character cell has 2 by 4 dots and one colour. */
#ifndef SITU_TRAIN_CANVAS_H
#define SITU_TRAIN_CANVAS_H

#include "train/axis.h"

enum { SITU_CANVAS_COLUMNS = 120, SITU_CANVAS_ROWS = 16 };

typedef struct situ_canvas {
    int columns, rows; /* size in cells, at most the two constants above */
    uint8_t dots[SITU_CANVAS_ROWS][SITU_CANVAS_COLUMNS];
    uint8_t colour[SITU_CANVAS_ROWS][SITU_CANVAS_COLUMNS]; /* colour of the curve that was drawn last in each cell */
} situ_canvas;

void situ_canvas_clear(situ_canvas *canvas, int columns, int rows);
/* Draws lines between the points of a curve, scaled so that the axes span the canvas. */
void situ_canvas_curve(
    situ_canvas *canvas, const situ_chart_axis *x, const situ_chart_axis *y, const situ_series *series, int colour);
/* Writes one cell as UTF-8 (3 bytes and a zero), or a space if no dot is set. */
void situ_canvas_cell(const situ_canvas *canvas, int row, int column, char text[4]);

#endif
