/* The judge: random programs on the public interface, run in many ways, beside an interpreter in plain C.
 *
 *     program p;
 *     generate(&p, seed);                 // statements, from the seed alone
 *     judge_program(&p, seed);            // runs it; says where it differs
 *
 * It shares nothing with the library but its public headers: what a dtype, an operation, a rounding is, is written here
 * once more. A statement makes one value, whose number is the statement's.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <situ.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rng.h"

enum { MOST_STATEMENTS = 96, MOST_IN = 6, MOST_RANK = 6, MOST_ELEMENTS = 1 << 20 };

/* ---- values ---- */

/* What the interpreter says of a statement. */
typedef enum status {
    FINE = 0,
    REFUSED = 1, /* an error at the call                                                       */
    LATE = 2,    /* an error that shows while computing: whoever reads it gets it              */
    OPEN = 3     /* not known: what the library says when asked at once is what it has to stay */
} status;

typedef struct value {
    situ_dtype dtype;
    int ndim;
    int64_t dim[SITU_MAX_DIMS], count;
    status status;
    bool unknown;         /* the interpreter knows dtype and shape alone                              */
    unsigned char *bits;  /* as situ_read gives them                                                   */
    double *slack;        /* how far each element may be off; NULL: not at all                         */
} value;

/* A number that stands for a tensor. */
typedef struct number {
    int kind; /* 0 bool, 1 integer, 2 float */
    int64_t i;
    double f;
} number;

/* ---- programs ---- */

typedef struct statement {
    int16_t row;              /* of the table of operations                       */
    int16_t nin;
    int16_t in[MOST_IN];      /* values, or -1 - k for number k                    */
    number number[3];
    int64_t attr[24];         /* what the row makes of it: axes, shapes, positions */
    double real[2];
    situ_dtype dtype;
    int device;               /* slot 0 or 1: the way says which devices they are  */
    uint64_t seed;            /* of its data                                       */
    bool off;                 /* left out (while a program is made smaller)        */
} statement;

typedef struct program {
    uint64_t seed;
    int count;
    bool two_devices, grads;
    statement s[MOST_STATEMENTS];
    int nresults;
    int result[6];            /* values that are read at the end                   */
} program;

/* ---- memory of one run ---- */

typedef struct arena {
    struct block *first, *now;
} arena;
void *take(arena *a, size_t bytes);
void arena_reset(arena *a);
void arena_free(arena *a);

/* ---- the interpreter ---- */

typedef struct machine {
    arena *memory;
    value value[MOST_STATEMENTS];
    const struct machine *known; /* the same program before: its values hold where the operands are the same bits */
    bool same[MOST_STATEMENTS];
    bool has_late; /* a late error happened: what shares a plan with it may fail as well */
    bool gave_up;      /* a value would have been larger than any that a program keeps */
    jmp_buf too_large;
} machine;

/* Operands, as a row's function sees them. */
typedef struct call {
    machine *m;
    const statement *s;
    value in[MOST_IN];
    bool is_number[MOST_IN];
    value *out;
} call;

void interpret_start(machine *m, arena *memory);
/* Computes value i; of what is off, or reads what is off, it is refused. */
void interpret(machine *m, const program *p, int i);
bool reads_signs(const statement *s);
/* Does the statement's value show which NaN an operand is? */
bool reads_sign_of_nan(const statement *s, const machine *m);

/* ---- the table ---- */

typedef enum group {
    G_LEAF, G_ELEMENT, G_REDUCE, G_MOVE, G_INDEX, G_PRODUCT, G_NETWORK, G_FUNCTION, G_RANDOM, G_STATE, G_GRADIENT, G_LINALG, G_FFT
} group;

typedef struct maker maker;
typedef struct row {
    const char *name; /* "add": situ_add                                            */
    group group;
    int kind, arity, variant;
    double ulp;       /* of an elementwise function; 0: exact                       */
    bool (*make)(maker *g, statement *s);   /* fills the statement in; false: not here     */
    void (*interpret)(call *c);
    situ_tensor *(*record)(const statement *s, situ_tensor **in, situ_site site);
    void *function;   /* the function of the library, where a group calls all alike  */
    int weight;
    /* What the value of statement i, `got`, has to be like, where the interpreter has none to compare; false: `what`
     * it is not. */
    bool (*check)(const program *p, struct machine *m, int i, const value *got, char *what, size_t size);
} row;
extern const row rows[];
extern const int row_count;
int row_named(const char *name);
/* How many variables get another value by the statement: its first operands; as many values follow. */
int assigned_by(const statement *s);

/* Kinds of elementwise operations: what they take. */
enum kind { K_FLOAT, K_NUMBER, K_ROUND, K_INTEGER, K_BITS, K_LOGIC, K_COMPARE, K_EQUAL, K_PREDICATE, K_SELECT, K_BITCAST };

/* ---- generating ---- */

struct maker {
    rng r;
    program *p;
    machine m;
    int depth;                       /* of open scopes                       */
    int depth_of[MOST_STATEMENTS];   /* of each value; -1: nobody may use it */
    bool is_variable[MOST_STATEMENTS];
    int64_t most;                    /* elements of a value                  */
    bool late;                       /* indices may be out of range           */
    int focus;                       /* a value that is picked first; -1: none */
    int64_t domain[SITU_MAX_DIMS];   /* what the program's shapes broadcast to */
    int domain_rank;
};
/* The interpreter's values of p stay as long as `memory` and until the next call. */
const machine *generate(program *p, uint64_t seed, arena *memory);
/* Operands and a call of cli/samples.def. */
extern const int sample_count;
const machine *generate_sample(program *p, int sample, uint64_t seed, arena *memory);
/* A value that may be used, of a dtype in the set (a bit each; 0: any) and of at least so many axes, on device slot d
 * (-1: any); -1: none. */
