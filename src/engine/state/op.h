/*
 * One call of an operation: what it sees, and how it records what it did.
 *
 * An operation reads state through the transaction, applies the rules of the core, changes rows, and records all of it
 * in audit events of the same transaction.  It never calls a part of the engine above it directly; what it needs from
 * one is in the table `above`.
 */
#ifndef KH_ENGINE_STATE_OP_H
#define KH_ENGINE_STATE_OP_H

#include "base/emit.h"
#include "core/block/block.h"
#include "engine/state/engine.h"
#include "engine/state/publicid.h"

struct kh_beforehand;
struct kh_refusals_mark;

struct kh_op {
	const struct kh_engine *engine;
	struct kh_txn *txn;
	struct kh_arena *arena; /* the caller owns it */
	const struct kh_policy *policy;
	struct kh_beforehand *prepared; /* never NULL: what was done outside of the transaction (beforehand.h) */
	const struct kh_above *above;   /* never NULL */
	bool rehearses;                 /* not on the store's thread: nothing of it counts (beforehand.h) */
	int64_t now;                    /* of this transaction; never goes back within a process */
	struct kh_token_row *caller;    /* NULL: Keyhole itself */
	struct kh_error *err;           /* never NULL */
	struct kh_refusals_mark *marks; /* of what was noted (refusals.h) */
	bool noted;                     /* a refusal was recorded or counted (refusals.h) */
	enum kh_err refused; /* set by kh_op_refuse(): the caller is refused, and the record of that is kept */
};

/* An operation: CALL is its own struct, with the input and, on KH_OK, the output. */
typedef enum kh_err kh_engine_fn(struct kh_op *op, void *call);

/* What operations need from parts above their own; the table is in engine/operations.c. */
struct kh_approval_follow;
struct kh_above {
	const struct kh_approval_follow *const *follows; /* by enum kh_approval_kind (approval/follow.h) */
	size_t follow_count;
	/* Ends TASK as failed with a code (B19), and everything that is open in it. */
	enum kh_err (*fail_task)(struct kh_op *op, struct kh_task_row *task, const char *code);
};

/* Whether the caller may see everything: a human, or Keyhole itself. */
bool kh_op_sees_all(const struct kh_op *op);

/* The token's row if the caller is a host, otherwise 0. */
int64_t kh_op_host(const struct kh_op *op);

/* Removes what transports keep for TOKEN beside the record (store/kept.h). */
enum kh_err kh_op_forget(struct kh_op *op, int64_t token) KH_CHECKED;

/* The public id of a row, and the row of a public id; false: it is not one. */
struct kh_view kh_op_id(struct kh_op *op, enum kh_publicid kind, int64_t id);
bool kh_op_number(const struct kh_op *op, enum kh_publicid kind, struct kh_view id, int64_t *ret_number);

/* Adds the public id of a row, or a time as text, to OBJ; nothing if it is 0. */
void kh_op_add_id(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, enum kh_publicid kind,
		  int64_t id);
void kh_op_add_time(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, int64_t time);

/* The call of an operation that lists tasks, tokens, approvals or declarations: one page, the oldest first. */
struct kh_page {
	bool all;             /* also those that have ended, were revoked, or no longer wait */
	struct kh_view task;  /* of declarations: whose; public id */
	struct kh_view after; /* the public id to go on after; empty: from the first */
	size_t limit;         /* of declarations: at most so many; 0: the default */
	/* out */
	struct kh_view json; /* an array of objects, each with its `id` */
	size_t count;
	struct kh_view next; /* the AFTER for the rest; empty: there are no more */
};

/* Makes the page of ITEMS; if there are MORE, they come after the last. */
enum kh_err kh_op_page(struct kh_op *op, yyjson_mut_val *items, bool more, struct kh_page *page) KH_CHECKED;

/*
 * Makes the block of SPEC, with an id and a time from the operation, and puts the result into ROW.  GIVEN: the taint of
 * what an agent was given, if it is the agent's output (kh_block_output()); otherwise NULL.
 */
enum kh_err kh_op_make_block(struct kh_op *op, struct kh_block_spec *spec, const enum kh_taint *given,
			     struct kh_block_row *row) KH_CHECKED;

/* The same for what is, or is claimed to be, the user's own (kh_block_own()); GIVEN: the taint of its context. */
enum kh_err kh_op_make_own(struct kh_op *op, struct kh_block_spec *spec, enum kh_taint given,
			   struct kh_block_row *row) KH_CHECKED;

/* Copies the labels, content and time of BLOCK into ROW. */
void kh_op_fill_block(const struct kh_op *op, const struct kh_block *block, struct kh_block_row *row);

/* The numbers in a list that kh_op_ids_text() wrote (empty text: none), and the list: a JSON array. */
enum kh_err kh_op_ids(struct kh_op *op, struct kh_view json, int64_t **ret_ids, size_t *ret_count) KH_CHECKED;
struct kh_view kh_op_ids_text(struct kh_op *op, const int64_t *ids, size_t count);

/*
 * What an event says, as a JSON object: begun, with members added by base/emit.h in their order, and ended.  Out of
 * memory marks the arena, and then kh_op_event() fails.
 */
void kh_op_describe(struct kh_op *op, struct kh_emit *ret_what);
void kh_op_describe_codes(struct kh_emit *what, const char *name, const struct kh_reasons *list); /* NULL: [] */
struct kh_view kh_op_described(struct kh_op *op, struct kh_emit *what);

/* Records an event of the operation, with the operation's `at` and `by`.  WHAT: canonical JSON, or empty. */
enum kh_err kh_op_event(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task,
			struct kh_view what) KH_CHECKED;

/*
 * Refuses the call and keeps a record of it: an operation that has changed nothing ends with
 * `return kh_op_refuse(op, kind, task, what, kh_error_set(op->err, KH_EREFUSED, ...))`.  The caller is told the error.
 */
enum kh_err kh_op_refuse(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what,
			 enum kh_err why) KH_CHECKED;

#endif
