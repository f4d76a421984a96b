/* Analysis of a group: constant values, last readers, equal values. */
#include "backend/cpu/interpreter/builder.h"

#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

enum { SHORTEST_ROW = 128 };

/* ---------------------------------------------------------------- checks */

int situ_refuse_group(const char *what)
{
    return situ_fail(SITU_BAD_ARGUMENT, NULL, "a fused group is not well formed: %s; this is an error in the planner", what);
}

static int check_instruction(const situ_fused *g, int i)
{
    const situ_instruction *in = &g->instruction[i];
    if (in->kind > SITU_DO_CAST || !situ_dtype_valid(in->dtype)) return situ_refuse_group("an unknown instruction or dtype");
    if (in->kind == SITU_DO_ELEMENT && (in->el >= SITU_EL_COUNT || !situ_dtype_valid(in->from)))
        return situ_refuse_group("an unknown operation");
    if (in->kind == SITU_DO_CAST && !situ_dtype_valid(in->from)) return situ_refuse_group("a cast from an unknown dtype");
    if ((in->kind == SITU_DO_LOAD || in->kind == SITU_DO_RANDOM) && in->a >= g->nload) return situ_refuse_group("no such load");
    if (in->kind == SITU_DO_ARGUMENT && in->a >= g->nword) return situ_refuse_group("no such argument");
    if (in->kind == SITU_DO_RANDOM && in->dtype != SITU_U32 && in->dtype != SITU_U64)
        return situ_refuse_group("random bits that are neither u32 nor u64");
    const uint8_t operand[3] = {in->a, in->b, in->c};
    for (int k = 0; k < situ_operands_of(in); k++)
        if (operand[k] >= i) return situ_refuse_group("an instruction reads a later register");
    return 0;
}

int situ_fused_check(const situ_fused *g)
{
    if (g->ndim < 0 || g->ndim > 8 || g->ninstruction < 1 || g->ninstruction > SITU_FUSED_INSTRUCTIONS || g->nload < 0 ||
        g->nload > SITU_FUSED_LOADS || g->nstore < 0 || g->nstore > SITU_FUSED_STORES)
        return situ_refuse_group("too many dimensions, instructions, loads or stores");
    int64_t count = situ_shape_count(g->ndim, g->dim);
    if (count < 0) return situ_refuse_group("its shape");
    for (int i = 0; i < g->nload; i++)
        if (!situ_dtype_valid(g->load[i].dtype)) return situ_refuse_group("a load of an unknown dtype");
    for (int i = 0; i < g->ninstruction; i++) {
        int status = check_instruction(g, i);
        if (status) return status;
    }
    for (int i = 0; i < g->nstore; i++)
        if (g->store[i].from_register >= g->ninstruction || !situ_dtype_valid(g->store[i].dtype))
            return situ_refuse_group("a store of an unknown register or dtype");
    if (g->reduction < 0) return 0;
    const int64_t arc[3] = {g->A, g->R, g->C};
    if (g->reduction >= SITU_REDUCE_KINDS || g->reduce_register >= g->ninstruction || !situ_dtype_valid(g->reduce_dtype) ||
        !situ_dtype_valid(g->reduce_out) || situ_shape_count(3, arc) != count)
        return situ_refuse_group("its reduction");
    return 0;
}

/* ---------------------------------------------------------------- analysis */

static void classify_loads(situ_builder *b)
{
    const situ_fused *g = b->g;
    for (int i = 0; i < g->nload; i++) {
        situ_gathered *s = &b->p->gathered[i];
        int64_t size = (int64_t)situ_dtype_size(g->load[i].dtype), stride[SITU_MAX_DIMS];
        memcpy(s->dim, g->dim, sizeof s->dim);
        memcpy(stride, g->load[i].stride, sizeof stride);
        s->ndim = situ_collapse(g->ndim, s->dim, 1, stride);
        b->contiguous[i] = s->ndim == 0 || (s->ndim == 1 && stride[0] == 1);
        b->uniform[i] = s->ndim == 1 && stride[0] == 0;
        for (int k = 0; k < s->ndim; k++) s->stride[k] = stride[k] * size;
        b->last_read[i] = SITU_NOT_READ;
    }
}

/* True if no tile crosses the end of a row of n positions. */
static bool rows_hold_tiles(const situ_fused *g, int64_t n)
{
    if (g->reduction < 0) return n >= SHORTEST_ROW;
    int64_t whole = g->C == 1 ? g->R : g->C;
    if (g->C > 1 && whole <= SITU_TILE / 2) return false;
    return n >= SHORTEST_ROW && (n == whole || (whole % n == 0 && n % SITU_TILE == 0));
}

/* Finds operands such as a bias or a row's maximum, which are contiguous or constant along a row. */
static void find_rows(situ_builder *b)
{
    int64_t row = INT64_MAX;
    bool found[SITU_FUSED_LOADS] = {false};
    for (int i = 0; i < b->g->ninstruction; i++)
        if (b->g->instruction[i].kind == SITU_DO_RANDOM) return;
    for (int i = 0; i < b->g->nload; i++) {
        const situ_gathered *s = &b->p->gathered[i];
        int last = s->ndim - 1;
        if (last < 1 || (s->stride[last] && s->stride[last] != (int64_t)situ_dtype_size(b->g->load[i].dtype))) continue;
        found[i] = true;
        if (s->dim[last] < row) row = s->dim[last];
    }
    if (row == INT64_MAX || !rows_hold_tiles(b->g, row)) return;
    for (int i = 0; i < b->g->nload; i++) {
        const situ_gathered *s = &b->p->gathered[i];
        b->rowwise[i] = found[i] && s->dim[s->ndim - 1] % row == 0;
    }
    b->p->row = row;
}

