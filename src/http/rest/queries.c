/*
 * Queries over HTTP: Controllers ask and wait (gateway/asking.h); Readers that are agents take asks and answer them.  A
 * Controller gets an outcome, and a delivery if there is one (B16, B18); a Reader gets a code for its answer (B16).
 */
#include "http/rest/queries.h"

#include "engine/query/ask.h"
#include "engine/query/render_query.h"
#include "engine/query/respond.h"
#include "gateway/handout.h"
#include "http/rest/comm.h"
#include "reader/reader.h"

#define SECOND  INT64_C(1000000)
#define LONGEST 3600 /* the most seconds that may be asked for; the gateway's own limit also applies */
#define PAUSE   (SECOND / 5)

/* Returns until when a call that came now waits. */
static int64_t until(const struct kh_rest_call *call, bool by_default)
{
	const struct kh_rest_value *wait = kh_rest_call_query(call, "wait");
	int64_t most = kh_gateway_wait(call->gateway);
	int64_t wanted = wait->there ? wait->number * SECOND : by_default ? most : 0;

	return kh_works_now() + (wanted < most ? wanted : most);
}

#define WAIT(what)                                                                \
	{                                                                         \
		"wait", KH_REST_NUMBER, .min = 0, .max = LONGEST, .about = (what) \
	}

/* --- what a Controller is told ------------------------------------------------------------------------------------ */

static enum kh_err tell(struct kh_rest_call *call, const struct kh_asking *asking)
{
	bool ended = asking->outcome != KH_OUTCOME_NONE && asking->outcome != KH_OUTCOME_PENDING;
	const struct kh_render_query told = {
		.outcome = asking->outcome,
		.query = asking->of[0] == 'q' ? kh_view_str(asking->of) : (struct kh_view){NULL, 0},
		.approval = asking->approval,
		.block = asking->block,
		.delivery = asking->delivery,
		.sources = asking->sources,
		.advice = asking->advice,
	};

	return kh_rest_call_reply_object(call, ended ? 200 : 202, kh_render_query_new(kh_json_new(call->arena), &told));
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

	call->waits = kh_asking_step(call->gateway, asking, kh_http_request_work(call->r), call->arena, &call->err) ==
		      KH_WORK_WAIT;
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
	yyjson_mut_doc *doc = kh_json_new(call->arena);

	*ret_query = call->whole;
	if (named != NULL && kh_view_eq(kh_json_str(named), task))
		return KH_OK;
	if (named != NULL)
		return kh_error_member(
			&call->err, KH_LIT("task"),
			kh_error_set(&call->err, KH_EINPUT, "bad_value", "expected the task of the path, or nothing"));
	yyjson_mut_val *copy = yyjson_val_mut_copy(doc, call->whole);
	kh_json_add(doc, copy, "task", task);
	enum kh_err e = kh_arena_check(call->arena);
	return e == KH_OK ? kh_json_freeze(call->arena, copy, ret_query, &call->err) : e;
}

static enum kh_err ask(struct kh_rest_call *call)
{
	struct kh_asking *asking = &call->kept->asking;
	enum kh_err e = KH_OK;

	if (!call->kept->begun) {
		asking->token = call->token;
		asking->waiting.until = until(call, true);
		e = name_task(call, kh_http_request_segment(call->r, "task"), &asking->query);
	}
	return e == KH_OK ? go_on(call) : e;
}

/* Answers with the outcome of an earlier query, by its own id or that of the approval that it waits for. */
static enum kh_err look(struct kh_rest_call *call, char letter, const char *segment)
{
	struct kh_view id = kh_http_request_segment(call->r, segment);
	struct kh_asking *asking = &call->kept->asking;

	if (call->kept->begun)
		return go_on(call);
	if (id.n >= sizeof(asking->of) || id.n == 0 || id.p[0] != letter) {
		struct kh_view quoted = kh_arena_quote(call->arena, id);
		return kh_error_set(&call->err, KH_EUNKNOWN, letter == 'q' ? "unknown_query" : "unknown_approval",
				    "there is none with the id %.*s", KH_FMT(quoted));
	}
	memcpy(asking->of, id.p, id.n);
	asking->token = call->token;
	asking->waiting.until = until(call, false);
	asking->waiting.human = true;
	return go_on(call);
}

