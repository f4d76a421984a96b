/* Runs main on an emulated Cortex-M and ends the emulator with its status, by semihosting. The memory is that of qemu's mps2 boards. */
#include <stdint.h>

extern int main(void);
extern unsigned char stack_end[];

static void start(void)
{
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20; /* the floating-point unit, if there is one */
    __asm__ volatile("dsb\n isb" ::: "memory");
    volatile uint32_t block[2] = {0x20026, (uint32_t)main()};
    register uint32_t r0 __asm__("r0") = 0x20; /* SYS_EXIT_EXTENDED */
    register volatile uint32_t *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1) : "memory");
    for (;;) {}
}

__attribute__((section(".vectors"), used)) const void *const vectors[] = {stack_end, (const void *)start};
