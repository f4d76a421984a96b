/* A group as a program: which values are the same everywhere, which lie in operands or results already, and in which
 * slots the others go. */
#include "backend/cpu/group.h"

#include "base/memory.h"
#include "op/threefry.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

enum { NOT_READ = -1, AT_END = 1 << 20, SLOT_GAP = 192 /* slots 4 KiB apart would share places in the cache */ };

typedef struct value {
    int alias;         /* the register that holds the same elements; itself if none        */
    int last;          /* the last instruction that reads it, AT_END: a store or the fold   */
    bool uniform;      /* the same at all positions                                         */
    bool raw;          /* a load that is only stored: elements as they are in memory        */
    bool only_raw;     /* so far read by stores of its own dtype only                       */
    int direct;        /* the store that it is computed into, or -1                         */
    uint16_t place;
} value;

typedef struct builder {
    const situ_group *g;
    situ_program *p;
    const situ_tiles *tiles;
    value v[SITU_GROUP_INSTRUCTIONS];
    bool contiguous[SITU_GROUP_LOADS], uniform[SITU_GROUP_LOADS];
    int last_read[SITU_GROUP_LOADS]; /* the instruction after which a load's memory is no longer read */
    int stored[SITU_GROUP_STORES];   /* register                                                       */
    bool spoils[SITU_GROUP_STORES];  /* a store that has a hazard                                      */
    situ_place place[SITU_GROUP_PLACES];
    uint16_t moving[SITU_GROUP_PLACES];
    situ_hazard hazard[SITU_GROUP_HAZARDS];
    situ_gathered gathered[SITU_GROUP_LOADS];
    situ_step prologue[SITU_GROUP_STEPS], body[SITU_GROUP_STEPS];
    uint16_t free[SITU_GROUP_PLACES];
    int nfree;
    int failed;
} builder;

/* ---------------------------------------------------------------- checks */

static int refuse(const char *what)
{
    return situ_fail(SITU_BAD_ARGUMENT, NULL, "a fused group is not well formed: %s; this is an error in the planner", what);
}

static int operands_of(const situ_instruction *in)
{
    if (in->kind == SITU_DO_CAST) return 1;
    return in->kind == SITU_DO_ELEMENT ? situ_el_rows[in->el].arity : 0;
}

static int check_instruction(const situ_group *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    if (in->kind > SITU_DO_CAST || !situ_dtype_valid(in->dtype)) return refuse("an unknown instruction or dtype");
    if (in->kind == SITU_DO_ELEMENT && (in->el >= SITU_EL_COUNT || !situ_dtype_valid(in->from)))
        return refuse("an unknown operation");
    if (in->kind == SITU_DO_CAST && !situ_dtype_valid(in->from)) return refuse("a cast from an unknown dtype");
    if ((in->kind == SITU_DO_LOAD || in->kind == SITU_DO_RANDOM) && in->a >= g->nload) return refuse("no such load");
    if (in->kind == SITU_DO_ARGUMENT && in->a >= g->nword) return refuse("no such argument");
    if (in->kind == SITU_DO_RANDOM && in->dtype != SITU_U32 && in->dtype != SITU_U64)
        return refuse("random bits that are neither u32 nor u64");
    const uint8_t operand[3] = {in->a, in->b, in->c};
    for (int k = 0; k < operands_of(in); k++)
        if (operand[k] >= i) return refuse("an instruction reads a later register");
    return 0;
}

