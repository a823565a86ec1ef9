/*
 * Checkpoints (L3): at intervals the heads of all chains are signed with Ed25519.
 *
 *     {"at":...,"heads":[[chain,n,"<hash>"],...],"last":345,"n":7,"prev":"<hash of checkpoint 6>",
 *      "store":"<public key>"}
 *
 * `heads` are the chains that have events since the previous checkpoint, in ascending order.  So each checkpoint,
 * together with the earlier ones, covers every head.  `last` is the newest event that it covers.
 */
#ifndef KH_STORE_CHECKPOINT_H
#define KH_STORE_CHECKPOINT_H

#include "store/backend.h"
#include "store/chains.h"

struct kh_checkpoint_key {
	unsigned char secret[64]; /* libsodium's form; wiped with kh_checkpoint_forget() */
	struct kh_digest public;
};

/* A new key from 32 random bytes; a key's text (for its file) and back. */
void kh_checkpoint_key(const unsigned char seed[32], struct kh_checkpoint_key *ret_key);
void kh_checkpoint_forget(struct kh_checkpoint_key *key);

/*
 * What a witness is sent: one line that is short however many heads there are, so that syslog does not cut it.
 *
 *     {"checkpoint":7,"hash":"<of the body>","last":345,"signature":"<128 hex>","store":"<public key>"}
 */
struct kh_checkpoint_line {
	int64_t n, last;
	struct kh_digest hash, store;
	unsigned char signature[64];
};

/* Reads a line; text before it (syslog's date and names) is ignored.  False if there is no line in it. */
bool kh_checkpoint_read_line(struct kh_arena *arena, struct kh_view line, struct kh_checkpoint_line *ret_line);

/* The parsed body of a checkpoint. */
struct kh_checkpoint {
	int64_t at, last, n;
	struct kh_digest prev, store;
	const struct kh_chains_head *heads; /* ascending by number */
	size_t count;
};

/* KH_EINPUT `bad_checkpoint` if BODY is not exactly what kh_checkpoint_make() writes. */
enum kh_err kh_checkpoint_parse(struct kh_arena *arena, struct kh_view body, struct kh_checkpoint *ret_checkpoint,
				struct kh_error *err) KH_CHECKED;

/* Whether SIGNATURE (64 bytes) is a valid signature of BODY by KEY. */
bool kh_checkpoint_signed(struct kh_view body, struct kh_view signature, const struct kh_digest *key);

/*
 * Signs the heads as they are in TXN and stores the checkpoint; *RET_LINE is its line for witnesses.  If there is
 * nothing new since the last one, the line is empty and nothing is stored.  KH_EREFUSED `audit_key_other` if KEY is not
 * the key that the store names.
 */
enum kh_err kh_checkpoint_make(struct kh_txn *txn, const struct kh_checkpoint_key *key, int64_t now,
			       struct kh_arena *arena, struct kh_view *ret_line) KH_CHECKED;

/* The line of stored checkpoint NUMBER, or of the last one for 0.  KH_EUNKNOWN if there is none. */
enum kh_err kh_checkpoint_line(struct kh_txn *txn, int64_t number, struct kh_arena *arena,
			       struct kh_view *ret_line) KH_CHECKED;

#endif
