/*
 * Approvals (A1-A4, A6): asked for by operations, shown to humans, decided once, used by the transaction that acts.
 */
#ifndef KH_ENGINE_APPROVAL_H
#define KH_ENGINE_APPROVAL_H

#include "engine/engine.h"

#define KH_APPROVAL_PAGE 4096 /* bytes of the text on one page */

/* What is asked for.  SUBJECT is the canonical JSON of all that a reviewer is shown (approval.c says of what). */
struct kh_approval_request {
	enum kh_approval_kind kind;
	struct kh_task_row *task;
	struct kh_query_row *query;     /* NULL: none */
	struct kh_view text;            /* what is to be read with care: a summary, a directive, a plan; paged */
	bool untrusted;                 /* TEXT comes from a Reader */
	const struct kh_reasons *marks; /* screening and B21 marks on it; may be NULL */
	struct kh_view source;    /* canonical JSON array: about the blocks that it came from (id, source, taint) */
	struct kh_view operation; /* what the grant is for */
	struct kh_digest arguments, content;
};

/* Asks.  KH_EREFUSED `too_many_pending` where the task has the policy's most (A6: 3). */
enum kh_err kh_approval_request(struct kh_op *op, const struct kh_approval_request *request,
				struct kh_approval_row **ret_approval) __attribute__((warn_unused_result));

/*
 * Uses the grant of an approval that was approved or edited, for exactly this (A2): same context, task, operation,
 * digests, the policy now in force, not expired, a use left.  KH_OK: it was used, and that is recorded.  KH_EREFUSED:
 * *RET_WHY says what differs, and the approval is void or expired where that is for good.
 */
enum kh_err kh_approval_use(struct kh_op *op, struct kh_approval_row *approval, const struct kh_grant_call *call,
			    enum kh_granted *ret_why) __attribute__((warn_unused_result));

/* Makes the pending approvals of a task, or of one query of it (0: all), void. */
enum kh_err kh_approval_void(struct kh_op *op, struct kh_task_row *task, int64_t query)
	__attribute__((warn_unused_result));

/* Ends APPROVAL as expired where its time has passed while it was pending; its query goes on as settle.h says. */
enum kh_err kh_approval_due(struct kh_op *op, struct kh_approval_row *approval) __attribute__((warn_unused_result));

/* approval.list: reviewer, admin. */
struct kh_approval_list {
	bool all;            /* also those that were decided */
	struct kh_view json; /* out: array; no content, only ids, kinds, states, times, sizes */
};
enum kh_err kh_approval_list_run(struct kh_op *op, void *call);

/* approval.show: reviewer, admin.  A page of the text is on the record as shown to this principal. */
struct kh_approval_show {
	struct kh_view approval;
	int64_t page; /* 1, 2, ... */
	/* out */
	struct kh_view json; /* metadata, marks, pages, digest, and the page's text */
	struct kh_tainted text;
	struct kh_approval_row *row;
};
enum kh_err kh_approval_show_run(struct kh_op *op, void *call);

enum kh_choice { KH_CHOICE_APPROVE, KH_CHOICE_REJECT, KH_CHOICE_EDIT };

/*
 * approval.decide: reviewer, admin; never an agent's token, but a supervisor's for tool calls (K7).  SHOWN is the
 * digest of what was displayed, which must be the approval's, and all pages must have been shown to this principal.
 * Decided already: KH_EREFUSED `already_decided`, with who and what.
 */
struct kh_approval_decide {
	struct kh_view approval;
	enum kh_choice choice;
	struct kh_view shown;     /* 64 hexadecimal digits */
	struct kh_tainted edited; /* of an edit: a response in the form of the query's, or a summary's text alone */
	struct kh_view note, from;
	struct kh_approval_row *row; /* out */
};
enum kh_err kh_approval_decide_run(struct kh_op *op, void *call);

#endif