static int check(const situ_group *g)
{
    if (g->ndim < 0 || g->ndim > 8 || g->ninstruction < 1 || g->ninstruction > SITU_GROUP_INSTRUCTIONS ||
        g->nload < 0 || g->nload > SITU_GROUP_LOADS || g->nstore < 0 || g->nstore > SITU_GROUP_STORES)
        return refuse("too many dimensions, instructions, loads or stores");
    int64_t count = situ_shape_count(g->ndim, g->dim);
    if (count < 0) return refuse("its shape");
    for (int i = 0; i < g->nload; i++)
        if (!situ_dtype_valid(g->load[i].dtype)) return refuse("a load of an unknown dtype");
    for (int i = 0; i < g->ninstruction; i++) {
        int status = check_instruction(g, i);
        if (status) return status;
    }
    for (int i = 0; i < g->nstore; i++)
        if (g->store[i].from_register >= g->ninstruction || !situ_dtype_valid(g->store[i].dtype))
            return refuse("a store of an unknown register or dtype");
    if (g->fold < 0) return 0;
    const int64_t arc[3] = {g->A, g->R, g->C};
    if (g->fold >= SITU_FOLDS || g->fold_register >= g->ninstruction || !situ_dtype_valid(g->fold_dtype) ||
        !situ_dtype_valid(g->fold_out) || situ_shape_count(3, arc) != count)
        return refuse("its reduction");
    return 0;
}

/* ---------------------------------------------------------------- analysis */

static void classify_loads(builder *b)
{
    const situ_group *g = b->g;
    for (int i = 0; i < g->nload; i++) {
        situ_gathered *s = &b->p->gathered[i];
        int64_t size = (int64_t)situ_dtype_size(g->load[i].dtype), stride[SITU_MAX_DIMS];
        memcpy(s->dim, g->dim, sizeof s->dim);
        memcpy(stride, g->load[i].stride, sizeof stride);
        s->ndim = situ_collapse(g->ndim, s->dim, 1, stride);
        b->contiguous[i] = s->ndim == 0 || (s->ndim == 1 && stride[0] == 1);
        b->uniform[i] = s->ndim == 1 && stride[0] == 0;
        for (int k = 0; k < s->ndim; k++) s->stride[k] = stride[k] * size;
        b->last_read[i] = NOT_READ;
    }
}

/* The register of an earlier equal load or argument, or of the operand of a cast that changes nothing. */
static int find_alias(const builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    if (in->kind == SITU_DO_CAST && situ_dtype_compute(in->from) == in->dtype) return b->v[in->a].alias;
    if (in->kind != SITU_DO_LOAD && in->kind != SITU_DO_ARGUMENT) return i;
    for (int k = 0; k < i; k++) {
        const situ_instruction *other = &b->g->instruction[k];
        if (other->kind == in->kind && other->a == in->a &&
            (in->kind == SITU_DO_LOAD || (other->b == in->b && other->dtype == in->dtype)))
            return k;
    }
    return i;
}

static uint8_t logical_dtype(const builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    return in->kind == SITU_DO_LOAD ? b->g->load[in->a].dtype : in->dtype;
}

static void find_values(builder *b)
{
    for (int i = 0; i < b->g->ninstruction; i++) {
        const situ_instruction *in = &b->g->instruction[i];
        value *v = &b->v[i];
        const uint8_t operand[3] = {in->a, in->b, in->c};
        *v = (value){.last = NOT_READ, .only_raw = true, .direct = -1};
        v->alias = find_alias(b, i);
        v->uniform = in->kind == SITU_DO_ARGUMENT || (in->kind == SITU_DO_LOAD && b->uniform[in->a]);
        if (in->kind == SITU_DO_ELEMENT || in->kind == SITU_DO_CAST) {
            v->uniform = true;
            for (int k = 0; k < operands_of(in); k++) v->uniform &= b->v[b->v[operand[k]].alias].uniform;
        }
    }
}

static void read_by(builder *b, int r, int reader, bool raw)
{
    value *v = &b->v[b->v[r].alias];
    if (v->last < reader) v->last = reader;
    v->only_raw &= raw;
}

