/*
 * Approvals (A1-A4, A6): operations ask for them, humans are shown them (engine/approval/list.h,
 * engine/approval/show.h) and decide them once (engine/approval/decide.h), and the transaction that acts uses them.
 * This header: how one begins, is used, and ends without a decision.
 */
#ifndef KH_ENGINE_APPROVAL_APPROVAL_H
#define KH_ENGINE_APPROVAL_APPROVAL_H

#include "engine/state/op.h"

#define KH_APPROVAL_TEXT (1U << 20) /* the most bytes that a reviewer can be asked to read */

/* What is asked for. */
struct kh_approval_request {
	enum kh_approval_kind kind;
	struct kh_task_row *task;       /* NULL: it is about no task (an upstream's tool): nothing is charged */
	struct kh_query_row *query;     /* NULL: none */
	struct kh_view text;            /* the text to be reviewed: a summary, a directive, a plan; paged */
	bool untrusted;                 /* TEXT comes from a Reader */
	const struct kh_reasons *marks; /* screening and B21 marks on it; may be NULL */
	struct kh_view source;          /* canonical JSON array: the blocks that it came from (id, source, taint) */
	struct kh_view operation;       /* what the grant is for */
	struct kh_view host;            /* that it goes to, in its one spelling; empty: none.  A grant can be for it */
	struct kh_digest arguments, content;
	/* Blocks whose content leaves, or is put in, if it is approved: shown after the text (carried.h). */
	const int64_t *carried;
	size_t carried_count;
	int64_t uses; /* of the grant, unless the reviewer chooses another number; 0: 1 */
	bool admin;   /* only an admin can decide it (H6) */
	bool fenced;  /* TEXT says that the agent gets the content in a fence (E12): the grant covers that */
	int64_t came; /* when what is to be decided on came in: slots are counted from then (I-45); 0: now */
	/* Of an upstream's elicitation (U3): who asks, during which call, and the schema that all that is entered has to fit. */
	struct kh_view server, declaration, form;
	int64_t until; /* it expires then, if the policy's time is longer; 0: the policy's alone */
	bool quiet;    /* the requester must not learn how many wait: too many make it void instead of refused */
};

/*
 * Asks for an approval.  If it is about a query, the query's `approval` becomes the new one.  KH_EREFUSED
 * `too_many_pending` if the task has as many as the policy permits (A6: 3) and the request is not `quiet`; KH_EINPUT
 * `bad_utf8`, KH_ELIMIT `too_long` for a text that cannot be shown to anybody.
 */
enum kh_err kh_approval_request(struct kh_op *op, const struct kh_approval_request *request,
				struct kh_approval_row **ret_approval) KH_CHECKED;

/*
 * Uses the grant of an approval that was approved or edited, for exactly this (A2): same context, task (both by public
 * id), operation, digests, the policy now in force, not expired, a use left.  KH_OK: it was used, and that is recorded.
 * KH_EREFUSED: *RET_WHY says what differs (KH_GRANT_NOT_GIVEN: nobody has approved it), and the caller goes on without
 * the grant.  If the difference is permanent, the approval becomes void or expired, which is recorded too.
 */
enum kh_err kh_approval_use(struct kh_op *op, struct kh_approval_row *approval, const struct kh_grant_call *call,
			    enum kh_granted *ret_why) KH_CHECKED;

/* Whether kh_approval_use() would return KH_OK now.  Changes nothing. */
enum kh_err kh_approval_covers(struct kh_op *op, const struct kh_approval_row *approval,
			       const struct kh_grant_call *call, bool *ret_yes) KH_CHECKED;

/*
 * How many approvals of TASK wait, as far as its Controller can tell: one for each query of category 3 whose outcome
 * has not left, one for each plan, and one for each declaration or call of it.  The real number depends on what Readers
 * answered and on when a reviewer decided, and a Controller must not be able to count that (B16, B17).
 */
enum kh_err kh_approval_known(struct kh_op *op, const struct kh_task_row *task, uint64_t *ret_count) KH_CHECKED;

/* Whether its Controller has to believe that APPROVAL, of an act, waits. */
bool kh_approval_seems_to_wait(const struct kh_approval_row *approval, int64_t now);

/* Makes the pending approvals of a task void, or those of one of its queries (QUERY 0: all). */
enum kh_err kh_approval_void(struct kh_op *op, struct kh_task_row *task, int64_t query) KH_CHECKED;

/*
 * What a request for the approval of an act costs (B8): what a Controller can tell from the decision, and from the slot
 * at which it takes effect.  An act is a plan, a declaration or a call; an answer has the slots of its query.
 */
uint64_t kh_approval_price(const struct kh_op *op);

/* The slot at which a decision made now takes effect; 0: at once. */
int64_t kh_approval_slot(const struct kh_op *op, const struct kh_approval_row *approval);

/*
 * Does what is due: a decision whose slot has come takes effect; an approval whose time has passed while it was pending
 * has expired, and so has its query (A3).
 */
enum kh_err kh_approval_due(struct kh_op *op, struct kh_approval_row *approval) KH_CHECKED;

/* Who can decide it, in a word: `reviewer`, or `admin` if a reviewer's decision is not enough (H6). */
const char *kh_approval_decides(const struct kh_approval_row *approval);

/* The state now: a pending approval whose time has passed is expired, even if that is not recorded yet. */
enum kh_approval kh_approval_state(const struct kh_approval_row *approval, int64_t now);

/* The task that APPROVAL belongs to, whose chain has its events; NULL if it has none. */
enum kh_err kh_approval_task(struct kh_op *op, const struct kh_approval_row *approval,
			     struct kh_task_row **ret_task) KH_CHECKED;

/* Ends the wait for APPROVAL: it becomes STATE, and the task has one pending approval less.  An event has to follow. */
void kh_approval_end(struct kh_approval_row *approval, struct kh_task_row *task, enum kh_approval state);

#endif
