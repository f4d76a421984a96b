/* Runs a function in a forked child and returns how the child ended. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a child that runs this function; negative: the signal that ended it, which after a minute is an
 * alarm's. */
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
