/* Applies a post-op to each part of a call's result as soon as a task has computed it. */
#include "backend/cpu/interpreter/group.h"

#include <string.h>

static int64_t reduce_blocks(const situ_program *p) { return (p->R + SITU_REDUCE_BLOCK - 1) / SITU_REDUCE_BLOCK; }

void situ_post_op_open(situ_post_op *f, const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    f->launch = (situ_fused_launch){
        .program = p, .address = address, .argument = argument, .fault = fault, .indirect = situ_find_indirect(p, address)};
    f->in_parts = false;
}

bool situ_post_op_take(situ_post_op *f)
{
    const situ_program *p = f->launch.program;
    if (p->count <= 0 || p->half || p->copy || p->nstream) return false;
    if (p->reduction >= 0 && (p->A != 1 || p->C != 1 || p->R <= SITU_TILE / 2 || reduce_blocks(p) > SITU_POST_OP_BLOCKS))
        return false;
    memset(f->done, 0, sizeof f->done);
    return f->in_parts = true;
}

static void reduce_whole_blocks(situ_post_op *f, situ_tile_frame *frame, int64_t first, int64_t end)
{
    const situ_program *p = f->launch.program;
    for (int64_t block = first; block < end; block++) {
        if (f->done[block]) continue;
        situ_tile_frame_blocks(frame, 0, block, block + 1, f->partial + block * p->reduce_size);
        f->done[block] = true;
    }
}

void situ_post_op_part(situ_post_op *f, int64_t first, int64_t end)
{
    const situ_program *p = f->launch.program;
    situ_tile_frame frame;
    if (!situ_tile_frame_open(&frame, &f->launch)) return;
    if (p->reduction < 0) situ_tile_frame_span(&frame, first, end);
    else
        reduce_whole_blocks(f, &frame, (first + SITU_REDUCE_BLOCK - 1) / SITU_REDUCE_BLOCK,
            end == p->count ? reduce_blocks(p) : end / SITU_REDUCE_BLOCK);
    situ_drain(&frame);
}

void situ_post_op_close(situ_post_op *f, bool parallel)
{
    const situ_program *p = f->launch.program;
    if (!f->in_parts) {
        situ_fused_run(p, f->launch.address, f->launch.argument, f->launch.fault, parallel);
        return;
    }
    situ_tile_frame frame;
    if (p->reduction < 0 || !situ_tile_frame_open(&frame, &f->launch)) return;
    reduce_whole_blocks(f, &frame, 0, reduce_blocks(p)); /* blocks that lie in two parts */
    uint64_t whole[2];
    situ_reduce_blocks((situ_reduce_kind)p->reduction, p->reduce_dtype, f->partial, reduce_blocks(p), whole);
    situ_fused_result(&f->launch, 0, whole, 1);
}
