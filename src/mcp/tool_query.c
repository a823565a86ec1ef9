/* Queries as tools: the arguments are the query, and the result is its outcome. */
#include "mcp/tool_query.h"

#include "core/block/label.h"
#include "core/block/prompt.h"
#include "engine/query/render_query.h"
#include "mcp/tool_comm.h"

/* Returns what a Controller can do about an outcome: one fixed text for each, so that it depends on nothing else. */
static const char *next_of(enum kh_outcome outcome)
{
	switch (outcome) {
	case KH_OUTCOME_NONE:
		return "The Reader has not answered yet. Call approval_wait with this `query` as `id`; it is the same "
		       "query, and nothing is charged again.";
	case KH_OUTCOME_PENDING:
		return "A human decides. Tell the user that the approval waits, then call approval_wait with "
		       "`approval` as `id`. Do not ask the same in another way.";
	case KH_OUTCOME_FAILED:
		return "There is no answer, and you are not told why. The bits stay charged. Ask something narrower if "
		       "your task needs it, or tell the user; do not repeat the same query. Where the task has failed "
		       "(task_status), it takes no more.";
	case KH_OUTCOME_REJECTED:
		return "A human has said no. That is final for this query: tell the user, and do not ask the same in "
		       "another way.";
	case KH_OUTCOME_EXPIRED:
		return "Nobody decided, or nobody answered, in time. Tell the user; the same query may be asked again "
		       "if they want it.";
	case KH_OUTCOME_BUDGET:
		return "The budget does not hold this query: nobody was asked and nothing was charged. Ask for fewer "
		       "or "
		       "narrower values; task_status says what is left.";
	case KH_OUTCOME_DELIVERED:
		break;
	}
	return NULL;
}

/* The labels that the delivery has, too (K10). */
static void label(const struct kh_asking *asking, struct kh_mcp_result *result)
{
	result->trust = kh_words_name(&kh_label_trust_words, KH_UNTRUSTED);
	result->taint = kh_words_name(&kh_label_taint_words, asking->taint);
	result->block = asking->told.block;
	result->sources = asking->told.sources;
}

static enum kh_work_next tell(struct kh_mcp_call *call, const struct kh_asking *asking, struct kh_mcp_result *result)
{
	struct kh_render_query told = asking->told;
	const char *next = next_of(told.outcome);

	told.sources = (struct kh_view){NULL, 0}; /* they are among the labels */
	if (!asking->advised)
		told.advice = (struct kh_view){NULL, 0};
	yyjson_mut_val *obj = kh_render_query_new(call->doc, &told);
	if (told.outcome == KH_OUTCOME_DELIVERED) {
		label(asking, result);
		kh_json_add(call->doc, obj, "notice", kh_prompt_delivery_notice());
	}
	if (next != NULL)
		yyjson_mut_obj_add_str(call->doc, obj, "next", next);
	return kh_mcp_tool_done(call, result, obj);
}

/* Runs one step.  LEARNS: the Controller did not know before that a human decides, so a human is told where (A4). */
static enum kh_work_next step(struct kh_mcp_call *call, bool learns, struct kh_mcp_result *result)
{
	struct kh_asking *asking = &call->kept.asking;

	if (call->stopping)
		asking->waiting.until = kh_works_now();
	if (kh_asking_step(call->gateway, asking, call->work, call->arena, call->err) == KH_WORK_WAIT) {
		if (learns && asking->pending_seen)
			memcpy(call->approval, asking->waits, sizeof(call->approval));
		return KH_WORK_WAIT;
	}
	return asking->result == KH_OK ? tell(call, asking, result) : kh_mcp_tool_fail(call, result, asking->result);
}

/* Has ASKING take up what has this id. */
static enum kh_err take_up(struct kh_mcp_call *call, struct kh_view id)
{
	struct kh_asking *asking = &call->kept.asking;

	if (id.n == 0 || id.n >= sizeof(asking->of) || (id.p[0] != 'q' && id.p[0] != 'a'))
		return kh_error_set(call->err, KH_EUNKNOWN, "unknown_approval",
				    "there is no approval, query or declaration of this id");
	kh_asking_keep(asking->of, id);
	return KH_OK;
}

enum kh_work_next kh_mcp_tool_query_ask(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	struct kh_asking *asking = &call->kept.asking;
	enum kh_err e = KH_OK;

	if (!asking->begun && asking->of[0] == '\0') {
		asking->token = call->token;
		asking->waiting.human = true;
		if (call->resume[0] != '\0')
			e = take_up(call, kh_view_str(call->resume));
		else
			asking->query = call->arguments;
	}
	return e == KH_OK ? step(call, true, ret_result) : kh_mcp_tool_fail(call, ret_result, e);
}

/* Finds out what the id names: a query, a declaration, or an approval; query.look knows whether that is a query's. */
static enum kh_err begin_wait(struct kh_mcp_call *call, struct kh_view id)
{
	struct kh_asking *asking = &call->kept.asking;

	call->acts = kh_view_starts(id, KH_LIT("d"));
	if (call->acts)
		return kh_mcp_tool_comm_take_up(call, id);
	asking->token = call->token;
	asking->waiting.human = true;
	return take_up(call, id);
}

/* The approval is not for a query: it is for an external operation or a plan; comm.call tells which. */
static enum kh_work_next go_on_acting(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	char id[KH_ASKING_ID];

	memcpy(id, call->kept.asking.of, sizeof(id));
	memset(&call->kept, 0, sizeof(call->kept));
	*call->err = (struct kh_error){.offset = SIZE_MAX};
	call->acts = true;
	enum kh_err e = kh_mcp_tool_comm_take_up(call, kh_view_str(id));
	return e == KH_OK ? kh_mcp_tool_comm_step(call, false, ret_result) : kh_mcp_tool_fail(call, ret_result, e);
}

enum kh_work_next kh_mcp_tool_query_wait(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	const struct kh_asking *asking = &call->kept.asking;
	enum kh_err e = KH_OK;

	if (!call->acts && !asking->begun && asking->of[0] == '\0')
		e = begin_wait(call, kh_mcp_tool_text(call, "id"));
	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	if (call->acts)
		return kh_mcp_tool_comm_step(call, false, ret_result);
	enum kh_work_next next = step(call, false, ret_result);
	if (next == KH_WORK_DONE && ret_result->e == KH_EREFUSED && call->err->code != NULL &&
	    strcmp(call->err->code, "no_query") == 0)
		return go_on_acting(call, ret_result);
	return next;
}
