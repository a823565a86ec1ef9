/*
 * What a context is given of what an upstream's tool brings (U6).
 *
 * The tool's rule says it: sealed, typed (sealed too; src/engine/query asks for members), fenced or trusted.  Trust has a
 * limit: a server that was sent what an outsider may have written can send it back.  So a result stays sealed if the
 * server has the means: `trusted` if any context has sent arguments to that server while its taint was above low, or has
 * put sealed content into a call to it, this call among them; `fenced` if this context has put sealed content into a call
 * to that server.  Only a human's reset of the context takes that back.  A URI that is read there counts as sent (U3); what
 * a resource has is sealed, or fenced for whoever asked for that.
 */
#ifndef KH_ENGINE_COMM_GIVING_H
#define KH_ENGINE_COMM_GIVING_H

#include "core/policy/policy.h"
#include "engine/state/op.h"

enum kh_giving {
	KH_GIVING_SEALED, /* a block's id */
	KH_GIVING_FENCED, /* the content, in a fence (E12) */
	KH_GIVING_VETTED, /* the content, as vetted data */
};

struct kh_given_way {
	enum kh_giving way;
	const char *kept_back; /* why the content stays sealed, although the rule gives it: a code; NULL: it does not */
};

/* The server of a tool's operation, comm.mcp.<server>.<tool>; empty: it is another operation. */
struct kh_view kh_giving_server(struct kh_view operation);

/* Whether ROW, which is not in a table yet, is a call whose result RULE wants in a fence. */
bool kh_giving_is_fenced(const struct kh_policy_rule *rule, const struct kh_declaration_row *row);

/* Notes that ROW, a call of CONTEXT to SERVER (empty: to none), begins: the caller's next event records it. */
enum kh_err kh_giving_note(struct kh_op *op, const struct kh_context_row *context, const struct kh_declaration_row *row,
			   struct kh_view server) KH_CHECKED;

/* A human resets CONTEXT: what it has sent no longer counts.  The caller's next event records it. */
enum kh_err kh_giving_forget(struct kh_op *op, const struct kh_context_row *context) KH_CHECKED;

/* How the result of ROW, a call to SERVER that has ended well, is given to its context, by the rule in force now. */
enum kh_err kh_giving_find(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view server,
			   struct kh_given_way *ret_way) KH_CHECKED;

#endif