/* A store of a rounding cast's result converts from the cast's operand: the same bits, one conversion. */
static void find_stores(builder *b)
{
    for (int s = 0; s < b->g->nstore; s++) {
        int r = b->v[b->g->store[s].from_register].alias;
        uint8_t dtype = b->g->store[s].dtype;
        const situ_instruction *in = &b->g->instruction[r];
        if (in->kind == SITU_DO_CAST && in->dtype == dtype && situ_dtype_compute(dtype) != dtype) r = b->v[in->a].alias;
        b->stored[s] = r;
        in = &b->g->instruction[r];
        read_by(b, r, AT_END, in->kind == SITU_DO_LOAD && b->g->load[in->a].dtype == dtype && dtype != SITU_BOOL);
    }
}

static void find_readers(builder *b)
{
    find_stores(b);
    if (b->g->fold >= 0) read_by(b, b->g->fold_register, AT_END, false);
    for (int i = b->g->ninstruction - 1; i >= 0; i--) {
        const situ_instruction *in = &b->g->instruction[i];
        const uint8_t operand[3] = {in->a, in->b, in->c};
        if (b->v[i].alias != i || b->v[i].last == NOT_READ) continue;
        for (int k = 0; k < operands_of(in); k++) read_by(b, operand[k], i, false);
        b->v[i].raw = in->kind == SITU_DO_LOAD && b->v[i].only_raw && !b->v[i].uniform;
    }
}

/* ---------------------------------------------------------------- places */

static uint16_t new_place(builder *b, situ_place place)
{
    situ_program *p = b->p;
    if (p->nplace == SITU_GROUP_PLACES) {
        if (!b->failed) b->failed = refuse("too many values");
        return 0;
    }
    if (place.address < 0 || place.store) {
        place.offset = p->slots;
        p->slots += (((size_t)p->width * place.size + 63) & ~(size_t)63) + (p->width == SITU_TILE ? SLOT_GAP : 0);
    }
    if (place.address >= 0) p->moving[p->nmoving++] = (uint16_t)p->nplace;
    p->place[p->nplace] = place;
    return (uint16_t)p->nplace++;
}

static uint16_t new_slot(builder *b, size_t size)
{
    for (int i = b->nfree; i-- > 0;)
        if (b->p->place[b->free[i]].size == size) {
            uint16_t place = b->free[i];
            b->free[i] = b->free[--b->nfree];
            return place;
        }
    return new_place(b, (situ_place){.address = -1, .size = (uint8_t)size});
}

static void free_slot(builder *b, uint16_t place) { b->free[b->nfree++] = place; }

/* Frees the slots of operands that nobody reads after instruction i, those of one size or all (0). Values the same
 * everywhere keep theirs: they are computed once and read by all tiles. */
static void free_operands(builder *b, int i, size_t size)
{
    const situ_instruction *in = &b->g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    for (int k = 0; k < operands_of(in); k++) {
        value *v = &b->v[b->v[operand[k]].alias];
        if (v->last != i || v->uniform || b->p->place[v->place].address >= 0) continue;
        if (size && b->p->place[v->place].size != size) continue;
        v->last = NOT_READ; /* an operand that is there twice is freed once */
        free_slot(b, v->place);
    }
}

static int load_address(const builder *b, int load) { return b->g->nstore + (b->g->fold >= 0) + load; }

static uint8_t held_dtype(const builder *b, int i)
{
    uint8_t dtype = logical_dtype(b, i);
    return b->v[i].raw ? dtype : (uint8_t)situ_dtype_compute(dtype);
}

/* The place of a value that an instruction computes: the memory of a result that it is stored to as it is, else a slot;
 * one of its own where tiles before the instruction must not touch it. */
static uint16_t place_for(builder *b, int i)
{
    uint8_t held = held_dtype(b, i), size = (uint8_t)situ_dtype_size(held);
    if (b->v[i].uniform) return new_place(b, (situ_place){.address = -1, .size = size});
    for (int s = 0; s < b->g->nstore; s++)
        if (b->stored[s] == i && b->g->store[s].dtype == held && b->v[i].direct < 0) {
            b->v[i].direct = s;
            return new_place(b, (situ_place){.address = s, .size = size, .store = (uint8_t)(s + 1)});
        }
    return new_slot(b, size);
}

