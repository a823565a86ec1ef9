/*
 * Checkpoints (L3): at intervals the heads of all chains are signed with Ed25519.
 *
 *     {"at":...,"heads":[[chain,n,"<hash>"],...],"last":"345","n":7,"prev":"<hash of checkpoint 6>",
 *      "store":"<public key>","witnesses":[["file:/path",4,6]]}
 *
 * `heads` are the chains that have events since the previous checkpoint, in ascending order.  So each checkpoint,
 * together with the earlier ones, covers every head.  `last` is how far it covers the record: opaque text, that only the
 * store which made it can read (here the newest event).  Checkpoints of older versions have a number there.  `witnesses` says
 * which checkpoints a witness had when this one was signed, the first and the last of them; it is left out if there is
 * no witness that can be read again.  So whether a witness has lost lines follows from what was signed.
 *
 * Making one has three parts, so that the store's thread neither reads the record nor signs: what it is to say
 * (kh_checkpoint_last(), and heads.h or kh_checkpoint_heads()), the signature (kh_checkpoint_sign()), and the
 * transaction that stores it (kh_checkpoint_add()).
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
 *     {"checkpoint":7,"hash":"<of the body>","last":"345","signature":"<128 hex>","store":"<public key>"}
 */
struct kh_checkpoint_line {
	int64_t n, last;
	bool numbered; /* `last` is a number, as older versions wrote it */
	struct kh_digest hash, store;
	unsigned char signature[64];
};

/* Reads a line; text before it (syslog's date and names) is ignored.  False if there is no line in it. */
bool kh_checkpoint_read_line(struct kh_arena *arena, struct kh_view line, struct kh_checkpoint_line *ret_line);

/* What a witness had when a checkpoint was signed. */
struct kh_checkpoint_witness {
	struct kh_view name; /* "file:" and its path */
	int64_t first, seen; /* it had the lines of these checkpoints, and of all between them */
};

/* The parsed body of a checkpoint. */
struct kh_checkpoint {
	int64_t at, last, n;
	bool numbered; /* `last` is a number, as older versions wrote it */
	struct kh_digest prev, store;
	const struct kh_chains_head *heads; /* ascending by number */
	size_t count;
	const struct kh_checkpoint_witness *witnesses;
	size_t witness_count;
};

/* KH_EINPUT `bad_checkpoint` if BODY is not exactly what kh_checkpoint_sign() writes. */
enum kh_err kh_checkpoint_parse(struct kh_arena *arena, struct kh_view body, struct kh_checkpoint *ret_checkpoint,
				struct kh_error *err) KH_CHECKED;

/* Whether SIGNATURE (64 bytes) is a valid signature of BODY by KEY. */
bool kh_checkpoint_signed(struct kh_view body, struct kh_view signature, const struct kh_digest *key);

/* The last stored checkpoint and the hash of its body.  If there is none, `n` is 0 and the hash is zeros. */
enum kh_err kh_checkpoint_last(struct kh_txn *txn, struct kh_arena *arena, struct kh_checkpoint *ret_last,
			       struct kh_digest *ret_hash) KH_CHECKED;

/* Reads the heads of the chains that have events after event AFTER into CHAINS; *RET_LAST is the newest event. */
enum kh_err kh_checkpoint_heads(struct kh_txn *txn, int64_t after, struct kh_chains *chains,
				int64_t *ret_last) KH_CHECKED;

/* A checkpoint that is signed and not stored yet. */
struct kh_checkpoint_made {
	int64_t n, last;
	struct kh_digest prev;
	struct kh_view body, line; /* in the arena */
	unsigned char signature[64];
};

/* Signs CHECKPOINT, all of whose members but `store` are filled in.  Uses no store. */
enum kh_err kh_checkpoint_sign(const struct kh_checkpoint *checkpoint, const struct kh_checkpoint_key *key,
			       struct kh_arena *arena, struct kh_checkpoint_made *ret_made) KH_CHECKED;

/*
 * Stores MADE.  KH_ECHANGED `checkpoint_order` if another one was stored since it was begun: then it is to be made
 * anew.  KH_EREFUSED `audit_key_other` if KEY is not the key that the store names.
 */
enum kh_err kh_checkpoint_add(struct kh_txn *txn, const struct kh_checkpoint_key *key,
			      const struct kh_checkpoint_made *made, struct kh_arena *arena) KH_CHECKED;

/* The line of stored checkpoint NUMBER, or of the last one for 0.  KH_EUNKNOWN if there is none. */
enum kh_err kh_checkpoint_line(struct kh_txn *txn, int64_t number, struct kh_arena *arena,
			       struct kh_view *ret_line) KH_CHECKED;

#endif
