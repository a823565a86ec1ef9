/*
 * Checkpoints as a home keeps them (L3): signed when enough has happened, sent to the witnesses of the configuration,
 * and compared with what a witness saw before anything is done with the store.
 */
#ifndef KH_HOME_CHECKPOINTS_H
#define KH_HOME_CHECKPOINTS_H

#include "core/policy/config.h"
#include "store/checkpoint.h"

/* Signs one where the configuration's number of events or seconds has passed since the last, and sends it. */
enum kh_err kh_checkpoints_sign(struct kh_store *store, const struct kh_checkpoint_key *key,
				const struct kh_config_audit *audit, int64_t now, struct kh_error *err) KH_CHECKED;

/* The same whether one is due or not; *RET_LINE is its line in the arena, empty where nothing is new. */
enum kh_err kh_checkpoints_now(struct kh_store *store, const struct kh_checkpoint_key *key,
			       const struct kh_config_audit *audit, int64_t now, struct kh_arena *arena,
			       struct kh_view *ret_line, struct kh_error *err) KH_CHECKED;

/*
 * Compares the store with the last checkpoint in the witness file.  KH_ECHANGED `store_older` or `store_forked` where
 * it is not the store that the witness saw.  A witness that has seen nothing says nothing.
 */
enum kh_err kh_checkpoints_compare(struct kh_store *store, const struct kh_config_audit *audit,
				   struct kh_error *err) KH_CHECKED;

#endif
