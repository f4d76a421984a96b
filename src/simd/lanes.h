/* Vector operations that the compiler's vector arithmetic cannot express, written lane by lane, for sets without
 * instructions for them. SITU_OWN_LANES: the including header defines those for which it has instructions. */

#ifndef SITU_OWN_LANES
SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return (v_F)(((v_I)a & m) | ((v_I)b & (v_I)~m)); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return (w_F)(((w_I)a & m) | ((w_I)b & (w_I)~m)); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return v_select(a > b, a, b); }
SITU_WORD w_F w_larger(w_F a, w_F b) { return w_select(a > b, a, b); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return v_select(a < b, a, b); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return w_select(a < b, a, b); }
SITU_WORD v_F v_fma(v_F a, v_F b, v_F c)
{
    for (int i = 0; i < VECTOR_BYTES / 4; i++) a[i] = SITU_FMAF(a[i], b[i], c[i]);
    return a;
}
SITU_WORD v_F v_root(v_F a)
{
    for (int i = 0; i < VECTOR_BYTES / 4; i++) a[i] = __builtin_sqrtf(a[i]);
    return a;
}
SITU_WORD w_F w_root(w_F a)
{
    for (int i = 0; i < VECTOR_BYTES / 8; i++) a[i] = __builtin_sqrt(a[i]);
    return a;
}
SITU_WORD int v_any(v_M m)
{
    int any = 0;
    for (int i = 0; i < VECTOR_BYTES / 4; i++) any |= m[i];
    return any;
}
SITU_WORD int w_any(w_M m)
{
    long any = 0;
    for (int i = 0; i < VECTOR_BYTES / 8; i++) any |= m[i];
    return any != 0;
}
SITU_WORD w_F v_low(v_F a)
{
    w_F v = {0};
    for (int i = 0; i < VECTOR_BYTES / 8; i++) v[i] = a[i];
    return v;
}
SITU_WORD w_F v_high(v_F a)
{
    w_F v = {0};
    for (int i = 0; i < VECTOR_BYTES / 8; i++) v[i] = a[VECTOR_BYTES / 8 + i];
    return v;
}
SITU_WORD v_F v_join(w_F low, w_F high)
{
    v_F v = {0};
    for (int i = 0; i < VECTOR_BYTES / 8; i++) {
        v[i] = (float)low[i];
        v[VECTOR_BYTES / 8 + i] = (float)high[i];
    }
    return v;
}
#endif
SITU_WORD void v_stream(float *p, v_F x) { *(v_loose *)p = x; }
SITU_WORD void v_drain(void) {}
SITU_WORD float one_larger(float a, float b) { return a > b ? a : b; }
SITU_WORD float one_smaller(float a, float b) { return a < b ? a : b; }
typedef v_M v_nans;
#define v_note_nans(found, x, y) ((found) | ((x) != (x)) | ((y) != (y)))
#define v_noted(found) v_any(found)

SITU_WORD v_F v_load_part(const float *p, int n)
{
    v_F x = {p[0]};
    for (int i = 1; i < n; i++) x[i] = p[i];
    return x;
}
SITU_WORD void v_store_part(float *p, v_F x, int n)
{
    for (int i = 0; i < n; i++) p[i] = x[i];
}
