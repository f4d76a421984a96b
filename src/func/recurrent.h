/* All steps of a recurrent layer as one operation, which the network layers record. */
#ifndef SITU_FUNC_RECURRENT_H
#define SITU_FUNC_RECURRENT_H

#include <stdbool.h>
#include <stdint.h>

#include <situ/tensor.h>

typedef enum situ_cell { SITU_CELL_TANH, SITU_CELL_RELU, SITU_CELL_GRU, SITU_CELL_LSTM } situ_cell;
typedef struct situ_recurrent_attr {
    int64_t cell, reverse, masked;
    int64_t lone; /* for a gradient: it is the gradient by h only, [time, batch, width] */
} situ_recurrent_attr;

/* Number of gates in a weight; number of states; number of parts in a step's result: h, then an LSTM's c, then gates. */
int situ_cell_gates(situ_cell cell);
int situ_cell_states(situ_cell cell);
int situ_cell_parts(situ_cell cell);
/* All steps. wx [time, batch, gates * width]: products of the inputs with their weights, plus biases; w [gates *
 * width, width]; b [width]: what a GRU adds inside of its reset gate (else zeros of any shape); start [batch, states *
 * width]; kept [time, batch, 1]: 1 within the sequence, 0 after its end, or NULL. Returns [parts, time, batch, width].
 * All have one float dtype, f32 or f64. */
situ_tensor *situ_recurrent(situ_tensor *wx, situ_tensor *w, situ_tensor *b, situ_tensor *start, situ_tensor *kept, situ_cell cell,
    bool reverse, situ_site site);

#endif
