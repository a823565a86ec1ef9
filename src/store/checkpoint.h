/*
 * Checkpoints (L3): every so often the heads of all chains are signed with Ed25519.
 *
 *     {"at":...,"heads":[[chain,n,"<hash>"],...],"last":345,"n":7,"prev":"<hash of checkpoint 6>","store":"<public
 * key>"}
 *
 * `heads` are the chains that have events since the checkpoint before, ascending; so each checkpoint covers, through
 * those before it, every head.  `last` is the newest event that it covers.
 */
#ifndef KH_STORE_CHECKPOINT_H
#define KH_STORE_CHECKPOINT_H

#include "store/backend.h"

struct kh_checkpoint_key {
	unsigned char secret[64]; /* libsodium's form; wiped with kh_checkpoint_forget() */
	struct kh_digest public;
};

/* A new key from 32 random bytes; a key's text (for its file) and back. */
void kh_checkpoint_key(const unsigned char seed[32], struct kh_checkpoint_key *ret_key);
void kh_checkpoint_forget(struct kh_checkpoint_key *key);

/* Signs the heads as they are in TXN and stores it; *RET_LINE is one line of JSON {"checkpoint":...,"signature":"..."}
 * for witnesses.  Nothing new since the last one: an empty line, and nothing is stored. */
enum kh_err kh_checkpoint_make(struct kh_txn *txn, const struct kh_checkpoint_key *key, int64_t now,
			       struct kh_arena *arena, struct kh_view *ret_line) __attribute__((warn_unused_result));

/* The line of a stored one: NUMBER, or the last for 0.  KH_EUNKNOWN where there is none. */
enum kh_err kh_checkpoint_line(struct kh_txn *txn, int64_t number, struct kh_arena *arena, struct kh_view *ret_line)
	__attribute__((warn_unused_result));

#endif
