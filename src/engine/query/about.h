/*
 * What a query is about, as far as escalations go (B19).  Two queries are about the same thing if they share a block,
 * or blocks from the same origin, or if one is about what was derived from the other's, or if the Controller calls it
 * the same (`need`).  A task keeps the lowest category that was asked about each thing.
 *
 * An escalation can be seen, so nothing here follows from content that the Controller does not know: otherwise it could
 * put a guess in, and see whether the guess is what is sealed (I-35).  Content is compared only with content if the
 * Controller itself put both in (their normal forms are their origins, origin.h) or was given both (deliveries).
 */
#ifndef KH_ENGINE_QUERY_ABOUT_H
#define KH_ENGINE_QUERY_ABOUT_H

#include "engine/state/op.h"

struct kh_about_thing {
	struct kh_view name;     /* a key of the table of needs */
	struct kh_need_row *row; /* NULL: nothing was asked about it yet */
	uint64_t bytes;          /* that go out with the first query about it (kh_about_send) */
	struct kh_about_thing *next;
};

struct kh_about {
	struct kh_about_thing *things;
	unsigned lowest; /* the lowest category asked about any of them in this task; 0: none */
};

/* Adds a block that the query names, or that a delivery among those was derived from. */
enum kh_err kh_about_add(struct kh_op *op, const struct kh_block_row *block, struct kh_about *about) KH_CHECKED;

/*
 * Adds a block that goes to READER, with BYTES that the agent chose: these count once a task, block and Reader (E5).
 * kh_about_bytes(): how many go out with this query, once kh_about_find() has looked.
 */
enum kh_err kh_about_send(struct kh_op *op, int64_t block, struct kh_view reader, uint64_t bytes,
			  struct kh_about *about) KH_CHECKED;
uint64_t kh_about_bytes(const struct kh_about *about);

/* Looks up what was asked before in TASK.  NEED is what the Controller calls it; may be empty. */
enum kh_err kh_about_find(struct kh_op *op, const struct kh_task_row *task, struct kh_view need,
			  struct kh_about *about) KH_CHECKED;

/* A query of CATEGORY about it was admitted. */
enum kh_err kh_about_asked(struct kh_op *op, const struct kh_task_row *task, struct kh_about *about,
			   unsigned category) KH_CHECKED;

#endif
