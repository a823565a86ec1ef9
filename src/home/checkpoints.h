/*
 * Checkpoints of a home (L3): made, stored, and then sent to the configured witnesses.
 *
 * What is signed and what a witness has are compared both ways before anything is done with the store: a checkpoint
 * that a witness has and the store has not shows an older copy of the store, and one that a witness was sent and has no
 * longer shows that it lost lines.
 */
#ifndef KH_HOME_CHECKPOINTS_H
#define KH_HOME_CHECKPOINTS_H

#include "core/policy/config.h"
#include "store/checkpoint.h"
#include "store/heads.h"

/* Used by one thread at a time. */
struct kh_checkpoints {
	struct kh_store *store;
	const struct kh_checkpoint_key *key;
	struct kh_view path, name; /* of the witness file, NUL-terminated; its name in checkpoints; empty: none */
	bool syslog;
	struct kh_heads *heads; /* the heads since the last checkpoint; NULL: the record is read */
	/* the last checkpoint that is known; 0: none was looked for yet */
	int64_t n, last;
	struct kh_digest hash;
	/* the checkpoints that the witness file has, as far as is known; 0: none */
	int64_t first, seen;
	bool broken; /* it could not be written the last time */
};

/* ARENA keeps the names as long as C is used. */
enum kh_err kh_checkpoints_init(struct kh_checkpoints *c, struct kh_store *store, const struct kh_checkpoint_key *key,
				const struct kh_config_audit *audit, struct kh_arena *arena,
				struct kh_error *err) KH_CHECKED;

/*
 * Compares the store with every line of the witness file.  KH_ECHANGED `store_older` or `store_forked` if it is not
 * the store that the witness saw, `witness_changed` if a line is not as it was signed, `witness_incomplete` if a line is
 * not whole, or the witness lacks a checkpoint that it has had; KH_EINPUT `bad_checkpoint` if there is text in it and no
 * checkpoint.  A witness that was never sent anything may be empty.
 */
enum kh_err kh_checkpoints_compare(struct kh_checkpoints *c, struct kh_error *err) KH_CHECKED;

/*
 * Makes a checkpoint if there are events that none covers, and sends it to the witnesses when it is durable.  *RET_LINE
 * is its line in the arena, empty if nothing is new.  Signs in the calling thread.  KH_ESTORE `witness_failed` if it
 * is stored and could not be sent: the next one sends it too.
 */
enum kh_err kh_checkpoints_make(struct kh_checkpoints *c, int64_t now, struct kh_arena *arena, struct kh_view *ret_line,
				struct kh_error *err) KH_CHECKED;

#endif
