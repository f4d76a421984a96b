/* Modules inside: a tree whose root holds the devices, the key and the list of all parameters. */
#ifndef SITU_NN_MODULE_H
#define SITU_NN_MODULE_H

#include <situ/nn.h>

#include "base/handle.h"
#include "op/support.h"

enum {
    SITU_MIRRORS = 32,      /* largest number of devices of one network */
    SITU_MOST_NESTED = 8000 /* largest depth of the tree, because a call uses stack for each level */
};

typedef struct situ_parameter {
    situ_module *owner;
    char *name; /* within its module: "weight" */
    char *path; /* from the root: "0.weight" */
    int index;  /* index among the root's parameters */
    int64_t id; /* unique in the process */
    bool made, fixed;
    bool known;       /* the shape is known before the parameter exists */
    bool declared;    /* the same, with 0 for sizes that only the first call tells */
    situ_shape shape; /* valid once made or known */
    bool frozen;      /* see situ_module_freeze                               */
    bool untold;      /* made from a file: only the first call tells whether it is fixed */
    int holders;      /* number of modules that share it: see situ_module_share */
    uint32_t pass;    /* the last numbering pass that visited it */
    double bound, value, deviation;
    situ_init how;                   /* an initializer that replaces the layer's ... */
    double gain, mean;               /* ... with these arguments */
    situ_tensor *copy[SITU_MIRRORS]; /* its variables, one for each device of the root */
    const situ_tensor *lent;         /* the one of these variables that belongs to the program */
} situ_parameter;

/* A trainer's part of a batch: rows first, first + 1, ..., and how often its step has called the network with them. */
typedef struct situ_share {
    int64_t first, rows, of, step, calls;
} situ_share;

struct situ_module {
    situ_handle handle;
    const situ_module_kind *kind;
    void *self;
    size_t self_size; /* bytes of self, for the library's own kinds */
    situ_module *parent;
    char *name; /* name in its parent: "0" */
    char *path; /* path from the root: "1.0", "" for the root */
    situ_module **child;
    int children;
    bool others; /* some child names are not "0", "1", ... in order */
    situ_parameter **own;
    int owns;
    int number;            /* index among all modules of the root, used for keys */
    int first, total;      /* index of its first parameter in the root's list, and number of them, with its children's */
    int height;            /* height of the tree below it, an upper bound */
    bool training, paused; /* paused: in training mode, but not for the moment (a summary) */
    bool foreign;          /* the forward function is a user's */
    bool invariant;        /* calls are batch-invariant; else that is the caller's choice */
    uint8_t precision;     /* precision of its products; SITU_F32: full; 0: the caller's */
    /* only in the root: */
    situ_parameter **all;
    situ_device device[SITU_MIRRORS];
    int devices;                       /* 0: not known yet */
    situ_tensor *key;                  /* kept; NULL: key 0 */
    situ_tensor *key_on[SITU_MIRRORS]; /* copies of it on each device, kept */
    int64_t steps;                     /* number of training calls */
    situ_share share;                  /* the part of a batch for calls without their own; of 0: whole batches */
    bool numbered;                     /* the numbering is current: see situ_module_number */
    bool built;                        /* a call has created the parameters: see situ_first_open */
};

/* Pauses the training mode of modules in it, or ends the pause. */
void situ_module_pause(situ_module *m, bool on);
/* The same for a call; m: NULL or a network. Other networks that this thread calls meanwhile are paused, too. */
void situ_module_act(situ_module *m, bool inference);

/* Observer of a call: it is called before each module (and returns a number) and after it, with the results. */
typedef struct situ_call_watch {
    uint64_t (*begin)(struct situ_call_watch *w, const situ_module *m);
    void (*after)(struct situ_call_watch *w, uint64_t number, situ_tensor *const *out, int results);
} situ_call_watch;

/* The call in progress in this thread. */
typedef struct situ_frame {
    const situ_module *root;
    int64_t first, rows, of, step; /* its input is rows first, first + 1, ... of `of` rows; step: number of the training call */
    situ_site site;
    struct situ_frame *outer;
    situ_call_watch *watch; /* observer, or NULL */
    int place;              /* index of its input's device among the root's */
    int givens;             /* a call as a pure function: values of the root's parameters by index, which ... */
    situ_tensor **given;    /* ... stand for its variables; NULL: the variables count */
    int depth;              /* nesting depth of forward functions */
    bool met;               /* the pending error already names its module */
    bool paused;            /* the root's training mode is paused until the frame is closed */
} situ_frame;
/* The observer for the next call. */
extern __thread situ_call_watch *situ_watch_now;
extern __thread situ_frame *situ_frame_now;