/* ---------------------------------------------------------------- steps */

static void add_step(builder *b, bool uniform, situ_step s)
{
    situ_program *p = b->p;
    *(uniform ? &p->prologue[p->nprologue++] : &p->body[p->nbody++]) = s;
}

static void add_convert(builder *b, bool uniform, uint8_t from, uint8_t to, uint16_t a, uint16_t out)
{
    situ_convert_fn convert = situ_convert(from, to);
    if (!convert && !b->failed) b->failed = refuse("a conversion that does not exist");
    add_step(b, uniform, (situ_step){.kind = SITU_STEP_CONVERT, .run.convert = convert, .a = a, .out = out});
    if (!uniform) b->p->cost += 2;
}

static void add_copy(builder *b, uint16_t a, uint16_t out, uint8_t dtype, uint8_t store)
{
    add_step(b, false, (situ_step){.kind = SITU_STEP_COPY, .a = a, .out = out, .p = (int64_t)situ_dtype_size(dtype),
                                   .store = store});
}

/* What is read at the end of the program, after results have been written, must not lie in the memory of one. */
static bool spoilt_at_end(const builder *b, int i)
{
    bool folded = b->g->fold >= 0 && b->v[b->g->fold_register].alias == i;
    return b->v[i].last == AT_END && b->g->nstore + folded > 1;
}

static void emit_contiguous_load(builder *b, int i, int load, bool as_it_is)
{
    uint8_t dtype = b->g->load[load].dtype;
    value *v = &b->v[i];
    situ_place in_memory = {.address = load_address(b, load), .size = (uint8_t)situ_dtype_size(dtype)};
    uint16_t place = new_place(b, in_memory);
    if (as_it_is && !spoilt_at_end(b, i)) {
        v->place = place;
        b->last_read[load] = v->last;
        return;
    }
    v->place = place_for(b, i);
    b->last_read[load] = i;
    if (as_it_is) add_copy(b, place, v->place, dtype, 0);
    else add_convert(b, false, dtype, situ_dtype_compute(dtype), place, v->place);
}

static void emit_load(builder *b, int i)
{
    int load = b->g->instruction[i].a, address = load_address(b, load);
    uint8_t dtype = b->g->load[load].dtype, compute = situ_dtype_compute(dtype);
    value *v = &b->v[i];
    /* A borrowed bool may be any byte; a conversion makes it 0 or 1. */
    bool as_it_is = v->raw || (dtype == compute && dtype != SITU_BOOL);
    if (b->uniform[load]) {
        v->place = place_for(b, i);
        add_step(b, true, (situ_step){.kind = SITU_STEP_FILL, .a = (uint16_t)address, .out = v->place, .dtype = compute,
                                      .from = dtype});
        return;
    }
    b->p->cost++;
    if (b->contiguous[load]) {
        emit_contiguous_load(b, i, load, as_it_is);
        return;
    }
    v->place = place_for(b, i);
    uint16_t packed = as_it_is ? v->place : new_slot(b, situ_dtype_size(dtype));
    add_step(b, false, (situ_step){.kind = SITU_STEP_GATHER, .a = (uint16_t)address, .b = (uint16_t)load, .out = packed,
                                   .p = (int64_t)situ_dtype_size(dtype)});
    b->last_read[load] = i;
    b->p->cost += 4;
    if (as_it_is) return;
    add_convert(b, false, dtype, compute, packed, v->place);
    free_slot(b, packed);
}

static void emit_cast(builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    uint8_t from = situ_dtype_compute(in->from), compute = situ_dtype_compute(in->dtype);
    value *v = &b->v[i];
    uint16_t a = b->v[b->v[in->a].alias].place;
    v->place = place_for(b, i);
    if (in->dtype == compute) {
        add_convert(b, v->uniform, from, compute, a, v->place);
        return;
    }
    uint16_t stored = new_slot(b, situ_dtype_size(in->dtype));
    add_convert(b, v->uniform, from, in->dtype, a, stored);
    add_convert(b, v->uniform, in->dtype, compute, stored, v->place);
    free_slot(b, stored);
}

