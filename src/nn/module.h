/* Modules inside: a tree whose root knows the devices, the key and all parameters in order. */
#ifndef SITU_NN_MODULE_H
#define SITU_NN_MODULE_H

#include <situ/nn.h>

#include "base/handle.h"
#include "op/support.h"

enum {
    SITU_MIRRORS = 32,      /* devices of one network at most */
    SITU_MOST_NESTED = 8000 /* modules in modules: a call of them takes stack */
};

typedef struct situ_parameter {
    situ_module *owner;
    char *name; /* in its module: "weight"                                */
    char *path; /* from the root: "0.weight"                              */
    int index;  /* from the root                                          */
    int64_t id; /* of no other parameter                                  */
    bool made, fixed;
    bool known;       /* its shape, before it is made                           */
    bool declared;    /* the same, with 0 for sizes that the first call tells   */
    situ_shape shape; /* once made or known                                     */
    bool frozen;      /* see situ_module_freeze                               */
    bool untold;      /* made from a file: whether it is fixed, the first call tells */
    int holders;      /* modules that have it: see situ_module_share          */
    uint32_t pass;    /* of numbering: the last one that came here            */
    double bound, value, deviation;
    situ_init how;                   /* another first value than its layer's ...           */
    double gain, mean;               /* ... with these                                     */
    situ_tensor *copy[SITU_MIRRORS]; /* variables, by the root's devices                       */
    const situ_tensor *lent;         /* the one of these that others own and this counts on    */
} situ_parameter;

/* Rows first, first + 1, ... of a batch that a trainer cuts, and how often its step has called the network with them. */
typedef struct situ_share {
    int64_t first, rows, of, step, calls;
} situ_share;

struct situ_module {
    situ_handle handle;
    const situ_module_kind *kind;
    void *self;
    size_t self_size; /* of the library's own kinds */
    situ_module *parent;
    char *name; /* in its parent: "0"                                     */
    char *path; /* from the root: "1.0", "" for the root                  */
    situ_module **child;
    int children;
    bool others; /* not all of them are "0", "1", ... in order             */
    situ_parameter **own;
    int owns;
    int number;            /* among all modules of the root, for keys                */
    int first, total;      /* its part (with its children's) of the root's parameters */
    int height;            /* of the tree below, once at most                        */
    bool training, paused; /* paused: it trains, but for a summary */
    bool foreign;          /* its forward function is the user's                     */
    uint8_t precision;     /* of its products, SITU_F32: none lower; 0: the caller's */
    /* of the root: */
    situ_parameter **all;
    situ_device device[SITU_MIRRORS];
    int devices;                       /* 0: not decided                                         */
    situ_tensor *key;                  /* kept; NULL: key 0                                      */
    situ_tensor *key_on[SITU_MIRRORS]; /* kept copies of it, by device                         */
    int64_t steps;                     /* training calls so far                                  */
    situ_share share;                  /* what calls that do not say it are given; of 0: all     */
    bool numbered;                     /* what is numbered is current: see situ_module_number    */
    bool built;                        /* a call has made the parameters: see situ_first_open    */
};

/* Those parts that train pause, or go on. */
void situ_module_pause(situ_module *m, bool on);
/* The same, m: NULL or a network; other networks that this thread calls meanwhile, out of functions, pause too. */
void situ_module_act(situ_module *m, bool inference);

/* Who watches a call: told where a part begins (it gives a number), and what it gave. */
typedef struct situ_call_watch {
    uint64_t (*begin)(struct situ_call_watch *w, const situ_module *m);
    void (*after)(struct situ_call_watch *w, uint64_t number, situ_tensor *const *out, int results);
} situ_call_watch;

