/* What other processes of this user see of the simulated cards of this one: memory and clock, on a board that they can read. */
#include "backend/sim/sim.h"
#include "base/runtime.h"
#include "os/process.h"

typedef struct board {
    int64_t process; /* a child that was forked has its parent's board */
    situ_sim_shown card[SITU_DEVICES_EACH];
} board;

static board nobody; /* where the system has no notices, and in a child that has not begun anew */
_Atomic(situ_sim_shown *) situ_sim_shown_cards = nobody.card;
SITU_LOCK(lock);

static void after_fork(void) { atomic_store(&situ_sim_shown_cards, nobody.card); }

int situ_sim_show(void)
{
    int code = situ_at_fork_reset(after_fork);
    situ_mutex_lock(&lock);
    board *b = code || atomic_load(&situ_sim_shown_cards) != nobody.card ? NULL : situ_notice_new(sizeof *b);
    if (b) {
        b->process = situ_process_id();
        atomic_store(&situ_sim_shown_cards, b->card);
    }
    situ_mutex_unlock(&lock);
    return code;
}

typedef struct visitor {
    void (*visit)(void *self, int64_t pid, int index, const situ_sim_shown *card);
    void *self;
} visitor;

static void read_board(void *self, int64_t pid, const void *notice)
{
    visitor *v = self;
    const board *b = notice;
    for (int i = 0; i < SITU_DEVICES_EACH && b->process == pid; i++)
        if (b->card[i].total > 0) v->visit(v->self, pid, i, &b->card[i]);
}

void situ_sim_boards(void (*visit)(void *self, int64_t pid, int index, const situ_sim_shown *card), void *self)
{
    situ_notice_visit(read_board, &(visitor){visit, self}, sizeof(board));
}
