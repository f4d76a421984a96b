#include "os/env.h"

#include <stdlib.h>
#include <unistd.h>

const char *situ_env(const char *name) { return getuid() != geteuid() || getgid() != getegid() ? NULL : getenv(name); }