static int cost_of(const situ_instruction *in)
{
    if (in->kind == SITU_DO_RANDOM) return 20;
    if (in->kind == SITU_DO_IOTA) return 4;
    if (in->el == SITU_EL_div || in->el == SITU_EL_sqrt) return 2;
    return situ_el_rows[in->el].kind == SITU_EL_FLOAT ? 8 : 1;
}

static uint8_t scalar_kind(uint16_t el)
{
    switch (el) {
    case SITU_EL_add: return SITU_STEP_ADD;
    case SITU_EL_sub: return SITU_STEP_SUB;
    case SITU_EL_mul: return SITU_STEP_MUL;
    case SITU_EL_div: return SITU_STEP_DIV;
    default: return SITU_STEP_ELEMENT;
    }
}

static void emit_element(builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    value *v = &b->v[i];
    situ_step s = {.kind = SITU_STEP_ELEMENT, .run.element = b->tiles->op[in->el][in->from]};
    uint16_t *place[3] = {&s.a, &s.b, &s.c};
    for (int k = 0; k < operands_of(in); k++) *place[k] = b->v[b->v[operand[k]].alias].place;
    if (!s.run.element && !b->failed)
        b->failed = situ_fail(SITU_UNSUPPORTED, NULL, "%s has no rule for %s on the CPU; cast its operands first",
                              situ_el_rows[in->el].name, situ_dtype_name(in->from));
    free_operands(b, i, situ_dtype_size(held_dtype(b, i))); /* a tile kernel may work in place */
    s.out = v->place = place_for(b, i);
    if (b->p->count == 1 && in->from == SITU_F32) s.kind = scalar_kind(in->el);
    add_step(b, v->uniform, s);
    if (!v->uniform) b->p->cost += cost_of(in);
}

static void emit_generator(builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    situ_step s = {.kind = SITU_STEP_IOTA, .dtype = in->dtype, .p = in->p, .q = in->q};
    if (in->kind == SITU_DO_RANDOM) {
        s.kind = SITU_STEP_RANDOM;
        s.a = (uint16_t)load_address(b, in->a);
    }
    s.out = b->v[i].place = place_for(b, i);
    add_step(b, false, s);
    b->p->cost += cost_of(in);
}

static void emit(builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    value *v = &b->v[i];
    if (v->alias != i || v->last == NOT_READ) return;
    switch (in->kind) {
    case SITU_DO_LOAD: emit_load(b, i); break;
    case SITU_DO_CAST: emit_cast(b, i); break;
    case SITU_DO_ELEMENT: emit_element(b, i); break;
    case SITU_DO_ARGUMENT:
        v->place = place_for(b, i);
        add_step(b, true, (situ_step){.kind = SITU_STEP_ARGUMENT, .a = in->a, .b = in->b, .out = v->place,
                                      .dtype = in->dtype});
        break;
    default: emit_generator(b, i);
    }
    free_operands(b, i, 0);
}

/* A result that is computed in its own memory spoils a load of the same memory that is read later on. */
static void find_hazards(builder *b)
{
    for (int i = 0; i < b->g->ninstruction; i++) {
        if (b->v[i].direct < 0) continue;
        for (int l = 0; l < b->g->nload; l++) {
            if (b->last_read[l] <= i) continue;
            b->p->hazard[b->p->nhazard++] = (situ_hazard){(uint8_t)b->v[i].direct, (uint8_t)load_address(b, l)};
            b->spoils[b->v[i].direct] = true;
        }
    }
}

