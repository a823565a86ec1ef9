/*
 * Decisions that are made in turn: a caller hands its call in, has a ticket, waits without a thread, and takes what was
 * decided.  A caller that has gone never takes it; such decisions are dropped after a time.
 */
#ifndef KH_GATEWAY_TURNS_H
#define KH_GATEWAY_TURNS_H

#include "base/error.h"
#include "gateway/works.h"

#define KH_TURNS_ID 24 /* bytes of an id, and a NUL */

struct kh_turns;

/* What was decided: an error, or the id of the declaration that is to be looked at. */
struct kh_turns_result {
	enum kh_err e;
	struct kh_error err;
	char id[KH_TURNS_ID];
};

struct kh_turns *kh_turns_new(const struct kh_alloc *alloc); /* NULL: no memory */
void kh_turns_free(struct kh_turns *turns);                  /* TURNS may be NULL */

/* A ticket; 0: no memory. */
int64_t kh_turns_open(struct kh_turns *turns) KH_CHECKED;

/* It is decided.  ERR may be NULL if E is KH_OK. */
void kh_turns_close(struct kh_turns *turns, int64_t ticket, enum kh_err e, const struct kh_error *err,
		    struct kh_view id);

/* Whether it is decided; if so, the ticket ends. */
bool kh_turns_take(struct kh_turns *turns, int64_t ticket, struct kh_turns_result *ret_turn) KH_CHECKED;

/* The chain by which a work waits for its ticket (works.h): no task has it. */
int64_t kh_turns_chain(int64_t ticket);

#endif
