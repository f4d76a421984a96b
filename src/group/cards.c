#include "group/cards.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "device/streams.h"

struct situ_cards {
    situ_cards *next;
    situ_link *link;
    situ_dev *dev;
    int partner, size; /* rank and size in the link's numbering; after a rank is lost the link of the survivors has fewer ranks */
    bool met;          /* the communicator's identity has been sent with a call, or received with one */
    situ_nccl *nccl;   /* used by jobs only, which run one after the other */
    char identity[SITU_NCCL_IDENTITY];
};

/* Calls of the group come from one thread at a time. */
static situ_cards *first;

/* Closes all but the communicators of a link of `size` ranks. */
static void close_but(int size)
{
    char why[1600] = "another rank is lost";
    for (situ_cards *s = first, **at = &first; s; s = *at) {
        if (s->size == size) {
            at = &s->next;
            continue;
        }
        if (size || situ_link_broken(s->link, why, sizeof why)) situ_card_calls_here()->abort(s->nccl, why);
        situ_card_calls_here()->close(s->nccl);
        *at = s->next;
        situ_free(s);
    }
}

/* Runs before the devices are closed. */
static void close_all(void)
{
    situ_dev *cpu = situ_dev_opened(situ_cpu());
    if (cpu) situ_streams_wait(cpu);
    close_but(0);
}

situ_cards *situ_cards_of(situ_link *link, situ_device device, int partner, situ_call_kind call, situ_site site)
{
    if (!link || device.kind == SITU_CPU) return NULL;
    situ_dev *dev = situ_dev_open(device, site);
    if (!dev || !situ_card_calls_here() || !situ_card_calls_here()->reaches(dev) ||
        situ_link_cards(link, situ_call_name(call), site) <= 0)
        return NULL;
    close_but(situ_link_size(link));
    for (situ_cards *s = first; s; s = s->next)
        if (s->dev == dev && s->partner == partner) return s;
    situ_cards *s = situ_at_shutdown(SITU_END_DEVICES, close_all) ? NULL : situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(call)), NULL;
    *s = (situ_cards){.next = first, .link = link, .dev = dev, .partner = partner, .size = situ_link_size(link)};
    return first = s;
}

situ_dev *situ_cards_device(const situ_cards *s) { return s->dev; }

int situ_cards_place(const situ_cards *s, int rank)
{
    int own = situ_link_rank(s->link), other = rank == own ? s->partner : own;
    return s->partner == SITU_EVERYBODY ? rank : rank > other;
}

int situ_cards_rank(const situ_cards *s) { return situ_cards_place(s, situ_link_rank(s->link)); }
int situ_cards_ranks(const situ_cards *s) { return s->partner == SITU_EVERYBODY ? situ_link_size(s->link) : 2; }

int situ_cards_identity(situ_cards *s, bool *out, char **bytes, situ_site site)
{
    char why[700];
    if (s->met) return 0;
    *out = !situ_cards_rank(s);
    *bytes = s->identity;
    int rc = *out ? situ_card_calls_here()->identify(s->identity, why, sizeof why) : 0;
    if (rc) return situ_fail(-rc, site, "%s", why), -1;
    s->met = true;
    return SITU_NCCL_IDENTITY;
}

static int look(void *self, int idle, char *why, size_t size) { return -situ_link_meanwhile(self, idle, why, size); }

int situ_cards_open(situ_cards *s, situ_nccl **out, char *why, size_t size)
{
    int rc = s->nccl ? 0 :
                       situ_card_calls_here()->open(&s->nccl, s->dev, s->identity, situ_cards_rank(s), situ_cards_ranks(s),
                           situ_link_seconds(s->link), (situ_nccl_watch){look, s->link}, why, size);
    *out = s->nccl;
    return rc;
}
