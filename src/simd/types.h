/* Native vectors, VECTOR_BYTES long: v_ of 32-bit and w_ of 64-bit elements; and those of their operations that the
 * compiler's vector arithmetic expresses. */
#ifndef SITU_SIMD_TYPES_H
#define SITU_SIMD_TYPES_H

#define SITU_VECTOR(T) T __attribute__((vector_size(VECTOR_BYTES)))
typedef SITU_VECTOR(float v_F);
typedef SITU_VECTOR(int v_I);
typedef SITU_VECTOR(unsigned v_U);
typedef SITU_VECTOR(int v_M); /* lanes 0 or -1 */
typedef SITU_VECTOR(double w_F);
typedef SITU_VECTOR(int64_t w_I);
typedef SITU_VECTOR(uint64_t w_U);
typedef SITU_VECTOR(int64_t w_M);
typedef float v_loose __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef double w_loose __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

SITU_WORD v_F v_constant(float x) { return x - (v_F){0}; } /* keeps -0 */
SITU_WORD w_F w_constant(double x) { return x - (w_F){0}; }
SITU_WORD v_F v_infinity(void) { return v_constant(__builtin_inff()); }
SITU_WORD w_F w_infinity(void) { return w_constant(__builtin_inf()); }
SITU_WORD v_F v_not_a_number(void) { return v_constant(__builtin_nanf("")); }
SITU_WORD w_F w_not_a_number(void) { return w_constant(__builtin_nan("")); }
SITU_WORD v_U v_bits(v_F x) { return (v_U)x; }
SITU_WORD w_U w_bits(w_F x) { return (w_U)x; }
SITU_WORD v_F v_from_bits(v_U x) { return (v_F)x; }
SITU_WORD w_F w_from_bits(w_U x) { return (w_F)x; }
SITU_WORD w_F w_load(const double *p) { return *(const w_loose *)p; }
SITU_WORD void w_store(double *p, w_F x) { *(w_loose *)p = x; }
SITU_WORD v_F v_load(const float *p) { return *(const v_loose *)p; }
SITU_WORD void v_store(float *p, v_F x) { *(v_loose *)p = x; }

#endif