/* A value that is computed in the result's memory is copied there only where it had to go through a slot. */
static void emit_store(builder *b, int s)
{
    const value *v = &b->v[b->stored[s]];
    uint8_t dtype = b->g->store[s].dtype, held = held_dtype(b, b->stored[s]);
    b->p->cost++;
    if (v->direct == s && !b->spoils[s]) return;
    uint16_t out = new_place(b, (situ_place){.address = s, .size = (uint8_t)situ_dtype_size(dtype)});
    if (held != dtype) add_convert(b, false, held, dtype, v->place, out);
    else add_copy(b, v->place, out, dtype, v->direct == s ? (uint8_t)(s + 1) : 0);
}

/* ---------------------------------------------------------------- reductions and the whole */

static int levels_for(int64_t blocks)
{
    int levels = 1;
    while (levels < 46 && ((int64_t)1 << (levels - 1)) < blocks) levels++;
    return levels + 1;
}

static int build_fold(builder *b)
{
    const situ_group *g = b->g;
    situ_program *p = b->p;
    int r = b->v[g->fold_register].alias;
    uint8_t held = situ_dtype_compute(logical_dtype(b, r)), dtype = situ_dtype_compute(g->fold_dtype);
    p->fold_tile = situ_fold_get((situ_fold)g->fold, dtype);
    p->combine = situ_combine_get((situ_fold)g->fold, dtype);
    p->add_rows = situ_rows_get((situ_fold)g->fold, dtype);
    if (!p->fold_tile || !p->combine || !p->add_rows)
        return situ_fail(SITU_UNSUPPORTED, NULL, "a reduction has no rule for %s on the CPU; cast its operand first",
                         situ_dtype_name(g->fold_dtype));
    p->fold = g->fold;
    p->fold_dtype = dtype;
    p->fold_out = g->fold_out;
    p->fold_size = (uint8_t)situ_dtype_size(dtype);
    p->out_size = (uint8_t)situ_dtype_size(g->fold_out);
    p->fold_convert = g->fold_out == dtype ? NULL : situ_convert(dtype, g->fold_out);
    p->fold_place = b->v[r].place;
    if (held != dtype) {
        p->fold_place = new_slot(b, p->fold_size);
        add_convert(b, false, held, dtype, b->v[r].place, p->fold_place);
    }
    p->A = g->A;
    p->R = g->R;
    p->C = g->C;
    p->cost++;
    return 0;
}

/* Scratch memory behind the slots: accumulators and levels of the tree, or one value per level. */
static void measure(situ_program *p)
{
    p->bytes = (p->slots + 63) & ~(size_t)63;
    if (p->half) p->bytes += (size_t)SITU_GROUP_PAIRED * SITU_TILE * 4;
    if (p->fold < 0) return;
    int64_t block = p->C == 1 ? SITU_FOLD_BLOCK : SITU_FOLD_ROWS;
    p->levels = levels_for(p->R / block + 1);
    p->columns = p->C < SITU_TILE ? (int)p->C : SITU_TILE;
    size_t strip = p->C == 1 ? 16 : (((size_t)p->columns * 8 + 63) & ~(size_t)63) + SLOT_GAP;
    p->bytes += strip * (size_t)(p->levels + 1);
    if (p->C == 1 && p->R <= SITU_GROUP_NARROW) p->bytes += (size_t)3 * SITU_TILE * 8;
    p->partials = p->C == 1 ? SITU_GROUP_PARTIALS * 8 : (size_t)32 * SITU_TILE * 8;
}

/* A copy of one strided operand goes in long pieces, which situ_strided_read can walk in the order of the memory. */
static void find_copy(builder *b)
{
    situ_program *p = b->p;
    if (p->fold >= 0 || p->nprologue || p->nbody < 1 || p->body[0].kind != SITU_STEP_GATHER || b->g->nstore != 1) return;
    const situ_place *out = &p->place[p->body[0].out];
    if (out->address != 0 || p->nbody > 2 || (p->nbody == 2 && !p->body[1].store)) return;
    const situ_gathered *s = &p->gathered[p->body[0].b];
    int64_t last = s->dim[s->ndim - 1], side = 64 / out->size;
    p->copy = true;
    p->copy_unit = last * (s->ndim > 1 ? side : 1);
}

