/* Approvals over HTTP (A4, A6).  What is shown is recorded as shown before it is sent; a decision names its digest.
 * Untrusted text is sent as a JSON string, under its label; whoever displays it has to escape it. */
#include "http/rest/approvals.h"

#include "engine/approval/render_decision.h"
#include "engine/approval/show.h"

enum kh_err kh_rest_approvals_show(struct kh_rest_call *call)
{
	const struct kh_rest_value *page = kh_rest_call_query(call, "page");
	struct kh_approval_show approval = {
		.approval = kh_http_request_segment(call->r, "approval"),
		.page = page->there ? page->number : 1,
	};

	return kh_rest_call_show(call, kh_approval_show_run, &approval, &approval.json);
}

enum kh_err kh_rest_approvals_decide(struct kh_rest_call *call)
{
	const struct kh_rest_value *edited = kh_rest_call_body(call, "edited");
	struct kh_approval_decide decision = {
		.approval = kh_http_request_segment(call->r, "approval"),
		.choice = (enum kh_choice)kh_rest_call_body(call, "decision")->word,
		.shown = kh_rest_call_body(call, "digest")->text,
		.edited = kh_tainted_wrap(edited->text),
		.note = kh_rest_call_body(call, "note")->text,
		.from = kh_arena_printf(call->arena, "http %.*s", KH_FMT(kh_http_request_remote(call->r))),
		.host = kh_rest_call_body(call, "host")->text,
		.uses = kh_rest_call_body(call, "uses")->number,
		.until = kh_rest_call_body(call, "until")->number,
	};

	if ((decision.choice == KH_CHOICE_EDIT) != edited->there)
		return kh_error_input(&call->err, KH_LIT("edited"), edited->there ? "bad_value" : "missing",
				      "`edited` belongs to the decision `edit`, and to no other");
	enum kh_err e = kh_rest_call_run(call, kh_approval_decide_run, &decision);
	if (e != KH_OK)
		return e;
	kh_gateway_look(call->gateway); /* an approved escalation is now ready for its Reader */
	return kh_rest_call_reply_of(call, true, kh_render_decision_new(call->doc, &decision), decision.approval);
}
