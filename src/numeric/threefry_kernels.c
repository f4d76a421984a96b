/* The macros of a text are laid out by hand: it lies in an .inc file, which nothing formats. */
#include "numeric/threefry.inc"
