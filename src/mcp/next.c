/* The sentences for models. */
#include "mcp/next.h"

#include "operations.inc"

#include <string.h>

#define FIX_DECLARATION "Correct the member that is named and call again; nothing was asked and nothing has run."
#define NOT_ALLOWED                                                                                                 \
	"The policy does not allow it, and asking in another way will not help. Tell the user, who can change the " \
	"policy, or go on without it."

#define FIX_QUERY "Correct the member that is named and call BCPQuery again; nothing was asked and nothing was charged."

static const struct {
	const char *code, *next;
} sentences[] = {
	{"task_needed",
	 "Call task_open and use the id that it returns as `task`; task_status lists the tasks you have."},
	{"unknown_task", "Call task_open and use the id that it returns; task_status lists the tasks you have."},
	{"task_closed", "This task takes nothing more. Call task_open for another one."},
	{"task_failed", "This task has ended for good, with its open queries. Report that to the user before you open "
			"another one."},
	{"too_many_tasks", "Go on in one of the open tasks that task_status lists."},
	{"blocks_needed",
	 "Call blocks with the task's id and name the sealed blocks that the query is about in `blocks`. "
	 "Where there are none, nothing has been put into the task yet: ask the user for the content."},
	{"unknown_block", "Call blocks with the task's id and use the ids of its sealed blocks."},
	{"content_purged", "The content was kept for its time and is gone. Ask the user to put it in again."},
	{"unknown_reader", "Use the name of a Reader that task_open listed, for example \"extract\"."},
	{"lower_category", "Ask in the lower category: a boolean, enum or integer field, or a short question."},
	{"rate_denied", "This Reader is not to be asked in this category. Ask in a lower one, or ask another Reader."},
	{"rate_limited", "Wait before you ask this Reader again; ask for several values in one query."},
	{"too_many_pending", "Wait for what a human has to decide first: call approval_wait with the id that came with "
			     "`pending`."},
	{"no_query", "This approval is about a plan: call begin_execution again with the same task and plan."},
	{"no_declaration", "This approval is about a plan: call begin_execution again with the same task and plan."},
	{"unknown_query", "Use the id exactly as it was given to you."},
	{"unknown_approval", "Use the id exactly as it came with `pending`."},
	{"several_declarations",
	 "This approval is about several declarations: call the tool of each with its `declaration`."},
	/* External operations: faults in a declaration, and decisions of gates. */
	{"unknown_declaration", "Use the id exactly as it was given to you; task_status lists those of a task."},
	{"operation_differs", "Call the tool of the operation that was declared."},
	{"parameters_differ", "Leave the parameters out: those of the declaration are used. Another call is another "
			      "declaration."},
	{"declaration_invalid", FIX_DECLARATION},
	{"declaration_required", "Say in `reason` why you need it, or call declare first."},
	{"declaration_ended",
	 "It was carried out, or ended, before, and is not repeated. Declare it once more if the user "
	 "wants that."},
	{"fenced_not_allowed", "Call without `fenced`: the content stays sealed, and BCPQuery asks about it."},
	{"fenced_not_declared",
	 "It was declared, and perhaps approved, without `fenced`: call without it, or declare it "
	 "once more."},
	{"bad_arguments", FIX_DECLARATION},
	{"busy", "Nothing was done. Try once more later."},
	{"not_weighed", "Nothing was done. Try once more later; if it stays so, tell the user."},
	{"operation_unknown", "Use " OPERATION_NAMES "."},
	{"operation_malformed", "Write the operation's name exactly, in lower case: comm.fetch."},
	{"OUTBOUND_FORBIDDEN_IN_PLANNING",
	 "External operations and queries to Readers behind a network run in the execution phase alone: call "
	 "begin_execution with your plan, then again."},
	{"reader_egress_exceeded", "Ask in fewer words, or a Reader on this machine; task_status says what is left."},
	{"content_exceeded", "Nothing was stored. Put less in; task_status says what is left."},
	{"escalations_exceeded", "Ask with a lower category, or tell the user: a human can allow more."},
	{"phase_unknown", "Leave `phase` out, or write execution."},
	{"OPERATION_NOT_ALLOWED", NOT_ALLOWED},
	{"role_not_allowed", NOT_ALLOWED},
	{"agent_not_allowed", NOT_ALLOWED},
	{"argument_not_allowed", NOT_ALLOWED},
	{"NETWORK_MODE_BLOCKED", NOT_ALLOWED},
	{"DOMAIN_BLOCKED", NOT_ALLOWED},
	{"path_not_allowed", NOT_ALLOWED},
	{"statement_not_allowed", NOT_ALLOWED},
	{"command_not_allowed", NOT_ALLOWED},
	{"content_not_allowed", NOT_ALLOWED},
	{"tier_effects", NOT_ALLOWED},
	{"parameter_missing", FIX_DECLARATION},
	{"bad_url", FIX_DECLARATION},
	{"concurrent_exceeded", "Wait until what runs has ended, then call again."},
	{"egress_exceeded",
	 "The task has sent as much of your own words out as it may: use shorter parameters, or tell "
	 "the user."},
	{"taint_denied",
	 "What your context was given from outside rules this out. Tell the user; a human can reset the "
	 "context, and a fresh conversation is not tainted."},
	{"verification_failed",
	 "It was verified and refused. Tell the user, and do not ask for the same in another way."},
	{"approvals_pending",
	 "Wait for what a human has to decide first: call approval_wait with the id that came with "
	 "`pending`."},
	{"budget_exceeded", "The task's budget does not hold another outcome; task_status says what is left. Tell the "
			    "user."},
	{"already_executing", "The task is in its execution phase already: go on."},
	{"plan_rejected", "A human has rejected this plan. Tell the user; another plan is another call."},
	{"no_such_page", "Pages are numbered from 1 to `pages`."},
	{"not_shown", "Call verification_next with `approval` and each `page` before you decide."},
	{"shown_differs", "Give the `digest` of verification_next as `shown`."},
	{"already_decided", "There is nothing left to decide here. Call verification_next for the next one."},
	{"forbidden", "This token's role does not allow it. Do not try again; tell the user."},
	{"unauthorised", "The token is not valid any more. Tell the user to connect again with another."},
	/* Faults in the query itself: the error names the member. */
	{"bad_category", FIX_QUERY},
	{"bad_type", FIX_QUERY},
	{"bad_format", FIX_QUERY},
	{"duplicate_name", FIX_QUERY},
	{"duplicate_value", FIX_QUERY},
	{"range_empty", FIX_QUERY},
	{"approval_required", FIX_QUERY},
	{"justification_short", FIX_QUERY},
	{"bad_check", FIX_QUERY},
	{"unknown_question", FIX_QUERY},
	{"missing", "Add the member that is named and call again."},
	{"unknown_member", "Leave out the member that is named and call again."},
	{"wrong_type", "Correct the member that is named and call again."},
	{"bad_value", "Correct the member that is named and call again."},
	{"bad_name", "Correct the member that is named and call again."},
	{"out_of_range", "Correct the member that is named and call again."},
	{"store", "Nothing was done. Try once more later; if it stays so, tell the user."},
	{"out_of_memory", "Nothing was done. Try once more later."},
};

const char *kh_mcp_next_find(const char *code)
{
	for (size_t i = 0; code != NULL && i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		if (strcmp(sentences[i].code, code) == 0)
			return sentences[i].next;
	}
	return NULL;
}
