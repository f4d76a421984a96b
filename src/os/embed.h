/* Files of the tree in the library. */
#ifndef SITU_OS_EMBED_H
#define SITU_OS_EMBED_H

/* At file scope: the bytes of a file (its path begins in src/ or in the root) and a 0 as a constant array. The build compiles the
 * file that embeds again when the embedded one changes (cmake/sources.cmake). */
#define SITU_EMBED(name, path) \
    __asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name ":\n.incbin \"" path \
            "\"\n.byte 0\n.size " #name ", . - " #name "\n.popsection\n");

#endif
