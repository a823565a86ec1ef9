/* Approvals over HTTP (A4, A6).  What is shown is recorded as shown before it is sent; a decision names its digest.
 * Untrusted text is sent as a JSON string, under its label; whoever displays it has to escape it. */
#include "http/rest/approvals.h"

#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"

static enum kh_err list(struct kh_rest_call *call)
{
	struct kh_approval_list approvals = {
		.all = kh_rest_call_query(call, "all")->number != 0,
		.after = kh_rest_call_query(call, "after")->text,
	};
	enum kh_err e = kh_rest_call_run(call, kh_approval_list_run, &approvals);

	return e == KH_OK ? kh_rest_call_reply_list(call, approvals.json, approvals.next) : e;
}

static const struct kh_rest_member list_query[] = {
	{"all", KH_REST_FLAG, .about = "Also those that no longer wait."},
	{"after", KH_REST_ID, .letter = 'a', .about = "Those after this one: `next` of the page before."},
	{0},
};

static enum kh_err show(struct kh_rest_call *call)
{
	const struct kh_rest_value *page = kh_rest_call_query(call, "page");
	struct kh_approval_show approval = {
		.approval = kh_http_request_segment(call->r, "approval"),
		.page = page->there ? page->number : 1,
	};
	enum kh_err e = kh_rest_call_run(call, kh_approval_show_run, &approval);

	return e == KH_OK ? kh_rest_call_reply(call, approval.json) : e;
}

static const struct kh_rest_member show_query[] = {
	{"page", KH_REST_NUMBER, .min = 1, .max = 1000000, .about = "Which page of the text; 1 where it is missing."},
	{0},
};

static enum kh_err decide(struct kh_rest_call *call)
{
	static const enum kh_approval states[] = {[KH_CHOICE_APPROVE] = KH_APPROVAL_APPROVED,
						  [KH_CHOICE_REJECT] = KH_APPROVAL_REJECTED,
						  [KH_CHOICE_EDIT] = KH_APPROVAL_EDITED};
	const struct kh_rest_value *edited = kh_rest_call_body(call, "edited");
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
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
		return kh_error_member(&call->err, KH_LIT("edited"),
				       kh_error_set(&call->err, KH_EINPUT, edited->there ? "bad_value" : "missing",
						    "`edited` belongs to the decision `edit`, and to no other"));
	enum kh_err e = kh_rest_call_run(call, kh_approval_decide_run, &decision);
	if (e != KH_OK)
		return e;
	kh_gateway_look(call->gateway); /* an approved escalation is now ready for its Reader */
	kh_json_add(doc, obj, "id", decision.approval);
	yyjson_mut_obj_add_str(doc, obj, "state", kh_words_name(&kh_grant_approval_words, states[decision.choice]));
	return kh_rest_call_reply_object(call, 200, obj);
}

static const struct kh_rest_member decide_body[] = {
	{"decision", KH_REST_WORD, .required = true, .words = &kh_approval_decide_words,
	 .about = "`edit` puts another answer, or an operation's other parameters, in the place of what is shown."},
	{"digest", KH_REST_TEXT, .required = true,
	 .about = "The `digest` of the approval as it was shown: 64 hexadecimal digits."},
	{"edited", KH_REST_ANSWER,
	 .about = "With `edit` of an answer: it in the form of the one that is shown, or a summary's text alone, "
		  "checked and charged like an answer of the Reader.  With `edit` of a declaration or tool call: an "
		  "object, its other parameters; that is a new declaration, governed again, with an approval of its "
		  "own."},
	{"note", KH_REST_TEXT, .about = "The decider's own words, for the record."},
	{"host", KH_REST_TEXT, .about = "A wider grant: any arguments towards this host."},
	{"uses", KH_REST_NUMBER, .min = 1, .max = KH_APPROVAL_DECIDE_USES, .about = "A wider grant: so many uses."},
	{"until", KH_REST_TIME, .about = "A grant until then."},
	{0},
};

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/approvals",
		.name = "listApprovals",
		.group = "approvals",
		.operation = kh_approval_list_run,
		.summary = "List what waits for a decision",
		.about = "No content; the oldest first, at most 200 at a time.  A supervisor gets tool calls alone.",
		.query = list_query,
		.status = 200,
		.answer = "ApprovalList",
		.run = list,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/approvals/{approval}",
		.name = "showApproval",
		.group = "approvals",
		.operation = kh_approval_show_run,
		.summary = "Show a page of what is to be decided",
		.about = "That it was shown to this principal is recorded first; all pages must have been, before a "
			 "decision.  `text` under a `label` is untrusted: display it as text and nothing else.",
		.query = show_query,
		.status = 200,
		.answer = "Approval",
		.run = show,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/approvals/{approval}/decision",
		.name = "decideApproval",
		.group = "approvals",
		.operation = kh_approval_decide_run,
		.summary = "Decide",
		.about = "The first decision counts; the second is told who decided what (409).  A supervisor decides "
			 "tool calls alone.",
		.body = decide_body,
		.limit = 1U << 20,
		.status = 200,
		.answer = "Decision",
		.conflicts = true,
		.run = decide,
	},
};

const struct kh_rest_route *kh_rest_approvals_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