static enum kh_err show(struct kh_rest_call *call)
{
	return look(call, 'q', "query");
}

static enum kh_err show_by_approval(struct kh_rest_call *call)
{
	return look(call, 'a', "approval");
}

static const struct kh_rest_member ask_query[] = {
	WAIT("Seconds to wait for the outcome, at most the gateway's bound, which is also the default."),
	{0},
};

static const struct kh_rest_member show_query[] = {
	WAIT("Seconds to wait for the outcome, for a human's decision too, at most the gateway's bound; 0 where it is "
	     "missing."),
	{0},
};

/* --- Readers ------------------------------------------------------------------------------------------------------ */

/* There is no ask yet: answers 204, or waits and looks again. */
static enum kh_err wait_for_more(struct kh_rest_call *call, int64_t pause)
{
	struct kh_work *work = kh_http_request_work(call->r);
	int64_t now = kh_works_now();

	if (call->kept->until <= now || kh_works_is_stopping(kh_gateway_works(call->gateway))) {
		kh_http_reply(call->r, 204, NULL, KH_LIT(""), NULL, 0);
		return KH_OK;
	}
	work->wake_at = call->kept->until < now + pause ? call->kept->until : now + pause;
	call->waits = true;
	return KH_OK;
}

static enum kh_err next(struct kh_rest_call *call)
{
	struct kh_ask ask = {0};
	struct kh_view json;

	if (!call->kept->begun)
		call->kept->until = until(call, false);
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

static const struct kh_rest_member next_query[] = {
	WAIT("Seconds to wait for something to read, at most the gateway's bound; 0 where it is missing."),
	{0},
};

static enum kh_err respond(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_respond response = {
		.ask = kh_http_request_segment(call->r, "ask"),
		.response = kh_tainted_wrap(kh_http_request_body(call->r)),
	};
	enum kh_err e = kh_rest_call_run(call, kh_respond_run, &response);

	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(doc, obj, "result", response.code);
	return kh_rest_call_reply_object(call, 200, obj);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/queries",
		.name = "askQuery",
		.group = "queries",
		.operation = kh_admit_run,
		.summary = "Ask a Reader about sealed content",
		.about = "200: the query has ended, and this is its outcome.  202: `waiting`, the outcome is not out "
			 "yet, or `pending`, a human decides; getQuery and getOutcome take it up again.",
		.query = ask_query,
		.body_schema = "Query",
		.limit = KH_REST_SMALL,
		.status = 200,
		.answer = "QueryOutcome",
		.later = 202,
		.conflicts = true,
		.rated = true,
		.waits = true,
		.run = ask,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/queries/{query}",
		.name = "getQuery",
		.group = "queries",
		.operation = kh_look_run,
		.summary = "The outcome of a query",
		.about = "As of askQuery.",
		.query = show_query,
		.status = 200,
		.answer = "QueryOutcome",
		.later = 202,
		.waits = true,
		.run = show,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/approvals/{approval}/outcome",
		.name = "getOutcome",
		.group = "queries",
		.operation = kh_look_run,
		.summary = "The outcome of the query or operation that waits for an approval",
		.about = "For whoever was told `pending` with this approval.  Of an external operation it says what is "
			 "known now, at once: callOperation takes it up again.",
		.query = show_query,
		.status = 200,
		.answer = "AnyOutcome",
		.later = 202,
		.conflicts = true,
		.waits = true,
		.run = show_by_approval,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/asks/next",
		.name = "nextAsk",
		.group = "readers",
		.operation = kh_ask_next_run,
		.summary = "Take what this Reader is to answer",
		.about = "The oldest query that waits for the Reader whose token this is, with the sealed content in "
			 "fences.  204: there is none.",
		.query = next_query,
		.status = 200,
		.answer = "Ask",
		.later = 204,
		.waits = true,
		.run = next,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/asks/{ask}/response",
		.name = "respond",
		.group = "readers",
		.operation = kh_respond_run,
		.summary = "Answer what was asked",
		.about = "In the form that the query asks for: `fields`, `answers` or `summary`, with `query_id` or "
			 "without.",
		.body_schema = "Response",
		.limit = 1U << 20,
		.status = 200,
		.answer = "ResponseResult",
		.run = respond,
	},
};

const struct kh_rest_route *kh_rest_queries_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
