#include "backend/cpu/tiles/tile.h"

#include "base/isa.h"

const situ_tiles *situ_tiles_best(void) { return SITU_FOR_ISA(&situ_tiles); }

const situ_tiles *situ_tiles_named(const char *name)
{
#define TILES(name) &name,
    static const situ_tiles *const tiles[] = {SITU_EACH_SET(TILES, situ_tiles)};
    int isa = name ? situ_isa_of(name) : -1;
    return isa < 0 || isa > (int)situ_isa_machine() || isa >= (int)(sizeof tiles / sizeof *tiles) ? NULL : tiles[isa];
}
