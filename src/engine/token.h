/*
 * Tokens: "kh-<public id>-<64 hexadecimal digits>".  The store has the hash alone.  (SPEC 1: one token, one context.)
 */
#ifndef KH_ENGINE_TOKEN_H
#define KH_ENGINE_TOKEN_H

#include "engine/engine.h"

/* token.create: admin (every role), host (controllers, whose contexts are then its to fill, K11). */
struct kh_token_create {
	struct kh_view name; /* [A-Za-z_][A-Za-z0-9_.-]{0,63}; a Reader's is unique among the living and the drivers */
	enum kh_role role;
	int64_t expires_at;       /* 0: never */
	uint64_t bits;            /* of a controller's context: less than the policy's; 0: the policy's */
	unsigned char secret[32]; /* in: random */
	/* out */
	struct kh_view text; /* shown once */
	struct kh_view id;
	struct kh_view context; /* public id, of a controller's */
};
enum kh_err kh_token_create_run(struct kh_op *op, void *call);

/* token.revoke: admin any, host those that it made.  The last admin's cannot be. */
struct kh_token_revoke {
	struct kh_view id;
};
enum kh_err kh_token_revoke_run(struct kh_op *op, void *call);

/* token.list: admin, host (its own).  No secrets, no hashes. */
struct kh_token_list {
	struct kh_view json; /* out */
};
enum kh_err kh_token_list_run(struct kh_op *op, void *call);

/* Not an operation: the row of the token with this text, if it is valid now.  KH_EREFUSED `unauthorised`, with no word
 * on why.  Compares in constant time. */
enum kh_err kh_token_check(struct kh_txn *txn, const unsigned char id_key[16], struct kh_view text, int64_t now,
			   struct kh_token_row **ret_token) __attribute__((warn_unused_result));

/* The text of a token. */
struct kh_view kh_token_text(struct kh_arena *arena, const unsigned char id_key[16], int64_t id,
			     const unsigned char secret[32]);

#endif