/* JAX's original layout gives two numbers per block, half an array apart: a group that draws all its random bits so
 * is walked from its start and its middle at once. */
static void find_pairs(builder *b)
{
    situ_program *p = b->p;
    int found = 0;
    if (p->fold >= 0 || p->count < 2 * SITU_TILE || p->count >= UINT32_MAX) return;
    for (int i = 0; i < p->nbody; i++) {
        situ_step *s = &p->body[i];
        if (s->kind != SITU_STEP_RANDOM) continue;
        if (s->dtype != SITU_U32 || s->p != SITU_THREEFRY_ORIGINAL || s->q != p->count || found == SITU_GROUP_PAIRED) return;
        s->b = (uint16_t)found++;
    }
    if (found) p->half = p->count - p->count / 2;
}

static void open_builder(builder *b, situ_program *p, const situ_group *g)
{
    b->g = g;
    b->p = p;
    b->tiles = situ_tiles_best();
    p->place = b->place;
    p->moving = b->moving;
    p->hazard = b->hazard;
    p->gathered = b->gathered;
    p->prologue = b->prologue;
    p->body = b->body;
    p->count = situ_shape_count(g->ndim, g->dim);
    p->width = p->count < SITU_TILE ? (int)p->count : SITU_TILE;
    p->fold = -1;
    p->nstore = g->nstore;
}

static int build(builder *b)
{
    const situ_group *g = b->g;
    classify_loads(b);
    find_values(b);
    find_readers(b);
    for (int i = 0; i < g->ninstruction; i++) emit(b, i);
    find_hazards(b);
    for (int s = 0; s < g->nstore; s++) emit_store(b, s);
    int failed = b->failed;
    if (!failed && g->fold >= 0) failed = build_fold(b);
    if (failed || b->failed) return failed ? failed : b->failed;
    find_copy(b);
    find_pairs(b);
    measure(b->p);
    return 0;
}

static void *take(char **at, const void *from, size_t bytes)
{
    void *to = *at;
    memcpy(to, from, bytes);
    *at += (bytes + 7) & ~(size_t)7;
    return to;
}

/* The program in one block of its own. */
static situ_program *finish(const situ_program *p, int loads)
{
    const size_t sizes[] = {sizeof *p, (size_t)(p->nprologue + p->nbody) * sizeof *p->body, (size_t)p->nplace * sizeof *p->place,
                            (size_t)p->nmoving * sizeof *p->moving, (size_t)p->nhazard * sizeof *p->hazard,
                            (size_t)loads * sizeof *p->gathered};
    size_t bytes = 0;
    for (int i = 0; i < 6; i++) bytes += (sizes[i] + 7) & ~(size_t)7;
    char *at = situ_malloc(bytes);
    if (!at) return NULL;
    situ_program *out = take(&at, p, sizeof *p);
    out->prologue = take(&at, p->prologue, (size_t)p->nprologue * sizeof *p->body);
    out->body = take(&at, p->body, (size_t)p->nbody * sizeof *p->body);
    out->place = take(&at, p->place, sizes[2]);
    out->moving = take(&at, p->moving, sizes[3]);
    out->hazard = take(&at, p->hazard, sizes[4]);
    out->gathered = take(&at, p->gathered, sizes[5]);
    out->memory = bytes;
    return out;
}

situ_program *situ_group_compile(const situ_group *g)
{
    if (check(g)) return NULL;
    situ_program p = {0}, *out = NULL;
    builder *b = situ_calloc(1, sizeof *b);
    if (b) {
        open_builder(b, &p, g);
        if (!build(b)) out = finish(&p, g->nload);
    }
    if (!out && (!b || !situ_error_code))
        situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel of %d instructions", g->ninstruction);
    situ_free(b);
    return out;
}
