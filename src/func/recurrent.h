/* A recurrent layer's steps as one operation: what the network layers record. */
#ifndef SITU_FUNC_RECURRENT_H
#define SITU_FUNC_RECURRENT_H

#include <stdbool.h>
#include <stdint.h>

#include <situ/tensor.h>

typedef enum situ_cell { SITU_CELL_TANH, SITU_CELL_RELU, SITU_CELL_GRU, SITU_CELL_LSTM } situ_cell;
typedef struct situ_recurrent_attr {
    int64_t cell, reverse, masked;
    int64_t lone; /* of a gradient: it is by h alone, [time, batch, width] */
} situ_recurrent_attr;

/* Parts of a step's gates in a weight; of states; of what a step leaves: h, then an LSTM's c, then gates. */
int situ_cell_gates(situ_cell cell);
int situ_cell_states(situ_cell cell);
int situ_cell_parts(situ_cell cell);
/* All steps: wx [time, batch, gates width], the products of the inputs with their weights, and biases; w [gates width, width]; b
 * [width], what a GRU adds within its reset gate (else zeros of any shape); start [batch, states width]; kept [time, batch, 1],
 * 1 where
 * there is an input and 0 behind its end, or NULL. Gives [parts, time, batch, width]. All of one float dtype, f32 or f64. */
situ_tensor *situ_recurrent(situ_tensor *wx, situ_tensor *w, situ_tensor *b, situ_tensor *start, situ_tensor *kept, situ_cell cell,
    bool reverse, situ_site site);

#endif
