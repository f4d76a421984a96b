/* A live board: curves that grow in the terminal while something trains.
 *
 *     situ_board *board = situ_board_open(stderr, "digits", 10);
 *     situ_board_add(board, "train loss", epoch, loss);
 *     situ_board_note(board, "epoch 3 of 10");
 *     situ_board_close(board);
 *
 * On a terminal the chart is drawn in place, in colour unless NO_COLOR is set. Anywhere else (a pipe, a file,
 * TERM=dumb) each note is one plain line with the latest value of every curve. */
#ifndef SITU_TRAIN_BOARD_H
#define SITU_TRAIN_BOARD_H

#include "train/axis.h"

#include <stdio.h>

typedef struct situ_board situ_board;

/* Opens a board that prints to file, or only collects points if file is NULL. The horizontal axis reaches x_limit from
 * the start, or grows if that is 0. NULL and an error if there is no memory. */
situ_board *situ_board_open(FILE *file, const char *title, double x_limit);

/* Appends a point to the curve with that name, which is created if there is none. Returns 0 or a negative code. */
int situ_board_add(situ_board *board, const char *name, double x, double y);

/* Shows the progress, usually once an epoch; text may be NULL. Returns 0 or a negative code. */
int situ_board_note(situ_board *board, const char *text);

/* Removes all curves. */
void situ_board_clear(situ_board *board);

/* Removes the points beyond x. */
void situ_board_cut(situ_board *board, double x);

/* The curves so far, for situ_svg_curves; they live until the next call with this board. Returns how many. */
int situ_board_series(const situ_board *board, const situ_series **out);

/* Frees the board and leaves its last drawing on the screen; NULL is fine. */
void situ_board_close(situ_board *board);

#endif