int pick(maker *g, unsigned dtypes, int least_rank, int device);
bool usable(const maker *g, int i);
number random_number(maker *g, situ_dtype beside);
int64_t random_size(maker *g);

/* ---- checks ---- */

#define CHECK_ROW(name) bool check_##name(const program *p, machine *m, int i, const value *got, char *what, size_t size)
CHECK_ROW(gradient);
/* May value i be the one that it was made of (kept, real, cast to its dtype)? Then that one's other uses are its own. */
bool may_be_its_operand(const program *p, const machine *m, int i);
/* Of gradients at corners, limits and NaN. */
bool edges_hold(const program *p, const machine *m, int i, const value *g, char *what, size_t size);
CHECK_ROW(matrix);


/* ---- dtypes ---- */

enum { ANY_BOOL = 1u << SITU_BOOL, ANY_UNSIGNED = 0x1eu, ANY_SIGNED = 0x1e0u, ANY_INTEGER = 0x1feu, ANY_FLOAT = 0x1e00u,
       ANY_COMPLEX = 0x6000u, ANY_REAL = 0x1fffu, ANY_NUMBER = 0x1ffeu, WIDE_FLOAT = 0x1800u };
size_t size_of(situ_dtype d);
bool is_integer(situ_dtype d);
bool is_signed(situ_dtype d);
bool is_float(situ_dtype d);
bool is_complex(situ_dtype d);
situ_dtype part_of(situ_dtype d); /* of complex: its parts' */
int rank_of(situ_dtype d); /* bool 0, integer 1, float 2, complex 3 */
situ_dtype promote(situ_dtype a, situ_dtype b);
/* Element i: as a double (integers rounded), as 64 bits (sign- or zero-extended). */
double get_f(const value *v, int64_t i);
uint64_t get_u(const value *v, int64_t i);
void get_c(const value *v, int64_t i, double z[2]);
void set_f(value *v, int64_t i, double x); /* rounds to the float dtype once                      */
void set_u(value *v, int64_t i, uint64_t x); /* wraps to the integer dtype                          */
void set_c(value *v, int64_t i, const double z[2]);
void copy_element(value *to, int64_t i, const value *from, int64_t k);
bool is_nan_at(const value *v, int64_t i);
/* Element `from` of v as dtype of out (situ_cast's rules). */
void cast_element(value *out, int64_t i, const value *v, int64_t from);
double ulp_of(situ_dtype d, double x);
/* Before: any -1, 0, 1 of real elements with NaN last. */
int compare_elements(const value *v, int64_t a, int64_t b);

/* ---- making values ---- */

int64_t count_of(int ndim, const int64_t *dim);
void shape_out(call *c, situ_dtype d, int ndim, const int64_t *dim); /* status FINE, memory for count elements */
void with_slack(call *c);
void refuse(call *c);
/* Only compared between the ways. */
void leave_open(call *c);
value cast_value(call *c, const value *v, situ_dtype d);
int axis_of(int64_t axis, int ndim); /* -1 if it is none */
void strides_of(const value *v, int64_t *stride);

/* ---- running ---- */

typedef enum way {
    W_EAGER, W_LAZY, W_UNFUSED, W_SOME, W_GPU, W_GPU_EAGER, W_TWO, W_OPENCL, W_FAIL, W_TIGHT, W_TWICE, W_COUNT
} way;
extern const char *const way_names[W_COUNT];

typedef struct observed {
    int statement;
    bool final;
    int code; /* of the error, 0: none */
    value v;
} observed;
typedef struct outcome {
    way way;
    int count;
    observed seen[MOST_STATEMENTS * 2 + 8];
    int call_code[MOST_STATEMENTS]; /* error at the call */
    int errors;                     /* how often something was an error */
    bool lost;                      /* something needed what was overwritten */
    bool hurt;                      /* a failure was injected that may show anywhere */
} outcome;

/* Runs p in this way; m has the values of its leaves. */
void run(const program *p, const machine *m, way w, outcome *o, arena *memory);
/* Runs eagerly beside the interpreter; fills m with the library's values. False: differs, `what` says how. */
bool run_checked(const program *p, machine *m, arena *memory, char *what, size_t size, int *where);

bool same_bits(const value *a, const value *b, int64_t *at);
bool near_bits(const value *a, const value *b, int64_t *at);
extern bool on_a_card; /* gpu(0) is one, none is simulated */
bool within(const value *want, const value *got, char *what, size_t size);
void describe(const value *v, int64_t i, char *text, size_t size);
uint64_t digest_value(uint64_t h, const value *v);

/* ---- the verdict ---- */

typedef struct verdict {
    bool differs;
    way way;
    int where;        /* statement */
    char what[600];
} verdict;
/* All of the ways in `ways` (a bit each); known (may be NULL) has values of the same program. */
verdict judge_program(const program *p, const machine *known, unsigned ways);
/* A hash of what is seen when it runs lazily; known has the values of its leaves. */
uint64_t digest_program(const program *p, const machine *known);
void shrink(program *p, verdict *v);
void show(FILE *file, const program *p, const verdict *v);
/* With the library's values and a hash of each: to compare by hand with another environment. */
void show_library(FILE *file, const program *p);

#endif
