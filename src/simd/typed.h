/* Words of the type that T and NAME(x) stand for where a text (.inc) is included for each: LOAD(p) is f32_load(p) where NAME(x) is
 * f32_##x. */
#define V NAME(vector)
#define ZERO NAME(zero)()
#define LOAD(p) NAME(load)(p)
#define STORE(p, v) NAME(store)(p, v)
#define LOAD_PART(p, n) NAME(load_part)(p, n)
#define STORE_PART(p, v, n) NAME(store_part)(p, v, n)
#define BROADCAST(x) NAME(all)(x)
#define ADD(a, b) NAME(add)(a, b)
#define FMA(a, b, c) NAME(fma)(a, b, c)
