/* Checkpoints of a home (L3).  They are signed when enough has happened and sent to the configured witnesses.  The
 * store is compared with what a witness saw before anything is done with it. */
#ifndef KH_HOME_CHECKPOINTS_H
#define KH_HOME_CHECKPOINTS_H

#include "core/policy/config.h"
#include "store/checkpoint.h"

/* Signs a checkpoint if the configured number of events or seconds has passed since the last one, and sends it. */
enum kh_err kh_checkpoints_sign(struct kh_store *store, const struct kh_checkpoint_key *key,
				const struct kh_config_audit *audit, int64_t now, struct kh_error *err) KH_CHECKED;

/* Signs one even if none is due.  *RET_LINE is its line in the arena, empty if nothing is new. */
enum kh_err kh_checkpoints_now(struct kh_store *store, const struct kh_checkpoint_key *key,
			       const struct kh_config_audit *audit, int64_t now, struct kh_arena *arena,
			       struct kh_view *ret_line, struct kh_error *err) KH_CHECKED;

/* Compares the store with the last checkpoint in the witness file.  Returns KH_ECHANGED `store_older` or
 * `store_forked` if it is not the store that the witness saw.  A witness file without a checkpoint is ignored. */
enum kh_err kh_checkpoints_compare(struct kh_store *store, const struct kh_config_audit *audit,
				   struct kh_error *err) KH_CHECKED;

#endif