/* The policies of a thread for what m records: sets m's own, and returns those before, for situ_policies_end. */
typedef struct situ_policies {
    uint8_t precision;
    bool invariant;
} situ_policies;
static inline situ_policies situ_policies_begin(const situ_module *m)
{
    situ_policies before = {situ_thread_state.precision, situ_thread_state.invariant};
    if (m->precision) situ_thread_state.precision = m->precision == SITU_F32 ? 0 : m->precision;
    situ_thread_state.invariant |= m->invariant;
    return before;
}
static inline void situ_policies_end(situ_policies before)
{
    situ_thread_state.precision = before.precision;
    situ_thread_state.invariant = before.invariant;
}
/* The three stages of a call: open its frame, run forward functions, close it. x: the first input, or NULL. */
int situ_forward_open(situ_frame *frame, situ_module *net, situ_tensor *x, const situ_module_call_options *options, situ_site site);
void situ_forward_close(const situ_frame *frame);
/* Marks a result of a network so that it can be read even after the network's variables have changed. */
situ_tensor *situ_forward_result(situ_tensor *y);

situ_module *situ_module_root(const situ_module *m);
/* Number of parameters of m and its children; a shared one counts in each module. */
int situ_module_owned(const situ_module *m);
/* Index of a device in the root's list, or -1. */
int situ_module_place(const situ_module *root, situ_device d);
/* Until a call of the root has succeeded, only one thread at a time may be in a call (first.c). True: this thread is,
 * and has to close it. */
bool situ_first_open(situ_module *root);
void situ_first_close(situ_module *root, situ_site site);
static inline bool situ_built(const situ_module *root) { return __atomic_load_n(&root->built, __ATOMIC_ACQUIRE); }
static inline bool situ_parameter_trains(const situ_parameter *p) { return p->made && !p->fixed && !p->frozen; }
/* Creates p with the shape and initial values of `wanted`, unless another thread has done so. */
int situ_first_use(situ_parameter *p, const situ_parameter *wanted, situ_site site);
/* Creates parameter p on all devices of the root, by its key. */
int situ_parameter_make(situ_parameter *p, situ_site site);
/* Marks the numbering as outdated, after a change of the tree below this root. */
void situ_module_changed(situ_module *root);
/* A parameter without variables, held by one module; NULL with an error. */
situ_parameter *situ_parameter_new(situ_module *owner, const char *name);
/* Removes one holder of p; the last one frees it. */
void situ_parameter_free(situ_parameter *p);
/* Records, at the first call after loading, whether the parameter is fixed. */
void situ_parameter_told(situ_parameter *p, bool fixed);
/* Resets it to its initial value, if it exists. */
int situ_parameter_anew(situ_parameter *p, situ_site site);
/* Releases its variable on device i. */
void situ_parameter_let_go(situ_parameter *p, int i);
/* Declares the shape of m's own parameter i, so that it can be created before the first call. */
int situ_module_expect(situ_module *m, int i, situ_shape shape, const situ_module_use_options *options);
/* Declares its sizes, with 0 for unknown ones, for comparison with a file. m may be NULL. */
void situ_module_sizes(situ_module *m, int i, situ_shape shape);
/* Numbers the modules and parameters of m's root and sets their paths, if the tree has changed. To be called before an
 * index, a path, `all` or `total` is read. 0 or a negative code. */
int situ_module_number(const situ_module *m);

/* ---- for bindings, which change trees (attach.c); 0 or a negative code -------------------------------------------- */

