/* Who sees the plans that this thread launches while a trace is taken. */
#ifndef SITU_RUN_WATCH_H
#define SITU_RUN_WATCH_H

struct situ_plan;
struct situ_walk;

typedef struct situ_launch_watcher {
    void (*see)(const struct situ_plan *p, const struct situ_walk *w, void *self); /* under the planner's lock */
    void *self;
} situ_launch_watcher;
extern __thread const situ_launch_watcher *situ_launch_watch; /* or NULL */

#endif
