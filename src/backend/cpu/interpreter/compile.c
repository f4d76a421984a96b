/* Compiles a group: assigns locations to its values, writes the steps, and packs the program into one block of memory. */
#include "backend/cpu/interpreter/builder.h"

#include "base/memory.h"
#include "numeric/threefry.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

static int levels_for(int64_t blocks)
{
    int levels = 1;
    while (levels < 46 && ((int64_t)1 << (levels - 1)) < blocks) levels++;
    return levels + 1;
}

/* If a sum of squares accumulates in f64 and its f32 operand is only widened for that: the operand; else -1. */
static int widened(const situ_program *p)
{
    const situ_tile_step *square = p->body + p->nbody - 1, *convert = square - 1;
    bool wide =
        p->nbody >= 2 && square->out == p->reduce_place && convert->kind == SITU_TILE_STEP_CONVERT && convert->out == square->a;
    return wide && convert->run.convert == situ_convert(SITU_F32, SITU_F64) && !square->store ? convert->a : -1;
}

/* A sum of squares over long contiguous rows has its own reduction. In f32 it is used for operands in memory; others
 * are squared by the chain that computes them. */
static void find_squares(situ_builder *b, int r)
{
    situ_program *p = b->p;
    const situ_instruction *in = &b->g->instruction[r];
    bool squares = in->kind == SITU_DO_ELEMENT && in->el == SITU_EL_square && p->reduction == SITU_REDUCE_SUM &&
        situ_logical_dtype(b, r) == p->reduce_dtype;
    situ_reduce_fn reduction = squares ? situ_squares_get((situ_dtype)p->reduce_dtype) : NULL;
    if (!reduction || p->C != 1 || p->R <= SITU_TILE / 2 || b->g->nstore) return;
    int operand = p->body->a, steps = 1;
    if (p->reduce_dtype == SITU_F64) operand = widened(p), steps = 2;
    else if (p->nprologue || p->nbody != 1 || p->place[operand].address < 0) return;
    if (operand < 0) return;
    p->reduce_tile = reduction;
    p->reduce_place = (uint16_t)operand;
    p->nbody -= steps;
}

/* Integer min and max give the same in their own width and in any order, so long rows are folded first and only the
 * few remaining values are widened. */
static void find_fold(situ_builder *b)
{
    situ_program *p = b->p;
    const situ_tile_step *last = p->body + p->nbody - 1;
    bool extreme = p->reduction == SITU_REDUCE_MAX || p->reduction == SITU_REDUCE_MIN;
    if (!extreme || p->C != 1 || p->R <= SITU_TILE / 2 || b->g->nstore || !p->nbody) return;
    if (last->kind != SITU_TILE_STEP_CONVERT || last->out != p->reduce_place || situ_dtype_is_float(last->from)) return;
    if (last->from == SITU_BOOL || situ_dtype_size(last->from) > 2 || situ_dtype_size(last->dtype) != 4) return;
    p->fold = situ_tile_narrow(b->tiles, p->reduction == SITU_REDUCE_MAX ? SITU_EL_maximum : SITU_EL_minimum, last->from);
    if (!p->fold) return;
    p->widen = last->run.convert;
    p->reduce_place = last->a;
    p->nbody--;
}

static int build_reduce(situ_builder *b)
{
    const situ_fused *g = b->g;
    situ_program *p = b->p;
    int r = b->v[g->reduce_register].alias;
    uint8_t held = situ_dtype_compute(situ_logical_dtype(b, r)), dtype = situ_dtype_compute(g->reduce_dtype);
    p->reduce_tile = situ_reduce_get((situ_reduce_kind)g->reduction, dtype);
    p->reduce_each = situ_reduce_each_get((situ_reduce_kind)g->reduction, dtype);
    p->combine = situ_combine_get((situ_reduce_kind)g->reduction, dtype);
    p->add_rows = situ_rows_get((situ_reduce_kind)g->reduction, dtype);
    if (!p->reduce_tile || !p->combine || !p->add_rows)
        return situ_fail(SITU_UNSUPPORTED, NULL, "a reduction has no rule for %s on the CPU; cast its operand first",
            situ_dtype_name(g->reduce_dtype));
    p->reduction = g->reduction;
    p->reduce_dtype = dtype;
    p->reduce_out = g->reduce_out;
    p->reduce_size = (uint8_t)situ_dtype_size(dtype);
    p->out_size = (uint8_t)situ_dtype_size(g->reduce_out);
    p->reduce_convert = g->reduce_out == dtype ? NULL : situ_convert(dtype, g->reduce_out);
    p->reduce_place = b->v[r].place;
    if (held != dtype) {
        p->reduce_place = situ_fused_slot(b, p->reduce_size);
        situ_fused_emit_convert(b, false, held, dtype, b->v[r].place, p->reduce_place);
    }
    p->A = g->A;
    p->R = g->R;
    p->C = g->C;
    p->cost++;
    find_squares(b, r);
    find_fold(b);
    return 0;
}

