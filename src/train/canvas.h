/* A small picture of curves in Braille characters: each character cell has 2 by 4 dots and one colour. */
#ifndef SITU_TRAIN_CANVAS_H
#define SITU_TRAIN_CANVAS_H

#include "train/axis.h"

enum { SITU_CANVAS_COLUMNS = 120, SITU_CANVAS_ROWS = 16 };

typedef struct situ_canvas {
    int columns, rows; /* at most the two above */
    uint8_t dots[SITU_CANVAS_ROWS][SITU_CANVAS_COLUMNS];
    uint8_t colour[SITU_CANVAS_ROWS][SITU_CANVAS_COLUMNS]; /* of the curve drawn last in the cell */
} situ_canvas;

void situ_canvas_clear(situ_canvas *canvas, int columns, int rows);
/* Joins the points of a curve by lines, scaled so that the axes span the canvas. */
void situ_canvas_curve(
    situ_canvas *canvas, const situ_chart_axis *x, const situ_chart_axis *y, const situ_series *series, int colour);
/* Writes the UTF-8 text of one cell (3 bytes and a zero); a space where no dot is set. */
void situ_canvas_cell(const situ_canvas *canvas, int row, int column, char text[4]);

#endif
