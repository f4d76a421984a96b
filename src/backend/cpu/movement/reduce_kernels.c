/* The code is in an .inc file, because its macros are laid out by hand and the formatter skips .inc files. */
#include "backend/cpu/movement/reduce.inc"
