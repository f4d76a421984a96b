/* Assigns locations and emits steps: which values are in operands or results already, which slots the others use, and
 * how each value is computed. */
#include "backend/cpu/interpreter/builder.h"

#include "tensor/dtype.h"

enum {
    SLOT_GAP = 192,          /* slots 4 KiB apart would map to the same cache sets */
    PANEL_BYTES = 256 << 10, /* a part of the second-level cache */
    LEAST_ROWS = 4,
    LEAST_COLUMNS = 64
};

/* ---------------------------------------------------------------- locations */

uint16_t situ_fused_place(situ_builder *b, situ_tile_place place)
{
    situ_program *p = b->p;
    if (p->nplace == SITU_FUSED_PLACES) {
        if (!b->failed) b->failed = situ_refuse_group("too many values");
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

uint16_t situ_fused_slot(situ_builder *b, size_t size)
{
    for (int i = b->nfree; i-- > 0;)
        if (b->p->place[b->free[i]].size == size) {
            uint16_t place = b->free[i];
            b->free[i] = b->free[--b->nfree];
            return place;
        }
    return situ_fused_place(b, (situ_tile_place){.address = -1, .size = (uint8_t)size});
}

static void free_slot(situ_builder *b, uint16_t place) { b->free[b->nfree++] = place; }

/* Frees the slots of operands whose last reader is instruction i, those of one element size or all (0). Constant
 * values keep their slots: they are computed once and read by all tiles. */
static void free_operands(situ_builder *b, int i, size_t size)
{
    const situ_instruction *in = &b->g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    for (int k = 0; k < situ_operands_of(in); k++) {
        situ_value *v = &b->v[b->v[operand[k]].alias];
        if (v->last != i || v->uniform || v->spread || b->p->place[v->place].address >= 0) continue;
        if (size && b->p->place[v->place].size != size) continue;
        v->last = SITU_NOT_READ; /* so that an operand used twice is freed once */
        free_slot(b, v->place);
    }
}

static int load_address(const situ_builder *b, int load) { return b->g->nstore + (b->g->reduction >= 0) + load; }

static uint8_t held_dtype(const situ_builder *b, int i)
{
    uint8_t dtype = situ_logical_dtype(b, i);
    return b->v[i].raw ? dtype : situ_held_in(b, dtype);
}

/* The location of a value that an instruction computes: the memory of a result that stores it unchanged, else a slot;
 * an unshared one if tiles before the instruction must not touch it. */
static uint16_t place_for(situ_builder *b, int i)
{
    uint8_t held = held_dtype(b, i), size = (uint8_t)situ_dtype_size(held);
    if (b->v[i].uniform) return situ_fused_place(b, (situ_tile_place){.address = -1, .size = size});
    for (int s = 0; s < b->g->nstore; s++)
        if (b->stored[s] == i && b->g->store[s].dtype == held && b->v[i].direct < 0) {
            b->v[i].direct = s;
            return situ_fused_place(b, (situ_tile_place){.address = s, .size = size, .store = (uint8_t)(s + 1)});
        }
    return situ_fused_slot(b, size);
}

/* ---------------------------------------------------------------- steps */

static void add_step(situ_builder *b, bool uniform, situ_tile_step s)
{
    situ_program *p = b->p;
    *(uniform ? &p->prologue[p->nprologue++] : &p->body[p->nbody++]) = s;
}

void situ_fused_emit_convert(situ_builder *b, bool uniform, uint8_t from, uint8_t to, uint16_t a, uint16_t out)
{
    situ_convert_fn convert = situ_convert(from, to);
    if (!convert && !b->failed) b->failed = situ_refuse_group("a conversion that does not exist");
    add_step(b, uniform,
        (situ_tile_step){.kind = SITU_TILE_STEP_CONVERT, .run.convert = convert, .a = a, .out = out, .from = from, .dtype = to});
    if (!uniform) b->p->cost += 2;
}

static void add_copy(situ_builder *b, uint16_t a, uint16_t out, uint8_t dtype, uint8_t store)
{
    add_step(b, false,
        (situ_tile_step){.kind = SITU_TILE_STEP_COPY, .a = a, .out = out, .p = (int64_t)situ_dtype_size(dtype), .store = store});
}

/* True if a value that is read at the end of the program, after results are written, would be in a result's memory. */
static bool spoilt_at_end(const situ_builder *b, int i)
{
    bool reduced = b->g->reduction >= 0 && b->v[b->g->reduce_register].alias == i;
    return b->v[i].last == SITU_AT_END && b->g->nstore + reduced > 1;
}

static void emit_contiguous_load(situ_builder *b, int i, int load, bool as_it_is)
{
    uint8_t dtype = b->g->load[load].dtype;
    situ_value *v = &b->v[i];
    situ_tile_place in_memory = {.address = load_address(b, load), .size = (uint8_t)situ_dtype_size(dtype)};
    if (b->rowwise[load]) in_memory.load = (uint8_t)(load + 1);
    uint16_t place = situ_fused_place(b, in_memory);
    if (as_it_is && !spoilt_at_end(b, i)) {
        v->place = place;
        b->last_read[load] = v->last;
        return;
    }
    v->place = place_for(b, i);
    b->last_read[load] = i;
    if (as_it_is) add_copy(b, place, v->place, dtype, 0);
    else situ_fused_emit_convert(b, false, dtype, situ_held_in(b, dtype), place, v->place);
}

/* Emits a value that is constant along a row. Its slot is not shared, since only a block of it may be filled. */
static void emit_spread(situ_builder *b, int i, int load)
{
    uint8_t dtype = b->g->load[load].dtype, compute = situ_held_in(b, dtype);
    situ_value *v = &b->v[i];
    v->spread = true;
    v->place = situ_fused_place(b, (situ_tile_place){.address = -1, .size = (uint8_t)situ_dtype_size(compute)});
    add_step(b, false,
        (situ_tile_step){.kind = SITU_TILE_STEP_SPREAD,
            .a = (uint16_t)load_address(b, load),
            .b = (uint16_t)load,
            .out = v->place,
            .dtype = compute,
            .from = dtype,
            .q = 1});
    b->last_read[load] = i;
}

/* Number of rows in a panel of a transposed operand: the elements of a column in a cache line, if they fit. */
static int64_t panel_rows(const situ_builder *b, int load, int64_t size)
{
    const situ_gathered *s = &b->p->gathered[load];
    int last = s->ndim - 1, axis = situ_strided_axis(size, s->ndim, s->dim, s->stride);
    bool one_after_the_other = b->g->reduction < 0 || b->g->C == 1, there = !b->neighbours || b->neighbours->ahead >> load & 1;
    if (axis < 0 || axis != last - 1 || !one_after_the_other || !there) return 0;
    int64_t rows = SITU_LINE / size, most = PANEL_BYTES / (s->dim[last] * size);
    if (rows > most) rows = most;
    if (rows > s->dim[last - 1]) rows = s->dim[last - 1];
    return rows >= LEAST_ROWS && s->dim[last] >= LEAST_COLUMNS ? rows : 0;
}

/* Gathers a strided operand. Gathered tile by tile, each cache line would be loaded several times. */
static void emit_gather(situ_builder *b, int load, uint16_t out, int64_t size)
{
    situ_tile_step s = {.kind = SITU_TILE_STEP_GATHER,
        .a = (uint16_t)load_address(b, load),
        .b = (uint16_t)load,
        .out = out,
        .p = size,
        .q = panel_rows(b, load, size)};
    if (s.q) {
        const situ_gathered *g = &b->p->gathered[load];
        s.c = situ_fused_place(b, (situ_tile_place){.address = -1, .size = 1});
        b->p->slots += (size_t)(SITU_LINE + s.q * g->dim[g->ndim - 1] * size + SITU_LINE - 1) & ~(size_t)(SITU_LINE - 1);
        b->p->panels = true;
    }
    add_step(b, false, s);
}

static void emit_load(situ_builder *b, int i)
{
    int load = b->g->instruction[i].a, address = load_address(b, load);
    uint8_t dtype = b->g->load[load].dtype, compute = situ_held_in(b, dtype);
    situ_value *v = &b->v[i];
    /* A bool in user memory may be any byte; a conversion makes it 0 or 1. */
    bool as_it_is = v->raw || (dtype == compute && dtype != SITU_BOOL);
    if (b->uniform[load]) {
        v->place = place_for(b, i);
        add_step(b, true,
            (situ_tile_step){
                .kind = SITU_TILE_STEP_FILL, .a = (uint16_t)address, .out = v->place, .dtype = compute, .from = dtype});
        return;
    }
    b->p->cost++;
    const situ_gathered *strided = &b->p->gathered[load];
    bool same = b->rowwise[load] && !strided->stride[strided->ndim - 1];
    if (same && (!v->raw || dtype == SITU_BOOL)) {
        emit_spread(b, i, load);
        return;
    }
    if (b->contiguous[load] || (b->rowwise[load] && !same)) {
        emit_contiguous_load(b, i, load, as_it_is);
        return;
    }
    v->place = place_for(b, i);
    uint16_t packed = as_it_is ? v->place : situ_fused_slot(b, situ_dtype_size(dtype));
    emit_gather(b, load, packed, (int64_t)situ_dtype_size(dtype));
    b->last_read[load] = i;
    b->p->cost += 4;
    if (as_it_is) return;
    situ_fused_emit_convert(b, false, dtype, compute, packed, v->place);
    free_slot(b, packed);
}

static void emit_cast(situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    uint8_t from = situ_held_in(b, in->from), compute = situ_held_in(b, in->dtype);
    situ_value *v = &b->v[i];
    uint16_t a = b->v[b->v[in->a].alias].place;
    v->place = place_for(b, i);
    if (in->dtype == compute) {
        situ_fused_emit_convert(b, v->uniform, from, compute, a, v->place);
        return;
    }
    if (from == SITU_F32 && situ_dtype_is_float((situ_dtype)in->dtype)) { /* f16 or bf16 */
        add_step(b, v->uniform,
            (situ_tile_step){.kind = SITU_TILE_STEP_CONVERT,
                .run.convert = situ_rounding((situ_dtype)in->dtype),
                .a = a,
                .out = v->place,
                .from = SITU_F32,
                .dtype = in->dtype});
        return;
    }
    uint16_t stored = situ_fused_slot(b, situ_dtype_size(in->dtype));
    situ_fused_emit_convert(b, v->uniform, from, in->dtype, a, stored);
    situ_fused_emit_convert(b, v->uniform, in->dtype, compute, stored, v->place);
    free_slot(b, stored);
}

static int cost_of(const situ_instruction *in)
{
    if (in->kind == SITU_DO_RANDOM) return 20;
    if (in->kind == SITU_DO_IOTA) return 4;
    if (in->el == SITU_EL_div || in->el == SITU_EL_sqrt || in->el == SITU_EL_pow_half) return 2;
    return situ_el_rows[in->el].kind == SITU_EL_FLOAT ? 8 : 1;
}

static uint8_t scalar_kind(uint16_t el)
{
    switch (el) {
    case SITU_EL_add: return SITU_TILE_STEP_ADD;
    case SITU_EL_sub: return SITU_TILE_STEP_SUB;
    case SITU_EL_mul: return SITU_TILE_STEP_MUL;
    case SITU_EL_div: return SITU_TILE_STEP_DIV;
    default: return SITU_TILE_STEP_ELEMENT;
    }
}

/* The kernel of an instruction. Bitwise operations on bools need logical ones, since any nonzero byte may be true. */
static situ_tile_fn kernel_of(const situ_builder *b, const situ_instruction *in)
{
    _Static_assert(SITU_EL_bitwise_invert - SITU_EL_bitwise_and == SITU_EL_logical_not - SITU_EL_logical_and, "rows in one order");
    bool truths = in->from == SITU_BOOL && situ_el_rows[in->el].kind == SITU_EL_BITS;
    return b->tiles->op[in->el - truths * (SITU_EL_bitwise_and - SITU_EL_logical_and)][in->from];
}

static void emit_element(situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    const uint8_t operand[3] = {in->a, in->b, in->c};
    situ_value *v = &b->v[i];
    situ_tile_step s = {.kind = SITU_TILE_STEP_ELEMENT, .run.element = kernel_of(b, in), .dtype = in->from, .p = in->el};
    uint16_t *place[3] = {&s.a, &s.b, &s.c};
    for (int k = 0; k < situ_operands_of(in); k++) *place[k] = b->v[b->v[operand[k]].alias].place;
    if (b->narrow != SITU_BOOL && in->from != SITU_BOOL) {
        s.run.element = situ_tile_narrow(b->tiles, in->el, b->narrow);
        s.dtype = b->narrow; /* no chain can take it */
        uint16_t a = s.a;
        if (situ_tile_turns(in->el)) s.a = s.b, s.b = a;
        if (in->el == SITU_EL_square) s.b = a;
    }
    if (!s.run.element && !b->failed)
        b->failed = situ_fail(SITU_UNSUPPORTED, NULL, "%s has no rule for %s on the CPU; cast its operands first",
            situ_el_rows[in->el].name, situ_dtype_name(in->from));
    free_operands(b, i, situ_dtype_size(held_dtype(b, i))); /* a tile kernel may work in place */
    s.out = v->place = place_for(b, i);
    if (b->p->count == 1 && in->from == SITU_F32) s.kind = scalar_kind(in->el);
    add_step(b, v->uniform, s);
    if (!v->uniform) b->p->cost += cost_of(in);
}

static void emit_generator(situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    situ_tile_step s = {.kind = SITU_TILE_STEP_IOTA, .dtype = in->dtype, .p = in->p, .q = in->q};
    if (in->kind == SITU_DO_RANDOM) {
        s.kind = SITU_TILE_STEP_RANDOM;
        s.a = (uint16_t)load_address(b, in->a);
    }
    s.out = b->v[i].place = place_for(b, i);
    add_step(b, false, s);
    b->p->cost += cost_of(in);
}

static void emit(situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    situ_value *v = &b->v[i];
    if (v->alias != i || v->last == SITU_NOT_READ) return;
    switch (in->kind) {
    case SITU_DO_LOAD: emit_load(b, i); break;
    case SITU_DO_CAST: emit_cast(b, i); break;
    case SITU_DO_ELEMENT: emit_element(b, i); break;
    case SITU_DO_ARGUMENT:
        v->place = place_for(b, i);
        add_step(b, true,
            (situ_tile_step){.kind = SITU_TILE_STEP_ARGUMENT,
                .a = in->a,
                .b = in->b,
                .out = v->place,
                .dtype = in->dtype,
                .from = situ_held_in(b, in->dtype)});
        break;
    default: emit_generator(b, i);
    }
    free_operands(b, i, 0);
}

/* Finds hazards: a result computed in place overwrites a load from the same memory that is read later. */
static void find_hazards(situ_builder *b)
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

/* Emits a store. A value computed in the result's memory is copied only if a hazard sent it through a slot. */
static void emit_store(situ_builder *b, int s)
{
    const situ_value *v = &b->v[b->stored[s]];
    uint8_t dtype = b->g->store[s].dtype, held = held_dtype(b, b->stored[s]);
    b->p->cost++;
    if (v->direct == s && !b->spoils[s]) return;
    uint16_t out = situ_fused_place(b, (situ_tile_place){.address = s, .size = (uint8_t)situ_dtype_size(dtype)});
    if (held != dtype) situ_fused_emit_convert(b, false, held, dtype, v->place, out);
    else add_copy(b, v->place, out, dtype, v->direct == s ? (uint8_t)(s + 1) : 0);
}

void situ_fused_emit(situ_builder *b)
{
    for (int i = 0; i < b->g->ninstruction; i++) emit(b, i);
    find_hazards(b);
    for (int s = 0; s < b->g->nstore; s++) emit_store(b, s);
    /* Narrow elements: more lanes for the same cost. */
    if (b->narrow != SITU_BOOL) b->p->cost = b->p->cost * (int64_t)situ_dtype_size(b->narrow) / 4 + 1;
}
