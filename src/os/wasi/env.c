#include "os/env.h"

#include <stdlib.h>

const char *situ_env(const char *name) { return getenv(name); } /* nobody has raised rights here */
