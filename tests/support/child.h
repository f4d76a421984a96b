/* What a forked child of the tests ends with. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status with which a child that does this exits; negative: the signal that ended it, after a minute an alarm's. */
static int status_of_child(int (*what)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        alarm(60);
        _exit(what());
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
