/* Embeds files of the source tree into the library. */
#ifndef SITU_OS_EMBED_H
#define SITU_OS_EMBED_H

/* At file scope: defines a constant array with the bytes of a file and a terminating 0. The path starts in src/ or in
 * the root. When the file changes, the build compiles the embedding source again (cmake/sources.cmake). */
#ifdef __wasm__
#define SITU_EMBED(name, path) \
    __asm__(".section .rodata." #name ",\"\",@\n.globl " #name "\n.hidden " #name "\n.type " #name ",@object\n" #name \
            ":\n.incbin \"" path "\"\n.byte 0\n.size " #name ", . - " #name "\n");
#else
#define SITU_EMBED(name, path) \
    __asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name ":\n.incbin \"" path \
            "\"\n.byte 0\n.size " #name ", . - " #name "\n.popsection\n");
#endif

#endif