/* The call in progress in this thread. */
typedef struct situ_frame {
    const situ_module *root;
    int64_t first, rows, of, step; /* its input is rows first, first + 1, ... of so many */
    situ_site site;
    struct situ_frame *outer;
    situ_call_watch *watch; /* or NULL */
    int depth;              /* of forward functions that call each other */
    bool met;               /* an error says in which part */
    bool paused;            /* its root does not train until it is closed */
} situ_frame;
/* Set where the next call is to be watched. */
extern __thread situ_call_watch *situ_watch_now;
extern __thread situ_frame *situ_frame_now;

/* A call: its frame is opened, forward functions run, it is closed. x: the first input, or NULL. */
int situ_forward_open(situ_frame *frame, situ_module *net, situ_tensor *x, const situ_module_call_options *options, situ_site site);
void situ_forward_close(const situ_frame *frame);
/* Marks what a network gives, so that it can be read after its variables changed. */
situ_tensor *situ_forward_result(situ_tensor *y);

situ_module *situ_module_root(const situ_module *m);
/* How many parameters m and its parts have; one that several share counts in each. */
int situ_module_owned(const situ_module *m);
/* The place of a device in the root's list, or -1. */
int situ_module_place(const situ_module *root, situ_device d);
/* Until a call of the root has gone well, one thread at a time may be in one (first.c): true, if this is the one; close it then. */
bool situ_first_open(situ_module *root);
void situ_first_close(situ_module *root, situ_site site);
static inline bool situ_built(const situ_module *root) { return __atomic_load_n(&root->built, __ATOMIC_ACQUIRE); }
static inline bool situ_parameter_trains(const situ_parameter *p) { return p->made && !p->fixed && !p->frozen; }
/* Makes p, where no other thread has, with the shape and first values of `wanted`. */
int situ_first_use(situ_parameter *p, const situ_parameter *wanted, situ_site site);
/* Makes parameter p on all devices of the root, by its key. */
int situ_parameter_make(situ_parameter *p, situ_site site);
/* The tree below this root is another one: what is numbered is not current. */
void situ_module_changed(situ_module *root);
/* A parameter of no variable yet, which one module has; NULL with an error. */
situ_parameter *situ_parameter_new(situ_module *owner, const char *name);
/* One module fewer has p; frees it with the last one. */
void situ_parameter_free(situ_parameter *p);
/* Is it fixed? The first call after it was made from a file knows. */
void situ_parameter_told(situ_parameter *p, bool fixed);
/* Its first value again, if it is made. */
int situ_parameter_anew(situ_parameter *p, situ_site site);
/* Gives its variable on the i-th device back. */
void situ_parameter_let_go(situ_parameter *p, int i);
/* Own parameter i will have this shape: it can be made before the first call. */
int situ_module_expect(situ_module *m, int i, situ_shape shape, const situ_module_use_options *options);
/* It will have these sizes, and where there is 0, any: what a file is compared with. m may be NULL. */
void situ_module_sizes(situ_module *m, int i, situ_shape shape);
/* Gives the parts and parameters of m's root their numbers and paths if the tree has changed: before any of them, or `all` or
 * `total`, is read. 0 or a negative code. */
int situ_module_number(const situ_module *m);

/* ---- for bindings, whose trees change (attach.c); 0 or a negative code ------------------------------------------- */

/* Adopts a part that stays the caller's if it fails; a name may have points, "layers.0". */
int situ_module_attach(situ_module *m, const char *name, situ_module *part);
/* Frees the parts behind the first `count` ones, whose adoption is taken back; needs no memory. */
void situ_module_shed(situ_module *m, int count);
/* Makes a part a whole of its own again, with its parameters where they are. */
int situ_module_detach(situ_module *part);
/* A variable of the program becomes a parameter; 1: the network has it already. It is counted on, not owned. */
int situ_module_hold(situ_module *m, const char *name, situ_tensor *variable);
int situ_module_drop(situ_module *m, const char *name);
/* A whole's own parameter i has this variable's value; the variable is the parameter's then. */
int situ_module_give(situ_module *m, int i, situ_tensor *variable);
/* The same for a parameter of a whole that is called by nobody, with a variable on each of its devices. */
void situ_parameter_give(situ_parameter *p, situ_tensor *const *variables, int count);
/* One more parameter of a whole, of any name that it has not: the variable is the parameter's from then on. */
int situ_module_own(situ_module *m, const char *name, situ_tensor *variable);

