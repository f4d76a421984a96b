/* Transposes a tile in vector registers (see convert.h). */
#include "backend/cpu/movement/convert.h"
#include "base/isa.h"
#include "simd/transpose.h"

void SITU_OF_SET(situ_transpose_32)(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream)
{
    enum { LANES = VECTOR_BYTES / 4, SQUARES = 16 / LANES };
    for (int part = 0; part < SQUARES; part++, from += VECTOR_BYTES, to += LANES * to_row) {
        v_F square[SQUARES][LANES];
        for (int s = 0; s < SQUARES; s++) {
            for (int i = 0; i < LANES; i++) square[s][i] = v_load((const float *)(const void *)(from + (s * LANES + i) * from_row));
            v_transpose(square[s]);
        }
        for (int i = 0; i < LANES; i++)
            for (int s = 0; s < SQUARES; s++) {
                float *row = (float *)(void *)(to + i * to_row + s * VECTOR_BYTES);
                if (stream) v_stream(row, square[s][i]);
                else v_store(row, square[s][i]);
            }
    }
}