/* Sizes of the scratch memory after the slots: accumulators and the levels of the tree. */
static void measure(situ_program *p)
{
    p->bytes = (p->slots + 63) & ~(size_t)63;
    if (p->half) p->bytes += (size_t)SITU_FUSED_PAIRED * SITU_TILE * 4;
    if (p->reduction < 0) return;
    int64_t block = p->C == 1 ? SITU_REDUCE_BLOCK : SITU_REDUCE_ROWS;
    p->levels = levels_for(p->R / block + 1);
    p->columns = p->C < SITU_TILE ? (int)p->C : SITU_TILE;
    p->bytes += situ_strip_bytes(p) * (size_t)(p->levels + 1);
    p->partials = p->C == 1 ? SITU_FUSED_PARTIALS * 8 : (size_t)32 * SITU_TILE * 8;
}

/* A plain copy of a strided operand is done in long pieces, which situ_strided_read traverses in memory order. */
static void find_copy(situ_builder *b)
{
    situ_program *p = b->p;
    if (p->reduction >= 0 || p->nprologue || p->nbody < 1 || p->body[0].kind != SITU_TILE_STEP_GATHER || b->g->nstore != 1) return;
    const situ_tile_place *out = &p->place[p->body[0].out];
    if (out->address != 0 || p->nbody > 2 || (p->nbody == 2 && !p->body[1].store)) return;
    const situ_gathered *s = &p->gathered[p->body[0].b];
    int axis = situ_strided_axis(out->size, s->ndim, s->dim, s->stride); /* the lines along this axis become rows */
    if (axis < 0) axis = s->ndim - 2;
    p->copy = true;
    p->copy_row = axis < 0 ? 1 : situ_shape_count(s->ndim - 1 - axis, s->dim + axis + 1);
}

/* JAX's original layout gives two numbers per block, half an array apart. A group that draws all its random bits this
 * way is traversed from its start and its middle at once. */
static void find_pairs(situ_builder *b)
{
    situ_program *p = b->p;
    int found = 0;
    if (p->reduction >= 0 || p->count < 2 * SITU_TILE || p->count >= UINT32_MAX) return;
    for (int i = 0; i < p->nbody; i++) {
        situ_tile_step *s = &p->body[i];
        if (s->kind != SITU_TILE_STEP_RANDOM) continue;
        if (s->dtype != SITU_U32 || s->p != SITU_THREEFRY_ORIGINAL || s->q != p->count || found == SITU_FUSED_PAIRED) return;
        s->b = (uint16_t)found++;
    }
    if (found) p->half = p->count - p->count / 2;
}

static void open_builder(situ_builder *b, situ_program *p, const situ_fused *g)
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
    p->link = b->link;
    p->count = situ_shape_count(g->ndim, g->dim);
    p->width = p->count < SITU_TILE ? (int)p->count : SITU_TILE;
    p->reduction = -1;
    p->nstore = g->nstore;
}

static int build(situ_builder *b)
{
    const situ_fused *g = b->g;
    situ_fused_find_values(b);
    situ_fused_emit(b);
    int failed = b->failed;
    if (!failed && g->reduction >= 0) failed = build_reduce(b);
    if (failed || b->failed) return failed ? failed : b->failed;
    find_copy(b);
    find_pairs(b);
    situ_fused_chain(b);
    measure(b->p);
    return b->failed;
}

static void *take(char **at, const void *from, size_t bytes)
{
    void *to = *at;
    memcpy(to, from, bytes);
    *at += (bytes + 7) & ~(size_t)7;
    return to;
}

/* Packs the program into one block of memory. */
static situ_program *finish(const situ_program *p, int loads)
{
    const size_t sizes[] = {sizeof *p, (size_t)(p->nprologue + p->nbody) * sizeof *p->body, (size_t)p->nplace * sizeof *p->place,
        (size_t)p->nmoving * sizeof *p->moving, (size_t)p->nhazard * sizeof *p->hazard, (size_t)loads * sizeof *p->gathered,
        (size_t)p->nlink * sizeof *p->link};
    size_t bytes = 0;
    for (int i = 0; i < 7; i++) bytes += (sizes[i] + 7) & ~(size_t)7;
    char *at = situ_malloc(bytes);
    if (!at) return NULL;
    situ_program *out = take(&at, p, sizeof *p);
    out->prologue = take(&at, p->prologue, (size_t)p->nprologue * sizeof *p->body);
    out->body = take(&at, p->body, (size_t)p->nbody * sizeof *p->body);
    out->place = take(&at, p->place, sizes[2]);
    out->moving = take(&at, p->moving, sizes[3]);
    out->hazard = take(&at, p->hazard, sizes[4]);
    out->gathered = take(&at, p->gathered, sizes[5]);
    out->link = take(&at, p->link, sizes[6]);
    out->memory = bytes;
    return out;
}

situ_program *situ_fused_compile(const situ_fused *g, const situ_neighbours *neighbours)
{
    if (situ_fused_check(g)) return NULL;
    situ_program p = {0}, *out = NULL;
    situ_builder *b = situ_calloc(1, sizeof *b);
    if (b) {
        open_builder(b, &p, g);
        b->neighbours = neighbours;
        if (!build(b)) out = finish(&p, g->nload);
    }
    if (!out && (!b || !situ_error_code))
        situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel of %d instructions", g->ninstruction);
    situ_free(b);
    return out;
}