/* Adopts a part, which stays the caller's on an error; its name may be a path, "layers.0". */
int situ_module_attach(situ_module *m, const char *name, situ_module *part);
/* Frees the children after the first `count` ones, to undo their adoption; allocates nothing. */
void situ_module_shed(situ_module *m, int count);
/* Makes a part a network of its own again; its parameters keep their devices. */
int situ_module_detach(situ_module *part);
/* Makes a variable of the program a parameter; 1: the network has it already. It is referenced, not owned. */
int situ_module_hold(situ_module *m, const char *name, situ_tensor *variable);
int situ_module_drop(situ_module *m, const char *name);
/* Sets own parameter i of a root to this variable, which the parameter then owns. */
int situ_module_give(situ_module *m, int i, situ_tensor *variable);
/* The same for a parameter of a root that no thread calls, with one variable for each device. */
void situ_parameter_give(situ_parameter *p, situ_tensor *const *variables, int count);
/* Adds a parameter with a new name to a root; it owns the variable from then on. */
int situ_module_own(situ_module *m, const char *name, situ_tensor *variable);

/* Sets the root's key (kept by the root); NULL: key 0. Parameters that exist do not change. 0 or a negative code. */
int situ_module_rekey(situ_module *root, situ_tensor *key);
/* The same with a key that is kept and computed already; takes ownership. */
void situ_module_take_key(situ_module *root, situ_tensor *kept);
/* The root's key on device i; the root owns it. */
situ_tensor *situ_module_root_key(situ_module *root, int i, situ_site site);
/* Writes "layer 0 (linear)" or "the network (sequential)" into text. */
const char *situ_module_text(const situ_module *m, char *text, size_t size);
/* A module of this kind with a copy of `self` (size bytes, 0: none), freed with it; NULL with an error. */
situ_module *situ_layer(const situ_module_kind *kind, const void *self, size_t size, situ_site site);
/* The kinds of callable containers. */
extern const situ_module_kind situ_sequential_kind, situ_residual_kind, situ_parallel_kind;
/* Linear layers: the first parameter is the weight. In quantised ones it is rows of bytes (SITU_Q8_ROWS), which no
 * step changes (quantise.c). */
extern const situ_module_kind situ_linear_kind;
/* A linear layer without bias whose output size the containing module tells at the first call. */
situ_module *situ_linear_later(void);
void situ_linear_outputs(situ_module *m, int64_t out);
bool situ_parameter_rounded(const situ_parameter *p);
/* Can quantised rows of a file replace this parameter, the weight of a linear layer? */
bool situ_parameter_takes_rows(const situ_parameter *p, situ_dtype dtype, const situ_shape *shape);
/* Makes quantised rows (one variable for each device of the root; takes ownership) the weight of m, a linear layer.
 * NULL with an error. A second call installs it. */
situ_parameter *situ_linear_rows(situ_module *m, situ_tensor *const *rows);
void situ_linear_take_rows(situ_parameter *p);
/* The product of a quantised linear layer, in the dtype that it would have with a weight of f32. */
situ_tensor *situ_linear_rounded(const situ_module *m, situ_tensor *x, situ_tensor *w, situ_site site);
/* Adds parts (names NULL: "0", "1", ...) to net and takes ownership. If one is NULL or invalid, frees all with an
 * error and returns NULL. */
situ_module *situ_with_parts(situ_module *net, const char *const *names, situ_parts parts, const char *function, situ_site site);
/* Declares parameters with these names (ended by NULL); on an error frees the module and returns NULL. */
situ_module *situ_with_parameters(situ_module *m, const char *const *names);
/* Returns m; frees it if its shapes are invalid (rc is not 0). */
situ_module *situ_expected(situ_module *m, int rc);
/* Raises the error "layer 0 (linear) takes WHAT, not x", and returns the poisoned tensor. */
situ_tensor *situ_refuse_input(const situ_module *m, const situ_tensor *x, const char *what);
/* Dropout while training: elements of x (or whole channels) are 0 with probability rate, the others are divided by 1 -
 * rate. The mask is that of the whole batch, so any cut of the batch gives the same numbers. number: 0, 1, ... if a
 * module drops several times in a call. */
situ_tensor *situ_dropped(situ_module *m, situ_tensor *x, double rate, bool channels, int number);
/* Does it contain a batch norm with moments over the rows of several ranks? */
bool situ_module_over_ranks(const situ_module *m);
/* Capacity needed for the results of m: the number that its kind names, at least SITU_MODULE_MOST. */
int situ_module_room(const situ_module *m);
/* How many of m's results a sequence passes to the next module. */
int situ_handed_on(const situ_module *m, int results);
/* The module with path `name` below m, or NULL. */
situ_module *situ_module_below(situ_module *m, const char *name);

#endif