/* Another key, kept by the root; NULL: key 0. What was made by the one before stays. 0 or a negative code. */
int situ_module_rekey(situ_module *root, situ_tensor *key);
/* The same with one that is kept and computed already, which it takes over. */
void situ_module_take_key(situ_module *root, situ_tensor *kept);
/* The root's key on device i, kept by the root. */
situ_tensor *situ_module_root_key(situ_module *root, int i, situ_site site);
/* "layer 0 (linear)" or "the network (sequential)", in text. */
const char *situ_module_text(const situ_module *m, char *text, size_t size);
/* A module of this kind with a copy of `self` (size bytes, 0: none), which its release frees; NULL with an error. */
situ_module *situ_layer(const situ_module_kind *kind, const void *self, size_t size, situ_site site);
/* The kinds of containers that are called. */
extern const situ_module_kind situ_sequential_kind, situ_residual_kind, situ_parallel_kind;
/* Linear layers, whose first parameter is the weight. Rounded ones have rows of bytes (SITU_Q8_ROWS) as it, which no step changes
 * (quantise.c). */
extern const situ_module_kind situ_linear_kind;
/* One without bias whose whole tells its outputs at the first call. */
situ_module *situ_linear_later(void);
void situ_linear_outputs(situ_module *m, int64_t out);
bool situ_parameter_rounded(const situ_parameter *p);
/* Is it a linear layer's weight that a file's rows of this kind may take the place of? */
bool situ_parameter_takes_rows(const situ_parameter *p, situ_dtype dtype, const situ_shape *shape);
/* The weight that m, a linear layer, has of these rows, variables for the root's devices, which it takes over; NULL with an error.
 * From the second call on it is m's. */
situ_parameter *situ_linear_rows(situ_module *m, situ_tensor *const *rows);
void situ_linear_take_rows(situ_parameter *p);
/* The product of such a layer, in the dtype that it has with a weight of f32. */
situ_tensor *situ_linear_rounded(const situ_module *m, situ_tensor *x, situ_tensor *w, situ_site site);
/* Takes parts over (names NULL: "0", "1", ...) into net, which is freed with an error if one is NULL or ended: then NULL. */
situ_module *situ_with_parts(situ_module *net, const char *const *names, situ_parts parts, const char *function, situ_site site);
/* Declares the names (up to a NULL); frees the module and gives NULL if that fails. */
situ_module *situ_with_parameters(situ_module *m, const char *const *names);
/* m, whose shapes are known; freed if they make no sense (rc is not 0). */
situ_module *situ_expected(situ_module *m, int rc);
/* An error of a layer whose input does not fit: "layer 0 (linear) takes WHAT, not x". Gives the poisoned tensor. */
situ_tensor *situ_refuse_input(const situ_module *m, const situ_tensor *x, const char *what);
/* While training: elements of x (or whole channels) are 0 with probability rate, the others divided by 1 - rate. The mask is that
 * of the whole batch, of which x has some rows: so any cut of the batch gives the same numbers. number: 0, 1, ... where a module
 * drops several times in a call. */
situ_tensor *situ_dropped(situ_module *m, situ_tensor *x, double rate, bool channels, int number);
/* Has it a batch norm with the moments of several ranks' rows? */
bool situ_module_over_ranks(const situ_module *m);
/* Room that the results of m need: as many as its kind names, and SITU_MODULE_MOST at least. */
int situ_module_room(const situ_module *m);
/* How the results of m are shared out: those that a sequence hands on, of so many. */
int situ_handed_on(const situ_module *m, int results);
/* The module of path `name` below m, or NULL. */
situ_module *situ_module_below(situ_module *m, const char *name);

#endif
