/*
 * Queries over HTTP: Controllers ask and wait (gateway/asking.h); Readers that are agents take asks and answer them.  A
 * Controller gets an outcome, and a delivery if there is one (B16, B18); a Reader gets a code for its answer (B16).
 */
#include "http/rest/queries.h"

#include "engine/query/ask.h"
#include "engine/query/render_query.h"
#include "engine/query/respond.h"
#include "engine/query/tries.h"
#include "gateway/handout.h"
#include "http/rest/comm.h"
#include "reader/reader.h"

#define PAUSE INT64_C(200000) /* microseconds between two looks for an ask */

/* --- what a Controller is told ------------------------------------------------------------------------------------ */

static enum kh_err tell(struct kh_rest_call *call, const struct kh_asking *asking)
{
	enum kh_outcome outcome = asking->told.outcome;
	bool ended = outcome != KH_OUTCOME_NONE && outcome != KH_OUTCOME_PENDING;

	return kh_rest_call_tell(call, ended, kh_render_query_new(call->doc, &asking->told));
}

/* True if the caller named an approval that is not for a query. */
static bool is_no_query(const struct kh_rest_call *call, const struct kh_asking *asking)
{
	return asking->result == KH_EREFUSED && asking->of[0] == 'a' && call->err.code != NULL &&
	       strcmp(call->err.code, "no_query") == 0;
}

static enum kh_err go_on(struct kh_rest_call *call)
{
	struct kh_asking *asking = &call->kept->asking;

	call->waits = kh_asking_step(call->gateway, asking, &call->r->work, call->arena, &call->err) == KH_WORK_WAIT;
	if (call->waits)
		return KH_OK;
	if (is_no_query(call, asking))
		return kh_rest_comm_by_approval(call, kh_view_str(asking->of));
	return asking->result == KH_OK ? tell(call, asking) : asking->result;
}

/* Adds the task of the path to the query of the body. */
static enum kh_err name_task(struct kh_rest_call *call, struct kh_view task, yyjson_val **ret_query)
{
	yyjson_val *named = kh_json_get(call->whole, "task");

	*ret_query = call->whole;
	if (named != NULL && kh_view_eq(kh_json_str(named), task))
		return KH_OK;
	if (named != NULL)
		return kh_error_input(&call->err, KH_LIT("task"), "bad_value",
				      "expected the task of the path, or nothing");
	yyjson_mut_val *copy = yyjson_val_mut_copy(call->doc, call->whole);
	kh_json_add(call->doc, copy, "task", task);
	return kh_json_freeze(call->arena, copy, ret_query, &call->err);
}

enum kh_err kh_rest_queries_ask(struct kh_rest_call *call)
{
	struct kh_asking *asking = &call->kept->asking;
	enum kh_err e = KH_OK;

	if (!call->kept->begun) {
		asking->token = call->token;
		asking->waiting.until = kh_rest_call_until(call, true);
		e = name_task(call, kh_http_request_segment(call->r, "task"), &asking->query);
	}
	return e == KH_OK ? go_on(call) : e;
}

/* Answers with the outcome of an earlier query, by its own id or that of the approval that it waits for. */
enum kh_err kh_rest_queries_show(struct kh_rest_call *call)
{
	struct kh_view id = kh_http_request_segment(call->r, "query");
	struct kh_asking *asking = &call->kept->asking;
	bool by_approval = id.p == NULL;

	if (call->kept->begun)
		return go_on(call);
	if (by_approval)
		id = kh_http_request_segment(call->r, "approval");
	if (id.n >= KH_ASKING_ID || !kh_view_starts(id, by_approval ? KH_LIT("a") : KH_LIT("q")))
		return kh_error_set(&call->err, KH_EUNKNOWN, by_approval ? "unknown_approval" : "unknown_query",
				    "there is none with the id %.*s", KH_FMT(kh_arena_quote(call->arena, id)));
	kh_asking_keep(asking->of, id);
	asking->token = call->token;
	asking->waiting.until = kh_rest_call_until(call, false);
	asking->waiting.human = true;
	return go_on(call);
}

/* --- what a reviewer is told -------------------------------------------------------------------------------------- */

enum kh_err kh_rest_queries_tries(struct kh_rest_call *call)
{
	const struct kh_rest_value *page = kh_rest_call_query(call, "page");
	struct kh_tries tries = {
		.query = kh_http_request_segment(call->r, "query"),
		.number = kh_rest_call_query(call, "try")->number,
		.page = page->there ? page->number : 1,
	};

	return kh_rest_call_show(call, kh_tries_run, &tries, &tries.json);
}

/* --- Readers ------------------------------------------------------------------------------------------------------ */

/* There is no ask yet: answers 204, or waits and looks again. */
static enum kh_err wait_for_more(struct kh_rest_call *call, int64_t pause)
{
	struct kh_work *work = &call->r->work;
	int64_t now = kh_works_now();

	if (call->kept->until <= now || kh_works_is_stopping(kh_gateway_works(call->gateway)))
		return kh_rest_call_reply_nothing(call);
	work->wake_at = call->kept->until < now + pause ? call->kept->until : now + pause;
	call->waits = true;
	return KH_OK;
}

enum kh_err kh_rest_queries_next(struct kh_rest_call *call)
{
	struct kh_ask ask = {0};
	struct kh_view json;

	if (!call->kept->begun)
		call->kept->until = kh_rest_call_until(call, false);
	enum kh_err e = kh_rest_call_run(call, kh_ask_next_run, &ask);
	if (e != KH_OK)
		return e;
	if (!ask.found)
		return wait_for_more(call, PAUSE);
	e = kh_reader_message(call->arena, &ask.ask, &json, &call->err);
	if (e == KH_OK)
		return kh_rest_call_reply(call, json);
	e = kh_handout_fail(call->gateway, &ask, e, &call->err);
	return e == KH_OK ? wait_for_more(call, 0) : e;
}

enum kh_err kh_rest_queries_respond(struct kh_rest_call *call)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	struct kh_respond response = {
		.ask = kh_http_request_segment(call->r, "ask"),
		.response = kh_tainted_wrap(kh_http_request_body(call->r)),
	};
	enum kh_err e = kh_rest_call_run(call, kh_respond_run, &response);

	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(call->doc, obj, "result", response.code);
	if (response.why != NULL)
		kh_json_add(call->doc, obj, "code", kh_view_str(response.why));
	return kh_rest_call_reply_object(call, obj);
}
