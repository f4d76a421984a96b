/* Numbers that are kept in few bits. */
#include "op/blocks.h"
#include "op/host.h"
#include "op/support.h"
/* last */
#include "op/here.h"

static const char no_gradient[] =
    "the numbers of blocks, and of halves that are multiplied by f32, have none; cast or dequantise them";

/* ---- dequantise ------------------------------------------------------------------------------------------------------- */

static int infer_dequantise(situ_infer *c)
{
    situ_infer_same(c);
    c->dtype = SITU_F32;
    c->dim[c->ndim - 1] =
        c->dim[c->ndim - 1] / situ_block_bytes((situ_block_type)((const situ_blocks_attr *)c->attr)->type) * SITU_BLOCK;
    return 0;
}

typedef struct unpacking {
    const situ_call_desc *call;
    const char *from;
    float *to;
} unpacking;

static void unpack_piece(void *context, int64_t first, int64_t end)
{
    const unpacking *u = context;
    situ_block_type type = situ_block_type_of(u->call);
    situ_unpack_blocks(
        type, (const uint8_t *)u->from + first * situ_block_bytes(type), (end - first) * SITU_BLOCK, u->to + first * SITU_BLOCK);
}

static void host_dequantise(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    unpacking u = {c, address[1], (float *)(void *)address[0]};
    situ_host_pieces(h, unpack_piece, &u, situ_layout_count(&c->out) / SITU_BLOCK, SITU_HOST_LEAST / SITU_BLOCK);
}

const situ_op situ_op_dequantise = {.name = "dequantise",
    .family = SITU_CALL,
    .operands = "blocks",
    .infer = infer_dequantise,
    .no_gradient = no_gradient,
    .host = host_dequantise};

/* ---- calls ---------------------------------------------------------------------------------------------------------------- */

bool situ_check_blocks(const situ_tensor *blocks, situ_block_type type, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT], name[32];
    if ((int)type < 0 || type >= SITU_BLOCK_TYPES)
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: there is no type %d of blocks", operation, (int)type);
    else if (situ_is_number(blocks) || blocks->dtype != SITU_U8 || blocks->ndim < 1 ||
        blocks->dim[blocks->ndim - 1] % situ_block_bytes(type))
        situ_fail(SITU_BAD_SHAPE, site, "%s: the blocks are %s; they must be u8 [..., a multiple of %lld]", operation,
            situ_brief(blocks, text), (long long)situ_block_bytes(type));
    else if (blocks->device.kind != SITU_CPU)
        situ_fail(SITU_UNSUPPORTED, site, "%s: blocks are multiplied on the CPU, not on %s; dequantise them before they go there",
            operation, situ_device_name(blocks->device, name));
    return !situ_error_code;
}

situ_tensor *(situ_dequantise)(situ_tensor *blocks, situ_block_type type, situ_site site)
{
    SITU_SPEAK("dequantise", site);
    if (!situ_usable(&blocks, 1, "dequantise", site) || !situ_check_blocks(blocks, type, "dequantise", site))
        return situ_poisoned();
    situ_blocks_attr a = {type};
    return situ_apply1(&situ_op_dequantise, blocks, &a, sizeof a, site);
}
