/* Tokens: "kh-<public id>-<64 hexadecimal digits>".  The store has only the hash.  (SPEC 1: one token, one context.) */
#ifndef KH_ENGINE_CONTEXT_TOKEN_H
#define KH_ENGINE_CONTEXT_TOKEN_H

#include "engine/state/op.h"

/* token.create: admin (every role), host (controllers, whose contexts it may then fill, and hooks for these; K11). */
struct kh_token_create {
	struct kh_view name; /* [A-Za-z_][A-Za-z0-9_.-]{0,63}; a Reader's is unique among valid tokens and drivers */
	enum kh_role role;
	int64_t expires_at;       /* 0: never */
	uint64_t bits;            /* of a controller's context, at most the policy's; 0: the policy's */
	struct kh_view of;        /* of a hook: the context that it is for; public id */
	unsigned char secret[32]; /* in: random */
	/* out */
	struct kh_view text; /* shown once */
	struct kh_view id;
	struct kh_view context; /* public id, of a controller's or a hook's */
};
enum kh_err kh_token_create_run(struct kh_op *op, void *call);

/* token.list (struct kh_page): admin, host (its own): id, name, role, state, context, made_by, created_at, expires_at,
 * revoked_at.  No secrets, no hashes.  At most KH_TOKEN_LIST at a time. */
#define KH_TOKEN_LIST 1000
enum kh_err kh_token_list_run(struct kh_op *op, void *call);

/*
 * What a token's text claims.  Whoever takes a request makes the claim once, and every call of the request names it;
 * the text is not needed after that.  A claim proves nothing: each operation checks it in its own transaction.
 */
struct kh_token_claim {
	int64_t id; /* 0: it does not have the form of a token */
	struct kh_digest hash;
};
struct kh_token_claim kh_token_read(const struct kh_engine *engine, struct kh_view text);

/*
 * Not an operation: the row of the claimed token, if it is valid now.  KH_EREFUSED without a reason.  Compares in
 * constant time.  A token that a host made is valid only as long as the host's is, and a hook's only as long as that of
 * its context.
 */
enum kh_err kh_token_check(struct kh_txn *txn, const struct kh_token_claim *claim, int64_t now,
			   struct kh_token_row **ret_token) KH_CHECKED;

/* Not an operation: whether a Reader with a valid token has this name. */
enum kh_err kh_token_is_reader(struct kh_op *op, struct kh_view name, bool *ret_yes) KH_CHECKED;

/* Not an operation: the names of all Readers that can be asked now, those of the configuration first. */
enum kh_err kh_token_readers(struct kh_op *op, struct kh_view **ret_names, size_t *ret_count) KH_CHECKED;

/* The text of a token. */
struct kh_view kh_token_text(struct kh_arena *arena, const unsigned char id_key[16], int64_t id,
			     const unsigned char secret[32]);

#endif