/* The register of an earlier equal load or argument, or of the operand of a cast that changes nothing; -1: none. */
static int find_alias(const situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    if (in->kind == SITU_DO_CAST && situ_held_in(b, in->from) == in->dtype) return b->v[in->a].alias;
    if (in->kind != SITU_DO_LOAD && in->kind != SITU_DO_ARGUMENT) return i;
    for (int k = 0; k < i; k++) {
        const situ_instruction *other = &b->g->instruction[k];
        if (other->kind == in->kind && other->a == in->a &&
            (in->kind == SITU_DO_LOAD || (other->b == in->b && other->dtype == in->dtype)))
            return k;
    }
    return i;
}

static void find_values(situ_builder *b)
{
    for (int i = 0; i < b->g->ninstruction; i++) {
        const situ_instruction *in = &b->g->instruction[i];
        situ_value *v = &b->v[i];
        const uint8_t operand[3] = {in->a, in->b, in->c};
        *v = (situ_value){.last = SITU_NOT_READ, .only_raw = true, .direct = -1};
        v->alias = find_alias(b, i);
        v->uniform = in->kind == SITU_DO_ARGUMENT || (in->kind == SITU_DO_LOAD && b->uniform[in->a]);
        if (in->kind == SITU_DO_ELEMENT || in->kind == SITU_DO_CAST) {
            v->uniform = true;
            for (int k = 0; k < situ_operands_of(in); k++) v->uniform &= b->v[b->v[operand[k]].alias].uniform;
        }
    }
}

static void read_by(situ_builder *b, int r, int reader, bool raw)
{
    situ_value *v = &b->v[b->v[r].alias];
    if (v->last < reader) v->last = reader;
    v->only_raw &= raw;
}

/* A store of a rounding cast's result converts directly from the cast's operand: the same bits with one conversion. */
static void find_stores(situ_builder *b)
{
    for (int s = 0; s < b->g->nstore; s++) {
        int r = b->v[b->g->store[s].from_register].alias;
        uint8_t dtype = b->g->store[s].dtype;
        const situ_instruction *in = &b->g->instruction[r];
        if (in->kind == SITU_DO_CAST && in->dtype == dtype && situ_held_in(b, dtype) != dtype) r = b->v[in->a].alias;
        b->stored[s] = r;
        in = &b->g->instruction[r];
        read_by(b, r, SITU_AT_END, in->kind == SITU_DO_LOAD && b->g->load[in->a].dtype == dtype && dtype != SITU_BOOL);
    }
}

/* True for readers of a bool in user memory that accept any byte, which saves a pass over it. */
static bool takes_any_byte(const situ_instruction *in, int operand)
{
    if (in->kind == SITU_DO_CAST) return in->from == SITU_BOOL;
    situ_el_kind kind = situ_el_rows[in->el].kind;
    if (kind == SITU_EL_SELECT) return operand == 0;
    return in->from == SITU_BOOL && (kind == SITU_EL_LOGIC || kind == SITU_EL_BITS);
}

static void find_readers(situ_builder *b)
{
    find_stores(b);
    if (b->g->reduction >= 0) read_by(b, b->g->reduce_register, SITU_AT_END, false);
    for (int i = b->g->ninstruction - 1; i >= 0; i--) {
        const situ_instruction *in = &b->g->instruction[i];
        const uint8_t operand[3] = {in->a, in->b, in->c};
        if (b->v[i].alias != i || b->v[i].last == SITU_NOT_READ) continue;
        for (int k = 0; k < situ_operands_of(in); k++) read_by(b, operand[k], i, takes_any_byte(in, k));
        b->v[i].raw = in->kind == SITU_DO_LOAD && b->v[i].only_raw && !b->v[i].uniform;
    }
}

static bool is_narrow(uint8_t dtype) { return dtype != SITU_BOOL && situ_dtype_size((situ_dtype)dtype) < 4; }

/* The dtype of all numbers of the group, if it is a narrow integer dtype, each result is truncated to it at once, and
 * all operations have kernels for it; else SITU_BOOL. */
static uint8_t narrow_dtype(const situ_builder *b)
{
    const situ_fused *g = b->g;
    uint8_t dtype = SITU_BOOL;
    if (g->reduction >= 0) return SITU_BOOL;
    for (int i = 0; i < g->nload && dtype == SITU_BOOL; i++) dtype = g->load[i].dtype;
    if (!is_narrow(dtype)) return SITU_BOOL;
    for (int i = 0; i < g->ninstruction; i++) {
        const situ_instruction *in = &g->instruction[i];
        uint8_t is = situ_logical_dtype(b, i);
        bool fits = in->kind == SITU_DO_LOAD || in->kind == SITU_DO_ARGUMENT || (in->kind == SITU_DO_CAST && in->from == is);
        if (in->kind == SITU_DO_ELEMENT)
            fits = in->from == SITU_BOOL ||
                (in->from == situ_dtype_compute((situ_dtype)dtype) && situ_tile_narrow(b->tiles, in->el, dtype));
        if (!fits || (is != dtype && is != SITU_BOOL)) return SITU_BOOL;
    }
    return dtype;
}

void situ_fused_find_values(situ_builder *b)
{
    b->narrow = narrow_dtype(b);
    classify_loads(b);
    find_rows(b);
    find_values(b);
    find_readers(b);
}
