/* Vector operations of the type T for which a file (.inc) is included: with NAME(x) defined as f32_##x, LOAD(p) is
 * f32_load(p). */
#define V NAME(vector)
#define ZERO NAME(zero)()
#define LOAD(p) NAME(load)(p)
#define STORE(p, v) NAME(store)(p, v)
#define LOAD_PART(p, n) NAME(load_part)(p, n)
#define STORE_PART(p, v, n) NAME(store_part)(p, v, n)
#define BROADCAST(x) NAME(all)(x)
#define ADD(a, b) NAME(add)(a, b)
#define FMA(a, b, c) NAME(fma)(a, b, c)
